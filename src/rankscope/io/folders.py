"""A folder that is one run: its files, in the order of their names.

Names that begin with "." or "_" are those of what Spark, Dask and Hive keep beside them: `_SUCCESS`, `_metadata`,
checksums.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from rankscope.errors import InputError, RankscopeError
from rankscope.io.streams import source_name
from rankscope.io.urls import is_url, url_files
from rankscope.typing import PathLike

__all__ = ["Partition", "list_folders_once", "list_partitions", "readable_partitions"]


class Partition(NamedTuple):
    """A file of a run. size: in bytes; 0 where a store does not say."""

    path: str
    size: int


#: What was listed within `list_folders_once`, by the names of folders; None outside.
LISTED: ContextVar[dict[str, list[Partition]] | None] = ContextVar("LISTED", default=None)


@contextmanager
def list_folders_once() -> Iterator[None]:
    """Within it a folder is listed once: how long its files are, which are written over and which are read is asked
    one after the other, of a store each time over the network, and all is to hold for the same files.
    """
    if LISTED.get() is not None:
        yield
        return
    token = LISTED.set({})
    try:
        yield
    finally:
        LISTED.reset(token)


def list_partitions(folder: PathLike) -> list[Partition]:
    """The files of a run that is a folder; see `list_folders_once`.

    Raises InputError for a folder that holds none, or cannot be listed, and for whatever in it is no file.
    """
    name, known = source_name(folder), LISTED.get()
    if known is None:
        return list_folder(name)
    if name not in known:
        known[name] = list_folder(name)
    return known[name]


def list_folder(name: str) -> list[Partition]:
    """As `list_partitions`, as the disk or store has them now."""
    try:
        listed = url_files(name) if is_url(name) else files_in(name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such folder; check the path") from None
    except NotADirectoryError:
        raise InputError(f"{name}: is a file, expected a folder; leave out the / at its end") from None
    except OSError as error:
        raise InputError(f"{name}: the folder cannot be listed ({error.strerror or error})") from None
    found = []
    for path, kind, size in sorted(listed):
        if os.path.basename(path).startswith((".", "_")):
            continue
        if kind == "directory":
            raise InputError(
                f"{path}: a folder inside a folder, expected the files of one run in {name}; name each folder that "
                "holds a run"
            )
        if kind != "file":
            raise InputError(f"{path}: no file, expected the files of one run in {name}; take it out of the folder")
        found.append(Partition(path, size))
    if not found:
        besides = "nothing but names that begin with . or _" if listed else "nothing"
        raise InputError(f"{name}: the folder holds {besides}, expected the files of a run; check the path")
    return found


def files_in(folder: str) -> list[tuple[str, str, int]]:
    """As `url_files`, of a folder on disk."""
    with os.scandir(folder) as entries:
        return [
            (entry.path, "directory" if entry.is_dir() else "file", entry.stat().st_size)
            if entry.is_dir() or entry.is_file()
            else (entry.path, "other", 0)
            for entry in entries
        ]


def readable_partitions(folder: PathLike) -> list[Partition]:
    """The same; none where something is wrong, which is told when they are read."""
    try:
        return list_partitions(folder)
    except RankscopeError:
        return []

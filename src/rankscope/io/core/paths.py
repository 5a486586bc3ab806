"""Inputs by name: a file, a folder that holds one run as several files, standard input, a URL.

Files whose names begin with "." or "_" are skipped: Spark, Dask and Hive write them beside the data (`_SUCCESS`,
`_metadata`, checksums).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import MappingProxyType
from typing import NamedTuple, TypeGuard

from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.io.core.urls import is_url, is_url_of_folder, url_files
from rankscope.typing import PathLike

__all__ = [
    "NamedColumns",
    "Partition",
    "check_single_stdin",
    "columns_of",
    "is_file",
    "is_folder",
    "is_path",
    "list_folders_once",
    "list_partitions",
    "readable_partitions",
    "refuse_pipes",
    "source_name",
    "with_columns",
]


class NamedColumns(str):
    """The path of a file, and what the user calls its columns: our names, and those in the file."""

    columns: Mapping[str, str]

    def __new__(cls, path: str, columns: Mapping[str, str] = MappingProxyType({})) -> NamedColumns:
        self = super().__new__(cls, path)
        self.columns = dict(columns)
        return self


def columns_of(path: object) -> Mapping[str, str]:
    """What the user calls the columns of a file."""
    return path.columns if isinstance(path, NamedColumns) else {}


def with_columns(path: PathLike, columns: Mapping[str, str] | None) -> PathLike:
    """The path of a file with what the user calls its columns, if anything."""
    return NamedColumns(os.fspath(path), columns) if columns else path


def source_name(path: str | os.PathLike[str]) -> str:
    """The name of the source in errors."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, (str, os.PathLike))


def is_folder(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a folder, or a URL that ends with a slash."""
    return is_url_of_folder(value) or (is_path(value) and source_name(value) != "<stdin>" and os.path.isdir(value))


def is_file(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a file on disk, which unlike a pipe can be read again."""
    return is_path(value) and source_name(value) != "<stdin>" and os.path.isfile(value)


def check_single_stdin(inputs: Iterable[object]) -> None:
    """Raise ParameterError where standard input is named for more than one of the inputs, paths or not."""
    if sum(is_path(source) and source_name(source) == "<stdin>" for source in inputs) > 1:
        raise ParameterError("standard input (-) can stand for one file only")


def refuse_pipes(inputs: Iterable[object], reason: str) -> None:
    """Raise ParameterError for standard input and other pipes. reason: why the inputs are read twice."""
    for path in filter(is_path, inputs):
        name, mode = source_name(path), 0
        with suppress(OSError, ValueError):  # reported when it is opened
            mode = os.stat(path).st_mode
        if name == "<stdin>" or stat.S_ISFIFO(mode):
            pipe = "standard input" if name == "<stdin>" else f"{name}, a pipe,"
            raise ParameterError(f"{reason}, and {pipe} can be read once; name a file")


class Partition(NamedTuple):
    """A file of a run.

    Attributes
    ----------
    path
        The file.
    size
        Its bytes; 0 if the store does not know it.
    """

    path: str
    size: int


#: Folders listed within `list_folders_once`, by name; None outside.
LISTED: ContextVar[dict[str, list[Partition]] | None] = ContextVar("LISTED", default=None)


@contextmanager
def list_folders_once() -> Iterator[None]:
    """Within the block each folder is listed once.

    Sizes, checks and reading need the list one after the other. All should see the same files, and listing a remote
    store takes a request each time.
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
    """The files of a run in a folder; see `list_folders_once`.

    Parameters
    ----------
    folder
        The folder.

    Raises
    ------
    InputError
        The folder is empty or cannot be listed, or holds anything that is not a file.
    """
    name, listings = source_name(folder), LISTED.get()
    if listings is None:
        partitions = list_folder(name)
    else:
        if name not in listings:
            listings[name] = list_folder(name)
        partitions = listings[name]
    columns = columns_of(folder)
    return [part._replace(path=NamedColumns(part.path, columns)) for part in partitions] if columns else partitions


def list_folder(name: str) -> list[Partition]:
    """As `list_partitions`, always from the disk or store."""
    try:
        entries = url_files(name) if is_url(name) else list_disk_folder(name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such folder; check the path") from None
    except NotADirectoryError:
        raise InputError(f"{name}: is a file, expected a folder; leave out the / at its end") from None
    except OSError as error:
        raise InputError(f"{name}: the folder cannot be listed ({error.strerror or error})") from None
    partitions = []
    for path, kind, size in sorted(entries):
        if os.path.basename(path).startswith((".", "_")):
            continue
        if kind == "directory":
            raise InputError(
                f"{path}: a folder inside a folder, expected the files of one run in {name}; name each folder that "
                "holds a run"
            )
        if kind != "file":
            raise InputError(f"{path}: no file, expected the files of one run in {name}; remove it of the folder")
        partitions.append(Partition(path, size))
    if not partitions:
        contents = "nothing but names that begin with . or _" if entries else "nothing"
        raise InputError(f"{name}: the folder contains {contents}, expected the files of a run; check the path")
    return partitions


def list_disk_folder(folder: str) -> list[tuple[str, str, int]]:
    """As `url_files`, for a folder on disk."""
    with os.scandir(folder) as entries:
        return [
            (entry.path, "directory" if entry.is_dir() else "file", entry.stat().st_size)
            if entry.is_dir() or entry.is_file()
            else (entry.path, "other", 0)
            for entry in entries
        ]


def readable_partitions(folder: PathLike) -> list[Partition]:
    """As `list_partitions`; empty after an error, which is reported when the folder is read."""
    try:
        return list_partitions(folder)
    except RankscopeError:
        return []

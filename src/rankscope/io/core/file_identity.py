"""Whether a file is still the same: by size, time and inode during a run, by SHA-256 later.

A file that is read in one go is read as it was when it was opened, even if another file replaces it meanwhile. Where
parts are opened one after the other, later parts would come from the new file, and the result would mix both.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from rankscope.errors import InputError
from rankscope.io.core.paths import is_file, is_folder, readable_partitions, source_name
from rankscope.io.core.urls import is_url
from rankscope.typing import PathLike

__all__ = [
    "FileStamp",
    "file_digest",
    "file_stamp",
    "file_stamps",
    "refuse_changed",
]


#: Size, time of the last change and inode of a file; None for anything that is not a file on disk.
FileStamp = tuple[int, int, int] | None


def file_stamp(path: Any) -> FileStamp:
    """The stamp of a file; it differs once the file has been written to or replaced."""
    with suppress(OSError):  # the file is gone
        if is_file(path):
            status = os.stat(path)
            return status.st_size, status.st_mtime_ns, status.st_ino
    return None


def file_stamps(inputs: Iterable[Any]) -> dict[str, FileStamp]:
    """The stamps of all files by name, including files in folders; other inputs are skipped."""
    files: list[Any] = []
    for source in inputs:
        files += (
            [partition.path for partition in readable_partitions(source)]
            if is_folder(source) and not is_url(source)
            else [source]
        )
    return {source_name(file): file_stamp(file) for file in files if is_file(file)}


def refuse_changed(stamps_before: Mapping[str, FileStamp], name: str = "") -> None:
    """Raise InputError for a file that has changed. name: of the file in the message; by default its path."""
    for path, stamp in stamps_before.items():
        if file_stamp(path) != stamp:
            raise InputError(
                f"{name or path}: changed while it was read, expected a file that does not change; try again when "
                "nothing writes to it"
            ) from None


def file_digest(path: PathLike) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; empty for standard input, a pipe, or a missing file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read ({error.strerror or error})") from None

"""Opening files, standard input and URLs for reading, decompressed by content. Files of other programs are refused by
their first bytes.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, BinaryIO, Protocol, cast

from rankscope.errors import InputError, RankscopeError
from rankscope.io.core.compression import GZIP, ZSTD, CountedStream, UnpackedStream, zstd_file
from rankscope.io.core.paths import is_folder, source_name
from rankscope.io.core.urls import is_url, open_url

__all__ = [
    "Readable",
    "binary_file_error",
    "empty_file_error",
    "open_binary",
    "open_raw",
    "refuse_binary_kinds",
    "refuse_devices",
]


PLAIN = "expected plain text, gzip or Zstandard; unpack it first"
TABLE = "expected text; save it as CSV, or as Parquet"
PICKLE = "a pickle of Python, which could run code and is not read; save the data as JSON or CSV"
PDF = "a PDF, expected data; name another file"
#: First bytes -> what the file is, and what was expected. No text begins with any of these.
PROGRAMS = {
    b"\xfd7zXZ": f"compressed with xz, {PLAIN}",
    b"7z\xbc\xaf": f"compressed with 7-Zip, {PLAIN}",
    b"Rar!\x1a\x07": f"compressed with RAR, {PLAIN}",
    b"\xd0\xcf\x11\xe0": f"a workbook or document of Office, {TABLE}",
    b"\x80\x02": PICKLE,
    b"\x80\x03": PICKLE,
    b"\x80\x04\x95": PICKLE,
    b"\x80\x05\x95": PICKLE,
    b"\x93NUMPY": f"an array of NumPy (.npy), {TABLE}",
    b"\x89HDF": f"an HDF5 file, {TABLE}",
    b"ARROW1\0\0": f"an Arrow file (Feather), {TABLE}",
    b"SQLite format 3\0": f"a database of SQLite, {TABLE}",
    b"%PDF-1.": PDF,
    b"%PDF-2.": PDF,
    b"version https://git-lfs": "a pointer of Git LFS, expected the file itself; fetch it with git lfs pull",
}
ZIP = b"PK\x03\x04"
#: The first block of bzip2, or the end mark of an empty file.
BZIP2 = re.compile(rb"BZh[1-9](1AY|\x17rE)")
#: The position of a tar archive's magic bytes, behind names and numbers padded with NUL bytes.
TAR = slice(257, 262)
#: From this many bytes on a text can be recognised as UTF-16.
MIN_UTF16_BYTES = 8


def refuse_binary_kinds(start: bytes, name: str) -> None:
    """Raise InputError for a file with the first bytes of another program's format."""
    description = describe_program(start)
    if description is not None:
        raise InputError(f"{name}: {description}")


def describe_program(start: bytes) -> str | None:
    if start.startswith(ZIP):
        member_name = start[30 : 30 + int.from_bytes(start[26:28], "little")]
        if member_name.startswith((b"[Content_Types]", b"_rels/", b"docProps/", b"xl/", b"mimetype")):
            return f"a workbook (.xlsx, .ods), {TABLE}"
        if member_name.endswith(b".npy"):
            return f"arrays of NumPy (.npz), {TABLE}"
        return f"compressed with zip, {PLAIN}"
    if BZIP2.match(start):
        return f"compressed with bzip2, {PLAIN}"
    if start[TAR] == b"ustar" and b"\0" in start[: TAR.start]:
        return "an archive (tar) of several files, expected one; unpack it first"
    return next((description for magic, description in PROGRAMS.items() if start.startswith(magic)), None)


def binary_file_error(start: bytes, name: str) -> InputError:
    """The error for a text with NUL bytes in it."""
    halves = start[: len(start) // 2 * 2]
    if len(halves) >= MIN_UTF16_BYTES and (not any(halves[1::2]) or not any(halves[::2])):
        return InputError(f"{name}: the text looks like UTF-16, expected UTF-8; convert it, for example with iconv")
    return InputError(f"{name}: a binary file (it contains NUL bytes), expected text in UTF-8; convert it first")


#: Names of a folder that are compared with a misspelt one, and the required similarity.
MAX_NAMES, MIN_SIMILARITY = 10_000, 0.8


class Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


def empty_file_error(name: str, expected: str = "at least one line") -> InputError:
    return InputError(f"{name}: the file is empty, expected {expected}")


def missing_file_error(name: str) -> InputError:
    """The error for a missing file; it suggests the file of the folder with the most similar name."""
    paths = name.replace(",", " ").split()
    if len(paths) > 1 and all(map(os.path.exists, paths)):
        return InputError(f"{name}: no such file; separate the {len(paths)} files by blanks, without quotes")
    if name.startswith("@") and name[1:].isdecimal():
        return InputError(f"{name}: no such file; write a measure and its cutoff without a space, as nDCG{name}")
    folder, base_name = os.path.split(name)
    if any(wildcard in base_name for wildcard in "*?["):
        return InputError(f"{name}: no such file, and no file matches this pattern; check the path")
    if name.startswith(("~", "$", "%")):
        first_part = name.replace("\\", "/").partition("/")[0]
        return InputError(f"{name}: no such file; {first_part} is not expanded inside quotes; write the full path")
    value = name.partition("=")[2]
    if os.path.isfile(value):
        return InputError(f"{name}: no such file, but {value}; name it alone")
    with suppress(OSError), os.scandir(folder or ".") as entries:
        file_names = sorted(entry.name for entry in islice(entries, MAX_NAMES) if entry.is_file())
        for file_name in file_names:
            if file_name.lower() == base_name.lower():
                return InputError(f"{name}: no such file; did you mean {os.path.join(folder, file_name)}?")
            if file_name.startswith(f"{base_name} "):
                return InputError(f"{name}: no such file; put quotes around '{os.path.join(folder, file_name)}'")
        import difflib

        matches = difflib.get_close_matches(base_name, file_names, n=1, cutoff=MIN_SIMILARITY)
        if matches and difflib.get_close_matches(
            without_suffix(base_name), [without_suffix(matches[0])], cutoff=0.7
        ):  # not by its suffix alone
            return InputError(f"{name}: no such file; did you mean {os.path.join(folder, matches[0])}?")
    if "\\" in name and os.path.isfile(name.replace("\\", "/")):
        return InputError(f"{name}: no such file; use / instead of \\ in paths")
    return InputError(f"{name}: no such file; check the path")


def without_suffix(name: str) -> str:
    return os.path.splitext(name)[0]


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open for reading, decompressed if the first bytes say so.

    Parameters
    ----------
    path
        "-" is standard input; fsspec opens URLs.

    Raises
    ------
    InputError
        By its first bytes, the file is one of another program; or an error occurs while it is read.
    ParameterError
        For a URL, fsspec or its package for this kind of URL is not installed.
    """
    name = source_name(path)
    if not name:
        raise InputError("the name of a file is empty, expected a path; check the command")
    if "\0" in name:
        raise InputError(f"{name}: no file can have such a name (it holds a NUL), expected a path; check the command")
    if is_folder(path):
        raise InputError(f"{name}: is a directory, expected a file; name one file of it")
    refuse_devices(path)
    try:
        with open_raw(path) as raw:
            yield _decompressed(raw, name)
    except FileNotFoundError:
        raise missing_file_error(name) from None
    except IsADirectoryError:  # a URL; folders on disk were refused above
        raise InputError(
            f"{name}: is a directory, expected a file; name one file of it, or end the URL of a run in a folder with /"
        ) from None
    except damage_errors() as error:
        raise InputError(f"{name}: the compressed file is truncated or damaged ({error}); fetch it again") from None
    except (RankscopeError, BrokenPipeError):
        raise
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None


def damage_errors() -> tuple[type[Exception], ...]:
    """What reading a truncated or damaged file raises."""
    from gzip import BadGzipFile

    return EOFError, zlib.error, BadGzipFile


def refuse_devices(path: str | os.PathLike[str]) -> None:
    """Raise InputError for devices that may never end, as /dev/zero. Terminals and pipes are allowed."""
    if source_name(path) == "<stdin>":
        return
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # a URL, or a path that cannot be opened either
        return
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not is_terminal(path)):
        raise InputError(f"{source_name(path)}: is a device, expected a file; name a file, or a pipe into this command")


def is_terminal(path: str | os.PathLike[str]) -> bool:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOCTTY", 0))
        try:
            return os.isatty(descriptor)
        finally:
            os.close(descriptor)
    return False


@contextmanager
def open_raw(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open without decompressing. Also raises what `open` raises."""
    if source_name(path) == "<stdin>":
        if sys.stdin is None:
            raise InputError("<stdin>: standard input is closed, expected data; name a file or pipe into this command")
        yield sys.stdin.buffer
    elif is_url(path):
        with open_url(str(path)) as file:
            yield file
    else:
        with open(path, "rb", buffering=1 << 16) as file:
            yield file


def unpacked_file(packed: Any, *, is_gzip: bool) -> BinaryIO:
    if not is_gzip:
        return zstd_file(packed)
    from gzip import GzipFile

    return cast(BinaryIO, GzipFile(fileobj=packed))


def _decompressed(raw: Any, name: str) -> BinaryIO:
    start = raw.peek(4)
    packed: Any = CountedStream(raw)
    if start.startswith((GZIP, ZSTD)):
        stream = unpacked_file(packed, is_gzip=start.startswith(GZIP))
        raw = io.BufferedReader(UnpackedStream(stream, packed, name), 1 << 16)
        start = raw.peek(4)
    refuse_binary_kinds(start, name)
    return cast(BinaryIO, raw)

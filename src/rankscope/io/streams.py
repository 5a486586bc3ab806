"""Opening what the user named: a file, standard input, a URL; gzip or Zstandard, told by content."""

from __future__ import annotations

import difflib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, BinaryIO, Protocol, TypeGuard, cast

from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.io.foreign import refuse_binary_kinds
from rankscope.io.packed import CountedStream, UnpackedStream
from rankscope.io.urls import is_url, is_url_of_folder, open_url

__all__ = [
    "Readable",
    "empty_file_error",
    "is_file",
    "is_folder",
    "is_path",
    "check_single_stdin",
    "open_binary",
    "open_raw",
    "refuse_devices",
    "refuse_pipes",
    "source_name",
    "zstd_module",
]

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
#: So many names of a folder are looked at for a misspelt one, and so alike it has to be.
MOST_NAMES, NEAR = 10_000, 0.8


class Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


def source_name(path: str | os.PathLike[str]) -> str:
    """How an error names the source."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def is_path(x: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(x, (str, os.PathLike))


def is_folder(x: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a folder, or a URL that ends with a slash."""
    return is_url_of_folder(x) or (is_path(x) and source_name(x) != "<stdin>" and os.path.isdir(x))


def is_file(x: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a file on disk, which can be read again, as no pipe can."""
    return is_path(x) and source_name(x) != "<stdin>" and os.path.isfile(x)


def check_single_stdin(inputs: Iterable[object]) -> None:
    """Raise ParameterError where standard input is named for more than one of the inputs, paths or not."""
    if sum(is_path(x) and source_name(x) == "<stdin>" for x in inputs) > 1:
        raise ParameterError("standard input (-) can stand for one file only")


def refuse_pipes(inputs: Iterable[object], why: str) -> None:
    """Raise ParameterError where what is read twice is standard input, or another pipe. why: who reads it twice."""
    for x in filter(is_path, inputs):
        name, mode = source_name(x), 0
        with suppress(OSError, ValueError):  # what cannot be opened either
            mode = os.stat(x).st_mode
        if name == "<stdin>" or stat.S_ISFIFO(mode):
            pipe = "standard input" if name == "<stdin>" else f"{name}, a pipe,"
            raise ParameterError(f"{why}, and {pipe} can be read once; name a file")


def empty_file_error(name: str, expected: str = "at least one line") -> InputError:
    return InputError(f"{name}: the file is empty, expected {expected}")


def missing_file_error(name: str) -> InputError:
    """Names the file of that folder whose name is nearest, where one is near."""
    several = name.replace(",", " ").split()
    if len(several) > 1 and all(map(os.path.exists, several)):
        return InputError(f"{name}: no such file, but {len(several)} in one word; put blanks between them, no quotes")
    folder, base = os.path.split(name)
    if any(mark in base for mark in "*?["):
        return InputError(f"{name}: no such file, and none that such a pattern stands for; check the path")
    if name.startswith(("~", "$", "%")):
        mark = name.replace("\\", "/").partition("/")[0]
        return InputError(f"{name}: no such file; {mark} stands as it is, as within quotes; write the path out")
    behind = name.partition("=")[2]
    if os.path.isfile(behind):
        return InputError(f"{name}: no such file, but {behind}; name it alone")
    with suppress(OSError), os.scandir(folder or ".") as entries:
        there = sorted(entry.name for entry in islice(entries, MOST_NAMES) if entry.is_file())
        for one in there:
            if one.lower() == base.lower():
                return InputError(f"{name}: no such file; did you mean {os.path.join(folder, one)}?")
            if one.startswith(f"{base} "):
                return InputError(f"{name}: no such file; put quotes around '{os.path.join(folder, one)}'")
        near = difflib.get_close_matches(base, there, n=1, cutoff=NEAR)
        if near and difflib.get_close_matches(
            without_suffix(base), [without_suffix(near[0])], cutoff=0.7
        ):  # not by its suffix alone
            return InputError(f"{name}: no such file; did you mean {os.path.join(folder, near[0])}?")
    if "\\" in name and os.path.isfile(name.replace("\\", "/")):
        return InputError(f"{name}: no such file; write / for \\ in paths")
    return InputError(f"{name}: no such file; check the path")


def without_suffix(name: str) -> str:
    return os.path.splitext(name)[0]


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open for reading, decompressed where the first bytes say so. "-" is standard input; a URL is opened by fsspec.

    Raises InputError for a file of another program, told by its first bytes, and also for what goes wrong while it is
    being read; ParameterError for a URL where what opens it is not installed.
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
    except IsADirectoryError:  # a URL; of paths that has been said
        raise InputError(
            f"{name}: is a directory, expected a file; name one file of it, or end the URL of a run in a folder with /"
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the compressed file is truncated or damaged ({error}); fetch it again") from None
    except (RankscopeError, BrokenPipeError):
        raise
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None


def refuse_devices(path: str | os.PathLike[str]) -> None:
    """Raise InputError for what may never end, as /dev/zero; a terminal may be read, and a pipe."""
    if source_name(path) == "<stdin>":
        return
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # a URL, or what cannot be opened either
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
    """As it is, compressed or not. Raises as `open`, too."""
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


def _decompressed(raw: Any, name: str) -> BinaryIO:
    start = raw.peek(4)
    packed: Any = CountedStream(raw)
    if start.startswith((GZIP, ZSTD)):
        stream = gzip.GzipFile(fileobj=packed) if start.startswith(GZIP) else zstd_file(packed)
        raw = io.BufferedReader(UnpackedStream(stream, packed, name), 1 << 16)
        start = raw.peek(4)
    refuse_binary_kinds(start, name)
    return cast(BinaryIO, raw)


def zstd_module() -> Any:
    """The library of Zstandard, which comes with Python from 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def zstd_file(raw: Any) -> BinaryIO:
    zstd = zstd_module()
    base: Any = zstd.ZstdFile

    class File(base):  # type: ignore[misc]  # of either of two modules
        """Damaged data as the error that gzip raises."""

        def read(self, size: int | None = -1) -> Any:
            try:
                return super().read(size)
            except zstd.ZstdError as error:
                raise EOFError(str(error)) from None

        def readinto(self, buffer: Any) -> Any:
            try:
                return super().readinto(buffer)
            except zstd.ZstdError as error:
                raise EOFError(str(error)) from None

    return cast(BinaryIO, File(raw))

"""Opening what the user named: a file, standard input, a URL; gzip or Zstandard, told by content."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeGuard, cast

from rankscope.errors import InputError, ParameterError
from rankscope.io.urls import is_url, open_url

__all__ = ["Readable", "empty_file", "is_path", "one_stdin", "open_binary", "open_raw", "source_name", "zstd_module"]

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


def source_name(path: str | os.PathLike[str]) -> str:
    """How an error names the source."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def is_path(x: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(x, (str, os.PathLike))


def one_stdin(inputs: Iterable[object]) -> None:
    """Raise ParameterError where standard input is named for more than one of the inputs, paths or not."""
    if sum(is_path(x) and source_name(x) == "<stdin>" for x in inputs) > 1:
        raise ParameterError("standard input (-) can stand for one file only")


def empty_file(name: str, expected: str = "at least one line") -> InputError:
    return InputError(f"{name}: the file is empty, expected {expected}")


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open for reading, decompressed where the first bytes say so. "-" is standard input; a URL is opened by fsspec.

    Raises InputError, also for what goes wrong while it is being read; ParameterError for a URL where what opens it is
    not installed.
    """
    name = source_name(path)
    if not name:
        raise InputError("the name of a file is empty, expected a path; check the command")
    if name != "<stdin>" and Path(path).is_dir():
        raise InputError(f"{name}: is a directory, expected a file; name one file of it")
    try:
        with open_raw(path) as raw:
            yield _decompressed(raw)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; check the path") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the compressed file is truncated or damaged ({error}); fetch it again") from None
    except (InputError, ParameterError, BrokenPipeError):
        raise
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None


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


def _decompressed(raw: Any) -> BinaryIO:
    magic = raw.peek(4)[:4]
    if magic.startswith(GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if magic == ZSTD:
        return zstd_file(raw)
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

"""gzip and Zstandard: suffixes, reading with a limit on the unpacked size, writing.

A file that unpacks to more than a thousand times its size is not data; reading stops there.
"""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, cast

from rankscope.errors import InputError

__all__ = [
    "ALLOWED_BYTES",
    "MAX_RATIO",
    "CountedStream",
    "UnpackedStream",
    "compress",
    "refuse_bomb",
    "split_compression_suffix",
    "zstd_module",
]


#: Suffixes of compressed files.
COMPRESSION_SUFFIXES = (".gz", ".zst")
#: Unpacked data may be this many times as large as the file, and this many bytes in any case. Runs and judgments
#: shrink to about a tenth, one line repeated to a hundredth.
MAX_RATIO, ALLOWED_BYTES = 1000, 100 << 20


def split_compression_suffix(path: str | os.PathLike[str]) -> tuple[str, str]:
    """A path without its suffix of compression, and that suffix in lower case ("" if there is none).

    >>> split_compression_suffix("runs/bm25.run.GZ"), split_compression_suffix("bm25.run")
    (('runs/bm25.run', '.gz'), ('bm25.run', ''))
    """
    name = os.fspath(path)
    stem, suffix = os.path.splitext(name)
    return (stem, suffix.lower()) if suffix.lower() in COMPRESSION_SUFFIXES else (name, "")


class CountedStream:
    """A stream that counts the bytes read from it."""

    def __init__(self, raw: Any) -> None:
        self.raw, self.n_bytes = raw, 0

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self.raw.read(size)
        self.n_bytes += len(chunk)
        return chunk


class UnpackedStream(io.RawIOBase):
    """The content of a compressed stream. Raises InputError as soon as it is too large."""

    def __init__(self, stream: Any, packed: CountedStream, name: str) -> None:
        self.stream, self.compressed, self.name, self.n_bytes = stream, packed, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_bytes: int = self.stream.readinto(buffer)
        self.n_bytes += n_bytes
        refuse_bomb(self.n_bytes, self.compressed.n_bytes, self.name)
        return n_bytes


def refuse_bomb(unpacked: int, packed: int, name: str, advice: str = "unpack it yourself") -> None:
    """Raise InputError if packed bytes unpack to more than any real data.

    Parameters
    ----------
    unpacked, packed
        Numbers of bytes.
    name
        Name of the file.
    advice
        How to read the file anyway.
    """
    if unpacked > max(ALLOWED_BYTES, MAX_RATIO * packed):
        raise InputError(
            f"{name}: {packed:,} bytes that unpack to {unpacked:,} or more, expected at most {MAX_RATIO:,} times as "
            "many; "
            f"{advice} if it is to be read all the same"
        )


GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def zstd_module() -> Any:
    """The module for Zstandard, which comes with Python from 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def zstd_file(raw: Any) -> BinaryIO:
    zstd = zstd_module()
    base: Any = zstd.ZstdFile

    class File(base):  # type: ignore[misc]  # of either of two modules
        """Raises the same error as gzip for damaged data."""

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


def compress(chunks: Iterable[bytes], suffix: str) -> Iterator[bytes]:
    """The chunks as gzip (`.gz`) or Zstandard (`.zst`), without a timestamp; unchanged for any other suffix.

    Parameters
    ----------
    chunks
        Content of the file.
    suffix
        Suffix of compression.
    """
    if suffix == ".gz":
        packer: Any = zlib.compressobj(wbits=31)
    elif suffix == ".zst":
        packer = zstd_module().ZstdCompressor()
    else:
        yield from chunks
        return
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()

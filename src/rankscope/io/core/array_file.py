"""Binary files of named arrays: magic bytes, a header with checksums, then the arrays.

The magic bytes say which kind of file it is, and the number of its layout. The header is JSON: metadata of the file,
and the type, shape and checksum of each array. Arrays begin at multiples of 64 bytes, so that they can be used where
they lie, also in a file that is mapped into memory. Nothing in a file is run.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.errors import InputError
from rankscope.io.core.atomic_write import write_chunks

__all__ = [
    "Arrays",
    "DamagedFile",
    "damage",
    "damaged_file_error",
    "header_struct",
    "load_arrays",
    "magic_stem",
    "pack_arrays",
    "read_arrays",
    "split_arrays",
    "split_header",
    "unpack_arrays",
    "write_arrays",
]


Arrays = dict[str, npt.NDArray[Any]]
Loaded = TypeVar("Loaded")
#: Arrays begin at multiples of this number of bytes.
ALIGNMENT = 64


class DamagedFile(Exception):
    """A file that is damaged or has another layout. The message names the part; callers add the file and advice."""


def magic_stem(magic: bytes) -> bytes:
    """The magic bytes without the number of the layout, which identify a file of any version."""
    return magic[:-2]


def header_struct(magic: bytes) -> struct.Struct:
    """The prefix of the file: magic bytes, length of the header, checksum of the header."""
    return struct.Struct(f"<{len(magic)}sQI")


def aligned_size(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


# Writing


def pack_arrays(magic: bytes, about: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[bytes]:
    """The bytes of the file, array by array; equal arguments give equal bytes. The file is little-endian."""
    stored_arrays = {name: little_endian(array) for name, array in arrays.items()}
    array_descriptions = {
        name: {"dtype": array.dtype.str, "shape": array.shape, "crc32": checksum(array)}
        for name, array in stored_arrays.items()
    }
    header = json.dumps({"version": __version__, **about, "arrays": array_descriptions}).encode()
    prefix = header_struct(magic)
    header += b" " * (aligned_size(prefix.size + len(header)) - prefix.size - len(header))
    yield prefix.pack(magic, len(header), zlib.crc32(header)) + header
    for array in stored_arrays.values():
        yield array_bytes(array)
        yield padding(array)


def little_endian(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array = np.asarray(array, order="C")
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """The array's memory as bytes, without a copy."""
    return array.reshape(-1).view(np.uint8).data  # type: ignore[return-value]  # files take it as bytes


def padding(array: npt.NDArray[Any]) -> bytes:
    return bytes(aligned_size(array.nbytes) - array.nbytes)


def checksum(array: npt.NDArray[Any]) -> int:
    """Of the array and the zeros behind it."""
    return zlib.crc32(padding(array), zlib.crc32(array_bytes(array)))


def write_arrays(path: Path, magic: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a file of results that can be computed again, all or nothing. Raises OutputError."""
    write_chunks(path, pack_arrays(magic, {}, arrays), is_result=False)


# Reading


def load_arrays(
    magic: bytes,
    content: bytes | memoryview,
    build: Callable[[dict[str, Any], Arrays], Loaded],
    error_of: Callable[[str], InputError],
) -> Loaded:
    """The object of a file's content. Raises an error of `error_of`, which takes what is damaged.

    Parameters
    ----------
    magic
        The magic bytes of the file.
    content
        The bytes of the file; the arrays are views of them.
    build
        Makes the object from the header and the arrays. Any exception of it, such as DamagedFile, is damage.
    error_of
        The error for a problem, in words.
    """
    try:
        return build(*unpack_arrays(magic, content))
    except Exception as error:  # damaged bytes can raise anything
        raise error_of(damage(error)) from None


def damage(error: Exception) -> str:
    """What is damaged, from the exception that reading raised; one line."""
    if isinstance(error, KeyError) and error.args:
        return f"{error.args[0]!r} is missing"[:120]
    text = str(error) or type(error).__name__
    return text if isinstance(error, DamagedFile) else text.splitlines()[0][:120]


def unpack_arrays(magic: bytes, content: bytes | memoryview) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays. Raises DamagedFile, or another exception, for bytes that are no complete file."""
    about, body = split_header(magic, content)
    return about, split_arrays(about, body)


def split_header(magic: bytes, content: bytes | memoryview) -> tuple[dict[str, Any], memoryview]:
    """The header, and the bytes behind it. Raises as `unpack_arrays`."""
    first_bytes = bytes(content[: len(magic)])
    if not first_bytes.startswith(magic_stem(magic)):
        raise DamagedFile("its first bytes")
    if first_bytes != magic:
        layout_version = magic[len(magic_stem(magic)) : -1].decode()
        raise DamagedFile(f"its form is not {layout_version}, which this version of rankscope reads")
    prefix = header_struct(magic)
    if len(content) < prefix.size:
        raise DamagedFile("it ends early")
    _, header_size, header_checksum = prefix.unpack_from(content)
    body = memoryview(content)[prefix.size :]
    header = bytes(body[:header_size]) if header_size <= len(body) else b""
    if len(header) < header_size or zlib.crc32(header) != header_checksum:
        raise DamagedFile("its header")
    about: dict[str, Any] = json.loads(header)
    return about, body[header_size:]


def split_arrays(about: Mapping[str, Any], body: memoryview) -> Arrays:
    """The arrays of a header, as views of the bytes behind it. Raises as `unpack_arrays`."""
    arrays: Arrays = {}
    position = 0
    for name, description in about["arrays"].items():
        dtype, shape = np.dtype(description["dtype"]), description["shape"]
        if not isinstance(shape, list) or not all(type(length) is int and length >= 0 for length in shape):
            raise DamagedFile(f"the shape of its {name}")
        n_bytes = math.prod(shape) * dtype.itemsize
        content = body[position : position + aligned_size(n_bytes)]
        if len(content) < aligned_size(n_bytes):
            raise DamagedFile("it ends early")
        if zlib.crc32(content) != description["crc32"]:
            raise DamagedFile(f"its {name}")
        arrays[name] = np.frombuffer(content[:n_bytes], dtype).reshape(shape)
        position += len(content)
    if position != len(body):
        raise DamagedFile(f"{len(body) - position} bytes too many")
    return arrays


def read_arrays(path: Path, magic: bytes) -> Arrays:
    """The arrays of a file of `write_arrays`, which may be changed. Raises InputError where it cannot be read or is
    damaged.
    """
    try:
        with path.open("rb") as file:  # `np.fromfile` would take an error of the disk for the end of the file
            content = np.empty(os.fstat(file.fileno()).st_size, np.uint8)
            size = file.readinto(content.data)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}); check it, and the disk that it is on"
        ) from None
    return load_arrays(
        magic, content[:size].data, lambda _, arrays: arrays, lambda problem: damaged_file_error(path, problem)
    )


def damaged_file_error(path: Path, problem: str) -> InputError:
    """The error for a file that can be computed again. problem: what is damaged."""
    return InputError(f"{path}: is damaged ({problem}); remove this file, and its part is computed again")

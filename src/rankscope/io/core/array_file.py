"""Binary files of named arrays: magic bytes, a header with checksums, then the arrays.

The magic bytes say which kind of file it is, and the number of its layout. The header is JSON: metadata of the file,
and the type, shape and checksum of each array. Nothing in it is run.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.errors import InputError
from rankscope.io.core.atomic_write import write_chunks

__all__ = [
    "Arrays",
    "DamagedFile",
    "damaged_file_error",
    "header_struct",
    "magic_stem",
    "pack_arrays",
    "read_arrays",
    "unpack_arrays",
    "write_arrays",
]


Arrays = dict[str, npt.NDArray[Any]]


class DamagedFile(Exception):
    """A file that is damaged or has another layout. The message names the part; callers add the file and advice."""


def magic_stem(magic: bytes) -> bytes:
    """The magic bytes without the number of the layout, which identify a file of any version."""
    return magic[:-2]


def header_struct(magic: bytes) -> struct.Struct:
    """The prefix of the file: magic bytes, length of the header, checksum of the header."""
    return struct.Struct(f"<{len(magic)}sQI")


def pack_arrays(magic: bytes, about: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[bytes]:
    """The bytes of the file, array by array; equal arguments give equal bytes. arrays: little-endian."""
    array_descriptions = {
        name: {"dtype": array.dtype.str, "shape": array.shape, "crc32": zlib.crc32(array_bytes(array))}
        for name, array in arrays.items()
    }
    header = json.dumps({"version": __version__, **about, "arrays": array_descriptions}).encode()
    yield header_struct(magic).pack(magic, len(header), zlib.crc32(header)) + header
    for array in arrays.values():
        yield array_bytes(array)


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """The array's memory as bytes, without a copy if it is contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data  # type: ignore[return-value]  # files take it as bytes


def unpack_arrays(magic: bytes, content: bytes) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays. Raises DamagedFile, or another exception, for bytes that are no complete file."""
    if not content.startswith(magic_stem(magic)):
        raise DamagedFile("its first bytes")
    if not content.startswith(magic):
        layout_version = magic[len(magic_stem(magic)) : -1].decode()
        raise DamagedFile(f"its form is not {layout_version}, which this version of rankscope reads")
    prefix = header_struct(magic)
    _, header_size, checksum = prefix.unpack_from(content)
    header = content[prefix.size : prefix.size + header_size]
    if len(header) < header_size or zlib.crc32(header) != checksum:
        raise DamagedFile("its header")
    about: dict[str, Any] = json.loads(header)
    return about, split_body(about["arrays"], memoryview(content)[prefix.size + header_size :])


def split_body(array_descriptions: dict[str, Any], body: memoryview) -> Arrays:
    """The arrays, which are stored one after the other; they cannot be written to."""
    arrays: Arrays = {}
    position = 0
    for name, description in array_descriptions.items():
        dtype, shape = np.dtype(description["dtype"]), description["shape"]
        if not isinstance(shape, list) or not all(type(length) is int and length >= 0 for length in shape):
            raise DamagedFile(f"the shape of its {name}")
        n_bytes = math.prod(shape) * dtype.itemsize
        content = body[position : position + n_bytes]
        if len(content) < n_bytes:
            raise DamagedFile("it ends early")
        if zlib.crc32(content) != description["crc32"]:
            raise DamagedFile(f"its {name}")
        arrays[name] = np.frombuffer(content, dtype).reshape(shape)
        position += n_bytes
    if position != len(body):
        raise DamagedFile(f"{len(body) - position} bytes too many")
    return arrays


def write_arrays(path: Path, magic: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a file of results that can be computed again, all or nothing. Raises OutputError."""
    write_chunks(path, pack_arrays(magic, {}, arrays), is_result=False)


def read_arrays(path: Path, magic: bytes) -> Arrays:
    """The arrays of a file of `write_arrays`. Raises InputError where it cannot be read or is damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}); check it, and the disk that it is on"
        ) from None
    try:
        _, arrays = unpack_arrays(magic, content)
    except Exception as error:  # of many types, for bytes that are no arrays
        problem = str(error) if isinstance(error, DamagedFile) else "its header"
        raise damaged_file_error(path, problem) from None
    return {name: array.copy() for name, array in arrays.items()}  # aligned, and can be written to


def damaged_file_error(path: Path, problem: str) -> InputError:
    """The error for a file that can be computed again. problem: what is damaged."""
    return InputError(f"{path}: is damaged ({problem}); remove this file, and its part is computed again")

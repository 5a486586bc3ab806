"""Binary files of named arrays: magic bytes, a header with checksums, then the arrays.

The header is JSON: metadata of the file, and the type, size and checksum of each array. Nothing in it is run.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__

__all__ = [
    "DamagedFile",
    "header_struct",
    "magic_stem",
    "pack_arrays",
    "unpack_arrays",
]


Arrays = Mapping[str, npt.NDArray[Any]]


class DamagedFile(Exception):
    """A file that is damaged or has another layout. The message names the part; callers add the file and advice."""


def magic_stem(magic: bytes) -> bytes:
    """The magic bytes without the number of the layout, which identify a file of any version."""
    return magic[:-2]


def header_struct(magic: bytes) -> struct.Struct:
    """The prefix of the file: magic bytes, length of the header, checksum of the header."""
    return struct.Struct(f"<{len(magic)}sQI")


def pack_arrays(magic: bytes, about: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes]:
    """The bytes of the file, array by array; equal arguments give equal bytes. arrays: contiguous, little-endian."""
    array_descriptions = {
        name: {"dtype": array.dtype.str, "size": array.size, "crc32": zlib.crc32(array_bytes(array))}
        for name, array in arrays.items()
    }
    header = json.dumps({"version": __version__, **about, "arrays": array_descriptions}).encode()
    yield header_struct(magic).pack(magic, len(header), zlib.crc32(header)) + header
    for array in arrays.values():
        yield array_bytes(array)


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """The array's memory as bytes, without a copy."""
    return array.view(np.uint8).data  # type: ignore[return-value]  # files take it as bytes


def unpack_arrays(magic: bytes, content: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The header and the arrays. Raises DamagedFile, or another exception, for bytes that are no complete file."""
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


def split_body(array_descriptions: dict[str, Any], body: memoryview) -> dict[str, npt.NDArray[Any]]:
    """The arrays, which are stored one after the other."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    position = 0
    for name, description in array_descriptions.items():
        dtype = np.dtype(description["dtype"])
        content = body[position : position + description["size"] * dtype.itemsize]
        if len(content) < description["size"] * dtype.itemsize:
            raise DamagedFile("it ends early")
        if zlib.crc32(content) != description["crc32"]:
            raise DamagedFile(f"its {name}")
        arrays[name] = np.frombuffer(content, dtype)
        position += len(content)
    if position != len(body):
        raise DamagedFile(f"{len(body) - position} bytes too many")
    return arrays

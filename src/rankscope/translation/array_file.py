"""Binary files of named arrays: magic, header with checksums, arrays.

The header is JSON: what the file is about, and of each array its type, size and checksum. Nothing in it is run.
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
    "DamagedArrayFile",
    "header_struct",
    "magic_stem",
    "pack_arrays",
    "unpack_arrays",
]


Arrays = Mapping[str, npt.NDArray[Any]]


class DamagedArrayFile(Exception):
    """What does not fit."""


def magic_stem(magic: bytes) -> bytes:
    """The line of magic without the number of its layout, by which any version is known."""
    return magic[:-2]


def header_struct(magic: bytes) -> struct.Struct:
    """What stands before the header: magic, its length, its checksum."""
    return struct.Struct(f"<{len(magic)}sQI")


def pack_arrays(magic: bytes, about: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes]:
    """The bytes, array by array: the same things give the same. arrays: contiguous, little-endian."""
    described = {
        name: {"dtype": array.dtype.str, "size": array.size, "crc32": zlib.crc32(array_bytes(array))}
        for name, array in arrays.items()
    }
    header = json.dumps({"version": __version__, **about, "arrays": described}).encode()
    yield header_struct(magic).pack(magic, len(header), zlib.crc32(header)) + header
    for array in arrays.values():
        yield array_bytes(array)


def array_bytes(array: npt.NDArray[Any]) -> bytes:
    """The array's memory, which is as good as bytes, and no copy."""
    return array.view(np.uint8).data  # type: ignore[return-value]  # files take it as bytes


def unpack_arrays(magic: bytes, content: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """What the header says, and the arrays. Raises Damaged and others for what is no such file, or not whole."""
    if not content.startswith(magic):
        form = magic[len(magic_stem(magic)) : -1].decode()
        raise DamagedArrayFile(f"its form is not {form}, which this version of rankscope reads")
    prefix = header_struct(magic)
    _, length, check = prefix.unpack_from(content)
    header = content[prefix.size : prefix.size + length]
    if len(header) < length or zlib.crc32(header) != check:
        raise DamagedArrayFile("its header")
    about: dict[str, Any] = json.loads(header)
    return about, read_arrays(about["arrays"], memoryview(content)[prefix.size + length :])


def read_arrays(described: dict[str, Any], held: memoryview) -> dict[str, npt.NDArray[Any]]:
    """The arrays, which lie one behind the other."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    begin = 0
    for name, one in described.items():
        dtype = np.dtype(one["dtype"])
        part = held[begin : begin + one["size"] * dtype.itemsize]
        if len(part) < one["size"] * dtype.itemsize:
            raise DamagedArrayFile("it ends early")
        if zlib.crc32(part) != one["crc32"]:
            raise DamagedArrayFile(f"its {name}")
        arrays[name] = np.frombuffer(part, dtype)
        begin += len(part)
    if begin != len(held):
        raise DamagedArrayFile(f"{len(held) - begin} bytes too many")
    return arrays

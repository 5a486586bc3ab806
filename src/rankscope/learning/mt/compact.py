"""A language model in binary: a line of magic, the length and checksum of a header, the header, the arrays one by one.

The header is JSON: order, discounts, notes, and of each array its type, size and checksum. Nothing in it is run.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.errors import InputError
from rankscope.learning.mt.language_model import LanguageModel, Level
from rankscope.learning.mt.vocabulary import RESERVED

__all__ = ["MAGIC", "compact_chunks", "read_compact"]

#: Raise the number when the layout changes.
MAGIC = b"rankscope language model 1\n"
STEM = len(MAGIC) - 2
PREFIX = struct.Struct(f"<{len(MAGIC)}sQI")


class Damaged(Exception):
    """What does not fit."""


def compact_chunks(model: LanguageModel) -> Iterator[bytes]:
    """The bytes, array by array: the same model gives the same."""
    words = np.frombuffer(b"\n".join(model.words), np.uint8)
    arrays: dict[str, npt.NDArray[Any]] = {"words": words}
    for k, level in enumerate(model.levels, 1):
        named = {"keys": level.keys, "log10": level.log10, "backoff": level.backoff}
        for name, array in named.items():
            if (k, name) != (1, "keys") and (k, name) != (model.order, "backoff"):  # which say nothing
                arrays[f"{name}.{k}"] = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    about = {
        "version": __version__,
        "order": model.order,
        "discounts": model.discounts,
        "notes": model.notes,
        "arrays": {
            name: {"dtype": array.dtype.str, "size": array.size, "crc32": zlib.crc32(raw(array))}
            for name, array in arrays.items()
        },
    }
    header = json.dumps(about).encode()
    yield PREFIX.pack(MAGIC, len(header), zlib.crc32(header)) + header
    for array in arrays.values():
        yield raw(array)


def raw(array: npt.NDArray[Any]) -> bytes:
    """The array's memory, which is as good as bytes, and no copy."""
    return array.view(np.uint8).data  # type: ignore[return-value]


def read_compact(content: bytes, name: str) -> LanguageModel:
    """The model of the bytes of a file, which begin as MAGIC does. Raises InputError for what is damaged."""
    try:
        return rebuilt(content)
    except Damaged as error:
        refuse(name, str(error))
    except Exception as error:  # whatever the bytes are, they are no model
        refuse(name, (str(error) or type(error).__name__).splitlines()[0][:120])


def refuse(name: str, why: str) -> NoReturn:
    raise InputError(f"{name}: is damaged or cut off ({why}), expected a language model; save it again") from None


def rebuilt(content: bytes) -> LanguageModel:
    if not content.startswith(MAGIC):
        raise Damaged(f"its form is not {MAGIC[STEM:-1].decode()}, which this version of rankscope reads")
    _, length, check = PREFIX.unpack_from(content)
    header = content[PREFIX.size : PREFIX.size + length]
    if len(header) < length or zlib.crc32(header) != check:
        raise Damaged("its header")
    about = json.loads(header)
    arrays = arrays_of(about["arrays"], memoryview(content)[PREFIX.size + length :])
    words = tuple(arrays["words"].tobytes().split(b"\n"))
    if words[: len(RESERVED)] != RESERVED or len(set(words)) < len(words):
        raise Damaged("its words")
    levels: list[Level] = []
    for k in range(1, about["order"] + 1):
        below = levels[-1].keys.size if levels else 0
        levels.append(level_of(arrays, k, k == about["order"], below, len(words)))
    discounts = tuple((float(one), float(two), float(more)) for one, two, more in about["discounts"])
    return LanguageModel(words, tuple(levels), discounts, tuple(map(str, about["notes"])))


def arrays_of(described: dict[str, Any], held: memoryview) -> dict[str, npt.NDArray[Any]]:
    """The arrays, which lie one behind the other."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    begin = 0
    for name, one in described.items():
        dtype = np.dtype(one["dtype"])
        part = held[begin : begin + one["size"] * dtype.itemsize]
        if len(part) < one["size"] * dtype.itemsize:
            raise Damaged("it ends early")
        if zlib.crc32(part) != one["crc32"]:
            raise Damaged(f"its {name}")
        arrays[name] = np.frombuffer(part, dtype)
        begin += len(part)
    if begin != len(held):
        raise Damaged(f"{len(held) - begin} bytes too many")
    return arrays


def level_of(arrays: dict[str, npt.NDArray[Any]], order: int, is_last: bool, below: int, words: int) -> Level:
    """The n-grams of an order. below: how many there are a word shorter."""
    log10 = arrays[f"log10.{order}"]
    keys = arrays[f"keys.{order}"] if order > 1 else np.arange(words)
    backoff = np.zeros(log10.size) if is_last else arrays[f"backoff.{order}"]
    types = {keys.dtype.str[1:], log10.dtype.str[1:] * 2, backoff.dtype.str[1:] * 2}
    rising = bool((keys[1:] > keys[:-1]).all())
    inside = not keys.size or (order == 1 or bool(keys[0] >= 0 and keys[-1] < below * words))
    finite = bool(np.isfinite(log10).all() and np.isfinite(backoff).all())
    if types != {"i8", "f8f8"} or not keys.size == log10.size == backoff.size or not (rising and inside and finite):
        raise Damaged(f"its n-grams of order {order}")
    return Level(keys, log10, backoff)

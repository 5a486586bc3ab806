"""A language model in binary, as `array_files` has it: order, discounts and notes in the header, n-grams in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.learning.mt.array_files import DamagedArrayFile, pack_arrays, unpack_arrays
from rankscope.learning.mt.language_model import LanguageModel, NgramLevel
from rankscope.learning.mt.vocabulary import RESERVED

__all__ = ["LANGUAGE_MODEL_MAGIC", "compact_chunks", "read_compact"]

#: Raise the number when the layout changes.
LANGUAGE_MODEL_MAGIC = b"rankscope language model 1\n"


def compact_chunks(model: LanguageModel) -> Iterator[bytes]:
    """The bytes, array by array: the same model gives the same."""
    words = np.frombuffer(b"\n".join(model.words), np.uint8)
    arrays: dict[str, npt.NDArray[Any]] = {"words": words}
    for k, level in enumerate(model.levels, 1):
        named = {"keys": level.keys, "log10": level.log10, "backoff": level.backoff}
        for name, array in named.items():
            if (k, name) != (1, "keys") and (k, name) != (model.order, "backoff"):  # which say nothing
                arrays[f"{name}.{k}"] = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return pack_arrays(
        LANGUAGE_MODEL_MAGIC, {"order": model.order, "discounts": model.discounts, "notes": model.notes}, arrays
    )


def read_compact(content: bytes, name: str) -> LanguageModel:
    """The model of the bytes of a file, which begin as MAGIC does. Raises InputError for what is damaged."""
    try:
        return rebuilt(content)
    except DamagedArrayFile as error:
        refuse(name, str(error))
    except Exception as error:  # whatever the bytes are, they are no model
        refuse(name, (str(error) or type(error).__name__).splitlines()[0][:120])


def refuse(name: str, why: str) -> NoReturn:
    raise InputError(f"{name}: is damaged or cut off ({why}), expected a language model; save it again") from None


def rebuilt(content: bytes) -> LanguageModel:
    about, arrays = unpack_arrays(LANGUAGE_MODEL_MAGIC, content)
    words = tuple(arrays["words"].tobytes().split(b"\n"))
    if words[: len(RESERVED)] != RESERVED or len(set(words)) < len(words):
        raise DamagedArrayFile("its words")
    levels: list[NgramLevel] = []
    order = about["order"]
    if not isinstance(order, int) or order < 1:
        raise DamagedArrayFile("its order")
    for k in range(1, order + 1):
        below = levels[-1].keys.size if levels else 0
        levels.append(level_of(arrays, k, k == order, below, len(words)))
    discounts = tuple((float(one), float(two), float(more)) for one, two, more in about["discounts"])
    return LanguageModel(words, tuple(levels), discounts, tuple(map(str, about["notes"])))


def level_of(arrays: dict[str, npt.NDArray[Any]], order: int, is_last: bool, below: int, words: int) -> NgramLevel:
    """The n-grams of an order. below: how many there are a word shorter."""
    log10 = arrays[f"log10.{order}"]
    keys = arrays[f"keys.{order}"] if order > 1 else np.arange(words)
    backoff = np.zeros(log10.size) if is_last else arrays[f"backoff.{order}"]
    types = {keys.dtype.str[1:], log10.dtype.str[1:] * 2, backoff.dtype.str[1:] * 2}
    rising = bool((keys[1:] > keys[:-1]).all())
    inside = not keys.size or (order == 1 or bool(keys[0] >= 0 and keys[-1] < below * words))
    finite = bool(np.isfinite(log10).all() and np.isfinite(backoff).all())
    if types != {"i8", "f8f8"} or not keys.size == log10.size == backoff.size or not (rising and inside and finite):
        raise DamagedArrayFile(f"its n-grams of order {order}")
    return NgramLevel(keys, log10, backoff)

"""Files of language models: ARPA, or the compact binary format."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import InputError
from rankscope.io.core import (
    Arrays,
    DamagedFile,
    compress,
    empty_file_error,
    load_arrays,
    magic_stem,
    open_binary,
    pack_arrays,
    source_name,
    split_compression_suffix,
    write_chunks,
)
from rankscope.stats.inputs import check_choice
from rankscope.translation.language_model.arpa import arpa_chunks, read_arpa
from rankscope.translation.language_model.backoff_model import LanguageModel, NgramLevel
from rankscope.translation.language_model.vocabulary import RESERVED
from rankscope.typing import PathLike

__all__ = [
    "LANGUAGE_MODEL_MAGIC",
    "compact_chunks",
    "load_language_model",
    "read_compact",
    "save_language_model",
]


#: Raise the number when the layout changes.
LANGUAGE_MODEL_MAGIC = b"rankscope language model 3\n"


def compact_chunks(model: LanguageModel) -> Iterator[bytes]:
    """The bytes of the file, array by array; equal models give equal bytes."""
    arrays: Arrays = {"words": np.frombuffer(b"\n".join(model.words), np.uint8)}
    for k, level in enumerate(model.levels, 1):
        level_arrays = {"keys": level.keys, "log10": level.log10, "backoff": level.backoff}
        for name, array in level_arrays.items():
            if (k, name) != (1, "keys") and (k, name) != (model.order, "backoff"):  # implied: 0, 1, 2, ... and zeros
                arrays[f"{name}.{k}"] = array
    return pack_arrays(
        LANGUAGE_MODEL_MAGIC, {"order": model.order, "discounts": model.discounts, "notes": model.notes}, arrays
    )


def read_compact(content: bytes, name: str) -> LanguageModel:
    """The model of the bytes of a file that starts with the magic bytes. Raises InputError for a damaged one."""
    return load_arrays(
        LANGUAGE_MODEL_MAGIC,
        content,
        model_of,
        lambda problem: InputError(
            f"{name}: is damaged or cut off ({problem}), expected a language model; save it again"
        ),
    )


def model_of(header: dict[str, Any], arrays: Arrays) -> LanguageModel:
    """The model of a file's header and arrays. Raises DamagedFile, or another exception, where they do not fit."""
    words = tuple(arrays["words"].tobytes().split(b"\n"))
    if words[: len(RESERVED)] != RESERVED or len(set(words)) < len(words):
        raise DamagedFile("its words")
    levels: list[NgramLevel] = []
    order = header["order"]
    if not isinstance(order, int) or order < 1:
        raise DamagedFile("its order")
    for k in range(1, order + 1):
        n_shorter = levels[-1].keys.size if levels else 0
        levels.append(level_of(arrays, k, k == order, n_shorter, len(words)))
    discounts = tuple((float(d1), float(d2), float(d3)) for d1, d2, d3 in header["discounts"])
    return LanguageModel(words, tuple(levels), discounts, tuple(map(str, header["notes"])))


def level_of(arrays: Arrays, order: int, is_last: bool, n_shorter: int, n_words: int) -> NgramLevel:
    """The n-grams of an order. n_shorter: the number of n-grams of the order below."""
    log10 = arrays[f"log10.{order}"]
    keys = arrays[f"keys.{order}"] if order > 1 else np.arange(n_words)
    backoff = np.zeros(log10.size) if is_last else arrays[f"backoff.{order}"]
    types = {keys.dtype.str[1:], log10.dtype.str[1:] * 2, backoff.dtype.str[1:] * 2}
    plain = keys.ndim == log10.ndim == backoff.ndim == 1
    rising = plain and bool((keys[1:] > keys[:-1]).all())
    in_range = not keys.size or (order == 1 or bool(keys[0] >= 0 and keys[-1] < n_shorter * n_words))
    finite = bool(np.isfinite(log10).all() and np.isfinite(backoff).all())
    if types != {"i8", "f8f8"} or not keys.size == log10.size == backoff.size or not (rising and in_range and finite):
        raise DamagedFile(f"its n-grams of order {order}")
    return NgramLevel(keys, log10, backoff)


FORMS = ("arpa", "compact")


def save_language_model(model: LanguageModel, path: PathLike, *, form: str | None = None) -> None:
    """Write a model, atomically; compressed if the name ends with .gz or .zst.

    Parameters
    ----------
    model
        The model.
    path
        The file.
    form
        `arpa`, a text that KenLM, SRILM and others read, log10 with nine digits; or `compact`, binary, read ten times
        as fast, with every bit. Default: ARPA if the name ends with .arpa (before .gz or .zst), else compact.

    Raises
    ------
    OutputError
        The file cannot be written.
    ParameterError
        The form is unknown.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.translation import train_language_model
    >>> model = train_language_model(["a b", "a c", "a b"], order=2)
    >>> with TemporaryDirectory() as folder:
    ...     save_language_model(model, Path(folder, "small.arpa.gz"))
    ...     again = load_language_model(Path(folder, "small.arpa.gz"))
    >>> again
    LanguageModel(order 2, 6 words, 5 n-grams of that order)
    """
    stem, compression = split_compression_suffix(path)
    if form is None:
        form = "arpa" if Path(stem).suffix.lower() == ".arpa" else "compact"
    check_choice("form", form, FORMS)
    chunks = arpa_chunks(model) if form == "arpa" else compact_chunks(model)
    write_chunks(path, compress(chunks, compression))


def load_language_model(path: PathLike) -> LanguageModel:
    """Read a model: compact, as rankscope wrote it, or ARPA of any tool; also compressed.

    Parameters
    ----------
    path
        The file. Nothing in it is executed.

    Returns
    -------
    LanguageModel
        The model.

    Raises
    ------
    InputError
        The file is no model, damaged or cut short; with the line in ARPA.

    Notes
    -----
    ARPA: fields are separated by blanks or tabs, lines may end with CRLF, a missing back-off is 0, -99 and -inf are the
    logarithm of 0. Without <unk>, unknown words count with log10 -100, as in KenLM, and a note says so. Pruned models
    may lack the n-gram without the first word, never the one without the last. An example is at `save_language_model`.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        first_bytes = stream.read(len(LANGUAGE_MODEL_MAGIC))
        if not first_bytes:
            raise empty_file_error(name, "a language model")
        if first_bytes.startswith(magic_stem(LANGUAGE_MODEL_MAGIC)):
            return read_compact(first_bytes + stream.read(), name)
        lines = io.BytesIO(first_bytes + stream.readline())  # breaks lines at LF
        return read_arpa(chain(lines, stream), name)

"""A language model as ARPA, the text that every tool for n-gram models reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt

from rankscope.learning.mt.language_model import LanguageModel
from rankscope.learning.mt.ngram_counts import context_and_word

__all__ = ["arpa_chunks"]

#: N-grams that are written at a time.
NGRAMS_AT_ONCE = 50_000


def arpa_chunks(model: LanguageModel) -> Iterator[bytes]:
    """The text, piece by piece: log10 with nine digits, back-offs of all orders but the highest."""
    counts = "".join(f"ngram {k}={level.keys.size}\n" for k, level in enumerate(model.levels, 1))
    yield f"\\data\\\n{counts}".encode()
    for order, level in enumerate(model.levels, 1):
        yield b"\n\\%d-grams:\n" % order
        line = b"%.9g\t" + b" ".join([b"%b"] * order) + (b"\t%.9g\n" if order < model.order else b"\n")
        for begin in range(0, level.keys.size, NGRAMS_AT_ONCE):
            part = slice(begin, begin + NGRAMS_AT_ONCE)
            columns = [map(model.words.__getitem__, column.tolist()) for column in word_columns(model, order, part)]
            backoff = [level.backoff[part].tolist()] if order < model.order else []
            rows = zip(level.log10[part].tolist(), *columns, *backoff, strict=True)
            yield line * level.keys[part].size % tuple(chain.from_iterable(rows))
    yield b"\n\\end\\\n"


def word_columns(model: LanguageModel, order: int, part: slice) -> list[npt.NDArray[np.int64]]:
    """The first, second, ... words of n-grams of an order: from the last one back, through the contexts."""
    columns, rows = [], np.arange(model.levels[order - 1].keys.size)[part]
    for level in model.levels[order - 1 : 0 : -1]:
        rows, words = context_and_word(level.keys[rows], len(model.words))
        columns.append(words)
    return [rows, *reversed(columns)]

"""All n-grams of a text, each with its place among those that are a word shorter, counted without a loop over them.

An n-gram is a row of its order: the number of the row of its first n - 1 words (its context), times the size of the
vocabulary, plus its last word, is its key, one 64-bit number. Rows are in order of their keys, and so of their words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.learning.mt.vocabulary import START
from rankscope.typing import Ints

__all__ = ["CountedNgrams", "context_and_word", "count_ngrams", "find_rows"]


#: So many keys or more are sorted before they are looked up: neighbours are found in the processor's cache.
MANY = 4096


class CountedNgrams(NamedTuple):
    """The n-grams of one order, by row.

    shorter: the row, one order lower, of all words but the first. counts: how often they occur. starts: whether the
    first word is the start of a sentence.
    """

    keys: Ints
    shorter: Ints
    counts: Ints
    starts: npt.NDArray[np.bool_]


def context_and_word(keys: Ints, words: int) -> tuple[Ints, Ints]:
    """The rows of the contexts, and the last words. words: how many the vocabulary has."""
    context = keys // words
    return context, keys - context * words


def count_ngrams(tokens: Ints, words: int, order: int) -> Iterator[CountedNgrams]:
    """The n-grams of each order, from 1 on; none reaches over the end of a sentence. Of order 1 every word is a row."""
    numbers = np.arange(words)
    starts = numbers == START
    yield CountedNgrams(numbers, np.zeros(words, np.int64), np.bincount(tokens, minlength=words), starts)
    rows = tokens  # of each place of the text: the row of the n-gram that ends there, or -1
    for _ in range(2, order + 1):
        ends = np.flatnonzero((rows[:-1] >= 0) & (tokens[1:] != START)) + 1
        keys = rows[ends - 1] * words + tokens[ends]
        by_key = np.argsort(keys)
        in_order = keys[by_key]
        new = np.ones(keys.size, np.bool_)
        new[1:] = in_order[1:] != in_order[:-1]
        first = np.flatnonzero(new)
        keys = in_order[first]
        starts = starts[keys // words]
        yield CountedNgrams(keys, rows[ends[by_key[first]]], np.diff(first, append=in_order.size), starts)
        longer = np.full(tokens.size, -1)
        longer[ends[by_key]] = np.cumsum(new) - 1
        rows = longer


def find_rows(keys: Ints, wanted: Ints) -> Ints:
    """Where each wanted key stands among sorted keys; -1 where it does not."""
    if not keys.size:
        return np.full(wanted.size, -1)
    if wanted.size < MANY:
        rows = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        return np.where(keys[rows] == wanted, rows, -1)
    by_key = np.argsort(wanted)
    in_order = wanted[by_key]
    place = np.minimum(np.searchsorted(keys, in_order), keys.size - 1)
    rows = np.empty(wanted.size, np.int64)
    rows[by_key] = np.where(keys[place] == in_order, place, -1)
    return rows

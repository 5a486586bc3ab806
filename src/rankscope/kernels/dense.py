"""The best scores and the highest grades of each row of a dense table, without sorting what need not be sorted."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.segments import bounds
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "Best",
    "Grades",
    "best_of_rows",
    "count_grades",
]


Grid = npt.NDArray[np.integer[Any]]
#: Bytes worked on at once: what is made of them stays in the processor's cache.
BLOCK = 1 << 18
#: Up to so many different grades are counted; more are sorted.
COUNTED = 16


class Best(NamedTuple):
    """columns: (rows, depth) in order of rank. scores: theirs.

    last: (rows) the last rank of the columns that have the score of the last one here, also of those beyond the depth.
    """

    columns: Ints
    scores: Floats
    last: Ints


def blocks(table: npt.NDArray[Any]) -> list[slice]:
    """Slices of a few rows each."""
    rows, columns = table.shape
    step = max(BLOCK // (columns * table.itemsize), 1)
    return [slice(begin, begin + step) for begin in range(0, rows, step)]


def best_of_rows(scores: Floats, depth: int) -> Best:
    """The `depth` columns of the highest scores of each row, falling; the lower column first among equal scores.

    scores: (rows, columns) of float32 or float64, no NaN; -inf where there is nothing, which comes last.
    """
    rows, columns = scores.shape
    depth = min(depth, columns)
    chosen, found = np.empty((rows, depth), np.int64), np.empty((rows, depth), scores.dtype)
    doubtful = np.zeros(rows, np.bool_)
    for block in blocks(scores):
        here = scores[block]
        chosen[block], doubtful[block] = by_keys(here, depth)
        found[block] = here.ravel()[chosen[block] + np.arange(0, here.size, columns)[:, np.newaxis]]
    doubtful &= found[:, -1] > -np.inf
    wrong: Bools = np.logical_or.reduce(found[:, 1:] > found[:, :-1], axis=1)
    last = np.full(rows, depth)
    at = np.flatnonzero(doubtful)
    if at.size:
        higher, last[at] = reaching(scores[at], found[at, -1])
        wrong[at] |= higher != np.count_nonzero(found[at] > found[at, -1:], axis=1)
    if wrong.any():  # scores that differ by less than a key can tell
        at = np.flatnonzero(wrong)
        chosen[at] = np.argsort(-scores[at], axis=1, kind="stable")[:, :depth]
        found[at] = np.take_along_axis(scores[at], chosen[at], axis=1)
        last[at] = reaching(scores[at], found[at, -1])[1]
    return Best(chosen, found, last)


def reaching(scores: Floats, edge: Floats) -> tuple[Ints, Ints]:
    """How many scores of each row are higher than its edge, and how many are at least that."""
    return np.count_nonzero(scores > edge[:, None], axis=1), np.count_nonzero(scores >= edge[:, None], axis=1)


def by_keys(scores: Floats, depth: int) -> tuple[Ints, Bools]:
    """The columns of the best of each row; and where one beyond the depth has the same key but for its column.

    A key is a whole number: the bits of a score, made to rise with it, of which the last few are replaced by the
    column, lower ones counting more. Sorting numbers is several times as fast as sorting them with their places, and
    the places come with it. Equal scores are in order of their columns; scores equal but for the last few bits
    may be too, against the order of the scores: the caller looks.
    """
    columns = scores.shape[1]
    low = (1 << (columns - 1).bit_length()) - 1
    keys = np.add(scores, 0.0, dtype=np.float64).view(np.int64)  # -0.0 and 0.0 are equal: now in their bits as well
    keys ^= (keys >> 63) & np.iinfo(np.int64).max  # the bits of negative numbers rise as they fall
    keys &= ~low
    keys |= low - np.arange(columns)
    doubtful = np.zeros(scores.shape[0], np.bool_)
    if depth < columns:
        keys.partition(columns - depth - 1, axis=1)
        following, keys = keys[:, columns - depth - 1], keys[:, columns - depth :]
        keys.sort(axis=1)
        doubtful = (keys[:, 0] | low) == (following | low)
    else:
        keys.sort(axis=1)
    return low - (keys[:, ::-1] & low), doubtful


class Grades(NamedTuple):
    """The highest grades of each row, falling, and where each row begins; (rows) how many documents reach a grade."""

    grades: Ints
    offsets: Ints
    n_relevant: dict[int, Floats]


def count_grades(relevance: Grid, mask: Bools | None, lengths: Ints, *, depth: int, levels: Collection[int]) -> Grades:
    """The highest `depth` grades of each row, and how many reach each of the levels (from 1 on).

    relevance: whole numbers, 0 where the mask is False. lengths: (rows) where it is True. Few different grades, of
    one byte, are counted, not sorted.
    """
    low, high = int(relevance.min()), int(relevance.max())
    if high - low >= COUNTED or relevance.itemsize > 1:
        return sort_grades(relevance, mask, lengths, depth, levels)
    grades = np.arange(high, low - 1, -1)
    counts = np.zeros((grades.size, lengths.size), np.int64)
    narrow = np.min_scalar_type(relevance.shape[1])  # summing bytes into bytes is several times as fast
    for block in blocks(relevance):
        here = relevance[block]
        for i, grade in enumerate(grades.tolist()):
            if grade:
                counts[i, block] = (here == grade).view(np.uint8).sum(axis=1, dtype=narrow)
    if low <= 0 <= high:  # the rest; where there is no document, 0 stands as well
        counts[high] = lengths - counts.sum(axis=0)
    reaching = np.cumsum(counts, axis=0)
    n_relevant = {}
    for level in levels:  # by the lowest grade that reaches it, if any does
        found = reaching[min(high - level, grades.size - 1)] if level <= high else np.zeros(lengths.size)
        n_relevant[level] = found.astype(np.float64)
    if depth < relevance.shape[1]:
        np.minimum(reaching, depth, out=reaching)
        counts[0] = reaching[0]
        np.subtract(reaching[1:], reaching[:-1], out=counts[1:])
    in_rows = np.repeat(np.tile(grades, lengths.size), counts.T.ravel())
    return Grades(in_rows, bounds(np.minimum(lengths, depth)), n_relevant)


def sort_grades(relevance: Grid, mask: Bools | None, lengths: Ints, depth: int, levels: Collection[int]) -> Grades:
    """The same for any grades."""
    below = -relevance.astype(np.int64)
    if mask is not None:
        below[~mask] = np.iinfo(np.int64).max
    if depth < below.shape[1]:
        below = np.partition(below, depth - 1, axis=1)[:, :depth]
    below.sort(axis=1)
    counts = np.minimum(lengths, depth)
    n_relevant = {level: np.count_nonzero(relevance >= level, axis=1).astype(np.float64) for level in levels}
    return Grades(-below[np.arange(below.shape[1]) < counts[:, None]], bounds(counts), n_relevant)

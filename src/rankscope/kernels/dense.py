"""The best scores and the highest grades of each row of a dense table, sorting as little as possible."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.segments import bounds
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "Best",
    "HighestGrades",
    "best_of_rows",
    "count_grades",
]


Grid = npt.NDArray[np.integer[Any] | np.float64]
#: Bytes of a block of rows, so that its temporary arrays stay in the processor's cache.
BLOCK = 1 << 18
#: At most this many different grades are counted; more are sorted.
COUNTED = 16


class Best(NamedTuple):
    """columns: (rows, depth) in order of rank. scores: (rows, depth) their scores.

    last: (rows) the last rank, which may be beyond the depth, of the columns tied with the last one here.
    """

    columns: Ints
    scores: Floats
    last: Ints


def blocks(table: npt.NDArray[Any]) -> list[slice]:
    """Slices of a few rows each."""
    n_rows, n_columns = table.shape
    step = max(BLOCK // (n_columns * table.itemsize), 1)
    return [slice(begin, begin + step) for begin in range(0, n_rows, step)]


def best_of_rows(scores: Floats, depth: int) -> Best:
    """The `depth` columns of the highest scores of each row, falling; the lower column first among equal scores.

    scores: (rows, columns) of float32 or float64, no NaN; -inf where a cell is empty, which comes last.
    """
    n_rows, n_columns = scores.shape
    depth = min(depth, n_columns)
    best_columns, best_scores = np.empty((n_rows, depth), np.int64), np.empty((n_rows, depth), scores.dtype)
    doubtful = np.zeros(n_rows, np.bool_)
    for block in blocks(scores):
        block_scores = scores[block]
        best_columns[block], doubtful[block] = best_columns_by_key(block_scores, depth)
        best_scores[block] = block_scores.ravel()[
            best_columns[block] + np.arange(0, block_scores.size, n_columns)[:, np.newaxis]
        ]
    doubtful &= best_scores[:, -1] > -np.inf
    misordered: Bools = np.logical_or.reduce(best_scores[:, 1:] > best_scores[:, :-1], axis=1)
    last = np.full(n_rows, depth)
    doubtful_rows = np.flatnonzero(doubtful)
    if doubtful_rows.size:
        n_higher, last[doubtful_rows] = count_reaching(scores[doubtful_rows], best_scores[doubtful_rows, -1])
        misordered[doubtful_rows] |= n_higher != np.count_nonzero(
            best_scores[doubtful_rows] > best_scores[doubtful_rows, -1:], axis=1
        )
    if misordered.any():  # scores that differ by less than a key resolves
        misordered_rows = np.flatnonzero(misordered)
        best_columns[misordered_rows] = np.argsort(-scores[misordered_rows], axis=1, kind="stable")[:, :depth]
        best_scores[misordered_rows] = np.take_along_axis(
            scores[misordered_rows], best_columns[misordered_rows], axis=1
        )
        last[misordered_rows] = count_reaching(scores[misordered_rows], best_scores[misordered_rows, -1])[1]
    return Best(best_columns, best_scores, last)


def count_reaching(scores: Floats, edge: Floats) -> tuple[Ints, Ints]:
    """How many scores of each row are higher than its edge, and how many are at least that."""
    return np.count_nonzero(scores > edge[:, None], axis=1), np.count_nonzero(scores >= edge[:, None], axis=1)


def best_columns_by_key(scores: Floats, depth: int) -> tuple[Ints, Bools]:
    """The best columns of each row, and whether a column beyond the depth has the same key up to its last digits.

    A key is a whole number: the bits of a score, made to rise with it, of which the last few are replaced by the
    column, so that lower columns come first. Sorting numbers is several times as fast as sorting them with their
    places, and the places come with it. Equal scores are in order of their columns; so may be scores that differ only
    in the last few bits, against their order: the caller checks that.
    """
    n_columns = scores.shape[1]
    column_mask = (1 << (n_columns - 1).bit_length()) - 1
    # -0.0 becomes 0.0, so that equal scores have equal bits.
    keys = np.add(scores, 0.0, dtype=np.float64).view(np.int64)
    keys ^= (keys >> 63) & np.iinfo(np.int64).max  # the bits of negative numbers rise as they fall
    keys &= ~column_mask
    keys |= column_mask - np.arange(n_columns)
    doubtful = np.zeros(scores.shape[0], np.bool_)
    if depth < n_columns:
        keys.partition(n_columns - depth - 1, axis=1)
        next_key, keys = keys[:, n_columns - depth - 1], keys[:, n_columns - depth :]
        keys.sort(axis=1)
        doubtful = (keys[:, 0] | column_mask) == (next_key | column_mask)
    else:
        keys.sort(axis=1)
    return column_mask - (keys[:, ::-1] & column_mask), doubtful


class HighestGrades(NamedTuple):
    """The highest grades of each row.

    Attributes
    ----------
    grades
        The grades, falling within each row.
    offsets
        (rows + 1) where each row begins.
    n_relevant
        For each level, (rows) how many documents reach it.
    """

    grades: npt.NDArray[Any]
    offsets: Ints
    n_relevant: dict[float, Floats]


def count_grades(
    relevance: Grid, mask: Bools | None, lengths: Ints, *, depth: int, levels: Collection[float]
) -> HighestGrades:
    """The highest grades of each row, and how many documents reach each of the levels.

    Parameters
    ----------
    relevance
        (rows, columns) whole numbers or float64, 0 where the mask is False.
    mask
        Where there is a document. None: everywhere.
    lengths
        (rows) number of documents.
    depth
        Number of grades of each row.
    levels
        Grades above 0.

    Notes
    -----
    Few different grades, of one byte, are counted, not sorted.
    """
    if relevance.itemsize > 1:
        return sort_grades(relevance, mask, lengths, depth, levels)
    low, high = int(relevance.min()), int(relevance.max())
    if high - low >= COUNTED:
        return sort_grades(relevance, mask, lengths, depth, levels)
    grades = np.arange(high, low - 1, -1)
    counts = np.zeros((grades.size, lengths.size), np.int64)
    count_type = np.min_scalar_type(relevance.shape[1])  # summing bytes into bytes is several times as fast
    for block in blocks(relevance):
        block_relevance = relevance[block]
        for i, grade in enumerate(grades.tolist()):
            if grade:
                counts[i, block] = (block_relevance == grade).view(np.uint8).sum(axis=1, dtype=count_type)
    if low <= 0 <= high:  # the remaining ones; cells without a document hold 0 as well
        counts[high] = lengths - counts.sum(axis=0)
    n_reaching = np.cumsum(counts, axis=0)
    n_relevant = {}
    for level in levels:  # by the lowest grade that reaches it, if any does
        level_counts = n_reaching[min(high - ceil(level), grades.size - 1)] if level <= high else np.zeros(lengths.size)
        n_relevant[level] = level_counts.astype(np.float64)
    if depth < relevance.shape[1]:
        np.minimum(n_reaching, depth, out=n_reaching)
        counts[0] = n_reaching[0]
        np.subtract(n_reaching[1:], n_reaching[:-1], out=counts[1:])
    row_grades = np.repeat(np.tile(grades, lengths.size), counts.T.ravel())
    return HighestGrades(row_grades, bounds(np.minimum(lengths, depth)), n_relevant)


def sort_grades(
    relevance: Grid, mask: Bools | None, lengths: Ints, depth: int, levels: Collection[float]
) -> HighestGrades:
    """As `count_grades`, by sorting, for any grades."""
    is_float = relevance.dtype.kind == "f"
    negated = -(relevance if is_float else relevance.astype(np.int64))
    if mask is not None:
        negated[~mask] = np.inf if is_float else np.iinfo(np.int64).max
    if depth < negated.shape[1]:
        negated = np.partition(negated, depth - 1, axis=1)[:, :depth]
    negated.sort(axis=1)
    counts = np.minimum(lengths, depth)
    n_relevant = {level: np.count_nonzero(relevance >= level, axis=1).astype(np.float64) for level in levels}
    falling_grades = 0.0 - negated if is_float else -negated  # no -0.0
    return HighestGrades(falling_grades[np.arange(negated.shape[1]) < counts[:, None]], bounds(counts), n_relevant)

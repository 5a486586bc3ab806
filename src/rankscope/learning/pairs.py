"""Pairs of documents of a list, one of a higher grade than the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.typing import Ints

__all__ = ["PAIRS_AT_ONCE", "DocumentPairs", "chunks_with_all", "count_pairs", "graded_pairs", "pair_chunks"]


#: Pairs that are held at once: some 100 MB with what is computed of them.
PAIRS_AT_ONCE = 1 << 21


class DocumentPairs(NamedTuple):
    """higher, lower: (pairs) places of documents of one list, the first of a higher grade, where nothing else is said.
    list_: (pairs) the place of the list.
    """

    higher: Ints
    lower: Ints
    list_: Ints


def sorted_by_grade(relevance: npt.NDArray[Any], offsets: Ints) -> tuple[Ints, Ints, Ints]:
    """(documents) places by list and falling grade; where the lower grades of each begin; and its list."""
    lists = group_of(offsets)
    order = order_falling(relevance.astype(np.float64), np.diff(offsets))
    grades = relevance[order]
    new = np.ones(order.size, np.bool_)
    new[1:] = (grades[1:] != grades[:-1]) | (lists[1:] != lists[:-1])
    begins = np.append(np.flatnonzero(new), order.size)
    return order, begins[np.cumsum(new)], lists


def count_pairs(relevance: npt.NDArray[Any], offsets: Ints) -> Ints:
    """(lists) how many pairs of different grades each has.

    >>> count_pairs(np.array([2, 0, 1, 1, 1]), np.array([0, 3, 5])).tolist()
    [3, 0]
    """
    _, lower, lists = sorted_by_grade(relevance, offsets)
    return np.bincount(lists, offsets[1:][lists] - lower, offsets.size - 1).astype(np.int64)


def graded_pairs(relevance: npt.NDArray[Any], offsets: Ints) -> DocumentPairs:
    """All pairs of each list, one after the other.

    >>> found = graded_pairs(np.array([0, 2, 1, 1, 1]), np.array([0, 3, 5]))
    >>> found.higher.tolist(), found.lower.tolist(), found.list_.tolist()
    ([1, 1, 2], [2, 0, 0], [0, 0, 0])
    """
    order, lower, lists = sorted_by_grade(relevance, offsets)
    counts = offsets[1:][lists] - lower
    return DocumentPairs(np.repeat(order, counts), order[ranges(lower, counts)], np.repeat(lists, counts))


def pair_chunks(relevance: npt.NDArray[Any], offsets: Ints, at_once: int = PAIRS_AT_ONCE) -> Iterator[DocumentPairs]:
    """The same pairs, about `at_once` at a time (those of one document with all lower ones stay together)."""
    order, lower, lists = sorted_by_grade(relevance, offsets)
    counts = offsets[1:][lists] - lower
    for part in document_slices(counts, at_once):
        first = np.repeat(order[part], counts[part])
        yield DocumentPairs(first, order[ranges(lower[part], counts[part])], np.repeat(lists[part], counts[part]))


def chunks_with_all(chosen: Ints, offsets: Ints, at_once: int = PAIRS_AT_ONCE) -> Iterator[DocumentPairs]:
    """Some documents, each with all of its list whatever their grades, itself as well; about `at_once` at a time.

    >>> [(one.higher.tolist(), one.lower.tolist()) for one in chunks_with_all(np.array([1]), np.array([0, 3, 5]))]
    [([1, 1, 1], [0, 1, 2])]
    """
    lists = group_of(offsets)[chosen]
    counts = np.diff(offsets)[lists]
    for part in document_slices(counts, at_once):
        first = np.repeat(chosen[part], counts[part])
        yield DocumentPairs(first, ranges(offsets[lists[part]], counts[part]), np.repeat(lists[part], counts[part]))


def document_slices(counts: Ints, at_once: int) -> Iterator[slice]:
    """Documents in turn, so many that their pairs are at most `at_once`, at least one; those without end no part."""
    ends = bounds(counts)
    start = 0
    while start < counts.size and ends[start] < ends[-1]:
        stop = max(int(np.searchsorted(ends, ends[start] + at_once, side="right")) - 1, start + 1)
        yield slice(start, stop)
        start = stop

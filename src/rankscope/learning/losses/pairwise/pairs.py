"""Pairs of documents of a list, one of a higher grade, and losses averaged over them, with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.learning.losses.gains import finite_gains
from rankscope.typing import Floats, Ints, Reals

__all__ = [
    "PAIRS_AT_ONCE",
    "DocumentPairs",
    "add_curvature",
    "chunks_with_all",
    "count_pairs",
    "graded_pairs",
    "pair_chunks",
    "values_of_pairs",
]


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


#: Of differences of scores (higher less lower grade), the value of each pair and its derivative.
PairLoss = Callable[[Reals], tuple[Reals, Reals]]
#: How much each pair of a list counts: all alike, by the difference of grades, by that of 2 ** grade.
PAIR_WEIGHTS = ("equal", "grades", "gains")


def mean_over_pairs(
    loss: PairLoss,
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    weights: str = "equal",
    bend: Callable[[Reals], Reals] | None = None,
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """The weighted mean over the pairs of each list, and the mean of that over lists, with its gradient.

    bend: the second derivatives of pairs from their first ones, which are added to `curvature`.
    """
    if weights not in PAIR_WEIGHTS:
        raise ParameterError(f"weights is {weights!r}, expected one of {', '.join(map(repr, PAIR_WEIGHTS))}")
    lists, n = offsets.size - 1, scores.size
    worth = None if weights == "equal" else relevance if weights == "grades" else finite_gains(relevance, powers_of_two)
    total = np.zeros(lists) if worth is not None else count_pairs(relevance, offsets).astype(np.float64)
    if worth is not None:
        for pairs in pair_chunks(relevance, offsets):
            total += np.bincount(pairs.list_, worth[pairs.higher] - worth[pairs.lower], lists)
    share = np.divide(1.0, lists * total, out=np.zeros(lists), where=total > 0)
    value, gradient = 0.0, np.zeros(n)
    for pairs in pair_chunks(relevance, offsets):
        found, slope = values_of_pairs(loss, scores, pairs)
        each = share[pairs.list_]
        if worth is not None:
            each = each * (worth[pairs.higher] - worth[pairs.lower])
        value += float(found @ each)
        gradient += scatter_gradient(slope * each, pairs, n)
        if bend is not None and curvature is not None:
            add_curvature(curvature, bend(slope) * each, pairs)
    return value, gradient.astype(scores.dtype)


def powers_of_two(grades: Ints) -> Floats:
    """Gains, of which only differences are asked for: of negative grades as well."""
    return np.exp2(grades)


def values_of_pairs(loss: PairLoss, scores: Reals, pairs: DocumentPairs) -> tuple[Reals, Reals]:
    """The loss of each pair's difference of scores, and its derivative."""
    return loss(scores[pairs.higher] - scores[pairs.lower])


def scatter_gradient(slopes: Reals, pairs: DocumentPairs, n: int) -> Floats:
    """(documents) what derivatives by the differences of pairs come to for each score."""
    return np.asarray(np.bincount(pairs.higher, slopes, n) - np.bincount(pairs.lower, slopes, n))


def add_curvature(curvature: Floats, bends: Reals, pairs: DocumentPairs) -> None:
    """Add second derivatives by the differences of pairs to those by both their scores; none of one with itself."""
    bends = np.where(pairs.higher == pairs.lower, 0.0, bends)
    for ends in (pairs.higher, pairs.lower):
        curvature += np.bincount(ends, bends, curvature.size)

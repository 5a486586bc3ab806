"""Pairs of documents of different grades in a list, and losses averaged over them, with their gradients."""

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


#: Pairs in memory at once: some 100 MB with what is computed from them.
PAIRS_AT_ONCE = 1 << 21


class DocumentPairs(NamedTuple):
    """higher, lower: (pairs) indices of two documents of one list, the first of the higher grade (but for
    `chunks_with_all`). list_: (pairs) the index of the list.
    """

    higher: Ints
    lower: Ints
    list_index: Ints


def sorted_by_grade(relevance: npt.NDArray[Any], offsets: Ints) -> tuple[Ints, Ints, Ints]:
    """(documents) indices by list and falling grade; where the lower grades of each begin; and its list."""
    list_index = group_of(offsets)
    order = order_falling(relevance.astype(np.float64), np.diff(offsets))
    grades = relevance[order]
    starts_group = np.ones(order.size, np.bool_)
    starts_group[1:] = (grades[1:] != grades[:-1]) | (list_index[1:] != list_index[:-1])
    group_starts = np.append(np.flatnonzero(starts_group), order.size)
    return order, group_starts[np.cumsum(starts_group)], list_index


def count_pairs(relevance: npt.NDArray[Any], offsets: Ints) -> Ints:
    """(lists) how many pairs of different grades each has.

    >>> count_pairs(np.array([2, 0, 1, 1, 1]), np.array([0, 3, 5])).tolist()
    [3, 0]
    """
    _, lower_starts, list_index = sorted_by_grade(relevance, offsets)
    return np.bincount(list_index, offsets[1:][list_index] - lower_starts, offsets.size - 1).astype(np.int64)


def graded_pairs(relevance: npt.NDArray[Any], offsets: Ints) -> DocumentPairs:
    """All pairs of each list, one after the other.

    >>> pairs = graded_pairs(np.array([0, 2, 1, 1, 1]), np.array([0, 3, 5]))
    >>> pairs.higher.tolist(), pairs.lower.tolist(), pairs.list_index.tolist()
    ([1, 1, 2], [2, 0, 0], [0, 0, 0])
    """
    order, lower_starts, list_index = sorted_by_grade(relevance, offsets)
    counts = offsets[1:][list_index] - lower_starts
    return DocumentPairs(np.repeat(order, counts), order[ranges(lower_starts, counts)], np.repeat(list_index, counts))


def pair_chunks(relevance: npt.NDArray[Any], offsets: Ints, at_once: int = PAIRS_AT_ONCE) -> Iterator[DocumentPairs]:
    """The same pairs in chunks of about `at_once`; the pairs of one document with all lower ones stay together."""
    order, lower_starts, list_index = sorted_by_grade(relevance, offsets)
    counts = offsets[1:][list_index] - lower_starts
    for block in document_slices(counts, at_once):
        higher = np.repeat(order[block], counts[block])
        yield DocumentPairs(
            higher, order[ranges(lower_starts[block], counts[block])], np.repeat(list_index[block], counts[block])
        )


def chunks_with_all(documents: Ints, offsets: Ints, at_once: int = PAIRS_AT_ONCE) -> Iterator[DocumentPairs]:
    """Pairs of some documents with all documents of their lists, also themselves, in chunks of about `at_once`.

    >>> chunks = chunks_with_all(np.array([1]), np.array([0, 3, 5]))
    >>> [(pairs.higher.tolist(), pairs.lower.tolist()) for pairs in chunks]
    [([1, 1, 1], [0, 1, 2])]
    """
    list_index = group_of(offsets)[documents]
    counts = np.diff(offsets)[list_index]
    for block in document_slices(counts, at_once):
        higher = np.repeat(documents[block], counts[block])
        yield DocumentPairs(
            higher, ranges(offsets[list_index[block]], counts[block]), np.repeat(list_index[block], counts[block])
        )


def document_slices(counts: Ints, at_once: int) -> Iterator[slice]:
    """Slices of documents with at most `at_once` pairs, or of one document; none behind the last pair."""
    ends = bounds(counts)
    start = 0
    while start < counts.size and ends[start] < ends[-1]:
        stop = max(int(np.searchsorted(ends, ends[start] + at_once, side="right")) - 1, start + 1)
        yield slice(start, stop)
        start = stop


#: From differences of scores (higher less lower grade) to the loss of each pair and its derivative.
PairLoss = Callable[[Reals], tuple[Reals, Reals]]
#: The weight of a pair within its list: equal, the difference of grades, or that of 2 ** grade.
PAIR_WEIGHTS = ("equal", "grades", "gains")


def mean_over_pairs(
    loss: PairLoss,
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    weights: str = "equal",
    second_derivative: Callable[[Reals], Reals] | None = None,
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """The mean over lists of the weighted mean over the pairs of each list, with its gradient.

    second_derivative: from the first derivatives of pairs to their second ones, which are added to `curvature`.
    """
    if weights not in PAIR_WEIGHTS:
        raise ParameterError(f"weights is {weights!r}, expected one of {', '.join(map(repr, PAIR_WEIGHTS))}")
    n_lists, n_documents = offsets.size - 1, scores.size
    grade_values = (
        None if weights == "equal" else relevance if weights == "grades" else finite_gains(relevance, powers_of_two)
    )
    weight_totals = (
        np.zeros(n_lists) if grade_values is not None else count_pairs(relevance, offsets).astype(np.float64)
    )
    if grade_values is not None:
        for pairs in pair_chunks(relevance, offsets):
            weight_totals += np.bincount(
                pairs.list_index, grade_values[pairs.higher] - grade_values[pairs.lower], n_lists
            )
    list_weights = np.divide(1.0, n_lists * weight_totals, out=np.zeros(n_lists), where=weight_totals > 0)
    value, gradient = 0.0, np.zeros(n_documents)
    for pairs in pair_chunks(relevance, offsets):
        losses, slopes = values_of_pairs(loss, scores, pairs)
        pair_weights = list_weights[pairs.list_index]
        if grade_values is not None:
            pair_weights = pair_weights * (grade_values[pairs.higher] - grade_values[pairs.lower])
        value += float(losses @ pair_weights)
        gradient += scatter_gradient(slopes * pair_weights, pairs, n_documents)
        if second_derivative is not None and curvature is not None:
            add_curvature(curvature, second_derivative(slopes) * pair_weights, pairs)
    return value, gradient.astype(scores.dtype)


def powers_of_two(grades: Ints) -> Floats:
    """2 ** grade, also for negative grades; only differences of these are used."""
    return np.exp2(grades)


def values_of_pairs(loss: PairLoss, scores: Reals, pairs: DocumentPairs) -> tuple[Reals, Reals]:
    """The loss of each pair's difference of scores, and its derivative."""
    return loss(scores[pairs.higher] - scores[pairs.lower])


def scatter_gradient(slopes: Reals, pairs: DocumentPairs, n_documents: int) -> Floats:
    """(documents) the gradient by scores from the derivatives by the differences of pairs."""
    return np.asarray(np.bincount(pairs.higher, slopes, n_documents) - np.bincount(pairs.lower, slopes, n_documents))


def add_curvature(curvature: Floats, second_derivatives: Reals, pairs: DocumentPairs) -> None:
    """Add second derivatives by the differences of pairs to those by both scores; a document with itself has none."""
    second_derivatives = np.where(pairs.higher == pairs.lower, 0.0, second_derivatives)
    for documents in (pairs.higher, pairs.lower):
        curvature += np.bincount(documents, second_derivatives, curvature.size)

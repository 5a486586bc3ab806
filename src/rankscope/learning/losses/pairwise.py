"""Pairwise losses: RankNet, RankSVM, LambdaRank and LambdaLoss, over pairs of different grades in a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.evaluation.judged_lists import FullyJudgedLists, order_in_lists
from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.learning.losses.finite import finite_loss
from rankscope.learning.losses.gains import finite_gains, ideal_gains
from rankscope.learning.losses.registry import as_measure
from rankscope.measures.base import Measure
from rankscope.stats.inputs import check_count, check_positive
from rankscope.typing import Floats, Ints, Reals

__all__ = [
    "KINDS",
    "PAIRS_AT_ONCE",
    "DocumentPairs",
    "add_curvature",
    "chunks_with_all",
    "count_pairs",
    "graded_pairs",
    "lambdaloss",
    "lambdarank",
    "logistic",
    "logistic_curvature",
    "pair_chunks",
    "ranknet",
    "ranksvm",
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


@finite_loss
def ranknet(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    sigma: float = 1.0,
    weights: str = "equal",
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """RankNet: log(1 + exp(-sigma * (s_i - s_j))) over pairs in which i has the higher grade, the mean of each list.

    Above 0, lower is better; log 2 if all scores are equal.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    sigma
        Steepness of the logistic function.
    weights
        Weight of each pair in the mean of its list: "equal", the difference of "grades", or of "gains" (2 ** grade).
    curvature
        (documents) The second derivatives by each score are added to it.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        weights is another text, or sigma is not above 0.

    Notes
    -----
    A list without pairs has the value 0.

    References
    ----------
    Burges et al. (2005), "Learning to rank using gradient descent", equations 2 and 3 with certain targets; there pairs
    are summed over all lists, here all lists have the same weight.

    Examples
    --------
    >>> value, gradient = ranknet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.tolist()
    (0.693147, [-0.5, 0.5])
    """
    check_positive("sigma", sigma)
    second_derivative = None if curvature is None else (lambda slope: logistic_curvature(slope, sigma))
    return mean_over_pairs(
        lambda x: logistic(x, sigma), scores, relevance, offsets, weights, second_derivative, curvature
    )


@finite_loss
def ranksvm(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, margin: float = 1.0, weights: str = "equal"
) -> tuple[float, Reals]:
    """RankSVM's hinge: max(0, margin - (s_i - s_j)) over pairs in which i has the higher grade, the mean of each list.

    At least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    margin
        Difference of scores from which a pair adds nothing.
    weights
        Weight of each pair in the mean of its list: "equal", the difference of "grades", or of "gains" (2 ** grade).

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        weights is another text, or the margin is not above 0.

    Notes
    -----
    A list without pairs has the value 0.

    References
    ----------
    Joachims (2002), "Optimizing search engines using clickthrough data", without the norm of the weights.

    Examples
    --------
    >>> ranksvm(np.array([0.5, 0.0]), np.array([1, 0]), np.array([0, 2]))
    (0.5, array([-1.,  1.]))
    """
    check_positive("margin", margin)
    return mean_over_pairs(lambda x: hinge(x, margin), scores, relevance, offsets, weights)


def logistic(differences: Reals, sigma: float) -> tuple[Reals, Reals]:
    """log(1 + exp(-sigma x)) without overflow, and its derivative."""
    scaled = sigma * differences
    exp_minus_abs = np.exp(-np.abs(scaled))
    value = np.log1p(exp_minus_abs) + np.maximum(-scaled, 0)
    return value, np.asarray(-sigma * np.where(scaled >= 0, exp_minus_abs, 1) / (1 + exp_minus_abs), differences.dtype)


def logistic_curvature(slopes: Reals, sigma: float) -> Reals:
    """The second derivative of `logistic` from its first: sigma^2 p (1 - p) from -sigma p."""
    return np.asarray(-slopes * (sigma + slopes))


def hinge(differences: Reals, margin: float) -> tuple[Reals, Reals]:
    value = np.maximum(margin - differences, 0)
    return value, np.asarray(-(value > 0).astype(differences.dtype))


#: The bounds of nDCG by Wang et al. (2018): NDCG-Loss 1, 2 and 2++.
KINDS = ("1", "2", "2++")


@finite_loss
def lambdarank(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    measure: Measure | str = "nDCG(gain='exp')",
    sigma: float = 1.0,
    max_grade: float | None = None,
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """LambdaRank: RankNet's loss with each pair weighted by how swapping it changes the measure, summed.

    At least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    measure
        A measure with `swap_deltas` (DCG, nDCG, P, AP, RR, ERR, RBP).
    sigma
        Steepness of the logistic function.
    max_grade
        The highest grade, which ERR needs. Default: that of these lists.
    curvature
        (documents) The second derivatives by each score are added to it.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        The measure has no `swap_deltas`, or sigma is not above 0.

    Notes
    -----
    The sum over pairs with i of the higher grade of |delta_ij| log2(1 + exp(-sigma (s_i - s_j))), where delta_ij is how
    the measure of the list as it is ranked now would change. Gradient and curvature treat the weights as constants.

    References
    ----------
    Burges (2010), "From RankNet to LambdaRank to LambdaMART", as the loss that Wang et al. (2018), equation 17, show it
    to be.

    Examples
    --------
    >>> value, gradient = lambdarank(np.array([0.0, 1.0]), np.array([1, 0]), np.array([0, 2]), measure="RR")
    >>> round(value, 6)  # (1 - 1/2) log2(1 + e)
    0.947318
    """
    check_positive("sigma", sigma)
    parsed_measure = as_measure("measure", measure)
    lists = FullyJudgedLists(relevance, offsets, max_grade=max_grade)
    hits = lists.hits(scores)
    hit_index = np.empty(scores.size, np.int64)  # the index of each document among the hits
    hit_index[lists.order(scores)] = np.arange(scores.size)

    def weigh_pairs(pairs: DocumentPairs) -> Floats:
        return np.abs(parsed_measure.swap_deltas(hits, hit_index[pairs.higher], hit_index[pairs.lower]))

    return weighted_logistic_loss(scores, offsets, sigma, weigh_pairs, pair_chunks(relevance, offsets), curvature)


@finite_loss
def lambdaloss(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    kind: str = "2++",
    k: int | None = None,
    mu: float = 10.0,
    sigma: float = 1.0,
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """LambdaLoss for nDCG: logistic losses of pairs under weights that bound 1 - nDCG; at least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    kind
        The weights of the pairs: "1", "2" or "2++".
    k
        Only pairs with a document (kind "1": an i) among the first k count, and discounts beyond k are 0. Default: all.
    mu
        The weight of delta in kind "2++".
    sigma
        Steepness of the logistic function.
    curvature
        (documents) The second derivatives by each score are added to it.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        kind is another text, sigma is not above 0, mu is below 0, or k is below 1.

    Notes
    -----
    The sum over pairs of w_ij log2(1 + exp(-sigma (s_i - s_j))). G is the gain 2 ** grade - 1 over the ideal DCG, D(r)
    = log2(r + 1). Kind "1": w = G_i / D(rank of i), over all i and j of a list, whatever their grades, i = j as well.
    The others only over pairs with i of the higher grade: "2": |G_i - G_j| times delta = |1 / D(d) - 1 / D(d + 1)|, d
    being how far apart the two rank; "2++": |G_i - G_j| times (|1 / D(rank of i) - 1 / D(rank of j)| + mu delta).
    Gradient and curvature treat the weights as constants.

    References
    ----------
    Wang et al. (2018), "The LambdaLoss framework for ranking metric optimization", equations 14, 16 and 18.

    Examples
    --------
    >>> value, gradient = lambdaloss(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]), kind="1")
    >>> round(value, 6)  # G = 1 at rank 1, twice log2(2) = 1: against itself and the other
    2.0
    """
    if kind not in KINDS:
        raise ParameterError(f"kind is {kind!r}, expected one of {', '.join(map(repr, KINDS))}")
    check_positive("sigma", sigma)
    check_positive("mu", mu, zero=True)
    if k is not None:
        check_count("k", k)
    depth = np.inf if k is None else k
    position = np.empty(scores.size, np.int64)
    position[order_in_lists(scores, offsets)] = place_in_group(offsets)
    discount = np.where(position < depth, 1.0 / np.log2(position + 2.0), 0.0)
    gain = finite_gains(relevance)
    ideal_dcg = np.repeat(ideal_gains(gain, offsets, depth), np.diff(offsets))
    gain = np.divide(gain, ideal_dcg, out=np.zeros(gain.size), where=ideal_dcg > 0)

    def weigh_pairs(pairs: DocumentPairs) -> Floats:
        i, j, _ = pairs
        if kind == "1":
            return np.asarray(gain[i] * discount[i])
        position_i, position_j = position[i], position[j]
        delta = discount_steps[np.abs(position_i - position_j)]
        if k is not None:
            delta[np.minimum(position_i, position_j) >= k] = 0.0
        if kind == "2++":
            delta *= mu
            delta += np.abs(discount[i] - discount[j])
        delta *= np.abs(gain[i] - gain[j])
        return np.asarray(delta)

    if kind == "1":
        documents = np.flatnonzero(gain * discount > 0)
        return weighted_logistic_loss(
            scores, offsets, sigma, weigh_pairs, chunks_with_all(documents, offsets), curvature
        )
    rank_discounts = 1.0 / np.log2(np.arange(2, int(np.diff(offsets).max()) + 3))
    discount_steps = np.append(0.0, rank_discounts[:-1] - rank_discounts[1:])  # by the difference of two ranks
    return weighted_logistic_loss(scores, offsets, sigma, weigh_pairs, pair_chunks(relevance, offsets), curvature)


def weighted_logistic_loss(
    scores: Reals,
    offsets: Ints,
    sigma: float,
    weigh_pairs: Callable[[DocumentPairs], Floats],
    chunks: Iterable[DocumentPairs],
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """The weighted sum of logistic losses in base 2 over pairs, a mean over lists, and its gradient."""
    scale = 1.0 / (np.log(2.0) * (offsets.size - 1))
    value, gradient = 0.0, np.zeros(scores.size)
    for pairs in chunks:
        losses, slope = logistic(scores[pairs.higher] - scores[pairs.lower], sigma)
        pair_weights = weigh_pairs(pairs)
        value += float(losses @ pair_weights)
        if curvature is not None:
            add_curvature(curvature, scale * pair_weights * logistic_curvature(slope, sigma), pairs)
        pair_weights *= slope
        gradient += scatter_gradient(pair_weights, pairs, scores.size)
    return float(value * scale), np.asarray(gradient * scale, scores.dtype)

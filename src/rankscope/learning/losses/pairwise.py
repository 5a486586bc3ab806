"""Pairwise losses: each pair of documents of different grades is to be ordered by its scores. RankNet, RankSVM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.learning.losses.gains import finite_gains
from rankscope.learning.pairs import DocumentPairs, count_pairs, pair_chunks
from rankscope.stats.inputs import check_positive
from rankscope.typing import Floats, Ints, Reals

__all__ = ["add_curvature", "logistic", "logistic_curvature", "values_of_pairs", "ranknet", "ranksvm"]

#: Of differences of scores (higher less lower grade), the value of each pair and its derivative.
PairLoss = Callable[[Reals], tuple[Reals, Reals]]

#: How much each pair of a list counts: all alike, by the difference of grades, by that of 2 ** grade.
PAIR_WEIGHTS = ("equal", "grades", "gains")


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

    Above 0, lower is better; log 2 where all scores are equal. weights: what each pair counts in the weighted mean of
    its list: "equal", the difference of "grades", or of "gains" (2 ** grade). A list without pairs counts as 0.
    curvature: (documents) to which the second derivatives by each score are added.

    Raises ParameterError for other weights and a sigma not above 0.

    Source: Burges et al. (2005), "Learning to rank using gradient descent", equations 2 and 3 with certain targets;
    there pairs are summed over all lists, here each list counts alike.

    >>> value, gradient = ranknet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.tolist()
    (0.693147, [-0.5, 0.5])
    """
    check_positive("sigma", sigma)
    bend = None if curvature is None else (lambda slope: logistic_curvature(slope, sigma))
    return mean_over_pairs(lambda x: logistic(x, sigma), scores, relevance, offsets, weights, bend, curvature)


def ranksvm(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, margin: float = 1.0, weights: str = "equal"
) -> tuple[float, Reals]:
    """RankSVM's hinge: max(0, margin - (s_i - s_j)) over pairs in which i has the higher grade, the mean of each list.

    At least 0, lower is better. weights: as in `ranknet`. A list without pairs counts as 0.

    Raises ParameterError for other weights and a margin not above 0.

    Source: Joachims (2002), "Optimizing search engines using clickthrough data", without the norm of the weights.

    >>> ranksvm(np.array([0.5, 0.0]), np.array([1, 0]), np.array([0, 2]))
    (0.5, array([-1.,  1.]))
    """
    check_positive("margin", margin)
    return mean_over_pairs(lambda x: hinge(x, margin), scores, relevance, offsets, weights)


def logistic(differences: Reals, sigma: float) -> tuple[Reals, Reals]:
    """log(1 + exp(-sigma x)) without overflow, and its derivative."""
    scaled = sigma * differences
    small = np.exp(-np.abs(scaled))
    value = np.log1p(small) + np.maximum(-scaled, 0)
    return value, np.asarray(-sigma * np.where(scaled >= 0, small, 1) / (1 + small), differences.dtype)


def logistic_curvature(slopes: Reals, sigma: float) -> Reals:
    """The second derivative of `logistic` from its first: sigma^2 p (1 - p) from -sigma p."""
    return np.asarray(-slopes * (sigma + slopes))


def hinge(differences: Reals, margin: float) -> tuple[Reals, Reals]:
    value = np.maximum(margin - differences, 0)
    return value, np.asarray(-(value > 0).astype(differences.dtype))


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

"""LambdaRank and LambdaLoss: losses of pairs, weighted by the change of a measure when the two are swapped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.evaluation.judged_lists import FullyJudgedLists, order_in_lists
from rankscope.kernels.segments import place_in_group
from rankscope.learning.losses.gains import finite_gains, ideal_gains
from rankscope.learning.losses.pairwise.pairs import (
    DocumentPairs,
    add_curvature,
    chunks_with_all,
    pair_chunks,
    scatter_gradient,
)
from rankscope.learning.losses.pairwise.ranknet import logistic, logistic_curvature
from rankscope.learning.losses.registry import as_measure
from rankscope.measures.base import Measure
from rankscope.stats.inputs import check_count, check_positive
from rankscope.typing import Floats, Ints, Reals

__all__ = [
    "KINDS",
    "lambdaloss",
    "lambdarank",
]


#: The bounds of nDCG by Wang et al. (2018): NDCG-Loss 1, 2 and 2++.
KINDS = ("1", "2", "2++")


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

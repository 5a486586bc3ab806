"""Pairwise losses weighed by what two documents that change places do to a measure: LambdaRank, LambdaLoss."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.evaluation.lists import JudgedLists
from rankscope.learning.losses.pairwise import logistic, pushed
from rankscope.learning.pairs import Pairs, pair_chunks
from rankscope.measures.base import Measure
from rankscope.measures.graded import nDCG
from rankscope.measures.names import parse_measure

__all__ = ["KINDS", "lambdaloss", "lambdarank"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Reals = npt.NDArray[np.floating[Any]]

#: The bounds of nDCG by Wang et al. (2018): NDCG-Loss 1, 2 and 2++.
KINDS = ("1", "2", "2++")


def lambdarank(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    measure: Measure | str = "nDCG(gain='exp')",
    sigma: float = 1.0,
    max_grade: int | None = None,
) -> tuple[float, Reals]:
    """LambdaRank: RankNet's loss with each pair weighed by what its change of places does to the measure, summed.

    At least 0, lower is better: sum over pairs with i of the higher grade of |delta_ij| log2(1 + exp(-sigma (s_i -
    s_j))), where delta_ij is how the measure of the list as it is ranked now would change. The gradient takes the
    weights as given. measure: one with `swap_deltas` (DCG, nDCG, P, AP, RR, ERR, RBP). max_grade: the highest grade
    there is, which ERR asks for; default that of these lists.

    Raises ParameterError for a measure without `swap_deltas`.

    Source: Burges (2010), "From RankNet to LambdaRank to LambdaMART", as the loss that Wang et al. (2018), equation 17,
    show it to be.

    >>> value, gradient = lambdarank(np.array([0.0, 1.0]), np.array([1, 0]), np.array([0, 2]), measure="RR")
    >>> round(value, 6)  # (1 - 1/2) log2(1 + e)
    0.947318
    """
    chosen = parse_measure(measure) if isinstance(measure, str) else measure
    ranked = Ranked(scores, relevance, offsets, max_grade)
    return ranked.weighed(sigma, lambda pairs: np.abs(chosen.swap_deltas(ranked.hits, *ranked.places(pairs))))


def lambdaloss(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    kind: str = "2++",
    k: int | None = None,
    mu: float = 10.0,
    sigma: float = 1.0,
) -> tuple[float, Reals]:
    """LambdaLoss for nDCG: logistic losses of pairs under weights that bound 1 - nDCG; at least 0, lower is better.

    sum over pairs with i of the higher grade of w_ij log2(1 + exp(-sigma (s_i - s_j))). G is the gain 2 ** grade - 1
    over the ideal DCG, D(r) = log2(r + 1). kind "1": w = G_i / D(rank of i). "2": |G_i - G_j| times delta = |1 / D(d) -
    1 / D(d + 1)|, d being how far apart the two rank. "2++": |G_i - G_j| times (|1 / D(rank of i) - 1 / D(rank of j)| +
    mu delta). k: only pairs with a document among the first k, whose discounts beyond k are 0. The gradient takes the
    weights as given.

    Raises ParameterError for a kind that is none of these.

    Source: Wang et al. (2018), "The LambdaLoss framework for ranking metric optimization", equations 14, 16 and 18.

    >>> value, gradient = lambdaloss(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]), kind="1")
    >>> round(value, 6)  # G = 1 at rank 1, log2(2) = 1
    1.0
    """
    if kind not in KINDS:
        raise ParameterError(f"kind is {kind!r}, expected one of {', '.join(map(repr, KINDS))}")
    ranked = Ranked(scores, relevance, offsets, None)
    measure = nDCG(gain="exp", cutoff=k)
    hits = ranked.hits
    best = np.maximum(measure.ideal_dcg(hits), 1.0)[hits.query]
    gain = measure.gain_of(hits.relevance) / best
    cut = np.inf if k is None else k
    discount = np.where(hits.rank <= cut, 1.0 / np.log2(hits.rank + 1.0), 0.0)

    def weights(pairs: Pairs) -> Floats:
        i, j = ranked.places(pairs)
        if kind == "1":
            return np.asarray(gain[i] * discount[i])
        apart = np.abs(hits.rank[i] - hits.rank[j])
        delta = 1.0 / np.log2(apart + 1.0) - 1.0 / np.log2(apart + 2.0)
        delta[np.minimum(hits.rank[i], hits.rank[j]) > cut] = 0.0
        swapped = np.abs(discount[i] - discount[j]) + mu * delta if kind == "2++" else delta
        return np.asarray(np.abs(gain[i] - gain[j]) * swapped)

    return ranked.weighed(sigma, weights)


class Ranked:
    """Lists as their scores rank them now."""

    def __init__(self, scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, max_grade: int | None) -> None:
        self.scores, self.relevance, self.offsets = scores, relevance, offsets
        lists = JudgedLists(relevance, offsets, max_grade=max_grade)
        self.hits: Hits = lists.hits(scores)
        self.place = np.empty(scores.size, np.int64)  # of each document among the hits
        self.place[lists.ranked(scores)] = np.arange(scores.size)

    def places(self, pairs: Pairs) -> tuple[Ints, Ints]:
        """The hits of both documents of each pair."""
        return self.place[pairs.higher], self.place[pairs.lower]

    def weighed(self, sigma: float, weights: Any) -> tuple[float, Reals]:
        """The weighted sum of logistic losses in base 2, a mean over lists, and its gradient."""
        value, gradient = 0.0, np.zeros(self.scores.size)
        for pairs in pair_chunks(self.relevance, self.offsets):
            found, slope = logistic(self.scores[pairs.higher] - self.scores[pairs.lower], sigma)
            each = weights(pairs)
            value += float(found @ each)
            gradient += pushed(slope * each, pairs, self.scores.size)
        scale = 1.0 / (np.log(2.0) * (self.offsets.size - 1))
        return float(value * scale), np.asarray(gradient * scale, self.scores.dtype)

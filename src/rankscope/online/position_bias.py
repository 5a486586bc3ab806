"""Position bias: how likely users examine each rank, estimated from documents that were shown at several ranks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.online.logs import ShownDocuments
from rankscope.stats.distributions import special
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "RankBias",
    "bias_by_swaps",
    "click_counts",
]


#: Steps of Newton's method, and the change at which it ends.
MOST_STEPS, TOLERANCE = 100, 1e-10


class RankBias(NamedTuple):
    """The position bias by rank.

    Attributes
    ----------
    bias
        (ranks) the probability that a rank is examined, over that of rank 1; NaN where no document links it to rank 1.
    low, high
        (ranks) its confidence interval; NaN for a single query.
    n_moved
        How many documents of a query were shown at several ranks and clicked.
    """

    bias: Floats
    low: Floats
    high: Floats
    n_moved: int


class ClickCounts(NamedTuple):
    """Impressions and clicks of each document of a query at each rank.

    Attributes
    ----------
    group
        (counts) the document of a query, as a number from 0, rising.
    cluster
        (groups) the query of each.
    rank
        (counts) from 1.
    n, clicks
        (counts)
    """

    group: Ints
    cluster: Ints
    rank: Ints
    n: Floats
    clicks: Floats


def click_counts(shown: ShownDocuments) -> ClickCounts:
    """The counts of a log."""
    n_ranks = int(shown.rank.max(initial=1))
    keys, place = np.unique(shown.pair * (n_ranks + 1) + shown.rank, return_inverse=True)
    pairs, group = np.unique(keys // (n_ranks + 1), return_inverse=True)
    return ClickCounts(
        group=group,
        cluster=pairs // len(shown.doc_ids),
        rank=keys % (n_ranks + 1),
        n=np.bincount(place).astype(np.float64),
        clicks=np.bincount(place, shown.is_clicked).astype(np.float64),
    )


def bias_by_swaps(counts: ClickCounts, *, confidence_level: float = 0.95) -> RankBias:
    """Estimate the position bias from documents that changed their rank (intervention harvesting).

    Parameters
    ----------
    counts
        Impressions and clicks of each document of a query at each rank.
    confidence_level
        Level of the intervals.

    Returns
    -------
    RankBias
        Relative to rank 1.

    Notes
    -----
    A document of a query, shown n_k times at rank k, is clicked n_k b_k g times in expectation: b is the bias, and g
    how attractive the document is. Given its clicks at all ranks, those at rank k are a share n_k b_k / sum of n_j b_j,
    in which g is gone. The likelihood of these shares is maximised; documents shown at one rank only say nothing.
    Intervals are of the logarithm of the bias, from the covariance that is robust within queries, by t with the number
    of queries less 1 as degrees of freedom.

    References
    ----------
    Agarwal, Zaitsev, Wang, Li, Najork and Joachims (2019), "Estimating position bias without intrusive interventions",
    for pairs of ranks as interventions; the likelihood is that of Poisson regression with fixed effects: Hausman, Hall
    and Griliches (1984), "Econometric models for count data".
    """
    n_ranks = int(counts.rank.max(initial=1))
    n_groups = counts.cluster.size
    impressions, clicks = np.zeros((2, n_groups, n_ranks))
    impressions[counts.group, counts.rank - 1] = counts.n
    clicks[counts.group, counts.rank - 1] = counts.clicks
    is_moved = ((impressions > 0).sum(axis=1) > 1) & (clicks.sum(axis=1) > 0)
    impressions, clicks, cluster = impressions[is_moved], clicks[is_moved], counts.cluster[is_moved]
    bias, low, high = (np.full(n_ranks, np.nan) for _ in range(3))
    bias[0] = low[0] = high[0] = 1.0
    estimated = linked_ranks(impressions > 0, clicks.sum(axis=0) > 0)
    if not estimated[0] or estimated.sum() < 2:
        return RankBias(bias, low, high, int(is_moved.sum()))
    is_within = (impressions[:, estimated] > 0).sum(axis=1) > 1
    impressions, clicks = impressions[is_within][:, estimated], clicks[is_within][:, estimated]
    queries, codes = np.unique(cluster[is_within], return_inverse=True)
    logarithms, covariance = maximise(impressions, clicks, codes)
    half_width = np.full(logarithms.size, np.nan)
    if queries.size > 1:
        quantile = float(special().stdtrit(queries.size - 1, (1 + confidence_level) / 2))
        half_width = quantile * np.sqrt(np.diag(covariance))
    half_width[0] = 0.0
    bias[estimated] = np.exp(logarithms)
    low[estimated], high[estimated] = np.exp(logarithms - half_width), np.exp(logarithms + half_width)
    return RankBias(bias, low, high, int(is_moved.sum()))


def linked_ranks(is_shown: Bools, has_clicks: Bools) -> Bools:
    """(ranks) which ranks have clicks and are linked with rank 1 by documents that were shown at both.

    is_shown: (groups, ranks).
    """
    is_linked = np.zeros(has_clicks.size, np.bool_)
    is_linked[0] = has_clicks[0]
    links = (is_shown.astype(np.float64).T @ is_shown > 0) & has_clicks & has_clicks[:, None]
    while True:
        reached = is_linked | (links[is_linked].any(axis=0))
        if (reached == is_linked).all():
            return is_linked
        is_linked = reached


def maximise(impressions: Floats, clicks: Floats, cluster: Ints) -> tuple[Floats, Floats]:
    """(ranks) the logarithms of the bias, 0 for the first rank, and their covariance.

    Parameters
    ----------
    impressions, clicks
        (groups, ranks)
    cluster
        (groups) the query of each.
    """
    totals = clicks.sum(axis=1)
    logarithms = np.zeros(impressions.shape[1])

    def shares(values: Floats) -> Floats:
        expected = impressions * np.exp(values)
        return np.asarray(expected / expected.sum(axis=1, keepdims=True))

    def likelihood(values: Floats) -> float:
        return float(clicks.sum(axis=0) @ values - totals @ np.log((impressions * np.exp(values)).sum(axis=1)))

    def information(share: Floats) -> Floats:
        return np.asarray(np.diag(totals @ share) - (share * totals[:, None]).T @ share)

    for _ in range(MOST_STEPS):
        share = shares(logarithms)
        gradient = clicks.sum(axis=0) - totals @ share
        step = np.zeros(logarithms.size)
        step[1:] = np.linalg.solve(information(share)[1:, 1:], gradient[1:])
        size, before = 1.0, likelihood(logarithms)
        while likelihood(logarithms + size * step) < before and size > TOLERANCE:
            size /= 2
        logarithms = logarithms + size * step
        if np.abs(size * step).max() < TOLERANCE:
            break
    share = shares(logarithms)
    inverse = np.linalg.inv(information(share)[1:, 1:])
    n_clusters = int(cluster.max()) + 1
    scores = np.zeros((n_clusters, logarithms.size - 1))
    np.add.at(scores, cluster, (clicks - totals[:, None] * share)[:, 1:])
    covariance = np.zeros((logarithms.size, logarithms.size))
    correction = n_clusters / max(n_clusters - 1, 1)
    covariance[1:, 1:] = correction * inverse @ (scores.T @ scores) @ inverse
    return logarithms, covariance

"""Which systems can be told apart, which places that leaves them, and clusters: from draws of their ratings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.kernels.ties import SOLVED, at_most, join_ties
from rankscope.typing import Bools, Floats, Ints

__all__ = ["RankClusters", "cluster_ranks"]


class RankClusters(NamedTuple):
    """See `Leaderboard`, which has the same."""

    apart: Bools
    rank_low: Ints
    rank_high: Ints
    cluster: Ints


def cluster_ranks(draws: Floats, level: float) -> RankClusters:
    """Places of systems in the order of the estimate, the best first. draws: (draws, systems) log-abilities.

    Two systems are told apart where the interval of their difference excludes 0: where the first is above the second in
    all draws but (1 - level) / 2 of them, a tie counting as half;
    those that differ by a billionth of the range (of 1 at least) are tied.
    """
    n_draws, n = draws.shape
    draws = join_ties(draws, np.maximum(np.ptp(draws, axis=1), 1.0), SOLVED)
    above = np.zeros((n, n))
    for i in range(n):  # a row at a time, so that memory stays small
        gap = draws[:, i, None] - draws
        above[i] = ((gap > 0).sum(axis=0) + (gap == 0).sum(axis=0) / 2) / n_draws
    beats = at_most(1 - (1 - level) / 2, above)
    np.fill_diagonal(beats, False)
    later = ~np.triu(beats, 1) & np.triu(np.ones((n, n), np.bool_), 1)
    # A cluster ends before the first system from which all before are told apart.
    reach = np.where(later, np.arange(n), np.arange(n)[:, None]).max(axis=1)  # the last one that it is not apart from
    furthest = np.maximum.accumulate(reach)
    starts = np.r_[True, furthest[:-1] < np.arange(1, n)]
    return RankClusters(
        apart=beats | beats.T,
        rank_low=1 + beats.sum(axis=0),
        rank_high=n - beats.sum(axis=1),
        cluster=np.cumsum(starts),
    )

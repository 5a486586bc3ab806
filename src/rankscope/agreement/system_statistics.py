"""Statistics of two lists of scores of the same systems, many lists at once; and systems far from the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.ties import join_ties
from rankscope.stats.correlation_values import pairs_of
from rankscope.typing import Bools, Floats

__all__ = [
    "ACCURACY",
    "SYSTEM_CORRELATIONS",
    "OUTLIER_CUTOFF",
    "SOFT",
    "SYSTEM_STATISTICS",
    "outlying_systems",
    "count_concordant_pairs",
    "system_statistic",
]

SYSTEM_CORRELATIONS = ("pearson", "spearman", "kendall_b")
ACCURACY, SOFT = "pairwise_accuracy", "soft_pairwise_accuracy"
SYSTEM_STATISTICS = (*SYSTEM_CORRELATIONS, ACCURACY, SOFT)
#: Deviations from the median, in units of its absolute deviation as a normal standard deviation, that are far.
OUTLIER_CUTOFF, NORMAL = 2.5, 1.483
#: Of fewer systems, none is far from the rest.
LEAST = 5


def system_statistic(people: Floats, metric: Floats, statistic: str) -> Floats:
    """(lists) how far two lists of scores of systems agree; higher is better.

    people, metric: (lists, systems). Correlations in [-1, 1], "pairwise_accuracy" in [0, 1]. NaN where a list holds one
    value only (of a correlation) or a score is missing.
    """
    found = np.full(len(people), np.nan)
    there = ~(np.isnan(people) | np.isnan(metric)).any(axis=1)
    if not there.any() or people.shape[1] < 2:
        return found
    # Means that differ by rounding only are tied.
    x, y = join_ties(people[there]), join_ties(metric[there])
    if statistic == ACCURACY:
        n = x.shape[1]
        found[there] = count_concordant_pairs(x, y) / (n * (n - 1) / 2)
    else:
        found[there] = pairs_of(x, y, statistic).value
    return found


def count_concordant_pairs(people: Floats, metric: Floats) -> Floats:
    """(lists) how many pairs of systems both order alike, ties included: a tie is right only where both tie.

    Source: Kocmi et al. (2021): accuracy is the share of pairs of systems of which both differences have
    the same sign.

    >>> count_concordant_pairs(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).tolist()
    [2.0]
    """
    n = people.shape[1]
    first, second = np.triu_indices(n, 1)
    found = np.empty(len(people))
    at_once = max(1, (1 << 21) // max(first.size, 1))
    for start in range(0, len(people), at_once):  # so many lists that memory stays small
        x, y = people[start : start + at_once], metric[start : start + at_once]
        alike = np.sign(x[:, first] - x[:, second]) == np.sign(y[:, first] - y[:, second])
        found[start : start + at_once] = alike.sum(axis=1)
    return found


def outlying_systems(values: Floats, cutoff: float = OUTLIER_CUTOFF) -> Bools:
    """(systems) whose score is more than the cutoff from the median, in units of 1.483 median absolute deviations.

    None is where half of the scores or more are one, nor among fewer than five systems, whose median says little.

    Source: Mathur, Baldwin and Cohn (2020), with their cutoff of 2.5.

    >>> outlying_systems(np.array([1.0, 2.0, 3.0, 4.0, 30.0])).tolist()  # |30 - 3| / (1.483 * 1) = 18.2
    [False, False, False, False, True]
    """
    off = np.abs(values - np.median(values))
    spread = NORMAL * float(np.median(off))
    if values.size < LEAST or not spread > 0:
        return np.zeros(values.shape, np.bool_)
    found: npt.NDArray[np.bool_] = off / spread > cutoff
    return found

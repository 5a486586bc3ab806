"""Systems by their ranks on each query: Friedman's test, and Nemenyi's for all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.kernels.rounding_ties import join_ties
from rankscope.stats.anova import AllPairs, all_pairs
from rankscope.stats.distributions import range_quantile, range_sf, special
from rankscope.stats.inputs import as_scores, check_share
from rankscope.typing import Floats

__all__ = [
    "Friedman",
    "friedman_test",
    "nemenyi_test",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Friedman:
    """Friedman's test of the hypothesis that all systems have the same ranks.

    Attributes
    ----------
    mean_ranks
        Mean rank of each system, (systems); 1 for a system that is always best.
    statistic, pvalue
        Chi-square with m - 1 degrees of freedom.
    statistic_f, pvalue_f
        Iman and Davenport's F, which is less conservative; infinite and 0 if all queries agree.
    n
        Number of queries.
    notes
        What a reader should know.
    """

    mean_ranks: Floats
    statistic: float
    pvalue: float
    statistic_f: float
    pvalue_f: float
    n: int
    notes: tuple[str, ...]


def ranks_by_query(scores: Floats) -> Floats:
    """(queries, systems) mean rank of each system among those of the query, 1 for the highest score."""
    by_query = join_ties(-scores.T)
    n_better = (by_query[:, None, :] < by_query[:, :, None]).sum(axis=2)
    n_tied = (by_query[:, None, :] == by_query[:, :, None]).sum(axis=2)
    return np.asarray(n_better + (n_tied + 1) / 2)


def friedman_test(scores: npt.ArrayLike) -> Friedman:
    """Friedman's test: whether systems differ in their ranks by query, whatever the sizes of the differences.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 of each.

    Returns
    -------
    Friedman
        If all systems are tied on all queries, the statistic is 0 and p = 1.

    Raises
    ------
    ParameterError
        A score is NaN, or the shape is wrong.

    Notes
    -----
    chi2 = 12 / (n m (m + 1)) sum of squared rank sums - 3 n (m + 1), divided by 1 - the share of ties; F = (n - 1) chi2
    / (n (m - 1) - chi2).

    References
    ----------
    Friedman (1937); Iman and Davenport (1980); agrees with scipy.stats.friedmanchisquare, which needs three systems.

    Examples
    --------
    >>> result = friedman_test([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6], [0.7, 0.8, 0.9]])
    >>> result.mean_ranks.tolist(), round(result.statistic, 4), round(result.pvalue, 4)
    ([3.0, 2.0, 1.0], 6.0, 0.0498)
    """
    x = as_scores(scores)
    m, n = x.shape
    ranks = ranks_by_query(x)
    mean_ranks = ranks.mean(axis=0)
    between = n * n * ((mean_ranks - (m + 1) / 2) ** 2).sum()
    within = ((ranks - (m + 1) / 2) ** 2).sum()
    if within == 0:
        notes = ("no query tells the systems apart",)
        return Friedman(
            mean_ranks=mean_ranks, statistic=0.0, pvalue=1.0, statistic_f=0.0, pvalue_f=1.0, n=n, notes=notes
        )
    chi2 = float((m - 1) * between / within)
    denominator = n * (m - 1) - chi2
    f = (n - 1) * chi2 / denominator if denominator > 1e-9 * chi2 else float("inf")
    functions = special()
    return Friedman(
        mean_ranks=mean_ranks,
        statistic=chi2,
        pvalue=float(functions.chdtrc(m - 1, chi2)),
        statistic_f=f,
        pvalue_f=0.0 if f == float("inf") else float(functions.fdtrc(m - 1, (m - 1) * (n - 1), f)),
        n=n,
        notes=(),
    )


def nemenyi_test(scores: npt.ArrayLike, *, confidence_level: float = 0.95) -> AllPairs:
    """Nemenyi's test of all pairs of systems by their mean ranks.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 of each.
    confidence_level
        Level of the simultaneous intervals, in (0, 1).

    Returns
    -------
    AllPairs
        The difference is the mean rank of i less that of j, below 0 if i is better. Mean ranks further apart than
        `critical_difference` differ significantly.

    Raises
    ------
    ParameterError
        A score is NaN, the shape is wrong, or the level is out of range.

    Notes
    -----
    q = |difference| / sqrt(m (m + 1) / (12 n)), and p from the studentised range of m means. Ties are not corrected
    for.

    References
    ----------
    Nemenyi (1963); Demsar (2006), whose q is this one divided by sqrt(2).

    Examples
    --------
    >>> nemenyi_test([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6], [0.7, 0.8, 0.9]]).pvalue.round(4).tolist()
    [0.4385, 0.038, 0.4385]
    """
    x = as_scores(scores)
    check_share("confidence_level", confidence_level)
    m, n = x.shape
    mean_ranks = ranks_by_query(x).mean(axis=0)
    first, second = all_pairs(m)
    difference = mean_ranks[first] - mean_ranks[second]
    standard_error = float(np.sqrt(m * (m + 1) / (12 * n)))
    statistic = np.abs(difference) / standard_error
    critical_difference = range_quantile(confidence_level, m) * standard_error
    return AllPairs(
        test="nemenyi",
        first=first,
        second=second,
        difference=difference,
        statistic=statistic,
        pvalue=range_sf(statistic, m),
        low=difference - critical_difference,
        high=difference + critical_difference,
        confidence_level=confidence_level,
        critical_difference=critical_difference,
        error=np.zeros(first.size),
        n=n,
        n_resamples=0,
        notes=(),
    )

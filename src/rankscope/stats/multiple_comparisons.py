"""Many comparisons at once: corrections of p-values (Holm, Bonferroni, Benjamini-Hochberg and others), and clusters of
systems that do not differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import at_most, join_ties
from rankscope.stats.anova import all_pairs
from rankscope.stats.inputs import as_scores, check_choice, check_share
from rankscope.typing import Floats, Ints

__all__ = [
    "CORRECTIONS",
    "Adjusted",
    "Clusters",
    "adjust_pvalues",
    "find_clusters",
]


#: Each correction by name, and the error rate that it controls.
CORRECTIONS = {
    "holm": "probability of any false finding",
    "bonferroni": "probability of any false finding",
    "hochberg": "probability of any false finding, if the tests are independent or positively dependent",
    "hommel": "probability of any false finding, if the tests are independent or positively dependent",
    "bh": "expected share of false findings, if the tests are independent or positively dependent",
    "by": "expected share of false findings, whatever the tests depend on",
    "none": "nothing: each test alone",
}


#: Most tests whose Hommel correction is computed: the work grows with the square.
MOST_HOMMEL = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Adjusted:
    """Adjusted p-values, to be compared with the significance level as they are.

    Attributes
    ----------
    pvalue
        Adjusted p-values, in the given shape; NaN stays NaN.
    method
        Name of the correction.
    family
        Number of tests that were corrected together.
    controls
        The error rate that stays at the level.
    """

    pvalue: Floats
    method: str
    family: int
    controls: str


def adjust_pvalues(pvalues: npt.ArrayLike, *, method: str = "holm") -> Adjusted:
    """Adjust p-values for multiple comparisons; in [0, 1], never below the given ones.

    Parameters
    ----------
    pvalues
        p-values of any shape; all of them are one family, so pass those of all pairs and all measures together. NaN, of
        a test that says nothing, counts in the family as 1. There may be none.
    method
        "holm" (step-down, never larger than Bonferroni's), "bonferroni" (p m), "hochberg" (step-up), "hommel" (never
        larger than Hochberg's; up to 20,000 tests), "bh" (Benjamini and Hochberg's false discovery rate), "by"
        (Benjamini and Yekutieli's, under any dependence), or "none".

    Returns
    -------
    Adjusted
        Adjusted p-values in the given shape.

    Raises
    ------
    ParameterError
        A value is outside [0, 1], or the method is unknown.

    References
    ----------
    Holm (1979); Hochberg (1988); Hommel (1988), with the algorithm of Wright (1992); Benjamini and Hochberg (1995);
    Benjamini and Yekutieli (2001); agrees with statsmodels multipletests and R's p.adjust.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03]).pvalue.tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("method", method, tuple(CORRECTIONS))
    p_values = np.asarray(pvalues, np.float64)
    if ((p_values < 0) | (p_values > 1)).any():
        invalid = p_values[(p_values < 0) | (p_values > 1)][0]
        raise ParameterError(
            f"a p-value is {invalid}, expected numbers in [0, 1] (or NaN for a test that says nothing)"
        )
    known_pvalues = np.where(np.isnan(p_values), 1.0, p_values).ravel()
    adjusted = np.minimum(multiply_and_step(known_pvalues, method), 1.0).reshape(p_values.shape)
    adjusted[np.isnan(p_values)] = np.nan
    return Adjusted(pvalue=adjusted, method=method, family=p_values.size, controls=CORRECTIONS[method])


def multiply_and_step(pvalues: Floats, method: str) -> Floats:
    """Corrected p-values, which may be above 1."""
    m = pvalues.size
    if method == "none":
        return pvalues
    if method == "bonferroni":
        return pvalues * m
    order = np.argsort(pvalues, kind="stable")
    index = np.arange(m)
    factor = m / (index + 1) if method in ("bh", "by") else m - index
    if method == "by":
        factor = factor * (1 / (index + 1)).sum()
    scaled = hommel_pvalues(pvalues[order]) if method == "hommel" else pvalues[order] * factor
    steps_down = method == "holm"  # from the least p-value on; the others step up from the greatest
    scaled = np.maximum.accumulate(scaled) if steps_down else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = scaled
    return adjusted


def hommel_pvalues(sorted_pvalues: Floats) -> Floats:
    """Hommel's corrected p-values of rising ones: for each number of true hypotheses what Simes' test gives."""
    p, n = sorted_pvalues, sorted_pvalues.size
    if n > MOST_HOMMEL:
        raise ParameterError(
            f"{n:,} tests, and Hommel's correction is computed for at most {MOST_HOMMEL:,}; choose 'hochberg', whose "
            "p-values are never smaller"
        )
    if not n:
        return p
    adjusted = np.full(n, (n * p / np.arange(1, n + 1)).min())
    for m in range(n - 1, 1, -1):
        n_low = n - m + 1  # this many least p-values stand for the first of the m
        simes = float((m * p[n_low:] / np.arange(2, m + 1)).min())
        adjusted[:n_low] = np.maximum(adjusted[:n_low], np.minimum(m * p[:n_low], simes))
        adjusted[n_low:] = np.maximum(adjusted[n_low:], min(m * p[n_low - 1], simes))
    return np.asarray(np.maximum(adjusted, p))


@dataclass(frozen=True, eq=False, kw_only=True)
class Clusters:
    """Groups of systems that do not differ significantly, from the tests of all pairs.

    Attributes
    ----------
    order
        Systems by falling value.
    groups
        The longest runs of this order in which no two systems differ; a system may be in several.
    rank_low, rank_high
        Best and worst possible rank of each system, (systems): 1 + the number of systems that are better, and m - the
        number that are worse.
    alpha
        Systems differ if the p-value of their pair is at most this.
    """

    order: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    rank_low: Ints
    rank_high: Ints
    alpha: float


def find_clusters(values: npt.ArrayLike, pvalues: npt.ArrayLike, *, alpha: float = 0.05) -> Clusters:
    """Find groups of systems that do not differ significantly.

    Parameters
    ----------
    values
        Value of each system, (systems), higher is better.
    pvalues
        Two-sided corrected p-values, (pairs), in the order (0, 1), (0, 2), ..., (1, 2), ...; NaN, of a test that says
        nothing, counts as no difference.
    alpha
        Significance level, in (0, 1).

    Returns
    -------
    Clusters
        Systems with equal values (up to rounding) keep their order.

    Raises
    ------
    ParameterError
        The number of p-values does not fit, or the level is outside (0, 1).

    Examples
    --------
    >>> result = find_clusters([0.5, 0.3, 0.4], [0.01, 0.2, 0.3])
    >>> result.order, result.groups, result.rank_low.tolist(), result.rank_high.tolist()
    ((0, 2, 1), ((0, 2), (2, 1)), [1, 2, 1], [2, 3, 3])
    """
    check_share("alpha", alpha)
    means = join_ties(as_scores(np.atleast_2d(np.asarray(values, np.float64)), min_systems=1, min_queries=1)[0])
    n_systems = means.size
    p_values = np.asarray(pvalues, np.float64)
    first, second = all_pairs(n_systems)
    if p_values.shape != first.shape:
        raise ParameterError(
            f"{n_systems} systems and p-values of shape {p_values.shape}, expected one p-value for each pair i < j: "
            f"{first.shape}"
        )
    differ = np.zeros((n_systems, n_systems), np.bool_)
    differ[first, second] = differ[second, first] = at_most(p_values, alpha)
    better = differ & (means[:, None] > means)
    order = np.argsort(-means, kind="stable")
    return Clusters(
        order=tuple(order.tolist()),
        groups=maximal_runs(differ[np.ix_(order, order)], order.tolist()),
        rank_low=1 + better.sum(axis=0),
        rank_high=n_systems - better.sum(axis=1),
        alpha=alpha,
    )


def maximal_runs(differ: npt.NDArray[np.bool_], order: list[int]) -> tuple[tuple[int, ...], ...]:
    """The longest runs without a pair that differs; differ: in the order of the systems."""
    n_systems = len(order)
    later = np.triu(differ, 1)
    # For each system, the first later one that differs; a run ends before the first of those of its members.
    first_different = np.where(later.any(axis=1), later.argmax(axis=1), n_systems)
    ends = np.minimum.accumulate(first_different[::-1])[::-1]
    is_maximal = np.diff(ends, prepend=0) > 0  # otherwise the run is part of the one before
    return tuple(tuple(order[start : ends[start]]) for start in np.flatnonzero(is_maximal).tolist())

"""Many comparisons at once: corrections of p-values (Holm, Bonferroni, Benjamini-Hochberg and others), and clusters of
systems that do not differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.ties import at_most, join_ties
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


#: Name -> what it keeps at the level.
CORRECTIONS = {
    "holm": "probability of any false finding",
    "bonferroni": "probability of any false finding",
    "hochberg": "probability of any false finding, if the tests are independent or positively dependent",
    "bh": "expected share of false findings, if the tests are independent or positively dependent",
    "none": "nothing: each test alone",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Adjusted:
    """Adjusted p-values, to be compared with the level as they are; in the shape given.

    family: how many tests were corrected together. controls: what stays at the level. NaN stays NaN.
    """

    pvalue: Floats
    method: str
    family: int
    controls: str


def adjust_pvalues(pvalues: npt.ArrayLike, *, method: str = "holm") -> Adjusted:
    """Adjust p-values for the number of tests; in [0, 1], never below what was given.

    method: "bonferroni" (p m), "holm" (default; step down, never larger than Bonferroni's), "hochberg" (step up),
    "bh" (Benjamini and Hochberg's false discovery rate), "none". All p-values of the array, of whatever shape, are one
    family: give those of all pairs and all measures together. A p-value of NaN, of a test that says nothing, counts
    in the family as 1. No p-value: nothing. Raises ParameterError for values outside [0, 1].

    Source: Holm (1979); Hochberg (1988); Benjamini and Hochberg (1995); agrees with statsmodels multipletests and R's
    p.adjust.

    >>> adjust_pvalues([0.01, 0.04, 0.03]).pvalue.tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("method", method, tuple(CORRECTIONS))
    given = np.asarray(pvalues, np.float64)
    if ((given < 0) | (given > 1)).any():
        wrong = given[(given < 0) | (given > 1)][0]
        raise ParameterError(f"a p-value is {wrong}, expected numbers in [0, 1] (or NaN for a test that says nothing)")
    flat = np.where(np.isnan(given), 1.0, given).ravel()
    adjusted = np.minimum(step(flat, method), 1.0).reshape(given.shape)
    adjusted[np.isnan(given)] = np.nan
    return Adjusted(pvalue=adjusted, method=method, family=given.size, controls=CORRECTIONS[method])


def step(pvalues: Floats, method: str) -> Floats:
    m = pvalues.size
    if method == "none":
        return pvalues
    if method == "bonferroni":
        return pvalues * m
    order = np.argsort(pvalues, kind="stable")
    place = np.arange(m)
    factor = m / (place + 1) if method == "bh" else m - place
    scaled = pvalues[order] * factor
    down = method == "holm"  # from the least p-value on; the others step up from the greatest
    scaled = np.maximum.accumulate(scaled) if down else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = scaled
    return adjusted


@dataclass(frozen=True, eq=False, kw_only=True)
class Clusters:
    """What all pairs say together.

    order: systems by falling value. groups: the longest runs of this order in which no two systems differ; a system may
    be in several. rank_low, rank_high: (systems) best and worst rank that the tests leave it: 1 + the systems that are
    better, and m - those that are worse. level: the p-value below or at which two systems differ.
    """

    order: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    rank_low: Ints
    rank_high: Ints
    level: float


def find_clusters(values: npt.ArrayLike, pvalues: npt.ArrayLike, *, level: float = 0.05) -> Clusters:
    """Runs of systems that do not differ.

    values: (systems), higher is better. pvalues: (pairs), in the order (0, 1), (0, 2), ..., (1, 2), ..., two-sided and
    corrected for their number. NaN, of a test that says nothing, is no difference. Systems of one value keep their
    order; equal but for rounding is equal. Raises ParameterError for another number of p-values, for a level outside
    (0, 1).

    >>> found = find_clusters([0.5, 0.3, 0.4], [0.01, 0.2, 0.3])
    >>> found.order, found.groups, found.rank_low.tolist(), found.rank_high.tolist()
    ((0, 2, 1), ((0, 2), (2, 1)), [1, 2, 1], [2, 3, 3])
    """
    check_share("level", level)
    mean = join_ties(as_scores(np.atleast_2d(np.asarray(values, np.float64)), systems=1, queries=1)[0])
    m = mean.size
    found = np.asarray(pvalues, np.float64)
    first, second = all_pairs(m)
    if found.shape != first.shape:
        raise ParameterError(
            f"{m} systems and p-values of shape {found.shape}, expected one p-value for each pair i < j: {first.shape}"
        )
    differ = np.zeros((m, m), np.bool_)
    differ[first, second] = differ[second, first] = at_most(found, level)
    better = differ & (mean[:, None] > mean)
    order = np.argsort(-mean, kind="stable")
    return Clusters(
        order=tuple(order.tolist()),
        groups=runs(differ[np.ix_(order, order)], order.tolist()),
        rank_low=1 + better.sum(axis=0),
        rank_high=m - better.sum(axis=1),
        level=level,
    )


def runs(differ: npt.NDArray[np.bool_], order: list[int]) -> tuple[tuple[int, ...], ...]:
    """The longest runs without a pair that differs; differ: in the order of the systems."""
    m = len(order)
    later = np.triu(differ, 1)
    # From each system on, the first place that differs from it; a run ends before the first such of its members.
    stop = np.where(later.any(axis=1), later.argmax(axis=1), m)
    ends = np.minimum.accumulate(stop[::-1])[::-1]
    new = np.diff(ends, prepend=0) > 0  # else the run is a part of the one before
    return tuple(tuple(order[start : ends[start]]) for start in np.flatnonzero(new).tolist())

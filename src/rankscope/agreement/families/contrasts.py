"""The contrast behind favouritism: a judge's advantage of some systems over others, less what people's advantage leads
to.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.distributions import special, t_pvalue
from rankscope.typing import Bools, Floats

__all__ = [
    "MIN_QUERIES",
    "Contrast",
    "favour_contrast",
    "spread_within_queries",
]


#: The jackknife leaves one query out, and the slope needs two that are left.
MIN_QUERIES = 4
#: Differences of means are 0 up to rounding where they are this small a share of what they are made of.
ROUNDING = 1000 * NOISE


class Contrast(NamedTuple):
    """The favour of a judge for a family, in the judge's points; NaN where the scores do not give it.

    Attributes
    ----------
    by_people, by_judge
        The advantage of the family over the other systems, on average over the queries.
    slope
        By how many points the judge's scores rise where people's rise by one, from the systems within the family and
        within the others.
    slope_t
        How far people's scores tell the systems within each of the two groups apart, in standard errors.
    favour
        by_judge - slope x by_people.
    se
        Its standard error, by a jackknife over the queries.
    low, high
        Its confidence interval, from Student's distribution.
    pvalue
        Of no favour, over queries, for these systems.
    pvalue_systems
        Of no favour, over systems as a sample; NaN for fewer than four systems.
    n_queries
        Queries with scores of both groups.
    """

    by_people: float
    by_judge: float
    slope: float
    slope_t: float
    favour: float
    se: float
    low: float
    high: float
    pvalue: float
    pvalue_systems: float
    n_queries: int


def spread_within_queries(values: Floats) -> float:
    """The standard deviation of scores within a query, pooled over the queries; values: (systems, queries).

    Examples
    --------
    >>> spread_within_queries(np.array([[1.0, 5.0], [3.0, 7.0]])) == 2**0.5  # four squares of 1, two degrees of freedom
    True
    """
    present = ~np.isnan(values)
    deviations = centre_queries(values, present)
    n_free = int(np.count_nonzero(present) - np.count_nonzero(present.any(axis=0)))
    return math.sqrt(float((deviations**2).sum()) / n_free) if n_free else math.nan


def centre_queries(values: Floats, present: Bools) -> Floats:
    """(systems, queries) the scores less their mean in the query; 0 where there is none."""
    means = np.where(present, values, 0.0).sum(axis=0) / np.maximum(np.count_nonzero(present, axis=0), 1)
    return np.where(present, values - means, 0.0)


def favour_contrast(people: Floats, judge: Floats, in_family: Bools, confidence_level: float = 0.95) -> Contrast:
    """How much more a judge prefers a family than people do, apart from how strongly it responds to quality.

    Parameters
    ----------
    people, judge
        Scores, (systems, queries); higher is better, NaN for none. A cell counts where both have one.
    in_family
        (systems) those of the family.
    confidence_level
        Level of the interval.

    Returns
    -------
    Contrast
        NaN if fewer than `MIN_QUERIES` queries have scores of both groups, or if people's scores do not tell the
        systems within the groups apart.

    Notes
    -----
    The slope is a ratio of sums over pairs of *different* queries: sum of x_sq y_sr / sum of x_sq x_sr, q other than r,
    where x and y are people's and the judge's scores of a system less the mean of its group in the query. Errors of
    different queries are independent, so that neither a judge's noise nor that of people changes the slope on average;
    a regression of cells on cells would be too flat, and show favour for any family that is better.

    Examples
    --------
    >>> people = np.array([[3.0, 4, 3, 4], [1, 1, 2, 1], [2, 2, 1, 2], [0, 1, 0, 0]])
    >>> found = favour_contrast(people, 10 * people + [[5], [5], [0], [0]], np.array([True, True, False, False]))
    >>> round(found.slope, 6), round(found.favour, 6)
    (10.0, 5.0)
    """
    present = ~(np.isnan(people) | np.isnan(judge))
    used = present[in_family].any(axis=0) & present[~in_family].any(axis=0)
    x, y, present = people[:, used], judge[:, used], present[:, used]
    n = int(np.count_nonzero(used))
    advantages = [advantage(values, present, in_family) for values in (x, y)]
    by_people, by_judge = (float(values.mean()) if n else math.nan for values in advantages)
    if n < MIN_QUERIES:
        return Contrast(by_people, by_judge, *(math.nan,) * 8, n)
    x_centred, y_centred = (
        np.where(
            in_family[:, None],
            centre_queries(values, present & in_family[:, None]),
            centre_queries(values, present & ~in_family[:, None]),
        )
        for values in (x, y)
    )
    products, squares = (other_queries(x_centred, values) for values in (y_centred, x_centred))
    slope = float(ratio(products.all, squares.all))
    favour = by_judge - slope * by_people
    left_out = [(n * mean - values) / (n - 1) for mean, values in zip((by_people, by_judge), advantages, strict=True)]
    se = jackknife_error(left_out[1] - ratio(products.left_out, squares.left_out) * left_out[0])
    margin = se * float(special().stdtrit(n - 1, (1 + confidence_level) / 2))
    return Contrast(
        by_people=by_people,
        by_judge=by_judge,
        slope=slope,
        slope_t=distance_from_0(squares.all, jackknife_error(squares.left_out)),
        favour=favour,
        se=se,
        low=favour - margin,
        high=favour + margin,
        pvalue=two_sided(favour, se, n - 1, max(abs(by_judge), abs(slope * by_people))),
        pvalue_systems=math.nan
        if math.isnan(se)
        else pvalue_over_systems(x_centred, y_centred, present, in_family, slope, favour, by_people),
        n_queries=n,
    )


def advantage(values: Floats, present: Bools, in_family: Bools) -> Floats:
    """(queries) the mean of the family less that of the other systems."""
    means = [
        np.where(present[group], values[group], 0.0).sum(axis=0) / np.count_nonzero(present[group], axis=0)
        for group in (in_family, ~in_family)
    ]
    return np.asarray(means[0] - means[1])


class OtherQueries(NamedTuple):
    """Means of x_sq y_sr over pairs of different queries q, r, summed over systems; `left_out`: without each query."""

    all: float
    left_out: Floats


def other_queries(x: Floats, y: Floats) -> OtherQueries:
    """The products of two tables, (systems, queries), over pairs of different queries."""
    n = x.shape[1]
    of_query = (x * y).sum(axis=0)
    x_sums, y_sums = x.sum(axis=1), y.sum(axis=1)
    total = float(x_sums @ y_sums - of_query.sum())
    without = ((x_sums[:, None] - x) * (y_sums[:, None] - y)).sum(axis=0) - (of_query.sum() - of_query)
    return OtherQueries(total / (n * (n - 1)), without / ((n - 1) * (n - 2)))


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """The ratio; NaN where the denominator is not above 0, so that there is no slope."""
    below = np.asarray(denominator, np.float64)
    return np.asarray(np.divide(numerator, below, out=np.full(below.shape, np.nan), where=below > 0))


def jackknife_error(left_out: Floats) -> float:
    """The standard error of an estimate from its values without each query; NaN where one of them has no value."""
    n = left_out.size
    return math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))


def distance_from_0(estimate: float, error: float) -> float:
    """The estimate in standard errors."""
    return estimate / error if error > 0 else math.inf if estimate > 0 else 0.0


def two_sided(estimate: float, error: float, df: int, scale: float) -> float:
    """The p-value of an estimate by Student's distribution; 1 where it differs from 0 by rounding only."""
    if math.isnan(estimate) or math.isnan(error):
        return math.nan
    if abs(estimate) <= ROUNDING * scale:
        return 1.0
    statistic = math.inf if error <= ROUNDING * abs(estimate) else abs(estimate) / error
    return float(t_pvalue(np.array([statistic]), df, "two-sided")[0])


def pvalue_over_systems(
    x: Floats, y: Floats, present: Bools, in_family: Bools, slope: float, favour: float, by_people: float
) -> float:
    """The p-value of a favour as of a sample of systems: the others' residuals say how far a judge favours any system.

    Analysis of covariance of the systems' means with one slope and two groups; x, y: centred in query and group.
    """
    counts = np.count_nonzero(present, axis=1)
    scored = counts > 1
    n_family, n_others = (int(np.count_nonzero(scored & group)) for group in (in_family, ~in_family))
    df = n_family + n_others - 3
    if df < 1 or not n_family or not n_others or math.isnan(slope):
        return math.nan
    x, y, counts = x[scored], y[scored], counts[scored]
    residuals = (y.sum(axis=1) - slope * x.sum(axis=1)) / counts
    # People's differences without their noise: products of different queries.
    spread = float(((x.sum(axis=1) ** 2 - (x * x).sum(axis=1)) / (counts * (counts - 1))).sum())
    if spread <= 0:
        return math.nan
    variance = float((residuals**2).sum()) / df
    error = math.sqrt(variance * (1 / n_family + 1 / n_others + by_people**2 / spread))
    return two_sided(favour, error, df, abs(slope * by_people) + abs(favour))

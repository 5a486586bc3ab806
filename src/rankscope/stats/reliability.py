"""Generalisability theory: how reliably the queries of a collection order and score the systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isinf, isnan, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.stats.anova import Anova, two_way_anova
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_scores, check_count, check_share

__all__ = [
    "Generalisability",
    "Squares",
    "from_squares",
    "generalisability",
    "mean_squares",
]


#: Numbers of queries are rounded up except from within this of an integer.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Generalisability:
    """The variance of scores by its sources, and how reliable means over queries are.

    Attributes
    ----------
    variance_systems, variance_queries, variance_error
        Variance components, at least 0; error is what neither the system nor the query explains, including a system's
        strength on single queries.
    relative, relative_low, relative_high
        E-rho-squared, for the order of systems and their differences, and its interval; in [0, 1], higher is better.
    absolute, absolute_low, absolute_high
        Phi, for the means as they are, which also depend on how hard the queries are, and its interval; in [0, 1],
        higher is better.
    needed_relative, needed_relative_low, needed_relative_high
        Number of queries that bring E-rho-squared to `target`, from 1 on, infinite if none does; low for the upper end
        of the interval of E-rho-squared, high for the lower end.
    needed_absolute, needed_absolute_low, needed_absolute_high
        The same for Phi.
    systems, n
        Numbers of systems and queries at hand.
    n_queries
        Number of queries that the coefficients are for.
    target
        Coefficient to be reached.
    confidence_level
        Level of the intervals.
    notes
        What a reader should know.
    """

    variance_systems: float
    variance_queries: float
    variance_error: float
    relative: float
    relative_low: float
    relative_high: float
    absolute: float
    absolute_low: float
    absolute_high: float
    needed_relative: float
    needed_relative_low: float
    needed_relative_high: float
    needed_absolute: float
    needed_absolute_low: float
    needed_absolute_high: float
    systems: int
    n: int
    n_queries: int
    target: float
    confidence_level: float
    notes: tuple[str, ...]


class Squares(NamedTuple):
    """Mean squares of m systems by n queries; 0 if below rounding.

    Attributes
    ----------
    systems, queries, error
        Mean squares.
    m, n
        Numbers of systems and queries.
    """

    systems: float
    queries: float
    error: float
    m: int
    n: int


class Ratios(NamedTuple):
    """The variance of systems divided by the error variance of one query.

    Attributes
    ----------
    point
        The estimate.
    low, high
        Ends of its interval.
    """

    point: float
    low: float
    high: float


def generalisability(
    scores: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    target: float = 0.95,
    n_queries: int | None = None,
) -> Generalisability:
    """Generalisability coefficients of a collection: whether other queries would order and score the systems alike.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 of each.
    confidence_level
        Level of the intervals, in (0, 1).
    target
        Coefficient that the needed numbers of queries are for, in (0, 1).
    n_queries
        Number of queries n' that the coefficients are for. Default: those at hand.

    Returns
    -------
    Generalisability
        If systems and queries explain every score (no error), E-rho-squared is 1, without width, and one query is
        enough. If no query tells the systems apart, E-rho-squared is NaN, Phi is 0, or NaN if all scores are equal, and
        the needed numbers of queries are infinite.

    Raises
    ------
    ParameterError
        A score is NaN, there are fewer systems or queries, the target or confidence level is outside (0, 1), or
        n_queries is below 1.

    Notes
    -----
    A score is the sum of a mean and of effects of its system, its query, and the two together (error). From the mean
    squares of a two-way analysis of variance of m systems by n queries: variance_systems = (MS_s - MS_e) / n,
    variance_queries = (MS_q - MS_e) / m, variance_error = MS_e; estimates below 0 are set to 0, with a note. For means
    over n' queries, E-rho-squared = v_s / (v_s + v_e / n') and Phi = v_s / (v_s + (v_q + v_e) / n').

    The intervals are for systems and queries drawn at random, with normal effects: that of E-rho-squared is then exact,
    that of Phi approximate. With very few systems they are wide. Their ends are 0 if the mean squares leave no variance
    of systems.

    References
    ----------
    Brennan (2001); for collections Bodoff and Li (2007), Urbano, Marrero and Martin (2013). Intervals: Feldt (1965),
    and Arteaga, Jeyaratnam and Franklin (1982) as in Brennan (2001); agrees with the tables there, and follows the
    formulas of the R package gt4ireval.

    Examples
    --------
    >>> result = generalisability([[0.3, 0.2, 0.4], [0.3, 0.6, 0.6], [0.6, 0.7, 0.8]])  # MS_s .12, MS_q .03, MS_e .01
    >>> round(result.relative, 4), round(result.absolute, 4)  # v_s .11 / 3, v_q .02 / 3, v_e .01
    (0.9167, 0.8684)
    >>> result.needed_relative, result.needed_absolute  # 19 v_e / v_s = 5.2, 19 (v_q + v_e) / v_s = 8.6
    (6.0, 9.0)
    """
    check_share("confidence_level", confidence_level)
    check_share("target", target)
    if n_queries is not None:
        check_count("n_queries", n_queries)
    return from_squares([mean_squares(scores)], confidence_level, target, n_queries)


def mean_squares(scores: npt.ArrayLike) -> Squares:
    """Mean squares of the two-way analysis of variance. scores: (systems, queries), at least 2 of each."""
    x = as_scores(scores)
    return squares_of(two_way_anova(x), *x.shape)


def from_squares(
    squares_by_set: Sequence[Squares], confidence_level: float, target: float, n_queries: int | None
) -> Generalisability:
    """Coefficients from the mean squares of one set of scores, or from the averages of those of several of one shape.

    Sets that share their data are not independent: the interval is that of one set.
    """
    systems, queries, error = np.mean([set_squares[:3] for set_squares in squares_by_set], axis=0).tolist()
    squares = Squares(systems, queries, error, squares_by_set[0].m, squares_by_set[0].n)
    v_systems = max(0.0, (squares.systems - squares.error) / squares.n)
    v_queries = max(0.0, (squares.queries - squares.error) / squares.m)
    v_error = squares.error
    relative = relative_ratios(ratio(v_systems, v_error), squares, confidence_level)
    absolute = absolute_ratios(ratio(v_systems, v_queries + v_error), squares, confidence_level)
    n = squares.n if n_queries is None else int(n_queries)
    return Generalisability(
        variance_systems=v_systems,
        variance_queries=v_queries,
        variance_error=v_error,
        relative=coefficient(relative.point, n),
        relative_low=coefficient(relative.low, n),
        relative_high=coefficient(relative.high, n),
        absolute=coefficient(absolute.point, n),
        absolute_low=coefficient(absolute.low, n),
        absolute_high=coefficient(absolute.high, n),
        needed_relative=needed(relative.point, target),
        needed_relative_low=needed(relative.high, target),
        needed_relative_high=needed(relative.low, target),
        needed_absolute=needed(absolute.point, target),
        needed_absolute_low=needed(absolute.high, target),
        needed_absolute_high=needed(absolute.low, target),
        systems=squares.m,
        n=squares.n,
        n_queries=n,
        target=float(target),
        confidence_level=float(confidence_level),
        notes=variance_notes(squares),
    )


def squares_of(anova: Anova, m: int, n: int) -> Squares:
    """The mean squares of an analysis of variance; F is 0 where it took one for rounding."""
    systems = 0.0 if anova.statistic == 0 else anova.ms_systems
    queries = 0.0 if anova.statistic_queries == 0 else anova.ms_queries
    return Squares(systems, queries, anova.ms_error, m, n)


def ratio(numerator: float, denominator: float) -> float:
    """The quotient; infinite where only the denominator is 0, NaN where both are."""
    if denominator > 0:
        return numerator / denominator
    return inf if numerator > 0 else nan


def coefficient(one_query_ratio: float, n: int) -> float:
    """The share of systems in the variance of means over n queries, from the ratio of variances of one query."""
    return 1.0 if isinf(one_query_ratio) else n * one_query_ratio / (1 + n * one_query_ratio)


def needed(one_query_ratio: float, target: float) -> float:
    """The smallest n for which `coefficient` reaches the target."""
    if isnan(one_query_ratio) or one_query_ratio == 0:
        return inf
    exact = target / (1 - target) / one_query_ratio
    return inf if isinf(exact) else max(1.0, float(ceil(exact * (1 - ROUNDING))))


def relative_ratios(point: float, squares: Squares, confidence_level: float) -> Ratios:
    """v_s / v_e: (MS_s / MS_e) / (1 + n v_s / v_e) has the distribution F, exactly."""
    if not squares.error > 0:
        return Ratios(point, point, point)
    df = squares.m - 1
    statistic = squares.systems / squares.error
    quantiles = (special().fdtri(df, df * (squares.n - 1), share) for share in tail_shares(confidence_level))
    low, high = (max(0.0, (statistic / float(f) - 1) / squares.n) for f in quantiles)
    return Ratios(point, low, high)


def absolute_ratios(point: float, squares: Squares, confidence_level: float) -> Ratios:
    """v_s / (v_q + v_e), between approximate bounds.

    Parameters
    ----------
    point
        The estimate.
    squares
        The mean squares.
    confidence_level
        The level of the interval.

    Notes
    -----
    With quantiles f of F with m - 1 and (m - 1)(n - 1) degrees of freedom, g with m - 1 and infinitely many, h with
    m - 1 and n - 1, a bound is m (MS_s^2 - g MS_s MS_e + (g - f) f MS_e^2) / (n MS_s ((m - 1) g MS_e + h MS_q)). The
    numerator is (MS_s - f MS_e) (MS_s - (g - f) MS_e). At F = f the bound is 0, as it must be; below f there is no such
    bound, and 0 is returned. Without error the bounds are exact.
    """
    ms_s, ms_q, ms_e, m, n = squares
    if not ms_e > 0 and not ms_q > 0:
        return Ratios(point, point, point)
    functions = special()
    df = m - 1
    ends = []
    for share in tail_shares(confidence_level):
        f, h = (float(functions.fdtri(df, df_error, share)) for df_error in (df * (n - 1), n - 1))
        g = float(functions.chdtri(df, 1 - share)) / df
        if ms_s <= f * ms_e:
            ends.append(0.0)
        else:
            numerator = (ms_s - f * ms_e) * (1 - (g - f) * ms_e / ms_s)
            ends.append(m * numerator / (n * (df * g * ms_e + h * ms_q)))
    return Ratios(point, *ends)


def tail_shares(confidence_level: float) -> tuple[float, float]:
    """The share of a distribution below its quantile, for the lower end of an interval and for the upper one."""
    return (1 + confidence_level) / 2, (1 - confidence_level) / 2


def variance_notes(squares: Squares) -> tuple[str, ...]:
    """Notes on variances that are 0 or that the error exceeds."""
    ms_s, ms_q, ms_e, *_ = squares
    if not ms_s > 0 and not ms_e > 0:
        return ("no query distinguishes the systems: there is no order that more queries could confirm",)
    notes = []
    if ms_s <= ms_e:
        notes.append(
            "the systems differ no more than chance alone would make them: their variance is estimated as 0, and with "
            "it no number of queries is enough"
        )
    if ms_q < ms_e:
        notes.append("the queries differ less than chance alone would make them: their variance is estimated as 0")
    if not ms_e > 0:
        notes.append("every query puts the same distances between the systems: one query orders them as all do")
    return tuple(notes)

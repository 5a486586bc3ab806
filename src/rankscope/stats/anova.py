"""Comparisons of all systems: analysis of variance of a score matrix, and Tukey's honestly significant difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import draw, permuted_means
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.distributions import range_quantile, range_sf, special
from rankscope.stats.inputs import as_generator, as_scores, check_count, check_share, refuse_pairs, scale_table
from rankscope.stats.paired_tests import monte_carlo
from rankscope.typing import Floats, Ints

__all__ = [
    "AllPairs",
    "Anova",
    "all_pairs",
    "randomised_tukey_hsd",
    "residuals",
    "tukey_hsd",
    "two_way_anova",
]


@dataclass(frozen=True, kw_only=True)
class Anova:
    """The table of a two-way analysis of variance without replication, and what follows from it.

    Attributes
    ----------
    ss_systems, ss_queries, ss_error
        Sums of squares of systems, queries and error.
    df_systems, df_queries, df_error
        Degrees of freedom.
    ms_systems, ms_queries, ms_error
        Mean squares.
    statistic, pvalue
        F and p of the hypothesis that all systems are equal.
    epsilon
        Greenhouse and Geisser's epsilon: 1 where all differences of two systems vary alike, down to 1 / (systems - 1).
    epsilon_unbiased
        The same by Huynh and Feldt, which few queries do not make smaller; at most 1.
    pvalue_corrected
        p with degrees of freedom times epsilon, which does not assume that they vary alike.
    statistic_queries, pvalue_queries
        F and p of the hypothesis that all queries are equal.
    omega_squared
        Share of the variance due to systems, estimated without the bias of their number; below 0 if F is below 1.
    sigma
        Residual standard deviation, sqrt(ms_error): the unit of standardised effects (mean_i - mean_j) / sigma.
    notes
        What a reader should know.
    """

    ss_systems: float
    ss_queries: float
    ss_error: float
    df_systems: int
    df_queries: int
    df_error: int
    ms_systems: float
    ms_queries: float
    ms_error: float
    statistic: float
    pvalue: float
    epsilon: float
    epsilon_unbiased: float
    pvalue_corrected: float
    statistic_queries: float
    pvalue_queries: float
    omega_squared: float
    sigma: float
    notes: tuple[str, ...]


def residuals(scores: Floats) -> Floats:
    """(systems, queries) what neither the system nor the query explains: x_ij - mean_i - mean_j + mean.

    Exact zeros where only rounding is left.
    """
    deviations = scores - scores.mean(axis=1, keepdims=True)
    deviations -= deviations.mean(axis=0)
    return np.where(np.abs(deviations).max() <= 1e-13 * np.abs(scores).max(), 0.0, deviations)


def two_way_anova(scores: npt.ArrayLike) -> Anova:
    """Two-way analysis of variance, systems by queries, with one score each.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 of each.

    Returns
    -------
    Anova
        F and p are NaN if systems and queries explain everything (no error); p is then 1 if systems do not differ at
        all.

    Raises
    ------
    ParameterError
        A score is NaN, or the shape is wrong.

    Notes
    -----
    x_ij = mean + system_i + query_j + error_ij; F = ms_systems / ms_error with m - 1 and (m - 1)(n - 1) degrees of
    freedom. With two systems, F is the square of the paired t.

    References
    ----------
    Fisher (1925); Tague-Sutcliffe and Blustein (1995); omega squared: Maxwell and Delaney (2004); epsilon: Greenhouse
    and Geisser (1959); Huynh and Feldt (1976).

    Examples
    --------
    >>> result = two_way_anova([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6]])
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (6.25, 0.1296)
    """
    x = as_scores(scores)
    m, n = x.shape
    x, exponent = scale_table(x)
    centred = x - x.mean()
    ss_systems = float(n * (centred.mean(axis=1) ** 2).sum())
    ss_queries = float(m * (centred.mean(axis=0) ** 2).sum())
    x_residuals = residuals(x)
    ss_error = float((x_residuals**2).sum())
    df_systems, df_queries, df_error = m - 1, n - 1, (m - 1) * (n - 1)
    ms_systems, ms_queries, ms_error = ss_systems / df_systems, ss_queries / df_queries, ss_error / df_error
    noise = x.size * (1e-13 * float(np.abs(x).max())) ** 2  # the most that rounding makes of a sum of squares that is 0
    (f_systems, p_systems), (f_queries, p_queries) = (
        f_test(mean_square if mean_square > noise else 0.0, df, ms_error, df_error)
        for mean_square, df in ((ms_systems, df_systems), (ms_queries, df_queries))
    )
    epsilon = greenhouse_geisser(x_residuals)
    p_corrected = p_systems
    if ms_error > 0:
        p_corrected = float(special().fdtrc(epsilon * df_systems, epsilon * df_error, f_systems))
    total_squares = ss_systems + ss_queries + ss_error + ms_error
    squares = [ss_systems, ss_queries, ss_error, ms_systems, ms_queries, ms_error]
    with np.errstate(over="ignore"):  # sums of squares beyond float64 are infinite, but not their ratios
        scaled_squares = np.ldexp(squares, 2 * exponent).tolist()
    return Anova(
        ss_systems=scaled_squares[0],
        ss_queries=scaled_squares[1],
        ss_error=scaled_squares[2],
        df_systems=df_systems,
        df_queries=df_queries,
        df_error=df_error,
        ms_systems=scaled_squares[3],
        ms_queries=scaled_squares[4],
        ms_error=scaled_squares[5],
        statistic=f_systems,
        pvalue=p_systems,
        epsilon=epsilon,
        epsilon_unbiased=huynh_feldt(epsilon, m, n),
        pvalue_corrected=p_corrected,
        statistic_queries=f_queries,
        pvalue_queries=p_queries,
        omega_squared=(ss_systems - df_systems * ms_error) / total_squares if total_squares > 0 else 0.0,
        sigma=float(np.ldexp(np.sqrt(ms_error), exponent)),
        notes=() if ms_error > 0 else ("systems and queries explain every score: there is no error to test against",),
    )


def greenhouse_geisser(residuals: Floats) -> float:
    """Epsilon of residuals (systems, queries): (sum of eigenvalues)^2 / (m - 1) / sum of their squares; 1 if all are 0.

    The eigenvalues are those of the doubly centred covariance of the systems, of which only traces are needed.
    """
    m, n = residuals.shape
    products = residuals @ residuals.T if m <= n else residuals.T @ residuals  # the same eigenvalues above 0
    square = float((products**2).sum())
    return min(float(np.trace(products)) ** 2 / ((m - 1) * square), 1.0) if square > 0 else 1.0


def huynh_feldt(epsilon: float, m: int, n: int) -> float:
    """Epsilon of m systems on n queries without the bias of few queries; 1 where there are too few to say."""
    numerator, denominator = n * (m - 1) * epsilon - 2, (m - 1) * (n - 1 - (m - 1) * epsilon)
    return min(numerator / denominator, 1.0) if 0 < numerator < denominator else 1.0


def f_test(mean_square: float, df: int, ms_error: float, df_error: int) -> tuple[float, float]:
    """F and its p-value; NaN where there is no error variance, and 0 and 1 where there is no variance at all."""
    if ms_error > 0:
        statistic = mean_square / ms_error
        return statistic, float(special().fdtrc(df, df_error, statistic))
    return (0.0, 1.0) if mean_square == 0 else (float("nan"), float("nan"))


@dataclass(frozen=True, eq=False, kw_only=True)
class AllPairs:
    """All pairs (i, j) of systems, i < j; arrays of shape (pairs).

    Attributes
    ----------
    test
        Name of the test.
    first, second
        Indices i and j of the systems of each pair.
    difference
        mean_i - mean_j; of ranks for Friedman's test, where a lower rank is better.
    statistic
        The statistic that p is computed from.
    pvalue
        p-values, corrected for the number of pairs.
    low, high
        Intervals that hold all true differences at once with probability `confidence_level`; NaN if the test has none.
    confidence_level
        Level of the intervals.
    critical_difference
        The smallest difference that is significant at 1 - confidence_level.
    error
        Standard error of p from resampling, else 0.
    n
        Number of queries.
    n_resamples
        Number of resamples, 0 if there were none.
    notes
        What a reader should know.
    """

    test: str
    first: Ints
    second: Ints
    difference: Floats
    statistic: Floats
    pvalue: Floats
    low: Floats
    high: Floats
    confidence_level: float
    critical_difference: float
    error: Floats
    n: int
    n_resamples: int
    notes: tuple[str, ...]


def all_pairs(systems: int) -> tuple[Ints, Ints]:
    """Both sides of each pair i < j, in the order (0, 1), (0, 2), ..., (1, 2), ...

    Parameters
    ----------
    systems
        Number of systems.

    Returns
    -------
    first, second
        Indices of the systems of each pair; empty for fewer than two systems.

    Raises
    ------
    ParameterError
        The number of systems is not a whole number or is below 0.
    InputError
        There are more than 6,000 systems.

    Examples
    --------
    >>> first, second = all_pairs(3)
    >>> first.tolist(), second.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    check_count("systems", systems, minimum=0)
    refuse_pairs(systems, "systems", "take fewer")
    first, second = np.triu_indices(systems, 1)
    return first.astype(np.int64), second.astype(np.int64)


def tukey_hsd(scores: npt.ArrayLike, *, confidence_level: float = 0.95) -> AllPairs:
    """Tukey's HSD for systems measured on the same queries; differences between queries are not counted as error.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 of each.
    confidence_level
        Level of the simultaneous intervals, in (0, 1).

    Returns
    -------
    AllPairs
        If there is no error in the data, statistics and p are NaN, but p = 1 for equal systems.

    Raises
    ------
    ParameterError
        A score is NaN, the shape is wrong, or the level is out of range.

    Notes
    -----
    q = |mean_i - mean_j| / sqrt(ms_error / n), with ms_error of the two-way analysis of variance, and p from the
    studentised range of m means with (m - 1)(n - 1) degrees of freedom. With two systems, p is that of the paired
    t-test. Differs from scipy.stats.tukey_hsd, which is for systems measured on different queries (one-way) and finds
    next to nothing on the same queries.

    References
    ----------
    Tukey (1953); Carterette (2012).

    Examples
    --------
    >>> result = tukey_hsd([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6], [0.7, 0.8, 0.9]])
    >>> result.pvalue.round(4).tolist()
    [0.1361, 0.0029, 0.0117]
    """
    x = as_scores(scores)
    check_share("confidence_level", confidence_level)
    m, n = x.shape
    x, exponent = scale_table(x)
    table = two_way_anova(x)
    first, second = all_pairs(m)
    difference = x.mean(axis=1)[first] - x.mean(axis=1)[second]
    standard_error = np.sqrt(table.ms_error / n)
    if standard_error > 0:
        statistic = np.abs(difference) / standard_error
        pvalue = range_sf(statistic, m, table.df_error)
        critical_difference = range_quantile(confidence_level, m, table.df_error) * float(standard_error)
    else:
        equal = np.abs(difference) <= NOISE * np.abs(x).max()
        statistic = np.where(equal, 0.0, np.nan)
        pvalue = np.where(equal, 1.0, np.nan)
        critical_difference = 0.0
    return AllPairs(
        test="tukey",
        first=first,
        second=second,
        difference=np.ldexp(difference, exponent),
        statistic=statistic,
        pvalue=pvalue,
        low=np.ldexp(difference - critical_difference, exponent),
        high=np.ldexp(difference + critical_difference, exponent),
        confidence_level=confidence_level,
        critical_difference=float(np.ldexp(critical_difference, exponent)),
        error=np.zeros(first.size),
        n=n,
        n_resamples=0,
        notes=table.notes,
    )


def randomised_tukey_hsd(
    scores: npt.ArrayLike, *, n_resamples: int = 10_000, confidence_level: float = 0.95, rng: Any = None
) -> AllPairs:
    """Randomised Tukey HSD: if all systems were equal, the scores of a query could be exchanged among them.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 systems.
    n_resamples
        Number of resamples, at least 1.
    confidence_level
        Level of the simultaneous intervals, in (0, 1).
    rng
        Seed or `numpy.random.Generator`; the same seed gives the same p-values.

    Returns
    -------
    AllPairs
        The statistic is |mean_i - mean_j|; `critical_difference` is the quantile of the ranges, and intervals are
        difference -+ it. p = 1 if all scores of each query are equal.

    Raises
    ------
    ParameterError
        A score is NaN, the shape is wrong, or an argument is out of range.

    Notes
    -----
    Each resample permutes the scores of every query among the systems and takes the range of the systems' means,
    highest less lowest. p of a pair = (1 + number of resamples whose range is at least |mean_i - mean_j|) / (1 +
    n_resamples). So the probability of any false finding is at the level, without assuming a distribution. Large true
    differences widen the ranges, so the test finds less than `tukey_hsd` among systems that differ much.

    References
    ----------
    Carterette (2012). Sakai (2018) has count / n_resamples, which can be 0.

    Examples
    --------
    >>> result = randomised_tukey_hsd([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6], [0.7, 0.8, 0.9]], n_resamples=999, rng=1)
    >>> bool((result.pvalue > 0).all())
    True
    """
    x = as_scores(scores, min_queries=1)
    check_share("confidence_level", confidence_level)
    check_count("n_resamples", n_resamples)
    draws = draw(as_generator(rng), n_resamples)
    centred = x - x.mean(axis=0)  # a constant for all systems changes the ranges by rounding only
    means = centred.mean(axis=1)
    first, second = all_pairs(x.shape[0])
    difference = means[first] - means[second]
    ranges = np.concatenate([np.ptp(chunk_means, axis=1) for chunk_means in permuted_means(centred, draws)])
    ranges.sort()
    threshold = np.abs(difference) - NOISE * np.abs(centred).max()
    count = (n_resamples - np.searchsorted(ranges, threshold)).astype(np.float64)
    pvalue, error = monte_carlo(count, n_resamples)
    critical_difference = float(np.quantile(ranges, confidence_level, method="higher"))
    return AllPairs(
        test="randomised tukey",
        first=first,
        second=second,
        difference=difference,
        statistic=np.abs(difference),
        pvalue=pvalue,
        low=difference - critical_difference,
        high=difference + critical_difference,
        confidence_level=confidence_level,
        critical_difference=critical_difference,
        error=error,
        n=x.shape[1],
        n_resamples=n_resamples,
        notes=() if centred.any() else ("no query tells the systems apart",),
    )

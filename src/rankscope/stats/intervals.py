"""Intervals of a mean: Student's, the bootstrap's (percentile, BCa), and those of shares of zeros and ones (Jeffreys,
Wilson, Tango).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, bootstrap_means, draw
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
from rankscope.stats.confusion import share_interval
from rankscope.stats.distributions import special
from rankscope.stats.inputs import (
    as_differences,
    as_generator,
    check_choice,
    check_count,
    check_share,
    count_note,
    is_constant,
    scale_rows,
)
from rankscope.typing import Bools, Floats

__all__ = [
    "Interval",
    "bootstrap_interval",
    "expanded_bca_ends",
    "jeffreys_interval",
    "percentile_ends",
    "t_interval",
    "tango_interval",
    "wilson_interval",
]


#: Bootstrap intervals of fewer queries come with a note.
FEW = 25
SHORT = (
    f"fewer than {FEW} {{0}}: bootstrap intervals are too narrow (those of 95 % hold the true mean in 80 to 95 % of "
    "cases); prefer the t interval"
)
#: So do those of lists of which more than half has one value, such as differences with many ties.
TIED = (
    "{0} one value on more than half of the {1}: bootstrap intervals are too narrow, however many {1} there are (those "
    "of 95 % hold the true mean in as few as 75 % of cases); prefer the t interval"
)
#: Most means of resamples held at once: 64 MB.
MEANS = 1 << 23
#: Halvings that find the ends of a Tango interval to the last bits.
HALVINGS = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class Interval:
    """A confidence interval for each mean; arrays of shape (lists), or () for a single list.

    Attributes
    ----------
    method
        Kind of interval.
    mean
        Observed mean.
    low, high
        Ends of the interval; NaN if the data leave them undefined.
    confidence_level
        Share of such intervals that hold the true mean.
    n
        Number of queries.
    n_resamples
        Number of resamples, 0 if there were none.
    degenerate
        Whether all values of the list are equal, so that nothing says how they vary.
    notes
        What a reader should know.
    """

    method: str
    mean: Floats
    low: Floats
    high: Floats
    confidence_level: float
    n: int
    n_resamples: int
    degenerate: Bools
    notes: tuple[str, ...]


def t_interval(
    values: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Interval:
    """Student's interval of a mean: mean -+ t s / sqrt(n), with n - 1 degrees of freedom.

    Parameters
    ----------
    values
        Scores or differences, (queries) or (lists, queries).
    confidence_level
        Level of the interval, in (0, 1).
    clusters
        The cluster of each query, whose values are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    Interval
        If all values are equal, low = high = mean, flagged as degenerate. For a single query or cluster low and high
        are NaN, flagged.

    Raises
    ------
    ParameterError
        A value is NaN, or the level is outside (0, 1).

    Notes
    -----
    With clusters or weights: mean -+ t times the standard error of the jackknife over clusters, with the effective
    number of clusters less 1 as degrees of freedom.

    References
    ----------
    Student (1908); agrees with scipy.stats.ttest_1samp(...).confidence_interval().

    Examples
    --------
    >>> result = t_interval([0.1, 0.2, 0.0, 0.3])
    >>> round(float(result.low), 4), round(float(result.high), 4)
    (-0.0554, 0.3554)
    """
    check_share("confidence_level", confidence_level)
    rows, shape = as_differences(values, "values")
    rows, exponent = scale_rows(rows)
    n = rows.shape[1]
    mean, n_units = rows.mean(axis=1), n
    half_width = np.full(len(rows), np.nan)
    if clusters is not None or weights is not None:
        units = cluster_sums(rows, clusters, weights)
        mean, degenerate, n_units = units.means, units.degenerate, units.n
        if n_units > 1:
            half_width = special().stdtrit(units.df, (1 + confidence_level) / 2) * units.standard_errors
    else:
        degenerate = is_constant(rows) | (n == 1)
        if n > 1:
            half_width = special().stdtrit(n - 1, (1 + confidence_level) / 2) * rows.std(axis=1, ddof=1) / np.sqrt(n)
    if n_units > 1:
        half_width[degenerate] = 0.0
    return Interval(
        method="t",
        mean=np.ldexp(mean, exponent).reshape(shape),
        low=np.ldexp(mean - half_width, exponent).reshape(shape),
        high=np.ldexp(mean + half_width, exponent).reshape(shape),
        confidence_level=confidence_level,
        n=n,
        n_resamples=0,
        degenerate=degenerate.reshape(shape),
        notes=interval_notes(degenerate, n_units, clustered=clusters is not None),
    )


def interval_notes(degenerate: Bools, n: int, *, clustered: bool) -> tuple[str, ...]:
    """Notes on intervals without a width. n: the number of queries, or of clusters if `clustered`."""
    unit = "cluster" if clustered else "query"
    if n == 1:
        return (f"one {unit}: a single value says nothing of how much values vary",)
    single = "all clusters have one mean" if clustered else "all values are one"
    return count_note(degenerate, f"{single}: the interval has no width", f"have one value on every {unit}: no width")


def jeffreys_interval(values: npt.ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Jeffreys' interval of a share, the mean of zeros and ones: quantiles of Beta(x + 1/2, n - x + 1/2).

    Parameters
    ----------
    values
        Zeros and ones, (queries) or (lists, queries).
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    Interval
        It lies within [0, 1]; without any one it begins at 0, without any zero it ends at 1. Never degenerate.

    Raises
    ------
    ParameterError
        A value is neither 0 nor 1, or the level is outside (0, 1).

    References
    ----------
    Brown, Cai and DasGupta (2001), "Interval estimation for a binomial proportion", section 4.1; agrees with
    statsmodels.stats.proportion.proportion_confint(method="jeffreys"), but for the ends at 0 and 1.

    Examples
    --------
    >>> result = jeffreys_interval([1, 1, 1, 1])
    >>> round(float(result.low), 4), float(result.high)
    (0.5552, 1.0)
    """
    check_share("confidence_level", confidence_level)
    rows, shape = outcomes(values)
    n, ones = rows.shape[1], rows.sum(axis=1)
    inverse = special().betaincinv
    tail = (1 - confidence_level) / 2
    low = np.where(ones == 0, 0.0, inverse(ones + 0.5, n - ones + 0.5, tail))
    high = np.where(ones == n, 1.0, inverse(ones + 0.5, n - ones + 0.5, 1 - tail))
    return interval_of_shares("jeffreys", ones / n, low, high, confidence_level, n, shape)


def wilson_interval(values: npt.ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Wilson's score interval of a share, the mean of zeros and ones.

    Parameters
    ----------
    values
        Zeros and ones, (queries) or (lists, queries).
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    Interval
        It lies within [0, 1], and has a width also where all values are equal. Never degenerate.

    Raises
    ------
    ParameterError
        A value is neither 0 nor 1, or the level is outside (0, 1).

    Notes
    -----
    The interval holds all shares p with |x / n - p| <= z sqrt(p (1 - p) / n).

    References
    ----------
    Wilson (1927), "Probable inference, the law of succession, and statistical inference"; agrees with
    statsmodels.stats.proportion.proportion_confint(method="wilson").

    Examples
    --------
    >>> result = wilson_interval([1, 1, 1, 1])
    >>> round(float(result.low), 4), float(result.high)
    (0.5101, 1.0)
    """
    check_share("confidence_level", confidence_level)
    rows, shape = outcomes(values)
    n, ones = rows.shape[1], rows.sum(axis=1)
    low, high = share_interval(ones, n, confidence_level=confidence_level)
    return interval_of_shares("wilson", ones / n, low, high, confidence_level, n, shape)


def outcomes(values: npt.ArrayLike) -> tuple[Floats, tuple[int, ...]]:
    """As `as_differences`, of zeros and ones. Raises ParameterError for other values."""
    rows, shape = as_differences(values, "values")
    if not ((rows == 0) | (rows == 1)).all():
        raise ParameterError("a value is neither 0 nor 1, expected outcomes; use another interval")
    return rows, shape


def tango_interval(differences: npt.ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Tango's score interval of the difference of two shares on the same queries.

    Parameters
    ----------
    differences
        Differences of zeros and ones: -1, 0 and 1; (queries) or (pairs, queries).
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    Interval
        It lies within [-1, 1], and has a width also where all differences are equal. Never degenerate.

    Raises
    ------
    ParameterError
        A difference is not -1, 0 or 1, or the level is outside (0, 1).

    Notes
    -----
    The interval holds all differences d that the score test of d does not refute. At d = 0 that is McNemar's test,
    (b - c) / sqrt(b + c), with b queries that only the first system has right, and c that only the second has.

    References
    ----------
    Tango (1998), "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design", equations 4 to 8.

    Examples
    --------
    >>> result = tango_interval([1] * 4 + [-1] + [0] * 15)
    >>> round(float(result.low), 4), round(float(result.high), 4)
    (-0.0867, 0.3832)
    """
    check_share("confidence_level", confidence_level)
    rows, shape = as_differences(differences, "differences")
    if not np.isin(rows, (-1.0, 0.0, 1.0)).all():
        raise ParameterError("a difference is not -1, 0 or 1, expected those of outcomes; use another interval")
    n = rows.shape[1]
    n_first, n_second = (rows > 0).sum(axis=1), (rows < 0).sum(axis=1)
    z = float(special().ndtri((1 + confidence_level) / 2))
    low = -tango_high(n_second, n_first, n, z)
    return interval_of_shares(
        "tango", (n_first - n_second) / n, low, tango_high(n_first, n_second, n, z), confidence_level, n, shape
    )


def tango_high(n_first: npt.NDArray[np.int64], n_second: npt.NDArray[np.int64], n: int, z: float) -> Floats:
    """The largest difference of the shares that is not refuted, by bisection."""
    low, high = (n_first - n_second) / n, np.ones(n_first.size)
    for _ in range(HALVINGS):
        d = (low + high) / 2
        # The share of queries that only the second has right, most likely if the true difference is d: 2n q^2 + b q + c
        # = 0.
        linear = (2 * n - n_first + n_second) * d - n_first - n_second
        share = (np.sqrt(np.maximum(linear**2 + 8 * n * n_second * d * (1 - d), 0.0)) - linear) / (4 * n)
        variance = np.maximum(2 * share + d * (1 - d), 0.0)
        is_refuted = n * d - (n_first - n_second) > z * np.sqrt(n * variance)
        low, high = np.where(is_refuted, low, d), np.where(is_refuted, d, high)
    return np.asarray((low + high) / 2)


def interval_of_shares(
    method: str, mean: Floats, low: Floats, high: Floats, confidence_level: float, n: int, shape: tuple[int, ...]
) -> Interval:
    """An interval of shares. shape: of the result, () for a single list."""
    return Interval(
        method=method,
        mean=mean.reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        confidence_level=confidence_level,
        n=n,
        n_resamples=0,
        degenerate=np.zeros(shape, np.bool_),
        notes=(),
    )


def bootstrap_interval(
    values: npt.ArrayLike,
    *,
    method: str = "bca",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: Any = None,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Interval:
    """A bootstrap interval of a mean, from the means of resamples with replacement.

    Parameters
    ----------
    values
        Scores or differences, (queries) or (lists, queries).
    method
        "percentile" takes quantiles of the resampled means; "bca" corrects these for bias and skewness.
    confidence_level
        Level of the interval, in (0, 1).
    n_resamples
        Number of resamples; all lists get the same ones.
    rng
        Seed or `numpy.random.Generator`.
    clusters
        The cluster of each query, whose values are not independent, (queries); clusters are drawn. None: all are
        independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    Interval
        Too narrow for fewer than 25 queries, with a note. If all values are equal, low = high = mean, flagged as
        degenerate. For a single query low and high are NaN, flagged.

    Raises
    ------
    ParameterError
        A value is NaN, or the level is outside (0, 1).

    References
    ----------
    Efron (1987); Efron and Tibshirani (1993), chapter 14; agrees with scipy.stats.bootstrap up to Monte Carlo error.

    Examples
    --------
    >>> result = bootstrap_interval([0.1, 0.2, 0.0, 0.3, 0.9], n_resamples=999, rng=1)
    >>> bool(0 < result.low < result.mean < result.high < 0.9)
    True
    """
    check_choice("method", method, ("bca", "percentile"))
    check_share("confidence_level", confidence_level)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(values, "values")
    rows, exponent = scale_rows(rows)
    draws = draw(as_generator(rng), n_resamples)
    n = rows.shape[1]
    if clusters is None and weights is None:
        units, degenerate = ClusterSums(sums=rows, weights=np.ones(n)), is_constant(rows) | (n == 1)
    else:
        units = cluster_sums(rows, clusters, weights)
        degenerate = units.degenerate
    mean = rows.mean(axis=1) if units.sums is rows else units.means
    ends = np.full((2, len(rows)), np.nan)
    if units.n > 1:
        ends[:, degenerate] = mean[degenerate]
    varying = np.flatnonzero(~degenerate)
    block_size = max(1, MEANS // n_resamples)
    for start in range(0, varying.size, block_size):  # each block draws the same resamples again
        block = varying[start : start + block_size]
        ends[:, block] = bootstrap_ends(replace(units, sums=units.sums[block]), method, confidence_level, draws)
    notes = interval_notes(degenerate, units.n, clustered=clusters is not None)
    return Interval(
        method=method,
        mean=np.ldexp(mean, exponent).reshape(shape),
        low=np.ldexp(ends[0], exponent).reshape(shape),
        high=np.ldexp(ends[1], exponent).reshape(shape),
        confidence_level=confidence_level,
        n=n,
        n_resamples=n_resamples,
        degenerate=degenerate.reshape(shape),
        notes=notes + narrow_notes(units, degenerate, "clusters" if clusters is not None else "queries"),
    )


def narrow_notes(units: ClusterSums, degenerate: Bools, kind: str) -> tuple[str, ...]:
    """Whether bootstrap intervals are too narrow. degenerate: (lists) all of whose values are the same."""
    few = (SHORT.format(kind),) if 1 < units.n < FEW else ()
    means = units.sums / units.weights
    most_common = np.median(means, axis=1, keepdims=True)  # if any value is that of more than half
    has_ties = ((means == most_common).mean(axis=1) > 0.5) & ~degenerate
    return few + count_note(has_ties, TIED.format("there is", kind), TIED.format("have", kind))


def bootstrap_ends(units: ClusterSums, method: str, confidence_level: float, draws: Draws) -> Floats:
    """(2, lists) the low and the high ends."""
    is_plain = bool((units.weights == 1).all())
    means = units.sums.mean(axis=1) if is_plain else units.means
    # The bias is then counted about 0.
    centred = replace(units, sums=units.sums - means[:, None] * units.weights)
    samples = bootstrap_means(centred.sums, draws) if is_plain else centred.resampled_means(draws)
    tail = (1 - confidence_level) / 2
    shares = np.broadcast_to(np.array([[tail], [1 - tail]]), (2, len(means)))
    if method == "bca":
        # The mean less that without a value is the value, but for a factor; of unequal clusters the mean is not 0.
        gaps = centred.sums if is_plain else centred.gaps - centred.gaps.mean(axis=1, keepdims=True)
        shares = bca_shares(gaps, samples, tail)
    samples.sort(axis=1)
    return np.asarray(quantiles(samples, shares) + means)


def bca_shares(centred: Floats, means: Floats, tail: float) -> Floats:
    """(2, lists) the shares of resamples whose quantiles are the ends of a BCa interval.

    Parameters
    ----------
    centred
        (lists, values) values less their mean; of clusters the mean less that without each, less the mean of these.
    means
        (lists, resamples) means of resamples of the centred values.
    tail
        Share of resamples beyond each end, before it is moved.

    Notes
    -----
    Phi(z0 + (z0 + z) / (1 - a (z0 + z))): z0 from the share of resamples below the mean (those equal to it count
    half), a a sixth of the skewness of the jackknife, which of a mean is that of the values over sqrt(n).
    """
    functions = special()
    noise = NOISE * np.abs(centred).max(axis=1, keepdims=True)
    share_below = ((means < -noise).mean(axis=1) + (means <= noise).mean(axis=1)) / 2
    min_share = 0.5 / means.shape[1]
    bias = functions.ndtri(np.clip(share_below, min_share, 1 - min_share))
    skew = (centred**3).sum(axis=1) / (6 * (centred**2).sum(axis=1) ** 1.5)
    z = bias + functions.ndtri(np.array([[tail], [1 - tail]]))
    denominator = 1 - skew * z  # 0 only at levels so high that the quantile is the last one
    shifted = np.where(denominator > 0, z / np.where(denominator > 0, denominator, 1.0), np.copysign(np.inf, z))
    return np.asarray(functions.ndtr(bias + shifted))


def percentile_ends(samples: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """The low and the high end between which this share of the samples lies.

    NaN samples are skipped; the ends are NaN if all samples are. samples: (..., resamples).
    """
    tail = (1 - confidence_level) / 2
    ends = np.full((2, *samples.shape[:-1]), np.nan)
    has_samples = ~np.isnan(samples).all(axis=-1)
    if has_samples.any():
        known_samples = samples[has_samples]
        quantile = np.nanquantile if np.isnan(known_samples).any() else np.quantile
        ends[:, has_samples] = quantile(known_samples, [tail, 1 - tail], axis=-1)
    return ends[0], ends[1]


def expanded_bca_ends(
    values: Floats, samples: Floats, left_out: Floats, repeats: Floats, n: Floats, confidence_level: float
) -> tuple[Floats, Floats]:
    """The ends of the BCa interval of any statistic, with Student's quantiles in the place of normal ones.

    Phi(z0 + (z0 + c) / (1 - a (z0 + c))), c = -+ sqrt(n / (n - 1)) t: as BCa, but in small samples as much wider as
    Student's interval of a mean is. NaN if fewer than half of the resamples have a value, or all have the same.

    Parameters
    ----------
    values
        (lists) the statistics of the data.
    samples
        (lists, resamples) those of the resamples, NaN where there is none. They are sorted in place.
    left_out
        (lists, units) those without one unit of the data.
    repeats
        (units) how many units are alike.
    n
        (lists) how many units each statistic is of.
    confidence_level
        Level of the interval.

    References
    ----------
    Efron (1987) for BCa; Hesterberg (2015), "What teachers should know about the bootstrap", for the quantiles.
    """
    functions, n_resamples = special(), samples.shape[1]
    n_known = (~np.isnan(samples)).sum(axis=1)
    noise = NOISE * (1 + np.abs(np.nan_to_num(values)))[:, None]
    middle = values[:, None]
    n_below = ((samples < middle - noise).sum(axis=1) + (samples <= middle + noise).sum(axis=1)) / 2
    min_share = 0.5 / n_resamples
    bias = functions.ndtri(np.clip(n_below / np.maximum(n_known, 1), min_share, 1 - min_share))
    # One unit has no interval; two have nearly all of the resamples.
    half = np.sqrt(n / (n - 1)) * functions.stdtrit(n - 1, (1 + confidence_level) / 2)
    z = bias + np.array([[-1.0], [1.0]]) * half
    denominator = 1 - jackknife_skew(left_out, repeats) * z
    shifted = np.where(denominator > 0, z / np.where(denominator > 0, denominator, 1.0), np.copysign(np.inf, z))
    samples.sort(axis=1)  # NaN at the end
    last = np.maximum(n_known - 1, 0)
    position = functions.ndtr(bias + shifted) * last
    lower = np.floor(position).astype(np.int64)
    ends = [np.take_along_axis(samples, index.T, axis=1).T for index in (lower, np.minimum(lower + 1, last))]
    low_high = ends[0] + (position - lower) * (ends[1] - ends[0])
    spread = np.take_along_axis(samples, last[:, None], axis=1)[:, 0] - samples[:, 0]
    low_high[:, (n_known < n_resamples / 2) | np.isnan(values) | ~(spread > noise[:, 0])] = np.nan
    return low_high[0], low_high[1]


def jackknife_skew(left_out: Floats, repeats: Floats) -> Floats:
    """(lists) a sixth of the skewness of the jackknife, the acceleration of BCa; units without a value are skipped."""
    is_known = ~np.isnan(left_out)
    weights = is_known * repeats
    filled = np.where(is_known, left_out, 0.0)
    mean = (weights * filled).sum(axis=1, keepdims=True) / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    gaps = np.where(is_known, mean - filled, 0.0)
    squares, cubes = (weights * gaps**2).sum(axis=1), (weights * gaps**3).sum(axis=1)
    none = np.zeros_like(squares)
    return np.asarray(np.divide(cubes, 6 * squares**1.5, out=none, where=squares > NOISE**2))


def quantiles(sorted_values: Floats, shares: Floats) -> Floats:
    """(2, lists) quantiles of each list of sorted values, linearly interpolated."""
    position = shares * (sorted_values.shape[1] - 1)
    lower_index = np.floor(position).astype(np.int64)
    upper_index = np.minimum(lower_index + 1, sorted_values.shape[1] - 1)
    low = np.take_along_axis(sorted_values, lower_index.T, axis=1).T
    high = np.take_along_axis(sorted_values, upper_index.T, axis=1).T
    return np.asarray(low + (position - lower_index) * (high - low))

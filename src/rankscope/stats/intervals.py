"""Intervals of a mean: Student's, and the percentile and BCa intervals of the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import Draws, bootstrap_means, draw
from rankscope.kernels.rounding_ties import NOISE
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
    "percentile_ends",
    "t_interval",
]


#: Bootstrap intervals of fewer queries come with a note.
FEW = 25
SHORT = (
    f"fewer than {FEW} queries: bootstrap intervals are too narrow (of 10 queries, those of 95 % hold the true mean in "
    "about 90 % of cases); prefer the t interval"
)
#: Most means of resamples held at once: 64 MB.
MEANS = 1 << 23


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


def t_interval(values: npt.ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Student's interval of a mean: mean -+ t s / sqrt(n), with n - 1 degrees of freedom.

    Parameters
    ----------
    values
        Scores or differences, (queries) or (lists, queries).
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    Interval
        If all values are equal, low = high = mean, flagged as degenerate. For a single query low and high are NaN,
        flagged.

    Raises
    ------
    ParameterError
        A value is NaN, or the level is outside (0, 1).

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
    mean = rows.mean(axis=1)
    half_width = np.full(len(rows), np.nan)
    if n > 1:
        half_width = special().stdtrit(n - 1, (1 + confidence_level) / 2) * rows.std(axis=1, ddof=1) / np.sqrt(n)
    degenerate = is_constant(rows) | (n == 1)
    if n > 1:
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
        notes=interval_notes(degenerate, n),
    )


def interval_notes(degenerate: Bools, n: int) -> tuple[str, ...]:
    if n == 1:
        return ("one query: a single value says nothing of how much values vary",)
    single = "all values are one: the interval has no width"
    return count_note(degenerate, single, "have one value on every query: no width")


def bootstrap_interval(
    values: npt.ArrayLike,
    *,
    method: str = "bca",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: Any = None,
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
    mean = rows.mean(axis=1)
    degenerate = is_constant(rows) | (n == 1)
    ends = np.full((2, len(rows)), np.nan)
    if n > 1:
        ends[:, degenerate] = mean[degenerate]
    varying = np.flatnonzero(~degenerate)
    block_size = max(1, MEANS // n_resamples)
    for start in range(0, varying.size, block_size):  # each block draws the same resamples again
        block = varying[start : start + block_size]
        ends[:, block] = bootstrap_ends(rows[block], method, confidence_level, draws)
    return Interval(
        method=method,
        mean=np.ldexp(mean, exponent).reshape(shape),
        low=np.ldexp(ends[0], exponent).reshape(shape),
        high=np.ldexp(ends[1], exponent).reshape(shape),
        confidence_level=confidence_level,
        n=n,
        n_resamples=n_resamples,
        degenerate=degenerate.reshape(shape),
        notes=interval_notes(degenerate, n) + ((SHORT,) if 1 < n < FEW else ()),
    )


def bootstrap_ends(rows: Floats, method: str, confidence_level: float, draws: Draws) -> Floats:
    """(2, lists) the low and the high ends."""
    centred = rows - rows.mean(axis=1, keepdims=True)  # the bias is then counted about 0
    means = bootstrap_means(centred, draws)
    tail = (1 - confidence_level) / 2
    shares = np.broadcast_to(np.array([[tail], [1 - tail]]), (2, len(rows)))
    if method == "bca":
        shares = bca_shares(centred, means, tail)
    means.sort(axis=1)
    return np.asarray(quantiles(means, shares) + rows.mean(axis=1))


def bca_shares(centred: Floats, means: Floats, tail: float) -> Floats:
    """(2, lists) the shares whose quantiles are the ends.

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


def quantiles(sorted_values: Floats, shares: Floats) -> Floats:
    """(2, lists) quantiles of each list of sorted values, linearly interpolated."""
    position = shares * (sorted_values.shape[1] - 1)
    lower_index = np.floor(position).astype(np.int64)
    upper_index = np.minimum(lower_index + 1, sorted_values.shape[1] - 1)
    low = np.take_along_axis(sorted_values, lower_index.T, axis=1).T
    high = np.take_along_axis(sorted_values, upper_index.T, axis=1).T
    return np.asarray(low + (position - lower_index) * (high - low))

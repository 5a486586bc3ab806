"""Intervals of a mean: Student's, and from bootstrap resamples the percentile and the BCa interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import Draws, bootstrap_means, draw
from rankscope.kernels.ties import NOISE
from rankscope.stats.distributions import special
from rankscope.stats.inputs import (
    as_differences,
    as_generator,
    check_choice,
    check_count,
    check_share,
    constant,
    counted,
    levelled,
)
from rankscope.typing import Bools, Floats

__all__ = [
    "Interval",
    "bootstrap_interval",
    "percentile_ends",
    "t_interval",
]


#: Of fewer queries, what a bootstrap interval comes with.
FEW = 25
SHORT = (
    f"fewer than {FEW} queries: bootstrap intervals are too narrow (of 10 queries, those of 95 % hold the true mean in "
    "about 90 % of cases); prefer the t interval"
)
#: Means of resamples that are held at once: 64 MB.
MEANS = 1 << 23


@dataclass(frozen=True, eq=False, kw_only=True)
class Interval:
    """An interval for each mean; arrays of shape (lists), or () where one list was given.

    low, high: NaN where the data leave them undefined, see `degenerate`. confidence_level: the share of such intervals
    that hold the true mean. degenerate: all values of the list are one, so that nothing says how they vary.
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

    values: (queries) or (lists, queries), scores or differences. All values one: low = high = mean, flagged as
    degenerate. One query: low and high are NaN, flagged. Raises ParameterError for NaN, for a level outside (0, 1).

    Source: Student (1908); agrees with scipy.stats.ttest_1samp(...).confidence_interval().

    >>> found = t_interval([0.1, 0.2, 0.0, 0.3])
    >>> round(float(found.low), 4), round(float(found.high), 4)
    (-0.0554, 0.3554)
    """
    check_share("confidence_level", confidence_level)
    rows, shape = as_differences(values, "values")
    rows, power = levelled(rows)
    n = rows.shape[1]
    mean = rows.mean(axis=1)
    half = np.full(len(rows), np.nan)
    if n > 1:
        half = special().stdtrit(n - 1, (1 + confidence_level) / 2) * rows.std(axis=1, ddof=1) / np.sqrt(n)
    flat = constant(rows) | (n == 1)
    if n > 1:
        half[flat] = 0.0
    return Interval(
        method="t",
        mean=np.ldexp(mean, power).reshape(shape),
        low=np.ldexp(mean - half, power).reshape(shape),
        high=np.ldexp(mean + half, power).reshape(shape),
        confidence_level=confidence_level,
        n=n,
        n_resamples=0,
        degenerate=flat.reshape(shape),
        notes=interval_notes(flat, n),
    )


def interval_notes(flat: Bools, n: int) -> tuple[str, ...]:
    if n == 1:
        return ("one query: a single value says nothing of how much values vary",)
    return counted(flat, "all values are one: the interval has no width", "have one value on every query: no width")


def bootstrap_interval(
    values: npt.ArrayLike,
    *,
    method: str = "bca",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: Any = None,
) -> Interval:
    """A bootstrap interval of a mean, from the means of resamples with replacement.

    method: "percentile" takes their quantiles; "bca" moves these for bias and skewness. All lists get the same
    resamples. values: (queries) or (lists, queries). Of fewer than 25 queries it is too narrow, and a note says so. All
    values one: low = high = mean, flagged as degenerate. One query: low and high are NaN, flagged. Raises
    ParameterError for NaN, for a level outside (0, 1).

    Source: Efron (1987); Efron and Tibshirani (1993), chapter 14; agrees with
    scipy.stats.bootstrap up to Monte Carlo error.

    >>> found = bootstrap_interval([0.1, 0.2, 0.0, 0.3, 0.9], n_resamples=999, rng=1)
    >>> bool(0 < found.low < found.mean < found.high < 0.9)
    True
    """
    check_choice("method", method, ("bca", "percentile"))
    check_share("confidence_level", confidence_level)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(values, "values")
    rows, power = levelled(rows)
    draws = draw(as_generator(rng), n_resamples)
    n = rows.shape[1]
    mean = rows.mean(axis=1)
    flat = constant(rows) | (n == 1)
    ends = np.full((2, len(rows)), np.nan)
    if n > 1:
        ends[:, flat] = mean[flat]
    some = np.flatnonzero(~flat)
    at_once = max(1, MEANS // n_resamples)
    for start in range(0, some.size, at_once):  # each part draws the same resamples again
        part = some[start : start + at_once]
        ends[:, part] = bootstrap_ends(rows[part], method, confidence_level, draws)
    return Interval(
        method=method,
        mean=np.ldexp(mean, power).reshape(shape),
        low=np.ldexp(ends[0], power).reshape(shape),
        high=np.ldexp(ends[1], power).reshape(shape),
        confidence_level=confidence_level,
        n=n,
        n_resamples=n_resamples,
        degenerate=flat.reshape(shape),
        notes=interval_notes(flat, n) + ((SHORT,) if 1 < n < FEW else ()),
    )


def bootstrap_ends(rows: Floats, method: str, confidence_level: float, draws: Draws) -> Floats:
    """(2, lists) the low and the high end."""
    centred = rows - rows.mean(axis=1, keepdims=True)  # the bias is then counted about 0
    means = bootstrap_means(centred, draws)
    tail = (1 - confidence_level) / 2
    shares = np.broadcast_to(np.array([[tail], [1 - tail]]), (2, len(rows)))
    if method == "bca":
        shares = bca_shares(centred, means, tail)
    means.sort(axis=1)
    return np.asarray(quantiles(means, shares) + rows.mean(axis=1))


def bca_shares(centred: Floats, means: Floats, tail: float) -> Floats:
    """(2, lists) which quantiles to take.

    Phi(z0 + (z0 + z) / (1 - a (z0 + z))): z0 from the share of resamples below the mean (those equal to it count
    half), a a sixth of the skewness of the jackknife, which of a mean is that of the values over sqrt(n).
    """
    functions = special()
    noise = NOISE * np.abs(centred).max(axis=1, keepdims=True)
    below = ((means < -noise).mean(axis=1) + (means <= noise).mean(axis=1)) / 2
    least = 0.5 / means.shape[1]
    bias = functions.ndtri(np.clip(below, least, 1 - least))
    skew = (centred**3).sum(axis=1) / (6 * (centred**2).sum(axis=1) ** 1.5)
    z = bias + functions.ndtri(np.array([[tail], [1 - tail]]))
    room = 1 - skew * z  # 0 only at levels so high that the quantile asked for is the last one
    moved = np.where(room > 0, z / np.where(room > 0, room, 1.0), np.copysign(np.inf, z))
    return np.asarray(functions.ndtr(bias + moved))


def percentile_ends(drawn: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """The low and the high end between which this share of resamples lies, (..., resamples); those that are NaN are
    left out, and where all are there is no end either.
    """
    tail = (1 - confidence_level) / 2
    found = np.full((2, *drawn.shape[:-1]), np.nan)
    some = ~np.isnan(drawn).all(axis=-1)
    if some.any():
        kept = drawn[some]
        quantile = np.nanquantile if np.isnan(kept).any() else np.quantile
        found[:, some] = quantile(kept, [tail, 1 - tail], axis=-1)
    return found[0], found[1]


def quantiles(rising: Floats, shares: Floats) -> Floats:
    """(2, lists) quantiles of each list of sorted values, between two values by a straight line."""
    place = shares * (rising.shape[1] - 1)
    before = np.floor(place).astype(np.int64)
    behind = np.minimum(before + 1, rising.shape[1] - 1)
    low = np.take_along_axis(rising, before.T, axis=1).T
    high = np.take_along_axis(rising, behind.T, axis=1).T
    return np.asarray(low + (place - before) * (high - low))

"""Prediction-powered estimates of a mean: from few values of people and many of a machine.

The units (queries) that people judged are a random sample of those that the machine judged, and all of them are a
sample of a population, whose mean is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_differences, check_share, is_real
from rankscope.stats.intervals import t_interval
from rankscope.typing import Bools, Floats

__all__ = [
    "FEWEST",
    "HumanSpread",
    "PredictionPowered",
    "combined_half",
    "prediction_powered",
    "spread_of",
]


#: With fewer values of people, no weight can be estimated; the machine is then ignored.
FEWEST = 5
#: A mean over a distribution is taken over this many equally likely cases.
NODES = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionPowered:
    """Estimates of the mean of human values; arrays of shape (lists), or () for a single list.

    Attributes
    ----------
    human, human_low, human_high
        Mean of the human values, and Student's interval.
    machine, machine_low, machine_high
        Mean of the machine's values on all queries, and the interval of this mean.
    bias, bias_low, bias_high
        By how much the machine's values exceed the human ones, on the queries that both judged.
    combined, combined_low, combined_high
        The prediction-powered estimate. Ends of intervals are NaN if a single value says nothing of how they vary.
    weight
        Weight of the machine, 0 if it is ignored.
    effective
        Number of human values that would be as certain alone, n var(human) / var(combined); NaN if nothing varies.
    n
        Number of queries with human values.
    n_all
        Number of queries with values of the machine, including those.
    confidence_level
        Level of the intervals.
    """

    human: Floats
    human_low: Floats
    human_high: Floats
    machine: Floats
    machine_low: Floats
    machine_high: Floats
    bias: Floats
    bias_low: Floats
    bias_high: Floats
    combined: Floats
    combined_low: Floats
    combined_high: Floats
    weight: Floats
    effective: Floats
    n: int
    n_all: int
    confidence_level: float


def prediction_powered(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    others: npt.ArrayLike,
    *,
    weight: float | None = None,
    confidence_level: float = 0.95,
) -> PredictionPowered:
    """Estimate the mean of human values from those on some queries and a machine's on all.

    Parameters
    ----------
    human, machine
        Values of the same n queries, (queries) or (lists, queries).
    others
        Values of the machine on the N - n queries without human values; may be empty.
    weight
        Weight w of the machine: 1 is the mean of the machine over all, plus the mean difference of human and machine; 0
        ignores the machine. Default: tuned.
    confidence_level
        Level of the intervals, in (0, 1).

    Returns
    -------
    PredictionPowered
        The combined interval is never wider than the human one.

    Raises
    ------
    ParameterError
        Shapes do not match, a value is NaN, the level is outside (0, 1), or the weight is not a finite number.

    Notes
    -----
    The estimate is mean(human) + w (mean of machine over all N - mean of machine over the n).

    The tuned weight is cov(human, machine) / var(machine), at least 0, where the variance is that of the n or of all N,
    whichever is greater, so that few queries with very similar values do not make w large. If the interval would not
    become narrower, and for fewer than 5 queries, w is 0.

    The variance with a tuned weight is the greater of two estimates, each from residuals whose weight was found without
    the query itself (leave-one-out): with this weight, and with that of least squares. Student's quantile has n - 2
    degrees of freedom; with a given weight the variance is the plain one, with n - 1.

    References
    ----------
    Angelopoulos et al. (2023), "Prediction-powered inference", and PPI++ (Angelopoulos, Duchi and Zrnic 2023), whose
    weight is w (1 - n / N), since its mean of the machine excludes the queries with human values. Leave-one-out
    residuals instead of plain ones, and Student's quantiles instead of normal ones, keep the level with few queries.

    Examples
    --------
    >>> result = prediction_powered([0.2, 0.6, 0.4], [0.3, 0.7, 0.8], [0.5, 0.1, 0.6], weight=1)
    >>> round(float(result.machine), 4), round(float(result.bias), 4), round(float(result.combined), 4)
    (0.5, 0.2, 0.3)
    """
    check_share("confidence_level", confidence_level)
    h, shape = as_differences(human, "values of people")
    m, machine_shape = as_differences(machine, "values of the machine")
    other_values = np.asarray(others, np.float64)
    u = np.empty((len(m), 0))
    if other_values.size:
        u, _ = as_differences(other_values, "other values of the machine")
    if machine_shape != shape or m.shape != h.shape or len(u) != len(m):
        raise ParameterError(
            f"values of people have shape {h.shape}, of the machine {m.shape} and {u.shape}, expected as many lists in "
            "all, and values of the same queries from both"
        )
    if weight is not None and not (is_real(weight) and np.isfinite(weight)):
        raise ParameterError(f"weight is {weight!r}, expected a finite number, as 1, or None to tune it")
    n, n_all = h.shape[1], m.shape[1] + u.shape[1]
    all_machine = np.concatenate((m, u), axis=1)
    human_interval, machine_interval, bias_interval = (
        t_interval(x, confidence_level=confidence_level) for x in (h, all_machine, m - h)
    )
    if weight is None:
        w, variance, half_width = tune_weight(h, m, all_machine, confidence_level)
    else:
        w = np.full(len(h), float(weight))
        variance = fixed_variance(h, m, all_machine, w)
        half_width = quantile(n - 1, confidence_level) * np.sqrt(variance)
    human_variance = h.var(axis=1, ddof=1) / n if n > 1 else np.full(len(h), np.nan)
    if weight is None:
        human_half_width = (human_interval.high - human_interval.low) / 2
        not_narrower = ~(half_width < human_half_width)  # also if it is NaN
        w, half_width = np.where(not_narrower, 0.0, w), np.where(not_narrower, human_half_width, half_width)
        variance = np.where(not_narrower, human_variance, variance)
    combined = h.mean(axis=1) + w * (all_machine.mean(axis=1) - m.mean(axis=1))
    effective = np.divide(n * human_variance, variance, out=np.full(len(h), np.nan), where=variance > 0)
    return PredictionPowered(
        human=human_interval.mean.reshape(shape),
        human_low=human_interval.low.reshape(shape),
        human_high=human_interval.high.reshape(shape),
        machine=machine_interval.mean.reshape(shape),
        machine_low=machine_interval.low.reshape(shape),
        machine_high=machine_interval.high.reshape(shape),
        bias=bias_interval.mean.reshape(shape),
        bias_low=bias_interval.low.reshape(shape),
        bias_high=bias_interval.high.reshape(shape),
        combined=combined.reshape(shape),
        combined_low=(combined - half_width).reshape(shape),
        combined_high=(combined + half_width).reshape(shape),
        weight=w.reshape(shape),
        effective=effective.reshape(shape),
        n=n,
        n_all=n_all,
        confidence_level=confidence_level,
    )


def quantile(df: int, confidence_level: float) -> float:
    """The quantile of Student's t for an interval; NaN without a degree of freedom."""
    return float(special().stdtrit(df, (1 + confidence_level) / 2)) if df > 0 else float("nan")


def fixed_variance(h: Floats, m: Floats, all_machine: Floats, w: Floats) -> Floats:
    """(lists) the variance of the estimate with a given weight: that of the mean over the queries that people judged,
    plus that of the mean over the others, which is independent of it.
    """
    n, n_all = h.shape[1], all_machine.shape[1]
    if n < 2:
        return np.full(len(h), np.nan)
    machine_share = (w * (1 - n / n_all))[:, None]
    variance = (h - machine_share * m).var(axis=1, ddof=1) / n
    if n_all > n:
        variance = variance + machine_share[:, 0] ** 2 * all_machine.var(axis=1, ddof=1) / (n_all - n)
    return np.asarray(variance)


def tune_weight(h: Floats, m: Floats, all_machine: Floats, confidence_level: float) -> tuple[Floats, Floats, Floats]:
    """(lists) the weight that minimises the variance, this variance, and half the width of the interval."""
    n, n_all = h.shape[1], all_machine.shape[1]
    if n < FEWEST or n_all == n:
        undefined = np.full(len(h), np.nan)
        return np.zeros(len(h)), undefined, undefined
    x, y = m - m.mean(axis=1, keepdims=True), h - h.mean(axis=1, keepdims=True)
    xy, xx = (x * y).sum(axis=1, keepdims=True), (x * x).sum(axis=1, keepdims=True)
    var = all_machine.var(axis=1, ddof=1)[:, None]
    w = slopes(xy, np.maximum(xx, (n - 1) * var))
    # Sums without query i: those of all queries, less n / (n - 1) times its product of deviations.
    factor = n / (n - 1)
    weights_without = slopes(xy - factor * x * y, np.maximum(xx - factor * x * x, (n - 2) * var))
    unjudged_share = 1 - n / n_all
    rectified = h - unjudged_share * weights_without * (m - all_machine.mean(axis=1, keepdims=True))
    tuned_variance = rectified.var(axis=1, ddof=1) / n + ((unjudged_share * w) ** 2 * var)[:, 0] / (n_all - n)
    # Least squares: the residual of a query that the fit leaves out is its residual over 1 - leverage.
    b = np.divide(xy, xx, out=np.zeros_like(xy), where=xx > 0)
    distance = 1 - 1 / n - np.divide(x * x, xx, out=np.zeros_like(x), where=xx > 0)
    residual = (y - b * x) / np.maximum(distance, 1e-9)
    least_squares_variance = (residual**2).sum(axis=1) / ((n - 1) * n) + (b**2 * var)[:, 0] / n_all
    variance = np.maximum(tuned_variance, least_squares_variance)
    return w[:, 0], variance, quantile(n - 2, confidence_level) * np.sqrt(variance)


def slopes(xy: Floats, xx: Floats) -> Floats:
    """Weights of the machine: at least 0, and 0 where its values do not vary."""
    return np.maximum(np.divide(xy, xx, out=np.zeros_like(xy), where=xx > 0), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanSpread:
    """How human values vary, and how much of that the machine predicts; arrays of shape (lists).

    Attributes
    ----------
    sd
        Standard deviation of the human values.
    explained
        Share of their variance that a linear regression on the machine's values explains, in [0, 1], adjusted for the
        fit.
    """

    sd: Floats
    explained: Floats

    @property
    def constant(self) -> Bools:
        return np.asarray(~(self.sd > 0), np.bool_)


def spread_of(human: npt.ArrayLike, machine: npt.ArrayLike) -> HumanSpread:
    """How well the machine predicts human values.

    Parameters
    ----------
    human, machine
        Values, (lists, queries), at least 5 queries.

    Returns
    -------
    HumanSpread
        Standard deviation and explained share.

    Raises
    ------
    ParameterError
        Shapes do not fit, a value is NaN, or there are fewer queries.

    Examples
    --------
    >>> result = spread_of([[0.0, 1.0, 2.0, 3.0, 5.0]], [[0.0, 1.0, 2.0, 3.0, 5.0]])
    >>> round(float(result.sd[0]), 4), round(float(result.explained[0]), 4)
    (1.9235, 1.0)
    """
    h, m = as_differences(human, "values of people")[0], as_differences(machine, "values of the machine")[0]
    if h.shape != m.shape or h.shape[1] < FEWEST:
        raise ParameterError(
            f"values of people have shape {h.shape}, of the machine {m.shape}, expected values of the same queries, at "
            f"least {FEWEST}"
        )
    n = h.shape[1]
    x, y = m - m.mean(axis=1, keepdims=True), h - h.mean(axis=1, keepdims=True)
    xy, xx, yy = (x * y).sum(axis=1), (x * x).sum(axis=1), (y * y).sum(axis=1)
    product = xx * yy
    squared_correlation = np.divide(xy**2, product, out=np.zeros_like(xy), where=(product > 0) & (xy > 0))
    explained = np.clip(1 - (1 - squared_correlation) * (n - 1) / (n - 2), 0.0, 1.0)
    return HumanSpread(sd=h.std(axis=1, ddof=1), explained=explained)


def combined_half(n: int, n_all: int, sd: float, explained: float, *, confidence_level: float = 0.95) -> float:
    """Half the expected width of the combined interval, if people judge n of n_all queries.

    Parameters
    ----------
    n, n_all
        Numbers of queries that people judge, and of all.
    sd, explained
        As of `spread_of`.
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    float
        That of human values alone, t sd / sqrt(n), if it is narrower, as below 6 queries.

    Notes
    -----
    Otherwise, with r = explained, the mean of t sd sqrt(c (1 - r) / n + r v). c is how much greater leave-one-out
    residuals are than plain ones on average, (n / (n - 1))^2 (n - 3) / (n - 4) for normal values; v is what the machine
    leaves, see `left_by_machine`. t has n - 1 degrees of freedom, or n - 2.

    Examples
    --------
    >>> round(combined_half(50, 1000, 0.25, 0.0), 4), round(combined_half(50, 1000, 0.25, 0.8), 4)
    (0.071, 0.0366)
    """
    human_half_width = quantile(n - 1, confidence_level) * sd / np.sqrt(n)
    if n <= FEWEST or n >= n_all:
        return float(human_half_width)
    c = (n / (n - 1)) ** 2 * (n - 3) / (n - 4)
    relative_error = np.sqrt(c * (1 - explained) / n + explained * left_by_machine(n, n_all)).mean()
    return float(min(human_half_width, quantile(n - 2, confidence_level) * sd * relative_error))


@lru_cache(maxsize=1 << 12)
def left_by_machine(n: int, n_all: int) -> Floats:
    """(NODES) the variance that is left of what the machine foretells, in units of it, for as many equally likely
    samples of n of its n_all values, these being normal.

    1 / n_all, were the weight right. In a sample whose values of the machine vary less than all of them, by the factor
    x, the weight is too small by as much; it is the smaller still without a query, by how far that query is out: of the
    sum of squares its share is a Beta variable.
    """
    probabilities = (np.arange(NODES) + 0.5) / NODES
    x = special().gammaincinv((n - 1) / 2, probabilities) * 2 / (n - 1)
    query_share = special().betaincinv(0.5, (n - 2) / 2, probabilities)
    query_share /= query_share.mean() * (n - 1)  # the mean is known
    unjudged_share = 1 - n / n_all
    weight_without = np.minimum(1, (n - 1) / (n - 2) * x[:, None] * (1 - query_share))
    judged_variance = (n - 1) * x * (query_share * (1 - unjudged_share * weight_without) ** 2).mean(axis=1)
    return np.asarray(judged_variance / n + (unjudged_share * np.minimum(1, x)) ** 2 / (n_all - n))

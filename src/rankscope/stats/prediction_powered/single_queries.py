"""Combined estimates where all queries are independent and count the same: the weight of the machine, and the variance
from residuals of fits without the query itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.stats.distributions import special
from rankscope.typing import Floats

__all__ = [
    "FEWEST",
    "Combined",
    "independent_estimates",
    "quantile",
    "slopes",
]


#: With fewer values of people, no weight can be estimated; the machine is then ignored.
FEWEST = 5


class Combined(NamedTuple):
    """What combined estimates are made of; each is (lists).

    Attributes
    ----------
    human_mean, adjustment
        People's mean, and what the machine adds to it, its weight counted.
    weight
        Weight of the machine.
    variance, half_width
        The variance of both combined, and half the width of its interval.
    human_variance
        The variance of people's mean.
    """

    human_mean: Floats
    adjustment: Floats
    weight: Floats
    variance: Floats
    half_width: Floats
    human_variance: Floats


def independent_estimates(
    h: Floats, all_machine: Floats, machine_weight: float | None, confidence_level: float
) -> Combined:
    """The estimates where all queries are independent and count the same."""
    n = h.shape[1]
    m = all_machine[:, :n]
    if machine_weight is None:
        w, variance, half_width = tune_weight(h, m, all_machine, confidence_level)
    else:
        w = np.full(len(h), float(machine_weight))
        variance = fixed_variance(h, m, all_machine, w)
        half_width = quantile(n - 1, confidence_level) * np.sqrt(variance)
    human_variance = h.var(axis=1, ddof=1) / n if n > 1 else np.full(len(h), np.nan)
    shift = all_machine.mean(axis=1) - m.mean(axis=1)
    return Combined(h.mean(axis=1), w * shift, w, variance, half_width, human_variance)


def quantile(df: float, confidence_level: float) -> float:
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

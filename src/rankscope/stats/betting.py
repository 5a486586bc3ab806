"""Betting: tests and bounds of a mean of bounded values that hold for every distribution, and at any time.

A gambler bets that the mean is above some value, with stakes that rest on earlier values only. If the mean is not above
it, the capital does not grow in expectation, and reaches 1 / alpha with a probability of at most alpha, however often
one looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.inputs import as_differences, check_share
from rankscope.typing import Floats

__all__ = [
    "BettingTest",
    "betting_bound",
    "betting_test",
]


#: What the gambler believes of values in [0, 1] before the first, as one value of this mean and variance.
PRIOR_MEAN, PRIOR_VARIANCE = 0.5, 0.25
#: The largest stake, as a share of one that could lose everything.
LARGEST_STAKE = 0.9
#: Means at which the capital is computed first, and halvings of the interval between two of them.
GRID, HALVINGS = 65, 24


@dataclass(frozen=True, eq=False, kw_only=True)
class BettingTest:
    """The test of each list; arrays of shape (lists), or () for a single one.

    Attributes
    ----------
    mean
        The mean of the values.
    low
        Lower bound of the true mean, at the level 1 - alpha; the largest of the bounds after each value.
    pvalue
        Of the hypothesis that the true mean is at most `null`: 1 over the largest capital so far, at most 1.
    n
        Number of values.
    """

    mean: Floats
    low: Floats
    pvalue: Floats
    n: int


def betting_test(
    values: npt.ArrayLike, *, null: float = 0.0, low: float = -1.0, high: float = 1.0, alpha: float = 0.05
) -> BettingTest:
    """Test whether the mean of bounded values is above a number, whatever their distribution.

    Parameters
    ----------
    values
        The values in the order in which they are bet on, (values) or (lists, values). The order must be fixed before
        they are known.
    null
        The number: the hypothesis is that the mean is at most this.
    low, high
        The range of the values.
    alpha
        Level of the lower bound.

    Returns
    -------
    BettingTest
        The p-value is valid at any time: one may look after each value, and stop when it is small enough.

    Raises
    ------
    ParameterError
        A value is NaN or outside the range, or the level is outside (0, 1).

    Notes
    -----
    With values in [0, 1], the capital after n values is the product of 1 + stake_i (y_i - m). The stake is (mean - m)
    / (variance + (mean - m)^2) of the values before, one of 1/2 with variance 1/4 among them, at least 0 and at most
    0.9 / m. The bound is the least m whose capital has never reached 1 / alpha, on a grid that is refined.

    References
    ----------
    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", section 4 and appendix
    B.3 for the stakes; Ville (1939).

    Examples
    --------
    >>> values = [0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.3, 0.1] * 10
    >>> result = betting_test(values)
    >>> bool(result.pvalue < 0.01), bool(0 < result.low < result.mean)
    (True, True)
    """
    check_share("alpha", alpha)
    rows, shape = as_differences(values, "values")
    if not low < high:
        raise ParameterError(f"the range is {low:g} to {high:g}, expected a lower and a higher end")
    if (rows < low).any() or (rows > high).any():
        wrong = rows[(rows < low) | (rows > high)][0]
        raise ParameterError(f"a value is {wrong:g}, expected values in the range {low:g} to {high:g}; widen the range")
    unit = (rows - low) / (high - low)
    history = past_moments(unit)
    null_in_unit = np.full(len(rows), (null - low) / (high - low))
    growth = largest_growth(unit, history, null_in_unit)
    bound = betting_bound(unit, alpha=alpha, history=history)
    return BettingTest(
        mean=rows.mean(axis=1).reshape(shape),
        low=(low + bound * (high - low)).reshape(shape),
        pvalue=np.exp(-np.maximum(growth, 0.0)).reshape(shape),
        n=rows.shape[1],
    )


def past_moments(unit: Floats) -> tuple[Floats, Floats]:
    """(lists, values) mean and variance of the values before each, and of the one that is believed at first."""
    n = np.arange(1, unit.shape[1] + 1)
    sums = PRIOR_MEAN + np.cumsum(unit, axis=1) - unit
    means = sums / n
    # Squares of the deviations from the mean at the time, as an estimate of the variance that may be updated.
    later_means = (sums + unit) / (n + 1)
    squares = (unit - later_means) ** 2
    variances = (PRIOR_VARIANCE + np.cumsum(squares, axis=1) - squares) / n
    return means, variances


def largest_growth(unit: Floats, history: tuple[Floats, Floats], null: Floats) -> Floats:
    """(lists) the logarithm of the largest capital so far, for the mean `null` (lists) in [0, 1]."""
    means, variances = history
    m = np.clip(null, 0.0, 1.0)[:, None]
    edge = means - m
    stake = edge / (variances + edge * edge)
    with np.errstate(divide="ignore"):
        stake = np.clip(stake, 0.0, LARGEST_STAKE / m)
    stake = np.where(np.isfinite(stake), stake, 0.0)
    growth: Floats = np.cumsum(np.log1p(stake * (unit - m)), axis=1).max(axis=1)
    return np.where(null < 0, np.inf, np.where(null >= 1, 0.0, growth))


def betting_bound(unit: Floats, *, alpha: float, history: tuple[Floats, Floats] | None = None) -> Floats:
    """(lists) the lower bound of the mean of values in [0, 1].

    Parameters
    ----------
    unit
        The values, (lists, values).
    alpha
        The level.
    history
        What `past_moments` gives of them.

    Returns
    -------
    array
        In [0, 1).
    """
    history = past_moments(unit) if history is None else history
    target = np.log(1 / alpha)
    low, high = np.zeros(len(unit)), np.zeros(len(unit))
    is_open = np.ones(len(unit), np.bool_)
    for left, right in pairwise(np.linspace(0, 1, GRID).tolist()):
        if not is_open.any():
            break
        rows = np.flatnonzero(is_open)
        part = (history[0][rows], history[1][rows])
        is_refuted = largest_growth(unit[rows], part, np.full(rows.size, right)) >= target
        low[rows], high[rows] = np.where(is_refuted, right, left), right
        is_open[rows] = is_refuted
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_refuted = largest_growth(unit, history, middle) >= target
        low, high = np.where(is_refuted, middle, low), np.where(is_refuted, high, middle)
    return low

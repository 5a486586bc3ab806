"""The confidence sequence of a mean outcome, by betting: its interval holds on every day on which one looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankscope.stats.betting import betting_test
from rankscope.typing import Floats, Ints

__all__ = [
    "Look",
    "confidence_sequence",
    "doubling_means",
]


#: From this many values on they are averaged in groups, before they are bet on.
MOST_SINGLE = 20_000


class Look(NamedTuple):
    """The confidence sequence after a day.

    Attributes
    ----------
    day
        Days since 1970-01-01.
    n
        Units up to the end of the day.
    mean
        Their mean.
    low, high
        The interval of the true mean, the narrowest so far.
    pvalue
        The least p-value so far of the hypothesis that the true mean is 0, valid at any time.
    """

    day: int
    n: int
    mean: float
    low: float
    high: float
    pvalue: float


def confidence_sequence(values: Floats, days: Ints, bound: float, alpha: float) -> Iterator[Look]:
    """A look at the end of each day.

    Parameters
    ----------
    values
        (units) mean outcomes, in the order of the days.
    days
        (units) the day of each, rising.
    bound
        The largest outcome, and the smallest with the other sign.
    alpha
        One less the level of the interval: each side has half of it.

    Notes
    -----
    Bets are on the mean from both sides. Beyond 20,000 values they are averaged in groups that are settled before, of
    2 up to 40,000 values, 4 up to 80,000, and so on; this costs time, not validity.
    """
    ends = np.append(np.flatnonzero(np.diff(days)) + 1, values.size)
    bets, sizes = doubling_means(values)
    n_values = np.cumsum(sizes)
    for end in ends.tolist():
        n_bets = int(np.searchsorted(n_values, end, side="right"))
        above = betting_test(bets[:n_bets], low=-bound, high=bound, alpha=alpha / 2)
        below = betting_test(-bets[:n_bets], low=-bound, high=bound, alpha=alpha / 2)
        pvalue = min(1.0, 2 * min(float(above.pvalue), float(below.pvalue)))
        mean = float(values[:end].mean())
        yield Look(int(days[end - 1]), end, mean, float(above.low), -float(below.low), pvalue)


def doubling_means(values: Floats) -> tuple[Floats, Ints]:
    """Values, and from `MOST_SINGLE` on the means of groups of 2, 4, 8, ... each; and the sizes of the groups.

    A last group that is not complete is left for the next look.
    """
    means, sizes = [values[:MOST_SINGLE]], [np.ones(min(values.size, MOST_SINGLE), np.int64)]
    start, size = MOST_SINGLE, 2
    while start < values.size:
        stop = min(2 * start, values.size)
        n_groups = (stop - start) // size
        means.append(values[start : start + n_groups * size].reshape(n_groups, size).mean(axis=1))
        sizes.append(np.full(n_groups, size))
        start, size = 2 * start, 2 * size
    return np.concatenate(means), np.concatenate(sizes)

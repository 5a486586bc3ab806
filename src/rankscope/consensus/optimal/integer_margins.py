"""Margins of majorities as whole numbers, so that sums are exact and equal costs are equal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.typing import Floats, Indices

__all__ = [
    "IntegerMargins",
    "borda_order",
    "common_unit",
    "integer_margins_in",
    "with_tie_break",
]


#: Weights are looked at in these parts of 1: most that people give, as 0.5, 1/3 or 0.125, are then whole numbers.
PARTS = (1, 12, 1000)
#: Sums up to here are exact in float64.
EXACT = 1 << 53
#: What remains of one total weight where weights have no common part.
FINEST = 1e-9


class IntegerMargins(NamedTuple):
    """values: whole numbers, as float64. unit: what 1 of them stands for."""

    values: Floats
    unit: float


def common_unit(weights: Floats, n: int) -> float:
    """What all sums and differences of the weights are multiples of, or, without such a part, what is negligible.

    n: the number of items; sums over all pairs, times n squared, shall stay exact.

    >>> common_unit(np.array([0.5, 1.0, 2.5]), 3), common_unit(np.array([2.0, 6.0]), 3)
    (0.5, 2.0)
    """
    room = EXACT / float(n) ** 4
    for one in (1.0, float(weights.min())):
        for parts in PARTS:
            with np.errstate(over="ignore", invalid="ignore"):  # of 1e300 beside 1e-300, which have no common part
                scaled = weights / one * parts
                counted = np.rint(scaled)
                near = np.abs(scaled - counted) <= FINEST * np.maximum(1.0, counted)
            if near.all() and counted.min() > 0 and counted.sum() < room:
                return float(np.gcd.reduce(counted.astype(np.int64))) * one / parts
    return float(weights.sum()) * max(FINEST, 1 / room)


def integer_margins_in(margins: Floats, unit: float) -> IntegerMargins:
    """Margins as whole numbers without a common divisor.

    >>> integer_margins_in(np.array([[0.0, 3.0], [-3.0, 0.0]]), 1.0)
    IntegerMargins(values=array([[ 0.,  1.],
           [-1.,  0.]]), unit=3.0)
    """
    values = np.rint(margins / unit)
    common = float(np.gcd.reduce(np.abs(values).astype(np.int64), axis=None)) or 1.0
    return IntegerMargins(values / common + 0.0, unit * common)


def borda_order(margins: Floats, rng: np.random.Generator | None = None) -> Indices:
    """(items), or (draws, items): the items by the sum of their margins, then by majorities won, then as they stand.

    rng: then at random.
    """
    keys = (-np.sign(margins).sum(axis=-1), -margins.sum(axis=-1))
    return np.lexsort(keys if rng is None else (rng.random(margins.shape[:-1]), *keys), axis=-1)


def with_tie_break(margins: Floats) -> Floats:
    """Whole margins in which the order in which items stand decides among orders of one cost.

    (items, items) or (draws, items, items). All pairs together weigh less than one unit of the margins, which are n
    squared now. Of the orders of least cost, the best is then the one that reverses the fewest pairs.
    """
    n = margins.shape[-1]
    upper = np.triu(np.ones((n, n)), 1)
    return np.asarray(margins * n**2 + upper - upper.T)

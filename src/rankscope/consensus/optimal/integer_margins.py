"""Margins of majorities as whole numbers, so that sums are exact and equal costs compare as equal."""

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


#: Weights are tried as multiples of 1 over these numbers: most, such as 0.5, 1/3 or 0.125, are then whole numbers.
PARTS = (1, 12, 1000)
#: Sums up to here are exact in float64.
EXACT = 1 << 53
#: The unit, as a share of the total weight, where weights have no common unit.
FINEST = 1e-9


class IntegerMargins(NamedTuple):
    """values: whole numbers, as float64. unit: what 1 of them stands for."""

    values: Floats
    unit: float


def common_unit(weights: Floats, n: int) -> float:
    """The unit of which all sums and differences of the weights are multiples; without one, a negligible weight.

    n: the number of items; sums over all pairs, times n squared, must stay exact.

    >>> common_unit(np.array([0.5, 1.0, 2.5]), 3), common_unit(np.array([2.0, 6.0]), 3)
    (0.5, 2.0)
    """
    limit = EXACT / float(n) ** 4
    for unit in (1.0, float(weights.min())):
        for n_parts in PARTS:
            with np.errstate(over="ignore", invalid="ignore"):  # 1e300 beside 1e-300 have no common unit
                scaled = weights / unit * n_parts
                rounded = np.rint(scaled)
                close = np.abs(scaled - rounded) <= FINEST * np.maximum(1.0, rounded)
            if close.all() and rounded.min() > 0 and rounded.sum() < limit:
                return float(np.gcd.reduce(rounded.astype(np.int64))) * unit / n_parts
    return float(weights.sum()) * max(FINEST, 1 / limit)


def integer_margins_in(margins: Floats, unit: float) -> IntegerMargins:
    """Margins as whole numbers without a common divisor.

    >>> integer_margins_in(np.array([[0.0, 3.0], [-3.0, 0.0]]), 1.0)
    IntegerMargins(values=array([[ 0.,  1.],
           [-1.,  0.]]), unit=3.0)
    """
    values = np.rint(margins / unit)
    divisor = float(np.gcd.reduce(np.abs(values).astype(np.int64), axis=None)) or 1.0
    return IntegerMargins(values / divisor + 0.0, unit * divisor)


def borda_order(margins: Floats, rng: np.random.Generator | None = None) -> Indices:
    """(items), or (draws, items): the items by the sum of their margins, then by majorities won, then in their given
    order, or at random by rng.
    """
    keys = (-np.sign(margins).sum(axis=-1), -margins.sum(axis=-1))
    return np.lexsort(keys if rng is None else (rng.random(margins.shape[:-1]), *keys), axis=-1)


def with_tie_break(margins: Floats) -> Floats:
    """Whole margins in which the given order of the items decides among orders of equal cost.

    (items, items) or (draws, items, items). A unit of the margins becomes n squared, more than all tie-breaking pairs
    together. Of the orders of least cost, the best is then the one that reverses the fewest pairs.
    """
    n = margins.shape[-1]
    upper = np.triu(np.ones((n, n)), 1)
    return np.asarray(margins * n**2 + upper - upper.T)

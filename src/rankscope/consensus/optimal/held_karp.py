"""The best order of few items by dynamic programming over subsets."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankscope.typing import Floats, Indices, Ints

__all__ = [
    "HELD_KARP_ITEMS",
    "best_orders",
    "count_best_orders",
]


#: More items take longer than integer programming, with its packages loaded, does.
HELD_KARP_ITEMS = 14
#: Numbers that are held at once.
HELD = 1 << 22


def best_orders(margins: Floats) -> Indices:
    """(draws, items) for each draw an order of least cost, the best item first; of equal ones always the same.

    margins: (draws, items, items) antisymmetric; an order costs the margins of the pairs that it reverses.

    Source: Held and Karp 1962, by subsets; for rankings Betzler et al. 2009, "Fixed-parameter algorithms for Kemeny
    rankings", section 4.

    >>> best_orders(np.array([[[0.0, -1.0], [1.0, 0.0]]])).tolist()
    [[1, 0]]
    """
    draws, n = margins.shape[:2]
    size = max(1, HELD // (n << n))
    parts = [best_orders_of_chunk(margins[start : start + size]) for start in range(0, draws, size)]
    return np.concatenate(parts) if parts else np.empty((0, n), np.intp)


def count_best_orders(margins: Floats) -> float:
    """How many orders have the least cost. margins: (items, items) whole numbers, antisymmetric.

    >>> count_best_orders(np.zeros((3, 3))), count_best_orders(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    (6.0, 1.0)
    """
    n = len(margins)
    joining = append_costs(np.maximum(margins[None], 0))[0]
    least, ways = np.zeros(1 << n), np.ones(1 << n)
    items = np.arange(n)
    for subsets in subsets_by_size(n):
        inside = (subsets[:, None] >> items & 1).astype(np.bool_)
        before = np.where(inside, subsets[:, None] ^ (1 << items), 0)
        cost = np.where(inside, least[before] + joining[before, items], np.inf)
        least[subsets] = cost.min(axis=1)
        ways[subsets] = np.where(cost == least[subsets, None], ways[before], 0.0).sum(axis=1)
    return float(ways[-1])


def best_orders_of_chunk(margins: Floats) -> Indices:
    draws, n = margins.shape[:2]
    everything = (1 << n) - 1
    joining = append_costs(np.maximum(margins, 0))
    least = np.zeros((draws, everything + 1))
    last = np.zeros((draws, everything + 1), np.int8)
    items = np.arange(n)
    for subsets in subsets_by_size(n):
        before = subsets[:, None] ^ (1 << items)
        inside = (subsets[:, None] >> items & 1).astype(np.bool_)
        before = np.where(inside, before, 0)
        cost = np.where(inside, least[:, before] + joining[:, before, items], np.inf)
        last[:, subsets] = cost.argmin(axis=2)
        least[:, subsets] = cost.min(axis=2)
    orders = np.empty((draws, n), np.intp)
    rest, rows = np.full(draws, everything), np.arange(draws)
    for place in range(n - 1, -1, -1):
        orders[:, place] = last[rows, rest]
        rest = rest ^ (1 << orders[:, place])
    return orders


def append_costs(against: Floats) -> Floats:
    """(draws, subsets, items) what it costs to put an item behind a subset."""
    draws, n = against.shape[:2]
    found = np.zeros((draws, 1 << n, n))
    for i in range(n):  # the subsets whose greatest item is i are those without it, and i
        found[:, 1 << i : 2 << i] = found[:, : 1 << i] + against[:, None, :, i]
    return found


@lru_cache(maxsize=4)
def subsets_by_size(n: int) -> list[Ints]:
    """The subsets of one item, of two, and so on, as bits."""
    subsets = np.arange(1 << n)
    sizes = sum((subsets >> i & 1) for i in range(n))
    return [np.flatnonzero(sizes == k) for k in range(1, n + 1)]

"""The best order of few items, by dynamic programming over subsets (Held and Karp)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankscope.typing import Floats, Indices, Ints

__all__ = [
    "HELD_KARP_ITEMS",
    "best_orders",
    "count_best_orders",
]


#: For more items integer programming is faster, even with the time to load its packages.
HELD_KARP_ITEMS = 14
#: Numbers in memory at once.
HELD = 1 << 22


def best_orders(margins: Floats) -> Indices:
    """(draws, items) for each draw an order of least cost, the best item first; of equal ones always the same.

    margins: (draws, items, items) antisymmetric; an order costs the margins of the pairs that it reverses.

    Source: Held and Karp 1962, by subsets; for rankings Betzler et al. 2009, "Fixed-parameter algorithms for Kemeny
    rankings", section 4.

    >>> best_orders(np.array([[[0.0, -1.0], [1.0, 0.0]]])).tolist()
    [[1, 0]]
    """
    n_draws, n = margins.shape[:2]
    draws_at_once = max(1, HELD // (n << n))
    chunks = [
        best_orders_of_chunk(margins[start : start + draws_at_once]) for start in range(0, n_draws, draws_at_once)
    ]
    return np.concatenate(chunks) if chunks else np.empty((0, n), np.intp)


def count_best_orders(margins: Floats) -> float:
    """How many orders have the least cost. margins: (items, items) whole numbers, antisymmetric.

    >>> count_best_orders(np.zeros((3, 3))), count_best_orders(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    (6.0, 1.0)
    """
    n = len(margins)
    append_cost = append_costs(np.maximum(margins[None], 0))[0]
    least_cost, n_orders = np.zeros(1 << n), np.ones(1 << n)
    items = np.arange(n)
    for subsets in subsets_by_size(n):
        contains_item = (subsets[:, None] >> items & 1).astype(np.bool_)
        without_item = np.where(contains_item, subsets[:, None] ^ (1 << items), 0)
        cost = np.where(contains_item, least_cost[without_item] + append_cost[without_item, items], np.inf)
        least_cost[subsets] = cost.min(axis=1)
        n_orders[subsets] = np.where(cost == least_cost[subsets, None], n_orders[without_item], 0.0).sum(axis=1)
    return float(n_orders[-1])


def best_orders_of_chunk(margins: Floats) -> Indices:
    """(draws, items) the best order of each table of margins, (draws, items, items)."""
    n_draws, n = margins.shape[:2]
    all_items = (1 << n) - 1
    append_cost = append_costs(np.maximum(margins, 0))
    least_cost = np.zeros((n_draws, all_items + 1))
    last_item = np.zeros((n_draws, all_items + 1), np.int8)
    items = np.arange(n)
    for subsets in subsets_by_size(n):
        without_item = subsets[:, None] ^ (1 << items)
        contains_item = (subsets[:, None] >> items & 1).astype(np.bool_)
        without_item = np.where(contains_item, without_item, 0)
        cost = np.where(contains_item, least_cost[:, without_item] + append_cost[:, without_item, items], np.inf)
        last_item[:, subsets] = cost.argmin(axis=2)
        least_cost[:, subsets] = cost.min(axis=2)
    orders = np.empty((n_draws, n), np.intp)
    remaining, draw_index = np.full(n_draws, all_items), np.arange(n_draws)
    for place in range(n - 1, -1, -1):
        orders[:, place] = last_item[draw_index, remaining]
        remaining = remaining ^ (1 << orders[:, place])
    return orders


def append_costs(opposing: Floats) -> Floats:
    """(draws, subsets, items) the cost of putting an item behind a subset."""
    n_draws, n = opposing.shape[:2]
    costs = np.zeros((n_draws, 1 << n, n))
    for i in range(n):  # subsets whose greatest item is i are the subsets of lower items, with i added
        costs[:, 1 << i : 2 << i] = costs[:, : 1 << i] + opposing[:, None, :, i]
    return costs


@lru_cache(maxsize=4)
def subsets_by_size(n: int) -> list[Ints]:
    """The subsets of one item, of two, and so on, as bits."""
    subsets = np.arange(1 << n)
    sizes = sum((subsets >> i & 1) for i in range(n))
    return [np.flatnonzero(sizes == k) for k in range(1, n + 1)]

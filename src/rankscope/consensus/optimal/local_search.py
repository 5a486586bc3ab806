"""Local search for the best order: items move one at a time to their best place, in many orders at once."""

from __future__ import annotations

import time

import numpy as np

from rankscope.typing import Floats, Indices

__all__ = [
    "count_free_moves",
    "default_restarts",
    "improve_orders",
    "order_costs",
    "search_order",
]


#: A search ends after this many rounds without a better order.
PATIENCE = 6
#: The most rounds of a search.
ROUNDS = 20
#: Starts of a search; of many items, the second number over that of the items, but at least four.
STARTS, START_ITEMS = 32, 6400
#: Numbers in memory at once when costs are counted.
HELD = 1 << 22


def order_costs(margins: Floats, orders: Indices) -> Floats:
    """(orders) the margins of the pairs that each reverses. margins: (items, items), or (orders, items, items)."""
    n_orders, n = orders.shape
    later = np.triu(np.ones((n, n), np.bool_), 1)
    costs = np.empty(n_orders)
    chunk_size = max(1, HELD // n**2)
    for start in range(0, n_orders, chunk_size):
        chunk = slice(start, start + chunk_size)
        i, j = orders[chunk, :, None], orders[chunk, None, :]
        pair_margins = margins[i, j] if margins.ndim == 2 else margins[chunk][np.arange(len(i))[:, None, None], i, j]
        costs[chunk] = np.where(later, np.maximum(-pair_margins, 0), 0).sum(axis=(1, 2))
    return costs


def improve_orders(margins: Floats, orders: Indices, deadline: float | None = None) -> Indices:
    """Orders that no move of one item makes cheaper by more than half a unit of whole margins.

    Parameters
    ----------
    margins
        One table for all orders, (items, items), or one for each, (orders, items, items).
    orders
        The orders to start from, the best item first, (orders, items).
    deadline
        A time by `time.monotonic`, after which the present orders are returned. Default: none.

    Returns
    -------
    array of shape (orders, items)
        The improved orders.

    Notes
    -----
    Item after item goes to its best place, in all orders at once, until a round moves none. When an item goes behind
    others, the sum of its margins against them is lost, so one running sum gives the costs of all places.
    """
    orders = orders.copy()
    n_orders, n = orders.shape
    places, order_index = np.arange(n), np.arange(n_orders)
    # The cost of standing behind 0, 1, ... of the others, less that of standing first.
    place_costs = np.zeros((n_orders, n + 1))
    last_moved, step = 0, 0
    while step - last_moved < n and not deadline_passed(deadline):
        item = step % n
        step += 1
        item_margins = (
            margins[item][orders] if margins.ndim == 2 else np.take_along_axis(margins[:, item], orders, axis=1)
        )
        np.cumsum(item_margins, axis=1, out=place_costs[:, 1:])
        current = (orders == item).argmax(axis=1)
        cheapest = place_costs.argmin(axis=1)
        moved = np.flatnonzero(place_costs[order_index, current] - place_costs[order_index, cheapest] > 0.5)
        if moved.size:
            last_moved = step
            old_place = current[moved, None]
            new_place = cheapest[moved, None] - (cheapest[moved, None] > old_place)
            source = (
                places + ((places >= old_place) & (places < new_place)) - ((places <= old_place) & (places > new_place))
            )
            source = np.where(places == new_place, old_place, source)
            orders[moved] = np.take_along_axis(orders[moved], source, axis=1)
    return orders


def count_free_moves(margins: Floats, order: Indices) -> int:
    """How many items could stand at another place of an order at no cost. margins: (items, items) whole numbers.

    >>> count_free_moves(np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]), np.arange(3))  # a cycle
    2
    """
    ordered_margins = margins[np.ix_(order, order)]
    n = len(ordered_margins)
    # The cost of standing behind 0, 1, ... of the others, less that of standing first.
    place_costs = np.zeros((n, n + 1))
    np.cumsum(ordered_margins, axis=1, out=place_costs[:, 1:])
    item_index = np.arange(n)
    is_free = place_costs == place_costs[item_index, item_index, None]
    # Not its present place, before and behind itself.
    is_free[item_index, item_index] = is_free[item_index, item_index + 1] = False
    return int(is_free.any(axis=1).sum())


def deadline_passed(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() > deadline


def default_restarts(n: int) -> int:
    """The default number of starts of a search of n items."""
    return max(4, min(STARTS, START_ITEMS // n))


def search_order(margins: Floats, restarts: int, rng: np.random.Generator, deadline: float | None = None) -> Indices:
    """(items) the cheapest order that a local search finds.

    Parameters
    ----------
    margins
        (items, items) by how much the voters prefer the item of the row to that of the column.
    restarts
        Number of starts: the order of the items in the votes, the order by majorities won, and random ones. Then the
        search starts repeatedly from as many variations of the best order.
    rng
        Random generator of the starts and variations.
    deadline
        Time by `time.monotonic` after which the best order so far is returned. None for no limit.

    Notes
    -----
    Of orders of equal cost the first is kept.
    """
    n = len(margins)
    starts = np.argsort(rng.random((restarts, n)), axis=1)
    starts[0] = np.arange(n)
    starts[1:2] = np.argsort(-np.sign(margins).sum(axis=1), kind="stable")
    best, cost, stale_rounds = starts[0], np.inf, 0
    for round_index in range(ROUNDS):
        if stale_rounds >= PATIENCE or (round_index and deadline_passed(deadline)):
            break
        orders = improve_orders(margins, starts, deadline)
        costs = order_costs(margins, orders)
        stale_rounds += 1
        if costs.min() < cost:
            best, cost, stale_rounds = orders[costs.argmin()], costs.min(), 0
        starts = perturb_order(best, restarts, rng)
    return np.asarray(best)


def perturb_order(order: Indices, n_orders: int, rng: np.random.Generator) -> Indices:
    """(orders, items) copies with about a third of the items moved, in some a little, in others by up to a third."""
    n = order.size
    spread = rng.random((n_orders, 1)) * n / 3
    moves = np.where(rng.random((n_orders, n)) < 0.3, spread, 0.0) * rng.standard_normal((n_orders, n))
    return np.asarray(order[np.argsort(np.arange(n) + moves, axis=1, kind="stable")])

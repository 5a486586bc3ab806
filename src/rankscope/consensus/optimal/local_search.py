"""Orders improved by moving one item at a time to its best place, many orders at once."""

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


#: Rounds without a better order after which a search ends.
PATIENCE = 6
#: And after so many in any case.
ROUNDS = 20
#: Starts of a search of few items; of many, so many that starts times items are at most this, and at least four.
STARTS, START_ITEMS = 32, 6400
#: Numbers held at once when costs are counted.
HELD = 1 << 22


def order_costs(margins: Floats, orders: Indices) -> Floats:
    """(orders) the margins of the pairs that each reverses. margins: (items, items), or one table an order."""
    rows, n = orders.shape
    later = np.triu(np.ones((n, n), np.bool_), 1)
    found = np.empty(rows)
    size = max(1, HELD // n**2)
    for start in range(0, rows, size):
        some = slice(start, start + size)
        i, j = orders[some, :, None], orders[some, None, :]
        lines = margins[i, j] if margins.ndim == 2 else margins[some][np.arange(len(i))[:, None, None], i, j]
        found[some] = np.where(later, np.maximum(-lines, 0), 0).sum(axis=(1, 2))
    return found


def improve_orders(margins: Floats, orders: Indices, deadline: float | None = None) -> Indices:
    """Orders that no move of one item to another place makes cheaper, by more than half a unit of whole margins.

    margins: (items, items), or (orders, items, items), a table an order. orders: (orders, items), the best item first.
    Item after item goes to its best place, in all orders at once, until a round moves none. Where an item stands before
    others, the sum of its margins against them is lost when it goes behind them: one running sum tells all places.
    deadline: by `time.monotonic`, when to stop where it stands.
    """
    orders = orders.copy()
    rows, n = orders.shape
    places, every = np.arange(n), np.arange(rows)
    behind = np.zeros((rows, n + 1))  # the cost of standing behind so many of the others, less that of standing first
    last_moved, step = 0, 0
    while step - last_moved < n and not deadline_passed(deadline):
        item = step % n
        step += 1
        line = margins[item][orders] if margins.ndim == 2 else np.take_along_axis(margins[:, item], orders, axis=1)
        np.cumsum(line, axis=1, out=behind[:, 1:])
        now = (orders == item).argmax(axis=1)
        best = behind.argmin(axis=1)
        moved = np.flatnonzero(behind[every, now] - behind[every, best] > 0.5)
        if moved.size:
            last_moved = step
            old = now[moved, None]
            new = best[moved, None] - (best[moved, None] > old)
            source = places + ((places >= old) & (places < new)) - ((places <= old) & (places > new))
            source = np.where(places == new, old, source)
            orders[moved] = np.take_along_axis(orders[moved], source, axis=1)
    return orders


def count_free_moves(margins: Floats, order: Indices) -> int:
    """How many items could stand at another place of an order at no cost. margins: (items, items) whole numbers.

    >>> count_free_moves(np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]), np.arange(3))  # a circle
    2
    """
    lines = margins[np.ix_(order, order)]
    n = len(lines)
    behind = np.zeros((n, n + 1))  # the cost of standing behind so many of the others, less that of standing first
    np.cumsum(lines, axis=1, out=behind[:, 1:])
    every = np.arange(n)
    same = behind == behind[every, every, None]
    same[every, every] = same[every, every + 1] = False  # its own place, before and behind itself
    return int(same.any(axis=1).sum())


def deadline_passed(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() > deadline


def default_restarts(n: int) -> int:
    """How many starts a search of n items has where nothing else is asked."""
    return max(4, min(STARTS, START_ITEMS // n))


def search_order(margins: Floats, restarts: int, rng: np.random.Generator, deadline: float | None = None) -> Indices:
    """(items) the cheapest order found from so many starts, and from so many variations of the best one, repeatedly.

    The starts are the order in which the items stand, the one by majorities won, and random ones. Of orders of one
    cost the first found is kept. deadline: by `time.monotonic`, after which the best so far is given.
    """
    n = len(margins)
    starts = np.argsort(rng.random((restarts, n)), axis=1)
    starts[0] = np.arange(n)
    starts[1:2] = np.argsort(-np.sign(margins).sum(axis=1), kind="stable")
    best, cost, waited = starts[0], np.inf, 0
    for turn in range(ROUNDS):
        if waited >= PATIENCE or (turn and deadline_passed(deadline)):
            break
        found = improve_orders(margins, starts, deadline)
        costs = order_costs(margins, found)
        waited += 1
        if costs.min() < cost:
            best, cost, waited = found[costs.argmin()], costs.min(), 0
        starts = perturb_order(best, restarts, rng)
    return np.asarray(best)


def perturb_order(order: Indices, count: int, rng: np.random.Generator) -> Indices:
    """(count, items) an order with about a third of its items moved, in some a little, in others across a third."""
    n = order.size
    reach = rng.random((count, 1)) * n / 3
    moves = np.where(rng.random((count, n)) < 0.3, reach, 0.0) * rng.standard_normal((count, n))
    return np.asarray(order[np.argsort(np.arange(n) + moves, axis=1, kind="stable")])

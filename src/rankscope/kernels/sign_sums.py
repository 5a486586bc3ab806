"""Sums, over pairs of items or over rankings, of the sign with which each ranking orders each pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankscope.typing import Floats

__all__ = [
    "sums_by_list",
    "sums_by_pair",
]


#: Signs in memory at once: few enough for the processor's cache.
BLOCK = 1 << 17


def signed_pairs(ranks: Floats) -> Iterator[tuple[slice, int, Floats]]:
    """A block of items, a distance, and the signs of each item against the one that far behind it, (items, lists).

    A sign is 1 where the list ranks the item above the other one, -1 below it, 0 where it ties them. ranks: (lists,
    items) without NaN, the lowest the best. Each pair comes once; blocks fit the processor's cache.
    """
    columns = np.ascontiguousarray(ranks.T)
    n_items, n_lists = columns.shape
    step = max(1, BLOCK // max(n_lists, 1))
    for distance in range(1, n_items):
        for start in range(0, n_items - distance, step):
            block = slice(start, min(start + step, n_items - distance))
            first_ranks = columns[block]
            second_ranks = columns[block.start + distance : block.stop + distance]
            signs = (first_ranks < second_ranks).view(np.int8) - (first_ranks > second_ranks).view(np.int8)
            yield block, distance, signs.astype(np.float64)


def sums_by_pair(ranks: Floats, weights: Floats) -> Floats:
    """(items, items) above the diagonal: the sum over lists of weight x sign of the pair; 0 elsewhere.

    ranks: (lists, items) without NaN, the lowest the best. weights: (lists).
    """
    n_items = ranks.shape[1]
    sums = np.zeros((n_items, n_items))
    for block, distance, signs in signed_pairs(ranks):
        first_items = np.arange(block.start, block.stop)
        sums[first_items, first_items + distance] = signs @ weights
    return sums


def sums_by_list(ranks: Floats, tables: Floats) -> Floats:
    """(tables, lists) for each list the sum over pairs of a table's cell x the list's sign of the pair.

    ranks: (lists, items) without NaN. tables: (tables, items, items), of which the cells above the diagonal count.
    """
    sums = np.zeros((len(tables), len(ranks)))
    for block, distance, signs in signed_pairs(ranks):
        first_items = np.arange(block.start, block.stop)
        sums += tables[:, first_items, first_items + distance] @ signs
    return sums

"""Sums over pairs of items of the signs that many rankings give them, without a comparison of ranking with ranking."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankscope.typing import Floats

__all__ = [
    "sums_by_list",
    "sums_by_pair",
]


#: Signs that are held at once: few enough for the processor's cache.
BLOCK = 1 << 17


def signed_pairs(ranks: Floats) -> Iterator[tuple[slice, int, Floats]]:
    """For some items from i on, and one j: (items, lists) 1 where the list has the item above the one j + 1 behind it.

    ranks: (lists, items) without NaN, the lowest the best; -1 where it has it below, 0 where it ties the two. Pairs of
    one distance come together, in pieces that fit the processor's cache; each comes once.
    """
    columns = np.ascontiguousarray(ranks.T)
    items, lists = columns.shape
    step = max(1, BLOCK // max(lists, 1))
    for distance in range(1, items):
        for start in range(0, items - distance, step):
            part = slice(start, min(start + step, items - distance))
            here = columns[part]
            behind = columns[part.start + distance : part.stop + distance]
            signs = (here < behind).view(np.int8) - (here > behind).view(np.int8)
            yield part, distance, signs.astype(np.float64)


def sums_by_pair(ranks: Floats, weights: Floats) -> Floats:
    """(items, items) above the diagonal: the sum over lists of weight x sign of the pair; 0 elsewhere.

    ranks: (lists, items) without NaN, the lowest the best. weights: (lists).
    """
    items = ranks.shape[1]
    found = np.zeros((items, items))
    for part, distance, signs in signed_pairs(ranks):
        at = np.arange(part.start, part.stop)
        found[at, at + distance] = signs @ weights
    return found


def sums_by_list(ranks: Floats, tables: Floats) -> Floats:
    """(tables, lists) for each list the sum over pairs of a table's cell x the list's sign of the pair.

    ranks: (lists, items) without NaN. tables: (tables, items, items), of which the cells above the diagonal count.
    """
    found = np.zeros((len(tables), len(ranks)))
    for part, distance, signs in signed_pairs(ranks):
        at = np.arange(part.start, part.stop)
        found += tables[:, at, at + distance] @ signs
    return found

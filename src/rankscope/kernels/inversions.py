"""Inversions: values that stand before lesser ones. Their number, and that of each value; n log n at most.

The places are cut into blocks, and so are the ranks. A pair in different blocks of both is counted with a table: how
many values stand in earlier blocks of places and higher blocks of ranks. Pairs in one block of places are the same
problem on shorter rows; so are those in one block of ranks (and in different blocks of places), read in the order of
the values. With blocks of about the root of n, two or three such steps reach rows that are short enough to compare
every pair. Each step is a few passes over arrays, where merging or a tree would need a pass for each bit of n.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.typing import Ints

__all__ = [
    "count_inversions",
    "greater_before",
]


Values = npt.NDArray[Any]
#: Rows up to this length are compared pair by pair, many rows at a time, which beats any cleverness.
DENSE = 64
#: Values that are compared at a time: few enough for the processor's cache.
BLOCK = 1 << 18


class BlockedRows(NamedTuple):
    """One step: r rows of n places, both filled up to whole blocks of one size.

    at: (r, n) where in the flat rows each value stands, in the order of the values. cell: (r n) in the same order, the
    cell of `table`: (r, blocks, blocks) how many values there are in a block of places and one of ranks. ranks: rows of
    one block of places each, the rank of each value. block: rows of one block of ranks each, from the highest rank
    down, how many blocks of places come behind each.
    """

    at: Ints
    cell: Ints
    table: Ints
    ranks: Values
    block: Values


def count_inversions(order: Values) -> int:
    """How many pairs stand in the wrong order. order: (n) or (rows, n) places by rising value, equal ones rising."""
    if order.ndim == 1:
        order = order[None]
    if order.shape[1] <= DENSE:
        return count_by_row(inverse(order))
    step = cut_into_blocks(order)
    total = int(np.vdot(step.table, earlier_and_higher(step.table)))
    for rows in (step.ranks, step.block):
        total += count_by_row(rows) if rows.shape[1] <= DENSE else count_inversions(order_by_row(rows))
    return total


def greater_before(order: Values) -> Ints:
    """By place, how many values before it are greater. order: as above."""
    if order.ndim == 1:
        return np.asarray(greater_before(order[None])[0], np.int64)
    n = order.shape[1]
    if n <= DENSE:
        return compare(inverse(order))
    step = cut_into_blocks(order)
    by_value = earlier_and_higher(step.table).ravel()[step.cell]
    by_value += before_in_rows(step.block)[:, ::-1].ravel()
    counts = before_in_rows(step.ranks).ravel()
    counts[step.at.ravel()] += by_value
    return counts.reshape(step.at.shape)[:, :n]


def before_in_rows(values: Values) -> Ints:
    return compare(values) if values.shape[1] <= DENSE else greater_before(order_by_row(values))


def cut_into_blocks(order: Values) -> BlockedRows:
    """See Cut. order: (r, n) with n above DENSE."""
    rows, n = order.shape
    bits = DENSE.bit_length() - 1 if n <= DENSE * DENSE else ((n - 1).bit_length() + 1) // 2
    size = 1 << bits
    blocks = -(-n // size)
    full = blocks * size
    small = np.int16 if full < 2**15 else np.int32 if full < 2**31 else np.int64
    order = order.astype(small, copy=False)
    if full > n:  # places behind all others that hold higher values than all others: in no inversion
        more = np.broadcast_to(np.arange(n, full, dtype=small), (rows, full - n))
        order = np.concatenate((order, more), axis=1)
    at = order + (np.arange(rows) * full)[:, None]
    ranks = inverse(order, at)
    place_block = order >> bits
    # One line of the table for a block of places, one column for a block of ranks.
    corner = np.arange(0, rows * blocks * blocks, blocks * blocks)[:, None, None] + np.arange(blocks)[:, None]
    cell = (place_block.reshape(rows, blocks, size) * np.int64(blocks) + corner).ravel()
    table = np.bincount(cell, minlength=rows * blocks * blocks).reshape(rows, blocks, blocks)
    behind = (blocks - 1 - place_block).reshape(-1, size)[:, ::-1]
    if blocks <= 256:
        behind = behind.astype(np.uint8)
    return BlockedRows(at, cell, table, ranks.reshape(-1, size), behind)


def inverse(order: Values, at: Ints | None = None) -> Values:
    """(rows, n) by place, the rank of its value."""
    rows, n = order.shape
    if at is None:
        at = order + (np.arange(rows) * n)[:, None]
    ranks = np.empty(rows * n, order.dtype)
    ranks[at.ravel()] = np.broadcast_to(np.arange(n, dtype=order.dtype), (rows, n)).ravel()
    return np.asarray(ranks.reshape(rows, n))


def earlier_and_higher(table: Ints) -> Ints:
    """For each cell, how many values stand in earlier lines and higher columns."""
    found = np.zeros_like(table)
    np.cumsum(table[:, :-1, :0:-1], axis=2, out=found[:, 1:, -2::-1])
    np.cumsum(found, axis=1, out=found)
    return found


def order_by_row(values: Values) -> Values:
    """(rows, n) the stable order of each row of whole numbers >= 0: value and place in one number, sorted."""
    n = values.shape[1]
    bits = (n - 1).bit_length()
    kind = np.int32 if (int(values.max(initial=0)) + 1) << bits < 2**31 else np.int64
    keys: Values = (values.astype(kind) << bits) | np.arange(n, dtype=kind)
    keys.sort(axis=1)
    keys &= (1 << bits) - 1
    return keys


def count_by_row(values: Values) -> int:
    """All inversions of rows of at most DENSE values, by comparing every pair."""
    rows, n = values.shape
    total, step = 0, max(1, BLOCK // max(n, 1))
    for start in range(0, rows, step):
        part = np.ascontiguousarray(values[start : start + step].T)
        for j in range(1, n):
            total += int(np.count_nonzero(part[:j] > part[j]))
    return total


def compare(values: Values) -> Ints:
    """(rows, n) how many values before each are greater, for at most DENSE a row, by comparing every pair."""
    rows, n = values.shape
    found = np.zeros((n, rows), np.uint8)
    step = max(1, BLOCK // max(n, 1))
    for start in range(0, rows, step):
        part = np.ascontiguousarray(values[start : start + step].T)
        counts = found[:, start : start + step]
        for j in range(1, n):
            np.add.reduce((part[:j] > part[j]).view(np.uint8), axis=0, out=counts[j])
    return found.T.astype(np.int64)

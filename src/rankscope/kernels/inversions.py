"""Counting inversions: pairs of values of which the greater stands first; in all, and by value; n log n at most.

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
#: Rows up to this length are compared pair by pair, many rows at a time, which is fastest for short rows.
DENSE = 64
#: Values that are compared at a time: few enough for the processor's cache.
BLOCK = 1 << 18


class BlockedRows(NamedTuple):
    """One step: r rows of n places, filled up to whole blocks of one size.

    Attributes
    ----------
    flat_places
        (r, n) the place of each value in the flat rows, in the order of the values.
    table_cells
        (r n) in the same order, the cell of each value in `table`.
    table
        (r, blocks, blocks) how many values there are in a block of places and a block of ranks.
    ranks
        Rows of one block of places each: the rank of each value.
    blocks_behind
        Rows of one block of ranks each, from the highest rank down: how many blocks of places come behind each value.
    """

    flat_places: Ints
    table_cells: Ints
    table: Ints
    ranks: Values
    blocks_behind: Values


def count_inversions(order: Values) -> int:
    """How many pairs stand in the wrong order. order: (n) or (rows, n) places by rising value, equal ones rising."""
    if order.ndim == 1:
        order = order[None]
    if order.shape[1] <= DENSE:
        return count_inversions_by_row(inverse(order))
    step = cut_into_blocks(order)
    total = int(np.vdot(step.table, earlier_and_higher(step.table)))
    for rows in (step.ranks, step.blocks_behind):
        total += count_inversions_by_row(rows) if rows.shape[1] <= DENSE else count_inversions(order_by_row(rows))
    return total


def greater_before(order: Values) -> Ints:
    """By place, how many values before it are greater. order: as above."""
    if order.ndim == 1:
        return np.asarray(greater_before(order[None])[0], np.int64)
    n = order.shape[1]
    if n <= DENSE:
        return count_greater_before(inverse(order))
    step = cut_into_blocks(order)
    by_value = earlier_and_higher(step.table).ravel()[step.table_cells]
    by_value += before_in_rows(step.blocks_behind)[:, ::-1].ravel()
    counts = before_in_rows(step.ranks).ravel()
    counts[step.flat_places.ravel()] += by_value
    return counts.reshape(step.flat_places.shape)[:, :n]


def before_in_rows(values: Values) -> Ints:
    return count_greater_before(values) if values.shape[1] <= DENSE else greater_before(order_by_row(values))


def cut_into_blocks(order: Values) -> BlockedRows:
    """The blocks of `order`, (r, n) with n above DENSE; see `BlockedRows`."""
    n_rows, n = order.shape
    bits = DENSE.bit_length() - 1 if n <= DENSE * DENSE else ((n - 1).bit_length() + 1) // 2
    block_size = 1 << bits
    n_blocks = -(-n // block_size)
    n_filled = n_blocks * block_size
    dtype = np.int16 if n_filled < 2**15 else np.int32 if n_filled < 2**31 else np.int64
    order = order.astype(dtype, copy=False)
    if n_filled > n:  # filled places stand last and hold the highest values: they are in no inversion
        filling = np.broadcast_to(np.arange(n, n_filled, dtype=dtype), (n_rows, n_filled - n))
        order = np.concatenate((order, filling), axis=1)
    flat_places = order + (np.arange(n_rows) * n_filled)[:, None]
    ranks = inverse(order, flat_places)
    place_block = order >> bits
    # One line of the table for a block of places, one column for a block of ranks.
    line_starts = (
        np.arange(0, n_rows * n_blocks * n_blocks, n_blocks * n_blocks)[:, None, None] + np.arange(n_blocks)[:, None]
    )
    cell = (place_block.reshape(n_rows, n_blocks, block_size) * np.int64(n_blocks) + line_starts).ravel()
    table = np.bincount(cell, minlength=n_rows * n_blocks * n_blocks).reshape(n_rows, n_blocks, n_blocks)
    blocks_behind = (n_blocks - 1 - place_block).reshape(-1, block_size)[:, ::-1]
    if n_blocks <= 256:
        blocks_behind = blocks_behind.astype(np.uint8)
    return BlockedRows(flat_places, cell, table, ranks.reshape(-1, block_size), blocks_behind)


def inverse(order: Values, flat_places: Ints | None = None) -> Values:
    """(rows, n) by place, the rank of its value."""
    n_rows, n = order.shape
    if flat_places is None:
        flat_places = order + (np.arange(n_rows) * n)[:, None]
    ranks = np.empty(n_rows * n, order.dtype)
    ranks[flat_places.ravel()] = np.broadcast_to(np.arange(n, dtype=order.dtype), (n_rows, n)).ravel()
    return np.asarray(ranks.reshape(n_rows, n))


def earlier_and_higher(table: Ints) -> Ints:
    """For each cell, how many values stand in earlier lines and higher columns."""
    counts = np.zeros_like(table)
    np.cumsum(table[:, :-1, :0:-1], axis=2, out=counts[:, 1:, -2::-1])
    np.cumsum(counts, axis=1, out=counts)
    return counts


def order_by_row(values: Values) -> Values:
    """(rows, n) the stable order of each row of whole numbers >= 0: value and place in one number, sorted."""
    n = values.shape[1]
    bits = (n - 1).bit_length()
    dtype = np.int32 if (int(values.max(initial=0)) + 1) << bits < 2**31 else np.int64
    keys: Values = (values.astype(dtype) << bits) | np.arange(n, dtype=dtype)
    keys.sort(axis=1)
    keys &= (1 << bits) - 1
    return keys


def count_inversions_by_row(values: Values) -> int:
    """All inversions of rows of at most DENSE values, by comparing every pair."""
    n_rows, n = values.shape
    total, step = 0, max(1, BLOCK // max(n, 1))
    for start in range(0, n_rows, step):
        columns = np.ascontiguousarray(values[start : start + step].T)
        for j in range(1, n):
            total += int(np.count_nonzero(columns[:j] > columns[j]))
    return total


def count_greater_before(values: Values) -> Ints:
    """(rows, n) how many values before each are greater, for at most DENSE a row, by comparing every pair."""
    n_rows, n = values.shape
    all_counts = np.zeros((n, n_rows), np.uint8)
    step = max(1, BLOCK // max(n, 1))
    for start in range(0, n_rows, step):
        columns = np.ascontiguousarray(values[start : start + step].T)
        block_counts = all_counts[:, start : start + step]
        for j in range(1, n):
            np.add.reduce((columns[:j] > columns[j]).view(np.uint8), axis=0, out=block_counts[j])
    return all_counts.T.astype(np.int64)

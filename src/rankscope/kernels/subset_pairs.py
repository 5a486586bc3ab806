"""Concordant less discordant pairs of points, for many subsets of the same points, without sorting any subset.

Both values are cut into blocks of whole groups of ties. Pairs in different blocks of both are counted with a table of
the chosen points in each pair of blocks. Pairs in one block of either are a quadratic form in the choice: a matrix
product a block, for many choices at once. No choice is sorted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.typing import Bytes, Floats, Ints

__all__ = [
    "SubsetPairs",
    "prepare_subset_pairs",
    "subset_surplus",
]


#: Points of a block.
BLOCK_SIZE = 256
#: Cells of tables that are counted at once: few enough for the processor's cache.
TABLE_CELLS = 1 << 17


class BlockSigns(NamedTuple):
    """Blocks that hold several groups. points: (blocks, places), the last place of all points where there is none.

    signs: (blocks, places, places) above the diagonal, 1 for a pair ordered alike, -1 the other way round, else 0.
    """

    points: Ints
    signs: npt.NDArray[np.float32]


class SubsetPairs(NamedTuple):
    """Points prepared for counting the pairs of subsets.

    Attributes
    ----------
    block_cells
        (points) the cell of each point in the table of blocks.
    table_shape
        Numbers of blocks by x, and by y.
    within
        The order of the pairs within each block of x, and of y.
    """

    block_cells: Ints
    table_shape: tuple[int, int]
    within: tuple[BlockSigns, BlockSigns]


def prepare_subset_pairs(x: Floats, y: Floats) -> SubsetPairs:
    """Points with two values each, without NaN; about 2,000 bytes a point are held."""
    codes = [np.unique(values, return_inverse=True)[1].reshape(-1) for values in (x, y)]
    x_blocks, y_blocks = (blocks_of(code) for code in codes)
    shape = int(x_blocks.max(initial=-1)) + 1, int(y_blocks.max(initial=-1)) + 1
    # A pair in one block of both is counted once, in that of x.
    within = (signs_within(codes, x_blocks, None), signs_within(codes, y_blocks, x_blocks))
    return SubsetPairs(x_blocks * shape[1] + y_blocks, shape, within)


def blocks_of(codes: Ints) -> Ints:
    """(points) the block of each, from 0 by rising value; each long group of ties is a block of its own."""
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    block_label = starts // BLOCK_SIZE * 2 + (sizes > BLOCK_SIZE)
    block_of_group = np.cumsum(np.append(False, (block_label[1:] != block_label[:-1]) | (sizes[1:] > BLOCK_SIZE)))
    return np.asarray(block_of_group[codes], np.int64)


def signs_within(codes: list[Ints], block: Ints, excluded_block: Ints | None) -> BlockSigns:
    """The signs of pairs within each block of several groups; pairs that share an `excluded_block` too are skipped."""
    axis_codes = codes[0] if excluded_block is None else codes[1]
    order = np.argsort(axis_codes)
    sorted_block, sorted_codes = block[order], axis_codes[order]
    starts = (
        np.flatnonzero(np.append(True, sorted_block[1:] != sorted_block[:-1])) if order.size else np.zeros(0, np.int64)
    )
    ends = np.append(starts[1:], order.size)
    has_pairs = sorted_codes[starts] != sorted_codes[ends - 1] if order.size else np.zeros(0, np.bool_)
    starts, ends = starts[has_pairs], ends[has_pairs]
    longest = int((ends - starts).max(initial=0))
    positions = starts[:, None] + np.arange(longest)
    points = np.where(positions < ends[:, None], order[np.minimum(positions, max(order.size - 1, 0))], order.size)
    signs = np.zeros((*points.shape, longest), np.float32)
    later = np.arange(longest)[:, None] < np.arange(longest)
    # One block at a time: there are few, each with many pairs.
    for block_signs, block_points in zip(signs, points, strict=True):
        point_index = np.minimum(block_points, order.size - 1)
        product = np.ones((longest, longest), np.int8)
        for code in codes:
            product = product * np.sign(code[point_index][:, None] - code[point_index]).astype(np.int8)
        counted = later & (block_points < order.size)[:, None] & (block_points < order.size)
        if excluded_block is not None:
            counted &= excluded_block[point_index][:, None] != excluded_block[point_index]
        block_signs[:] = np.where(counted, product, 0)
    return BlockSigns(points, signs)


def subset_surplus(pairs: SubsetPairs, membership: Bytes) -> Ints:
    """(choices) concordant less discordant pairs among the chosen points.

    membership: (choices, points) 1 where the point is chosen, else 0.
    """
    n_choices, _ = membership.shape
    n_cells = pairs.table_shape[0] * pairs.table_shape[1]
    surplus = np.zeros(n_choices, np.int64)
    step = max(1, TABLE_CELLS // max(n_cells, 1))
    for start in range(0, n_choices if n_cells else 0, step):
        chunk = slice(start, start + step)
        choice, point = np.nonzero(membership[chunk])
        table = np.bincount(choice * n_cells + pairs.block_cells[point], minlength=len(membership[chunk]) * n_cells)
        table = table.reshape(-1, *pairs.table_shape)
        earlier = np.cumsum(table, axis=1) - table
        earlier_up_to = np.cumsum(earlier, axis=2)
        # Less in both, without those that are less in x and more in y: up_to - earlier - (all - up_to).
        surplus[chunk] = (table * (2 * earlier_up_to - earlier - earlier_up_to[:, :, -1:])).sum(axis=(1, 2))
    padded = np.append(membership, np.zeros((n_choices, 1), membership.dtype), axis=1)
    for points, signs in pairs.within:
        bits = np.ascontiguousarray(padded[:, points].transpose(1, 0, 2)).astype(np.float32)
        surplus = surplus + np.einsum("gri,gri->gr", bits @ signs, bits).astype(np.int64).sum(axis=0)
    return np.asarray(surplus, np.int64)

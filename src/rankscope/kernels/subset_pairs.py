"""Concordant less discordant pairs of points, for many subsets of the same points, without sorting any subset.

Both values are cut into blocks of whole groups of ties. Pairs in different blocks of both are counted with a table of
how many chosen points there are in which two blocks. Pairs in one block of either are a form in what is chosen: a
matrix product a block, for many choices at once. No choice is sorted.
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
SIZE = 256
#: Cells of tables that are counted at once: few enough for the processor's cache.
TABLE = 1 << 17


class Within(NamedTuple):
    """Blocks that hold several groups. points: (blocks, places), the last place of all points where there is none.

    signs: (blocks, places, places) above the diagonal, 1 for a pair ordered alike, -1 the other way round, else 0.
    """

    points: Ints
    signs: npt.NDArray[np.float32]


class SubsetPairs(NamedTuple):
    """Points prepared. cell: (points) the cell of the table of blocks, of the given shape."""

    cell: Ints
    shape: tuple[int, int]
    within: tuple[Within, Within]


def prepare_subset_pairs(x: Floats, y: Floats) -> SubsetPairs:
    """Points with two values each, without NaN; about 2,000 bytes a point are held."""
    codes = [np.unique(values, return_inverse=True)[1].reshape(-1) for values in (x, y)]
    of_x, of_y = (blocks_of(code) for code in codes)
    shape = int(of_x.max(initial=-1)) + 1, int(of_y.max(initial=-1)) + 1
    # A pair in one block of both is counted once, in that of x.
    within = (signs_within(codes, of_x, None), signs_within(codes, of_y, of_x))
    return SubsetPairs(of_x * shape[1] + of_y, shape, within)


def blocks_of(codes: Ints) -> Ints:
    """(points) the block of each, from 0 by rising value; long groups of ties have one of their own."""
    sizes = np.bincount(codes)
    begins = np.cumsum(sizes) - sizes
    named = begins // SIZE * 2 + (sizes > SIZE)
    of_group = np.cumsum(np.append(False, (named[1:] != named[:-1]) | (sizes[1:] > SIZE)))
    return np.asarray(of_group[codes], np.int64)


def signs_within(codes: list[Ints], block: Ints, other: Ints | None) -> Within:
    """Of each block with several groups; pairs that are in one block of `other` too are left out."""
    own = codes[0] if other is None else codes[1]
    order = np.argsort(own)
    rising, sorted_codes = block[order], own[order]
    starts = np.flatnonzero(np.append(True, rising[1:] != rising[:-1])) if order.size else np.zeros(0, np.int64)
    ends = np.append(starts[1:], order.size)
    several = sorted_codes[starts] != sorted_codes[ends - 1] if order.size else np.zeros(0, np.bool_)
    starts, ends = starts[several], ends[several]
    longest = int((ends - starts).max(initial=0))
    at = starts[:, None] + np.arange(longest)
    points = np.where(at < ends[:, None], order[np.minimum(at, max(order.size - 1, 0))], order.size)
    signs = np.zeros((*points.shape, longest), np.float32)
    later = np.arange(longest)[:, None] < np.arange(longest)
    for matrix, row in zip(signs, points, strict=True):  # a block at a time: few, each of many pairs
        held = np.minimum(row, order.size - 1)
        product = np.ones((longest, longest), np.int8)
        for code in codes:
            product = product * np.sign(code[held][:, None] - code[held]).astype(np.int8)
        there = later & (row < order.size)[:, None] & (row < order.size)
        if other is not None:
            there &= other[held][:, None] != other[held]
        matrix[:] = np.where(there, product, 0)
    return Within(points, signs)


def subset_surplus(pairs: SubsetPairs, chosen: Bytes) -> Ints:
    """(choices) concordant less discordant pairs among the points chosen; chosen: (choices, points), 0 or 1."""
    rows, _ = chosen.shape
    cells = pairs.shape[0] * pairs.shape[1]
    found = np.zeros(rows, np.int64)
    step = max(1, TABLE // max(cells, 1))
    for start in range(0, rows if cells else 0, step):
        part = slice(start, start + step)
        row, point = np.nonzero(chosen[part])
        table = np.bincount(row * cells + pairs.cell[point], minlength=len(chosen[part]) * cells)
        table = table.reshape(-1, *pairs.shape)
        earlier = np.cumsum(table, axis=1) - table
        up_to = np.cumsum(earlier, axis=2)
        # Less in both, without those that are less in x and more in y: up_to - earlier - (all - up_to).
        found[part] = (table * (2 * up_to - earlier - up_to[:, :, -1:])).sum(axis=(1, 2))
    padded = np.append(chosen, np.zeros((rows, 1), chosen.dtype), axis=1)
    for points, signs in pairs.within:
        bits = np.ascontiguousarray(padded[:, points].transpose(1, 0, 2)).astype(np.float32)
        found = found + np.einsum("gri,gri->gr", bits @ signs, bits).astype(np.int64).sum(axis=0)
    return np.asarray(found, np.int64)

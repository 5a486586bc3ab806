"""Many lists at once by their order: ranks, ties, and how many pairs of items two lists order alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.kernels.inversions import greater_before, order_by_row
from rankscope.kernels.ties import NOISE, greatest_sizes, joins
from rankscope.typing import Floats, Ints

__all__ = ["RankedRows", "rank_rows", "surplus_by_row"]


#: Items that are sorted at once: arrays of 8 MB.
ITEMS = 1 << 20


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Lists of one length by the order of their values; equal values are ties.

    codes: (lists, items) the rank of each value among the distinct ones, from 0. sizes: (lists, items) how many items
    have the code 0, 1, ...; 0 where there is no such code.
    """

    codes: Ints
    sizes: Ints

    @cached_property
    def distinct(self) -> Ints:
        """(lists) how many values there are."""
        return np.asarray(np.count_nonzero(self.sizes, axis=1), np.int64)

    @cached_property
    def tied(self) -> Ints:
        """(lists) pairs of items of one value."""
        return np.asarray((self.sizes * (self.sizes - 1) // 2).sum(axis=1), np.int64)

    @cached_property
    def doubled_ranks(self) -> Floats:
        """(lists, items) twice the distance of each mean rank from the middle of all ranks: whole numbers."""
        centres = 2 * np.cumsum(self.sizes, axis=1) - self.sizes - self.codes.shape[1]
        return np.take_along_axis(centres, self.codes, axis=1).astype(np.float64)

    def rows(self, which: npt.ArrayLike) -> RankedRows:
        """Some of the lists, as often as they are named."""
        at = np.asarray(which)
        return RankedRows(self.codes[at], self.sizes[at])


def rank_rows(values: Floats, *, computed: bool = False) -> RankedRows:
    """(lists, items) without NaN, each list for itself. computed: what only rounding tells apart is then tied."""
    lists, n = values.shape
    order = np.argsort(values, axis=1)
    rising = np.take_along_axis(values, order, axis=1)
    codes = np.zeros((lists, n), np.int64)
    new = ~joins(rising, NOISE * greatest_sizes(rising)[:, None]) if computed else rising[:, 1:] != rising[:, :-1]
    np.cumsum(new, axis=1, out=codes[:, 1:])
    starts = n * np.arange(lists)[:, None]
    sizes = np.bincount((codes + starts).ravel(), minlength=lists * n).reshape(lists, n)
    by_item = np.empty_like(codes)
    np.put_along_axis(by_item, order, codes, axis=1)
    return RankedRows(by_item, sizes)


def surplus_by_row(x: RankedRows, y: RankedRows) -> Ints:
    """(lists) the pairs of items that x and y order alike, less those that they order the other way round.

    One of the two may hold a single list, for all of the other. In n log n a list, of bounded memory.
    """
    lists, n = np.broadcast_shapes(x.codes.shape, y.codes.shape)
    found = np.empty(lists, np.int64)
    step = max(1, ITEMS // n)
    for start in range(0, lists, step):
        part = slice(start, start + step)
        a, b = (side.codes[part] if len(side.codes) > 1 else side.codes for side in (x, y))
        found[part] = untied_and_discordant(a, b)
    # What is tied in neither list: of all pairs, less those tied in x, in y, and the ones tied in both put back.
    return np.asarray(n * (n - 1) // 2 - x.tied - y.tied + found, np.int64)


def untied_and_discordant(x: Ints, y: Ints) -> Ints:
    """(lists) the pairs tied in both lists, less twice the pairs ordered the other way round.

    Items are put in order of x, those of one x in order of y: a pair the other way round is then one that y has in
    falling order.
    """
    n = x.shape[1]
    keys = x * n + y
    keys.sort(axis=1)
    # Of equal keys, each but the first is tied with those of its run before it.
    places = np.broadcast_to(np.arange(n), keys.shape)
    starts = np.where(np.concatenate((np.ones((len(keys), 1), np.bool_), keys[:, 1:] != keys[:, :-1]), 1), places, 0)
    tied_both = (places - np.maximum.accumulate(starts, axis=1)).sum(axis=1)
    return np.asarray(tied_both - 2 * greater_before(order_by_row(keys % n)).sum(axis=1), np.int64)

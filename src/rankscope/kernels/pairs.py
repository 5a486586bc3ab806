"""Concordant, discordant and tied pairs of items in two lists of scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.inversions import count_inversions, earlier_and_higher, greater_before
from rankscope.kernels.order import stable_order
from rankscope.typing import Floats, Ints

__all__ = [
    "CELLS",
    "PairCounts",
    "SortedPairs",
    "count_pairs",
    "count_pairs_by_row",
    "count_pairs_by_table",
    "sort_pairs",
]


Values = npt.NDArray[Any]
#: Numbers in a table of pairwise comparisons: few enough for the processor's cache.
BLOCK = 1 << 18
#: A table of all values of x and y is used where it has at most this many cells an item.
CELLS = 8
#: Distinct values that are looked for in a sample before all items are sorted; in fewer items they are not.
MAX_VALUES, MAX_SAMPLE, MIN_ITEMS = 8192, 4096, 2048
#: Buckets of equal width for them.
MAX_BUCKETS = 1 << 15
#: Fewer items are sorted as they are.
SHORT_LIST = 2000


@dataclass(frozen=True)
class PairCounts:
    """All pairs of items, each in one of five classes: whole numbers, or arrays with one for each list.

    concordant, discordant: ordered alike, or the other way round. tied_x, tied_y: tied in that list only.
    tied_both: tied in both.
    """

    concordant: Any
    discordant: Any
    tied_x: Any
    tied_y: Any
    tied_both: Any

    @property
    def total(self) -> Any:
        """How many pairs there are."""
        return self.concordant + self.discordant + self.tied_x + self.tied_y + self.tied_both


@dataclass(frozen=True, eq=False)
class SortedPairs:
    """Items by rising x; those of one x by rising y.

    order: (n) the item at each place. x, y: (n) by place, the rank of its value among the distinct ones, from 0.
    y_order: (n) the places by rising y, those of one y by place.
    """

    order: Ints
    x: Ints
    y: Ints
    y_order: Ints

    @cached_property
    def distinct(self) -> tuple[int, int]:
        """How many values x has, and y."""
        return (int(self.x.max()) + 1, int(self.y.max()) + 1) if self.x.size else (0, 0)

    @cached_property
    def discordant_before(self) -> Ints:
        """(n) by place, the items of less x and greater y.

        They are the inversions of y: items of one x stand by rising y, so no tie is an inversion.
        """
        return greater_before(self.y_order)

    @cached_property
    def discordant_behind(self) -> Ints:
        """(n) by place, the items of greater x and less y."""
        places = np.arange(self.order.size)
        ranks = np.empty(places.size, np.int64)
        ranks[self.y_order] = places
        # Of the items ranked below an item, place - before stand before it; the others stand behind.
        return np.asarray(ranks - places + self.discordant_before, np.int64)

    @cached_property
    def tied_x(self) -> Ints:
        """(n) by place, the other items of its x."""
        return np.asarray(np.bincount(self.x)[self.x] - 1, np.int64)

    @cached_property
    def tied_y(self) -> Ints:
        """(n) by place, the other items of its y."""
        return np.asarray(np.bincount(self.y)[self.y] - 1, np.int64)

    @cached_property
    def pair_codes(self) -> Ints:
        """(n) by place, the rank of its x and y among the distinct pairs of them, from 0."""
        codes = np.zeros(self.order.size, np.int64)
        np.cumsum((self.x[1:] != self.x[:-1]) | (self.y[1:] != self.y[:-1]), out=codes[1:])
        return codes

    @cached_property
    def tied_both(self) -> Ints:
        """(n) by place, the other items of its x and its y."""
        return np.asarray(np.bincount(self.pair_codes)[self.pair_codes] - 1, np.int64)

    @cached_property
    def concordant(self) -> Ints:
        """(n) by place, the items of greater x and y or less x and y."""
        untied = self.order.size - 1 - self.tied_x - self.tied_y + self.tied_both
        return untied - self.discordant_before - self.discordant_behind


def sort_pairs(x: Values, y: Values) -> SortedPairs:
    """Two lists of one length, without NaN, so ordered that their pairs can be counted."""
    n = x.size
    y_order = stable_rising(y)
    x_order = stable_rising(x[y_order])  # stable: items of one x keep their order by y
    order = y_order[x_order]
    x_codes, sorted_y_codes = codes_of_sorted(x[order]), codes_of_sorted(y[y_order])
    y_codes = sorted_y_codes[x_order]
    if n and sorted_y_codes[-1] < n - 1:
        return SortedPairs(order, x_codes, y_codes, stable_order(y_codes))
    by_y = np.empty(n, np.int64)
    by_y[x_order] = np.arange(n)
    return SortedPairs(order, x_codes, y_codes, by_y)


def stable_rising(values: Values) -> Ints:
    """The stable order of numbers without NaN.

    Each number, as a whole number that sorts as it does, is cut to leave room for its place, and the two are sorted as
    one: faster than sorting places by what they point at. The few that the cut made equal are sorted again afterwards.
    """
    n = values.size
    if n < SHORT_LIST or values.dtype == np.uint16:  # which NumPy sorts by their digits
        return np.argsort(values, kind="stable")
    bits = (n - 1).bit_length()
    codes = np.add(values, 0.0, dtype=np.float64).view(np.int64)  # -0.0 becomes 0.0, its equal
    codes ^= (codes >> 63) & np.int64(2**63 - 1)  # of negative numbers the larger have the smaller bits
    low = int(codes.min())
    shift = max(0, (int(codes.max()) - low).bit_length() + bits - 64)
    codes -= low  # past 2^63 it wraps around, which is correct as an unsigned number
    keys = codes.view(np.uint64)
    keys >>= np.uint64(shift)
    keys <<= np.uint64(bits)
    keys |= np.arange(n, dtype=np.uint64)
    keys.sort()
    keys &= np.uint64((1 << bits) - 1)
    order = keys.view(np.int64)
    if shift:
        sorted_values = values[order]
        if not (sorted_values[1:] >= sorted_values[:-1]).all():
            order = order[np.argsort(sorted_values, kind="stable")]
    return order


def codes_of_sorted(values: Values) -> Ints:
    """The rank of each sorted value among the distinct ones, from 0."""
    codes = np.zeros(values.size, np.int64)
    np.cumsum(values[1:] != values[:-1], out=codes[1:])
    return codes


def count_pairs(x: Floats, y: Floats) -> PairCounts:
    """How two lists of one length, without NaN, order their n (n - 1) / 2 pairs; exact, in n log n."""
    n = x.size
    few_x, few_y = ranks_of_few_values(x), ranks_of_few_values(y)
    if few_x is not None and few_y is not None and few_x.n_values * few_y.n_values <= CELLS * n:
        return count_pairs_by_table(few_x.ranks, few_y.ranks, (few_x.n_values, few_y.n_values))
    arranged = sort_pairs(*(v if few is None else few.ranks.astype(np.uint16) for v, few in ((x, few_x), (y, few_y))))
    n_x_values, n_y_values = arranged.distinct
    if n_x_values == n_y_values == n:
        discordant = count_inversions(arranged.y_order)
        return PairCounts(n * (n - 1) // 2 - discordant, discordant, 0, 0, 0)
    if n_x_values * n_y_values <= CELLS * n:
        return count_pairs_by_table(arranged.x, arranged.y, arranged.distinct)
    discordant = count_inversions(arranged.y_order)
    tied_both = tied_pairs(np.bincount(arranged.pair_codes))
    tied_x, tied_y = (tied_pairs(np.bincount(codes)) - tied_both for codes in (arranged.x, arranged.y))
    concordant = n * (n - 1) // 2 - discordant - tied_x - tied_y - tied_both
    return PairCounts(concordant, discordant, tied_x, tied_y, tied_both)


class RankedValues(NamedTuple):
    """ranks: (n) of each value among the distinct ones, from 0. n_values: how many distinct ones there are."""

    ranks: Ints
    n_values: int


def ranks_of_few_values(values: Floats) -> RankedValues | None:
    """The ranks of numbers without NaN of which few are distinct, found without sorting all; None for others.

    A sample tells the distinct ones. Numbers are put into buckets of equal width, at most one of them in each.
    """
    n = values.size
    if n < MIN_ITEMS:
        return None
    sample = values[:: max(1, n // MAX_SAMPLE)][: min(n // 8, MAX_SAMPLE)]
    distinct = np.unique(sample)
    if distinct.size > min(MAX_VALUES, sample.size // 2):
        return None
    distinct = np.union1d(distinct, [values.min(), values.max()])
    ranks = ranks_by_bucket(values, distinct)
    if ranks is None:
        return None
    is_known = distinct[ranks] == values
    if not is_known.all():  # the sample lacks some
        unknown = values[~is_known]
        if unknown.size > n // 4:
            return None
        distinct = np.union1d(distinct, unknown)
        ranks = ranks_by_bucket(values, distinct) if distinct.size <= MAX_VALUES else None
    return None if ranks is None else RankedValues(ranks, distinct.size)


def ranks_by_bucket(values: Floats, distinct: Floats) -> Ints | None:
    """The rank of each value among sorted ones, right for those that are among them; None where some are too close."""
    width = float(distinct[-1]) - float(distinct[0])
    gap = float(np.diff(distinct).min()) if distinct.size > 1 else 1.0
    if not np.isfinite(width) or width > gap * MAX_BUCKETS:
        return None
    n_buckets = 2 * int(width / gap) + 2
    scale = (n_buckets - 1) / width if width else 0.0
    if not np.isfinite(scale):
        return None
    rank_of_bucket = np.zeros(n_buckets, np.int64)
    rank_of_bucket[((distinct - distinct[0]) * scale).astype(np.int64)] = np.arange(distinct.size)
    return np.asarray(rank_of_bucket[((values - distinct[0]) * scale).astype(np.int64)])


def count_pairs_by_table(x_ranks: Ints, y_ranks: Ints, distinct: tuple[int, int]) -> PairCounts:
    """As `count_pairs`, from a table of all combinations of values. distinct: how many values x has, and y."""
    n, (n_x_values, n_y_values) = x_ranks.size, distinct
    table = np.bincount(x_ranks * n_y_values + y_ranks, minlength=n_x_values * n_y_values)
    table = table.reshape(1, n_x_values, n_y_values)
    discordant = int(np.vdot(table, earlier_and_higher(table)))
    tied_both = tied_pairs(table)
    tied_x, tied_y = (tied_pairs(table[0].sum(axis=axis)) - tied_both for axis in (1, 0))
    concordant = n * (n - 1) // 2 - discordant - tied_x - tied_y - tied_both
    return PairCounts(concordant, discordant, tied_x, tied_y, tied_both)


def tied_pairs(sizes: Ints) -> int:
    """How many pairs lie in one group, of groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def count_pairs_by_row(x: Floats, y: Floats) -> PairCounts:
    """(lists, items) twice: the counts of each list, one int64 a list; for many short lists.

    An item that is NaN in either list is in no pair, so lists of several lengths can be filled up with NaN.
    Every pair is compared, in pieces that fit the processor's cache.
    """
    n_lists, n_items = x.shape
    counts = np.zeros((5, n_lists), np.int64)
    step = max(1, BLOCK // max(n_items, 1))
    for start in range(0, n_lists, step):
        block = slice(start, start + step)
        # Items along the first axis: one comparison takes places of many lists.
        x_columns, y_columns = np.ascontiguousarray(x[block].T), np.ascontiguousarray(y[block].T)
        for j in range(1, n_items):
            for class_counts, in_class in zip(
                counts, pair_classes(x_columns[:j], x_columns[j], y_columns[:j], y_columns[j]), strict=True
            ):
                class_counts[block] += np.count_nonzero(in_class, axis=0)
    return PairCounts(*counts)


def pair_classes(x: Floats, other_x: Floats, y: Floats, other_y: Floats) -> tuple[npt.NDArray[np.bool_], ...]:
    """Whether each pair is concordant, discordant, tied in x, in y, in both; a pair with NaN is none of these."""
    less_x, more_x, tied_x = x < other_x, x > other_x, x == other_x
    less_y, more_y, tied_y = y < other_y, y > other_y, y == other_y
    return (
        (less_x & less_y) | (more_x & more_y),
        (less_x & more_y) | (more_x & less_y),
        tied_x & (less_y | more_y),
        tied_y & (less_x | more_x),
        tied_x & tied_y,
    )

"""Correlations of many pairs of lists at once: ranks and ties, pairs of items ordered alike, values of all
coefficients, the AP correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.inversions import count_inversions, greater_before, order_by_row
from rankscope.kernels.pairs import CELLS, count_pairs_by_table
from rankscope.kernels.rounding_ties import NOISE, greatest_sizes, tied_with_previous
from rankscope.stats.inputs import is_constant
from rankscope.typing import Bools, Floats, Ints, Words

__all__ = [
    "STATISTICS",
    "ListPairs",
    "RankedRows",
    "ap_above_groups",
    "make_list_pairs",
    "matrix_of",
    "normed",
    "rank_rows",
    "surplus_by_row",
    "tau_ap_by_row",
]


#: Most items sorted at once: arrays of 8 MB.
ITEMS = 1 << 20


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Lists of one length by the order of their values; equal values are ties.

    Attributes
    ----------
    codes
        Rank of each value among the distinct ones, from 0, (lists, items).
    sizes
        Number of items with the code 0, 1, ..., (lists, items); 0 if there is no such code.
    """

    codes: Ints
    sizes: Ints

    @cached_property
    def n_distinct(self) -> Ints:
        """(lists) the number of distinct values."""
        return np.asarray(np.count_nonzero(self.sizes, axis=1), np.int64)

    @cached_property
    def n_tied_pairs(self) -> Ints:
        """(lists) the number of tied pairs of items."""
        return np.asarray((self.sizes * (self.sizes - 1) // 2).sum(axis=1), np.int64)

    @cached_property
    def doubled_ranks(self) -> Floats:
        """(lists, items) twice the distance of each mean rank from the middle of all ranks: whole numbers."""
        centres = 2 * np.cumsum(self.sizes, axis=1) - self.sizes - self.codes.shape[1]
        return np.take_along_axis(centres, self.codes, axis=1).astype(np.float64)

    def rows(self, selection: npt.ArrayLike) -> RankedRows:
        """Some of the lists; one may be selected several times."""
        row_index = np.asarray(selection)
        return RankedRows(self.codes[row_index], self.sizes[row_index])


def rank_rows(values: Floats, *, computed: bool = False) -> RankedRows:
    """Ranks of (lists, items) without NaN, list by list. computed: values that differ by rounding only are tied."""
    n_lists, n = values.shape
    order = np.argsort(values, axis=1)
    sorted_values = np.take_along_axis(values, order, axis=1)
    codes = np.zeros((n_lists, n), np.int64)
    if computed:
        starts_group = ~tied_with_previous(sorted_values, NOISE * greatest_sizes(sorted_values)[:, None])
    else:
        starts_group = sorted_values[:, 1:] != sorted_values[:, :-1]
    np.cumsum(starts_group, axis=1, out=codes[:, 1:])
    row_offsets = n * np.arange(n_lists)[:, None]
    sizes = np.bincount((codes + row_offsets).ravel(), minlength=n_lists * n).reshape(n_lists, n)
    item_codes = np.empty_like(codes)
    np.put_along_axis(item_codes, order, codes, axis=1)
    return RankedRows(item_codes, sizes)


def surplus_by_row(x: RankedRows, y: RankedRows) -> Ints:
    """(lists) the pairs of items that x and y order alike, less those that they order the other way round.

    One of the two may hold a single list, for all of the other. In n log n a list, of bounded memory.
    """
    n_lists, n = np.broadcast_shapes(x.codes.shape, y.codes.shape)
    counts = np.empty(n_lists, np.int64)
    block_size = max(1, ITEMS // n)
    for start in range(0, n_lists, block_size):
        block = slice(start, start + block_size)
        a, b = (ranked.codes[block] if len(ranked.codes) > 1 else ranked.codes for ranked in (x, y))
        counts[block] = untied_and_discordant(a, b)
    # The pairs tied in neither list: all, less those tied in x and those tied in y, plus those tied in both.
    return np.asarray(n * (n - 1) // 2 - x.n_tied_pairs - y.n_tied_pairs + counts, np.int64)


def untied_and_discordant(x: Ints, y: Ints) -> Ints:
    """(lists) the pairs tied in both lists, less twice the pairs ordered the other way round.

    Items are sorted by x, then y: a pair the other way round is then one that y has in falling order.
    """
    n = x.shape[1]
    bits = (n - 1).bit_length()
    keys = (x << bits) | y
    if 2 * bits < 31:  # which are sorted in half the time
        keys = keys.astype(np.int32)
    keys.sort(axis=1)
    # Of equal keys, each but the first is tied with those of its run before it.
    tied_both: Any = 0
    in_run = keys[:, 1:] == keys[:, :-1]
    if in_run.any():
        positions = np.broadcast_to(np.arange(1, n), in_run.shape)
        tied_both = (positions - np.maximum.accumulate(np.where(in_run, 0, positions), axis=1)).sum(axis=1)
    keys &= (1 << bits) - 1
    return np.asarray(tied_both - 2 * greater_before(order_by_row(keys)).sum(axis=1), np.int64)


def tau_ap_by_row(x: RankedRows, y: RankedRows) -> Floats:
    """(lists) the AP correlation of many pairs of lists: the mean of both directions, ties as in tau_AP,b.

    NaN where one of the two ties all items.
    """
    return (ap_above_groups(x, y) + ap_above_groups(y, x)) / 2


def ap_above_groups(truth: RankedRows, estimate: RankedRows) -> Floats:
    """(lists) one direction: of the items above the group of each item in the estimate, how many the truth has above.

    Items are sorted by falling estimate, then rising truth: items before one that are greater in truth then all belong
    to a group above. Items of the top group have none above them and are skipped.
    """
    n = truth.codes.shape[1]
    keys = (n - 1 - estimate.codes) * n + truth.codes
    keys.sort(axis=1)
    concordant = greater_before(order_by_row(keys % n))
    group = keys // n
    positions = np.broadcast_to(np.arange(1, n), (len(keys), n - 1))
    n_above = np.zeros(keys.shape, np.int64)
    np.maximum.accumulate(np.where(group[:, 1:] != group[:, :-1], positions, 0), axis=1, out=n_above[:, 1:])
    below_top = np.count_nonzero(n_above, axis=1)
    shares = np.divide(concordant, n_above, out=np.zeros(n_above.shape), where=n_above > 0).sum(axis=1)
    return np.asarray(np.divide(2 * shares, below_top, out=np.full(len(keys), np.nan), where=below_top > 0) - 1)


#: Up to so many items, with ties and without, each list of a matrix is a table of bits, one for each two items.
SHORT, SHORT_UNTIED = 256, 1536
#: The largest size of all these tables, in bits.
MOST_BITS = 1 << 30
#: From this many on, lists without ties are counted one by one.
LONG = 4096
STATISTICS = ("pearson", "spearman", "kendall_a", "kendall_b", "kendall_c")
#: A correlation this close to 1 or -1 differs from it by rounding only.
EXACTLY = 1e-14


@dataclass(frozen=True, eq=False)
class ListPairs:
    """Two tables of lists with their ranks and correlations.

    Attributes
    ----------
    x, y
        Values, (lists, items).
    statistic
        Name of the correlation.
    ranks_x, ranks_y
        Their ranks.
    surplus
        C - D of each pair of lists.
    value
        Correlations.
    degenerate
        Whether a list has only one distinct value.
    """

    x: Floats
    y: Floats
    statistic: str
    ranks_x: RankedRows
    ranks_y: RankedRows
    surplus: npt.NDArray[np.int64]
    value: Floats
    degenerate: Bools

    @property
    def n(self) -> int:
        return int(self.x.shape[1])


def make_list_pairs(x: Floats, y: Floats, statistic: str) -> ListPairs:
    """What all coefficients need of pairs of lists, (lists, items) each."""
    ranks_x, ranks_y = rank_rows(x), rank_rows(y)
    degenerate = (ranks_x.n_distinct == 1) | (ranks_y.n_distinct == 1)
    if statistic == "pearson":
        degenerate = is_constant(x) | is_constant(y)
    surplus = np.zeros(len(x), np.int64)
    if statistic in ("pearson", "spearman"):
        a, b = (x, y) if statistic == "pearson" else (ranks_x.doubled_ranks, ranks_y.doubled_ranks)
        value = np.where(degenerate, np.nan, (normed(a) * normed(b)).sum(axis=1))
        value = snap(value)
    else:
        surplus = surplus_by_row(ranks_x, ranks_y)
        value = taus(surplus, ranks_x, ranks_y, statistic)
    return ListPairs(x, y, statistic, ranks_x, ranks_y, surplus, value, degenerate)


def taus(surplus: npt.NDArray[np.int64], x: RankedRows, y: RankedRows, statistic: str) -> Floats:
    """Kendall's tau from C - D; NaN where a list has one value, but for "kendall_a"."""
    n = x.codes.shape[1]
    n_pairs = n * (n - 1) // 2
    if statistic == "kendall_a":
        return np.asarray(surplus / n_pairs)
    if statistic == "kendall_b":
        norm = np.sqrt((n_pairs - x.n_tied_pairs).astype(np.float64) * (n_pairs - y.n_tied_pairs))
    else:
        n_values = np.minimum(x.n_distinct, y.n_distinct)
        norm = n * n * (n_values - 1) / n_values / 2
    values = np.divide(surplus, norm, out=np.full(norm.shape, np.nan), where=norm > 0)
    return snap(np.clip(values, -1.0, 1.0))


def normed(rows: Floats) -> Floats:
    """Each list less its mean, scaled to length 1; NaN for a list of one value."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    greatest = np.abs(centred).max(axis=1, keepdims=True)
    centred = np.divide(centred, greatest, out=np.full(rows.shape, np.nan), where=greatest > 0)
    return np.asarray(centred / np.sqrt((centred * centred).sum(axis=1, keepdims=True)))


def product_moments(rows: Floats, degenerate: Bools) -> Floats:
    """(lists, lists) Pearson's correlation of each two lists; NaN for a constant one."""
    units = normed(rows)
    matrix = np.where(degenerate[:, None] | degenerate, np.nan, snap(units @ units.T))
    np.fill_diagonal(matrix, np.where(degenerate, np.nan, 1.0))
    return matrix


def pair_bits(codes: Ints) -> Words:
    """(lists, words) a bit for each two items: whether the first is lower. Lists share those that both order alike."""
    n_lists, n = codes.shape
    narrow_codes = codes.astype(np.int16)
    n_bytes = -(-n * n // 8)
    bits = np.zeros((n_lists, -(-n_bytes // 8) * 8), np.uint8)
    for row, row_codes in zip(bits, narrow_codes, strict=True):
        row[:n_bytes] = np.packbits(row_codes[:, None] < row_codes)
    return bits.view(np.uint64)


def count_shared(bits: Words, others: Words) -> Ints:
    """(lists) how many bits each of the others shares with the bits of one list."""
    return np.asarray(np.bitwise_count(others & bits).sum(axis=1, dtype=np.int64))


def snap(values: Floats) -> Floats:
    """The values, with those that differ from 1 or -1 by rounding only set to it."""
    return np.asarray(np.where(np.abs(values) >= 1 - EXACTLY, np.sign(values), values))


def matrix_of(rows: Floats, statistic: str) -> Floats:
    """(k, k) of k lists; see `correlation_matrix`."""
    if statistic == "pearson":
        return product_moments(rows, is_constant(rows))
    ranks = rank_rows(rows)
    if statistic == "spearman":
        return product_moments(ranks.doubled_ranks, ranks.n_distinct == 1)
    n_lists, n_items = rows.shape
    matrix = np.empty((n_lists, n_lists))
    has_ties = bool(ranks.n_tied_pairs.any())
    n_bits = n_lists * n_items**2 * (2 if has_ties else 1)
    is_short = n_items <= (SHORT if has_ties else SHORT_UNTIED) and n_bits <= MOST_BITS
    lower = pair_bits(ranks.codes) if is_short else None
    higher = pair_bits(-ranks.codes) if is_short and has_ties else None
    for i in range(n_lists):  # one list with all that follow, so that no table holds all pairs
        x, y = ranks.rows([i]), ranks.rows(np.arange(i, n_lists))
        if lower is None:
            surplus = surplus_of_row(ranks, i)
        elif higher is None:
            surplus = 2 * count_shared(lower[i], lower[i:]) - n_items * (n_items - 1) // 2
        else:
            surplus = count_shared(lower[i], lower[i:]) - count_shared(lower[i], higher[i:])
        matrix[i, i:] = matrix[i:, i] = taus(surplus, x, y, statistic)
    return matrix


def surplus_of_row(ranks: RankedRows, row: int) -> Ints:
    """(lists) C - D of a list with itself and all that follow it."""
    n = ranks.codes.shape[1]
    n_values = ranks.n_distinct
    counts = np.zeros(len(ranks.codes) - row, np.int64)
    has_few = n_values[row] * n_values[row:] <= CELLS * n
    is_untied = (n_values[row] == n) & (n_values[row:] == n) & (n >= LONG)
    for i in np.flatnonzero(has_few | is_untied).tolist():
        x, y = ranks.codes[row], ranks.codes[row + i]
        if has_few[i]:
            pairs = count_pairs_by_table(x, y, (int(n_values[row]), int(n_values[row + i])))
            counts[i] = pairs.concordant - pairs.discordant
        else:  # the place in x of each item, by rising y
            order = np.empty(n, np.int64)
            order[y] = x
            counts[i] = n * (n - 1) // 2 - 2 * count_inversions(order)
    others = np.flatnonzero(~(has_few | is_untied))
    if others.size:
        counts[others] = surplus_by_row(ranks.rows([row]), ranks.rows(row + others))
    return counts

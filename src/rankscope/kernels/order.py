"""Stable sorting within groups, mean ranks of ties, and checks for repeated keys."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.typing import Indices

__all__ = [
    "first_repeat",
    "mean_ranks",
    "order_falling",
    "order_in_groups",
    "ranges",
    "repeated",
    "stable_order",
]


def stable_order(codes: npt.NDArray[np.intp]) -> Indices:
    """The stable order of whole numbers >= 0. NumPy sorts 16 bits by radix, so do that, digit by digit."""
    highest = int(codes.max(initial=0))
    order: Indices = np.argsort(codes.astype(np.uint16), kind="stable")
    shift = 16
    while highest >> shift:
        digit = (codes >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
        shift += 16
    return order


def mean_ranks(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ranks by falling score, from 1; tied ones have the mean of their ranks."""
    _, value_index, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[value_index], np.float64)


def order_in_groups(groups: npt.NDArray[np.intp], scores: npt.NDArray[np.float64], stable: bool = True) -> Indices:
    """The order by group rising, then score falling. stable: equal scores keep their order, which takes longer."""
    by_score = np.argsort(-scores, kind="stable" if stable else None)
    return by_score[stable_order(groups[by_score])]


def order_falling(scores: npt.NDArray[np.float64], lengths: npt.NDArray[np.int64], stable: bool = True) -> Indices:
    """The order of rows that sorts each group by falling score.

    Parameters
    ----------
    scores
        (rows) the groups follow each other.
    lengths
        (groups) number of rows of each.
    stable
        Whether equal scores keep their order, which takes longer.

    Notes
    -----
    Groups of much the same size are the lines of a table, which NumPy sorts line by line, in the processor's cache.
    """
    n_groups, longest, n = lengths.size, int(lengths.max(initial=0)), scores.size
    if n_groups * longest > 2 * n:
        return order_in_groups(np.repeat(np.arange(n_groups), lengths), scores, stable)
    inside = np.arange(longest) < lengths[:, None]
    table = np.full((n_groups, longest), np.inf)  # behind every score
    table[inside] = -scores
    order = np.argsort(table, axis=1, kind="stable" if stable else None)
    order += (np.cumsum(lengths) - lengths)[:, None]
    return np.asarray(order[inside], np.intp)


def ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> Indices:
    """start, start + 1, ..., start + length - 1 of each pair, one after the other."""
    offsets = np.cumsum(lengths) - lengths
    return np.repeat(starts - offsets, lengths) + np.arange(int(lengths.sum()))


def first_repeat(keys: npt.NDArray[np.int64], n_keys: int | None = None) -> tuple[int, int] | None:
    """The first place with a key that stands before, and where that stands first; None where all keys differ.

    n_keys: how many keys there can be, counted from 0; then nothing is sorted unless a key repeats.

    >>> first_repeat(np.array([5, 3, 4, 3, 5]))
    (3, 1)
    """
    if n_keys is not None and keys.size <= n_keys:
        is_used = np.zeros(n_keys, np.bool_)
        is_used[keys] = True
        if np.count_nonzero(is_used) == keys.size:
            return None
    order = np.argsort(keys, kind="stable")
    seconds = order[1:][keys[order[1:]] == keys[order[:-1]]]
    if not seconds.size:
        return None
    second = int(seconds.min())
    return second, int(np.argmax(keys == keys[second]))


def repeated(keys: npt.NDArray[np.uint64]) -> bool:
    """Whether any key occurs twice.

    Every row writes its number into a table at a place that its key gives, then reads the place back. A row that reads
    its own number is alone or the last of its place, so only rows that read another number are compared. Ten times as
    fast as sorting.
    """
    n = keys.size
    if n < 2:
        return False
    digits = int(n - 1).bit_length()
    bits = digits + 3 if digits < 18 else digits + 1  # for many rows, a smaller table that still fits into memory
    table_index = (keys >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, np.uint32 if n < 1 << 32 else np.uint64)
    rows = np.arange(n, dtype=table.dtype)
    table[table_index] = rows
    last_row = table[table_index]
    overwritten = np.flatnonzero(last_row != rows)
    if not overwritten.size:
        return False
    overwritten_keys = keys[overwritten]
    if bool((overwritten_keys == keys[last_row[overwritten]]).any()):
        return True
    overwritten_keys.sort()
    return bool((overwritten_keys[1:] == overwritten_keys[:-1]).any())

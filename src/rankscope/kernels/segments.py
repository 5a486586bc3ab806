"""Sums, counts and products over ragged groups: flat values, and for each its group or the groups' offsets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats, Ints

__all__ = [
    "bounds",
    "count_before",
    "cumulative_product",
    "cumulative_sum",
    "group_of",
    "place_in_group",
    "sum_by_group",
]


def sum_by_group(values: npt.NDArray[np.float64] | npt.NDArray[np.bool_], groups: Ints, n: int) -> Floats:
    """The sum of each group's values, added in order; 0 for a group without values."""
    if values.dtype == np.bool_:
        if n == 1:
            return np.array((np.count_nonzero(values),), np.float64)
        return np.bincount(groups[values], minlength=n).astype(np.float64)
    # Without values, bincount gives integers.
    return np.bincount(groups, values, n).astype(np.float64, copy=False)


def group_of(offsets: Ints) -> Ints:
    """The group of each value."""
    return np.arange(offsets.size - 1).repeat(offsets[1:] - offsets[:-1])


def place_in_group(offsets: Ints) -> Ints:
    """0, 1, 2, ... within each group."""
    return np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], offsets[1:] - offsets[:-1])


def count_before(marked: npt.NDArray[np.bool_], offsets: Ints) -> Ints:
    """How many marked values stand before each value in its group."""
    running_count: Ints = marked.cumsum(dtype=np.int64)  # whole numbers: exact, so differences are too
    before = running_count - marked
    if offsets.size == 2:  # one group
        return np.asarray(before, np.int64)
    firsts = offsets[:-1]
    count_before_group = np.concatenate((np.zeros(1, np.int64), running_count))[firsts]
    return np.asarray(before - np.repeat(count_before_group, offsets[1:] - offsets[:-1]), np.int64)


def bounds(lengths: Ints) -> Ints:
    """Offsets of groups of these lengths."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def cumulative_product(values: Floats, offsets: Ints) -> Floats:
    """The product of each value with those before it in its group."""
    return scan(np.multiply, values, offsets)


def cumulative_sum(values: Floats, offsets: Ints) -> Floats:
    """The sum of each value and those before it in its group."""
    return scan(np.add, values, offsets)


def scan(operation: np.ufunc, values: Floats, offsets: Ints) -> Floats:
    """Each value combined with all before it in its group.

    Parameters
    ----------
    operation
        An associative operation, as np.add.
    values
        Values of all groups.
    offsets
        Where the groups begin.

    Notes
    -----
    Doubling (Hillis and Steele 1986): after step s each value holds the combination of the last 2^s. That takes ten
    steps for groups of a thousand, and no logarithms or differences of long sums, which would lose digits.
    """
    combined = values.copy()
    places = place_in_group(offsets)
    step = 1
    longest = int(places.max(initial=0))
    while step <= longest:
        previous = combined.copy()
        operation(previous[:-step], previous[step:], out=combined[step:], where=places[step:] >= step)
        step *= 2
    return combined

"""Ties of computed numbers: numbers that differ only by rounding, which depends on the processor, count as equal.

Sums of the same numbers in another order, or by another processor, differ in their last bits. So all numbers that
decide ranks, winners, clusters or verdicts are compared here: numbers are sorted, and neighbours no further apart than
`NOISE` times their scale are one tie, as are all numbers that a chain of such neighbours joins. On a grid of rounded
values, two nearly equal numbers may lie on different sides of an edge. A chain has edges only where a gap is as wide as
the tolerance itself, which is thousands of times the rounding error.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "NOISE",
    "SOLVED",
    "at_most",
    "best_places",
    "join_ties",
    "join_ties_of_lists",
    "order_of",
    "signs_of",
    "tied_with_previous",
]


#: Sums, means and differences are equal where they agree to this share of the greatest number that they are made of.
NOISE = 1e-12
#: Solutions of equations, and maxima found by iteration, are equal where they agree to this share of their range.
SOLVED = 1e-9
#: Cells of a table, so that it stays in the processor's cache.
CELLS = 1 << 16


def join_ties(values: Floats, scale: npt.ArrayLike | None = None, share: float = NOISE) -> Floats:
    """Each list with its ties made equal: all members of a tie become its least one; others stay.

    Parameters
    ----------
    values
        The lists, (..., items).
    scale
        What differences are measured by, (...). Default: the greatest absolute value of the list.
    share
        The share of the scale up to which a difference counts as 0.

    Returns
    -------
    array of shape (..., items)
        The lists. NaN stays NaN, and infinite numbers are tied with equal ones.

    Examples
    --------
    >>> join_ties(np.array([[0.1 + 0.2, 0.3, 0.4]])).tolist()
    [[0.3, 0.3, 0.4]]
    """
    if values.shape[-1] < 2 or not values.size:
        return values
    rows = values.reshape(-1, values.shape[-1])
    sorted_rows = np.sort(rows, axis=1)
    scales = greatest_sizes(sorted_rows) if scale is None else np.broadcast_to(scale, values.shape[:-1]).reshape(-1)
    tolerance = share * scales[:, None]
    with np.errstate(invalid="ignore"):  # infinite less infinite
        gaps = sorted_rows[:, 1:] - sorted_rows[:, :-1]
    near = (gaps <= tolerance) & (gaps > 0)
    tied_rows = np.flatnonzero(near.any(axis=1))
    if not tied_rows.size:
        return values
    joined = rows.copy()
    joined[tied_rows] = least_of_ties(
        rows[tied_rows], sorted_rows[tied_rows], tied_with_previous(sorted_rows[tied_rows], tolerance[tied_rows])
    )
    return joined.reshape(values.shape)


def greatest_sizes(sorted_rows: Floats) -> Floats:
    """(lists) the greatest finite number of each, without sign. sorted_rows: sorted lists."""
    greatest = np.maximum(np.abs(sorted_rows[:, 0]), np.abs(sorted_rows[:, -1]))
    if not np.isfinite(greatest).all():
        greatest = np.where(np.isfinite(sorted_rows), np.abs(sorted_rows), 0.0).max(axis=1)
    return np.asarray(greatest)


def tied_with_previous(sorted_rows: Floats, tolerance: Floats) -> Bools:
    """(lists, items - 1) whether each but the first is tied with the one before it. sorted_rows: sorted lists."""
    with np.errstate(invalid="ignore"):  # infinite less infinite
        return np.asarray(
            (sorted_rows[:, 1:] - sorted_rows[:, :-1] <= tolerance) | (sorted_rows[:, 1:] == sorted_rows[:, :-1])
        )


def least_of_ties(rows: Floats, sorted_rows: Floats, is_tied: Bools) -> Floats:
    """The lists with ties made equal. sorted_rows: the same, sorted; is_tied: `tied_with_previous` of these."""
    n = rows.shape[1]
    row_offsets = n * np.arange(len(rows))[:, None]
    tie_starts = np.broadcast_to(row_offsets, rows.shape).copy()
    tie_starts[:, 1:] += np.where(is_tied, 0, np.arange(1, n))
    np.maximum.accumulate(tie_starts, axis=1, out=tie_starts)
    result = np.empty_like(rows)
    result.ravel()[(np.argsort(rows, axis=1) + row_offsets).ravel()] = sorted_rows.ravel()[tie_starts.ravel()]
    return result


def join_ties_of_lists(values: Floats, offsets: Ints, scale: Floats | None = None) -> Floats:
    """Consecutive lists with the ties of each made equal, written over `values`; see `join_ties`.

    Parameters
    ----------
    values
        Finite numbers of all lists.
    offsets
        (lists + 1) where each list begins, and where the last ends.
    scale
        (lists) size of the numbers of which rounding errors are a share. None: each number's absolute value, for sums
        of numbers of one sign, of which small ones are as exact as great ones.
    """
    lengths = np.diff(offsets)
    classes = np.frexp(np.maximum(lengths, 1).astype(np.float64))[1]
    for length_class in np.unique(classes[lengths > 1]).tolist():
        lists = np.flatnonzero(classes == length_class)
        step = max(1, CELLS // int(lengths[lists].max()))
        for start in range(0, lists.size, step):
            join_similar_lists(values, offsets, lists[start : start + step], scale)
    return values


def join_similar_lists(values: Floats, offsets: Ints, lists: Ints, scale: Floats | None) -> None:
    """Join the ties of lists of similar lengths, as a table padded with infinite numbers; written over `values`."""
    lengths = offsets[lists + 1] - offsets[lists]
    width = int(lengths.max())
    inside = np.arange(width) < lengths[:, None]
    contiguous = bool(lists[-1] - lists[0] + 1 == lists.size)  # consecutive lists, which is the usual case
    places: slice | Ints = slice(int(offsets[lists[0]]), int(offsets[lists[-1] + 1]))
    if not contiguous:
        places = (offsets[lists][:, None] + np.arange(width))[inside]
    if contiguous and (lengths == width).all():
        join_rows(values[places].reshape(inside.shape), None if scale is None else scale[lists])
        return
    rows = np.full(inside.shape, np.inf)
    rows[inside] = values[places]
    if join_rows(rows, None if scale is None else scale[lists]):
        values[places] = rows[inside]


def join_rows(rows: Floats, scale: Floats | None) -> bool:
    """Join the ties of each row of a table, in place; whether that changed it."""
    sorted_rows = np.sort(rows, axis=1)
    if scale is not None:
        tolerance = NOISE * scale[:, None]
    elif (sorted_rows[:, 0] >= 0).all():
        tolerance = NOISE * sorted_rows[:, 1:]
    else:
        tolerance = NOISE * np.maximum(np.abs(sorted_rows[:, 1:]), np.abs(sorted_rows[:, :-1]))
    with np.errstate(invalid="ignore"):  # infinite less infinite
        gaps = sorted_rows[:, 1:] - sorted_rows[:, :-1]
    near = (gaps <= tolerance) & (gaps > 0)
    tied_rows = np.flatnonzero(near.any(axis=1))
    if tied_rows.size:
        rows[tied_rows] = least_of_ties(
            rows[tied_rows],
            sorted_rows[tied_rows],
            near[tied_rows] | (sorted_rows[tied_rows, 1:] == sorted_rows[tied_rows, :-1]),
        )
    return bool(tied_rows.size)


def order_of(values: Floats, scale: float | None = None) -> npt.NDArray[np.intp]:
    """(items) their places by rising value, ties in their given order, NaN last.

    >>> order_of(np.array([0.4, 0.1 + 0.2, 0.3])).tolist()
    [1, 2, 0]
    """
    return np.argsort(join_ties(values, scale), kind="stable")


def best_places(values: Floats, scale: npt.ArrayLike | None = None) -> Bools:
    """(..., items) whether each is the greatest of its list or tied with it; NaN never is. scale: as for `join_ties`.

    >>> best_places(np.array([0.3, 0.1 + 0.2, np.nan, 0.1])).tolist()
    [True, True, False, False]
    """
    joined = join_ties(values, scale)
    highest = np.where(np.isnan(joined), -np.inf, joined).max(axis=-1, keepdims=True)
    return np.asarray(joined == highest)


def signs_of(values: npt.ArrayLike, scale: npt.ArrayLike) -> Floats:
    """1, 0 or -1, as `numpy.sign`, of sums or differences of numbers as great as the scale; 0 for rounding errors.

    >>> signs_of([0.1 + 0.2 - 0.3, -0.5], 0.3).tolist()
    [0.0, -1.0]
    """
    numbers = np.asarray(values, np.float64)
    return np.asarray(np.where(np.abs(numbers) <= NOISE * np.asarray(scale), 0.0, np.sign(numbers)))


def at_most(values: npt.ArrayLike, bound: npt.ArrayLike) -> Bools:
    """Whether numbers are at most a bound, up to rounding, as a p-value and its level.

    >>> at_most([0.01 * 5, 0.1 + 0.2, 0.4], [0.05, 0.3, 0.3]).tolist()
    [True, True, False]
    """
    return np.asarray(np.asarray(values) <= np.asarray(bound) + NOISE * np.abs(bound), np.bool_)

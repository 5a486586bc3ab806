"""Which computed numbers are equal: those that differ by rounding only, which no two processors do alike.

Sums of the same numbers in another order, or by another processor, differ in their last bits. So whatever becomes a
rank, a best one, a cluster or a decision is compared here: numbers are sorted, and neighbours that are no further apart
than `NOISE` times their scale are one tie, as are all that such neighbours join. Unlike a grid of rounded values, on
which two that are nearly equal may lie on both sides of an edge, a chain has no edges but where a gap is as wide as the
tolerance itself, thousands of times what rounding leaves.
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
    "joins",
    "order_of",
    "signs_of",
]


#: Sums, means and differences are equal where they agree to this share of the greatest number that they are made of.
NOISE = 1e-12
#: So are solutions of equations and maxima that were walked to where they agree to this share of their range.
SOLVED = 1e-9
#: Cells of a table, so that it stays in the processor's cache.
CELLS = 1 << 16


def join_ties(values: Floats, scale: npt.ArrayLike | None = None, share: float = NOISE) -> Floats:
    """(..., items) each list with its ties made equal: all of a tie are the least of it. Others stay as they are.

    scale: (...) what differences are measured by; None: the greatest size in the list. share: how much of it is none.
    NaN stays NaN, and infinite numbers are tied with their like.

    >>> join_ties(np.array([[0.1 + 0.2, 0.3, 0.4]])).tolist()
    [[0.3, 0.3, 0.4]]
    """
    if values.shape[-1] < 2 or not values.size:
        return values
    rows = values.reshape(-1, values.shape[-1])
    rising = np.sort(rows, axis=1)
    scales = greatest_sizes(rising) if scale is None else np.broadcast_to(scale, values.shape[:-1]).reshape(-1)
    room = share * scales[:, None]
    with np.errstate(invalid="ignore"):  # infinite less infinite
        gaps = rising[:, 1:] - rising[:, :-1]
    near = (gaps <= room) & (gaps > 0)
    some = np.flatnonzero(near.any(axis=1))
    if not some.size:
        return values
    found = rows.copy()
    found[some] = least_of_ties(rows[some], rising[some], joins(rising[some], room[some]))
    return found.reshape(values.shape)


def greatest_sizes(rising: Floats) -> Floats:
    """(lists) the greatest finite number of each, without sign. rising: sorted lists."""
    greatest = np.maximum(np.abs(rising[:, 0]), np.abs(rising[:, -1]))
    if not np.isfinite(greatest).all():
        greatest = np.where(np.isfinite(rising), np.abs(rising), 0.0).max(axis=1)
    return np.asarray(greatest)


def joins(rising: Floats, room: Floats) -> Bools:
    """(lists, items - 1) whether each but the first is tied with the one before it. rising: sorted lists."""
    with np.errstate(invalid="ignore"):  # infinite less infinite
        return np.asarray((rising[:, 1:] - rising[:, :-1] <= room) | (rising[:, 1:] == rising[:, :-1]))


def least_of_ties(rows: Floats, rising: Floats, joined: Bools) -> Floats:
    """The lists with ties made equal. rising: they, sorted; joined: of these neighbours."""
    n = rows.shape[1]
    begins = n * np.arange(len(rows))[:, None]
    first = np.broadcast_to(begins, rows.shape).copy()
    first[:, 1:] += np.where(joined, 0, np.arange(1, n))
    np.maximum.accumulate(first, axis=1, out=first)
    found = np.empty_like(rows)
    found.ravel()[(np.argsort(rows, axis=1) + begins).ravel()] = rising.ravel()[first.ravel()]
    return found


def join_ties_of_lists(values: Floats, offsets: Ints, scale: Floats | None = None) -> Floats:
    """Lists behind one another with the ties of each made equal, written over `values`; see `join_ties`.

    offsets: where each list begins, and where the last ends. scale: (lists); None: each number's own size, for sums of
    numbers of one sign, of which small ones are as exact as great ones. Finite numbers.
    """
    lengths = np.diff(offsets)
    classes = np.frexp(np.maximum(lengths, 1).astype(np.float64))[1]
    for one in np.unique(classes[lengths > 1]).tolist():
        which = np.flatnonzero(classes == one)
        step = max(1, CELLS // int(lengths[which].max()))
        for begin in range(0, which.size, step):
            join_some(values, offsets, which[begin : begin + step], scale)
    return values


def join_some(values: Floats, offsets: Ints, some: Ints, scale: Floats | None) -> None:
    """Some lists of about one length as a table, infinite numbers behind those that are shorter; written over."""
    lengths = offsets[some + 1] - offsets[some]
    width = int(lengths.max())
    inside = np.arange(width) < lengths[:, None]
    together = bool(some[-1] - some[0] + 1 == some.size)  # behind one another, which is the usual case
    place: slice | Ints = slice(int(offsets[some[0]]), int(offsets[some[-1] + 1]))
    if not together:
        place = (offsets[some][:, None] + np.arange(width))[inside]
    if together and (lengths == width).all():
        join_rows(values[place].reshape(inside.shape), None if scale is None else scale[some])
        return
    rows = np.full(inside.shape, np.inf)
    rows[inside] = values[place]
    if join_rows(rows, None if scale is None else scale[some]):
        values[place] = rows[inside]


def join_rows(rows: Floats, scale: Floats | None) -> bool:
    """Write over a table; whether that changed it."""
    rising = np.sort(rows, axis=1)
    if scale is not None:
        room = NOISE * scale[:, None]
    elif (rising[:, 0] >= 0).all():
        room = NOISE * rising[:, 1:]
    else:
        room = NOISE * np.maximum(np.abs(rising[:, 1:]), np.abs(rising[:, :-1]))
    with np.errstate(invalid="ignore"):  # infinite less infinite
        gaps = rising[:, 1:] - rising[:, :-1]
    near = (gaps <= room) & (gaps > 0)
    some = np.flatnonzero(near.any(axis=1))
    if some.size:
        rows[some] = least_of_ties(rows[some], rising[some], near[some] | (rising[some, 1:] == rising[some, :-1]))
    return bool(some.size)


def order_of(values: Floats, scale: float | None = None) -> npt.NDArray[np.intp]:
    """(items) their places by rising value, ties in the order in which they stand, NaN last.

    >>> order_of(np.array([0.4, 0.1 + 0.2, 0.3])).tolist()
    [1, 2, 0]
    """
    return np.argsort(join_ties(values, scale), kind="stable")


def best_places(values: Floats, scale: npt.ArrayLike | None = None) -> Bools:
    """(..., items) which are the greatest, or tied with it; NaN is not. scale: as for `join_ties`.

    >>> best_places(np.array([0.3, 0.1 + 0.2, np.nan, 0.1])).tolist()
    [True, True, False, False]
    """
    joined = join_ties(values, scale)
    highest = np.where(np.isnan(joined), -np.inf, joined).max(axis=-1, keepdims=True)
    return np.asarray(joined == highest)


def signs_of(values: npt.ArrayLike, scale: npt.ArrayLike) -> Floats:
    """1, 0 or -1, as `numpy.sign`, of sums or differences of numbers as great as the scale: nothing but rounding is 0.

    >>> signs_of([0.1 + 0.2 - 0.3, -0.5], 0.3).tolist()
    [0.0, -1.0]
    """
    found = np.asarray(values, np.float64)
    return np.asarray(np.where(np.abs(found) <= NOISE * np.asarray(scale), 0.0, np.sign(found)))


def at_most(values: npt.ArrayLike, bound: npt.ArrayLike) -> Bools:
    """Whether numbers reach down to a bound or below, equal but for rounding included: a p-value, and its level.

    >>> at_most([0.01 * 5, 0.1 + 0.2, 0.4], [0.05, 0.3, 0.3]).tolist()
    [True, True, False]
    """
    return np.asarray(np.asarray(values) <= np.asarray(bound) + NOISE * np.abs(bound), np.bool_)

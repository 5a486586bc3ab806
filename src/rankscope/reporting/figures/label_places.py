"""Where the names of points stand, so that they cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats

__all__ = ["LINE", "label_places", "overlaps", "text_width"]

#: The height of a line in pixels, at 12 px.
LINE = 15.0
#: Letters of about half the usual width, and of one and a half.
NARROW, WIDE = frozenset(" !'(),.:;I[]`fijlrt|"), frozenset("%@MWmw")
#: Half the width of a point with some room around it.
POINT = 7.0
#: Lines up and down at which a name is tried, and pixels aside, those beside its point first.
STEPS = sorted(range(-10, 11), key=abs)
ASIDE = (0, 25, 50, 80, 120)
#: What covering a pixel costs (of a name or a point, of a bar) and what it costs to stand a pixel farther off.
COVER, CROSS, AWAY = 4.0, 0.3, 0.8
#: What it costs to touch a name or a point at all, and to stand nearer to another point than to one's own.
HIT, TAKEN = 40.0, 25.0
#: How often all names are set.
PASSES = 3


def text_width(text: str) -> float:
    """Pixels of a text at 12 px, roughly, since fonts differ.

    >>> text_width("AP"), text_width("mmm")
    (14.0, 31.5)
    """
    return sum(4.0 if c in NARROW else 10.5 if c in WIDE else 7.0 if ord(c) < 0x1100 else 12.0 for c in text)


def overlaps(boxes: Floats, others: Floats) -> Floats:
    """(boxes, others) square pixels that they share; a box is left, top, right, bottom.

    >>> overlaps(np.array([[0.0, 0, 4, 4]]), np.array([[3.0, 2, 9, 9], [4, 4, 5, 5]])).tolist()
    [[2.0, 0.0]]
    """
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.clip(high - low, 0, None).prod(axis=2))


def offsets(width: float) -> Floats:
    """(places, 2) from a point to the middle of its name: beside it, above, below, and then farther off."""
    beside = width / 2 + POINT
    found = [
        (side * (beside - (POINT / 2 if step and not more else 0) + more), step * LINE * 0.9)
        for more in ASIDE
        for step in STEPS
        for side in (1, -1)
    ]
    found += [(shift, step * LINE * 1.05) for shift in (0.0, width / 4, -width / 4) for step in STEPS[1:]]
    return np.array(found)


def boxes_at(middle: Floats, width: float) -> Floats:
    half = np.array([width / 2, LINE / 2])
    return np.concatenate([middle - half, middle + half], axis=1)


def label_places(points: Floats, widths: Sequence[float], sizes: Sequence[tuple[float, float]], bars: Floats) -> Floats:
    """(points, 2) pixels from each point to the middle of its name.

    points: (points, 2) in [0, 1], from the left and from the top. widths: of the names, in pixels. sizes: width and
    height of the plot, several where it may be drawn at several; the places are good at all of them. bars: (bars, 4) in
    [0, 1], left, top, right, bottom, which a name rather does not cross. Names are set one after the other, those in
    the thick of it first, each where it costs least; then again, now that all others stand.

    >>> label_places(np.array([[0.5, 0.5]]), [20.0], [(400, 300)], np.zeros((0, 4))).tolist()
    [[17.0, 0.0]]
    """
    count = len(widths)
    found = np.zeros((count, 2))
    if not count:
        return found
    apart = np.hypot(*((points[:, None] - points[None]) * np.array(sizes[0])).transpose(2, 0, 1))
    order = np.argsort(-np.exp(-apart / 60).sum(axis=1), kind="stable").tolist()
    done: list[int] = []
    for i in order * PASSES:
        tried = offsets(widths[i])
        others = [j for j in done if j != i]
        middles, halves = found[others], np.array([[widths[j] / 2, LINE / 2] for j in others]).reshape(-1, 2)
        names = np.concatenate([middles - halves, middles + halves], axis=1)
        cost = sum(costs(i, tried, widths[i], points * np.array(size), names, others, bars, size) for size in sizes)
        found[i] = tried[int(np.argmin(cost))]
        done = [*others, i]
    return found


def costs(
    i: int,
    tried: Floats,
    width: float,
    at: Floats,
    names: Floats,
    others: list[int],
    bars: Floats,
    size: tuple[float, float],
) -> Floats:
    """What each place of a name costs. at: points in pixels; names: boxes of the `others`, about their points."""
    box = boxes_at(at[i] + tried, width)
    dots = np.concatenate([at - POINT, at + POINT], axis=1)
    dots[i] = [*(at[i] - POINT / 2), *(at[i] + POINT / 2)]  # its own may be near
    placed = names + np.tile(at[others], 2)
    lines = bars * np.array([*size, *size]) + np.array([-1, -1, 1, 1])
    outside = np.clip(-box[:, :2], 0, None) + np.clip(box[:, 2:] - np.array(size), 0, None)
    shared = overlaps(box, np.concatenate([dots, placed]))
    cost = (COVER * shared + HIT * (shared > 0)).sum(axis=1)
    cost = cost + CROSS * overlaps(box, lines).sum(axis=1) + 1000 * outside.sum(axis=1)
    # How far the name's edge is from every point: its own should be the nearest.
    gaps = np.maximum(np.maximum(box[:, None, :2] - at, at - box[:, None, 2:]), 0)
    far = np.hypot(gaps[..., 0], gaps[..., 1])
    taken = (np.delete(far, i, axis=1) < far[:, [i]]).any(axis=1)
    through = line_passes_points(np.clip(at[i], box[:, :2], box[:, 2:]) - at[i], np.delete(at, i, axis=0) - at[i])
    cost = cost + AWAY * (far[:, i] + 0.2 * np.abs(tried[:, 1]))  # beside, where all is free
    return np.asarray(cost + TAKEN * (taken * 1.0 + through))


def line_passes_points(ends: Floats, points: Floats) -> npt.NDArray[np.bool_]:
    """(ends) whether a line from the origin there comes near one of the points: it would seem to name that one."""
    square = np.maximum((ends**2).sum(axis=1), 1e-9)
    along = np.clip(ends @ points.T / square[:, None], 0, 1)
    aside = points[None] - along[..., None] * ends[:, None]
    return np.asarray((np.hypot(aside[..., 0], aside[..., 1]) < POINT).any(axis=1))

"""The maxima of many concave functions at once, by the method of Broyden, Fletcher, Goldfarb and Shanno."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = [
    "maximise",
]


#: Steps up to so many; no coordinate goes further than FAR in one; each is halved so often at most.
STEPS, FAR, HALVINGS = 300, 3.0, 30
#: The share of what the slope promises that a step must gain, and what rounding may take of a value.
GAIN, ROUNDING = 1e-4, 1e-13


def maximise(
    function: Callable[[Ints, Floats], tuple[Floats, Floats]], start: Floats, inverse: Floats, close: Floats
) -> tuple[Floats, Floats]:
    """(draws, n) where each function is highest, and (draws) how steep it still is there.

    function: takes which functions and where, (some) and (some, n); gives values, (some), and slopes, (some, n). start:
    (draws, n). inverse: (n, n) of minus the second derivatives near the start, which each draw makes its own on the
    way. close: (draws) no slope need be less steep; where rounding hides the way on, it remains steeper.
    Source: the method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright 2006, chapter 6), with halving.
    """
    at = start.copy()
    inverses = np.repeat(inverse[None], len(start), axis=0)
    values, slopes = function(np.arange(len(start)), at)
    moving = np.ones(len(start), np.bool_)
    for _ in range(STEPS):
        todo = np.flatnonzero(moving & (np.abs(slopes).max(axis=1) > close))
        if not todo.size:
            break
        steps = np.einsum("dij,dj->di", inverses[todo], slopes[todo])
        steps *= np.minimum(1.0, FAR / np.maximum(np.abs(steps).max(axis=1, keepdims=True), 1e-300))
        old_at, old_slopes = at[todo], slopes[todo]
        line_search(function, todo, steps, at, values, slopes)
        moved, fell = at[todo] - old_at, old_slopes - slopes[todo]
        learnt = (moved * fell).sum(axis=1) > 0
        moving[todo[~learnt]] = False
        update_inverses(inverses, todo[learnt], moved[learnt], fell[learnt])
    return at, np.asarray(np.abs(slopes).max(axis=1))


def line_search(
    function: Callable[[Ints, Floats], tuple[Floats, Floats]],
    todo: Ints,
    steps: Floats,
    at: Floats,
    values: Floats,
    slopes: Floats,
) -> None:
    """Goes as much of each step as raises the value; at, values and slopes are changed in place."""
    promised = (steps * slopes[todo]).sum(axis=1)
    share = np.ones(todo.size)
    open_ = np.arange(todo.size)
    for _ in range(HALVINGS):
        rows = todo[open_]
        there = at[rows] + share[open_, None] * steps[open_]
        value, slope = function(rows, there)
        needed = values[rows] + GAIN * share[open_] * promised[open_] - ROUNDING * np.abs(values[rows])
        good = value >= needed
        at[rows[good]], values[rows[good]], slopes[rows[good]] = there[good], value[good], slope[good]
        open_ = open_[~good]
        if not open_.size:
            return
        share[open_] /= 2


def update_inverses(inverses: Floats, rows: Ints, moved: Floats, fell: Floats) -> None:
    """What a step taught of the second derivatives."""
    inverse = inverses[rows]
    scale = 1 / (moved * fell).sum(axis=1)
    turned = np.einsum("dij,dj->di", inverse, fell)
    cross = moved[:, :, None] * turned[:, None, :]
    factor = scale * (1 + scale * (fell * turned).sum(axis=1))
    inverse -= scale[:, None, None] * (cross + cross.transpose(0, 2, 1))
    inverse += factor[:, None, None] * (moved[:, :, None] * moved[:, None, :])
    inverses[rows] = inverse

"""Maximising many concave functions at once, by the method of Broyden, Fletcher, Goldfarb and Shanno (BFGS)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = [
    "maximise",
]


#: The most steps; the most that a coordinate changes in one step; the most halvings of a step.
STEPS, FAR, HALVINGS = 300, 3.0, 30
#: The share of the gain predicted by the slope that a step must reach, and the rounding error of a value.
GAIN, ROUNDING = 1e-4, 1e-13


def maximise(
    function: Callable[[Ints, Floats], tuple[Floats, Floats]], start: Floats, inverse: Floats, tolerances: Floats
) -> tuple[Floats, Floats]:
    """Maximise many functions at once.

    Parameters
    ----------
    function
        Takes the indices of functions, (k), and points, (k, n). Returns values, (k), and slopes, (k, n).
    start
        The points to start from, (draws, n).
    inverse
        The inverse of minus the second derivatives near the start, (n, n); each draw then updates its own.
    tolerances
        The slopes to reach, (draws); slopes remain steeper if rounding hides further gains.

    Returns
    -------
    tuple
        The maximum of each function, (draws, n), and its greatest slope there, (draws).

    References
    ----------
    The method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright 2006, chapter 6), with halving.
    """
    points = start.copy()
    inverses = np.repeat(inverse[None], len(start), axis=0)
    values, slopes = function(np.arange(len(start)), points)
    moving = np.ones(len(start), np.bool_)
    for _ in range(STEPS):
        active = np.flatnonzero(moving & (np.abs(slopes).max(axis=1) > tolerances))
        if not active.size:
            break
        steps = np.einsum("dij,dj->di", inverses[active], slopes[active])
        steps *= np.minimum(1.0, FAR / np.maximum(np.abs(steps).max(axis=1, keepdims=True), 1e-300))
        old_points, old_slopes = points[active], slopes[active]
        line_search(function, active, steps, points, values, slopes)
        moves, slope_drops = points[active] - old_points, old_slopes - slopes[active]
        is_curved = (moves * slope_drops).sum(axis=1) > 0
        moving[active[~is_curved]] = False
        update_inverses(inverses, active[is_curved], moves[is_curved], slope_drops[is_curved])
    return points, np.asarray(np.abs(slopes).max(axis=1))


def line_search(
    function: Callable[[Ints, Floats], tuple[Floats, Floats]],
    active: Ints,
    steps: Floats,
    points: Floats,
    values: Floats,
    slopes: Floats,
) -> None:
    """Takes as much of each step as raises the value; points, values and slopes are changed in place."""
    expected_gain = (steps * slopes[active]).sum(axis=1)
    share = np.ones(active.size)
    unfinished = np.arange(active.size)
    for _ in range(HALVINGS):
        rows = active[unfinished]
        trial_points = points[rows] + share[unfinished, None] * steps[unfinished]
        trial_values, trial_slopes = function(rows, trial_points)
        required = values[rows] + GAIN * share[unfinished] * expected_gain[unfinished] - ROUNDING * np.abs(values[rows])
        accepted = trial_values >= required
        points[rows[accepted]] = trial_points[accepted]
        values[rows[accepted]], slopes[rows[accepted]] = trial_values[accepted], trial_slopes[accepted]
        unfinished = unfinished[~accepted]
        if not unfinished.size:
            return
        share[unfinished] /= 2


def update_inverses(inverses: Floats, rows: Ints, moves: Floats, slope_drops: Floats) -> None:
    """The BFGS update of the inverse second derivatives, in place."""
    inverse = inverses[rows]
    scale = 1 / (moves * slope_drops).sum(axis=1)
    scaled_drops = np.einsum("dij,dj->di", inverse, slope_drops)
    cross = moves[:, :, None] * scaled_drops[:, None, :]
    factor = scale * (1 + scale * (slope_drops * scaled_drops).sum(axis=1))
    inverse -= scale[:, None, None] * (cross + cross.transpose(0, 2, 1))
    inverse += factor[:, None, None] * (moves[:, :, None] * moves[:, None, :])
    inverses[rows] = inverse

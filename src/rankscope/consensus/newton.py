"""The maximum of a likelihood by Newton's steps, each halved until the likelihood rises; many draws at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.contexts import Sums
from rankscope.consensus.likelihood import Likelihood, Point

__all__ = ["STEPS", "Maximum", "maximum", "maximum_nearby", "some_sums"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

#: No maximum is farther than so many steps: where there is none, each step goes on by about 1 in log-odds.
STEPS = 100
#: The last step is taken and is this small, so that what is left is about its square; and the gradient before it is
#: this small beside the games that made it.
STEP, SLOPE = 1e-6, 1e-6
#: With the information of a nearby point, so many steps are tried; each is to be at most this share of the one before,
#: and the last one is this small.
SHORT_STEPS, SHRINK, SHORT_STEP = 15, 0.4, 1e-7
#: Halvings of a step.
HALVINGS = 30
#: Rounding of a sum of logarithms, as a share of it.
NOISE = 1e-13


class Maximum(NamedTuple):
    """parameters: (parameters, draws). found: (draws) whether this is a maximum. steps: how many were taken."""

    parameters: Floats
    found: Bools
    steps: int


def maximum(likelihood: Likelihood, sums: Sums, start: Floats) -> Maximum:
    """From `start`, (parameters, draws). Where there is no maximum, `found` says so; nothing is raised."""
    parameters, found = start.copy(), np.zeros(start.shape[1], np.bool_)
    live = np.arange(start.shape[1])
    here = likelihood.point(start, sums)
    for step in range(1, STEPS + 1):
        slope = likelihood.gradient(here, sums)
        way, lost = direction(likelihood.information(here, sums), slope)
        near = (np.abs(way).max(axis=0) <= STEP) & flat(slope, sums) & ~lost
        done = near | lost
        parameters[:, live[near]] = (here.parameters + way)[:, near]
        found[live[near]] = True
        if done.all():
            return Maximum(parameters, found, step)
        if done.any():
            live, sums, here, way = live[~done], some_sums(sums, ~done), some_point(here, ~done), way[:, ~done]
        here = uphill(likelihood, sums, here, way)
    return Maximum(parameters, found, STEPS)


def maximum_nearby(likelihood: Likelihood, sums: Sums, start: Floats, inverse: Floats) -> Maximum:
    """The same from a start that is near, where the information is about that of which `inverse` is the inverse.

    So no matrix is made: steps are products with `inverse`. Draws whose steps do not soon become small go the long way.
    """
    here = likelihood.point(start, sums, valued=False)
    last, good = np.full(start.shape[1], np.inf), np.ones(start.shape[1], np.bool_)
    for step in range(1, SHORT_STEPS + 1):  # noqa: B007 - told at the end
        slope = likelihood.gradient(here, sums)
        way = inverse @ slope
        size = np.abs(way).max(axis=0)
        near = (size <= SHORT_STEP) & flat(slope, sums)
        good &= near | (size <= SHRINK * last)
        here, last = likelihood.point(here.parameters + np.where(good, way, 0.0), sums, valued=False), size
        if (near | ~good).all():
            break
    found = near & good
    if found.all():
        return Maximum(here.parameters, found, step)
    there = maximum(likelihood, some_sums(sums, ~found), start[:, ~found])
    parameters = here.parameters
    parameters[:, ~found], found[~found] = there.parameters, there.found
    return Maximum(parameters, found, step + there.steps)


def flat(slope: Floats, sums: Sums) -> Bools:
    """(draws) whether the gradient is next to nothing beside the games that made it."""
    return np.asarray(np.abs(slope).max(axis=0) <= SLOPE * (sums.games.sum(axis=0) + 1))


def direction(information: Floats, slope: Floats) -> tuple[Floats, Bools]:
    """(parameters, draws) Newton's step; (draws) where the information is singular: then there is no maximum."""
    lost: Bools = ~np.asarray(np.isfinite(information).all(axis=(1, 2)))
    if lost.any():
        information[lost] = np.eye(information.shape[1])
    try:
        return solved(information, slope), lost
    except np.linalg.LinAlgError:
        spread = np.linalg.eigvalsh(information)
        lost |= spread[:, 0] <= 1e-15 * spread[:, -1]
        information[lost] = np.eye(information.shape[1])
        return solved(information, np.where(lost, 0.0, slope)), lost


def solved(information: Floats, slope: Floats) -> Floats:
    """(parameters, draws)."""
    return np.asarray(np.linalg.solve(information, slope.T[:, :, None])[:, :, 0].T, np.float64)


def uphill(likelihood: Likelihood, sums: Sums, here: Point, way: Floats) -> Point:
    """Where the step leads, halved for the draws whose likelihood it lowers."""
    share = np.ones(way.shape[1])
    least = here.value - NOISE * np.abs(here.value)
    for _ in range(HALVINGS):
        there = likelihood.point(here.parameters + share * way, sums)
        low = ~(there.value >= least)
        if not low.any():
            break
        share[low] /= 2
    return there


def some_sums(sums: Sums, which: Bools) -> Sums:
    return Sums(sums.cells[:, which], sums.games[:, which], sums.lead[:, which], sums.tied[which])


def some_point(at: Point, which: Bools) -> Point:
    return Point(at.parameters[:, which], at.value[which], at.mean[:, which], at.decided[:, which])

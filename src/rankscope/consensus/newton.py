"""The maximum of a likelihood by Newton's steps, each halved until the likelihood rises; many draws at once.

Whether there is a maximum must not be left to rounding. Covariates, or the parameter of ties, may separate outcomes:
then there is a direction d of the parameters along which no outcome that was seen becomes less likely, and some become
more so for ever. Newton's step s, of H s = g with the gradient g and the information H, tells that. d'g sums over
comparisons the mean of what the outcome that was seen gains by d on those that could have been, which is nowhere below
0. d'H s sums its covariance with what s does to the outcomes, which is at most that mean times the range of s. So d'g =
d'H s <= d'g times the greatest range: in separated data each of Newton's steps changes the log-odds of some comparison
by at least 1, wherever it is taken. A small step therefore proves that there is a maximum, unless H is so small along
some direction that rounding decides the step. So a walk has come to a maximum where its steps have become small and H
is in no direction below FAINT of what it could be; a maximum at which H is smaller is not told from none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.consensus.contexts import Sums
from rankscope.consensus.likelihood import Likelihood, Point
from rankscope.typing import Bools, Floats

__all__ = ["FAINT", "Maximum", "determined", "maximum", "maximum_nearby", "some_sums"]


#: Where there is no maximum, each step goes on by about 1 in log-odds, until H is next to nothing; a maximum is not
#: farther than that.
STEPS = 100
#: At a maximum, information in each direction is at least this share of what it could be; and so much is added to it,
#: so that where there is less, steps remain numbers that rounding does not decide.
FAINT, DAMPING = 1e-9, 1e-13
#: The last step is taken and is this small, so that what is left is about its square; and the gradient before it is
#: this small beside the games that made it.
STEP, SLOPE = 1e-6, 1e-6
#: With the information of a nearby point, so many steps are tried; each is to be at most this share of the one before,
#: and the last one is this small: the one number, or the other where a step of Newton's follows, which squares it.
SHORT_STEPS, SHRINK, SHORT_STEP, SQUARED_STEP = 15, 0.4, 1e-7, 1e-5
#: Halvings of a step, until the likelihood gains this share of what the slope promises.
HALVINGS, GAIN = 40, 0.2
#: No parameter goes farther in one step, and log nu nowhere beyond FARTHEST, so that exponentials stay numbers.
LONGEST, FARTHEST = 1e6, 500.0
#: Rounding of a sum of logarithms, as a share of its terms.
NOISE = 1e-13


class Maximum(NamedTuple):
    """parameters: (parameters, draws). found: (draws) whether this is a maximum. steps: how many were taken."""

    parameters: Floats
    found: Bools
    steps: int


def maximum(likelihood: Likelihood, sums: Sums) -> Maximum:
    """From where all systems are even. Where there is no maximum, `found` says so; nothing is raised."""
    here = likelihood.point(likelihood.even(sums), sums)
    parameters, found = here.parameters.copy(), np.zeros(sums.tied.size, np.bool_)
    live = np.arange(sums.tied.size)
    for step in range(1, STEPS + 1):
        slope = likelihood.gradient(here, sums)
        way, ended, good = newton_step(likelihood, here, sums, slope)
        parameters[:, live[good]] = (here.parameters + way)[:, good]
        found[live[good]] = True
        if ended.all():
            return Maximum(parameters, found, step)
        if ended.any():
            live, sums, here = live[~ended], some_sums(sums, ~ended), some_point(here, ~ended)
            way, slope = way[:, ~ended], slope[:, ~ended]
        here = uphill(likelihood, sums, here, way, slope)
    return Maximum(parameters, found, STEPS)


def maximum_nearby(likelihood: Likelihood, sums: Sums, start: Floats, inverse: Floats) -> Maximum:
    """The same from a start that is near, where the information is about that of which `inverse` is the inverse.

    So no matrix is made: steps are products with `inverse`. Draws whose steps do not soon become small go the long way.
    Where there are covariates, the last step is one of Newton's, which proves that there is a maximum.
    """
    proven = not likelihood.contexts.x.shape[1]  # by who won against whom, which `win_graph` looks at
    least = SHORT_STEP if proven else SQUARED_STEP
    here = likelihood.point(start, sums, valued=False)
    last, good = np.full(start.shape[1], LONGEST / SHRINK), np.ones(start.shape[1], np.bool_)
    for step in range(1, SHORT_STEPS + 1):  # noqa: B007 - told at the end
        slope = likelihood.gradient(here, sums)
        way = inverse @ slope
        size = np.abs(way).max(axis=0)
        near = (size <= least) & flat(slope, sums)
        good &= near | (size <= SHRINK * last)
        trial = within(likelihood, here.parameters + np.where(good, way, 0.0))
        here, last = likelihood.point(trial, sums, valued=False), size
        if (near | ~good).all():
            break
    found, parameters = near & good, here.parameters
    if not proven:
        here = likelihood.point(parameters, sums)
        way, _, found = newton_step(likelihood, here, sums, likelihood.gradient(here, sums), least)
        parameters = parameters + np.where(found, way, 0.0)
    if found.all():
        return Maximum(parameters, found, step)
    there = maximum(likelihood, some_sums(sums, ~found))
    parameters[:, ~found], found[~found] = there.parameters, there.found
    return Maximum(parameters, found, step + there.steps)


def newton_step(
    likelihood: Likelihood, here: Point, sums: Sums, slope: Floats, small: float = STEP
) -> tuple[Floats, Bools, Bools]:
    """(parameters, draws) the step; (draws) whether it is so small that the walk ends; and whether at a maximum."""
    information, greatest = likelihood.information(here, sums), likelihood.greatest_information(sums)
    diagonal = np.arange(likelihood.size)
    information[:, diagonal, diagonal] += DAMPING * greatest
    singular = np.zeros(sums.tied.size, np.bool_)
    try:
        way = solved(information, slope)
    except np.linalg.LinAlgError:  # all the same for some, to the last digit
        singular = ~determined(information, greatest)
        information[singular] = np.eye(likelihood.size)
        way = solved(information, slope)
    ended = singular | (np.abs(way).max(axis=0) <= small) & flat(slope, sums)
    good = ended & ~singular
    if good.any():
        good[good] = determined(information[good], greatest[good])
    return way, ended, good


def solved(information: Floats, slope: Floats) -> Floats:
    """(parameters, draws)."""
    return np.asarray(np.linalg.solve(information, slope.T[:, :, None])[:, :, 0].T, np.float64)


def determined(information: Floats, greatest: Floats) -> Bools:
    """(draws) whether there is information in every direction: at least FAINT of `greatest`, (draws, parameters)."""
    root = np.sqrt(greatest)
    scaled = information / root[:, :, None] / root[:, None, :]
    try:
        np.linalg.cholesky(scaled - FAINT * np.eye(root.shape[1]))
    except np.linalg.LinAlgError:  # of at least one there is not: only eigenvalues tell which
        return np.asarray(np.linalg.eigvalsh(scaled)[:, 0] > FAINT)
    return np.ones(len(root), np.bool_)


def flat(slope: Floats, sums: Sums) -> Bools:
    """(draws) whether the gradient is next to nothing beside the games that made it."""
    return np.asarray(np.abs(slope).max(axis=0) <= SLOPE * (sums.games.sum(axis=0) + 1))


def uphill(likelihood: Likelihood, sums: Sums, here: Point, way: Floats, slope: Floats) -> Point:
    """Where the step leads, halved for the draws whose likelihood gains too little by it."""
    way = way * np.minimum(1.0, LONGEST / np.maximum(np.abs(way).max(axis=0), LONGEST))
    promised = GAIN * (way * slope).sum(axis=0)
    share = np.ones(way.shape[1])
    least = here.value - NOISE * here.terms
    for _ in range(HALVINGS):
        there = likelihood.point(within(likelihood, here.parameters + share * way), sums)
        low = ~(there.value >= least + share * promised)
        if not low.any():
            break
        share[low] /= 2
    return there


def within(likelihood: Likelihood, parameters: Floats) -> Floats:
    """The same, changed in place: log nu not beyond FARTHEST."""
    if likelihood.davidson:
        np.minimum(parameters[-1], FARTHEST, out=parameters[-1])
    return parameters


def some_sums(sums: Sums, which: Bools) -> Sums:
    return Sums(sums.cells[:, which], sums.games[:, which], sums.lead[:, which], sums.tied[which])


def some_point(at: Point, which: Bools) -> Point:
    short = None if at.short is None else at.short[:, which]
    return Point(
        at.parameters[:, which], at.value[which], at.terms[which], at.mean[:, which], at.decided[:, which], short
    )

"""Bradley and Terry's likelihood with Davidson's ties and covariates, of comparisons counted, and its maximum by
Newton's steps.

With eta the log-odds of the first system against the second and nu the tie parameter, the first wins with probability
exp(eta / 2) / D, the second with exp(-eta / 2) / D, and they tie with nu / D, D = 2 cosh(eta / 2) + nu. Half a win for
each in a tie is the same with nu = 0 and a lead of 0, so that one set of formulas serves both. All is a family of
exponential form: the log-likelihood is concave, and its information the covariance of (half the outcome, tied).

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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.preferences import Preferences
from rankscope.errors import InputError
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "FAINT",
    "POSITION",
    "Contexts",
    "Likelihood",
    "Maximum",
    "Point",
    "Sums",
    "contexts_of",
    "determined",
    "maximum",
    "maximum_nearby",
    "some_sums",
]


#: The name of the advantage of standing on the left.
POSITION = "position"
#: Covariates are not to reach beyond: squares of their effects are to stay numbers.
GREATEST = 1e75


@dataclass(frozen=True, eq=False)
class Sums:
    """Weights of some draws. cells: (cells, draws). games: (contexts, draws). lead: (contexts, draws) half of what the
    first system won less half of what the second did. tied: (draws).
    """

    cells: Floats
    games: Floats
    lead: Floats
    tied: Floats


@dataclass(frozen=True, eq=False)
class Contexts:
    """A context is two systems and the covariates under which they met; its outcomes are cells.

    n: systems. first, second: (contexts), the first being the lower place. x: (contexts, effects) covariates, of the
    first less the second, divided by the power of two of `powers`, (effects), that brings the greatest between 0.5 and
    1: what is large or small must not depend on a covariate's unit. context, outcome: (cells). units: sparse (cells,
    units) the weight that a unit brings into each cell; units are what is drawn. times: (units) how often each one is
    there.
    """

    n: int
    first: Ints
    second: Ints
    x: Floats
    powers: npt.NDArray[np.int32]
    context: Ints
    outcome: Ints
    units: Any
    times: Ints

    def sums(self, counts: npt.NDArray[Any]) -> Sums:
        """Of units that count so often, (draws, units)."""
        cells = np.asarray(self.units @ counts.T.astype(np.float64))
        gather = incidence(self.context, self.first.size)
        games = np.asarray(gather @ cells)
        lead = np.asarray(gather @ (cells * (self.outcome[:, None] / 2)))
        return Sums(cells, games, lead, np.asarray(cells[self.outcome == 0].sum(axis=0)))

    def observed(self) -> Sums:
        """Of the comparisons as they are: one draw."""
        return self.sums(self.times[None])

    def drawn(self, n_draws: int, rng: np.random.Generator) -> Sums:
        """Of as many units as there are, drawn with replacement."""
        total = int(self.times.sum())
        if total == self.times.size:  # one each: drawing places is faster than a binomial for each
            places = rng.integers(0, total, (n_draws, total)) + total * np.arange(n_draws)[:, None]
            return self.sums(np.bincount(places.ravel(), minlength=n_draws * total).reshape(n_draws, total))
        return self.sums(rng.multinomial(total, self.times / total, n_draws))

    @property
    def width(self) -> int:
        """Numbers that one draw takes, in the largest of its tables."""
        return max(self.times.size, self.outcome.size, int(self.n + self.x.shape[1] + 1) ** 2)


def incidence(places: Ints, n: int, values: npt.NDArray[Any] | None = None) -> Any:
    """Sparse (n, places): a column has one value, 1 where none are given, at its place."""
    from scipy.sparse import csc_array

    held = np.ones(places.size) if values is None else np.asarray(values, np.float64)
    return csc_array((held, places, np.arange(places.size + 1)), shape=(n, places.size)).tocsr()


def contexts_of(preferences: Preferences, covariates: Sequence[str] = (), position: bool = False) -> Contexts:
    """The comparisons as contexts and cells, the first system of each being the one that is named first."""
    left, right, n = preferences.left, preferences.right, len(preferences.systems)
    turned = left > right
    sign: Ints = np.where(turned, -1, 1).astype(np.int64)
    first, second = np.minimum(left, right), np.maximum(left, right)
    scaled = [scaled_covariate(name, preferences.covariates[name]) for name in covariates]
    scaled += [(np.ones(left.size), 0)] * position
    columns: list[Floats] = [sign * column for column, _ in scaled]
    context, n_contexts = dense_codes(first * n + second, n * n)
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        context, n_contexts = dense_codes(context * values.size + place.astype(np.int64), n_contexts * values.size)
    cell, n_cells = dense_codes(3 * context + sign * preferences.outcome + 1, 3 * n_contexts)
    row, row_of_cell = row_of_each_code(context, n_contexts), row_of_each_code(cell, n_cells)
    x = np.column_stack([column[row] for column in columns]) if columns else np.empty((n_contexts, 0))
    units, times = units_of(preferences, cell, n_cells)
    outcome = (sign * preferences.outcome)[row_of_cell]
    powers = np.array([power for _, power in scaled], np.int32)
    return Contexts(n, first[row], second[row], x, powers, context[row_of_cell], outcome, units, times)


def scaled_covariate(name: str, values: Floats) -> tuple[Floats, int]:
    """Values divided by a power of two, which is exact, so that the greatest is between 0.5 and 1; and which power."""
    greatest = float(np.abs(values).max())
    if greatest and not 1 / GREATEST <= greatest <= GREATEST:
        raise InputError(
            f"the greatest value of covariate {name!r} is {greatest:g}, expected one between {1 / GREATEST:g} and "
            f"{GREATEST:g}; multiply or divide all of them by the same number"
        )
    power = int(np.frexp(greatest)[1])
    return np.ldexp(values, -power), power


def units_of(preferences: Preferences, cell: Ints, n_cells: int) -> tuple[Any, Ints]:
    """What is drawn: whole units where there are any, else comparisons, those of one cell and weight together."""
    from scipy.sparse import coo_array

    weight = preferences.weight
    if preferences.unit is not None:
        unit, n_units = dense_codes(np.asarray(preferences.unit.codes, np.int64), len(preferences.unit.names))
        return coo_array((weight, (cell, unit)), shape=(n_cells, n_units)).tocsr(), np.ones(n_units, np.int64)
    if (weight == weight[0]).all():
        return incidence(np.arange(n_cells), n_cells, np.full(n_cells, weight[0])), np.bincount(cell, minlength=n_cells)
    values, place = np.unique(weight, return_inverse=True)
    group, n_groups = dense_codes(cell * values.size + place.astype(np.int64), n_cells * values.size)
    row = row_of_each_code(group, n_groups)
    return incidence(cell[row], n_cells, weight[row]), np.bincount(group, minlength=n_groups)


def dense_codes(codes: Ints, size: int) -> tuple[Ints, int]:
    """Codes below `size` as numbers from 0 without gaps, in the same order; and how many there are."""
    if size > 4 * codes.size + 1024:
        values, place = np.unique(codes, return_inverse=True)
        return place.reshape(-1).astype(np.int64), values.size
    there = np.bincount(codes, minlength=size) > 0
    return (np.cumsum(there) - 1)[codes], int(there.sum())


def row_of_each_code(codes: Ints, size: int) -> Ints:
    """(size) the place of one of those that have each code."""
    found = np.empty(size, np.int64)
    found[codes] = np.arange(codes.size)
    return found


@dataclass(frozen=True, eq=False)
class Point:
    """What is known at parameters, (parameters, draws). value: (draws) the log-likelihood with the prior, NaN where it
    was not asked for. terms: (draws) how great the terms are that it is the sum of, which is what rounding is a share
    of. mean: (contexts, draws) half of P(first wins) less P(second wins). decided: P(no tie). short: one half less the
    size of the mean, without rounding and with its sign, None where the value was not asked for.
    """

    parameters: Floats
    value: Floats
    terms: Floats
    mean: Floats
    decided: Floats
    short: Floats | None


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Parameters stand in this order: ratings of systems, effects of covariates, log nu where `davidson`.

    prior: wins, and as many losses, of each system against one as strong as their mean.
    """

    contexts: Contexts
    davidson: bool
    prior: float

    @property
    def size(self) -> int:
        """How many parameters."""
        return int(self.contexts.n + self.contexts.x.shape[1] + self.davidson)

    @cached_property
    def signs(self) -> Any:
        """Sparse (systems, contexts): 1 for the first, -1 for the second."""
        at = self.contexts
        return incidence(at.first, at.n) - incidence(at.second, at.n)

    @cached_property
    def pairs(self) -> tuple[Any, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sparse (pairs, contexts), and the two systems of each pair."""
        at = self.contexts
        codes, place = np.unique(at.first * at.n + at.second, return_inverse=True)
        return incidence(place.reshape(-1), codes.size), codes // at.n, codes % at.n

    def effects(self, parameters: Floats) -> Floats:
        return parameters[self.contexts.n : self.contexts.n + self.contexts.x.shape[1]]

    def point(self, parameters: Floats, sums: Sums, *, valued: bool = True) -> Point:
        """valued: whether the log-likelihood is wanted, which costs a logarithm for each number."""
        eta = parameters[self.contexts.first] - parameters[self.contexts.second]
        if self.contexts.x.shape[1]:
            eta += self.contexts.x @ self.effects(parameters)
        reach = np.abs(eta)
        small = reach * -0.5
        np.exp(small, out=small)  # all is divided by exp(reach / 2), so that nothing overflows
        decided = small * small
        mean = 0.5 - 0.5 * decided
        np.copysign(mean, eta, out=mean)
        decided += 1
        whole = decided
        if self.davidson:
            small *= np.exp(parameters[-1])
            whole = np.add(small, decided, out=small)
            decided /= whole
        mean /= whole
        if not self.davidson:
            decided = np.ones_like(whole)
        if not valued:
            none = np.full(parameters.shape[1], np.nan)
            return Point(parameters, none, none, mean, decided, None)
        value, terms, short = self.value(parameters, eta, sums)
        return Point(parameters, value, terms, mean, decided, short)

    def value(self, parameters: Floats, eta: Floats, sums: Sums) -> tuple[Floats, Floats, Floats]:
        """What `Point` calls value, terms and short, with nothing lost where a win is next to certain."""
        reach = np.abs(eta)
        small = np.exp(reach * -0.5)
        square = small * small
        tie = small * np.exp(parameters[-1]) if self.davidson else np.zeros(1)
        lost = sums.games / 2 - np.copysign(1.0, eta) * sums.lead  # by the stronger, a tie half
        parts = [np.einsum("cr,cr->r", lost, reach), np.einsum("cr,cr->r", sums.games, np.log1p(square + tie))]
        if self.davidson:
            parts.append(-sums.tied * np.where(sums.tied > 0, parameters[-1], 0.0))
        if self.prior:
            far = np.abs(parameters[: self.contexts.n])
            parts.append(2 * self.prior * (far / 2 + np.log1p(np.exp(-far))).sum(axis=0))
        short = (square + tie / 2) / (1 + (square + tie))
        return -np.sum(parts, axis=0), np.abs(parts).sum(axis=0), np.copysign(short, eta)

    def gradient(self, at: Point, sums: Sums) -> Floats:
        """(parameters, draws), along directions that leave the mean rating where it is."""
        n, k = self.contexts.n, self.contexts.x.shape[1]
        found = np.zeros(at.parameters.shape)
        rest = sums.games * (at.mean if at.short is None else at.short)
        if at.short is None:
            np.subtract(sums.lead, rest, out=rest)
        else:  # what the stronger was to lose, less what it lost: games of a certain end add nothing, not even rounding
            rest += sums.lead - np.copysign(sums.games / 2, at.short)
        found[:n] = self.signs @ rest
        if self.prior:
            found[:n] -= self.prior * np.tanh(at.parameters[:n] / 2)
        found[:n] -= found[:n].mean(axis=0)
        found[n : n + k] = self.contexts.x.T @ rest
        if self.davidson:
            found[-1] = sums.tied - np.einsum("cr,cr->r", sums.games, 1 - at.decided)
        return found

    def information(self, at: Point, sums: Sums) -> Floats:
        """(draws, parameters, parameters), made regular: moving all ratings together is given a curvature of its own.

        What that adds to the inverse is known: see `covariance`.
        """
        n, k, draws = self.contexts.n, self.contexts.x.shape[1], at.value.size
        found = np.zeros((draws, self.size, self.size))
        curved = sums.games * (at.decided / 4 - at.mean * at.mean)
        self.put_ratings(found[:, :n, :n], curved, at.parameters[:n])
        columns = [curved * self.contexts.x[:, j, None] for j in range(k)]
        if self.davidson:
            columns.append(-sums.games * at.mean * (1 - at.decided))
        for j, column in enumerate(columns, n):
            found[:, :n, j] = (self.signs @ column).T
            found[:, n : n + k, j] = (self.contexts.x.T @ column).T
            found[:, j, : n + k] = found[:, : n + k, j]
        if self.davidson:
            tied = (sums.games * (1 - at.decided) * at.decided).sum(axis=0)
            found[:, -1, -1] = np.where(sums.tied > 0, tied, 1.0)  # without ties log nu stays where it is
        found[:, :n] -= found[:, :n].mean(axis=1, keepdims=True)
        found[:, :, :n] -= found[:, :, :n].mean(axis=2, keepdims=True)
        found[:, :n, :n] += self.firmness(found)[:, None, None] / n
        return found

    def greatest_information(self, sums: Sums) -> Floats:
        """(draws, parameters) what the diagonal of `information` cannot exceed; 1 where there is nothing to learn from.

        A quarter for each game (the variance of a fair coin), times the square of the covariate.
        """
        n, k = self.contexts.n, self.contexts.x.shape[1]
        found = np.ones((sums.tied.size, self.size))
        found[:, :n] = (abs(self.signs) @ sums.games).T / 4 + self.prior / 2
        found[:, n : n + k] = (self.contexts.x.T**2 @ sums.games).T / 4
        if self.davidson:
            found[:, -1] = np.where(sums.tied > 0, sums.games.sum(axis=0) / 4, 1.0)
        return np.where(found > 0, found, 1.0)

    def even(self, sums: Sums) -> Floats:
        """(parameters, draws) where all systems are even and no covariate counts: where walks begin."""
        found = np.zeros((self.size, sums.tied.size))
        if self.davidson:
            some = sums.tied > 0
            decided = sums.cells[self.contexts.outcome != 0].sum(axis=0)
            ratio = np.log(2 * np.where(some, sums.tied, 0.5)) - np.log(np.where(decided > 0, decided, 1.0))
            found[-1] = np.where(some, ratio, -np.inf)
        return found

    def put_ratings(self, found: Floats, curved: Floats, ratings: Floats) -> None:
        """The part of the ratings, (draws, systems, systems)."""
        gather, first, second = self.pairs
        pairs = np.asarray(gather @ curved)
        found[:, first, second] = found[:, second, first] = -pairs.T
        own = np.asarray(abs(self.signs) @ curved)
        if self.prior:
            own += self.prior / 2 * (1 - np.tanh(ratings / 2) ** 2)
        diagonal = np.arange(self.contexts.n)
        found[:, diagonal, diagonal] = own.T

    def firmness(self, information: Floats) -> Floats:
        """(draws) a curvature of the size of the others."""
        n = self.contexts.n
        trace = np.trace(information[:, :n, :n], axis1=1, axis2=2) / n
        return np.asarray(np.where(trace > 0, trace, 1.0))

    def covariance(self, information: Floats) -> Floats:
        """The inverse of what `information` gives, less what was added there: ratings keep their mean of 0."""
        n = self.contexts.n
        inverse = np.asarray(np.linalg.inv(information), np.float64)
        inverse[:, :n] -= inverse[:, :n].mean(axis=1, keepdims=True)
        inverse[:, :, :n] -= inverse[:, :, :n].mean(axis=2, keepdims=True)
        return inverse


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

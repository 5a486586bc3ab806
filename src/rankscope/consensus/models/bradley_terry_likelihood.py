"""Bradley and Terry's likelihood with Davidson's ties and covariates, of comparisons counted, and its maximum by
Newton's steps.

With eta the log-odds of the first system against the second and nu the tie parameter, the first wins with probability
exp(eta / 2) / D, the second with exp(-eta / 2) / D, and they tie with nu / D, D = 2 cosh(eta / 2) + nu. Half a win for
each in a tie is the same with nu = 0 and a lead of 0, so that one set of formulas serves both. It is an exponential
family: the log-likelihood is concave, and its information the covariance of (half the outcome, tied).

Whether there is a maximum must not depend on rounding. Covariates, or the parameter of ties, may separate outcomes:
then there is a direction d of the parameters along which no observed outcome becomes less likely, and some become more
likely without bound. Newton's step s, of H s = g with the gradient g and the information H, shows that. d'g sums over
comparisons the mean gain by d of the observed outcome on the possible ones, which is never below 0. d'H s sums its
covariance with the effect of s on the outcomes, which is at most that mean times the range of s. So d'g = d'H s <= d'g
times the greatest range: in separated data each of Newton's steps changes the log-odds of some comparison by at least
1, wherever it is taken. A small step therefore proves that there is a maximum, unless H is so small along some
direction that rounding decides the step. So the iteration is at a maximum where its steps are small and H is in no
direction below FAINT of its greatest possible value; a maximum with a smaller H counts as none.
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
    "select_sums",
]


#: The name of the effect of the left position.
POSITION = "position"
#: The greatest value of a covariate, so that squares of its effects do not overflow.
GREATEST = 1e75


@dataclass(frozen=True, eq=False)
class Sums:
    """Weights of some draws. cells: (cells, draws). games: (contexts, draws). lead: (contexts, draws) half of the first
    system's wins less half of the second's. tied: (draws).
    """

    cells: Floats
    games: Floats
    lead: Floats
    tied: Floats


@dataclass(frozen=True, eq=False)
class Contexts:
    """A context is two systems and the covariates under which they met; its outcomes are cells.

    Attributes
    ----------
    n
        Number of systems.
    first, second
        (contexts) the two systems; the first has the lower index.
    x
        (contexts, effects) covariates of the first less those of the second, divided by the power of two of `powers`.
    powers
        (effects) exponents of 2 that bring the greatest covariate between 0.5 and 1, so that results do not depend on
        its unit.
    context, outcome
        (cells) the context and the outcome of each cell.
    units
        Sparse (cells, units) the weight that a unit brings into each cell; the bootstrap draws units.
    unit_counts
        (units) how often each occurs.
    """

    n: int
    first: Ints
    second: Ints
    x: Floats
    powers: npt.NDArray[np.int32]
    context: Ints
    outcome: Ints
    units: Any
    unit_counts: Ints

    def sums(self, counts: npt.NDArray[Any]) -> Sums:
        """The sums where units count as often as this, (draws, units)."""
        cells = np.asarray(self.units @ counts.T.astype(np.float64))
        gather = incidence(self.context, self.first.size)
        games = np.asarray(gather @ cells)
        lead = np.asarray(gather @ (cells * (self.outcome[:, None] / 2)))
        return Sums(cells, games, lead, np.asarray(cells[self.outcome == 0].sum(axis=0)))

    def observed(self) -> Sums:
        """The sums of the comparisons as they are: one draw."""
        return self.sums(self.unit_counts[None])

    def resampled(self, n_draws: int, rng: np.random.Generator) -> Sums:
        """The sums of bootstrap samples: as many units as there are, drawn with replacement."""
        total = int(self.unit_counts.sum())
        if total == self.unit_counts.size:  # one of each: drawing indices is faster than a multinomial
            places = rng.integers(0, total, (n_draws, total)) + total * np.arange(n_draws)[:, None]
            return self.sums(np.bincount(places.ravel(), minlength=n_draws * total).reshape(n_draws, total))
        return self.sums(rng.multinomial(total, self.unit_counts / total, n_draws))

    @property
    def width(self) -> int:
        """Numbers in the largest array of one draw."""
        return max(self.unit_counts.size, self.outcome.size, int(self.n + self.x.shape[1] + 1) ** 2)


def incidence(rows: Ints, n: int, values: npt.NDArray[Any] | None = None) -> Any:
    """Sparse (n, columns): each column has one entry, 1 without `values`, in its row of `rows`."""
    from scipy.sparse import csc_array

    entries = np.ones(rows.size) if values is None else np.asarray(values, np.float64)
    return csc_array((entries, rows, np.arange(rows.size + 1)), shape=(n, rows.size)).tocsr()


def contexts_of(preferences: Preferences, covariates: Sequence[str] = (), position: bool = False) -> Contexts:
    """The comparisons as contexts and cells, the first system of each having the lower index."""
    left, right, n = preferences.left, preferences.right, len(preferences.systems)
    swapped = left > right
    sign: Ints = np.where(swapped, -1, 1).astype(np.int64)
    first, second = np.minimum(left, right), np.maximum(left, right)
    scaled = [scaled_covariate(name, preferences.covariates[name]) for name in covariates]
    scaled += [(np.ones(left.size), 0)] * position
    columns: list[Floats] = [sign * column for column, _ in scaled]
    context, n_contexts = dense_codes(first * n + second, n * n)
    for column in columns:
        values, value_index = np.unique(column, return_inverse=True)
        context, n_contexts = dense_codes(
            context * values.size + value_index.astype(np.int64), n_contexts * values.size
        )
    cell, n_cells = dense_codes(3 * context + sign * preferences.outcome + 1, 3 * n_contexts)
    context_row, cell_row = row_of_each_code(context, n_contexts), row_of_each_code(cell, n_cells)
    x = np.column_stack([column[context_row] for column in columns]) if columns else np.empty((n_contexts, 0))
    units, times = units_of(preferences, cell, n_cells)
    outcome = (sign * preferences.outcome)[cell_row]
    powers = np.array([power for _, power in scaled], np.int32)
    return Contexts(n, first[context_row], second[context_row], x, powers, context[cell_row], outcome, units, times)


def scaled_covariate(name: str, values: Floats) -> tuple[Floats, int]:
    """Values divided by a power of two, which is exact, so that the greatest is between 0.5 and 1; and the exponent."""
    greatest = float(np.abs(values).max())
    if greatest and not 1 / GREATEST <= greatest <= GREATEST:
        raise InputError(
            f"the greatest value of covariate {name!r} is {greatest:g}, expected one between {1 / GREATEST:g} and "
            f"{GREATEST:g}; multiply or divide all of them by the same number"
        )
    power = int(np.frexp(greatest)[1])
    return np.ldexp(values, -power), power


def units_of(preferences: Preferences, cell: Ints, n_cells: int) -> tuple[Any, Ints]:
    """The units of the bootstrap: clusters of the data where there are any, else comparisons by cell and weight."""
    from scipy.sparse import coo_array

    weight = preferences.weight
    if preferences.cluster is not None:
        codes, n_clusters = dense_codes(np.asarray(preferences.cluster.codes, np.int64), len(preferences.cluster.names))
        return coo_array((weight, (cell, codes)), shape=(n_cells, n_clusters)).tocsr(), np.ones(n_clusters, np.int64)
    if (weight == weight[0]).all():
        return incidence(np.arange(n_cells), n_cells, np.full(n_cells, weight[0])), np.bincount(cell, minlength=n_cells)
    values, value_index = np.unique(weight, return_inverse=True)
    group, n_groups = dense_codes(cell * values.size + value_index.astype(np.int64), n_cells * values.size)
    row = row_of_each_code(group, n_groups)
    return incidence(cell[row], n_cells, weight[row]), np.bincount(group, minlength=n_groups)


def dense_codes(codes: Ints, size: int) -> tuple[Ints, int]:
    """Codes below `size` as numbers from 0 without gaps, in the same order; and how many different ones there are."""
    if size > 4 * codes.size + 1024:
        values, value_index = np.unique(codes, return_inverse=True)
        return value_index.reshape(-1).astype(np.int64), values.size
    present = np.bincount(codes, minlength=size) > 0
    return (np.cumsum(present) - 1)[codes], int(present.sum())


def row_of_each_code(codes: Ints, size: int) -> Ints:
    """(size) the index of one row that has each code."""
    rows = np.empty(size, np.int64)
    rows[codes] = np.arange(codes.size)
    return rows


@dataclass(frozen=True, eq=False)
class Point:
    """The likelihood at some parameters.

    Attributes
    ----------
    parameters
        (parameters, draws) where it was computed.
    value
        (draws) the log-likelihood with the prior, NaN where it was not computed.
    magnitude
        (draws) the sum of the absolute terms of the value, of which rounding errors are a share.
    mean
        (contexts, draws) half of P(first wins) less P(second wins).
    decided
        (contexts, draws) P(no tie).
    shortfall
        (contexts, draws) one half less the absolute mean, without cancellation and with the sign of the mean; None
        where the value was not computed.
    """

    parameters: Floats
    value: Floats
    magnitude: Floats
    mean: Floats
    decided: Floats
    shortfall: Floats | None


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
        """The number of parameters."""
        return int(self.contexts.n + self.contexts.x.shape[1] + self.davidson)

    @cached_property
    def signs(self) -> Any:
        """Sparse (systems, contexts): 1 for the first, -1 for the second."""
        contexts = self.contexts
        return incidence(contexts.first, contexts.n) - incidence(contexts.second, contexts.n)

    @cached_property
    def pairs(self) -> tuple[Any, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sparse (pairs, contexts), and the two systems of each pair."""
        contexts = self.contexts
        codes, pair_index = np.unique(contexts.first * contexts.n + contexts.second, return_inverse=True)
        return incidence(pair_index.reshape(-1), codes.size), codes // contexts.n, codes % contexts.n

    def effects(self, parameters: Floats) -> Floats:
        return parameters[self.contexts.n : self.contexts.n + self.contexts.x.shape[1]]

    def point(self, parameters: Floats, sums: Sums, *, with_value: bool = True) -> Point:
        """The likelihood at parameters. with_value: also the log-likelihood, which costs a logarithm a number."""
        eta = parameters[self.contexts.first] - parameters[self.contexts.second]
        if self.contexts.x.shape[1]:
            eta += self.contexts.x @ self.effects(parameters)
        abs_eta = np.abs(eta)
        root_odds = abs_eta * -0.5
        np.exp(root_odds, out=root_odds)  # all terms are divided by exp(|eta| / 2), so that none overflows
        decided = root_odds * root_odds
        mean = 0.5 - 0.5 * decided
        np.copysign(mean, eta, out=mean)
        decided += 1
        total = decided
        if self.davidson:
            root_odds *= np.exp(parameters[-1])
            total = np.add(root_odds, decided, out=root_odds)
            decided /= total
        mean /= total
        if not self.davidson:
            decided = np.ones_like(total)
        if not with_value:
            undefined = np.full(parameters.shape[1], np.nan)
            return Point(parameters, undefined, undefined, mean, decided, None)
        value, magnitude, short = self.value(parameters, eta, sums)
        return Point(parameters, value, magnitude, mean, decided, short)

    def value(self, parameters: Floats, eta: Floats, sums: Sums) -> tuple[Floats, Floats, Floats]:
        """The value, terms and short of a `Point`, exact also where a win is nearly certain."""
        abs_eta = np.abs(eta)
        root_odds = np.exp(abs_eta * -0.5)
        square = root_odds * root_odds
        tie = root_odds * np.exp(parameters[-1]) if self.davidson else np.zeros(1)
        losses = sums.games / 2 - np.copysign(1.0, eta) * sums.lead  # of the stronger system, a tie is half
        terms = [np.einsum("cr,cr->r", losses, abs_eta), np.einsum("cr,cr->r", sums.games, np.log1p(square + tie))]
        if self.davidson:
            terms.append(-sums.tied * np.where(sums.tied > 0, parameters[-1], 0.0))
        if self.prior:
            abs_ratings = np.abs(parameters[: self.contexts.n])
            terms.append(2 * self.prior * (abs_ratings / 2 + np.log1p(np.exp(-abs_ratings))).sum(axis=0))
        short = (square + tie / 2) / (1 + (square + tie))
        return -np.sum(terms, axis=0), np.abs(terms).sum(axis=0), np.copysign(short, eta)

    def gradient(self, point: Point, sums: Sums) -> Floats:
        """(parameters, draws) the gradient along directions that keep the mean rating."""
        n, k = self.contexts.n, self.contexts.x.shape[1]
        gradient = np.zeros(point.parameters.shape)
        residuals = sums.games * (point.mean if point.shortfall is None else point.shortfall)
        if point.shortfall is None:
            np.subtract(sums.lead, residuals, out=residuals)
        else:  # expected less observed losses of the stronger: games with a certain winner add no rounding errors
            residuals += sums.lead - np.copysign(sums.games / 2, point.shortfall)
        gradient[:n] = self.signs @ residuals
        if self.prior:
            gradient[:n] -= self.prior * np.tanh(point.parameters[:n] / 2)
        gradient[:n] -= gradient[:n].mean(axis=0)
        gradient[n : n + k] = self.contexts.x.T @ residuals
        if self.davidson:
            gradient[-1] = sums.tied - np.einsum("cr,cr->r", sums.games, 1 - point.decided)
        return gradient

    def information(self, point: Point, sums: Sums) -> Floats:
        """(draws, parameters, parameters) the information, made regular by a curvature for moving all ratings together.

        `covariance` removes the effect on the inverse.
        """
        n, k, draws = self.contexts.n, self.contexts.x.shape[1], point.value.size
        information = np.zeros((draws, self.size, self.size))
        curvature = sums.games * (point.decided / 4 - point.mean * point.mean)
        self.fill_rating_block(information[:, :n, :n], curvature, point.parameters[:n])
        columns = [curvature * self.contexts.x[:, j, None] for j in range(k)]
        if self.davidson:
            columns.append(-sums.games * point.mean * (1 - point.decided))
        for j, column in enumerate(columns, n):
            information[:, :n, j] = (self.signs @ column).T
            information[:, n : n + k, j] = (self.contexts.x.T @ column).T
            information[:, j, : n + k] = information[:, : n + k, j]
        if self.davidson:
            tie_curvature = (sums.games * (1 - point.decided) * point.decided).sum(axis=0)
            # Without ties log nu stays as it is.
            information[:, -1, -1] = np.where(sums.tied > 0, tie_curvature, 1.0)
        information[:, :n] -= information[:, :n].mean(axis=1, keepdims=True)
        information[:, :, :n] -= information[:, :, :n].mean(axis=2, keepdims=True)
        information[:, :n, :n] += self.mean_curvature(information)[:, None, None] / n
        return information

    def greatest_information(self, sums: Sums) -> Floats:
        """(draws, parameters) upper bounds of the diagonal of `information`; 1 where there are no data.

        A quarter for each game (the variance of a fair coin), times the square of the covariate.
        """
        n, k = self.contexts.n, self.contexts.x.shape[1]
        limits = np.ones((sums.tied.size, self.size))
        limits[:, :n] = (abs(self.signs) @ sums.games).T / 4 + self.prior / 2
        limits[:, n : n + k] = (self.contexts.x.T**2 @ sums.games).T / 4
        if self.davidson:
            limits[:, -1] = np.where(sums.tied > 0, sums.games.sum(axis=0) / 4, 1.0)
        return np.where(limits > 0, limits, 1.0)

    def starting_point(self, sums: Sums) -> Floats:
        """(parameters, draws) the start of iterations: equal systems and no effects of covariates."""
        parameters = np.zeros((self.size, sums.tied.size))
        if self.davidson:
            has_ties = sums.tied > 0
            decided = sums.cells[self.contexts.outcome != 0].sum(axis=0)
            ratio = np.log(2 * np.where(has_ties, sums.tied, 0.5)) - np.log(np.where(decided > 0, decided, 1.0))
            parameters[-1] = np.where(has_ties, ratio, -np.inf)
        return parameters

    def fill_rating_block(self, information: Floats, curvature: Floats, ratings: Floats) -> None:
        """Fill in the part of the ratings, (draws, systems, systems)."""
        gather, first, second = self.pairs
        pair_curvature = np.asarray(gather @ curvature)
        information[:, first, second] = information[:, second, first] = -pair_curvature.T
        system_curvature = np.asarray(abs(self.signs) @ curvature)
        if self.prior:
            system_curvature += self.prior / 2 * (1 - np.tanh(ratings / 2) ** 2)
        diagonal = np.arange(self.contexts.n)
        information[:, diagonal, diagonal] = system_curvature.T

    def mean_curvature(self, information: Floats) -> Floats:
        """(draws) the mean curvature of the ratings."""
        n = self.contexts.n
        trace = np.trace(information[:, :n, :n], axis1=1, axis2=2) / n
        return np.asarray(np.where(trace > 0, trace, 1.0))

    def covariance(self, information: Floats) -> Floats:
        """The inverse of `information`, without the part added there: ratings keep their mean of 0."""
        n = self.contexts.n
        inverse = np.asarray(np.linalg.inv(information), np.float64)
        inverse[:, :n] -= inverse[:, :n].mean(axis=1, keepdims=True)
        inverse[:, :, :n] -= inverse[:, :, :n].mean(axis=2, keepdims=True)
        return inverse


#: The most steps. Without a maximum, each step changes log-odds by about 1, until H is nearly 0; no maximum is farther
#: away.
STEPS = 100
#: At a maximum, the information in each direction is at least the first share of its greatest possible value; the
#: second share is added to it, so that steps stay finite and independent of rounding where there is less.
FAINT, DAMPING = 1e-9, 1e-13
#: The last step is this small, and is taken, so that the remaining error is about its square; and the gradient before
#: it is this small beside its number of games.
STEP, SLOPE = 1e-6, 1e-6
#: With the information of a nearby point: the most steps; the greatest share of a step that the next one may have; and
#: the size of the last step, alone or before a step of Newton's, which squares the error.
SHORT_STEPS, SHRINK, SHORT_STEP, SQUARED_STEP = 15, 0.4, 1e-7, 1e-5
#: The most halvings of a step, and the share of the gain predicted by the slope that a step must reach.
HALVINGS, GAIN = 40, 0.2
#: The most that a parameter changes in one step, and the greatest log nu, so that exponentials stay finite.
LONGEST, FARTHEST = 1e6, 500.0
#: Rounding of a sum of logarithms, as a share of its terms.
NOISE = 1e-13


class Maximum(NamedTuple):
    """Where the likelihood is highest.

    Attributes
    ----------
    parameters
        (parameters, draws) the parameters.
    exists
        (draws) whether there is a maximum, and these parameters are it.
    n_steps
        Number of Newton's steps that were taken.
    """

    parameters: Floats
    exists: Bools
    n_steps: int


def maximum(likelihood: Likelihood, sums: Sums) -> Maximum:
    """The maximum, starting from equal systems. Where there is none, `exists` is False; nothing is raised."""
    point = likelihood.point(likelihood.starting_point(sums), sums)
    parameters, exists = point.parameters.copy(), np.zeros(sums.tied.size, np.bool_)
    active = np.arange(sums.tied.size)
    for n_steps in range(1, STEPS + 1):
        gradient = likelihood.gradient(point, sums)
        direction, is_last, at_maximum = newton_step(likelihood, point, sums, gradient)
        parameters[:, active[at_maximum]] = (point.parameters + direction)[:, at_maximum]
        exists[active[at_maximum]] = True
        if is_last.all():
            return Maximum(parameters, exists, n_steps)
        if is_last.any():
            active, sums, point = active[~is_last], select_sums(sums, ~is_last), select_point(point, ~is_last)
            direction, gradient = direction[:, ~is_last], gradient[:, ~is_last]
        point = climb(likelihood, sums, point, direction, gradient)
    return Maximum(parameters, exists, STEPS)


def maximum_nearby(likelihood: Likelihood, sums: Sums, start: Floats, inverse: Floats) -> Maximum:
    """The maximum, from a start that is near it.

    Parameters
    ----------
    likelihood
        The model and its data.
    sums
        What the likelihood needs of each draw.
    start
        (parameters, draws) where to start.
    inverse
        (parameters, parameters) about the inverse of the information.

    Notes
    -----
    No matrix is built: steps are products with `inverse`. Draws whose steps do not soon become small use `maximum`.
    Where there are covariates, the last step is one of Newton's, which proves that there is a maximum.
    """
    is_proven = not likelihood.contexts.x.shape[1]  # by the graph of wins, see `has_maximum` in bradley_terry
    tolerance = SHORT_STEP if is_proven else SQUARED_STEP
    point = likelihood.point(start, sums, with_value=False)
    last_sizes, is_shrinking = np.full(start.shape[1], LONGEST / SHRINK), np.ones(start.shape[1], np.bool_)
    for n_steps in range(1, SHORT_STEPS + 1):  # noqa: B007 - returned below
        gradient = likelihood.gradient(point, sums)
        direction = inverse @ gradient
        step_sizes = np.abs(direction).max(axis=0)
        is_close = (step_sizes <= tolerance) & is_flat(gradient, sums)
        is_shrinking &= is_close | (step_sizes <= SHRINK * last_sizes)
        trial = limit_tie_parameter(likelihood, point.parameters + np.where(is_shrinking, direction, 0.0))
        point, last_sizes = likelihood.point(trial, sums, with_value=False), step_sizes
        if (is_close | ~is_shrinking).all():
            break
    exists, parameters = is_close & is_shrinking, point.parameters
    if not is_proven:
        point = likelihood.point(parameters, sums)
        direction, _, exists = newton_step(likelihood, point, sums, likelihood.gradient(point, sums), tolerance)
        parameters = parameters + np.where(exists, direction, 0.0)
    if exists.all():
        return Maximum(parameters, exists, n_steps)
    restarted = maximum(likelihood, select_sums(sums, ~exists))
    parameters[:, ~exists], exists[~exists] = restarted.parameters, restarted.exists
    return Maximum(parameters, exists, n_steps + restarted.n_steps)


def newton_step(
    likelihood: Likelihood, point: Point, sums: Sums, gradient: Floats, tolerance: float = STEP
) -> tuple[Floats, Bools, Bools]:
    """(parameters, draws) the step; (draws) whether it is small enough to end; and whether at a maximum."""
    information, greatest = likelihood.information(point, sums), likelihood.greatest_information(sums)
    diagonal = np.arange(likelihood.size)
    information[:, diagonal, diagonal] += DAMPING * greatest
    singular = np.zeros(sums.tied.size, np.bool_)
    try:
        direction = solve_newton(information, gradient)
    except np.linalg.LinAlgError:  # exactly singular for some draws
        singular = ~determined(information, greatest)
        information[singular] = np.eye(likelihood.size)
        direction = solve_newton(information, gradient)
    is_last = singular | (np.abs(direction).max(axis=0) <= tolerance) & is_flat(gradient, sums)
    at_maximum = is_last & ~singular
    if at_maximum.any():
        at_maximum[at_maximum] = determined(information[at_maximum], greatest[at_maximum])
    return direction, is_last, at_maximum


def solve_newton(information: Floats, gradient: Floats) -> Floats:
    """(parameters, draws) the solutions of Newton's equations."""
    return np.asarray(np.linalg.solve(information, gradient.T[:, :, None])[:, :, 0].T, np.float64)


def determined(information: Floats, greatest: Floats) -> Bools:
    """(draws) whether there is information in every direction: at least FAINT of `greatest`, (draws, parameters)."""
    root = np.sqrt(greatest)
    scaled = information / root[:, :, None] / root[:, None, :]
    try:
        np.linalg.cholesky(scaled - FAINT * np.eye(root.shape[1]))
    except np.linalg.LinAlgError:  # at least one has too little: eigenvalues show which
        return np.asarray(np.linalg.eigvalsh(scaled)[:, 0] > FAINT)
    return np.ones(len(root), np.bool_)


def is_flat(gradient: Floats, sums: Sums) -> Bools:
    """(draws) whether the gradient is nearly 0 beside the number of games."""
    return np.asarray(np.abs(gradient).max(axis=0) <= SLOPE * (sums.games.sum(axis=0) + 1))


def climb(likelihood: Likelihood, sums: Sums, point: Point, direction: Floats, gradient: Floats) -> Point:
    """The point after the step, which is halved for draws whose likelihood gains too little by it."""
    direction = direction * np.minimum(1.0, LONGEST / np.maximum(np.abs(direction).max(axis=0), LONGEST))
    expected_gain = GAIN * (direction * gradient).sum(axis=0)
    share = np.ones(direction.shape[1])
    baseline = point.value - NOISE * point.magnitude
    for _ in range(HALVINGS):
        trial = likelihood.point(limit_tie_parameter(likelihood, point.parameters + share * direction), sums)
        too_low = ~(trial.value >= baseline + share * expected_gain)
        if not too_low.any():
            break
        share[too_low] /= 2
    return trial


def limit_tie_parameter(likelihood: Likelihood, parameters: Floats) -> Floats:
    """The parameters with log nu at most FARTHEST, changed in place."""
    if likelihood.davidson:
        np.minimum(parameters[-1], FARTHEST, out=parameters[-1])
    return parameters


def select_sums(sums: Sums, draws: Bools) -> Sums:
    """The sums of some draws."""
    return Sums(sums.cells[:, draws], sums.games[:, draws], sums.lead[:, draws], sums.tied[draws])


def select_point(point: Point, draws: Bools) -> Point:
    """The point of some draws."""
    short = None if point.shortfall is None else point.shortfall[:, draws]
    return Point(
        point.parameters[:, draws],
        point.value[draws],
        point.magnitude[draws],
        point.mean[:, draws],
        point.decided[:, draws],
        short,
    )

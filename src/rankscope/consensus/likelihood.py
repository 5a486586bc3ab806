"""The likelihood of comparisons of two: Bradley and Terry's, with Davidson's ties, for many draws at once.

With eta the log-odds of the first system against the second and nu the tie parameter, the first wins with probability
exp(eta / 2) / D, the second with exp(-eta / 2) / D, and they tie with nu / D, D = 2 cosh(eta / 2) + nu. Half a win for
each in a tie is the same with nu = 0 and a lead of 0, so that one set of formulas serves both. All is a family of
exponential form: the log-likelihood is concave, and its information the covariance of (half the outcome, tied).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.consensus.contexts import Contexts, Sums, incidence
from rankscope.typing import Floats

__all__ = ["Likelihood", "Point"]


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

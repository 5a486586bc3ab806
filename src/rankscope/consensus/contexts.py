"""Comparisons brought together: those of the same systems, covariates and outcome are one cell with a count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.preferences import Preferences
from rankscope.errors import InputError
from rankscope.typing import Floats, Ints

__all__ = ["POSITION", "Contexts", "Sums", "contexts_of"]


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

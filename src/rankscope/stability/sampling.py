"""Samples of a study: random sets of queries, or random groups of entities that act as queries, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rankscope.data.entities import EntityRanks, hits_of_entities
from rankscope.data.scores import MIN_GEOMETRIC, MeasureLike, Scores
from rankscope.kernels.means import ratio_or_nan
from rankscope.measures.base import Measure
from rankscope.stability.conditions import Condition
from rankscope.stats.correlation_values import matrix_of
from rankscope.typing import Floats, Ints

__all__ = [
    "Entities",
    "Population",
    "Queries",
    "Sample",
    "stream",
]


#: How many ranks, of all systems and iterations, are measured at once.
ENTITIES = 1 << 20


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """The sample of one condition; greater is better.

    Attributes
    ----------
    values
        (measures, iterations, systems, queries) of one set, NaN where there is none.
    disjoint
        Two tables (measures, iterations, systems), the means over two sets without a query in common; empty where
        there are none.
    systems
        (iterations, systems) the drawn systems, in rising order.
    used
        (measures, iterations) the share of the relevant items that values depend on, in percent; NaN where unknown.
    """

    values: Floats
    disjoint: tuple[Floats, ...]
    systems: Ints
    used: Floats


class Population(Protocol):
    """Data that samples are drawn from. signs: (measures) 1, or -1 where lower is better."""

    @property
    def kind(self) -> str: ...
    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[MeasureLike, ...]: ...
    @property
    def signs(self) -> Floats: ...
    @property
    def n_items(self) -> int: ...
    @property
    def actual(self) -> Floats:
        """(measures, systems) the value of each system on all queries or entities, in the measure's direction."""

    def sample(self, condition: Condition, iterations: int, seed: int) -> Sample: ...
    def pools(self, sample: Sample) -> Sequence[Floats]:
        """(measures, systems, queries) arrays of values: one of all queries, or one of the groups of each draw."""


def stream(seed: int, condition: Condition, iteration: int, purpose: int) -> np.random.Generator:
    """The random numbers for one purpose, independent of workers and of what else is drawn."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*condition, iteration, purpose)))


def draw_systems(rng: np.random.Generator, n: int, size: int) -> Ints:
    return np.arange(n) if size == n else np.sort(rng.choice(n, size, replace=False))


def means(values: Floats) -> Floats:
    """The mean along the last axis over the queries where every system has a value; NaN without such queries."""
    is_complete = ~np.isnan(values).any(axis=-2, keepdims=True)
    total = np.where(is_complete, values, 0.0).sum(axis=-1)
    n_complete = is_complete.sum(axis=-1)
    return ratio_or_nan(total, np.broadcast_to(n_complete, total.shape))


@dataclass(frozen=True, eq=False)
class Entities:
    """A table of ranks, whose entities are cut at random into groups, which act as queries."""

    table: EntityRanks
    measures: tuple[Measure, ...]
    signs: Floats
    kind: str = "entities"

    @property
    def systems(self) -> tuple[str, ...]:
        return self.table.systems

    @property
    def n_items(self) -> int:
        return len(self.table)

    @cached_property
    def actual(self) -> Floats:
        hits_of_systems = [system_hits for _, system_hits in hits_of_entities(self.table)]
        return np.array(
            [[float(measure(system_hits)[0]) for system_hits in hits_of_systems] for measure in self.measures]
        )

    def dunaiski_correlation(self, systems: Ints) -> Floats:
        """(3) mean and deviation of Spearman's rho between systems, and NaN, as Dunaiski's tool computes them.

        From the ranks of all entities, without the pairs of the first drawn system; means over the iterations. The tool
        computes none between queries.

        Parameters
        ----------
        systems
            (iterations, drawn).
        """
        first, second = np.triu_indices(systems.shape[1] - 1, 1)
        if not first.size:
            return np.full(3, np.nan)
        other_systems = systems[:, 1:]
        rho = matrix_of(self.table.ranks, "spearman")[other_systems[:, first], other_systems[:, second]]
        return np.array([rho.mean(axis=1).mean(), rho.std(axis=1).mean(), np.nan])

    def sample(self, condition: Condition, iterations: int, seed: int) -> Sample:
        shape = (len(self.measures), iterations, condition.systems, condition.splits)
        values, used = np.empty(shape), np.empty(shape[:2])
        systems = np.empty((iterations, condition.systems), np.int64)
        order = np.empty((iterations, condition.entities), np.int64)
        for i in range(iterations):
            rng = stream(seed, condition, i, 0)
            order[i] = rng.permutation(self.n_items)[: condition.entities]
            systems[i] = draw_systems(rng, len(self.systems), condition.systems)
        n_at_once = max(1, ENTITIES // (condition.entities * len(self.systems)))
        for start in range(0, iterations, n_at_once):
            chunk = slice(start, start + n_at_once)
            values[:, chunk], used[:, chunk] = self.measure_groups(order[chunk], condition.splits, systems[chunk])
        half = condition.splits // 2
        signed_values = values * self.signs[:, None, None, None]
        return Sample(
            values=signed_values,
            disjoint=(means(signed_values[..., :half]), means(signed_values[..., half : 2 * half])),
            systems=systems,
            used=used,
        )

    def pools(self, sample: Sample) -> Sequence[Floats]:
        return [sample.values[:, i] for i in range(sample.values.shape[1])]

    def measure_groups(self, order: Ints, splits: int, systems: Ints) -> tuple[Floats, Floats]:
        """(measures, iterations, systems, groups) values, and (measures, iterations) percent of entities used."""
        iterations, n_entities = order.shape
        groups: npt.ArrayLike | Sequence[Ints]
        if n_entities % splits:
            groups = [chunk for row in order for chunk in np.array_split(row, splits)]
            sizes = np.array([len(chunk) for chunk in groups[:splits]])
        else:
            groups = order.reshape(iterations * splits, n_entities // splits)
            sizes = np.full(splits, n_entities // splits)
        shape = (iterations, splits)
        values = np.empty((len(self.measures), len(self.systems), *shape))
        used = np.empty_like(values)
        for s, (_, hits) in enumerate(hits_of_entities(self.table, groups)):
            for m, measure in enumerate(self.measures):
                values[m, s] = measure(hits).reshape(shape)
                used[m, s] = measure.used(hits).reshape(shape) / sizes
        system_index = systems[None, :, :, None]
        values = np.take_along_axis(values.transpose(0, 2, 1, 3), system_index, axis=2)
        used = np.take_along_axis(used.transpose(0, 2, 1, 3), system_index, axis=2)
        return values, 100 * used.mean(axis=(2, 3))


@dataclass(frozen=True, eq=False)
class Queries:
    """Scores of real queries, of which sets are drawn.

    Attributes
    ----------
    used
        (systems, measures, queries) shares, where known.
    """

    scores: Scores
    measures: tuple[MeasureLike, ...]
    signs: Floats
    used: Floats | None = None
    kind: str = "queries"

    @property
    def systems(self) -> tuple[str, ...]:
        return self.scores.systems

    @property
    def n_items(self) -> int:
        return len(self.scores.query_ids)

    @cached_property
    def actual(self) -> Floats:
        return np.array([self.scores.summary(str(measure)) for measure in self.measures])

    @cached_property
    def values(self) -> Floats:
        """(measures, systems, queries); greater is better; logarithms where the measure's mean is geometric."""
        values = self.scores.values.transpose(1, 0, 2).copy()
        for m, measure in enumerate(self.measures):
            if measure.summary == "geometric":
                values[m] = np.log(np.maximum(values[m], MIN_GEOMETRIC))
        values *= self.signs[:, None, None]
        return values

    def sample(self, condition: Condition, iterations: int, seed: int) -> Sample:
        set_size = condition.size
        values = np.empty((len(self.measures), iterations, condition.systems, set_size))
        disjoint_means = np.empty_like(values[..., 0]) if condition.splits > 1 else None
        used = np.full((len(self.measures), iterations), np.nan)
        systems = np.empty((iterations, condition.systems), np.int64)
        for i in range(iterations):
            rng = stream(seed, condition, i, 0)
            drawn_queries = rng.permutation(self.n_items)[: condition.entities]
            systems[i] = draw_systems(rng, len(self.systems), condition.systems)
            values[:, i] = self.values[:, systems[i][:, None], drawn_queries[:set_size]]
            if disjoint_means is not None:
                disjoint_means[:, i] = means(
                    self.values[:, systems[i][:, None], drawn_queries[set_size : 2 * set_size]]
                )
            if self.used is not None:
                shares = self.used[systems[i][:, None], :, drawn_queries[:set_size]]  # (systems, queries, measures)
                n_known = (~np.isnan(shares)).sum(axis=(0, 1))
                used[:, i] = 100 * np.divide(
                    np.nansum(shares, axis=(0, 1)), n_known, out=np.full(n_known.shape, np.nan), where=n_known > 0
                )
        return Sample(
            values=values,
            disjoint=() if disjoint_means is None else (means(values), disjoint_means),
            systems=systems,
            used=used,
        )

    def pools(self, sample: Sample) -> Sequence[Floats]:
        return [self.values]


def complete_queries(values: Floats) -> Floats:
    """(systems, queries) the queries where all systems have a value."""
    return values[:, ~np.isnan(values).any(axis=0)]

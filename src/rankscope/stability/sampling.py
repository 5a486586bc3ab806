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
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.measures.base import Measure
from rankscope.stability.conditions import Condition
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
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
        (measures, iterations, systems, queries) of one set, NaN where there is none. Sets of clusters may have fewer
        queries than others; the values of further ones are NaN.
    disjoint
        Two tables (measures, iterations, systems), the means over two sets without a query in common; empty where
        there are none.
    systems
        (iterations, systems) the drawn systems, in rising order.
    used
        (measures, iterations) the share of the relevant items that values depend on, in percent; NaN where unknown.
    clusters
        (iterations, queries) the cluster of each query, numbered within its set; None if all are independent.
    """

    values: Floats
    disjoint: tuple[Floats, ...]
    systems: Ints
    used: Floats
    clusters: Ints | None = None


class Population(Protocol):
    """Data that samples are drawn from. signs: (measures) 1, or -1 where lower is better."""

    @property
    def kind(self) -> str:
        """What is drawn: "entities", "queries" or "clusters" of queries."""

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
    @property
    def clusters(self) -> Ints | None:
        """(queries) the cluster of each query; None if all are independent."""

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
    clusters: None = None

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
    """Scores of real queries, of which sets are drawn, or sets of their clusters.

    Attributes
    ----------
    used
        (systems, measures, queries) shares, where known.
    """

    scores: Scores
    measures: tuple[MeasureLike, ...]
    signs: Floats
    used: Floats | None = None

    @property
    def kind(self) -> str:
        return "queries" if self.clusters is None else "clusters"

    @property
    def systems(self) -> tuple[str, ...]:
        return self.scores.systems

    @cached_property
    def clusters(self) -> Ints | None:
        return self.scores.queries.cluster_codes

    @property
    def n_items(self) -> int:
        return len(self.scores.query_ids) if self.clusters is None else self.cluster_sizes.size

    @cached_property
    def cluster_sizes(self) -> Ints:
        """(clusters) how many queries each has."""
        return np.bincount([] if self.clusters is None else self.clusters)

    @cached_property
    def by_cluster(self) -> Ints:
        """(queries) the queries, cluster by cluster."""
        assert self.clusters is not None
        return np.argsort(self.clusters, kind="stable")

    def members(self, clusters: Ints) -> tuple[Ints, Ints]:
        """The queries of these clusters, and the place of each query's cluster among them."""
        sizes = self.cluster_sizes[clusters]
        place = np.repeat(np.arange(clusters.size), sizes)
        starts = bounds(self.cluster_sizes)[clusters]
        return self.by_cluster[starts[place] + place_in_group(bounds(sizes))], place

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
        items = np.empty((iterations, condition.entities), np.int64)
        systems = np.empty((iterations, condition.systems), np.int64)
        for i in range(iterations):
            rng = stream(seed, condition, i, 0)
            items[i] = rng.permutation(self.n_items)[: condition.entities]
            systems[i] = draw_systems(rng, len(self.systems), condition.systems)
        values, clusters, queries_of_sets = self.values_of(items[:, : condition.size], systems)
        disjoint: tuple[Floats, ...] = ()
        if condition.splits > 1:
            other_values, *_ = self.values_of(items[:, condition.size : 2 * condition.size], systems)
            disjoint = (means(values), means(other_values))
        return Sample(
            values=values,
            disjoint=disjoint,
            systems=systems,
            used=self.percent_used(queries_of_sets, systems),
            clusters=clusters,
        )

    def values_of(self, sets: Ints, systems: Ints) -> tuple[Floats, Ints | None, list[Ints]]:
        """(measures, iterations, systems, queries) values of sets, the clusters of their queries, and these queries.

        Parameters
        ----------
        sets
            (iterations, size) the queries, or the clusters, of each set.
        systems
            (iterations, systems) the drawn systems.
        """
        members = [(row, row) if self.clusters is None else self.members(row) for row in sets]
        width = max(queries.size for queries, _ in members)
        values = np.full((len(self.measures), *systems.shape, width), np.nan)
        places = np.zeros((len(sets), width), np.int64)
        for i, (queries, place) in enumerate(members):
            values[:, i, :, : queries.size] = self.values[:, systems[i][:, None], queries]
            places[i, : queries.size] = place
        return values, None if self.clusters is None else places, [queries for queries, _ in members]

    def percent_used(self, sets: list[Ints], systems: Ints) -> Floats:
        """(measures, iterations) the percentage of relevant items that values depend on; NaN where it is unknown."""
        used = np.full((len(self.measures), len(sets)), np.nan)
        if self.used is None:
            return used
        for i, queries in enumerate(sets):
            shares = self.used[systems[i][:, None], :, queries]  # (systems, queries, measures)
            n_known = (~np.isnan(shares)).sum(axis=(0, 1))
            used[:, i] = 100 * np.divide(
                np.nansum(shares, axis=(0, 1)), n_known, out=np.full(n_known.shape, np.nan), where=n_known > 0
            )
        return used

    def pools(self, sample: Sample) -> Sequence[Floats]:
        return [self.values]


def complete_queries(values: Floats) -> Floats:
    """(systems, queries) the queries where all systems have a value."""
    return values[:, ~np.isnan(values).any(axis=0)]


def complete_sums(values: Floats, clusters: Ints) -> ClusterSums:
    """The sums of each cluster over the queries where all systems have a value; clusters without any are left out.

    Parameters
    ----------
    values
        (systems, queries), NaN where there is none.
    clusters
        (queries) the cluster of each query.
    """
    is_complete = ~np.isnan(values).any(axis=0)
    if not is_complete.any():
        return ClusterSums(sums=np.zeros((len(values), 0)), weights=np.zeros(0))
    return cluster_sums(values[:, is_complete], clusters[is_complete], None)

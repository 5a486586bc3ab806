"""The values that systems are compared on: those of queries that every system has, and differences query by query."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.queries import Queries
from rankscope.data.scores import MIN_GEOMETRIC, Scores
from rankscope.data.tables import type_with_article
from rankscope.data.text import join_names, pluralise_queries
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.rounding_ties import NOISE, order_of
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "MeasureValues",
    "check_systems",
    "extreme_queries",
    "match_queries",
    "measure_names_of",
    "query_gains",
    "refuse_one_cluster",
    "resolve_system",
    "split_by_group",
    "unjudged_reason",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureValues:
    """The values of one measure on the queries where every system has one.

    Attributes
    ----------
    measure
        Full name of the measure.
    systems
        Names of the systems.
    values
        (systems, n) as the measure has them, or their logarithms.
    queries
        (n) indices into `query_ids` of the scores.
    sign
        1 if higher is better, -1 if lower is.
    are_logarithms
        Whether values are natural logarithms, as of a geometric measure.
    are_foreign
        Whether another tool computed the values.
    notes
        How many queries were skipped, and what values are.
    unjudged
        Indices of the systems none of whose documents is judged.
    clusters
        (n) the number of the cluster of each query; None if all are independent.
    weights
        (n) the weight of each query; None if all count the same.
    """

    measure: str
    systems: tuple[str, ...]
    values: Floats
    queries: npt.NDArray[np.int64]
    sign: int
    are_logarithms: bool
    are_foreign: bool
    notes: tuple[str, ...]
    unjudged: tuple[int, ...] = ()
    clusters: Ints | None = None
    weights: Floats | None = None

    @property
    def label(self) -> str:
        """The name of the values in a sentence: "AP", or "log GMAP" for logarithms."""
        return f"log {self.measure}" if self.are_logarithms else self.measure

    @property
    def sample(self) -> dict[str, Any]:
        """Clusters and weights of the queries, as the statistics take them."""
        return {"clusters": self.clusters, "weights": self.weights}

    @property
    def n_clusters(self) -> int:
        """How many clusters of queries; without clusters each query is one."""
        return self.n if self.clusters is None else np.unique(self.clusters).size

    @cached_property
    def means(self) -> Floats:
        """(systems) the mean of each system, weighted if there are weights."""
        return np.asarray(np.average(self.values, axis=1, weights=self.weights))

    @cached_property
    def scale(self) -> float:
        """The largest absolute value. Differences that are tiny beside it count as 0, those of means too."""
        return float(np.abs(self.values).max(initial=0.0))

    def differences(self, first: Ints, second: Ints) -> Floats:
        """(pairs, n) differences of the systems with these indices; 0 where two values differ by rounding only."""
        differences = self.values[first] - self.values[second]
        pair_index, query_index = np.nonzero((np.abs(differences) <= NOISE * self.scale) & (differences != 0))
        if pair_index.size:
            magnitude = np.maximum(
                np.abs(self.values[first[pair_index], query_index]),
                np.abs(self.values[second[pair_index], query_index]),
            )
            is_noise = np.abs(differences[pair_index, query_index]) <= NOISE * magnitude
            differences[pair_index[is_noise], query_index[is_noise]] = 0.0
        return differences

    @cached_property
    def are_binary(self) -> bool:
        """Whether all values are 0 or 1, as of successes and failures."""
        few = self.values[:, :1]  # nearly always enough to tell
        return not self.are_logarithms and all(bool(((x == 0) | (x == 1)).all()) for x in (few, self.values))

    @property
    def n(self) -> int:
        """How many queries."""
        return self.queries.size

    def select(self, chosen: Bools | Ints) -> MeasureValues:
        """The values on some of the queries. chosen: their indices among the n, or whether each is one of them."""
        return replace(
            self,
            values=np.ascontiguousarray(self.values[:, chosen]),
            queries=self.queries[chosen],
            clusters=None if self.clusters is None else self.clusters[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            notes=(),
        )


def measure_names_of(scores: Scores, measures: object) -> tuple[str, ...]:
    """The full names of one measure, a list of measures, or all (None), without duplicates. Raises UnknownName."""
    if measures is None:
        return scores.measure_names
    requested_measures = list(measures) if isinstance(measures, (list, tuple)) else [measures]
    if not requested_measures:
        raise ParameterError("no measures given, expected at least one, or None for all of the scores")
    return tuple(dict.fromkeys(scores.measure_names[scores.place_of(measure)] for measure in requested_measures))


def check_systems(scores: Scores, baseline: str | None, minimum: int = 2) -> None:
    """Raise if the argument is no Scores, has too few systems, or lacks the baseline."""
    if not isinstance(scores, Scores):
        raise ParameterError(
            f"scores are {type_with_article(scores)}, expected Scores; pass evaluate(qrels, runs, measures), or for "
            "values of another tool read_scores(path) or Scores.of(table)"
        )
    if baseline is not None and baseline not in scores.systems:
        raise UnknownName("system of these scores", str(baseline), scores.systems, "; it was asked for as the baseline")
    if len(scores.systems) < minimum:
        is_table = scores.settings.get("source") == "table"
        advice = "another file of scores, or a column of numbers for each system" if is_table else "another run"
        raise ParameterError(
            f"{len(scores.systems)} system ({', '.join(scores.systems)}), expected at least {minimum} to compare; "
            f"give {advice}"
        )


def resolve_system(baseline: str | None, runs: Sequence[object], scores: Scores) -> str | None:
    """The name of the system: `baseline` is that name, or the path of one of `runs`."""
    if baseline is None or baseline in scores.systems:
        return baseline
    paths = [os.fspath(run) if isinstance(run, (str, os.PathLike)) else None for run in runs]
    return scores.systems[paths.index(baseline)] if baseline in paths else baseline


def match_queries(scores: Scores, measure: str) -> MeasureValues:
    """The values of a measure on the queries where every system has one.

    Values of a geometric measure (GMAP) are taken as logarithms, which is what it averages. Raises ParameterError for
    a measure without direction or summary, InputError if no query has values of all systems.
    """
    measure_index = scores.place_of(measure)
    definition = scores.measures[measure_index]
    sign = scores.sign(measure)
    if sign == 0 or definition.summary == "none":
        raise ParameterError(
            f"of {measure} neither higher nor lower is better, so that no system can be; choose another"
        )
    values = scores.values[:, measure_index]
    complete = ~np.isnan(values).any(axis=0)
    if not complete.any():
        raise InputError(
            f"no query has a value of {measure} for all of {', '.join(scores.systems[:5])}"
            f"{', ...' if len(scores.systems) > 5 else ''}; check that runs and judgments are about the same queries"
        )
    notes = []
    n_incomplete = int((~complete).sum())
    if n_incomplete:
        notes.append(
            f"{measure}: {pluralise_queries(n_incomplete)} of {complete.size} skipped, where not every system has a "
            "value"
        )
    values = values[:, complete]
    if definition.summary == "geometric":
        values = np.log(np.maximum(values, MIN_GEOMETRIC))
        notes.append(f"{measure}: values are compared as natural logarithms, so a difference is one of logarithms")
    if sign < 0:
        notes.append(f"{measure}: lower is better")
    clusters, weights = scores.queries.cluster_codes, scores.queries.weight
    return MeasureValues(
        measure=measure,
        systems=scores.systems,
        values=np.ascontiguousarray(values),
        queries=np.flatnonzero(complete),
        sign=sign,
        are_logarithms=definition.summary == "geometric",
        are_foreign=scores.settings.get("source") == "table",
        notes=tuple(notes),
        unjudged=tuple(map(scores.systems.index, scores.unjudged_systems)),
        clusters=None if clusters is None else clusters[complete],
        weights=None if weights is None else weights[complete],
    )


def refuse_one_cluster(values: MeasureValues) -> None:
    """Raise InputError if all queries are one cluster."""
    if values.clusters is not None and values.n_clusters < 2:
        raise InputError(
            f"{values.measure}: all {pluralise_queries(values.n)} that have a value of every system are one cluster, "
            "expected at least 2, better 10: nothing says how clusters vary; choose other clusters"
        )


def split_by_group(values: MeasureValues, queries: Queries) -> dict[str, MeasureValues]:
    """The values on the queries of each group that has any of these."""
    return {name: values.select(places) for name, places in queries.places_by_group(values.queries).items()}


def unjudged_reason(systems: Sequence[str], subject: str = "") -> str:
    """That no document of these systems is judged, what follows, and what to do. subject: what says nothing of them."""
    names, pronouns = join_names(systems), ("its", "it") if len(systems) == 1 else ("their", "them")
    consequence = f", so that {pronouns[0]} {subject} says nothing about {pronouns[1]}" if subject else ""
    return (
        f"none of the documents of {names} is judged{consequence}; check that run and judgments write ids the same way"
    )


#: So many queries are shown at each end.
MOST_EXTREME = 5


def query_gains(measure_values: MeasureValues, a: int, b: int) -> Floats:
    """(n) differences of two systems, above 0 where the first is better; 0 where values differ by rounding only.

    Values that should be equal can differ in their last bits, such as those from two versions of a tool. So can
    differences: if all of them may be equal, they are set to their mean.

    Parameters
    ----------
    measure_values
        The values of all systems.
    a, b
        Indices of the two systems.
    """
    first, second = measure_values.values[a], measure_values.values[b]
    gain = measure_values.sign * (first - second)
    noise = NOISE * np.maximum(np.abs(first), np.abs(second))
    gain = np.where(np.abs(gain) <= noise, 0.0, gain)
    is_constant = (gain - noise).max() <= (gain + noise).min()  # one value fits all of them
    return np.full(gain.size, gain.mean()) if is_constant and gain.any() else gain


def extreme_queries(gain: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Indices of the queries with the largest gains, and of those with the largest losses; the most extreme first."""
    best, worst = (order_of(values)[:MOST_EXTREME] for values in (-gain, gain))
    return best[gain[best] > 0], worst[gain[worst] < 0]

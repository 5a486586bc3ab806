"""What each candidate is worth on queries that it did not learn from: cross-validation, and within it once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rankscope.fusion.candidates import Candidate
from rankscope.fusion.judged import PoolJudgments
from rankscope.fusion.measured import MeasuredPool
from rankscope.fusion.parts import PoolSubset, pool_subset
from rankscope.fusion.scaled import NormalisedPool, normalise_pool
from rankscope.typing import Floats, Ints

__all__ = ["Folds", "CandidateValues", "make_folds", "normalise_folds", "evaluate_candidate"]


@dataclass(frozen=True, eq=False)
class Folds:
    """Judged queries in folds. fold: (queries) the number of each one's; parts: the queries of each as a pool; ready:
    by normalisation the scores of all, and of each part; nested: whether there is anything to choose.
    """

    measured: MeasuredPool
    known: PoolJudgments
    fold: Ints
    parts: tuple[PoolSubset, ...]
    ready: Mapping[str, tuple[NormalisedPool, tuple[NormalisedPool, ...]]]
    nested: bool = True

    def learn(self, candidate: Candidate, without: Sequence[int] = ()) -> dict[str, Any]:
        """What a candidate learns from all queries but those of some folds."""
        known = self.known.only(~np.isin(self.fold, list(without)))
        return candidate.learn(self.measured.pool, known, self.ready[candidate.normalise][0])

    def fuse(self, candidate: Candidate, parameters: Mapping[str, Any], f: int) -> Floats:
        """(documents of a fold) the fused scores."""
        return candidate.fuse(self.parts[f].pool, parameters, self.ready[candidate.normalise][1][f])


class CandidateValues(NamedTuple):
    """Values of a candidate. outer: (queries) by what was learned without the fold of each; inner: (folds, queries) by
    what was learned without that fold and the query's own, NaN in that fold: by it a setting is chosen for the fold.
    """

    outer: Floats
    inner: Floats | None


def make_folds(measured: MeasuredPool, known: PoolJudgments, fold: Ints) -> Folds:
    parts = tuple(pool_subset(measured.pool, fold == f) for f in range(int(fold.max()) + 1))
    return Folds(measured, known, fold, parts, {})


def normalise_folds(folds: Folds, how: str, names: Sequence[str]) -> tuple[NormalisedPool, tuple[NormalisedPool, ...]]:
    """The scores of all runs, normalised, in the whole pool and in each part. Raises InputError as `normalise_pool`."""
    return normalise_pool(folds.measured.pool, how, names), tuple(
        normalise_pool(part.pool, how, names) for part in folds.parts
    )


def evaluate_candidate(folds: Folds, candidate: Candidate) -> CandidateValues:
    """What a candidate is worth on each query: a unit of work.

    A model learned without two folds serves both: each is the one left out inside when the other is left out outside.
    Where the judgments teach nothing, as where weights are all there is to set, one fusion of all queries does.
    """
    count, measured = len(folds.parts), folds.measured
    if not candidate.learns or learns_nothing(folds, candidate):
        ready = folds.ready[candidate.normalise][0]
        values = measured.values(candidate.fuse(measured.pool, folds.learn(candidate), ready))
        inner = np.tile(values, (count, 1))
        inner[folds.fold, np.arange(values.size)] = np.nan
        return CandidateValues(values, inner if folds.nested else None)
    scores = np.zeros(measured.pool.size)
    for f, part in enumerate(folds.parts):
        scores[part.documents] = folds.fuse(candidate, folds.learn(candidate, (f,)), f)
    outer = measured.values(scores)
    if not folds.nested:
        return CandidateValues(outer, None)
    inside = np.zeros((count, measured.pool.size))
    for f, g in combinations(range(count), 2):
        parameters = folds.learn(candidate, (f, g))
        for out, held in ((f, g), (g, f)):
            inside[out, folds.parts[held].documents] = folds.fuse(candidate, parameters, held)
    inner = np.array([measured.values(scores) for scores in inside])
    inner[folds.fold, np.arange(outer.size)] = np.nan
    return CandidateValues(outer, inner)


def learns_nothing(folds: Folds, candidate: Candidate) -> bool:
    """Whether the same is learned from any fold: nothing, then."""
    first = folds.learn(candidate, (0,))
    return all(folds.learn(candidate, (f,)) == first for f in range(1, len(folds.parts)))

"""Values of each candidate on queries that it did not learn from: cross-validation, and nested cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.ranking import rank_rows
from rankscope.data.rows import combined_keys, decode_id
from rankscope.evaluation.conventions import Plan
from rankscope.fusion.judgments import PoolJudgments
from rankscope.fusion.normalisation import NormalisedPool, normalise_pool
from rankscope.fusion.pool import PoolSubset, RunPool, pool_subset
from rankscope.fusion.tuning.candidates import Candidate
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import hashes
from rankscope.typing import Floats, Ints

__all__ = [
    "CandidateValues",
    "Folds",
    "MeasuredPool",
    "evaluate_candidate",
    "make_folds",
    "measured_pool",
    "normalise_folds",
]


@dataclass(frozen=True, eq=False)
class MeasuredPool:
    """A pool of which every query has judgments; what depends on these alone is there already.

    wanted: documents that are judged, rising; query, judged, relevance: of each its query, its place among the judged
    documents of that, and its relevance. blank: the hits before anything is ranked.
    """

    pool: RunPool
    plan: Plan
    wanted: Ints
    query: Ints
    judged: Ints
    relevance: Ints
    blank: Hits

    def values(self, scores: Floats) -> Floats:
        """(queries) the value of each list where its documents have these scores; NaN where it has none."""
        pool = self.pool
        ranks = rank_rows(scores, pool.offsets, self.wanted, self.query, "doc_id_desc", pool.docs.take, str)
        return self.of_ranks(np.arange(self.wanted.size), ranks.rank, np.diff(pool.offsets))

    def alone(self, i: int) -> Floats:
        """(queries) the value of each list of a run; an empty one where it has none."""
        entry = self.pool.entries[i]
        rank, lengths = np.zeros(self.pool.size, np.int64), np.zeros(len(self.pool.query_ids), np.int64)
        rank[entry.place] = entry.rank
        lengths[entry.query] = entry.lengths
        found = np.flatnonzero(rank[self.wanted])
        return self.of_ranks(found, rank[self.wanted[found]], lengths)

    def of_ranks(self, found: Ints, rank: Ints, lengths: Ints) -> Floats:
        """(queries) found: which of the judged documents are in the lists; rank: of each; lengths: of the lists."""
        order = np.lexsort((rank, self.query[found]))
        place: Floats = rank[order].astype(np.float64)
        found = found[order]
        hits = replace(
            self.blank,
            offsets=bounds(np.bincount(self.query[found], minlength=len(self.blank))),
            rank=place,
            first=place,
            last=place,
            relevance=self.relevance[found],
            judged=self.judged[found],
            retrieved=lengths,
            missing=lengths == 0,
            _memory={},
        )
        return np.asarray(self.plan.values(hits, "fused")[0][0], np.float64)


def measured_pool(pool: RunPool, qrels: Qrels, plan: Plan) -> MeasuredPool:
    """Find the judged documents of a pool, all of whose queries have judgments. plan: of one measure."""
    codes = np.array([qrels.codes[query] for query in pool.query_ids], np.int64)
    lookup = qrels.lookup
    wanted, number = lookup.find(combined_keys(hashes(pool.docs, lookup.seed), pool.offsets, codes), pool.docs)
    query = np.searchsorted(pool.offsets, wanted, side="right") - 1
    judged, relevance = number - qrels.offsets[codes[query]], qrels.relevance[number]
    sizes = np.diff(qrels.offsets)[codes]
    nothing, none = np.empty(0), np.empty(0, np.int64)
    blank = Hits(
        query_ids=tuple(map(decode_id, pool.query_ids)),
        offsets=bounds(np.bincount(query, minlength=codes.size)),
        rank=nothing,
        first=nothing,
        last=nothing,
        relevance=none,
        judged=none,
        retrieved=np.diff(pool.offsets),
        missing=np.zeros(codes.size, np.bool_),
        grades=qrels.grades[ranges(qrels.offsets[codes], sizes)],
        grade_offsets=bounds(sizes),
        max_grade=qrels.max_grade,
        subtopics=None if qrels.subtopics is None else qrels.subtopics.select(codes),
        rel=plan.convention.rel,
        ties=plan.convention.ties,
    )
    return MeasuredPool(pool, plan, wanted, query, judged, relevance, blank)


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

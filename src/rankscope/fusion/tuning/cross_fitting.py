"""Values of each candidate on queries that it did not learn from: cross-validation, and nested cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.rows import combined_keys, decode_id
from rankscope.data.tie_breaking import rank_rows
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
    """A pool whose queries all have judgments, with everything that depends on the judgments alone.

    Attributes
    ----------
    pool
        The pool.
    plan
        The measure, and how lists are ranked.
    judged_documents
        The pool's numbers of judged documents, rising.
    query, judged_index, relevance
        For each of these its query, its index among the judged documents of the query, and its relevance.
    empty_hits
        The hits before anything is ranked.
    """

    pool: RunPool
    plan: Plan
    judged_documents: Ints
    query: Ints
    judged_index: Ints
    relevance: Ints
    empty_hits: Hits

    def values(self, scores: Floats) -> Floats:
        """(queries) the value of each list ranked by these scores; NaN where undefined."""
        pool = self.pool
        ranks = rank_rows(scores, pool.offsets, self.judged_documents, self.query, "doc_id_desc", pool.docs.take, str)
        return self.values_of_ranks(np.arange(self.judged_documents.size), ranks.rank, np.diff(pool.offsets))

    def run_values(self, i: int) -> Floats:
        """(queries) the value of each list of a run; an empty one where it has none."""
        entry = self.pool.entries[i]
        rank, lengths = np.zeros(self.pool.size, np.int64), np.zeros(len(self.pool.query_ids), np.int64)
        rank[entry.document] = entry.rank
        lengths[entry.query] = entry.lengths
        listed = np.flatnonzero(rank[self.judged_documents])
        return self.values_of_ranks(listed, rank[self.judged_documents[listed]], lengths)

    def values_of_ranks(self, listed: Ints, rank: Ints, lengths: Ints) -> Floats:
        """(queries) values. listed: which judged documents are in the lists; rank: of each; lengths: of the lists."""
        order = np.lexsort((rank, self.query[listed]))
        ranks: Floats = rank[order].astype(np.float64)
        listed = listed[order]
        hits = replace(
            self.empty_hits,
            offsets=bounds(np.bincount(self.query[listed], minlength=len(self.empty_hits))),
            rank=ranks,
            first=ranks,
            last=ranks,
            relevance=self.relevance[listed],
            judged=self.judged_index[listed],
            retrieved=lengths,
            missing=lengths == 0,
            _memory={},
        )
        return np.asarray(self.plan.values(hits, "fused")[0][0], np.float64)


def measured_pool(pool: RunPool, qrels: Qrels, plan: Plan) -> MeasuredPool:
    """Find the judged documents of a pool, all of whose queries have judgments. plan: of one measure."""
    codes = np.array([qrels.codes[query] for query in pool.query_ids], np.int64)
    lookup = qrels.lookup
    judged_documents, judgment_index = lookup.find(
        combined_keys(hashes(pool.docs, lookup.seed), pool.offsets, codes), pool.docs
    )
    query = np.searchsorted(pool.offsets, judged_documents, side="right") - 1
    judged, relevance = judgment_index - qrels.offsets[codes[query]], qrels.relevance[judgment_index]
    sizes = np.diff(qrels.offsets)[codes]
    no_floats, no_ints = np.empty(0), np.empty(0, np.int64)
    blank = Hits(
        query_ids=tuple(map(decode_id, pool.query_ids)),
        offsets=bounds(np.bincount(query, minlength=codes.size)),
        rank=no_floats,
        first=no_floats,
        last=no_floats,
        relevance=no_ints,
        judged=no_ints,
        retrieved=np.diff(pool.offsets),
        missing=np.zeros(codes.size, np.bool_),
        grades=qrels.grades[ranges(qrels.offsets[codes], sizes)],
        grade_offsets=bounds(sizes),
        max_grade=qrels.max_grade,
        subtopics=None if qrels.subtopics is None else qrels.subtopics.select(codes),
        rel=plan.convention.rel,
        ties=plan.convention.ties,
    )
    return MeasuredPool(pool, plan, judged_documents, query, judged, relevance, blank)


@dataclass(frozen=True, eq=False)
class Folds:
    """Judged queries in folds.

    Attributes
    ----------
    measured
        The pool of all queries, and what measures need of it.
    judgments
        Its judgments.
    fold
        (queries) the fold of each.
    fold_pools
        The queries of each fold as a pool.
    normalised_pools
        By normalisation, the scores of all queries, and those of each fold.
    nested
        Whether there are several candidates to choose from.
    """

    measured: MeasuredPool
    judgments: PoolJudgments
    fold: Ints
    fold_pools: tuple[PoolSubset, ...]
    normalised_pools: Mapping[str, tuple[NormalisedPool, tuple[NormalisedPool, ...]]]
    nested: bool = True

    def learn(self, candidate: Candidate, without: Sequence[int] = ()) -> dict[str, Any]:
        """The parameters that a candidate learns from all queries but those of some folds."""
        judgments = self.judgments.restrict(~np.isin(self.fold, list(without)))
        return candidate.learn(self.measured.pool, judgments)

    def fuse(self, candidate: Candidate, parameters: Mapping[str, Any], f: int) -> Floats:
        """(documents of a fold) the fused scores."""
        return candidate.fuse(self.fold_pools[f].pool, parameters, self.normalised_pools[candidate.normalise][1][f])


class CandidateValues(NamedTuple):
    """The values of a candidate.

    Attributes
    ----------
    outer
        (queries) values by parameters learned without the query's fold.
    inner
        (folds, queries) values by parameters learned without that fold and the query's own, NaN in that fold: they
        choose its setting. None without a choice.
    """

    outer: Floats
    inner: Floats | None


def make_folds(measured: MeasuredPool, judgments: PoolJudgments, fold_of_query: Ints) -> Folds:
    parts = tuple(pool_subset(measured.pool, fold_of_query == f) for f in range(int(fold_of_query.max()) + 1))
    return Folds(measured, judgments, fold_of_query, parts, {})


def normalise_folds(
    folds: Folds, normalisation: str, names: Sequence[str]
) -> tuple[NormalisedPool, tuple[NormalisedPool, ...]]:
    """The scores of all runs, normalised, in the whole pool and in each part. Raises InputError as `normalise_pool`."""
    return normalise_pool(folds.measured.pool, normalisation, names), tuple(
        normalise_pool(part.pool, normalisation, names) for part in folds.fold_pools
    )


def evaluate_candidate(folds: Folds, candidate: Candidate) -> CandidateValues:
    """The values of a candidate on each query: a unit of work.

    A model learned without two folds serves both: each is the inner fold when the other is the outer one. Where a
    candidate learns nothing, as where weights are its only setting, one fusion of all queries suffices.
    """
    n_folds, measured = len(folds.fold_pools), folds.measured
    if not candidate.learns or learns_nothing(folds, candidate):
        normalised_pool = folds.normalised_pools[candidate.normalise][0]
        values = measured.values(candidate.fuse(measured.pool, folds.learn(candidate), normalised_pool))
        inner = np.tile(values, (n_folds, 1))
        inner[folds.fold, np.arange(values.size)] = np.nan
        return CandidateValues(values, inner if folds.nested else None)
    scores = np.zeros(measured.pool.size)
    for f, part in enumerate(folds.fold_pools):
        scores[part.documents] = folds.fuse(candidate, folds.learn(candidate, (f,)), f)
    outer = measured.values(scores)
    if not folds.nested:
        return CandidateValues(outer, None)
    inner_scores = np.zeros((n_folds, measured.pool.size))
    for f, g in combinations(range(n_folds), 2):
        parameters = folds.learn(candidate, (f, g))
        for outer_fold, inner_fold in ((f, g), (g, f)):
            inner_scores[outer_fold, folds.fold_pools[inner_fold].documents] = folds.fuse(
                candidate, parameters, inner_fold
            )
    inner = np.array([measured.values(scores) for scores in inner_scores])
    inner[folds.fold, np.arange(outer.size)] = np.nan
    return CandidateValues(outer, inner)


def learns_nothing(folds: Folds, candidate: Candidate) -> bool:
    """Whether the parameters are the same whichever fold is left out."""
    first_parameters = folds.learn(candidate, (0,))
    return all(folds.learn(candidate, (f,)) == first_parameters for f in range(1, len(folds.fold_pools)))

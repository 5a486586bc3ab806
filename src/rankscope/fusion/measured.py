"""A pool whose fused scores are measured again and again: scores in, the value of each query out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.ranking import rank_rows
from rankscope.data.rows import combined_keys, decode_id
from rankscope.evaluation.conventions import Plan
from rankscope.fusion.pool import RunPool
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import hashes
from rankscope.typing import Floats, Ints

__all__ = ["MeasuredPool", "measured_pool"]


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

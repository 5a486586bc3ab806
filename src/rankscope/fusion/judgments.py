"""Judgments of the documents of a pool, from which fusion learns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import combined_keys
from rankscope.errors import InputError
from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import hashes
from rankscope.typing import Bools, Ints

__all__ = [
    "UNJUDGED",
    "JudgedDocuments",
    "PoolJudgments",
    "check_judged_queries",
    "judge_pool",
]


#: The grade of a document without a judgment: below every grade, and so never relevant.
UNJUDGED = int(np.iinfo(np.int64).min)


class JudgedDocuments(NamedTuple):
    """The judged documents of a run. query, rank: of each; size: how long its list is; relevant: whether it is."""

    query: Ints
    rank: Ints
    size: Ints
    relevant: Bools

    def where(self, kept: Bools) -> JudgedDocuments:
        """Some of them."""
        return JudgedDocuments(self.query[kept], self.rank[kept], self.size[kept], self.relevant[kept])


@dataclass(frozen=True, slots=True, eq=False)
class PoolJudgments:
    """Judgments of a pool. grades: (documents) relevance, UNJUDGED where nobody judged; relevant: (queries) how many
    relevant documents the judgments have, whether a run has them or not; used: (queries) what is learned from, which
    is those with judgments, or a part of them; level: the least relevance that counts; runs: the judged documents of
    each, by query and rank.

    A document without a judgment, or with a negative one, counts as not relevant, as everywhere. A query of whose
    judgments none is relevant is learned from, too: what runs have for it was wrong.
    """

    grades: Ints
    relevant: Ints
    used: Bools
    level: int
    runs: tuple[JudgedDocuments, ...]

    def only(self, queries: Bools) -> PoolJudgments:
        """The same, to learn from some queries alone. queries: (queries of the pool) which."""
        return replace(self, used=self.used & queries)

    def lists(self, entry: PooledRun) -> tuple[Ints, Ints]:
        """Which queries a run has lists for, of those that are learned from, and how long each list is."""
        kept = self.used[entry.query] & (entry.lengths > 0)
        return entry.query[kept], entry.lengths[kept]

    def found(self, i: int) -> JudgedDocuments:
        """The judged documents of a run in queries that are learned from."""
        every = self.runs[i]
        return every.where(self.used[every.query])

    def hits(self, i: int) -> JudgedDocuments:
        """The relevant ones among them."""
        every = self.runs[i]
        return every.where(self.used[every.query] & every.relevant)


def judge_pool(pool: RunPool, qrels: Qrels, rel: int = 1) -> PoolJudgments:
    """The judgments of a pool's documents. rel: the least relevance that counts."""
    codes = np.array([qrels.codes.get(id_, -1) for id_ in pool.query_ids], np.int64)
    lookup = qrels.lookup
    rows, number = lookup.find(combined_keys(hashes(pool.docs, lookup.seed), pool.offsets, codes), pool.docs)
    grades = np.full(pool.size, UNJUDGED, np.int64)
    grades[rows] = qrels.relevance[number]
    of_query = group_of(qrels.offsets)[qrels.relevance >= rel]
    totals = np.bincount(of_query, minlength=len(qrels.query_ids))
    used = codes >= 0
    runs = tuple(judged_documents(pool, entry, grades, rel) for entry in pool.entries)
    return PoolJudgments(grades, np.where(used, totals[codes], 0), used, rel, runs)


def judged_documents(pool: RunPool, entry: PooledRun, grades: Ints, rel: int) -> JudgedDocuments:
    grade = grades[entry.place]
    rows = np.flatnonzero(grade >= min(rel, 0))
    query = group_of(pool.offsets)[entry.place[rows]]
    rank, grade = entry.rank[rows], grade[rows]
    order = np.lexsort((rank, query))
    size = np.zeros(len(pool.query_ids), np.int64)
    size[entry.query] = entry.lengths
    query = query[order]
    return JudgedDocuments(query, rank[order], size[query], grade[order] >= rel)


def check_judged_queries(known: PoolJudgments) -> None:
    """Raises InputError where there is nothing to learn from."""
    if not known.used.any():
        raise InputError(
            "no query of the runs has judgments to learn from; check that queries of qrels and runs are written alike"
        )

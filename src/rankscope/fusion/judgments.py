"""Judgments of the documents of a pool, from which fusion learns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscope.data.grades import highest_grade, level_above_grades
from rankscope.data.qrels import Qrels
from rankscope.data.rows import combined_keys
from rankscope.errors import InputError
from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import hashes
from rankscope.typing import Bools, Grades, Ints

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

    def select(self, mask: Bools) -> JudgedDocuments:
        """A selection of the documents. mask: (documents)."""
        return JudgedDocuments(self.query[mask], self.rank[mask], self.size[mask], self.relevant[mask])


@dataclass(frozen=True, slots=True, eq=False)
class PoolJudgments:
    """Judgments of a pool.

    Attributes
    ----------
    grades
        (documents) relevance, UNJUDGED without a judgment.
    n_relevant
        (queries) how many relevant documents the judgments have, whether a run has them or not.
    used
        (queries) whether to learn from the query: all with judgments, or a part of them.
    level
        Lowest relevance that counts as relevant.
    runs
        The judged documents of each run, by query and rank.

    Notes
    -----
    A document without a judgment, or with a negative one, counts as not relevant, as everywhere. Queries without a
    relevant judgment are used too: the documents that runs have for them are wrong.
    """

    grades: Grades
    n_relevant: Ints
    used: Bools
    level: float
    runs: tuple[JudgedDocuments, ...]

    def restrict(self, queries: Bools) -> PoolJudgments:
        """The same judgments, restricted to some queries to learn from. queries: (queries of the pool) a mask."""
        return replace(self, used=self.used & queries)

    def used_lists(self, entry: PooledRun) -> tuple[Ints, Ints]:
        """The used queries for which a run has lists, and the length of each list."""
        is_used = self.used[entry.query] & (entry.lengths > 0)
        return entry.query[is_used], entry.lengths[is_used]

    def judged_of_run(self, i: int) -> JudgedDocuments:
        """The judged documents of a run in used queries."""
        run_documents = self.runs[i]
        return run_documents.select(self.used[run_documents.query])

    def relevant_of_run(self, i: int) -> JudgedDocuments:
        """The relevant documents of a run in used queries."""
        run_documents = self.runs[i]
        return run_documents.select(self.used[run_documents.query] & run_documents.relevant)


def judge_pool(pool: RunPool, qrels: Qrels, rel: float = 1) -> PoolJudgments:
    """The judgments of a pool's documents. rel: the least relevance that counts."""
    query_codes = np.array([qrels.codes.get(query_id, -1) for query_id in pool.query_ids], np.int64)
    lookup = qrels.lookup
    rows, judgment_index = lookup.find(
        combined_keys(hashes(pool.docs, lookup.seed), pool.offsets, query_codes), pool.docs
    )
    grades = np.full(pool.size, UNJUDGED, qrels.relevance.dtype)
    grades[rows] = qrels.relevance[judgment_index]
    relevant_queries = group_of(qrels.offsets)[qrels.relevance >= rel]
    totals = np.bincount(relevant_queries, minlength=len(qrels.query_ids))
    used = query_codes >= 0
    runs = tuple(judged_documents(pool, entry, grades, rel) for entry in pool.entries)
    return PoolJudgments(grades, np.where(used, totals[query_codes], 0), used, rel, runs)


def judged_documents(pool: RunPool, entry: PooledRun, grades: Grades, rel: float) -> JudgedDocuments:
    grade = grades[entry.document]
    rows = np.flatnonzero(grade >= min(rel, 0))
    query = group_of(pool.offsets)[entry.document[rows]]
    rank, grade = entry.rank[rows], grade[rows]
    order = np.lexsort((rank, query))
    size = np.zeros(len(pool.query_ids), np.int64)
    size[entry.query] = entry.lengths
    query = query[order]
    return JudgedDocuments(query, rank[order], size[query], grade[order] >= rel)


def check_judged_queries(judgments: PoolJudgments) -> None:
    """Raise InputError if no query can be used to learn from, or if all grades are below the level."""
    fault = level_above_grades(judgments.level, highest_grade(judgments.grades)) if judgments.grades.size else ""
    if fault and not judgments.n_relevant.any():
        raise InputError(f"{fault}, so that there is nothing to learn from; choose a lower --rel (rel=)")
    if not judgments.used.any():
        raise InputError(
            "no query of the runs has judgments to learn from; check that queries of qrels and runs are written alike"
        )

"""Runs and judgments to learn from: ties, lists that are missing, queries that nobody judged."""

from __future__ import annotations

import itertools
import random
from typing import Any

import rankscope as rs
from rankscope.fusion.pool import RunPool
from rankscope.kernels.text import decode

DOCUMENTS = [f"d{i}" for i in range(30)]
Judgments = dict[str, dict[str, int]]


def some_judgments(seed: int = 1, queries: int = 12) -> Judgments:
    """Queries q0, q1, ...; grades 0 to 2, and one document of grade 3 a query, so that this is always the highest."""
    draw = random.Random(seed)
    return {
        f"q{i}": {"d0": 3} | {doc: draw.choice((0, 0, 1, 2)) for doc in draw.sample(DOCUMENTS[1:], 12)}
        for i in range(queries)
    }


def some_runs(judgments: Judgments, count: int = 3, seed: int = 2, more: int = 2) -> list[rs.Run]:
    """Runs that know more or less of the judgments, whole numbers as scores. more: queries without judgments.

    The last run has no list for q1.
    """
    draw = random.Random(seed)
    runs = []
    for i in range(count):
        lists: dict[str, dict[str, float]] = {}
        for query in [*judgments, *(f"unjudged{j}" for j in range(more))]:
            docs = draw.sample(DOCUMENTS, 18)
            grades = judgments.get(query, {})
            lists[query] = {doc: float(round(draw.gauss(grades.get(doc, 0) * (1 + i) / 2, 1.5) * 2)) for doc in docs}
        if i == count - 1:
            del lists["q1"]
        runs.append(rs.Run(lists, name=f"run{i}"))
    return runs


def lists_of(run: rs.Run) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, doc, score in run.frame().rows():
        found.setdefault(query, {})[doc] = score
    return found


def folds_in(trained: Any, folds: int, seed: int = 0) -> dict[str, int]:
    """The fold of each training query."""
    from rankscope.fusion.tuning.training import assign_folds

    ids = [query.encode() for query in trained.queries]
    return dict(zip(trained.queries, assign_folds(ids, folds, seed).tolist(), strict=True))


def by_document(pool: RunPool, scores: Any) -> dict[str, dict[str, float]]:
    docs = [doc.decode() for doc in decode(pool.docs)]
    parts = itertools.pairwise(pool.offsets.tolist())
    return {
        query.decode(): dict(zip(docs[a:b], scores[a:b].tolist(), strict=True))
        for query, (a, b) in zip(pool.query_ids, parts, strict=True)
    }

"""Inputs of the tests: judgments and runs full of what goes wrong elsewhere.

Ties, documents without judgments, judged documents that were not retrieved, queries that one side
lacks, negative and large grades, ids that share prefixes and ids beyond ASCII. `cases` draws small
ones that hypothesis can shrink; `random_case` makes many queries from one seed.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

Judgments = dict[str, dict[str, int]]
BySubtopic = dict[str, dict[str, dict[str, int]]]
Lists = dict[str, dict[str, float]]

#: Of one, eight and nine bytes, with shared prefixes, of several alphabets: the tie rule compares bytes, and the
#: kernels compare words of eight. The last two have another order in UTF-16 than in UTF-8.
DOC_IDS = (
    *("d", "d1", "d10", "d2", "D2", "doc-0001", "doc-0001x", "doc-0001xy", "doc-00011", "doc-0002"),
    *("a-long-prefix-of-many-bytes-1", "a-long-prefix-of-many-bytes-10", "a-long-prefix-of-many-bytes-2"),
    *("é", "e", "ß", "文書", "文書1", "\uffee", "\U0001f600"),
)
#: In byte order 10 before 100 before 9; and ids that a careless reader takes for something else.
QUERY_IDS = ("10", "100", "9", "q", "q#1", "ü", "a\u00a0b", "-1", "all")
#: Exact in float32, so that tools which compare in float32 and in float64 agree; 0.0 and -0.0 are tied.
SCORES = (3.5, 1.0, 1.0000001192092896, 0.0, -0.0, -1.25, 2.0**40, -(2.0**-20))
GRADES = (-2, -1, 0, 0, 1, 1, 2, 3, 12)


class Case(NamedTuple):
    """Judgments and the lists of one system. They have a query in common."""

    qrels: Judgments
    run: Lists


def judgments(doc_ids: st.SearchStrategy[str], grades: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(doc_ids, grades, min_size=1, max_size=8)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    grades: tuple[int, ...] = GRADES,
    scores: tuple[float, ...] = SCORES,
    ties: bool = True,
    max_queries: int = 4,
    doc_ids: tuple[str, ...] = DOC_IDS,
) -> Case:
    """ties=False: no two documents of a query have one score."""
    queries = draw(st.lists(st.sampled_from(QUERY_IDS), min_size=1, max_size=max_queries, unique=True))
    judged = judgments(st.sampled_from(doc_ids), st.sampled_from(grades))
    if ties:
        listed = st.dictionaries(st.sampled_from(doc_ids), st.sampled_from(scores), max_size=10)
    else:
        listed = st.lists(st.sampled_from(doc_ids), unique=True, max_size=10).map(
            lambda docs: {doc: 10.0 - i for i, doc in enumerate(docs)}
        )
    answered = draw(st.lists(st.sampled_from(queries), min_size=1, unique=True))
    strangers = draw(st.lists(st.sampled_from(["7", "zz"]), unique=True, max_size=1))
    return Case({q: draw(judged) for q in queries}, {q: draw(listed) for q in [*answered, *strangers]})


def random_case(seed: int, queries: int, *, scores: tuple[float, ...] | None = SCORES, depth: int = 40) -> Case:
    """Many queries at once. scores=None: different ones, exact in float32."""
    rng = np.random.default_rng(seed)
    ids = [*DOC_IDS, *(f"doc-{i:04d}" for i in range(3, 63))]
    qrels: Judgments = {}
    run: Lists = {}
    for q in range(queries):
        kind = rng.integers(8)
        judged = rng.choice(len(ids), rng.integers(1, 45), replace=False)
        # Some queries without any relevant document, some with nothing else.
        grades = (0, -1) if kind == 0 else (1, 2) if kind == 1 else GRADES
        qrels[f"q{q}"] = {ids[i]: int(rng.choice(grades)) for i in judged}
        if kind == 2:
            continue
        retrieved = rng.choice(len(ids), rng.integers(1, depth), replace=False)
        values = rng.permutation(depth) / 4 if scores is None else rng.choice(scores, depth)
        run[f"q{q}"] = {ids[i]: float(s) for i, s in zip(retrieved, values, strict=False)}
    run.setdefault("q0", {"nobody judged this": 1.0})
    run["not judged"] = {"d1": 1.0}
    return Case(qrels, run)


def ranked(docs: dict[str, float]) -> list[str]:
    """Documents by falling score, then falling bytes of the id: the rule, in one line of Python."""
    return sorted(docs, key=lambda d: (docs[d], d.encode()), reverse=True)


def as_lists(relevance: list[int | None], judged_only: tuple[int, ...] = (), query: str = "q1") -> Case:
    """One query: a list with these relevances in this order (None: not judged), and judged documents not retrieved."""
    names = [f"d{i:03d}" for i in range(len(relevance))]
    judged = {name: rel for name, rel in zip(names, relevance, strict=True) if rel is not None}
    missed = {f"m{i:03d}": rel for i, rel in enumerate(judged_only)}
    run = {name: float(len(names) - i) for i, name in enumerate(names)}
    return Case({query: {**judged, **missed}}, {query: run})


def by_subtopic(qrels: Judgments) -> BySubtopic:
    """The same judgments by subtopic, made from the grades alone, so that names play no part in them.

    Subtopic 1 has all documents with their grades, 2 those of at least 2, 3 those of odd grades. So a document that is
    relevant to one of 2 and 3 only has an equal in the other, and it is all the same which an ideal takes first.
    """
    parts = {
        q: {
            "1": docs,
            "2": {d: g for d, g in docs.items() if g >= 2},
            "3": {d: g for d, g in docs.items() if g % 2},
        }
        for q, docs in qrels.items()
    }
    return {q: {subtopic: docs for subtopic, docs in of.items() if docs} for q, of in parts.items()}


def write_trec(folder: Path, case: Case, *, tag: str = "made") -> tuple[Path, Path]:
    """The case as TREC files: qrels, run. Scores are written so that reading gives the same float64."""
    qrels, run = folder / "made.qrels", folder / "made.run"
    qrels.write_text("".join(f"{q} 0 {d} {r}\n" for q, docs in case.qrels.items() for d, r in docs.items()), "utf-8")
    run.write_text(
        "".join(
            f"{q}\tQ0\t{d}\t{i}\t{s!r}\t{tag}\n" for q, ds in case.run.items() for i, (d, s) in enumerate(ds.items())
        ),
        "utf-8",
    )
    return qrels, run

"""The join: what a list and its judgments have in common, and what is refused on the way."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
from helpers.properties import examples
from helpers.strategies import Case, cases, random_case
from hypothesis import given

import rankscope as rs
from rankscope import Convention, Hits
from rankscope.data.join import join

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}


def columns(run: dict[str, dict[str, float]]) -> dict[str, list[object]]:
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    return {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "doc_id", "score"))}


def everything(hits: Hits) -> list[object]:
    arrays = (hits.offsets, hits.rank, hits.first, hits.last, hits.relevance, hits.judged, hits.retrieved, hits.missing)
    return [
        hits.query_ids,
        *(a.tolist() for a in arrays),
        hits.grades.tolist(),
        hits.grade_offsets.tolist(),
        hits.max_grade,
    ]


@examples(100)
@given(case=cases())
def test_a_mapping_and_columns_give_the_same_hits(case: Case) -> None:
    """Two ways through the join: dictionaries of Python, and keys of 64 bits over bytes. Columns hold no empty list."""
    run = {q: docs for q, docs in case.run.items() if docs}
    if not run.keys() & case.qrels.keys():
        run[next(iter(case.qrels))] = {"x": 1.0}
    qrels = rs.Qrels(case.qrels)
    other = rs.Qrels(
        {
            "query_id": [q for q, docs in case.qrels.items() for _ in docs],
            "doc_id": [d for docs in case.qrels.values() for d in docs],
            "relevance": [r for docs in case.qrels.values() for r in docs.values()],
        }
    )
    for precision in ("float64", "float32"):
        convention = Convention(precision=precision)
        expected = everything(join(qrels, rs.Run(run), convention))
        assert everything(join(qrels, rs.Run(columns(run)), convention)) == expected
        assert everything(join(other, rs.Run(run), convention)) == expected
        assert everything(join(other, rs.Run(columns(run)), convention)) == expected


@examples(60)
@given(case=cases())
def test_a_mapping_of_one_short_list_and_its_columns_give_the_same_hits(case: Case) -> None:
    """A third way: a short list without equal scores is ranked by Python; with its scores apart, and as they are."""
    qrels = rs.Qrels(case.qrels)
    for query in case.qrels.keys() & {query for query, docs in case.run.items() if docs}:
        scores = case.run[query]
        apart = {doc: score + i * 1e-3 for i, (doc, score) in enumerate(scores.items())}
        for docs in (scores, apart):
            for ties in ("doc_id_desc", "file", "average"):
                convention = Convention(ties=ties)
                hits = join(qrels, rs.Run({query: docs}), convention)
                assert everything(hits) == everything(join(qrels, rs.Run(columns({query: docs})), convention))


@pytest.mark.parametrize("ties", ["doc_id_desc", "file"])
def test_a_large_mapping_and_large_columns_give_the_same_hits(ties: str) -> None:
    """More rows than are joined at a time."""
    case = random_case(5, 1500, depth=60)
    run = {q: docs for q, docs in case.run.items() if docs}
    assert sum(map(len, run.values())) > 32_768
    qrels = rs.Qrels(case.qrels)
    convention = Convention(ties=ties)
    assert everything(join(qrels, rs.Run(run), convention)) == everything(join(qrels, rs.Run(columns(run)), convention))


def test_rows_of_a_query_need_not_be_together() -> None:
    mixed = {
        "query_id": ["q1", "q2", "q1", "q2", "q1"],
        "doc_id": ["a", "c", "x", "y", "b"],
        "score": [1.0, 1.0, 3.0, 2.0, 2.0],
    }
    hits = join(rs.Qrels(QRELS), rs.Run(mixed))
    # q1: x 3, b 2, a 1; q2: y 2, c 1
    assert (hits.rank.tolist(), hits.relevance.tolist()) == ([2, 3, 2], [0, 1, 1])
    assert hits.retrieved.tolist() == [3, 2]


def test_queries_without_judgments_play_no_part() -> None:
    scores = rs.evaluate(QRELS, {"q1": {"a": 1.0}, "zz": {"a": 1.0}}, ["P@1", "NumRet"])
    assert scores.query_ids == ("q1", "q2")
    assert scores.overall("NumRet") == 1


BAD: list[tuple[str, Callable[[], object], str]] = [
    ("nan", lambda: {"q1": {"a": float("nan")}}, "document 'a' is nan"),
    ("inf", lambda: {"q1": {"a": float("inf")}}, "document 'a' is inf"),
    ("none", lambda: {"q1": {"a": None}}, r"document 'a' is None"),
    ("complex", lambda: {"q1": {"a": 1j}}, r"document 'a' is 1j"),
    ("text", lambda: {"q1": {"a": "high"}}, r"document 'a' is 'high'"),
    ("number as text", lambda: {"q1": {"a": "1.5"}}, r"document 'a' is '1.5'"),
    ("huge int", lambda: {"q1": {"a": 10**400}}, r"document 'a' is 1"),
    (
        "nan of a query without judgments",
        lambda: {"q1": {"a": 1.0}, "zz": {"b": float("nan")}},
        "'b' is nan",
    ),
    ("int query", lambda: {1: {"a": 1.0}}, "query id 1 is"),
    ("int document", lambda: {"q1": {7: 1.0, "a": 0.5}}, r"7"),
    ("tied int document", lambda: {"q1": {7: 1.0, "a": 1.0}}, r"7"),
    ("empty query id", lambda: {"q1": {"a": 1.0}, "": {"a": 1.0}}, "empty"),
    ("empty document id", lambda: {"q1": {"": 1.0}}, "empty"),
    ("nan in columns", lambda: columns({"q1": {"a": float("nan")}}), "row 0: score is nan"),
    (
        "inf in columns",
        lambda: columns({"q1": {"b": 1.0, "a": -float("inf")}}),
        "row 1: score is -inf",
    ),
    ("text in columns", lambda: columns({"q1": {"a": "high"}}), "row 0: score is 'high'"),
    (
        "no query in common",
        lambda: {"q7": {"a": 1.0}},
        r"no query .*\(qrels: q1, q2; run: q7\)",
    ),
    ("nothing", dict, "no query in common"),
    (
        "twice",
        lambda: {"query_id": ["q1", "q2", "q1"], "doc_id": ["a", "a", "a"], "score": [3, 2, 1]},
        "run: row 2: .*'a' .*'q1' .*twice.* run: row 0",
    ),
    (
        "twice, unjudged",
        lambda: {"query_id": ["q1"] * 2, "doc_id": ["x", "x"], "score": [3, 2]},
        "'x' .*'q1' .*twice",
    ),
    (
        "twice, no query of ours",
        lambda: {"query_id": ["q1", "z", "z"], "doc_id": ["a"] * 3, "score": [3, 2, 1]},
        "'z' occurs twice",
    ),
    (
        "empty id in columns",
        lambda: {"query_id": ["q1"], "doc_id": [""], "score": [1]},
        "doc_id is empty",
    ),
    ("missing id in columns", lambda: {"query_id": [None], "doc_id": ["a"], "score": [1]}, "query_id is empty"),
    ("float ids", lambda: {"query_id": [1.0], "doc_id": ["a"], "score": [1]}, "'query_id' .*Float64"),
    ("no column", lambda: {"query_id": ["q1"], "doc_id": ["a"]}, "no column 'score' .*'query_id', 'doc_id'"),
    (
        "columns of other lengths",
        lambda: {"query_id": ["q1", "q2"], "doc_id": ["a"] * 3, "score": [1] * 3},
        "run: .*columns .*{query: {document: score}}",
    ),
    ("no rows", lambda: {"query_id": [], "doc_id": [], "score": []}, "no data rows"),
    ("a lone surrogate", lambda: {"q1": {"\ud800": 1.0, "a": 1.0}}, "d800"),
]


@pytest.mark.parametrize(("run", "message"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
@pytest.mark.parametrize("way", ["evaluate", "Evaluator"])
def test_a_bad_run_is_refused_with_what_is_wrong(way: str, run: Callable[[], object], message: str) -> None:
    evaluate = rs.Evaluator(QRELS, "AP") if way == "Evaluator" else lambda run: rs.evaluate(QRELS, run, "AP")
    bad = run()
    with pytest.raises(rs.InputError, match=message):
        evaluate(bad)


@pytest.mark.parametrize("rel", [0, -1, float("inf"), "2", None])
def test_a_least_relevance_that_is_no_number_above_0_is_refused(rel: object) -> None:
    with pytest.raises(rs.ParameterError, match="rel is"):
        rs.evaluate(QRELS, {"q1": {"a": 1.0}}, "AP", rel=rel)


def test_scores_of_any_number_type_rank() -> None:
    import numpy as np

    run = {"q1": {"x": np.float32(3), "b": 2, "a": True, "y": np.int64(-1)}}
    assert join(rs.Qrels(QRELS), rs.Run(run)).rank.tolist() == [2, 3]


@examples(50)
@given(case=cases())
def test_nothing_changes_what_it_is_given(case: Case) -> None:
    before = copy.deepcopy(case)
    order = [list(case.run), [list(docs) for docs in case.run.values()], [list(docs) for docs in case.qrels.values()]]
    qrels, run = rs.Qrels(case.qrels), rs.Run(case.run)
    rs.evaluate(qrels, run, ["AP", "nDCG@3", "Bpref"])
    rs.Evaluator(case.qrels, ["AP"])(case.run)
    table = columns({q: d for q, d in case.run.items() if d} or {"q": {"d": 1.0}})
    kept = copy.deepcopy(table)
    rs.Run(table)
    assert case == before
    assert order == [
        list(case.run),
        [list(docs) for docs in case.run.values()],
        [list(docs) for docs in case.qrels.values()],
    ]
    assert table == kept

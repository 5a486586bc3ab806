"""Qrels: judgments from whatever holds them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.properties import examples
from helpers.strategies import Judgments, cases
from hypothesis import given

import rankscope as rs

MAPPING = {"q2": {"d1": 2, "d3": 0}, "q10": {"d2": -1, "d1": 1}}
COLUMNS = {"query_id": ["q2", "q2", "q10", "q10"], "doc_id": ["d1", "d3", "d2", "d1"], "relevance": [2, 0, -1, 1]}
ROWS = [("q10", "d2", -1), ("q10", "d1", 1), ("q2", "d1", 2), ("q2", "d3", 0)]

FORMS: dict[str, Callable[[], object]] = {
    "dict of dicts": lambda: MAPPING,
    "columns": lambda: COLUMNS,
    "columns in another order": lambda: dict(reversed(COLUMNS.items())),
    "numpy columns": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "numpy objects": lambda: {name: np.array(values, object) for name, values in COLUMNS.items()},
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categories": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("query_id").cast(pl.Categorical)),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas with an index": lambda: pd.DataFrame(COLUMNS, index=[7, 3, 3, 1]),
    "pyarrow": lambda: pa.table(COLUMNS),
    "relevance as whole floats": lambda: {**COLUMNS, "relevance": [2.0, 0.0, -1.0, 1.0]},
    "relevance as text": lambda: {**COLUMNS, "relevance": ["2", "0", "-1", " 1"]},
    "more columns": lambda: {**COLUMNS, "iteration": [0] * 4},
    "names of ir_datasets": lambda: pl.DataFrame(COLUMNS).rename(
        {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    ),
    "rows mixed": lambda: pl.DataFrame(COLUMNS)[[0, 2, 1, 3]],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_judgments(form: str) -> None:
    qrels = rs.Qrels(FORMS[form]())
    assert qrels.query_ids == ("q10", "q2")  # in the order of their bytes
    assert qrels.frame().rows() == ROWS
    assert len(qrels) == 4
    assert qrels.max_grade == 2
    assert repr(qrels) == "Qrels(2 queries, 4 judgments)"


def test_whole_numbers_as_ids_are_their_digits() -> None:
    qrels = rs.Qrels({"query_id": [10, 9], "doc_id": np.array([7, 8]), "relevance": [1, 2]})
    assert qrels.frame().rows() == [("10", "7", 1), ("9", "8", 2)]


def test_queries_are_ordered_by_bytes_not_by_numbers_or_letters() -> None:
    ids = ["9", "10", "100", "é", "z", "\uffee", "\U0001f600"]
    assert rs.Qrels({q: {"d": 1} for q in ids}).query_ids == ("10", "100", "9", "z", "é", "\uffee", "\U0001f600")


@examples(60)
@given(case=cases())
def test_a_frame_of_qrels_makes_the_same_qrels(case: tuple[Judgments, object]) -> None:
    qrels = rs.Qrels(case[0])
    again = rs.Qrels(qrels.frame())
    assert again.frame().rows() == qrels.frame().rows()
    assert {q: dict(docs) for q, docs in case[0].items()} == {
        q: {d: r for p, d, r in qrels.frame().rows() if p == q} for q in qrels.query_ids
    }


BAD: list[tuple[str, object, str]] = [
    ("nan", {"q": {"d": float("nan")}}, "'d' .*is nan"),
    ("inf", {"q": {"d": float("inf")}}, "'d' .*is inf"),
    ("text", {"q": {"d": "1"}}, "'d' .*is '1'"),
    ("none", {"q": {"d": None}}, "'d' .*is None"),
    ("mixed", {"q": {"c": 1, "d": "high"}}, "is 'high'|is '1'|'d'"),
    ("beyond int64", {"q": {"d": 2**64}}, "18446744073709551616"),
    ("beyond int64 by one", {"q": {"d": 2**63}}, "9223372036854775808"),
    (
        "text in columns",
        {"query_id": ["q"], "doc_id": ["d"], "relevance": ["x"]},
        "row 0: relevance is 'x'",
    ),
    (
        "null in columns",
        {"query_id": ["q"], "doc_id": ["d"], "relevance": [None]},
        "row 0: .*relevance is empty",
    ),
    ("inf in columns", {"query_id": ["q"], "doc_id": ["d"], "relevance": [float("inf")]}, "relevance is inf"),
    (
        "twice",
        {"query_id": ["q", "r", "q"], "doc_id": ["d", "d", "d"], "relevance": [1, 1, 0]},
        "row 2: .*'d' .*'q' .*twice.* qrels: row 0",
    ),
    ("empty query id", {"": {"d": 1}}, "empty"),
    ("empty document id", {"q": {"": 1}}, "empty"),
    (
        "empty id in columns",
        {"query_id": [""], "doc_id": ["d"], "relevance": [1]},
        "row 0: .*query_id is empty",
    ),
    ("int query id", {1: {"d": 1}}, "1"),
    ("int document id", {"q": {1: 1}}, "1"),
    ("nothing", {}, "no judgments"),
    ("nothing judged", {"q": {}}, "no judgments"),
    ("no rows", pl.DataFrame(COLUMNS)[:0], "no data rows"),
    ("no column", {"query_id": ["q"], "relevance": [1]}, "no column 'doc_id' .*'query_id', 'relevance'"),
    ("no table", 5, "^qrels: .*int, .*{query: {document: relevance}}"),
    ("tuples", [("q", "d", 1)], "^qrels: .*list, .*{query: {document: relevance}}"),
    ("a text by query", {"q": "d"}, "^qrels: .*'q' .*str, .*{document: relevance}"),
]


@pytest.mark.parametrize(("data", "message"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_bad_judgments_are_refused_with_what_is_wrong(data: object, message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        rs.Qrels(data)


def test_truth_values_are_grades() -> None:
    assert rs.Qrels({"q": {"a": True, "b": False}}).relevance.tolist() == [1, 0]


def test_a_query_without_judgments_is_a_query() -> None:
    scores = rs.evaluate({"q": {"d": 1}, "r": {}}, {"q": {"d": 1.0}, "r": {"d": 1.0}}, ["AP", "NumRet"])
    assert scores.matrix("AP").tolist() == [[1.0, 0.0]]
    assert scores.matrix("NumRet").tolist() == [[1, 1]]
    assert scores.undefined[0].tolist() == [False, True]


def test_ids_of_one_hash_bucket_and_long_ids_are_told_apart() -> None:
    """Ids are compared by their bytes: prefixes, ids longer than a word, ids that end in zero bytes."""
    ids = ["a" * n for n in range(1, 40)] + ["a" * n + "\x00" for n in range(1, 10)]
    qrels = rs.Qrels({"q": dict.fromkeys(ids[::2], 1)})
    run = {"query_id": ["q"] * len(ids), "doc_id": ids, "score": [float(-i) for i in range(len(ids))]}
    for form in (run, {"q": dict(zip(ids, run["score"], strict=True))}):
        assert rs.hits_of(qrels, form).rank.tolist() == [1.0 + i for i in range(0, len(ids), 2)]

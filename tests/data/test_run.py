"""Run: scored documents from whatever holds them, kept as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases
from hypothesis import given

import rankscope as rs

QRELS = {"q1": {"d1": 1, "d2": 0, "d4": 2}, "q2": {"d1": 1}}
MAPPING = {"q2": {"d3": 1.5, "d1": -2.0}, "q1": {"d1": 0.25, "d2": 0.25, "d4": 0.125}}
ROWS = [(q, d, s) for q, docs in MAPPING.items() for d, s in docs.items()]
COLUMNS = {name: [row[i] for row in ROWS] for i, name in enumerate(("query_id", "doc_id", "score"))}

FORMS: dict[str, Callable[[], object]] = {
    "dict of dicts": lambda: MAPPING,
    "columns": lambda: COLUMNS,
    "numpy columns": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "numpy float32": lambda: {**COLUMNS, "score": np.array(COLUMNS["score"], np.float32)},
    "numpy that is not contiguous": lambda: {**COLUMNS, "score": np.repeat(np.array(COLUMNS["score"]), 2)[::2]},
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas categories": lambda: pd.DataFrame(COLUMNS).astype({"query_id": "category"}),
    "pyarrow": lambda: pa.table(COLUMNS),
    "scores as text": lambda: {**COLUMNS, "score": [str(s) for s in COLUMNS["score"]]},
    "names of pyterrier": lambda: pd.DataFrame(COLUMNS).rename(columns={"query_id": "qid", "doc_id": "docno"}),
}
NAMES = ["AP", "nDCG", "RR", "P@1", "Bpref", "NumRet"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_run_and_scores_alike(form: str) -> None:
    run = rs.Run(FORMS[form](), name="bm25")
    assert run.frame().rows() == ROWS
    assert run.query_ids == ("q2", "q1")
    assert repr(run) == "Run('bm25', 2 queries)"
    # q1: d2 and d1 tied, d2 first; then d4. q2: d3, d1.
    scores = rs.evaluate(QRELS, run, NAMES)
    assert scores.systems == ("bm25",)
    assert scores.matrix("AP").tolist() == pytest.approx(np.array([[(1 / 2 + 2 / 3) / 2, 1 / 2]]))
    assert_same_bits(scores.values.tolist(), rs.evaluate(QRELS, MAPPING, NAMES).values.tolist())
    assert_same_bits(rs.Evaluator(QRELS, NAMES)(FORMS[form]()).values.tolist(), scores.values.tolist())


def test_whole_numbers_as_ids_meet_their_digits() -> None:
    qrels = {"query_id": [1, 2], "doc_id": [10, 10], "relevance": [1, 1]}
    run = {"query_id": np.array([1, 1, 2]), "doc_id": np.array([9, 10, 10]), "score": [1, 2, 3]}
    for judged in (rs.Qrels(qrels), rs.Qrels({"1": {"10": 1}, "2": {"10": 1}})):
        for listed in (run, {"1": {"9": 1, "10": 2}, "2": {"10": 3}}):
            assert rs.evaluate(judged, listed, "RR").matrix("RR").tolist() == [[1, 1]]


def test_a_run_is_called_run_unless_it_is_named() -> None:
    assert rs.Run(MAPPING).name == "run"
    assert rs.Run(COLUMNS, name="é").name == "é"


def test_what_a_run_was_given_is_kept_and_not_copied() -> None:
    """Until the join it costs nothing; what changes in the mapping before is seen."""
    mapping = {"q1": {"d1": 1.0, "x": 2.0}}
    run = rs.Run(mapping)
    assert rs.evaluate(QRELS, run, "RR").matrix("RR")[0, 0] == 1 / 2
    mapping["q1"]["x"] = 0.5
    assert rs.evaluate(QRELS, run, "RR").matrix("RR")[0, 0] == 1


@examples(50)
@given(case=cases())
def test_the_frame_of_a_run_scores_as_the_run(case: Case) -> None:
    run = {q: docs for q, docs in case.run.items() if docs}
    if not run.keys() & case.qrels.keys():
        run[next(iter(case.qrels))] = {"x": 1.0}
    frame = rs.Run(run).frame()
    expected = rs.evaluate(case.qrels, run, NAMES).values.tolist()
    assert_same_bits(rs.evaluate(case.qrels, frame, NAMES).values.tolist(), expected)
    assert_same_bits(rs.evaluate(case.qrels, frame.to_pandas(), NAMES).values.tolist(), expected)
    assert_same_bits(rs.evaluate(case.qrels, rs.Run(rs.Run(frame).frame()), NAMES).values.tolist(), expected)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (5, "run: .*int, .*{query: {document: score}}"),
        ([1, 2], "run: .*list, .*{query: {document: score}}, .*query_id"),
        ({"q": "d"}, "run: .*'q' .*str, .*{document: score}"),
        ({"q": {"d": 1.0}, "p": 2.5}, "run: .*'p' .*float, .*{document: score}"),
        ("run.txt", r"run: 'run\.txt' .*path, .*read_run"),
    ],
    ids=str,
)
def test_what_is_no_run_is_refused(data: object, said: str) -> None:
    with pytest.raises(rs.InputError, match=f"^{said}") as caught:
        rs.Run(data)
    assert "\n" not in str(caught.value)


def test_rows_may_be_a_list_of_mappings() -> None:
    run = rs.Run([{"query_id": "q", "doc_id": "d", "score": 2.5}, {"query_id": "q", "doc_id": "e", "score": 1}])
    assert run.frame().rows() == [("q", "d", 2.5), ("q", "e", 1.0)]

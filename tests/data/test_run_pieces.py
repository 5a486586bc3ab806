"""Runs that a program hands over piece by piece."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs

QRELS = {"q1": {"d1": 1, "d2": 0, "d4": 2}, "q2": {"d1": 1}}
NAMES = ["AP", "nDCG", "RR", "P@1", "Bpref", "NumRet"]


def lists(run: dict[str, dict[str, float]]) -> Iterator[Any]:
    for query, docs in run.items():
        yield query, list(docs), np.array(list(docs.values()))


def frames(run: dict[str, dict[str, float]], size: int) -> Iterator[pl.DataFrame]:
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    for a in range(0, len(rows), size):
        yield pl.DataFrame(rows[a : a + size], ["query_id", "doc_id", "score"], orient="row")


@examples(25)
@given(case=cases(), size=st.integers(1, 5), ties=st.sampled_from(["doc_id_desc", "file"]))
def test_pieces_score_as_the_whole_does(case: Case, size: int, ties: str) -> None:
    qrels, run = case
    expected = rs.evaluate(qrels, run, NAMES, ties=ties)
    for pieces in (lists(run), [lists(run)], rs.Run(lists(run))):
        found = rs.evaluate(qrels, pieces, NAMES, ties=ties)
        assert (found.systems, found.notes) == (("run",), expected.notes)
        assert_same_bits(found.values, expected.values)
    held = {query: docs for query, docs in run.items() if docs}  # frames have no empty lists
    if held.keys() & qrels.keys():
        found = rs.evaluate(qrels, frames(held, size), NAMES, ties=ties)
        assert_same_bits(found.values, rs.evaluate(qrels, held, NAMES, ties=ties).values)


def test_pieces_may_be_any_frames_and_sequences() -> None:
    expected = rs.evaluate(QRELS, {"q1": {"d1": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}, NAMES).values.tolist()
    first, second = {"query_id": ["q1"], "doc_id": ["d1"], "score": [2]}, {"qid": ["q1", "q2"], "docno": ["d3", "d1"]}
    second["score"] = np.ones(2)
    for pieces in (
        [first, second],
        [pd.DataFrame(first), pl.DataFrame(second)],
        [pl.DataFrame(first), pl.DataFrame(first).clear(), second],
        [("q1", ("d1", "d3"), [2, 1]), ("q2", np.array(["d1"]), np.array([1], np.float32))],
        [("q1", pl.Series(["d1", "d3"]), [2.0, 1.0]), ("q2", ["d1"], (True,))],
    ):
        assert_same_bits(rs.evaluate(QRELS, iter(pieces), NAMES).values.tolist(), expected)


def test_several_runs_in_pieces_have_names() -> None:
    one, two = {"q1": {"d1": 1.0}}, {"q2": {"d1": 1.0}}
    scores = rs.evaluate(QRELS, [rs.Run(lists(one), name="a"), rs.Run(frames(two, 1), name="b")], "RR")
    assert scores.systems == ("a", "b")
    assert scores.matrix("RR").tolist() == [[1, 0], [0, 1]]


def test_an_iterator_of_runs_is_still_several_runs() -> None:
    runs = [rs.Run({"q1": {"d1": 1.0}}, name=name) for name in "ab"]
    assert rs.evaluate(QRELS, iter(runs), "RR").systems == ("a", "b")


def test_other_uses_hold_the_whole_run() -> None:
    run = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d1": 1.0}}
    held = rs.Run(lists(run), name="x")
    assert repr(held) == "Run('x', in pieces)"
    assert held.query_ids == ("q1", "q2")
    assert held.frame().rows() == [("q1", "d1", 1.0), ("q1", "d2", 0.5), ("q2", "d1", 1.0)]
    for _ in range(2):  # what is held can be used again
        assert_same_bits(
            rs.evaluate(QRELS, held, NAMES).values.tolist(), rs.evaluate(QRELS, run, NAMES).values.tolist()
        )


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([("q1", ["d1"], [1]), ("q2", [], []), ("q1", ["d2"], [1])], "query 'q1' comes twice, .*between"),
        ([("q1", ["d1"], [1]), ("q1", ["d2"], [1])], "query 'q1' comes twice"),
        (
            [("q1", ["d1", "d2", "d1"], [1, 2, 3])],
            "run 'run': row 2: .*'d1' .*'q1' .*twice",
        ),
        ([("q1", ["d1", "d2"], [1])], r"query 'q1' .*2 documents .*\(1,\)"),
        ([("q1", ["d1", 2], [1, 2])], "'q1'.*document id 2 is"),
        ([("q1", ["d1", ""], [1, 2])], "'q1'.*document id '' is"),
        ([("q1", ["d1"], ["1"])], "scores .*'q1' .*finite"),
        ([("q1", ["d1"], [float("nan")])], "scores .*'q1' .*finite"),
        ([(1, ["d1"], [1])], "query id 1 is"),
        ([("q1", ["d1"], [1]), "q2"], r"a str .*pieces, .*\(query, documents, scores\)"),
        ([("x", ["d1"], [1])], "run 'run' .*no query in common"),
        ([pl.DataFrame({"query_id": [], "doc_id": [], "score": []})], "pieces .*no data"),
        ([pl.DataFrame({"query_id": ["q1"], "doc_id": ["d"]})], "no column 'score'"),
        (
            [pl.DataFrame({"query_id": ["q1"], "doc_id": [d], "score": [s]}) for d, s in (("d", "1"), ("e", "x"))],
            "run 'run': row 1: score is 'x'",
        ),
        ([pl.DataFrame({"query_id": ["q1"], "doc_id": ["d"], "score": [1]}), 5], "an int .*pieces"),
    ],
    ids=range(15),
)
def test_what_is_wrong_with_pieces_is_said(pieces: list[Any], said: str) -> None:
    with pytest.raises(rs.InputError, match=said):
        rs.evaluate(QRELS, iter(pieces), "AP")


def test_an_iterator_is_taken_once() -> None:
    run = rs.Run(lists({"q1": {"d1": 1.0}}), name="x")
    rs.evaluate(QRELS, run, "AP")
    for again in (lambda: rs.evaluate(QRELS, run, "AP"), lambda: rs.fusion.fuse([run, run], "rrf")):
        with pytest.raises(rs.InputError, match=r"run 'x': .*taken already"):
            again()


def test_an_empty_iterator_is_no_run() -> None:
    with pytest.raises(rs.ParameterError, match="no runs given"):
        rs.evaluate(QRELS, iter([]), "AP")


def test_memory_does_not_grow_with_the_run() -> None:
    docs = [f"document-{i}" for i in range(1000)]
    scores = np.arange(1000.0)

    def peak(queries: int) -> int:
        tracemalloc.start()
        try:
            rs.evaluate({"q0": {"document-7": 1}}, ((f"q{i}", docs, scores) for i in range(queries)), "AP")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak(100)  # 100,000 documents, of 24 bytes and more each
    assert peak(400) < few + 1_000_000

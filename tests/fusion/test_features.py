"""Runs as features: what each column holds, what is left out and told."""

from __future__ import annotations

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.fusion import NORMALISATIONS, run_features

BM25 = rs.Run({"q1": {"a": 9.0, "b": 8.0, "c": 5.0}, "q2": {"x": 1.0}}, name="bm25")
DENSE = rs.Run({"q1": {"b": 0.9, "d": 0.5}}, name="dense")
QRELS = rs.Qrels({"q1": {"a": 0, "b": 2, "gone": 1}, "q3": {"z": 1}})


def test_the_columns_of_each_run_and_what_it_lacks():
    found = run_features(QRELS, [BM25, DENSE])
    parts = ("score", "normalised", "reciprocal_rank", "rank")
    assert found.names == (*(f"{run}:{part}" for run in ("bm25", "dense") for part in parts), "runs")
    assert (found.query_ids, found.doc_ids) == (("q1",), ["a", "b", "c", "d"])
    assert found.relevance.tolist() == [0, 2, 0, 0]
    assert found.values.tolist() == [
        [9.0, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0, 3.0, 1.0],
        [8.0, 0.75, 1 / 2, 2.0, 0.9, 1.0, 1.0, 1.0, 2.0],
        [5.0, 0.0, 1 / 3, 3.0, 0.5, 0.0, 0.0, 3.0, 1.0],
        [5.0, 0.0, 0.0, 4.0, 0.5, 0.0, 1 / 2, 2.0, 1.0],
    ]
    of_runs, of_queries, of_documents, of_judged, of_scores = found.notes
    assert mentions(of_runs, "1 of 2 queries", "run")
    assert mentions(of_queries, "1 of 2 queries", "no judgments")
    assert mentions(of_documents, "2 of 4 documents", "no judgment", "grade 0")
    assert mentions(of_judged, "2 of 4 judged", "no run")
    assert mentions(of_scores, "bm25", "equal", "1 query", "min-max", 0)


def test_a_run_without_a_list_stands_behind_the_longest():
    found = run_features(QRELS, [BM25, DENSE], all_queries=True)
    assert (found.query_ids, found.doc_ids[-1]) == (("q1", "q2"), "x")
    assert found.values[-1].tolist() == [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0]
    assert mentions(found.notes, "1 of 2 queries", "no judgments", "grade", 0)


def test_documents_without_a_judgment_may_be_left_out():
    found = run_features(QRELS, [BM25, DENSE], unjudged="drop")
    assert (found.doc_ids, found.relevance.tolist()) == (["a", "b"], [0, 2])
    assert mentions(found.notes, "2 of 4 documents", "no judgment", "skipped")
    assert run_features({"q1": {"a": -1, "b": 1}}, [BM25], unjudged="drop").doc_ids == ["b"]  # -1: pooled only


def test_without_judgments_grades_are_not_known():
    found = run_features(None, [BM25, DENSE])
    assert (found.graded, found.query_ids, found.relevance.tolist()) == (False, ("q1", "q2"), [0] * 5)


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_normalised_scores_are_those_of_fusing_one_run(normalise):
    found = run_features(None, [BM25], normalise=normalise)
    # Scores as they were, whichever are better.
    assert found.values[:, 0].tolist() == ([5.0, 8.0, 9.0, 1.0] if "inverted" in normalise else [9.0, 8.0, 5.0, 1.0])
    if normalise == "none":
        assert found.names == ("bm25:score", "bm25:reciprocal_rank", "bm25:rank", "runs")
        return
    fused = {row[:2]: row[2] for row in rs.fusion.fuse([BM25], "comb-sum", normalise=normalise).frame().rows()}
    documents = list(zip([*["q1"] * 3, "q2"], found.doc_ids, strict=True))
    assert_same_numbers(found.values[:, 1].tolist(), [fused[document] for document in documents])


def test_runs_of_one_name_are_numbered():
    assert run_features(None, [BM25, BM25], normalise="none").names[3] == "bm25-2:score"


def test_what_makes_no_features_is_refused():
    with pytest.raises(InputError, match=r"\bno query\b.*\bjudgments\b"):
        run_features({"q9": {"a": 1}}, [BM25, DENSE])
    with pytest.raises(InputError, match="no document of the runs is judged"):
        run_features({"q1": {"z": 1}}, [BM25, DENSE], unjudged="drop")
    with pytest.raises(ParameterError, match="expected one of 'zero', 'drop'"):
        run_features(QRELS, [BM25], unjudged="one")
    with pytest.raises(ParameterError, match="without judgments"):
        run_features(None, [BM25], unjudged="drop")
    with pytest.raises(UnknownName, match="min-max"):
        run_features(QRELS, [BM25], normalise="minmax")
    with pytest.raises(ParameterError, match="runs is not a list"):
        run_features(QRELS, BM25)


def test_queries_without_judgments_cannot_be_asked_for_and_dropped() -> None:
    with pytest.raises(rs.ParameterError, match=r"\ball_queries\b.*\bunjudged\b|\bunjudged\b.*\ball_queries\b"):
        rs.fusion.run_features({"q": {"a": 1}}, [{"q": {"a": 1.0}}], unjudged="drop", all_queries=True)

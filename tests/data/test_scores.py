"""Scores: the table of values, and every way to look at it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankscope as rs
from rankscope.data.scores import Scores

QRELS = {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
GOOD = rs.Run({"1": {"a": 2.0, "x": 1.0}, "2": {"a": 3.0, "b": 2.0}, "3": {"a": 1.0}}, name="good")
POOR = rs.Run({"1": {"x": 2.0, "a": 1.0}}, name="poor")


def both(**options: str) -> Scores:
    return rs.evaluate(QRELS, [GOOD, POOR], ["RR", "NumRelRet"], **options)


def test_the_matrix_has_a_row_a_system_and_a_column_a_query() -> None:
    scores = both()
    assert scores.systems == ("good", "poor")
    assert scores.query_ids == ("1", "2", "3")
    assert scores.matrix("RR").tolist() == [[1, 1, 0], [1 / 2, 0, 0]]
    assert scores.matrix(rs.parse_measure("NumRelRet")).tolist() == [[1, 2, 0], [1, 0, 0]]
    assert scores.values.shape == (2, 2, 3)


def test_means_are_means_and_counts_are_sums() -> None:
    scores = both()
    assert scores.summary("RR").tolist() == [(1 + 1 + 0) / 3, (1 / 2 + 0 + 0) / 3]
    assert scores.summary("NumRelRet").tolist() == [1 + 2 + 0, 1 + 0 + 0]
    assert scores.overall("RR", "poor") == (1 / 2) / 3
    assert isinstance(scores.overall("RR", "good"), float)


def test_means_are_added_in_the_order_of_the_queries_as_trec_eval_does() -> None:
    """Ten times 0.1 is 0.9999999999999999 added in order, and 1.0 added in pairs or exactly."""
    qrels = {str(i): {"a": 1} for i in range(200)}
    run = {str(i): {**{f"x{j}": 10.0 - j for j in range(9)}, "a": 0.0} for i in range(200)}
    total = 0.0
    for _ in range(200):
        total += 1 / 10
    assert total != math.fsum([1 / 10] * 200)
    assert rs.evaluate(qrels, run, "RR").overall("RR") == total / 200


def test_queries_that_were_left_out_do_not_count_in_the_mean() -> None:
    scores = both(missing="drop", no_relevant="drop")
    assert scores.summary("RR").tolist() == [(1 + 1) / 2, 1 / 2]
    np.testing.assert_array_equal(scores.matrix("RR"), [[1, 1, np.nan], [1 / 2, np.nan, np.nan]])
    assert scores.summary("NumRelRet").tolist() == [3, 1]


def test_a_measure_of_which_no_query_has_a_value_is_nan() -> None:
    scores = rs.evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, ["AP"], no_relevant="drop")
    assert math.isnan(scores.overall("AP"))


def test_missing_and_undefined_are_told() -> None:
    scores = both()
    assert scores.missing.tolist() == [[False, False, False], [False, True, True]]
    assert scores.undefined.tolist() == [[False, False, True], [False, False, False]]  # counts are always defined


def test_records_are_the_tidy_table_with_the_summaries() -> None:
    assert [tuple(r) for r in both().records()] == [
        ("good", "RR", "all", 2 / 3),
        ("good", "NumRelRet", "all", 3.0),
        ("poor", "RR", "all", 1 / 6),
        ("poor", "NumRelRet", "all", 1.0),
    ]
    rows = [tuple(r) for r in both().records(by_query=True)]
    assert rows[:4] == [
        ("good", "RR", "1", 1.0),
        ("good", "RR", "2", 1.0),
        ("good", "RR", "3", 0.0),
        ("good", "RR", "all", 2 / 3),
    ]
    assert len(rows) == 2 * 2 * (3 + 1)
    assert next(both().records())._fields == ("system", "measure", "query", "value")


def test_the_frame_is_tidy_and_null_where_there_is_no_value() -> None:
    frame = both(missing="drop").frame()
    assert frame.columns == ["system", "measure", "query", "value"]
    assert frame.height == 2 * 2 * 3
    assert frame.row(0) == ("good", "RR", "1", 1.0)
    assert frame.filter(system="poor", measure="RR")["value"].to_list() == [1 / 2, None, None]
    assert frame["value"].is_nan().sum() == 0


def test_the_only_system_need_not_be_named_and_one_of_two_must() -> None:
    assert rs.evaluate(QRELS, POOR, "RR").overall("RR") == 1 / 6
    with pytest.raises(rs.ParameterError, match="there are 2 systems; name one of good, poor"):
        both().overall("RR")


def test_unknown_names_get_the_nearest_one() -> None:
    with pytest.raises(rs.UnknownName, match=r"unknown measure of these scores 'NumRelRett'; did you mean NumRelRet\?"):
        both().matrix("NumRelRett")
    with pytest.raises(rs.UnknownName, match=r"unknown system of these scores 'goood'; did you mean good\?"):
        both().overall("RR", "goood")
    with pytest.raises(rs.UnknownName, match="AP"):
        both().summary("AP")


def test_the_signature_holds_what_changes_the_number() -> None:
    scores = rs.evaluate(QRELS, [GOOD, POOR], ["nDCG@10", "AP", "RBP(p=0.5)"], rel=2, missing="drop")
    end = f"ties:doc_id_desc | missing:drop | no_relevant:zero | queries:3 | rankscope {rs.__version__}"
    assert scores.signature("nDCG@10") == f"nDCG@10 | gain:linear | discount:log2 | {end}"
    assert scores.signature("AP") == f"AP | rel:2 | {end}"
    assert scores.signature("RBP(p=0.5)") == f"RBP(p=0.5) | p:0.5 | gmax:1 | {end}"
    assert scores.signature() == f"nDCG@10[gain:linear,discount:log2] AP[rel:2] RBP(p=0.5)[p:0.5,gmax:1] | {end}"


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "file"},
        {"missing": "drop"},
        {"no_relevant": "one"},
        {"preset": "trec_eval-9"},
        {"preset": "trec_eval"},
        {"rel": 2},
    ],
    ids=str,
)
def test_evaluations_that_may_differ_have_different_signatures(options: dict[str, object]) -> None:
    assert rs.evaluate(QRELS, GOOD, "AP", **options).signature() != rs.evaluate(QRELS, GOOD, "AP").signature()  # type: ignore[arg-type]


def test_scores_say_how_large_they_are() -> None:
    assert repr(both()) == "Scores(2 systems, 2 measures, 3 queries)"

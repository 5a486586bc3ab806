"""Scores: the table of values, and every way to look at it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope import Scores

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
    assert_same_numbers(scores.summary("RR").tolist(), [(1 + 1 + 0) / 3, (1 / 2 + 0 + 0) / 3])
    assert scores.summary("NumRelRet").tolist() == [1 + 2 + 0, 1 + 0 + 0]
    assert_same_numbers(scores.overall("RR", "poor"), (1 / 2) / 3)
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
    assert_same_numbers(
        [tuple(r) for r in both().records()],
        [
            ("good", "RR", "all", 2 / 3),
            ("good", "NumRelRet", "all", 3.0),
            ("poor", "RR", "all", 1 / 6),
            ("poor", "NumRelRet", "all", 1.0),
        ],
    )
    rows = [tuple(r) for r in both().records(by_query=True)]
    assert_same_numbers(
        rows[:4],
        [
            ("good", "RR", "1", 1.0),
            ("good", "RR", "2", 1.0),
            ("good", "RR", "3", 0.0),
            ("good", "RR", "all", 2 / 3),
        ],
    )
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
    with pytest.raises(rs.ParameterError, match=r"2 systems; .*good, poor"):
        both().overall("RR")


def test_unknown_names_get_the_nearest_one() -> None:
    with pytest.raises(rs.UnknownName, match=r"'NumRelRett'.* NumRelRet\?"):
        both().matrix("NumRelRett")
    with pytest.raises(rs.UnknownName, match=r"'goood'.* good\?"):
        both().overall("RR", "goood")
    with pytest.raises(rs.UnknownName, match="AP"):
        both().summary("AP")


def test_the_signature_holds_what_changes_the_number() -> None:
    scores = rs.evaluate(QRELS, [GOOD, POOR], ["nDCG@10", "AP", "RBP(p=0.5)"], rel=0.5, missing="drop")
    end = f"ties:doc_id_desc | missing:drop | no_relevant:zero | queries:3 | rankscope {rs.__version__}"
    assert scores.signature("nDCG@10") == " | ".join(("nDCG@10", "gain:linear", "discount:log2", end))
    assert scores.signature("AP") == f"AP | rel:0.5 | {end}"
    assert scores.signature("RBP(p=0.5)") == " | ".join(("RBP(p=0.5)", "p:0.5", "gmax:1", end))
    assert scores.signature() == f"nDCG@10[gain:linear,discount:log2] AP[rel:0.5] RBP(p=0.5)[p:0.5,gmax:1] | {end}"


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "file"},
        {"missing": "drop"},
        {"no_relevant": "one"},
        {"preset": "trec_eval-9"},
        {"preset": "trec_eval"},
        {"rel": 0.5},
        {"unjudged": "skip"},
        {"unjudged": "bounds"},
    ],
    ids=str,
)
def test_evaluations_that_may_differ_have_different_signatures(options: dict[str, object]) -> None:
    assert rs.evaluate(QRELS, GOOD, "AP", **options).signature() != rs.evaluate(QRELS, GOOD, "AP").signature()


# --- bounds -----------------------------------------------------------------------------------------------------------


def bounded(**options: str) -> Scores:
    """Not judged: x of query 1, in both runs."""
    return rs.evaluate(QRELS, [GOOD, POOR], ["P@2", "NumRelRet", "AP"], unjudged="bounds", **options)


def test_bounds_stand_beside_the_values() -> None:
    scores = bounded()
    assert scores.bounds is not None
    assert scores.bounds.shape == (2, *scores.values.shape)
    assert scores.bounds[:, :, 0].tolist() == [
        [[1 / 2, 2 / 2, 0], [1 / 2, 0, 0]],
        [[2 / 2, 2 / 2, 0], [2 / 2, 0, 0]],
    ]
    assert scores.bounds[1, :, 1].tolist() == [[2, 2, 0], [2, 0, 0]]
    assert np.isnan(scores.bounds[:, :, 2]).all()
    with pytest.raises(ValueError, match="read-only"):
        scores.bounds[...] = 0


def test_bounds_are_summed_up_as_values_are() -> None:
    scores = bounded()
    assert_same_numbers(scores.overall_bounds("P@2", "good"), ((1 / 2 + 1) / 3, (1 + 1) / 3))
    assert scores.overall_bounds("NumRelRet", "poor") == (1, 2)
    assert all(map(math.isnan, scores.overall_bounds("AP", "good")))
    dropped = bounded(missing="drop", no_relevant="drop")
    assert dropped.overall_bounds("P@2", "good") == ((1 / 2 + 1) / 2, (1 + 1) / 2)
    assert dropped.overall_bounds("P@2", "poor") == (1 / 2, 1)
    with pytest.raises(rs.UnknownName, match="'RR'"):
        scores.overall_bounds("RR", "good")
    with pytest.raises(rs.ParameterError, match=r"2 systems; .*good, poor"):
        scores.overall_bounds("P@2")


def test_records_have_bounds_where_they_were_asked_for() -> None:
    assert bounded().columns == ("system", "measure", "query", "value", "low", "high")
    rows = [tuple(row) for row in bounded().records(by_query=True)]
    assert_same_numbers(
        rows[:4],
        [
            ("good", "P@2", "1", 1 / 2, 1 / 2, 1.0),
            ("good", "P@2", "2", 1.0, 1.0, 1.0),
            ("good", "P@2", "3", 0.0, 0.0, 0.0),
            ("good", "P@2", "all", 1 / 2, 1 / 2, 2 / 3),
        ],
    )
    assert len(rows) == 2 * 3 * (3 + 1)
    assert next(bounded().records())._fields == bounded().columns


def test_the_frame_has_bounds_and_null_where_there_are_none() -> None:
    frame = bounded(missing="drop").frame()
    assert frame.columns == ["system", "measure", "query", "value", "low", "high"]
    assert frame.row(0) == ("good", "P@2", "1", 1 / 2, 1 / 2, 1.0)
    assert frame.filter(system="poor", measure="P@2")["high"].to_list() == [1.0, None, None]
    assert frame.filter(measure="AP")["low"].null_count() == 2 * 3


def test_where_nobody_asked_for_bounds_there_are_none() -> None:
    scores = both()
    assert scores.bounds is None
    assert scores.columns == ("system", "measure", "query", "value")
    assert all(map(math.isnan, scores.overall_bounds("RR", "good")))


def test_scores_say_how_large_they_are() -> None:
    assert mentions(repr(both()), "Scores(2 systems, ", "2 measures, ", "3 queries)")


def test_places_are_found_by_any_name_and_the_only_system_needs_none() -> None:
    scores = rs.evaluate(QRELS, [GOOD, POOR], ["map", "nDCG@10", "ndcg_cut_5"])
    assert [scores.place_of(name) for name in ("map", "AP", "ap", rs.parse_measure("nDCG@10"), "nDCG@5")] == [
        0,
        0,
        0,
        1,
        2,
    ]
    assert scores.place_of_system("poor") == 1
    assert scores.select(systems=[1]).place_of_system() == 0
    with pytest.raises(rs.UnknownName, match="'RR'"):
        scores.place_of("RR")
    with pytest.raises(rs.UnknownName, match="'best'"):
        scores.place_of_system("best")
    with pytest.raises(rs.ParameterError, match=r"2 systems; .*good, poor"):
        scores.place_of_system()


def test_the_sign_of_a_measure_says_which_values_are_better() -> None:
    scores = rs.evaluate(QRELS, GOOD, ["RR", "MinRank", "NumRet"])
    assert [scores.sign(name) for name in scores.measure_names] == [1, -1, 0]
    with pytest.raises(rs.UnknownName):
        scores.sign("AP")


def test_the_text_is_one_table_without_a_title() -> None:
    scores = both()
    (section,) = scores.sections()
    assert (section.title, section.sentence) == ("", "")
    assert section.table is not None
    assert section.table.columns == ("system", "RR", "NumRelRet")
    assert str(scores) == "\n".join(
        [*section.table.lines(), "", scores.signature(), *(f"note: {note}" for note in scores.notes)]
    )
    (each,) = scores.sections(by_query=True)
    assert each.table is not None
    assert (each.table.columns[:2], each.table.n_name_columns, len(each.table.rows)) == (
        ("system", "query"),
        2,
        2 * (3 + 1),
    )

"""What a reader sees of a diff: the sentences, the two lists side by side, the terms of the difference."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.comparison.diff import RunDiff

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 0}, "q2": {"d1": 1}}
A = {"q1": ["d1", "x", "d2"], "q2": ["d1"]}
B = {"q1": ["d3", "y", "d1"], "q2": ["z", "d1"]}


def make(measure: str = "RR", **options: Any) -> RunDiff:
    return rs.diff(QRELS, rs.Run(A, name="a"), rs.Run(B, name="b"), measure, **options)


def test_both_lists_of_a_query_are_side_by_side() -> None:
    (section,) = make("P@2", query="q1", depth=2, texts={"d1": "One title", "d3": "Three"}).sections()
    assert section.table is not None
    assert section.table.columns == ("", "a", "grade", "move", "contributes", "b", "grade", "move", "contributes")
    assert section.table.rows == (
        ("1", "d1 One title", "2", "up 2", "+0.5000", "d3 Three", "0", "gone", ""),
        ("2", "x", "not judged", "from >2", "", "y", "not judged", "to >2", ""),
    )
    assert mentions(section.sentence, "P@2 is 0.5000 for a and 0.0000 for b", "a is better by 0.5000")
    assert mentions(section.sentence, "d1 “One title” (grade 2) at rank 1 instead of 3 (0.5000")


def test_what_contributes_further_down_is_in_a_table_of_its_own() -> None:
    _, below = make("AP", query="q1", depth=1).sections()
    assert below.title == "Query q1, below rank 1"
    assert below.table is not None
    assert [row[:4] for row in below.table.rows] == [("d2", "1", "3", "-")]


def test_the_terms_their_sum_and_the_waterfall_say_the_same() -> None:
    first, *_ = make("RR").sections()
    assert first.figure is not None
    data = first.figure.data
    # q1: 1 against 1/3; q2: 1 against 1/2
    assert (data["value_a"], data["value_b"]) == (1.0, pytest.approx((1 / 3 + 1 / 2) / 2))
    assert sum(data["contributions"]) == pytest.approx(data["value_a"] - data["value_b"])
    assert mentions(first.sentence, "a mean RR of 1.0000", "0.4167", "a difference of +0.5833", "a gains 0.5833")


def test_of_a_measure_whose_lower_values_are_better_signs_and_words_fit() -> None:
    result = make("RBPResidual(p=0.8)")
    first, *_ = result.sections()
    assert first.notes[0] == "RBPResidual(p=0.8): lower is better"
    assert result.values[0].sum() < result.values[1].sum()
    assert mentions(first.sentence, "a gains")
    assert first.figure is not None
    assert first.figure.data["higher_is_better"] is False


def test_equal_lists_have_no_difference_to_explain() -> None:
    same = rs.diff(QRELS, rs.Run(A, name="a"), rs.Run(A, name="b"), "AP")
    (section,) = same.sections()
    assert section.sentence.endswith("a difference of +0.0000: no document makes a difference.")
    (of_query,) = rs.diff(QRELS, rs.Run(A, name="a"), rs.Run(A, name="b"), "AP", query="q1").sections()
    assert of_query.sentence.endswith("no document makes a difference.")

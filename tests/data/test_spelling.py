"""Ids that differ in their spelling only are named where a run and its judgments do not meet."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.data.spelling import by_plain_spelling, same_but_for_spelling, spelling_advice
from rankscope.errors import InputError


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Q1", "q1"),
        ("001", "1"),
        ("1", "001"),
        ("q07", "Q7"),
        ("12.0", "12"),
        (" q1", "q1"),
        ("D-03-005", "d-3-5"),
        ("STRASSE", "straße"),
    ],
)
def test_the_same_but_for_spelling(name: str, other: str) -> None:
    assert same_but_for_spelling(["x", name], by_plain_spelling(["y", other])) == (name, other)
    assert mentions(spelling_advice([name], [other]), repr(name), repr(other))


@pytest.mark.parametrize(
    ("name", "other"),
    [("q1", "q1"), ("10", "1"), ("1.50", "1.5"), ("q1", "q2"), ("1.05", "1.5"), ("a.0", "a"), ("", "0")],
)
def test_other_ids_and_equal_ones_are_not(name: str, other: str) -> None:
    assert same_but_for_spelling([name], by_plain_spelling([other])) is None
    assert spelling_advice([name], [other], "check") == "check"


def test_queries_written_otherwise_are_named_in_error_and_note() -> None:
    judgments = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    with pytest.raises(InputError, match=r"no query in common .*'001' and '1' differ in their spelling only"):
        rs.evaluate(judgments, {"001": {"a": 1.0}, "002": {"a": 1.0}}, "P@1")
    mixed = {"1": {"a": 1.0}, "002": {"a": 1.0}}
    for scores in (
        rs.evaluate(judgments, mixed, "P@1"),
        rs.Evaluator(judgments, "P@1").evaluate_many([mixed, {"1": {"a": 1.0}}]),
    ):
        assert any(
            mentions(note, "1 of 2 queries", "'002' and '2' differ in their spelling only") for note in scores.notes
        )
    # The judged query has a list of its own, so that the other one is no misspelling of it.
    both = {**mixed, "2": {"a": 1.0}, "3": {"a": 1.0}}
    assert rs.evaluate(judgments, both, "P@1").notes == (
        "1 of 4 queries of run has no judgments and does not count: 002",
    )


def test_documents_written_otherwise_are_named_also_in_a_short_run() -> None:
    judgments = {"q": {"d1": 1, "d2": 0}}
    notes = rs.evaluate(judgments, {"q": {"x": 2.0, "D2": 1.0}}, "P@1").notes
    assert mentions(notes, "none of its 2 documents was judged", "'D2'", "'d2'", "write ids the same way")
    assert rs.evaluate(judgments, {"q": {"x": 2.0, "y": 1.0}}, "P@1").notes == ()
    assert rs.evaluate(judgments, {"q": {"d1": 2.0, "D2": 1.0}}, "P@1").notes == ()

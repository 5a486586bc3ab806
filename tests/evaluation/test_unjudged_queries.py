"""Queries of runs that have no judgments do not count, and one note of the result says so."""

from __future__ import annotations

import pytest

import rankscope as rs

JUDGMENTS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"b": 1}}
LISTS = {"a": 3.0, "b": 2.0, "c": 1.0}


def run_of(name, *more, judged=("q1", "q2", "q3")):
    """A run with a list for each judged query, and for those that have no judgments."""
    return rs.Run(dict.fromkeys([*more, *judged], LISTS), name=name)


def notes_on_unjudged(notes):
    return [note for note in notes if "judgments" in note]


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run_of("one")], []),
        ([run_of("one", "q17")], ["1 of 4 queries of one has no judgments and does not count: q17"]),
        (
            [run_of("one", "q17", "q18", judged=("q1", "q2"))],
            ["2 of 4 queries of one have no judgments and do not count: q17, q18"],
        ),
        (
            [run_of("one"), run_of("two", "x1", "x2", "x3", "x4")],
            ["4 of 7 queries of two have no judgments and do not count: x1, x2, x3, ..."],
        ),
        (
            [run_of("one", "x1", "x2"), run_of("two", "x2", "x1")],
            ["2 of 5 queries of each of the 2 runs have no judgments and do not count: x1, x2"],
        ),
        (
            [run_of("one", "x1"), run_of("two", "x1", "x2"), run_of("three")],
            ["2 of 3 runs have queries without judgments, which do not count; most has two, 2 of 5: x1, x2"],
        ),
        (  # as many, but other ones
            [run_of("one", "x1"), run_of("two", "x2")],
            ["2 of 2 runs have queries without judgments, which do not count; most has one, 1 of 4: x1"],
        ),
        (  # the same ones, but another number of queries in all
            [run_of("one", "x1"), run_of("two", "x1", judged=["q1"])],
            ["2 of 2 runs have queries without judgments, which do not count; most has one, 1 of 4: x1"],
        ),
    ],
)
def test_one_note_counts_queries_without_judgments(runs, expected, rows):
    sources = [rs.Run(run.frame(), name=run.name) for run in runs] if rows else runs
    scores = rs.evaluate(JUDGMENTS, sources, ["P@1", "AP"])
    assert notes_on_unjudged(scores.notes) == expected
    assert scores.query_ids == ("q1", "q2", "q3")


def test_an_evaluator_has_the_same_note_for_one_run_and_for_many():
    evaluator = rs.Evaluator(JUDGMENTS, ["P@1"])
    runs = {"one": {"x1": LISTS, "q1": LISTS, "q2": LISTS, "q3": LISTS}, "two": {"q1": LISTS, "q2": LISTS, "q3": LISTS}}
    expected = "1 of 4 queries of {} has no judgments and does not count: x1"
    assert evaluator(runs["one"]).notes == (expected.format("run"),)
    assert evaluator(runs["two"]).notes == ()
    assert evaluator.evaluate_many(runs).notes == (expected.format("one"),)
    assert evaluator.evaluate_many({"two": runs["two"], "three": runs["two"]}).notes == ()


def test_what_starts_from_scores_hands_the_note_on():
    queries = tuple(f"q{i}" for i in range(6))
    judgments = {query: {"a": i % 2, "b": 1} for i, query in enumerate(queries)}
    runs = [run_of("one", "x1", judged=queries), run_of("two", "x1", judged=queries)]
    note = "1 of 7 queries of each of the 2 runs has no judgments and does not count: x1"
    scores = rs.evaluate(judgments, runs, "AP")
    assert note in rs.compare(scores, "AP").scores.notes
    assert str(rs.compare(scores, "AP")).count(note) == 1
    assert note in rs.diff(judgments, *runs, "P@2").notes
    one, two = (rs.evaluate(judgments, run, "AP") for run in runs)
    notes = notes_on_unjudged(rs.gate(one, two, "AP", margin=0.1).notes)
    assert [note.partition(" of 7 queries of ")[2][:3] for note in notes] == ["one", "two"]

"""The best order possible as a run."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankscope as rs
from rankscope.errors import InputError

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2, "d4": 1}, "q2": {"d1": 0}, "q3": {"d9": 3, "d1": -1}}


def test_documents_are_ordered_by_falling_grade_and_then_as_in_the_judgments() -> None:
    ideal = rs.ideal_run(QRELS)
    assert ideal.name == "ideal"
    assert ideal.frame().rows() == [("q1", "d3", 3.0), ("q1", "d1", 2.0), ("q1", "d4", 1.0), ("q3", "d9", 1.0)]


def test_it_has_the_highest_value_of_measures() -> None:
    scores = rs.evaluate(QRELS, rs.ideal_run(QRELS), ["nDCG", "AP", "RR", "Rprec"])
    assert scores.values[0][:, [0, 2]].tolist() == [[1, 1]] * 4  # q2 has nothing relevant


def test_it_is_read_from_a_file_and_written_by_convert(tmp_path: Path) -> None:
    qrels = tmp_path / "some.qrels"
    qrels.write_text("q1 0 d1 1\nq1 0 d3 2\n")
    rs.convert(qrels, tmp_path / "ideal.run", ideal=True)
    assert (tmp_path / "ideal.run").read_text() == "q1 Q0 d3 1 2.0 ideal\nq1 Q0 d1 2 1.0 ideal\n"
    assert rs.ideal_run(qrels).frame().rows() == [("q1", "d3", 2.0), ("q1", "d1", 1.0)]


def test_without_a_relevant_document_there_is_none() -> None:
    with pytest.raises(InputError, match="no document is judged above 0"):
        rs.ideal_run({"q": {"d": 0}})

"""A run that cannot be read: it ends all, or is left out and the rest goes on."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.errors import InputError, ParameterError, SettingError

QRELS = {"q1": {"d1": 1, "d2": 0}}

pytestmark = pytest.mark.usefixtures("forked_workers")


@pytest.fixture
def runs(tmp_path):
    """Two good ones, and between them one that ends in the middle of a line, one that is empty, and one not there."""
    lines = "q1 Q0 d1 1 2.0 {0}\nq1 Q0 d2 2 1.0 {0}\n"
    for name, text in (("a", lines), ("cut", "q1 Q0 d1 1 2.0 cut\nq1 Q0"), ("empty", ""), ("b", lines)):
        (tmp_path / f"{name}.run").write_text(text.format(name))
    return [str(tmp_path / f"{name}.run") for name in ("a", "cut", "empty", "gone", "b")]


def said_of(run):
    with pytest.raises(InputError) as caught:
        rs.evaluate(QRELS, run, "RR", workers=1)
    return caught.value


@pytest.mark.parametrize("workers", [1, 2])
def test_what_cannot_be_read_is_left_out_and_named_with_why(runs, workers):
    scores = rs.evaluate(QRELS, runs, "RR", on_error="skip", workers=workers)
    assert scores.systems == ("a", "b")
    assert scores.overall("RR", "a") == scores.overall("RR", "b") == 1.0
    for note, run in zip(scores.notes[:3], runs[1:4], strict=True):
        assert mentions(note, "on_error:skip", said_of(run))
    assert runs[1] in scores.notes[0]
    assert scores.notes[3:] == ()


@pytest.mark.parametrize("workers", [1, 2])
def test_without_it_the_first_ends_all(runs, workers):
    with pytest.raises(InputError, match=r"cut\.run:2: 2 fields"):
        rs.evaluate(QRELS, runs, "RR", workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_where_none_is_left_the_last_is_told(runs, workers):
    with pytest.raises(InputError, match=r"gone\.run: no such file"):
        rs.evaluate(QRELS, runs[1:4], "RR", on_error="skip", workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_of_other_queries_is_left_out_too(runs, tmp_path, workers):
    other = tmp_path / "other.run"
    other.write_text("x Q0 d1 1 2.0 other\n")
    scores = rs.evaluate(QRELS, [str(other), runs[0]], "RR", on_error="skip", workers=workers)
    assert scores.systems == ("a",)
    assert mentions(scores.notes[0], "on_error:skip", "'other'", "qrels")


def test_files_of_predictions_are_left_out_as_well(tmp_path):
    (tmp_path / "labels").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.1\n")
    (tmp_path / "good").write_text("2\n1\n")
    (tmp_path / "short").write_text("2\n")
    files = [tmp_path / "short", tmp_path / "good"]
    scores = rs.evaluate(tmp_path / "labels", files, "RR", input="letor", on_error="skip")
    assert scores.systems == ("good",)
    assert "short" in scores.notes[0]


def test_a_fault_of_the_arguments_is_no_fault_of_a_run(runs):
    with pytest.raises(ParameterError):
        rs.evaluate(QRELS, [runs[0], 5], "RR", on_error="skip", input="letor")


def test_there_are_two_ways():
    with pytest.raises(SettingError, match=r"^on_error is 'ignore'"):
        rs.evaluate(QRELS, "none.run", "RR", on_error="ignore")

"""Scores from the tidy table that `evaluate` writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope import read_scores
from rankscope.errors import InputError


def written(folder: Path, text: str, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_what_evaluate_writes_by_query_comes_back(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 2, "c": 1}}
    runs = [rs.Run({"q1": {"a": 1.0}, "q2": {"c": 2.0, "b": 1.0}}, name="one"), rs.Run({"q1": {"x": 1.0}}, name="two")]
    scores = rs.evaluate(qrels, runs, ["nDCG@10", "RR"])
    lines = [f"{r.system},{r.measure},{r.query},{r.value!r}" for r in scores.records(by_query=True)]
    found = read_scores(written(tmp_path, "\n".join(["system,measure,query,value", *lines]) + "\n"))
    assert (found.systems, found.measure_names, found.query_ids) == (("one", "two"), ("nDCG@10", "RR"), ("q1", "q2"))
    assert_same_bits(found.values.tolist(), scores.values.tolist())
    assert found.sign("RR") == 1
    assert found.notes == ()


def test_an_empty_value_is_none_and_measures_not_known_here_are_noted(tmp_path: Path) -> None:
    text = "system,measure,query,value\na,my score,1,0.5\na,my score,2,\n"
    found = read_scores(written(tmp_path, text))
    assert np.isnan(found.matrix("my score")).tolist() == [[False, True]]
    assert len(found.notes) == 2
    assert mentions(found.notes[0], "my score: ", "higher")
    assert mentions(found.notes[1], 1, "missing")


def test_a_query_that_bears_the_name_of_the_summary_is_not_left_out_without_a_word(tmp_path: Path) -> None:
    scores = rs.evaluate({"all": {"a": 1}, "q": {"b": 1}}, {"all": {"a": 1.0}, "q": {"x": 2.0, "b": 1.0}}, "RR")
    lines = [f"{r.system},{r.measure},{r.query},{r.value!r}" for r in scores.records(by_query=True)]
    found = read_scores(written(tmp_path, "\n".join(["system,measure,query,value", *lines]) + "\n"))
    assert (found.query_ids, found.values.tolist()) == (("q",), [[[0.5]]])
    (note,) = found.notes
    assert mentions(note, "scores.csv: ", 1, "'all'", "more than one")


def test_of_mean_rank_lower_is_better(tmp_path: Path) -> None:
    found = read_scores(written(tmp_path, "system\tmeasure\tquery\tvalue\na\tMinRank\t1\t3\n", "scores.tsv"))
    assert found.sign("MinRank") == -1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "(system,measure,query,value)"),
        ("system,measure,value\na,AP,1\n", "scores.csv:1: no column 'query'"),
        ("system,measure,query,value\na,AP,all,1\n", "summaries only"),
        ("system,measure,query,value\na,AP,1,1\nb,AP,1,1\na,AP,1,0\n", "scores.csv:4: a second value"),
        ("system,measure,query,value\na,AP,1,x\n", "scores.csv:2: value is 'x'"),
    ],
)
def test_what_is_no_table_of_scores_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_scores(written(tmp_path, text))
    assert said in str(caught.value)

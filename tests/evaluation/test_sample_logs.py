"""Samples of Inspect and lines of AutoJudge, recorded here by their documented forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.errors import InputError
from rankscope.evaluation.read_scores import is_score_file

#: A few of the columns of `samples_df(..., columns=EvalModel + SampleSummary)`, and the task.
SAMPLES = """sample_id,eval_id,log,model,task_name,id,epoch,target,metadata_topic,score_match,score_f1,score_why
u1,e1,a.eval,m1,qa,1,1,4,sums,C,0.5,because
u2,e1,a.eval,m1,qa,2,1,3,counts,I,0.25,so
u3,e2,b.eval,m2,qa,1,1,4,sums,C,1,no
u4,e2,b.eval,m2,qa,2,1,3,counts,P,,yes and no
"""


def log(model: str, *scores: dict[str, Any], epochs: int = 1) -> str:
    samples = [
        {"id": i, "epoch": epoch, "input": "?", "target": "x", "scores": scorers}
        for i, scorers in enumerate(scores, 1)
        for epoch in range(1, epochs + 1)
    ]
    evaluation = {"run_id": "r", "created": "2026-01-01", "task": "qa", "task_id": "t", "model": model}
    return json.dumps({"version": 2, "status": "success", "eval": evaluation, "plan": {}, "samples": samples}, indent=2)


def value(number: Any) -> dict[str, Any]:
    return {"value": number, "answer": "a", "explanation": "b"}


def test_the_table_of_inspect(tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text(SAMPLES)
    for scores in (
        rs.read_scores(tmp_path / "samples.csv"),
        rs.Scores.of(pl.read_csv(tmp_path / "samples.csv", schema_overrides={"id": pl.String})),
    ):
        assert (scores.systems, scores.query_ids) == (("m1", "m2"), ("qa/1", "qa/2"))
        assert scores.measure_names == ("match", "f1")
        assert scores.matrix("match").tolist() == [[1.0, 0.0], [1.0, 0.5]]
        assert scores.matrix("f1")[0].tolist() == [0.5, 0.25]
        assert np.isnan(scores.matrix("f1")[1, 1])
        assert scores.query_columns == {"metadata_topic": ("sums", "counts")}
        assert any(mentions(note, "'score_why'", "left out") for note in scores.notes)


def test_the_table_of_inspect_without_models_and_with_epochs(tmp_path: Path) -> None:
    without = pl.read_csv(SAMPLES.encode()).drop("model", "task_name").with_columns(pl.col("id").cast(pl.String))
    scores = rs.Scores.of(without)
    assert (scores.systems, scores.query_ids) == (("e1", "e2"), ("1", "2"))
    assert any(mentions(note, "eval_id", "EvalModel") for note in scores.notes)
    twice = pl.concat([without, without.with_columns(epoch=pl.lit(2, pl.Int64), score_match=pl.lit("C"))])
    with pytest.raises(InputError, match=r"row 4.*row 0.*--repeats mean"):
        rs.Scores.of(twice)
    assert rs.Scores.of(twice, repeats="mean").matrix("match").tolist() == [[1.0, 0.5], [1.0, 0.75]]
    by_log = rs.Scores.of(without, columns={"system": "log"})
    assert by_log.systems == ("a.eval", "b.eval")


def test_a_table_of_inspect_without_scores_is_no_table_of_tokens_and_times() -> None:
    """So it is where all samples failed; seen with inspect_ai 0.3.285."""
    failed = pl.read_csv(SAMPLES.encode()).select(~pl.selectors.starts_with("score_")).with_columns(total_tokens=7)
    with pytest.raises(InputError) as error:
        rs.Scores.of(failed)
    assert mentions(error, "samples without scores", "score_SCORER", "'error'")


def test_a_log_of_inspect_in_json(tmp_path: Path) -> None:
    grades = {"match": value("C"), "parts": value({"a": 0.5, "b": "I"}), "text": value("fine")}
    (tmp_path / "1.json").write_text(log("m1", grades, {"match": value("I")}))
    (tmp_path / "2.json").write_text(log("m2", {"match": value(True)}, {"match": value(float("nan"))}, {}))
    scores = rs.read_scores([tmp_path / "1.json", tmp_path / "2.json"])
    assert (scores.systems, scores.query_ids) == (("m1", "m2"), ("qa/1", "qa/2", "qa/3"))
    assert scores.measure_names == ("match", "parts_a", "parts_b")
    np.testing.assert_array_equal(scores.matrix("match"), [[1, 0, np.nan], [1, np.nan, np.nan]])
    assert any(mentions(note, "1 of 3", "no score") for note in scores.notes)
    assert is_score_file(tmp_path / "1.json", alone=False)


def test_epochs_of_a_log_are_repeats(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(log("m", {"match": value("C")}, epochs=3))
    with pytest.raises(InputError) as raised:
        rs.read_scores(path)
    assert mentions(raised.value, "sample 1, epoch 2", "sample 1, epoch 1", "--repeats mean")
    assert rs.read_scores(path, repeats="mean").values.tolist() == [[[1.0]]]


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ("null", ["without samples"]),
        ('[{"epoch": 1}]', ["sample 0", "no id"]),
        ('[{"id": 1, "scores": {}}]', ["without scores"]),
        ('[{"id": 1, "scores": {"x": {"value": Infinity}}}]', ["sample 1", "x is inf"]),
    ],
)
def test_wrong_logs_are_refused(tmp_path: Path, samples: str, words: list[str]) -> None:
    path = tmp_path / "log.json"
    path.write_text(f'{{"version": 2, "status": "success", "eval": {{"model": "m"}}, "samples": {samples}}}')
    with pytest.raises(InputError) as raised:
        rs.read_scores(path)
    assert mentions(raised.value, "log.json", *words)


# AutoJudge


def test_lines_of_autojudge(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    lines = ["runA GRADE t1 0.9", "runA IS_MATCH t1 True", "runB GRADE t1 0.5", "runB IS_MATCH t1 False"]
    rows = [line.split() for line in (*lines, "runA GRADE all 0.9", "runB GRADE all .5")]
    for swap, separator in ((False, "   "), (False, "\t"), (True, " ")):
        lines = [(run, topic, measure, v) if swap else (run, measure, topic, v) for run, measure, topic, v in rows]
        path.write_text("".join(separator.join(line) + "\n" for line in lines))
        scores = rs.read_scores(path)
        assert (scores.systems, scores.measure_names, scores.query_ids) == (
            ("runA", "runB"), ("GRADE", "IS_MATCH"), ("t1",)
        )  # fmt: skip
        assert scores.values[:, :, 0].tolist() == [[0.9, 1.0], [0.5, 0.0]]
        assert is_score_file(path, alone=False)


def test_four_fields_that_nothing_explains_are_refused_and_judgments_are_none(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("a x t1 1\na y t1 2\n")
    with pytest.raises(InputError, match=r"file:1: four fields.*measures cannot be told"):
        rs.read_scores(path)
    path.write_text("a x P@5 1\nb x P@5 2\n")  # measures that rankscope knows
    assert rs.read_scores(path).measure_names == ("P@5",)
    for qrels in ("1 0 d1 1\n1 0 d2 0\n", "1 Q0 d1 1\n", "1 1 all 1\n1 2 d 0\n"):
        path.write_text(qrels)
        assert not is_score_file(path, alone=True)
    path.write_text("a M t1 1\nb M t1 x\na M all 1\n")
    with pytest.raises(InputError, match="file"):
        rs.read_scores(path)


def test_a_task_with_a_year_in_its_name(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {}, "resps": [], "metrics": ["acc"], "acc": 1.0}
    path = tmp_path / "samples_aime_2025.easy_2026-01-01T10-00-00.123.jsonl"
    path.write_text(json.dumps(sample) + "\n")
    assert rs.read_scores(path).query_ids == ("aime_2025.easy/0",)


def test_listed_metrics_without_numbers_are_noted(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {}, "resps": [], "metrics": ["acc", "word_perplexity"], "acc": 1.0}
    path = tmp_path / "samples_x.jsonl"
    path.write_text(json.dumps({**sample, "word_perplexity": [-3.5, 4]}) + "\n")
    scores = rs.read_scores(path)
    assert scores.measure_names == ("acc",)
    assert any(mentions(note, "word_perplexity", "left out") for note in scores.notes)

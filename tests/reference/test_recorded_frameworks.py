"""The presets of frameworks have the numbers that the packages gave, as frameworks/record.py recorded them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankscope as rs

RECORDED = json.loads((Path(__file__).parent / "frameworks" / "recorded.json").read_text())
CASES = RECORDED.pop("cases")
#: What each query is called: its place.
IDS = [str(i) for i in range(len(CASES))]
QRELS = {i: grades for i, (grades, _) in zip(IDS, CASES, strict=True)}
RUN = {i: {d: -float(rank) for rank, d in enumerate(run)} for i, (_, run) in zip(IDS, CASES, strict=True)}
#: Metrics of flat lists, which know the listed documents only.
LISTED_ONLY = {"torchmetrics", "catboost", "tensorflow-ranking"}


@pytest.mark.parametrize("preset", RECORDED)
def test_each_measure_of_a_framework_has_the_numbers_that_it_gave(preset: str) -> None:
    recorded: dict[str, Any] = RECORDED[preset]["values"]
    qrels = QRELS
    if preset in LISTED_ONLY:
        qrels = {i: {d: grade for d, grade in grades.items() if d in RUN[i]} for i, grades in QRELS.items()}
    scores = rs.evaluate(qrels, RUN, list(recorded), preset=preset)
    for name, values in recorded.items():
        # Some compute in float32, and BEIR rounds to five digits.
        assert scores.matrix(name)[0].tolist() == pytest.approx(values, abs=6e-6 if preset == "beir" else 1e-6), name


def test_each_preset_of_a_framework_that_installs_is_recorded() -> None:
    assert {"mlflow", "haystack", "llama_index", "torchmetrics", "ragas", "sentence-transformers"} <= set(RECORDED)
    assert {"recbole", "tensorflow-ranking", "catboost", "beir", "mteb"} <= set(RECORDED)


def test_rank_eval_of_elasticsearch_has_the_value_of_its_documentation() -> None:
    """Grades 3, 2, 3, none, 1, 2 at ranks 1 to 6: DCG 13.85 with gains 2^grade - 1, ideal 14.60, nDCG .949."""
    grades = {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}
    run = {d: -float(i) for i, d in enumerate("abcdef")}
    scores = rs.evaluate({"q": grades}, {"q": run}, ["DCG@10", "nDCG@10", "P@10"], preset="elasticsearch")
    assert scores.overall("DCG@10") == pytest.approx(13.84826362927298, abs=1e-9)
    assert scores.overall("nDCG@10") == pytest.approx(13.84826362927298 / 14.595390756454924, abs=1e-9)
    assert scores.overall("P@10") == 5 / 6

"""Scores in result files of MTEB, RRE, `_rank_eval`, LlamaIndex, Ragas and Haystack, made by their documented forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscope as rs
from rankscope.errors import InputError
from rankscope.evaluation.read_scores import is_score_file

Cli = Callable[..., Any]
Put = Callable[[Any, str], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(content: Any, name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def values(scores: rs.Scores) -> dict[tuple[str, str, str], float]:
    return {
        (system, measure, query): value
        for system, measure, query, value in scores.frame().select("system", "measure", "query", "value").rows()
        if value is not None
    }


def mteb_result(task: str, value: float, **more: Any) -> dict[str, Any]:
    entry = {"main_score": value, "ndcg_at_10": value, "hf_subset": "default", "languages": ["eng-Latn"], **more}
    return {"dataset_revision": "x", "task_name": task, "mteb_version": "2.1", "scores": {"test": [entry]}}


@pytest.mark.parametrize("folder", ["{}", "{}/0123abcdef", "{}/no_revision_available"])
def test_a_model_of_mteb_is_a_system_and_a_task_a_query(put: Put, folder: str) -> None:
    paths = [
        put(mteb_result(task, value), f"{folder.format(model)}/{task}.json")
        for model, found in {"a": (0.5, 0.25), "b": (0.75, 0.5)}.items()
        for task, value in zip(("SciFact", "NFCorpus"), found, strict=True)
    ]
    found = rs.read_scores(paths, measures="main_score")
    assert values(found) == {
        ("a", "main_score", "SciFact"): 0.5,
        ("a", "main_score", "NFCorpus"): 0.25,
        ("b", "main_score", "SciFact"): 0.75,
        ("b", "main_score", "NFCorpus"): 0.5,
    }


def test_what_mteb_writes_about_a_model_beside_its_results_is_no_result(put: Put) -> None:
    paths = [put(mteb_result("SciFact", 0.5), f"{model}/0123abcdef/SciFact.json") for model in "ab"]
    paths += [put({"name": model, "revision": "0123abcdef"}, f"{model}/0123abcdef/model_meta.json") for model in "ab"]
    assert all(is_score_file(path, alone=False) for path in paths)
    assert rs.read_scores(paths[::-1], measures="main_score").systems == ("b", "a")
    with pytest.raises(InputError, match="metadata"):
        rs.read_scores(paths[-1])


def test_subsets_and_splits_of_a_task_are_kept_apart(put: Put) -> None:
    result = mteb_result("T", 0.5, hf_subset="de", nauc="NAN")
    result["scores"] = {
        "dev": [{"hf_subset": "de", "x": 0.1}],
        "test": [{"hf_subset": "de", "x": 1}, {"hf_subset": "en", "x": 0}],
    }
    found = rs.read_scores(put(result, "m/T.json"))
    assert values(found) == {("m", "x", "T/de/dev"): 0.1, ("m", "x", "T/de/test"): 1, ("m", "x", "T/en/test"): 0}
    text = json.dumps(mteb_result("T", 0.5, nauc=float("nan")))
    assert set(values(rs.read_scores(put(text, "m/T.json")))) == {("m", m, "T") for m in ("main_score", "ndcg_at_10")}


def rre(*found: tuple[str, dict[str, str]]) -> dict[str, Any]:
    def metrics(by_version: dict[str, str]) -> dict[str, Any]:
        versions = {version: {"totalHits": 2, "value": value} for version, value in by_version.items()}
        return {"AP": {"name": "AP", "versions": versions, "trend": [0.0]}}

    queries = [{"metrics": metrics(by_version), "query": query, "results": {}} for query, by_version in found]
    group = {"name": "g", "metrics": metrics({"v1": "0.5"}), "query-evaluations": queries}
    topic = {"name": "t", "metrics": {}, "query-groups": [group]}
    return {"name": "report", "metrics": metrics({"v1": "0.5"}), "corpora": [{"name": "c", "topics": [topic]}]}


def test_versions_of_rre_are_systems(put: Put) -> None:
    path = put(
        rre(("fender", {"v1": "0.5", "v2": "1.00"}), ("jazz bass", {"v1": "0.25", "v2": "0.50"})), "evaluation.json"
    )
    assert values(rs.read_scores(path)) == {
        ("v1", "AP", "fender"): 0.5,
        ("v2", "AP", "fender"): 1.0,
        ("v1", "AP", "jazz bass"): 0.25,
        ("v2", "AP", "jazz bass"): 0.5,
    }


def test_a_response_of_rank_eval_holds_its_metric_by_query(put: Put) -> None:
    details = {
        q: {"metric_score": v, "hits": [], "metric_details": {"dcg": {}}} for q, v in {"q1": 0.5, "q2": 1}.items()
    }
    path = put({"metric_score": 0.75, "details": details, "failures": {}}, "bm25.json")
    assert values(rs.read_scores(path)) == {("bm25", "dcg", "q1"): 0.5, ("bm25", "dcg", "q2"): 1.0}


@pytest.mark.parametrize("as_lines", [False, True])
def test_results_of_evaluators_of_llama_index(put: Put, as_lines: bool) -> None:
    records = [
        {"query": query, "expected_ids": ["d1"], "retrieved_ids": ["d1", "d2"], "metric_dict": {"mrr": score}}
        for query, score in {"a?": {"score": 1.0, "metadata": {}}, "b?": 0.5}.items()
    ]
    path = put("\n".join(map(json.dumps, records)) if as_lines else records, "top2.json")
    assert values(rs.read_scores(path)) == {("top2", "mrr", "a?"): 1.0, ("top2", "mrr", "b?"): 0.5}
    assert rs.evaluate(path, [path], ["RR"]).values.ravel().tolist() == [1.0, 1.0]


SAMPLES = {
    "ragas.csv": "user_input,retrieved_contexts,response,faithfulness,context_recall\n"
    "\"a, b?\",\"['x']\",y,0.5,1.0\nc?,[],z,1.0,\n",
    "haystack.csv": "questions,predicted_answers,faithfulness,context_recall\n\"a, b?\",y,0.5,1.0\nc?,z,1.0,\n",
    "haystack.json": {"questions": ["a, b?", "c?"], "faithfulness": [0.5, 1.0], "context_recall": [1.0, None]},
    "ragas.jsonl": '{"user_input": "a, b?", "response": "y", "faithfulness": 0.5, "context_recall": 1.0}\n'
    '{"user_input": "c?", "response": "z", "faithfulness": 1.0, "context_recall": null}\n',
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_numbers_in_tables_of_samples_are_measures_of_one_system(put: Put, name: str) -> None:
    assert values(rs.read_scores(put(SAMPLES[name], name))) == {
        (name.partition(".")[0], "faithfulness", "a, b?"): 0.5,
        (name.partition(".")[0], "faithfulness", "c?"): 1.0,
        (name.partition(".")[0], "context_recall", "a, b?"): 1.0,
    }


WRONG = {
    "MTEB without scores": ({"mteb_version": "2", "task_name": 3}, "expected a result of MTEB"),
    "MTEB with a list": ({**mteb_result("T", 1), "scores": {"test": 3}}, "scores.test: 3, expected a list"),
    "MTEB with text": ({**mteb_result("T", 1), "scores": {"test": [{"x": "y"}]}}, "no values"),
    "MTEB twice": (
        {**mteb_result("T", 1), "scores": {"test": [{"x": 1}, {"x": 2}]}},
        r"scores.test\[1\].x: a second x of 'm' for 'T'",
    ),
    "MTEB cut": (json.dumps(mteb_result("T", 1))[:-3], "not valid JSON"),
    "RRE with text": (rre(("q", {"v1": "good"})), r"query-evaluations\[0\].metrics.AP.versions.v1: 'good', expected"),
    "RRE, a query twice": (rre(("q", {"v1": "1"}), ("q", {"v1": "0"})), r"\[1\].*: a second AP of 'v1' for 'q'"),
    "RRE without queries": (rre(), "no values"),
    "rank_eval without a score": ({"metric_score": 1, "details": {"q": {}}}, "details.q: {}, expected .*metric_score"),
    "LlamaIndex without a query": (
        [{"retrieved_ids": [], "metric_dict": {"mrr": 1.0}}], r"\[0\]: .*expected an object with query and metric_dict"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_in_result_files_is_said_with_its_place(put: Put, case: str) -> None:
    content, said = WRONG[case]
    with pytest.raises(rs.InputError, match=said):
        rs.read_scores(put(content, "m/x.json"))

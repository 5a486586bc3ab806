"""Scores of answers from judgments of nuggets and citations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.demo.collection import SEED
from rankscope.demo.nuggets import nugget_files
from rankscope.errors import InputError
from rankscope.judging import score_nuggets

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


def rows(text: str) -> list[dict[str, str]]:
    header, *lines = (line.split(",") for line in text.strip().splitlines())
    return [dict(zip(header, line, strict=True)) for line in lines]


def plain_nuggets(table: list[dict[str, str]], run: str, query: str) -> dict[str, float]:
    """The definitions of TREC RAG for one answer, nugget by nugget."""
    importance = {row["nugget"]: row["importance"] for row in table if row["query"] == query}
    support = {row["nugget"]: SUPPORT[row["support"]] for row in table if (row["query"], row["run"]) == (query, run)}
    values = {}
    for name, weights in (
        ("vital_recall", {"vital": 1.0, "okay": 0.0}),
        ("weighted_recall", {"vital": 1.0, "okay": 0.5}),
        ("nugget_recall", {"vital": 1.0, "okay": 1.0}),
    ):
        total = sum(weights[kind] for kind in importance.values())
        full, partial = 0.0, 0.0
        for nugget, kind in importance.items():
            full += weights[kind] * (support.get(nugget, 0.0) == 1.0)
            partial += weights[kind] * support.get(nugget, 0.0)
        values[f"{name}_strict"] = full / total if total else 0.0
        values[name] = partial / total if total else 0.0
    return values


def plain_citations(table: list[dict[str, str]], run: str, query: str) -> dict[str, float]:
    answer = [row for row in table if (row["query"], row["run"]) == (query, run)]
    cited = [SUPPORT[row["support"]] for row in answer if row["citation"]]
    best: dict[str, float] = {}
    for row in answer:
        best[row["sentence"]] = max(best.get(row["sentence"], 0.0), SUPPORT.get(row["support"], 0.0))
    return {
        "citation_precision": sum(cited) / len(cited) if cited else 0.0,
        "citation_recall": sum(best.values()) / len(best) if best else 0.0,
    }


def test_values_are_those_of_the_definitions(tmp_path: Path) -> None:
    for name, text in nugget_files(SEED).items():
        (tmp_path / name).write_text(text)
    nuggets, citations = (rows((tmp_path / f"demo-{name}.csv").read_text()) for name in ("nuggets", "citations"))
    nuggets = [row for row in nuggets if (row["run"], row["query"]) != ("bare", "3")]  # an answer that is missing
    citations += [{**row, "citation": "x", "support": "support"} for row in citations[::7]]  # two in a sentence
    scores = score_nuggets(nuggets, citations)
    for i, run in enumerate(scores.systems):
        for q in (0, 2, 17, 39):
            query = scores.query_ids[q]
            expected = {**plain_nuggets(nuggets, run, query), **plain_citations(citations, run, query)}
            found = {name: scores.values[i, m, q] for m, name in enumerate(scores.measure_names)}
            assert found == pytest.approx(expected)
    from_files = score_nuggets(tmp_path / "demo-nuggets.csv")
    assert from_files.overall("nugget_recall", "long") == pytest.approx(
        np.mean(
            [
                plain_nuggets(rows((tmp_path / "demo-nuggets.csv").read_text()), "long", str(q + 1))["nugget_recall"]
                for q in range(40)
            ]
        )
    )


def test_scores_are_compared_as_any_others() -> None:
    scores = score_nuggets(rows(nugget_files(SEED)["demo-nuggets.csv"]))
    assert rs.compare(scores, "vital_recall_strict")["vital_recall_strict"].pvalue.shape == (6,)
    assert all(measure.higher_is_better and measure.range == (0, 1) for measure in scores.measures)


def table(**changes: Any) -> dict[str, list[str]]:
    columns = {
        "query": ["1", "1", "2", "1"],
        "nugget": ["a", "b", "a", "a"],
        "importance": ["vital", "okay", "okay", "vital"],
        "run": ["x", "x", "x", "y"],
        "support": ["Full Support", "partial-support", "NS", "support"],
    }
    return {**columns, **changes}


def test_what_is_missing_scores_0_and_is_noted() -> None:
    scores = score_nuggets(table())
    assert scores.matrix("vital_recall").tolist() == [[1, 0], [1, 0]]
    assert scores.matrix("nugget_recall").tolist() == [[0.75, 0], [0.5, 0]]
    assert scores.missing.tolist() == [[False, False], [False, True]]
    assert scores.undefined[scores.place_of("vital_recall")].tolist() == [False, True]
    assert len(scores.notes) == 3
    assert mentions(
        " ".join(scores.notes), "1 query without a vital nugget", "1 nugget", "y has no answer to 1 of 2 queries"
    )


def test_answers_without_citations_have_precision_0() -> None:
    cited = {
        "query": ["1", "1"],
        "run": ["x", "y"],
        "sentence": ["1", "1"],
        "citation": ["", "d"],
        "support": ["", "ps"],
    }
    scores = score_nuggets(table(), cited)
    assert scores.matrix("citation_precision").tolist() == [[0, 0], [0.5, 0]]
    assert scores.matrix("citation_recall").tolist() == [[0, 0], [0.5, 0]]
    assert mentions(" ".join(scores.notes), "1 answer without a citation", "(x)")


def test_columns_have_other_names() -> None:
    named = {{"run": "engine", "nugget": "fact"}.get(name, name): cells for name, cells in table().items()}
    scores = score_nuggets(named, columns={"run": "engine", "nugget": "fact"})
    assert scores.systems == ("x", "y")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"importance": ["vital", "nice", "okay", "vital"]}, ("importance is 'nice'", "vital or okay")),
        ({"importance": ["vital", "okay", "okay", "okay"]}, ("'a'", "query '1'", "okay", "vital")),
        ({"support": ["yes", "support", "support", "support"]}, ("'yes'", "partial_support")),
        ({"nugget": ["a", "a", "a", "a"], "importance": ["vital"] * 4}, ("nugget", "second time")),
    ],
)
def test_what_is_refused(change: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as error:
        score_nuggets(table(**change))
    assert mentions(str(error.value), *words)


def test_what_is_refused_of_citations() -> None:
    cited = {
        "query": ["1", "1"],
        "run": ["x", "x"],
        "sentence": ["1", "1"],
        "citation": ["d", "d"],
        "support": ["ps", "ps"],
    }
    for change, words in (
        ({}, ("citation", "second time")),
        ({"citation": ["", "d"]}, ("'ps'", "empty cell where nothing is cited")),
        ({"citation": ["e", "d"], "support": ["", "ps"]}, ("''", "partial_support")),
    ):
        with pytest.raises(InputError) as error:
            score_nuggets(table(), {**cited, **change})
        assert mentions(str(error.value), *words)
    with pytest.raises(InputError, match="facts"):
        score_nuggets(table(), columns={"facts": "nugget"})

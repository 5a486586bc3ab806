"""Learned fusions as files: they come back as they were, and what is no such file is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from helpers.judged_runs import lists_of, some_judgments, some_runs
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope.fusion import TrainedFusion

JUDGED = some_judgments()
RUNS = some_runs(JUDGED)


@cache
def trained(method: str) -> TrainedFusion:
    options: dict[str, Any] = {"settings": {"weights": [[1, 1, 1], [1, 2, 3]]}} if "weight" in method else {}
    return rs.fusion.train(JUDGED, RUNS, method, folds=3, **options)


@pytest.mark.parametrize("method", ["comb-gmnz", *rs.fusion.TRAINED])
def test_what_is_loaded_fuses_as_what_was_saved(method: str, tmp_path: Path) -> None:
    path = tmp_path / "my.json"
    rs.fusion.save_fusion(trained(method), path)
    again = rs.fusion.load_fusion(path)
    assert str(again) == str(trained(method))
    assert again.cross_fitted is None
    assert_same_bits(lists_of(again.fuse(RUNS)), lists_of(trained(method).fuse(RUNS)))
    content = path.read_bytes()
    rs.fusion.save_fusion(again, path)
    assert path.read_bytes() == content


def test_the_file_says_what_it_is_in_lines_that_people_can_read(tmp_path: Path) -> None:
    rs.fusion.save_fusion(trained("weighted-sum"), tmp_path / "my.json")
    text = (tmp_path / "my.json").read_text()
    about = json.loads(text)
    assert (about["kind"], about["form"], about["version"]) == ("rankscope fusion", 1, rs.__version__)
    assert about["queries"] == list(trained("weighted-sum").queries)
    assert about["runs"] == ["run0", "run1", "run2"]
    assert '  "method": "weighted-sum",\n' in text


def test_values_that_are_none_come_back(tmp_path: Path) -> None:
    """MinRank has none where nothing relevant is found."""
    judged = {f"q{i}": {"d0": int(i > 0)} for i in range(3)}
    runs = [{query: {"d0": 1.0, "d1": 2.0} for query in judged}, {query: {"d2": 1.0} for query in judged}]
    found = rs.fusion.train(judged, runs, "comb-sum", measure="MinRank", folds=3, settings={"weights": [1, 1]})
    assert any(value != value for value in found.tried[0].values)
    rs.fusion.save_fusion(found, tmp_path / "my.json")
    assert "NaN" not in (tmp_path / "my.json").read_text()
    assert str(rs.fusion.load_fusion(tmp_path / "my.json")) == str(found)


def test_other_runs_of_the_same_systems_are_fused_without_a_word() -> None:
    other = [rs.Run({"new": docs["q0"]}, name=run.name) for run, docs in zip(RUNS, map(lists_of, RUNS), strict=True)]
    fused = trained("weighted-sum").fuse(other)
    assert fused.notes == ()
    assert fused.name == trained("weighted-sum").name
    weights = trained("weighted-sum").setting["weights"]
    assert_same_numbers(lists_of(fused), lists_of(rs.fusion.fuse(other, "comb-sum", weights=weights)))


def test_queries_that_were_learned_from_are_told() -> None:
    few = [rs.Run({q: docs for q, docs in lists_of(run).items() if q in ("q0", "new")}, name=run.name) for run in RUNS]
    (note,) = trained("map-fuse").fuse(few).notes
    assert mentions(note, "1 of 1 query", "training", "better")


def test_runs_in_another_order_are_refused_and_other_names_told() -> None:
    with pytest.raises(rs.InputError, match="run1, run0 and run2"):
        trained("map-fuse").fuse([RUNS[1], RUNS[0], RUNS[2]])
    other = [*RUNS[:2], rs.Run(lists_of(RUNS[2]), name="another")]
    assert mentions(trained("map-fuse").fuse(other).notes, "other names", "another stands for run2")
    with pytest.raises(rs.InputError, match=r"\b2 runs\b.*\b3\b"):
        trained("map-fuse").fuse(RUNS[:2])


def change(**changes: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda about: {**about, **changes}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (change(kind="ranker"), "is JSON of something else"),
        (change(form=2), "form is 2"),
        (change(method="nope"), "'nope' is no method"),
        (change(method="map-fuse"), "is damaged"),
        (change(normalise="nope"), "'nope' is no normalisation"),
        (change(runs=["a"]), "is damaged"),
        (change(runs="abc"), "runs is not a list"),
        (change(queries=[1]), "queries is not a list"),
        (change(parameters=[1]), "parameters"),
        (change(parameters={}), "is damaged"),
        (change(parameters={"weights": [1, 2]}), "2 weights for 3 runs"),
        (change(parameters={"weights": [1, 2, "x"]}), "is damaged"),
        (change(setting={"weights": [1, 2, -3]}), "is damaged"),
        (change(tried=[]), "what was tried"),
        (lambda about: {k: v for k, v in about.items() if k != "parameters"}, "'parameters' is missing"),
        (lambda about: [about], "is JSON of something else"),
    ],
)
def test_a_damaged_file_is_one_line(damage: Callable[[Any], Any], said: str, tmp_path: Path) -> None:
    rs.fusion.save_fusion(trained("weighted-sum"), tmp_path / "my.json")
    (tmp_path / "my.json").write_text(json.dumps(damage(json.loads((tmp_path / "my.json").read_text()))))
    with pytest.raises(rs.InputError) as caught:
        rs.fusion.load_fusion(tmp_path / "my.json")
    assert str(caught.value).startswith(f"{tmp_path / 'my.json'}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("method", "parameters", "said"),
    [
        ("weighted-sum", {"weights": [1, 2, -3]}, "weights is .*-3.* at least 0"),
        ("weighted-sum", {"weights": ["1", "2", "3"]}, "no finite number"),
        ("map-fuse", {"map": [0.1, 0.2, 0.3, 0.4]}, r"\bmap\b.*\b4 runs\b.*\b3\b"),
        ("map-fuse", {"map": [[0.1, 0.2], 0.2, 0.3]}, "no finite number"),
        ("pos-fuse", {"shares": [[0.1, None], [0.2], [0.3]]}, "no finite number"),
        ("pos-fuse", {"shares": [0.1, 0.2, 0.3]}, "shares are no lists"),
        ("prob-fuse", {"shares": [[0.1], [0.2], [0.3]]}, "lists that are not"),
        ("seg-fuse", {"shares": [[0.1], [0.2], [0.3]]}, r"shares.*\b10\b"),
        ("bayes-fuse", {"levels": [[0.1], [0.2], [0.3]], "lacking": [0, 0, 0]}, r"levels.*\b9\b"),
        ("comb-gmnz", {"gamma": 77}, "not those of its setting"),
    ],
)
def test_damaged_parameters_are_told_before_they_fuse(
    method: str, parameters: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """They would fuse a list of one document, and fail with longer lists, or give other numbers without a word."""
    rs.fusion.save_fusion(trained(method), tmp_path / "my.json")
    about = json.loads((tmp_path / "my.json").read_text())
    (tmp_path / "my.json").write_text(json.dumps({**about, "parameters": parameters}))
    with pytest.raises(rs.InputError, match=f"is damaged .*{said}"):
        rs.fusion.load_fusion(tmp_path / "my.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"kind": NaN}', b"[" * 100_000, b"1 Q0 a 1 2.5 bm25\n"])
def test_what_is_no_json_is_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "my.json").write_bytes(content)
    with pytest.raises(rs.InputError, match=r"my\.json: .*\bno JSON\b"):
        rs.fusion.load_fusion(tmp_path / "my.json")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match="cannot be read"):
        rs.fusion.load_fusion(tmp_path / "none.json")
    with pytest.raises(rs.OutputError, match="does not exist"):
        rs.fusion.save_fusion(trained("map-fuse"), tmp_path / "none" / "my.json")

"""Scores of all items as ranks of the relevant ones: mean ranks of ties, the total, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from scipy.stats import rankdata

import rankscope as rs

SCORES = "paper,year,field,A,B\na,1999,art,5,0.5\nb,2004,law,3,2\nc,1999,art,5,0.5\nd,2000,law,1,-1\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "ids.txt").write_text("c\n\nd\n")
    return tmp_path


def converted(folder: Path, target: str = "ranks.csv", **options: object) -> tuple[str, ...]:
    return rs.convert(folder / "scores.csv", folder / target, relevant=folder / "ids.txt", **options)


def test_ranks_are_by_falling_score_and_those_of_ties_are_means(files: Path) -> None:
    notes = converted(files, systems=["A", "B"])
    assert (files / "ranks.csv").read_text() == "entity,A,B\nc,1.5,2.5\nd,4,4\n"
    assert mentions(notes[0], "2 of 4 items", "--total-ranks 4")
    converted(files, "ranks.tsv", systems="B")
    assert (files / "ranks.tsv").read_text() == "entity\tB\nc\t2.5\nd\t4\n"
    converted(files, "ranks", systems="B", to="tsv")
    assert (files / "ranks").read_bytes() == (files / "ranks.tsv").read_bytes()


def test_they_agree_with_scipy(tmp_path: Path) -> None:
    scores = np.random.default_rng(3).integers(0, 20, (2, 300)) / 4
    rows = [f"i{i},{a!r},{b!r}" for i, (a, b) in enumerate(scores.T.tolist())]
    (tmp_path / "scores.csv").write_text("\n".join(["item,A,B", *rows]) + "\n")
    (tmp_path / "ids.txt").write_text("\n".join(f"i{i}" for i in range(0, 300, 7)))
    notes = converted(tmp_path)
    assert mentions(notes[0], "2 columns read as systems")
    table = rs.read_entity_ranks(tmp_path / "ranks.csv", 300)
    assert table.ranks.tolist() == rankdata(-scores, axis=1)[:, ::7].tolist()


@pytest.mark.parametrize(
    ("options", "content", "expected"),
    [
        ({}, SCORES, ("scores.csv:2", "field", "--systems year,A,B")),
        ({"systems": ["C"]}, SCORES, ("'C'", "systems")),
        ({"systems": ["A"]}, SCORES.replace("law,3", "law,"), ("scores.csv:3", "A", "empty")),
        ({"systems": ["A"]}, SCORES.replace("d,", "x,"), ("ids.txt", "1 id", "d")),
        ({"systems": ["A"]}, SCORES.replace("d,", "c,"), ("scores.csv:5", "'c'")),
        ({"systems": ["A"], "ideal": True}, SCORES, ("ideal", "relevant")),
        ({"systems": ["A"], "to": "trec"}, SCORES, ("ranks.csv", "csv, tsv")),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    files: Path, options: dict[str, object], content: str, expected: tuple[str, ...]
) -> None:
    (files / "scores.csv").write_text(content)
    with pytest.raises(rs.RankscopeError) as caught:
        converted(files, **options)
    assert mentions(str(caught.value), *expected)
    assert not (files / "ranks.csv").exists()


def test_systems_need_relevant_items(files: Path) -> None:
    with pytest.raises(rs.ParameterError, match="relevant"):
        rs.convert(files / "scores.csv", files / "ranks.csv", systems=["A"])

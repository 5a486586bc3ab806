"""What `rankscope leaderboard` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
import json
from math import log
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before

EXPECTED = Path(__file__).parent / "expected_leaderboard"
FEW = ("arena.csv", "--resamples", "200")

COMMAND = ("leaderboard",)
#: Name of the golden file -> arguments of `leaderboard`.
CASES: dict[str, tuple[str, ...]] = {
    "table.txt": FEW,
    "csv.txt": (*FEW, "--scale", "log", "--interval", "information", "--format", "csv"),
    "json.txt": (*FEW, "--scale", "log", "--interval", "information", "--format", "json"),
    "latex.txt": (*FEW, "--scale", "wins", "--format", "latex"),
    "markdown.txt": (*FEW, "--cluster-by", "prompt", "--format", "markdown"),
    "effects.txt": (*FEW, "--covariate", "words", "--model", "davidson", "--prior", "1"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


def test_the_golden_numbers_meet_the_condition_of_a_maximum() -> None:
    """By hand, ties half: of 6 against two, one wins 3.5, of 5 against three 3.5; of 5 against three, two wins 3."""
    rows = list(csv.DictReader((EXPECTED / "csv.txt").read_text(encoding="utf-8").splitlines()))
    rating = {row["system"]: float(row["rating"]) for row in rows}
    games = {("one", "two"): (3.5, 6), ("one", "three_50% & co"): (3.5, 5), ("two", "three_50% & co"): (3.0, 5)}
    for system in rating:
        seen = expected = 0.0
        for (a, b), (won, n) in games.items():
            if system in (a, b):
                other = b if system == a else a
                seen += won if system == a else n - won
                expected += n / (1 + pow(2.718281828459045, rating[other] - rating[system]))
        assert expected == pytest.approx(seen, abs=1e-6)
    assert sum(rating.values()) == pytest.approx(0, abs=1e-9)
    assert rating["one"] - rating["two"] < log(7 / 3)
    assert json.loads((EXPECTED / "json.txt").read_text(encoding="utf-8"))[0]["system"] == rows[0]["system"] == "one"

"""What `rankscope consensus` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before

from rankscope.reporting.tables import RESULT_FORMATS

EXPECTED = Path(__file__).parent / "expected_consensus"

COMMAND = ("consensus",)
#: Name of the golden file -> arguments of `consensus`.
CASES: dict[str, tuple[str, ...]] = {
    **{f"{form}.txt": ("votes.tsv", "--format", form) for form in RESULT_FORMATS},
    "worst.txt": ("votes.tsv", "--unranked", "worst", "--weight", "Ivo=2", "--resamples", "0", "--format", "csv"),
    "copeland.txt": ("votes.tsv", "--method", "copeland", "--resamples", "200", "--confidence-level", "0.9"),
    "kemeny.txt": ("votes.tsv", "--method", "kemeny", "--resamples", "0"),
    "runs.txt": ("one.run", "two.run", "three.run"),
    "runs-csv.txt": ("one.run", "two.run", "three.run", "--method", "median-rank", "--format", "csv"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


def rows(name: str) -> dict[str, dict[str, str]]:
    return {row["item"]: row for row in csv.DictReader((EXPECTED / name).read_text("utf-8").splitlines())}


def test_the_golden_points_are_those_worked_out_by_hand() -> None:
    # 4 - rank by Ada, Ben, Cleo, Dora and Ivo; who is left out by one shares the places that are left
    points = {
        "Emma": 3 + 3 + 2 + 3 + 0,
        "Kim": 2 + 1 + 3 + (4 - 3.5) + 1,
        "Walden 50% & co": 1 + 2 + (4 - 4) + 2 + 2,
        "Dracula": 0 + 0 + 1 + (4 - 3.5) + 3,
    }
    assert {item: float(row["score"]) for item, row in rows("csv.txt").items()} == points
    # left out: the last place; Ivo counts twice
    worst = {
        "Emma": 3 + 3 + 2 + 3 + 2 * 0,
        "Kim": 2 + 1 + 3 + 0 + 2 * 1,
        "Walden 50% & co": 1 + 2 + 0 + 2 + 2 * 2,
        "Dracula": 0 + 0 + 1 + 0 + 2 * 3,
    }
    assert {item: float(row["score"]) for item, row in rows("worst.txt").items()} == worst

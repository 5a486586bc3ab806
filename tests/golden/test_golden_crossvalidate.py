"""What `rankscope crossvalidate` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before

EXPECTED = Path(__file__).parent / "expected_crossvalidate"
#: Linear rankers, whose weights are found in double precision: networks may end otherwise on another processor.
LINEAR = ("folds", "--loss", "linear:listnet", "--loss", "linear:squared", "--seeds", "2", "--epochs", "5", "-m", "AP")
ONE = ("folds", "--loss", "linear:listnet", "--seeds", "1", "--epochs", "5", "-m", "AP")

COMMAND = ("crossvalidate", "--workers", "1")
#: Name of the golden file -> arguments of `crossvalidate`.
CASES: dict[str, tuple[str, ...]] = {
    "table.txt": (*LINEAR, "-m", "nDCG@5", "--importance", "--details"),
    "blend.txt": (*LINEAR, "--blend"),
    "ablation.txt": (*ONE, "--ablate", "first=1", "--ablate", "others=2-3"),
    "search.txt": (*ONE, "--search", "3"),
    "csv.txt": (*LINEAR, "--format", "csv"),
    "latex.txt": (*LINEAR, "--format", "latex"),
    "one.txt": ("folds", "--loss", "linear:ranknet", "--seeds", "1", "--epochs", "5", "-m", "nDCG@3"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


def test_the_golden_values_of_all_folds_are_the_means_over_their_queries() -> None:
    """The four subsets have 5, 4, 5 and 4 queries; fold k is tested on the subset before its own."""
    rows = list(csv.DictReader((EXPECTED / "csv.txt").read_text(encoding="utf-8").splitlines()))
    value = {(row["model"], row["fold"]): float(row["value"]) for row in rows if row["part"] == "test"}
    sizes = {"Fold1": 4, "Fold2": 5, "Fold3": 4, "Fold4": 5}
    for model in ("linear:listnet", "linear:squared"):
        expected = sum(n * value[model, fold] for fold, n in sizes.items()) / 18
        assert value[model, "all"] == pytest.approx(expected)


def test_the_mean_of_folds_is_that_of_letors_sheets() -> None:
    """AdaRank-MAP's sheet of MQ2007: (.4665 + .4217 + .4415 + .4065 + .4311) / 5 = .4335 is its average NDCG@10."""
    sheet = [0.4665, 0.4217, 0.4415, 0.4065, 0.4311]
    assert sum(sheet) / 5 == pytest.approx(0.4335, abs=5e-5)
    text = (EXPECTED / "table.txt").read_text(encoding="utf-8")
    (row,) = re.findall(r"AP on the test lists.*?^linear:squared +(.*?)$", text, re.DOTALL | re.MULTILINE)
    *folds, mean = map(float, row.split())
    assert len(folds) == 4
    assert mean == pytest.approx(sum(folds) / 4, abs=1e-4)

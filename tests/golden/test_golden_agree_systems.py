"""What `rankscope agree systems` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before

EXPECTED = Path(__file__).parent / "expected_agree_systems"
GIVEN = ("systems.csv", "--lower", "TER")
RANKED = ("ranked.csv", "--higher", "chrf", "--resamples", "200")

COMMAND = ("agree", "systems")
#: Name of the golden file -> arguments of `agree systems`.
CASES: dict[str, tuple[str, ...]] = {
    "accuracy.txt": (*GIVEN, "--details"),
    "spearman.txt": (*GIVEN, "--statistic", "spearman", "--absolute", "--weights", "de-en=0.75,fr-en=0.25"),
    "csv.txt": (*GIVEN, "--format", "csv"),
    "latex.txt": (*GIVEN, "--statistic", "pearson", "--without-outliers", "--format", "latex"),
    "ranked.txt": RANKED,
    "top.txt": (
        *GIVEN,
        "--statistic",
        "kendall_b",
        "--statistic",
        "tau_ap",
        "--statistic",
        "pairwise_accuracy",
        "--top",
        "3",
    ),
    "shares.txt": (*RANKED, "--human", "better_or_equal", "--from-segments", "share", "--format", "markdown"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


def test_the_golden_numbers_are_those_by_hand() -> None:
    with (EXPECTED / "csv.txt").open(encoding="utf-8") as file:
        rows = {(row["metric"], row["pair"]): float(row["value"]) for row in csv.DictReader(file)}
    # BLEU puts two and three, and of fr-en one and two, the wrong way round; TER only the latter.
    assert rows["BLEU", "de-en"] == pytest.approx(9 / 10)
    assert rows["BLEU", "fr-en"] == pytest.approx(2 / 3)
    assert rows["BLEU", "all"] == pytest.approx((9 + 2) / (10 + 3))
    assert rows["TER", "average"] == pytest.approx((1 + 2 / 3) / 2)
    # one wins 6 of 7 decided comparisons, three 2 of 6, two 2 of 7.
    text = (EXPECTED / "ranked.txt").read_text(encoding="utf-8")
    shown = re.findall(r"\n(one|three_50% & co|two) +(0\.\d{4}) ", text)
    assert shown == [("one", f"{6 / 7:.4f}"), ("three_50% & co", f"{2 / 6:.4f}"), ("two", f"{2 / 7:.4f}")]

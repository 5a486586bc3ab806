"""What `rankscope agree metrics` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before

from rankscope.reporting.tables import RESULT_FORMATS

EXPECTED = Path(__file__).parent / "expected_metrics"

FILES = ("people.seg.scr", "metrics.seg.scr", "--lower", "TER", "--resamples", "200")
#: The table of the metrics task: tasks of several levels and statistics, with weights.
TASKS = (
    *("--task", "de-en:system:pairwise_accuracy:0.4"),
    *("--task", "de-en:segment:acc_eq:0.3", "--task", "en-de:segment:pearson/none:0.3"),
    *("--alternative", "greater", "--correction", "none"),
)
COMMAND = ("agree", "metrics")
#: Name of the golden file -> arguments of `agree metrics`.
CASES: dict[str, tuple[str, ...]] = {
    **{f"{form}.txt": (*FILES, *TASKS, "--format", form) for form in RESULT_FORMATS},
    "details.txt": (*FILES, *TASKS, "--details"),
    "acc_eq.txt": (*FILES, "--pairs", "en-de", "--test", "boot_both"),
    "williams.txt": (*FILES, "--level", "system", "--statistic", "pearson", "--test", "williams"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


def test_the_golden_average_is_that_of_the_golden_tasks() -> None:
    rows = list(csv.DictReader((EXPECTED / "csv.txt").read_text("utf-8").splitlines()))
    tasks = [
        [row for row in rows if (row["pair"], row["statistic"]) == key]
        for key in dict.fromkeys((row["pair"], row["statistic"]) for row in rows)
    ]
    assert [len(task) for task in tasks] == [3, 3, 3, 3]  # of three metrics
    for *single, average in zip(*tasks, strict=True):
        accuracy, acc_eq, pearson = (float(row["value_a"]) for row in single)
        weighted = 0.4 * accuracy + 0.3 * acc_eq + 0.3 * (1 + pearson) / 2  # all of them from 0 to 1
        assert float(average["value_a"]) == pytest.approx(weighted)
        assert float(average["difference"]) == pytest.approx(float(average["value_a"]) - float(average["value_b"]))

"""What `rankscope compare` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
import json
from math import sqrt
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before

from rankscope.reporting.tables import RESULT_FORMATS

EXPECTED = Path(__file__).parent / "expected_compare"
ALL = ("compare.qrels", "one.run", "two.run", "three.run", "-m", "RR")
BASED = (*ALL, "--baseline", "two", "-m", "P@2")

COMMAND = ("compare",)
#: Name of the golden file -> arguments of `compare`.
CASES: dict[str, tuple[str, ...]] = {
    **{f"{form}.txt": (*ALL, "--format", form) for form in RESULT_FORMATS},
    **{f"baseline-{form}.txt": (*BASED, "--format", form) for form in ("table", "latex", "markdown", "csv")},
    "pair.txt": ("compare.qrels", "two.run", "one.run", "-m", "RR"),
    "permutation.txt": (*ALL, "--test", "permutation", "--seed", "7", "--resamples", "200"),
    "permutation-exact.txt": (*ALL, "--test", "permutation", "--correction", "none", "--format", "csv"),
    "sign-greater.txt": (*ALL, "--test", "sign", "--alternative", "greater"),
    "tukey.txt": (*ALL, "--test", "tukey"),
    "nemenyi.txt": (*ALL, "--test", "nemenyi"),
    "bayes.txt": (*ALL, "--test", "bayes-t", "--rope", "0.05"),
    "bayes-csv.txt": (*ALL, "--test", "bayes-t", "--rope", "0.05", "--format", "csv"),
    "details.txt": (*ALL, "--details", "--seed", "3", "--resamples", "2000"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


# By hand. The one relevant document of each of 8 queries is found by system one at ranks 1 1 2 1 1 2 1 1, by two at
# 2 1 2 2 2 2 2 2, by three at 4 seven times and then at 1.
N = 8
ONE = [1, 1, 1 / 2, 1, 1, 1 / 2, 1, 1]
TWO = [1 / 2, 1, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2]
THREE = [1 / 4] * 7 + [1]
PAIRS = {("one", "two"): (ONE, TWO), ("one", "three_50% & co"): (ONE, THREE), ("two", "three_50% & co"): (TWO, THREE)}


def golden(name: str) -> str:
    return (EXPECTED / name).read_text(encoding="utf-8")


def test_the_golden_csv_holds_the_numbers_worked_out_by_hand() -> None:
    rows = list(csv.DictReader(golden("csv.txt").splitlines()))
    assert [(r["system_a"], r["system_b"]) for r in rows] == list(PAIRS)
    for row, (a, b) in zip(rows, PAIRS.values(), strict=True):
        differences = [x - y for x, y in zip(a, b, strict=True)]
        mean = sum(differences) / N
        s = sqrt(sum((d - mean) ** 2 for d in differences) / (N - 1))
        assert float(row["mean_a"]) == pytest.approx(sum(a) / N)
        assert float(row["mean_b"]) == pytest.approx(sum(b) / N)
        assert float(row["difference"]) == pytest.approx(mean)
        assert float(row["statistic"]) == pytest.approx(mean / (s / sqrt(N)))
        assert float(row["effect_size"]) == pytest.approx(mean / s)
        half = 2.364624 * s / sqrt(N)  # the table of Student's t: .975, 7 degrees of freedom
        assert float(row["low"]) == pytest.approx(mean - half, abs=1e-6)
        assert float(row["high"]) == pytest.approx(mean + half, abs=1e-6)
        signs = [(d > 0) - (d < 0) for d in differences]
        assert [int(row[x]) for x in ("wins", "ties", "losses", "n")] == [*map(signs.count, (1, 0, -1)), N]
    # one - two: 5 of 8 differences are 1/2, so mean 5/16, s^2 = (5/4 - 25/32) / 7 = 15/224
    assert float(rows[0]["statistic"]) == pytest.approx(5 / 16 / sqrt(15 / 224 / 8))
    smallest, middle, largest = sorted(rows, key=lambda row: float(row["pvalue"]))  # Holm: 3 p, 2 p, p
    assert float(smallest["pvalue_corrected"]) == pytest.approx(3 * float(smallest["pvalue"]))
    expected = max(3 * float(smallest["pvalue"]), 2 * float(middle["pvalue"]))
    assert float(middle["pvalue_corrected"]) == pytest.approx(expected)
    assert float(largest["pvalue_corrected"]) == pytest.approx(max(expected, float(largest["pvalue"])))


def test_the_golden_p_of_all_sign_flips_is_a_share_of_them() -> None:
    rows = list(csv.DictReader(golden("permutation-exact.txt").splitlines()))
    # one and two: the 5 differences of 1/2 all on one side, or all on the other: 2 of 2^5
    assert float(rows[0]["pvalue"]) == 2 / 2**5
    # one and three: 3/4 five times, 1/4 twice, 0 once, which make 17/4: of 2^7 signs + and - all
    assert float(rows[1]["pvalue"]) == 2 / 2**7
    # two and three, in quarters: six times 1, and 3 and -2, which make 7. At least 7 are: 3 + 2 and six ones that make
    # 6, 4 or 2 (1 + 6 + 15 ways), and 3 - 2 with six ones that make 6 (1 way); as many are at most -7.
    assert float(rows[2]["pvalue"]) == 2 * 23 / 2**8


def test_the_golden_json_holds_the_same_records_as_the_csv() -> None:
    rows = list(csv.DictReader(golden("csv.txt").splitlines()))
    records = json.loads(golden("json.txt"))
    assert records == [json.loads(line) for line in golden("jsonl.txt").splitlines()]
    assert [list(record) for record in records] == [list(row) for row in rows]
    for record, row in zip(records, rows, strict=True):
        assert {k: str(v) for k, v in record.items() if isinstance(v, int)} == {
            k: row[k] for k in ("wins", "ties", "losses", "n")
        }
        assert {k: v for k, v in record.items() if isinstance(v, float)} == pytest.approx(
            {k: float(row[k]) for k, v in record.items() if isinstance(v, float)}
        )


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_the_golden_tables_hold_the_means_worked_out_by_hand_in_four_digits(form: str) -> None:
    text = golden(f"{form}.txt")
    for values in (ONE, TWO, THREE):
        assert f"{sum(values) / N:.4f}" in text
    assert f"{5 / 16:+.4f}" in text
    assert "5/3/0" in text

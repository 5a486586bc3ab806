"""How golden files are compared: what is a difference, and what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.golden import assert_as_before, output_format
from helpers.golden_records import assert_same_records
from helpers.same import ABSOLUTE, RELATIVE

CSV = "system,measure,value,n\n2.50,nDCG@10,0.3333333333333333,4\nb,nDCG@10,1e-05,4\nc,nDCG@10,,4\n"
RECORDS = [{"system": "2.5", "value": 1 / 3, "n": 4, "low": None}, {"system": "b", "value": 1e-5, "n": 4, "low": None}]
JSON = json.dumps(RECORDS)
JSONL = "".join(f"{json.dumps(record)}\n" for record in RECORDS)


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(("text", "form"), [(CSV, "csv"), (JSON, "json"), (JSONL, "jsonl")])
@pytest.mark.parametrize("number", [1 / 3 + 1e-16, 1 / 3 - 1e-10, (1 / 3) * (1 + 0.9 * RELATIVE)])
def test_last_bits_are_no_difference(text: str, form: str, number: float) -> None:
    assert repr(number) != repr(1 / 3)
    assert_same_records(text, text, form)
    assert_same_records(changed(text, repr(1 / 3), repr(number)), text, form)
    assert_same_records(changed(text, "1e-05", repr(1e-5 * (1 + RELATIVE / 2))), text, form)


@pytest.mark.parametrize(("text", "form"), [(CSV, "csv"), (JSON, "json"), (JSONL, "jsonl")])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (repr(1 / 3), repr(1 / 3 + 1e-7)),
        (repr(1 / 3), repr((1 / 3) * (1 + 3 * RELATIVE))),
        (repr(1 / 3), "nan"),
        (repr(1 / 3), "NaN"),
        (repr(1 / 3), "Infinity"),
        (repr(1 / 3), ""),
        (repr(1 / 3), repr(-1 / 3)),
        ("1e-05", repr(1e-5 + 1e-11)),
        ("4", "4.0"),
        ("4", "5"),
        ("b", "B"),
        ("2.5", "2.500000000001"),
        ("2.5", "2.50"),
        ("system", "model"),
        ("value", "n"),
    ],
)
def test_all_else_is_a_difference(text: str, form: str, old: str, new: str) -> None:
    with pytest.raises((AssertionError, ValueError)):  # of a text that is no JSON any more
        assert_same_records(changed(text, old, new), text, form)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (CSV + "d,AP,0.5,4\n", "csv"),
        (CSV.replace("\n", ",1\n"), "csv"),
        (CSV.replace("\n", "\r\n"), "csv"),
        (CSV.rsplit("c,")[0], "csv"),
        (CSV.replace("b,", '"b",'), "csv"),
        (json.dumps(RECORDS, indent=1), "json"),
        (json.dumps(RECORDS, sort_keys=True), "json"),
        (json.dumps([*RECORDS, {}]), "json"),
        (json.dumps([{**RECORDS[0], "high": None}, RECORDS[1]]), "json"),
        (json.dumps(RECORDS[:1]), "json"),
        (JSONL + "\n", "jsonl"),
        (JSONL * 2, "jsonl"),
    ],
)
def test_records_fields_and_the_layout_are_the_same(text: str, form: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        assert_same_records(text, {"csv": CSV, "json": JSON, "jsonl": JSONL}[form], form)


def test_no_value_equals_no_value_only() -> None:
    assert_same_records("[NaN]", "[NaN]", "json")
    for other in ("[null]", "[0.0]", "[Infinity]"):
        with pytest.raises(AssertionError):
            assert_same_records("[NaN]", other, "json")
        with pytest.raises(AssertionError):
            assert_same_records(other, "[NaN]", "json")


def test_the_difference_of_equal_numbers_need_not_be_zero() -> None:
    assert_same_records(f"[{-ABSOLUTE / 2!r}]", "[0.0]", "json")
    with pytest.raises(AssertionError):
        assert_same_records(f"[{2 * ABSOLUTE!r}]", "[0.0]", "json")


def test_records_are_compared_as_numbers_and_tables_letter_for_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.3333333333333333 is the mean AP of one document at rank 3."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKSCOPE_UPDATE_GOLDEN", raising=False)
    Path("qrels").write_text("q 0 d3 1\n")
    Path("run").write_text("".join(f"q Q0 d{i} {i} {9 - i} system\n" for i in (1, 2, 3)))
    args = ("evaluate", "qrels", "run", "-m", "AP")
    golden = Path("golden.txt")
    golden.write_text('{"system": "system", "measure": "AP", "query": "all", "value": 0.33333333333333}\n')
    assert_as_before(golden, (*args, "--format", "jsonl"), capsys)
    golden.write_text("runid                 \tall\tsystem\nmap                   \tall\t0.3333\n")
    assert_as_before(golden, (*args, "--format", "trec"), capsys)
    golden.write_text("runid                 \tall\tsystem\nmap                   \tall\t0.33330\n")
    with pytest.raises(AssertionError):
        assert_as_before(golden, (*args, "--format", "trec"), capsys)
    assert output_format(args) == "table"

"""What `rankscope evaluate` prints: tables letter for letter, numbers in full as numbers (printed.py)."""

from __future__ import annotations

import csv
import json
import re
from math import log2
from pathlib import Path

import pytest
from helpers.golden import COLLECTION, assert_as_before
from helpers.messages import mentions

from rankscope.reporting.tables import FORMATS

EXPECTED = Path(__file__).parent / "expected"
MEASURES = ("nDCG@10", "AP", "RR", "P@2", "NumRelRet")
BOTH = ("small.qrels", "alpha.run", "beta.run", *(word for m in MEASURES for word in ("-m", m)))

COMMAND = ("evaluate",)
#: Name of the golden file -> arguments of `evaluate`.
CASES: dict[str, tuple[str, ...]] = {
    **{f"{form}.txt": (*BOTH, "--format", form) for form in FORMATS},
    **{f"{form}-by-query.txt": (*BOTH, "--format", form, "--by-query") for form in FORMATS},
    "default.txt": ("small.qrels", "alpha.run"),
    "one-measure.txt": ("small.qrels", "alpha.run", "-m", "nDCG(gain='exp')@10"),
    "missing-drop.txt": (*BOTH, "--missing", "drop", "--by-query"),
    "missing-drop-json.txt": (*BOTH, "--missing", "drop", "--by-query", "--format", "jsonl"),
    "no-relevant-one.txt": (*BOTH, "--no-relevant", "one", "--by-query"),
    "rel-2.txt": (*BOTH, "--rel", "2"),
    "trec_eval.txt": ("small.qrels", "alpha.run", "--preset", "trec_eval", "--format", "trec", "--by-query"),
    "gdeval.txt": ("small.qrels", "alpha.run", "beta.run", "--preset", "gdeval"),
    "conventions.txt": ("small.qrels", "alpha.run", "beta.run", "--conventions", "nDCG@10"),
    **{
        f"conventions-{form}.txt": ("small.qrels", "alpha.run", "--conventions", "AP", "--format", form)
        for form in ("csv", "latex", "markdown")
    },
}


@pytest.mark.parametrize("name", CASES)
def test_the_command_prints_what_it_printed_before(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COLLECTION)
    assert_as_before(EXPECTED / name, (*COMMAND, *CASES[name]), capsys)


def test_every_golden_file_has_its_case_and_every_case_its_file() -> None:
    assert sorted(p.name for p in EXPECTED.iterdir()) == sorted(CASES)


# By hand. alpha ranks q1: d2 (0), d1 (2), d9 (not judged), d3 (1); q2: d5 (1) before d1 (1), since they are tied and
# d5 is the greater id; q10 has nothing relevant. beta ranks q1: d1 (2), d3 (1); it has no list for q2.
ALPHA_Q1_NDCG = (2 / log2(3) + 1 / log2(5)) / (2 / log2(2) + 1 / log2(3))
BY_HAND = {
    "alpha_1 & co": {
        "nDCG@10": {"q1": ALPHA_Q1_NDCG, "q10": 0, "q2": 1, "all": (ALPHA_Q1_NDCG + 0 + 1) / 3},
        "AP": {"q1": (1 / 2 + 2 / 4) / 2, "q10": 0, "q2": (1 / 1 + 2 / 2) / 2, "all": (1 / 2 + 0 + 1) / 3},
        "RR": {"q1": 1 / 2, "q10": 0, "q2": 1, "all": (1 / 2 + 0 + 1) / 3},
        "P@2": {"q1": 1 / 2, "q10": 0 / 2, "q2": 2 / 2, "all": (1 / 2 + 0 + 1) / 3},
        "NumRelRet": {"q1": 2, "q10": 0, "q2": 2, "all": 2 + 0 + 2},
    },
    "beta": {
        "nDCG@10": {"q1": 1, "q10": 0, "q2": 0, "all": (1 + 0 + 0) / 3},
        "AP": {"q1": (1 / 1 + 2 / 2) / 2, "q10": 0, "q2": 0, "all": (1 + 0 + 0) / 3},
        "RR": {"q1": 1, "q10": 0, "q2": 0, "all": (1 + 0 + 0) / 3},
        "P@2": {"q1": 2 / 2, "q10": 0, "q2": 0, "all": (1 + 0 + 0) / 3},
        "NumRelRet": {"q1": 2, "q10": 0, "q2": 0, "all": 2},
    },
}
BY_HAND_ROWS = [
    (system, measure, query, value)
    for system, measures in BY_HAND.items()
    for measure, queries in measures.items()
    for query, value in queries.items()
]


def golden(name: str) -> str:
    return (EXPECTED / name).read_text(encoding="utf-8")


def test_the_golden_csv_holds_the_numbers_worked_out_by_hand() -> None:
    rows = list(csv.DictReader(golden("csv-by-query.txt").splitlines()))
    assert [(r["system"], r["measure"], r["query"]) for r in rows] == [e[:3] for e in BY_HAND_ROWS]
    assert [float(r["value"]) for r in rows] == pytest.approx([e[3] for e in BY_HAND_ROWS], abs=1e-15)
    summary = list(csv.DictReader(golden("csv.txt").splitlines()))
    assert summary == [r for r in rows if r["query"] == "all"]


def test_the_golden_json_holds_the_same_records_as_the_csv() -> None:
    for part in ("", "-by-query"):
        rows = [{**r, "value": float(r["value"])} for r in csv.DictReader(golden(f"csv{part}.txt").splitlines())]
        assert json.loads(golden(f"json{part}.txt")) == rows
        assert [json.loads(line) for line in golden(f"jsonl{part}.txt").splitlines()] == rows


def cells(line: str) -> list[str]:
    return re.split(
        r"\s*\|\s*| & (?!co)|\s{2,}", line.replace(r"\\", "").replace(r"\_", "_").replace(r"\&", "&").strip("| ")
    )


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_the_golden_tables_hold_the_numbers_worked_out_by_hand_in_four_digits(form: str) -> None:
    lines = golden(f"{form}-by-query.txt").splitlines()
    found = [[c.strip() for c in cells(line)] for line in lines if line.lstrip("| ").startswith(("alpha", "beta"))]
    found = [row for row in found if len(row) == 2 + len(MEASURES)]
    expected = []
    for system, measures in BY_HAND.items():
        for query in ("q1", "q10", "q2", "all"):
            values = [measures[m][query] for m in MEASURES]
            expected.append([system, query, *(f"{v:.4f}" for v in values[:-1]), str(values[-1])])
    assert found == expected


def test_the_golden_trec_lines_are_those_of_trec_eval() -> None:
    names = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank", "P@2": "P_2", "NumRelRet": "num_rel_ret"}
    lines = []
    for system, measures in BY_HAND.items():
        # With several runs, each begins with its name.
        lines.append("%-22s\tall\t%s" % ("runid", system))  # noqa: UP031 - as trec_eval's source has it
        for query in ("q1", "q10", "q2", "all"):
            for measure in MEASURES:
                value = measures[measure][query]
                shown = "%d" % value if measure == "NumRelRet" else "%6.4f" % value  # noqa: UP031 - the same
                lines.append("%-22s\t%s\t%s" % (names[measure], query, shown))  # noqa: UP031 - the same
    assert golden("trec-by-query.txt").splitlines() == lines


def test_a_left_out_query_is_a_dash_and_no_part_of_the_mean() -> None:
    rows = {
        tuple(line.split()[:2]): line.split()[2:]
        for line in golden("missing-drop.txt").splitlines()
        if line.startswith("beta")
    }
    assert rows["beta", "q2"] == ["-"] * len(MEASURES)
    assert rows["beta", "all"][0] == f"{(1 + 0) / 2:.4f}"
    records = [json.loads(line) for line in golden("missing-drop-json.txt").splitlines()]
    assert {r["value"] for r in records if (r["system"], r["query"]) == ("beta", "q2")} == {None}


def test_what_was_done_with_lists_that_are_missing_is_said() -> None:
    assert mentions(golden("table.txt").splitlines(), "note: beta ", 1, "3 queries", "missing:zero")
    assert mentions(golden("missing-drop.txt").splitlines(), "note: beta ", 1, "3 queries", "missing:drop")
    assert mentions(golden("table.txt").splitlines(), "note: 1 query ", "no relevant")
    for name in CASES:
        if not name.startswith(("csv", "json", "trec", "missing-drop-json", "conventions")):
            assert "queries:3 | rankscope VERSION" in golden(name)


def test_the_golden_conventions_hold_the_numbers_worked_out_by_hand() -> None:
    """The standard one, as above; LETOR divides by the relevant documents that were retrieved, which were all."""
    rows = {
        row["convention"]: float(row["value"]) for row in csv.DictReader(golden("conventions-csv.txt").splitlines())
    }
    ap = BY_HAND["alpha_1 & co"]["AP"]
    assert rows["standard"] == pytest.approx(ap["all"], abs=1e-15)
    assert rows["letor4"] == pytest.approx(ap["all"], abs=1e-15)
    shown = {line.split()[0]: line.split()[1:3] for line in golden("conventions.txt").splitlines()[3:] if line}
    both = [BY_HAND[system]["nDCG@10"] for system in ("alpha_1 & co", "beta")]
    assert shown["standard"] == [f"{values['all']:.4f}" for values in both]
    assert shown["lightgbm"][1] == f"{(1 + 1 + 0) / 3:.4f}"  # q10, without relevant documents, counts as 1

"""The gate for machines: Markdown of at most 30 lines, JUnit's XML, JSON with one verdict."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from helpers.gate_tables import gated, made
from helpers.messages import mentions

import rankscope as rs
from rankscope import Gate, Run, gate
from rankscope.comparison.gate import GateSettings, gate_of_input, input_of_runs
from rankscope.comparison.gate.margins import Margin
from rankscope.reporting.gate_summary import gate_summary
from rankscope.reporting.junit import junit_xml
from rankscope.reporting.tables import as_json

QRELS = {f"q{i:02d}": {"a|b": 1, "x": 2} for i in range(24)}


def of_runs(measures: list[str], n_baselines: int = 1) -> Gate:
    def run(name: str, step: int) -> Run:
        return Run(
            {q: {"a|b": 3.0, "x": 4.0, **({"n": 9.0} if i % step == 0 else {})} for i, q in enumerate(QRELS)}, name=name
        )

    runs = [run(f"old{k}", 4 + k) for k in range(n_baselines)]
    given = input_of_runs(rs.Qrels(QRELS), [*runs, run("new", 2)], measures)
    return gate_of_input(given, GateSettings(margin=Margin(0.02)))


def table_rows(page: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines() if line.startswith("|")
    ]


def test_a_summary_has_the_verdict_the_numbers_and_the_documents_that_moved() -> None:
    found = of_runs(["nDCG@10", "P@1"])
    page = gate_summary(found)
    lines = page.splitlines()
    assert lines[0].endswith("rankscope gate: worse")
    assert lines[2] == found.sections()[0].sentence
    rows = table_rows(page)
    assert [row[:2] for row in rows[2:4]] == [["nDCG@10", "worse"], ["P@1", "worse"]]
    moved = next(row for row in rows if row[0] == "q02")
    assert moved[4] == r"x (grade 2): rank 1 to 2; a\|b (grade 1): rank 2 to 3"
    assert f"`{found.signature()}`" in lines
    assert mentions(lines, "note: 2 measures")


@pytest.mark.parametrize("n_baselines", [1, 3])
@pytest.mark.parametrize(
    "measures", [["AP"], ["nDCG@10", "AP", "RR", "P@1", "P@2", "R@1", "R@2", "ERR", "P@5", "nDCG"]]
)
def test_a_summary_has_at_most_30_lines(measures: list[str], n_baselines: int) -> None:
    page = gate_summary(of_runs(measures, n_baselines))
    assert len(page.splitlines()) <= 30
    n_verdicts = len(measures) * n_baselines
    assert (f"and {n_verdicts - 8} more" in page) == (n_verdicts > 8)


def test_a_summary_without_runs_has_no_documents() -> None:
    page = gate_summary(gated(np.linspace(-0.2, 0.3, 30)))
    assert "documents" not in page
    assert mentions(page.splitlines(), "q0", "-0.2000")


def test_tests_of_junit_are_the_verdicts() -> None:
    found = of_runs(["nDCG@10", "P@1"], 2)
    suite = ET.fromstring(junit_xml(found))
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == [
        "nDCG@10 against old0",
        "P@1 against old0",
        "nDCG@10 against old1",
        "P@1 against old1",
    ]
    failures = [case.find("failure") for case in cases]
    assert [None if x is None else x.get("type") for x in failures] == [
        None if part.verdict == "pass" else part.verdict for part in found.measure_gates
    ]
    assert int(suite.get("failures", "")) == sum(part.verdict != "pass" for part in found.measure_gates)
    assert suite.get("tests") == "4"
    assert mentions(suite.findtext("system-out") or "", found.signature(), "note: ")


def test_groups_are_tests_of_their_own_and_any_name_is_valid_xml() -> None:
    names = ["<a>\x01&", '"b"']
    frame = {"query": [f"q{i}" for i in range(40)], "group": [names[i % 2] for i in range(40)]}
    new, old = made(np.full(40, 0.5) + np.arange(40) / 100, system="n&w"), made(np.full(40, 0.5), system="old")
    found = gate(
        new.with_queries(frame, group="group"), old.with_queries(frame, group="group"), margin=0.1, by_group=0.1
    )
    cases = ET.fromstring(junit_xml(found)).findall("testcase")
    assert [case.get("name") for case in cases] == [
        "AP against old, group <a>\ufffd&",
        'AP against old, group "b"',
        "AP against old",
    ]
    assert cases[0].get("classname") == "rankscope.gate.n&w"


def test_json_has_one_verdict_and_the_rows() -> None:
    found = of_runs(["nDCG@10", "P@1"])
    content: dict[str, Any] = json.loads(as_json(found, False))
    assert (content["verdict"], content["exit_code"], content["system"]) == ("worse", 3, "new")
    assert content["baselines"] == ["old0"]
    assert content["signature"] == found.signature()
    assert content["notes"] == list(found.notes)
    assert [list(row) for row in content["rows"]] == [list(found.columns)] * 2

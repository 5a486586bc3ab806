"""`rankscope evaluate` with measures of diversity: from files to the table, and what it refuses."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

#: Query 1: a and b are about subtopic 1, c about 2 and 3; query 2: nobody was asked for more than one.
QRELS = "1 1 a 1\n1 1 b 2\n1 1 c 0\n1 2 c 1\n1 3 c 1\n2 1 a 1\n"
RUN = "1 Q0 a 1 3.5 bm25\n1 Q0 b 2 2.5 bm25\n1 Q0 c 3 1.5 bm25\n2 Q0 x 1 9.0 bm25\n2 Q0 a 2 8.0 bm25\n"


@pytest.fixture
def files(folder: Path) -> Path:
    """`qrels` by subtopic and `run` in the working folder."""
    (folder / "qrels").write_text(QRELS)
    (folder / "run").write_text(RUN)
    return folder


def values(done: Any) -> dict[tuple[str, str], float]:
    assert (done.code, done.err) == (0, "")
    return {(row["measure"], row["query"]): float(row["value"]) for row in csv.DictReader(io.StringIO(done.out))}


def test_judgments_are_read_by_subtopic_where_a_measure_asks_for_it(cli: Callable[..., Any], files: Path) -> None:
    measures = ("-m", "alpha_nDCG@2", "-m", "StRecall@2", "-m", "err_ia@2", "-m", "AP")
    found = values(cli("evaluate", "qrels", "run", *measures, "--by-query", "--format", "csv"))
    assert {key: value for key, value in found.items() if key[1] != "all"} == {
        ("alpha_nDCG@2", "1"): pytest.approx((1 + 0.5 / log2(3)) / (2 + 1 / log2(3))),
        ("alpha_nDCG@2", "2"): pytest.approx(1 / log2(3)),
        ("StRecall@2", "1"): pytest.approx(1 / 3),
        ("StRecall@2", "2"): 1,
        ("ERR_IA@2", "1"): pytest.approx((1 + 0.5 / 2) / (3 + 1.5 / 2)),
        ("ERR_IA@2", "2"): pytest.approx((1 / 2) / (1 + 0.5 / 2)),
        ("AP", "1"): 1,
        ("AP", "2"): 1 / 2,
    }


def test_the_table_says_level_alpha_and_beta(cli: Callable[..., Any], files: Path) -> None:
    done = cli("evaluate", "qrels", "run", "-m", "alpha_nDCG@5", "-m", "NRBP(beta=0.8)", "-m", "P_IA@5", "--rel", "2")
    assert done.code == 0
    assert "alpha_nDCG@5[rel:2,alpha:0.5] NRBP(beta=0.8)[rel:2,alpha:0.5,beta:0.8] P_IA@5[rel:2] |" in done.out
    assert mentions(done.out.splitlines(), "note: 1 query ", "no relevant")


def test_where_no_query_has_more_than_one_subtopic_a_note_says_so(cli: Callable[..., Any], files: Path) -> None:
    (files / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    done = cli("evaluate", "qrels", "run", "-m", "StRecall@5")
    assert done.code == 0
    assert mentions(done.out.splitlines(), "note: ", "subtopic", "diversity")


def test_judgments_come_from_standard_input_too(
    cli: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Standard:
        buffer = io.BufferedReader(io.BytesIO(QRELS.encode()))

    monkeypatch.setattr("sys.stdin", Standard())
    assert values(cli("evaluate", "-", "run", "-m", "StRecall@2", "--format", "csv"))["StRecall@2", "all"] == (
        pytest.approx((1 / 3 + 1) / 2)
    )


def test_the_measures_are_listed_and_explained(cli: Callable[..., Any]) -> None:
    listed = cli("measures").out
    names = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "AP_IA", "P_IA", "NRBP", "nNRBP", "StRecall")
    assert all(f"\n{name}" in listed or f" {name}" in listed for name in names)
    assert "Clarke et al. (2008)" in cli("measures", "alpha_nDCG").out


@pytest.mark.parametrize(
    ("qrels", "measure", "said"),
    [
        ("1 1 a 1\n1 a 1\n", "StRecall@5", "qrels:2: 3 fields, expected 4 (query subtopic document relevance)"),
        ("1 1 a 1\n1 1 a 0\n", "StRecall@5", "qrels:2: document 'a' of subtopic '1' of query '1' occurs twice"),
        ("query_id,doc_id,relevance\n1,a,1\n", "StRecall@5", "qrels: no column 'subtopic'"),
        ("query_id,subtopic,doc_id,relevance\n1,1,a,1\n1,,b,1\n", "StRecall@5", "qrels:3: subtopic is empty"),
        (QRELS, "AP", "qrels:4: document 'c' of query '1' occurs twice, first at qrels:3;"),
        (QRELS, "alpha_nDCG(alpha=2)@5", "expected a number from 0 to 1"),
        (QRELS, "alpha_nCDG@5", "did you mean alpha_nDCG"),
        (QRELS, "NRBP@5", "no cutoff"),
    ],
)
def test_bad_input_ends_in_one_line_and_exit_code_2(
    cli: Callable[..., Any], files: Path, qrels: str, measure: str, said: str
) -> None:
    (files / "qrels").write_text(qrels)
    done = cli("evaluate", "qrels", "run", "-m", measure, "-o", "out")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("rankscope: ")
    assert said in done.err
    assert not (files / "out").exists()

"""`rankscope plan`: from files to the sentence, every format, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import evaluate, plan, standardise

COLUMNS = ["measure", "method", "difference", "power", "n_queries"]


@pytest.fixture
def files(folder: Path) -> Path:
    """`qrels` of eight queries and three runs, one of which lacks a query."""
    ranks = {"good": "11213121", "poor": "21332413", "odd": "1432412"}
    (folder / "qrels").write_text("".join(f"{q} 0 a 1\n" for q in range(8)))
    for name, of in ranks.items():
        lines = []
        for q, rank in enumerate(of):
            docs = list("xyz")
            docs.insert(int(rank) - 1, "a")
            lines += [f"{q} Q0 {doc} {i} {-i} {name}\n" for i, doc in enumerate(docs, 1)]
        (folder / f"{name}.run").write_text("".join(lines))
    return folder


def records(done: Any) -> list[dict[str, str]]:
    assert (done.code, done.err) == (0, "")
    return list(csv.DictReader(io.StringIO(done.out)))


def test_it_answers_in_a_sentence(cli: Callable[..., Any], files: Path) -> None:
    done = cli("plan", "qrels", "good.run", "poor.run", "-m", "RR", "--difference", "0.2")
    assert (done.code, done.err) == (0, "")
    said = " ".join(done.out.split("\n\n")[1].split())
    assert mentions(said, 0.2, "RR", "80 % power")
    assert mentions(said, "you have 8")
    assert mentions(
        done.out.splitlines(),
        "| queries:8 | difference:0.2",
        "| power:0.8 | alpha:0.05",
        "| alternative:two-sided | rankscope",
    )


def test_options_are_those_of_the_function(cli: Callable[..., Any], files: Path) -> None:
    runs = ["good.run", "poor.run", "odd.run"]
    options = ("--baseline", "poor", "--difference", ".1", "--width", ".5", "--power", ".9", "--alpha", ".01")
    more = ("--alternative", "greater", "--at-hand", "20", "--standardise", "z", "-m", "RR", "-m", "P@1")
    found = records(cli("plan", "qrels", *runs, *options, *more, "--format", "csv"))
    expected = plan(
        standardise(evaluate("qrels", list(runs), ["RR", "P@1"])),
        baseline="poor",
        difference=0.1,
        width=0.5,
        power=0.9,
        alpha=0.01,
        alternative="greater",
        n_queries=20,
    )
    assert [list(row) for row in found[:1]] == [COLUMNS]
    assert_same_bits(
        [[row[c] for c in COLUMNS] for row in found],
        [["" if cell is None or cell != cell else str(cell) for cell in row] for row in expected.records()],
    )
    assert {row["measure"] for row in found} == {"RR", "P@1"}


@pytest.mark.parametrize("format_", ["table", "csv", "json", "jsonl", "latex", "markdown"])
def test_every_format_is_written(cli: Callable[..., Any], files: Path, format_: str) -> None:
    done = cli("plan", "qrels", "good.run", "poor.run", "-m", "RR", "--format", format_, "-o", "out")
    assert (done.code, done.out, done.err) == (0, "", "")
    text = (files / "out").read_text()
    assert "RR" in text
    if format_ == "json":
        assert list(json.loads(text)[0]) == COLUMNS


def test_other_options_are_those_of_evaluate(cli: Callable[..., Any], files: Path) -> None:
    done = cli("plan", "qrels", "good.run", "odd.run", "-m", "RR", "--missing", "drop")
    assert done.code == 0
    assert "missing:drop" in done.out
    assert mentions(done.out.splitlines(), "RR: ", "1 query", 8)
    assert "With 7 queries" in " ".join(done.out.split())


def test_a_table_of_ranks_has_one_query_and_that_says_nothing_of_spread(cli: Callable[..., Any], files: Path) -> None:
    (files / "ranks.tsv").write_text("paper\tA\tB\nX\t1\t2\nY\t5\t9\n")
    done = cli("plan", "ranks.tsv", "--input", "entity-ranks", "-m", "AP")
    assert (done.code, done.err) == (0, "")
    assert mentions(done.out, "one query")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "0"], "'--alpha': 0.0 is not in the range 0<x<1"),
        (["--alpha", "1.5"], "'--alpha': 1.5 is not in the range 0<x<1"),
        (["--power", "1"], "'--power': 1.0 is not in the range 0<x<1"),
        (["--power", "nan"], "power is nan, expected a number between 0 and 1"),
        (["--power", "0.01"], "power is 0.01, which a test at the level 0.05 has by chance"),
        (["--difference", "0"], "'--difference': 0.0 is not in the range x>0"),
        (["--difference", "-0.1"], "'--difference': -0.1 is not in the range x>0"),
        (["--difference", "inf"], "difference is inf, expected a number above 0"),
        (["--difference", "2"], "difference is 2, and RR lies between 0 and 1"),
        (["--difference", "much"], "'much' is not a number, expected one in the range x>0"),
        (["--width", "-1"], "'--width': -1.0 is not in the range x>0"),
        (["--baseline", "goof"], "unknown system of these scores 'goof'; did you mean good?"),
        (["--alternative", "up"], "'up' is not one of"),
        (["--standardise", "rank"], "'rank' is not one of"),
        (["--at-hand", "1"], "'--at-hand': 1 is not in the range x>=2; see `rankscope plan --help`"),
        (["-m", "NumRel"], "of NumRel neither higher nor lower is better"),
        (["-o", "qrels"], "qrels"),
    ],
)
def test_what_makes_no_sense_ends_in_one_line(
    cli: Callable[..., Any], files: Path, arguments: list[str], message: str
) -> None:
    before = {path.name for path in files.iterdir()}
    done = cli("plan", "qrels", "good.run", "poor.run", "-m", "RR", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("rankscope: ")
    assert message in done.err
    assert {path.name for path in files.iterdir()} == before


def test_one_run_and_none_are_refused(cli: Callable[..., Any], files: Path) -> None:
    for runs, message in ((["good.run"], "one run"), ([], "Missing argument 'RUN...'")):
        done = cli("plan", "qrels", *runs)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert message in done.err


def test_a_wrong_argument_is_told_before_anything_is_read(cli: Callable[..., Any], files: Path) -> None:
    done = cli("plan", "nowhere", "good.run", "poor.run", "--alpha", "2")
    assert mentions(done.err, "'--alpha'", 2.0)

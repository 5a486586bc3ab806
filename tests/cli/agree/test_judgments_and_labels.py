"""`rankscope agree judgments` and `labels`: what they print, in which formats, and what they refuse."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope.io.tables import read_label_table
from rankscope.reporting.tables import RESULT_FORMATS

LABELS = "id,true,predicted\n1,yes,yes\n2,no,no\n3,yes,yes\n4,no,yes\n5,yes,no\n"


@pytest.fixture
def files(folder: Path) -> Path:
    """Beside `qrels` and `run`: a second judge, a second run, and labels."""
    (folder / "machine").write_text("1 0 a 1\n1 0 b 1\n2 0 a 0\n")
    (folder / "other").write_text("1 Q0 b 1 2.5 other\n1 Q0 a 2 1.5 other\n2 Q0 a 1 9.0 other\n")
    (folder / "labels.csv").write_text(LABELS)
    return folder


def rows(done: Any) -> dict[tuple[str, ...], float]:
    assert done.code == 0, done.err
    records = json.loads(done.out)
    names = [name for name in ("statistic", "label", "measure", "system") if name in records[0]]
    return {tuple(r[name] for name in names): r["value"] for r in records}


def test_judgments_are_compared_and_systems_ranked(cli: Callable[..., Any], files: Path) -> None:
    found = rows(cli("agree", "judgments", "qrels", "machine", "run", "other", "-m", "P@1", "--format", "json"))
    assert found["agreement", "", "", ""] == 1 / 3  # grades 1 1, 0 1, 2 0
    assert found["precision", "relevant", "", ""] == 1 / 2
    # P@1 of `run` is 1 and 0 for the people, of `other` 0 and 1; for the machine 1 and 0, 1 and 0.
    assert found["mean_a", "", "P@1", "bm25"] == (1 + 0) / 2
    assert found["mean_b", "", "P@1", "other"] == (1 + 0) / 2
    text = cli("agree", "judgments", "qrels", "machine").out
    assert mentions(text.splitlines()[0], "qrels", "machine")
    assert mentions(text.splitlines(), "| rel:1 | beta:1", "| alpha:ordinal |", "confidence:0.95 | documents:3 |")


def test_machines_are_beside_people(cli: Callable[..., Any], files: Path) -> None:
    text = "doc,ann,bob,gpt\n" + "".join(
        f"{i // 2},{x},{y},{z}\n" for i, (x, y, z) in enumerate(["aab", "bbb", "abb"] * 9)
    )
    Path("three.csv").write_text(text)
    args = ["agree", "labels", "three.csv", "--raters", "ann,bob,gpt", "--machines", "gpt", "--resamples", "50"]
    found = json.loads(cli(*args, "--statistic", "kappa", "--format", "json").out)
    (ceiling,) = [row["value"] for row in found if row["statistic"] == "kappa_of_people"]
    (people,) = [
        row["value"] for row in found if (row["rater"], row["statistic"], row["other"]) == ("ann", "kappa", "bob")
    ]
    assert ceiling == pytest.approx(people)
    printed = cli(*args, "--columns", "cluster=doc").out
    assert mentions(printed.splitlines(), "gpt beside people")
    assert mentions(printed, "agree systems")
    assert mentions(printed, "clusters:14 | items:27")
    assert "Confusion matrix" not in printed
    assert "Confusion matrix of ann and bob" in cli(*args, "--details").out


def test_labels_are_compared(cli: Callable[..., Any], files: Path) -> None:
    found = rows(cli("agree", "labels", "labels.csv", "--format", "json"))
    assert found["agreement", ""] == 3 / 5
    assert found["recall", "yes"] == 2 / 3
    other = rows(cli("agree", "labels", "labels.csv", "--positive", "no", "--beta", "2", "--format", "json"))
    assert other["recall", "no"] == 1 / 2
    assert other["fscore", "no"] == 5 * 1 / (5 * 1 + 4 * 1 + 1)
    assert mentions(
        cli("agree", "labels", "labels.csv").out, "raters:true,predicted | positive:yes | beta:1", "| items:5 |"
    )
    shares = cli("agree", "labels", "labels.csv", "--normalise", "row").out
    assert mentions(shares, "share", "its row")


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_every_format_goes_to_a_file_too(cli: Callable[..., Any], files: Path, format_: str) -> None:
    for args in (["judgments", "qrels", "machine", "run"], ["labels", "labels.csv"]):
        printed = cli("agree", *args, "--format", format_)
        assert printed.code == 0
        assert cli("agree", *args, "--format", format_, "-o", "out").out == ""
        assert_same_bits(Path("out").read_text(), printed.out)


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "parquet", "csv.gz"])
def test_labels_are_read_from_any_table(cli: Callable[..., Any], files: Path, kind: str) -> None:
    frame = pl.read_csv(io.StringIO(LABELS))
    path = f"labels.{kind}"
    if kind == "tsv":
        frame.write_csv(path, separator="\t")
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "parquet":
        frame.write_parquet(path)
    else:
        Path(path).write_bytes(gzip.compress(LABELS.encode()))
    assert cli("agree", "labels", path).out == cli("agree", "labels", "labels.csv").out


def test_labels_of_a_text_file_are_numbers_where_all_are(files: Path) -> None:
    Path("numbers.csv").write_text("# a comment\n\ny_true,y_pred\n10,9\n9,-0.5\n")
    assert list(read_label_table("numbers.csv").labels.values()) == [[10, 9], [9, -0.5]]
    Path("codes.csv").write_text("true,predicted\n007,7\n7,7\n")
    assert list(read_label_table("codes.csv").labels.values()) == [["007", "7"], ["7", "7"]]


def test_a_label_is_named_as_it_is_printed(cli: Callable[..., Any], files: Path) -> None:
    Path("numbers.csv").write_text("true,predicted\n1,1\n2,3\n3,2\n")
    for positive in ("2", "2.0", "+2"):
        assert "2 or not" in cli("agree", "labels", "numbers.csv", "--positive", positive).out


def test_numbers_written_in_two_ways_are_one_label(cli: Callable[..., Any], files: Path) -> None:
    Path("numbers.csv").write_text("true,predicted\n1,1.0\n0,0.0\n")
    assert rows(cli("agree", "labels", "numbers.csv", "--format", "json"))["agreement", ""] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "bad: the file is empty, expected a header line, as true,predicted or alice"),
        ("# nothing\n", "bad: comments only, expected a header line"),
        ("true,predicted\n", "bad: a header and no rows, expected a header line, as true,predicted"),
        ("a,b\n1,2\n", "bad:1: no columns of true and predicted labels among 'a', 'b'; name the columns of"),
        ("\n# x\ntrue,b\n1,2\n", "bad:3: no columns of true and predicted labels among 'true', 'b'"),
        (
            "true,predicted\n1,\n,2\n",
            "bad: no item has labels of two raters (true and predicted), expected at least one",
        ),
        ("true,predicted\n1,2\n1\n", "bad:3: 1 field, expected 2 (true, predicted); correct this line"),
        ("true,True,predicted\n1,2,3\n", "bad:1: the columns 'true' and 'True' differ in case or blanks only"),
        ("true,predicted\n1,2\n1,2,3\n", "bad:3: 3 fields, expected 2 (true, predicted); correct this line"),
        ('{"true": 1}\n', "bad:1: no columns of true and predicted labels among 'true'"),
        (
            '{"true": 1, "predicted": 1}\n{"true": 1}\n',
            "bad: there is only the label 1 from two raters or more (1 item)",
        ),
        ('{"true": 1, "predicted": [1]}\n', "bad: column 'predicted' holds List"),
        ('{"true": 1, "predicted": 1}\nnonsense\n', "bad:2: not a JSON object"),
        (
            "true,predicted\n1,1\n1,1\n",
            "bad: there is only the label 1 from two raters or more (2 items)",
        ),
        ("true,predicted\n1,1.0\n", "bad: there is only the label 1 from two raters or more (1 item)"),
        (
            '{"true": "a", "predicted": 1}\n',
            "bad: the labels of true are text and those of predicted numbers; expected one kind",
        ),
    ],
)
def test_bad_tables_are_refused_in_one_line_with_file_and_line(
    cli: Callable[..., Any], files: Path, content: str, message: str
) -> None:
    Path("bad").write_text(content)
    done = cli("agree", "labels", "bad")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rankscope: {message}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["judgments", "qrels"], "Missing argument 'QRELS_B'"),
        (["judgments", "qrels", "none"], "none: no such file"),
        (["judgments", "qrels", "machine", "-m", "AP"], "measures and their options need runs"),
        (["judgments", "qrels", "machine", "--missing", "drop"], "measures and their options need runs"),
        (["judgments", "qrels", "machine", "--rel", "0"], "Invalid value for '--rel': '0'"),
        (["judgments", "qrels", "machine", "run", "-m", "NDGC@10"], "unknown measure 'NDGC@10'; did you mean nDCG@10?"),
        (["judgments", "qrels", "machine", "run", "--input", "letor"], "two judges are compared on judgments and runs"),
        (["judgments", "qrels", "machine", "-o", "qrels"], "qrels"),
        (["judgments", "-", "-"], "standard input (-) can stand for one file only"),
        (["labels"], "Missing argument 'FILE'"),
        (["labels", "labels.csv", "--positive", "maybe"], "the positive class 'maybe' is none of the labels"),
        (["labels", "labels.csv", "--confidence-level", "95"], "'--confidence-level': 95.0 is not in the range 0<x<1"),
        (["labels", "labels.csv", "--machines", "gpt"], "machines (--machines) has 'gpt', which is none of the raters"),
        (["labels", "labels.csv", "--machines", "true,predicted"], "machines (--machines) names all raters"),
        (["labels", "labels.csv", "--raters", "true"], "expected those of two raters or more"),
        (["labels", "labels.csv", "--statistic", "kappa_linear"], "needs three labels or more with an order"),
        (["labels", "labels.csv", "--margin", "-1"], "'--margin': -1.0 is not in the range x>=0"),
        (["labels", "labels.csv", "--resamples", "0"], "'--resamples': 0 is not in the range"),
        (["labels", "labels.csv", "--order", "no"], "the label 'yes' is not in order (--order), which is no;"),
        (["labels", "labels.csv", "--beta", "0"], "'--beta': 0.0 is not in the range x>0"),
        (["judgments", "qrels", "machine", "--confidence-level", "2"], "'--confidence-level': 2.0 is not in the range"),
        (["measures", "qrels", "run", "--confidence-level", "2"], "'--confidence-level': 2.0 is not in the range"),
        (["measures", "qrels", "run", "--resamples", "0"], "'--resamples': 0 is not in the range"),
        (["measures", "qrels", "run", "--seed", "-1"], "'--seed': -1 is not in the range x>=0"),
        (["measures", "qrels", "run"], "add runs, or correlate by queries (--by queries, by='queries')"),
        (
            ["measures", "qrels", "run", "other", "--by", "queries", "--interval", "fisher"],
            "choose --interval bootstrap",
        ),
        (["judgments", "qrels", "machine", "run", "--unjudged", "bounds"], "--unjudged bounds (unjudged='bounds') has"),
        (["labels", "labels.csv", "-o", "labels.csv"], "labels.csv"),
        (["nothing"], "No such command"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(
    cli: Callable[..., Any], files: Path, args: list[str], message: str
) -> None:
    done = cli("agree", *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_the_overview_lists_all_commands_and_loads_nothing_heavy(cli: Callable[..., Any]) -> None:
    out = cli("agree").out
    assert out == cli("agree", "--help").out
    assert all(f"\n  {name} " in out for name in ("judgments", "labels", "measures"))
    script = (
        "import sys; from rankscope.cli.main import main\ntry: main(['agree', '--help'])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"scipy", "polars", "altair", "rankscope.cli.agree.measures"} & set(done.stderr.split())


def test_a_run_comes_from_standard_input(cli: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = ["-m", "RR", "--format", "json"]
    want = rows(cli("agree", "judgments", "qrels", "machine", "run", *args))
    piped = io.TextIOWrapper(io.BufferedReader(io.BytesIO(Path("run").read_bytes())))
    monkeypatch.setattr(sys, "stdin", piped)
    assert repr(rows(cli("agree", "judgments", "qrels", "machine", "-", *args))) == repr(want)

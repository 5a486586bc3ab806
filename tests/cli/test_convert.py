"""`rankscope convert`: what it writes, letter for letter, what it says, and its exit codes."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]

RUN = "q1 Q0 d2 1 2.50 bm25\nq1 Q0 é 2 .1 bm25\nq2 Q0 d1 1 1e-7 bm25\n"
NOTE = "note: the run's name 'bm25' is not kept: {} has no place for it\n"
EXPECTED = {
    "trec": "q1 Q0 d2 1 2.5 bm25\nq1 Q0 é 2 0.1 bm25\nq2 Q0 d1 1 1e-07 bm25\n",
    "csv": "query_id,doc_id,score\nq1,d2,2.5\nq1,é,0.1\nq2,d1,1e-7\n",
    "tsv": "query_id\tdoc_id\tscore\nq1\td2\t2.5\nq1\té\t0.1\nq2\td1\t1e-7\n",
    "jsonl": '{"query_id":"q1","doc_id":"d2","score":2.5}\n{"query_id":"q1","doc_id":"é","score":0.1}\n'
    '{"query_id":"q2","doc_id":"d1","score":1e-7}\n',
    "json": '{\n"q1": {"d2": 2.5, "é": 0.1},\n"q2": {"d1": 1e-07}\n}\n',
}
QRELS = {
    "trec": "1 0 a 1\n1 0 b 0\n2 0 a 2\n",
    "csv": "query_id,doc_id,relevance\n1,a,1\n1,b,0\n2,a,2\n",
    "json": '{\n"1": {"a": 1, "b": 0},\n"2": {"a": 2}\n}\n',
}


@pytest.mark.parametrize("form", EXPECTED)
def test_a_run_is_written_letter_for_letter(cli: Cli, folder: Path, form: str) -> None:
    (folder / "bm25.txt").write_text(RUN, encoding="utf-8")
    done = cli("convert", "bm25.txt", "-", "--to", form)
    assert (done.code, done.out) == (0, EXPECTED[form])
    assert done.err == ("" if form == "trec" else NOTE.format(form))
    done = cli("convert", "bm25.txt", f"bm25.{form}")
    assert done == (0, "", "")
    assert (folder / f"bm25.{form}").read_text(encoding="utf-8") == EXPECTED[form]


@pytest.mark.parametrize("form", QRELS)
def test_judgments_are_written_letter_for_letter(cli: Cli, folder: Path, form: str) -> None:
    assert cli("convert", "qrels", "-", "--to", form) == (0, QRELS[form], "")
    assert cli("convert", "qrels", "out", "--to", form) == (0, "", "")
    assert (folder / "out").read_text() == QRELS[form]


def test_standard_input_is_read(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(RUN.encode()))))
    assert cli("convert", "-", "bm25.json") == (0, "", "")
    assert (folder / "bm25.json").read_text(encoding="utf-8") == EXPECTED["json"]


def test_a_converted_collection_gives_the_same_values(cli: Cli, folder: Path) -> None:
    expected = cli("evaluate", "qrels", "run", "-m", "AP", "--by-query", "--format", "csv")
    for suffix in ("json.gz", "parquet", "tsv.zst", "jsonl"):
        assert cli("convert", "run", f"bm25.{suffix}").code == 0
        assert cli("convert", "qrels", f"judged.{suffix}").code == 0
        found = cli("evaluate", f"judged.{suffix}", f"bm25.{suffix}", "-m", "AP", "--by-query", "--format", "csv")
        assert found == expected


def test_letor_predictions_become_a_run(cli: Cli, folder: Path) -> None:
    (folder / "test.txt").write_text("1 qid:1 1:2 #docid = a\n0 qid:1 1:3 #docid = b\n")
    (folder / "svm.txt").write_text("0.5\n1.5\n")
    assert cli("convert", "svm.txt", "out.run", "--input", "letor", "--labels", "test.txt") == (0, "", "")
    assert (folder / "out.run").read_text() == "1 Q0 a 2 0.5 svm\n1 Q0 b 1 1.5 svm\n"


REFUSED = {
    "no such file": (("nowhere", "out.csv"), "nowhere: no such file; check the path"),
    "no format": (("run", "out"), "out: no suffix names a format; add --to"),
    "unknown format": (("run", "out", "--to", "xml"), "Invalid value for '--to'"),
    "not to be told": (("whole.json", "out.csv"), "choose one with --kind qrels or --kind run"),
    "named otherwise": (("qrels", "out.run"), "named as a run, but qrels holds judgments"),
    "itself": (("run", "run", "--to", "trec"), "is also an input and would be overwritten"),
    "a blank": (("blank.json", "out.run"), "the document id 'a b' is empty or holds a blank"),
    "no folder": (("run", "no/out.csv"), "the folder no does not exist"),
    "damaged": (("bad.json", "out.csv"), "bad.json:1: not valid JSON"),
    "two standard inputs": (("-", "o.run", "--input", "letor", "--labels", "-"), "can stand for one file only"),
    "no argument": (("run",), "Missing argument 'OUT'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_ends_in_one_line_exit_code_2_and_no_file(cli: Cli, folder: Path, case: str) -> None:
    (folder / "whole.json").write_text('{"1": {"a": 1}}')
    (folder / "blank.json").write_text('{"1": {"a b": 1.5}}')
    (folder / "bad.json").write_text('{"1": {"a": 1.5')
    before = sorted(folder.iterdir())
    args, said = REFUSED[case]
    done = cli("convert", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("rankscope: ")
    assert sorted(folder.iterdir()) == before


def test_a_refusal_prints_nothing_on_standard_output(cli: Cli, folder: Path) -> None:
    lines = "".join(f"1,d{i},2.5\n" for i in range(100_000))
    (folder / "big.csv").write_text(f"query_id,doc_id,score\n{lines}1,a b,1\n")
    done = cli("convert", "big.csv", "-", "--to", "trec")
    assert (done.code, done.out) == (2, "")
    assert "'a b'" in done.err

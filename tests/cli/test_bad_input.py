"""Bad input ends in one line that says what and where and what to do, exit code 2, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.refusals import assert_refused

from rankscope.cli.main import main

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GOOD_RUN = b"1 Q0 a 1 2.5 bm25\n1 Q0 b 2 1.5 bm25\n"
GOOD_QRELS = b"1 0 a 1\n1 0 b 0\n"
BIG = b"".join(b"%d Q0 d%d %d %d t\n" % (i // 100, i % 100, i, -i) for i in range(20_000))


def listing(folder: Path) -> dict[str, bytes | None]:
    paths = sorted(folder.rglob("*"))
    return {str(p): p.read_bytes() if p.is_file() and os.access(p, os.R_OK) else None for p in paths}


@pytest.fixture
def refuse(cli: Callable[..., Any], folder: Path) -> Callable[..., None]:
    """Calls `evaluate ... -o out`, with and without an `out` that is there already, and sees that nothing changes."""

    def call(*args: object, said: tuple[str, ...]) -> None:
        before = listing(folder)
        assert_refused(cli("evaluate", *args), *said)
        assert_refused(cli("evaluate", *args, "-o", "out"), *said)
        assert listing(folder) == before
        (folder / "out").write_text("precious")
        before = listing(folder)
        assert_refused(cli("evaluate", *args, "-o", "out"), *said)
        assert listing(folder) == before
        (folder / "out").unlink()

    return call


def png() -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))


# What is wrong with a file: its content, and what the message says after the file's name.
BAD_FILES = {
    "empty": (b"", ": the file is empty, expected at least one line"),
    "blank": (b" \n\t\r\n", ": no data, only comments and blank lines"),
    "comments": (b"# 1 0 a 1\n", ": no data, only comments and blank lines"),
    "binary": (png(), ": a binary file (it contains NUL bytes), expected text in UTF-8"),
    "utf16": ("1 0 a 1\n".encode("utf-16"), ": the text is UTF-16, expected UTF-8; convert it"),
    "utf16 without a mark": ("1 0 a 1\n".encode("utf-16-le"), ": the text looks like UTF-16, expected UTF-8"),
    "truncated gzip": (gzip.compress(BIG)[:-20], ": the compressed file is truncated or damaged"),
    "gzip of two bytes": (b"\x1f\x8b", ": the compressed file is truncated or damaged"),
    "damaged gzip": (gzip.compress(BIG)[:1000] + b"x" * 3000, ": the compressed file is truncated or damaged"),
    "truncated zstd": (zstd.compress(BIG)[:-20], ": the compressed file is truncated or damaged"),
    "damaged zstd": (zstd.compress(BIG)[:30] + b"x" * 3000, ": the compressed file is truncated or damaged"),
    "gzip of nothing": (gzip.compress(b""), ": the file is empty"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
@pytest.mark.parametrize("role", ["qrels", "run"])
def test_a_file_that_is_none_of_ours_is_refused(
    refuse: Callable[..., None], folder: Path, role: str, kind: str
) -> None:
    content, said = BAD_FILES[kind]
    (folder / "bad").write_bytes(content)
    args = ("bad", "run") if role == "qrels" else ("qrels", "bad")
    refuse(*args, said=(f"rankscope: bad{said}",))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"2 Q0 a 1\n", "4 fields, expected 6 (query Q0 document rank score tag)"),
        (b"2\n", "1 field, expected 6"),
        (b"2 Q0 a 1 high t\n", "score 'high', expected a finite number (the line is query Q0 document rank score tag)"),
        (b"2 Q0 a 1 nan t\n", "score 'nan', expected a finite number"),
        (b"2 Q0 a 1 inf t\n", "score 'inf', expected a finite number"),
        (b"2 Q0 a 1 -Infinity t\n", "score '-Infinity', expected a finite number"),
        (b"2 Q0 a 1 1e999 t\n", "score '1e999', expected a finite number"),
        (b"2 Q0 a 1 0x1 t\n", "score '0x1', expected a finite number"),
        (b"1 Q0 a 3 1 t\n", "document 'a' of query '1' occurs twice, first at bad:1; "),
        (
            b"9 Q0 x 1 1 t\n9 Q0 y 1 1 t\n1 Q0 b 9 0.1 t\n",
            ":5: document 'b' of query '1' occurs twice, first at bad:2; ",
        ),
    ],
)
def test_a_bad_line_of_a_run_is_named(refuse: Callable[..., None], folder: Path, content: bytes, said: str) -> None:
    (folder / "bad").write_bytes(GOOD_RUN + content)
    refuse("qrels", "bad", said=("rankscope: bad:", said if said.startswith(":") else f"bad:3: {said}"))
    refuse("qrels", "run", "bad", said=("rankscope: bad:", said))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"2 0 a\n", "3 fields, expected 4 (query 0 document relevance)"),
        (b"2 0 a 1 1\n", "5 fields, expected 4"),
        (b"2 0 a 0.5x\n", "relevance '0.5x', expected a finite number below 2^53 (the line is query 0"),
        (b"2 0 a high\n", "relevance 'high', expected a finite number"),
        (b"2 0 a nan\n", "relevance 'nan', expected a finite number"),
        (b"1 0 a 0\n", "document 'a' of query '1' occurs twice, first at bad:1; "),
    ],
)
def test_a_bad_line_of_qrels_is_named(refuse: Callable[..., None], folder: Path, content: bytes, said: str) -> None:
    (folder / "bad").write_bytes(GOOD_QRELS + content)
    refuse("bad", "run", said=(f"rankscope: bad:3: {said}",))


def test_a_document_that_comes_again_blocks_later_is_named_with_both_lines(
    refuse: Callable[..., None], folder: Path
) -> None:
    """The file is larger than what is read at a time, and its query comes back at the end."""
    lines = [b"1 Q0 filler%060d %d %d t\n" % (i, i, -i) for i in range(30_000)]
    (folder / "apart").write_bytes(b"2 Q0 a 1 1 t\n" + b"".join(lines) + b"2 Q0 a 9 0 t\n")
    refuse(
        "qrels", "apart", said=("rankscope: apart:30002: document 'a' of query '2' occurs twice, first at apart:1; ",)
    )
    (folder / "together").write_bytes(b"".join(lines) + b"1 Q0 filler%060d 9 0 t\n" % 7)
    refuse("qrels", "together", said=("rankscope: together:30001: ", "occurs twice, first at together:8; "))


@pytest.mark.parametrize("role", ["qrels", "run"])
def test_a_file_that_is_not_there_is_named(refuse: Callable[..., None], folder: Path, role: str) -> None:
    args = ("nowhere", "run") if role == "qrels" else ("qrels", "nowhere")
    refuse(*args, said=("rankscope: nowhere: no such file; check the path",))


def test_a_folder_is_no_file_of_judgments_and_no_run_where_it_is_empty(
    refuse: Callable[..., None], folder: Path
) -> None:
    (folder / "sub").mkdir()
    refuse("sub", "run", said=("rankscope: sub: is a directory, expected a file",))
    refuse("qrels", "sub", said=("rankscope: sub: the folder contains nothing, expected the files of a run",))


def test_a_path_through_a_file_is_refused(refuse: Callable[..., None]) -> None:
    refuse("qrels", "run/x", said=("rankscope: run/x: cannot be read (Not a directory)",))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(refuse: Callable[..., None], folder: Path) -> None:
    (folder / "locked").write_bytes(GOOD_RUN)
    (folder / "locked").chmod(0)
    refuse("qrels", "locked", said=("rankscope: locked: cannot be read (Permission denied)",))


def test_an_error_names_file_and_document_letter_for_letter(refuse: Callable[..., None], folder: Path) -> None:
    (folder / "two  spaces").write_bytes("1 Q0 x\u00a0y 1 1 t\n1 Q0 x\u00a0y 2 0 t\n".encode())
    refuse("qrels", "two  spaces", said=("rankscope: two  spaces:2: ", "first at two  spaces:1"))
    (folder / "nbsp").write_bytes("1 Q0 d 1 1\u00a0000 t\n".encode())
    refuse("qrels", "nbsp", said=("nbsp:1: ",))


def test_an_id_that_holds_a_line_break_leaves_the_message_one_line(refuse: Callable[..., None], folder: Path) -> None:
    (folder / "table").write_bytes(b'query_id,doc_id,score\n"x\ny",d,1\n"x\ny",d,2\n')
    refuse("qrels", "table", said=("document 'd' of query 'x", "occurs twice"))
    (folder / "table").write_bytes(b'query_id,doc_id,score\n"x\r\ny",d,1\n')
    refuse("qrels", "table", said=("no query in common",))


def test_no_query_in_common_shows_some_of_both(refuse: Callable[..., None], folder: Path) -> None:
    (folder / "other").write_bytes(b"301 Q0 a 1 1 t\n302 Q0 a 1 1 t\n")
    refuse("qrels", "other", said=("run 't' and the qrels have no query in common", "qrels: 1, 2", "run: 301, 302"))


def test_missing_lists_are_refused_where_asked(refuse: Callable[..., None], folder: Path) -> None:
    (folder / "half").write_bytes(b"1 Q0 a 1 1 t\n")
    refuse("qrels", "half", "--missing", "error", said=("1 of 2 queries have no list in run 't' (2)",))


def test_ties_are_refused_where_asked(refuse: Callable[..., None], folder: Path) -> None:
    (folder / "tied").write_bytes(b"1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n")
    refuse("qrels", "tied", "--ties", "error", said=("of query '1' shares its score with 1 more",))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-m", "NDGC@10"), "unknown measure 'NDGC@10'; did you mean nDCG@10?"),
        (("-m", "nDCG@10", "-m", "MPA"), "unknown measure 'MPA'"),
        (("-m", "zzzz"), "unknown measure 'zzzz'"),
        (("-m", "AP(rle=2)"), "unknown parameter of AP 'rle'; did you mean rel?"),
        (("-m", "P@0"), "P: cutoff is 0, expected a whole number of at least 1"),
        (("-m", "P@-1"), "the cutoff is '-1', expected a whole number"),
        (("-m", "P@ten"), "the cutoff is 'ten', expected a whole number"),
        (("-m", "P@"), "the cutoff is ''"),
        (("-m", "success_"), "unknown measure 'success_'"),
        (("-m", "R"), "R needs a cutoff, as in R@10"),
        (("-m", "RBP(p=2)"), "RBP: p is 2"),
        (("-m", "RBP(p='x')"), "RBP: p is 'x'"),
        (("-m", "AP(rel=0)"), "AP: rel is 0, expected a number above 0"),
        (("-m", "AP(2)"), "cannot read the parameters"),
        (("-m", "nDCG(gain=exp)@10"), 'gain=exp: a word needs quotes: nDCG(gain="exp")@10'),
        (("-m", "nDCG@10,AP"), "nDCG@10,AP: one measure for each -m: -m nDCG@10 -m AP"),
        (("-m", "AP(rel=2),RR"), "AP(rel=2),RR: one measure for each -m: -m AP(rel=2) -m RR"),
        (("-m", "nDCG@5,10"), "nDCG@5,10: one measure for each -m: -m nDCG@5 -m nDCG@10"),
        (("-m", "nDCG10"), "unknown measure 'nDCG10'; did you mean nDCG@10?"),
        (("-m", "MRR10"), "unknown measure 'MRR10'; did you mean MRR@10?"),
        (
            ("-m", "zzzz"),
            "unknown measure 'zzzz'; known: 11pt_avg, AP, APIntervals, AP_IA, AP_JG, AUC, AUCIntervals, AvgIPrec and ",
        ),
        (("-m", "official"), "official is a set of trec_eval's measures: `rankscope trec_eval -m official QRELS RUN`"),
        (("-m", "AP(rel=2"), "cannot read the measure 'AP(rel=2'"),
        (("-m", ""), "cannot read the measure ''"),
        (("-m", "bpref.5"), "bpref takes no parameters; write bpref"),
        (("-m", "ndcg_cut.x"), "ndcg_cut.x: cannot read"),
        (("--rel", "0"), "Invalid value for '--rel': '0', expected a number above 0"),
        (("--rel", "-3"), "Invalid value for '--rel': '-3', expected a number above 0"),
        (("--preset", "trec_evl"), "unknown preset 'trec_evl'; did you mean trec_eval?"),
        (("--ties", "doc_id"), "unknown tie rule 'doc_id'; did you mean doc_id_desc?"),
    ],
)
def test_a_bad_argument_is_told_before_anything_is_read(
    refuse: Callable[..., None], args: tuple[str, ...], said: str
) -> None:
    refuse("qrels", "run", *args, said=(f"rankscope: {said}" if said.startswith("unknown") else said,))
    refuse("nowhere", "nothing", *args, said=(said,))


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((), "RUN..."),
        (("run", "--missing", "nil"), "--missing"),
        (("run", "--no-relevant", "nil"), "--no-relevant"),
        (("run", "--format", "tbl"), "--format"),
        (("run", "--input", "xml"), "--input"),
        (("run", "--rel", "x"), "--rel"),
        (("run", "--nonsense"), "--nonsense"),
    ],
)
def test_a_misspelt_option_is_named_and_nothing_is_written(
    cli: Callable[..., Any], folder: Path, args: tuple[str, ...], named: str
) -> None:
    before = listing(folder)
    done = cli("evaluate", "qrels", *args, "-o", "out")
    assert (done.code, done.out) == (2, "")
    assert named in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert listing(folder) == before


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("sub", "sub: is a directory, expected a file name"),
        ("no/out", "no/out: the folder no does not exist; create it first"),
        ("run/out", "run/out: run is a file, expected a folder"),
        (".", ".: is a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(
    cli: Callable[..., Any], folder: Path, output: str, said: str
) -> None:
    (folder / "sub").mkdir()
    before = listing(folder)
    assert_refused(cli("evaluate", "qrels", "run", "-o", output), f"rankscope: {said}")
    assert_refused(cli("evaluate", "nowhere", "nothing", "-o", output), f"rankscope: {said}")
    assert listing(folder) == before


def test_a_list_of_measures_that_cannot_be_written_is_told(cli: Callable[..., Any], folder: Path) -> None:
    assert_refused(cli("measures", "-o", "no/out"), "rankscope: no/out: the folder no does not exist")
    assert_refused(cli("measures", "nDGC"), "rankscope: unknown measure 'nDGC'; did you mean nDCG?")


def test_a_write_that_fails_leaves_the_old_file(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "out").write_text("precious")
    before = listing(folder)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert_refused(
        cli("evaluate", "qrels", "run", "-o", "out"), "rankscope: out: cannot be written (No space left on device)"
    )
    assert listing(folder) == before


def test_standard_input_can_be_named_once(refuse: Callable[..., None]) -> None:
    for args in (("-", "-"), ("qrels", "-", "-"), ("-", "run", "-")):
        refuse(*args, said=("rankscope: standard input (-) can stand for one file only",))


def test_a_bad_line_of_standard_input_is_named(refuse: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    class Again:
        """Standard input that holds the same at every call."""

        @property
        def buffer(self) -> io.BufferedReader:
            return io.BufferedReader(io.BytesIO(b"1 Q0 a 1 x t\n"))

    monkeypatch.setattr(sys, "stdin", Again())
    refuse("qrels", "-", said=("rankscope: <stdin>:1: score 'x', expected a finite number",))


def test_one_file_given_twice_has_no_two_names(refuse: Callable[..., None]) -> None:
    refuse("qrels", "run", "run", said=("two runs are called 'run'",))


def test_an_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 t\n")
    for name in ("q", "r"):
        with pytest.raises(SystemExit) as stop:
            main(["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-o", str(tmp_path / name)])
        assert stop.value.code == 2
    assert (tmp_path / "q").read_text() == "1 0 d 1\n"
    assert (tmp_path / "r").read_text() == "1 Q0 d 1 1 t\n"


@pytest.mark.parametrize("args", [[], ["--help"], ["evaluate", "--help"]])
def test_help_is_laid_out_for_reading(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):
        main(args)
    out = capsys.readouterr().out
    assert out.startswith("Usage: rankscope")
    assert "\\b" not in out
    assert "\n  rankscope evaluate " in out


# What a file is that was taken for another kind, and what reads it.
MISTAKEN = {
    "HTML": (b"\n<!DOCTYPE html>\n<html>", ": this is an HTML page, expected data; download the file"),
    "predictions": (
        b"0.5\n-1e-3\n",
        ":1: 1 field, .*; this looks like LETOR predictions: --input letor .* with the label",
    ),
    "LETOR": (
        b"2 qid:1 1:0.5 2:1 3:0\n",
        ":1: .*; this looks like a LETOR or SVMlight file: read it with --input letor",
    ),
    "labels": (b"true,predicted\na,b\n", ":1: .*table of true and predicted labels: `rankscope agree labels` reads it"),
    "labels by tabs": (b"id\tlabel\tpred\n1\ta\tb\n", ":1: .*: `rankscope agree labels` reads it"),
    "a list in JSON": (
        b'[{"query_id": 1}]',
        ": JSON that is not an object, expected {query: {document: number}}, or one obj",
    ),
    "a JSON of numbers": (b'{"q": 0.5}', ": objects without query_id, expected one object per line with query_id"),
    "no header": (
        b"1,a,2.5\n",
        ":1: 1 field, expected .*, or give a table a header line such as query_id,doc_id,score",
    ),
    "three columns": (
        b"1\ta\t2.5\n",
        ":1: 3 fields, expected .*, or give a table a header line such as query_id,doc_id",
    ),
    "ranks": (b"paper\tpr\tcited\nA\t1\t2\n", ":1: 3 fields, .*; a table of ranks needs --input entity-ranks"),
}


@pytest.mark.parametrize("kind", MISTAKEN)
@pytest.mark.parametrize("role", ["qrels", "run", "convert"])
def test_a_file_of_another_kind_is_told_by_its_first_line(
    cli: Callable[..., Any], folder: Path, role: str, kind: str
) -> None:
    content, said = MISTAKEN[kind]
    (folder / "bad").write_bytes(content)
    calls = {
        "qrels": ("evaluate", "bad", "run"),
        "run": ("evaluate", "qrels", "bad"),
        "convert": ("convert", "bad", "-"),
    }
    done = cli(*calls[role], *(("--to", "trec") if role == "convert" else ()))
    assert_refused(done)
    if not (kind == "a JSON of numbers" and role == "convert"):
        assert re.search(f"^rankscope: bad{said}", done.err), done.err


def test_saved_scores_are_no_run(cli: Callable[..., Any], folder: Path) -> None:
    cli("evaluate", "qrels", "run", "--save", "old.parquet")
    for call in (("evaluate", "qrels", "old.parquet"), ("convert", "old.parquet", "out.run")):
        assert_refused(cli(*call), "old.parquet: ", "saved scores", "--ag")


def test_a_measure_in_the_place_of_a_run_is_told(refuse: Callable[..., None], folder: Path) -> None:
    refuse("qrels", "AP", "run", "-m", "nDCG@10", said=("rankscope: AP: no such file; AP is a measure: write -m AP",))
    (folder / "RR").write_bytes(GOOD_RUN)  # a run may be called so


def test_judgments_are_asked_for_where_a_run_is_given(cli: Callable[..., Any], folder: Path) -> None:
    assert_refused(cli("agree", "judgments", "qrels", "run"), "run:1: 6 fields", "4 (", "a run", "judgments")


def test_a_run_of_which_nothing_was_judged_is_noted(cli: Callable[..., Any], folder: Path) -> None:
    lines = [f"1 Q0 doc{i} {i} {-i} far\n" for i in range(1500)]
    (folder / "far").write_text("".join(lines))
    done = cli("evaluate", "qrels", "far")
    assert mentions((done.out + done.err).splitlines(), "note: ", "'far'", "none", "1,500 documents", "'doc0'", "'a'")
    (folder / "far").write_text("".join([*lines, "1 Q0 a 1500 -1500 far\n"]))
    assert "was judged" not in cli("evaluate", "qrels", "far").err + cli("evaluate", "qrels", "far").out

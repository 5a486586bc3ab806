"""`rankscope fuse`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.refusals import assert_refused

import rankscope as rs
from rankscope.errors import ParameterError


@pytest.fixture
def two(folder: Path) -> Path:
    (folder / "other").write_text("1 Q0 b 1 0.9 dense\n1 Q0 d 2 0.1 dense\n2 Q0 a 1 0.5 dense\n")
    return folder


def test_the_fused_run_is_written_with_its_method_as_tag(cli: Callable[..., Any], two: Path) -> None:
    assert cli("fuse", "run", "other", "--method", "borda", "-o", "fused.run") == (0, "", "")
    # Query 1 has the documents a, b and d: 3 + (3 - 2 + 1) / 2, 2 + 3, 1 + 2.
    assert (two / "fused.run").read_text() == (
        "1 Q0 b 1 5.0 borda\n1 Q0 a 2 4.0 borda\n1 Q0 d 3 3.0 borda\n2 Q0 c 1 3.0 borda\n2 Q0 a 2 3.0 borda\n"
    )


def test_any_format_is_written_and_printed(cli: Callable[..., Any], two: Path) -> None:
    assert cli("fuse", "run", "other", "-o", "fused.parquet", "--name", "both").code == 0
    assert rs.read_run(two / "fused.parquet").query_ids == ("1", "2")
    done = cli("fuse", "run", "other", "--method", "comb-max", "-o", "-", "--to", "csv")
    assert done.out.splitlines()[:2] == ["query_id,doc_id,score", "1,b,1.0"]


def test_the_fused_run_is_shown_beside_its_inputs(cli: Callable[..., Any], two: Path) -> None:
    done = cli("fuse", "run", "other", "--evaluate", "qrels", "-m", "RR", "-o", "fused.run")
    assert [line.split() for line in done.out.splitlines()[:4]] == [
        ["system", "RR"],
        ["rrf(k=60)", "0.7500"],
        ["bm25", "0.7500"],
        ["dense", "0.5000"],
    ]
    assert (two / "fused.run").exists()


def test_notes_are_said_once(cli: Callable[..., Any], two: Path) -> None:
    (two / "third").write_text("1 Q0 b 1 0.9 dense\n")
    note = cli("fuse", "run", "third", "-o", "fused.run").err
    assert note.count("\n") == 1
    assert mentions(note, "note: ", 1, "2 queries", "every run")
    done = cli("fuse", "run", "third", "--evaluate", "qrels")
    assert (done.out + done.err).count(note) == 1


def test_weights_and_parameters_are_those_of_the_call(cli: Callable[..., Any], two: Path) -> None:
    arguments = ("--method", "rbc", "--p", 0.5, "--weight", 1, "--weight", 2)
    assert cli("fuse", "run", "other", *arguments, "-o", "fused.run").code == 0
    fused = rs.read_run(two / "fused.run")
    assert fused.name == "rbc(p=0.5,weights=1,2)"
    assert fused.frame().rows()[0] == ("1", "b", 1 * 0.5 * 0.5 + 2 * 0.5)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_cannot_be_read_twice(cli: Callable[..., Any], two: Path) -> None:
    os.mkfifo(two / "pipe")
    done = cli("fuse", "run", "pipe", "--evaluate", "qrels", "-o", "x.run")
    assert_refused(done, "--evaluate", "twice", " pipe,")
    with pytest.raises(ParameterError, match=r"twice.*/pipe, "):
        rs.judging.leave_out([two / "run", two / "pipe"], {"1": {"a": 1}})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run other", "nothing to do with the fused run; add -o FILE to write it, or --evaluate QRELS"),
        ("run other -m AP -o x.run", "--measure needs --evaluate QRELS; add it, or leave out --measure"),
        ("run other --to csv --evaluate qrels", "--to needs --output FILE; add it, or leave out --to"),
        ("run other -o - --to trec --evaluate qrels", "-o - and --evaluate both print; name a file to write to"),
        ("run - --evaluate qrels", "--evaluate reads the runs twice, and standard input can be read once; name a file"),
        ("run other -o x.run --evaluate nope", "nope: no such file; check the path"),
        ("run other --weight 1 -o x.run", "1 weight for 2 runs; expected one for each run"),
        ("run other --weight 1 --weight -1 -o x.run", "Invalid value for '--weight': -1.0 is not in the range x>=0"),
        (
            "run other --gamma 2 -o x.run",
            "--gamma is 2.0, and the method rrf has no such parameter (it has k); leave it out",
        ),
        ("run other -o run.csv --normalise rank", "rrf uses ranks only, which rank does not change"),
    ],
)
def test_what_makes_no_sense_is_one_line(cli: Callable[..., Any], two: Path, arguments: str, said: str) -> None:
    before = sorted(two.iterdir())
    done = cli("fuse", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rankscope: {said}")
    assert done.err.count("\n") == 1
    assert sorted(two.iterdir()) == before


def test_an_input_is_not_overwritten(cli: Callable[..., Any], two: Path) -> None:
    (two / "run").rename(two / "a.run")
    done = cli("fuse", "a.run", "other", "-o", "a.run")
    assert_refused(done, "a.run: ", "overwritten")


def test_runs_without_common_queries_are_refused(cli: Callable[..., Any], two: Path) -> None:
    (two / "third").write_text("7 Q0 b 1 0.9 dense\n")
    done = cli("fuse", "run", "third", "-o", "fused.run")
    assert done.code == 2
    assert mentions(done.err, "2 runs", "3 queries")

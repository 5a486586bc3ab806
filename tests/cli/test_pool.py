"""`rankscope pool`: what to judge next, and the walk to infAP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

Cli = Callable[..., Any]


@pytest.fixture
def runs(folder: Path) -> Path:
    """Two runs and some judgments in the working folder."""
    one = "".join(f"{q} Q0 d{i} {i} {9 - i} one\n" for q in (1, 2) for i in range(1, 7))
    two = "".join(f"{q} Q0 d{7 - i} {i} {9 - i} two\n" for q in (1, 2) for i in range(1, 7))
    (folder / "one.run").write_text(one)
    (folder / "two.run").write_text(two)
    (folder / "all.qrels").write_text("".join(f"{q} 0 d{i} {int(i < 4)}\n" for q in (1, 2) for i in range(1, 7)))
    return folder


def test_lines_for_judges_are_written_and_the_part_of_each_run_is_shown(runs: Path, cli: Cli) -> None:
    done = cli("pool", "one.run", "two.run", "--depth", 2, "-o", "pool.qrels")
    assert (done.code, done.err) == (0, "")
    assert (runs / "pool.qrels").read_text() == "".join(
        f"{q} 0 {d} -1\n" for q in (1, 2) for d in ("d6", "d1", "d5", "d2")
    )
    assert mentions(" ".join(done.out.split("\n\n")[1].split()), "next: 8", "best rank")
    assert "pool:depth | depth:2" in done.out


def test_the_pool_alone_is_printed_by_a_dash(runs: Path, cli: Cli) -> None:
    done = cli("pool", "one.run", "two.run", "--depth", 1, "-o", "-")
    assert done.out == "1 0 d6 -1\n1 0 d1 -1\n2 0 d6 -1\n2 0 d1 -1\n"
    (runs / "two.run").write_text("1 Q0 d1 1 1 two\n")
    done = cli("pool", "one.run", "two.run", "--depth", 1, "-o", "-", "--to", "jsonl")
    assert json.loads(done.out.splitlines()[0])["priority"] == 1
    assert mentions(done.err.splitlines()[0], "note: ", 1, "2 queries", "every run")


def test_judgments_made_so_far_say_what_is_next(runs: Path, cli: Cli) -> None:
    (runs / "so-far.qrels").write_text("1 0 d1 1\n1 0 d6 0\n2 0 d1 0\n2 0 d6 0\n")
    done = cli("pool", "one.run", "two.run", "--judged", "so-far.qrels", "--budget", 2, "--method", "bandit", "-o", "-")
    assert done.out == "1 0 d2 -1\n2 0 d5 -1\n"


def test_the_walk_from_a_sample_to_infap(runs: Path, cli: Cli) -> None:
    sampling = ("pool", "one.run", "two.run", "--sample", 0.5, "--seed", 3)
    assert cli(*sampling, "-o", "sample.qrels").code == 0
    lines = [line.split() for line in (runs / "sample.qrels").read_text().splitlines()]
    assert [line[3] for line in lines] == ["-2", "-2", "-2", "-1", "-1", "-1"] * 2
    human = "".join(f"{q} 0 {doc} {int(doc < 'd4')}\n" for q, _, doc, relevance in lines if relevance == "-2")
    (runs / "human.qrels").write_text(human)
    done = cli(*sampling, "--judged", "human.qrels", "-o", "merged.qrels")
    assert mentions(" ".join(done.out.split()), "6 of them", "judged")
    assert "note" not in done.out
    assert (runs / "merged.qrels").read_text().count(" -1\n") == 6
    done = cli("evaluate", "merged.qrels", "one.run", "two.run", "-m", "infAP")
    assert done.code == 0


def test_runs_left_out_are_shown_in_every_format(runs: Path, cli: Cli) -> None:
    command = ("pool", "one.run", "two.run", "--judged", "all.qrels", "--leave-out", "--depth", 3, "-m", "AP")
    done = cli(*command)
    assert mentions(done.out.splitlines()[0], "run", "taken part")
    assert "would fall" not in done.out  # its own are gone for both  # its own are gone for both
    records = json.loads(cli(*command, "--format", "json").out)
    assert [record["only_here_relevant"] for record in records] == [6, 0]
    assert cli(*command, "--format", "csv").out.startswith("system,measure,mean,rank,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--budget 1", "a budget of 1 is less than one document per query"),
        ("--sample 0", "0.0 is not in the range"),
        ("--sample 1.5", "1.5 is not in the range"),
        ("--sample nan", "--sample is nan"),
        ("--sample 0.5 --budget 3", "--sample cannot be combined with --budget"),
        ("--sample 0.5 --method mtf", "--sample cannot be combined with --method mtf"),
        ("--depth 0", "0 is not in the range"),
        ("--method best", "'best' is not one of"),
        ("--rate 0.5", "--rate needs --method bandit or thompson, not depth; change it, or leave out --rate"),
        ("--judged other.qrels", "name none of the 2 queries"),
        ("--judged nowhere.qrels", "no such file"),
        ("--leave-out", "--leave-out needs --judged QRELS"),
        ("--leave-out --judged all.qrels -o x.qrels", "--leave-out cannot be combined with --output"),
        ("--leave-out --judged all.qrels -m NDGC@10", "did you mean nDCG@10"),
        ("--sample 0.5 --rel 2", "--sample cannot be combined with --rel"),
        ("--leave-out --judged all.qrels --seed 2", "--seed needs --sample RATE, --chances or --method thompson"),
        ("--method mtf --seed 2", "--seed needs --sample RATE, --chances or --method thompson"),
        ("-m AP", "--measure needs --leave-out"),
        ("-o one.run", "would be overwritten"),
        ("-o nowhere/pool.qrels", "does not exist"),
        ("-o pool.unknown", "names no format"),
        ("--to csv", "--to needs --output POOL"),
        ("-o - --format csv", "name a file"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(runs: Path, cli: Cli, arguments: str, message: str) -> None:
    (runs / "other.qrels").write_text("9 0 d1 1\n")
    before = sorted(path.name for path in runs.iterdir())
    done = cli("pool", "one.run", "two.run", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert sorted(path.name for path in runs.iterdir()) == before


def test_runs_without_a_common_query_are_refused(runs: Path, cli: Cli) -> None:
    (runs / "two.run").write_text("8 Q0 d1 1 1 two\n")
    done = cli("pool", "one.run", "two.run")
    assert done.code == 2
    assert mentions(done.err, "2 runs", "3 queries")


def test_where_all_is_judged_no_file_is_written(runs: Path, cli: Cli) -> None:
    done = cli("pool", "one.run", "two.run", "--judged", "all.qrels", "-o", "next.qrels")
    assert done.code == 2
    assert mentions(done.err, "nothing", "12 documents")
    assert not (runs / "next.qrels").exists()

"""`rankscope fuse` with --train and --parameters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.refusals import assert_refused

import rankscope as rs

TRAIN = ("fuse", "one", "two", "--method", "weighted-sum", "--train", "judged", "--folds", 3)


@pytest.fixture
def learnt(folder: Path) -> Path:
    """Six judged queries and one that is not; the second run has the relevant document first, the first run last."""
    queries = range(1, 8)
    (folder / "judged").write_text("".join(f"{q} 0 a 1\n" for q in queries if q < 7))
    (folder / "one").write_text(
        "".join(f"{q} Q0 {d} 1 {s} one\n" for q in queries for d, s in zip("cba", (9, 8, 1), strict=True))
    )
    (folder / "two").write_text(
        "".join(f"{q} Q0 {d} 1 {s} two\n" for q in queries for d, s in zip("abc", (3, 2, 1), strict=True))
    )
    return folder


def test_the_cross_fitted_run_is_written_and_the_tuning_printed(cli: Callable[..., Any], learnt: Path) -> None:
    done = cli(*TRAIN, "-o", "fused.run", "--tune-on", "RR")
    assert (done.code, done.err) == (0, "")
    assert mentions(
        done.out.splitlines(), "weighted-sum(min-max,weights=0,1)", "RR", "11 settings", "6 queries", "1.0000"
    )
    assert mentions(done.out.splitlines(), "note: ", 1, "7 queries", "no judgments")
    fused = rs.read_run(learnt / "fused.run")
    assert fused.name == "weighted-sum(cross-fitted)"
    assert fused.frame().rows()[:3] == [("1", "a", 1.0), ("1", "b", 0.5), ("1", "c", 0.0)]
    assert len(fused.query_ids) == 7


def test_a_run_that_is_printed_is_all_that_is(cli: Callable[..., Any], learnt: Path) -> None:
    done = cli(*TRAIN, "-o", "-", "--to", "trec", "--name", "mine")
    assert done.code == 0
    assert len(done.out.splitlines()) == 21
    assert done.out.startswith("1 Q0 a 1 1.0 mine\n")
    assert mentions(
        done.err.splitlines(), "note: weighted-sum(min-max,weights=0,1) ", "11 settings", "nDCG@10", "cross-fitted"
    )


def test_the_fused_run_is_measured_beside_its_inputs(cli: Callable[..., Any], learnt: Path) -> None:
    done = cli(*TRAIN, "--evaluate", "judged", "-m", "RR")
    lines = [line.split() for line in done.out.splitlines()]
    at = lines.index(["system", "RR"])
    assert lines[at + 1 : at + 4] == [["weighted-sum(cross-fitted)", "1.0000"], ["one", "0.3333"], ["two", "1.0000"]]
    assert done.out.count("has no judgments") == 2  # for the training, and for the evaluation


def test_parameters_are_saved_and_used_again(cli: Callable[..., Any], learnt: Path) -> None:
    assert cli(*TRAIN, "--save-parameters", "my.json").code == 0
    assert json.loads((learnt / "my.json").read_text())["setting"] == {"weights": [0.0, 1.0]}
    for name in ("one", "two"):
        lines = (learnt / name).read_text().splitlines(keepends=True)
        (learnt / f"{name}.new").write_text("".join(f"9{line}" for line in lines))
    assert cli("fuse", "one.new", "two.new", "--parameters", "my.json", "-o", "fused.run") == (0, "", "")
    assert rs.read_run(learnt / "fused.run").name == "weighted-sum(min-max,weights=0,1)"
    done = cli("fuse", "one", "two", "--parameters", "my.json", "--evaluate", "judged", "-m", "RR")
    assert mentions(done.out.splitlines(), "note: ", 6, "7 queries", "training")


def test_nothing_is_written_where_what_to_measure_on_is_not_there(cli: Callable[..., Any], learnt: Path) -> None:
    done = cli(*TRAIN, "--save-parameters", "my.json", "-o", "fused.run", "--evaluate", "nowhere")
    assert_refused(done, "nowhere: ", "no such file")
    assert not (learnt / "my.json").exists()
    assert not (learnt / "fused.run").exists()


def test_a_single_setting_is_the_name_of_the_run(cli: Callable[..., Any], learnt: Path) -> None:
    train = ("fuse", "one", "two", "--train", "judged", "--method", "rrf", "--weight", "1", "--weight", "1")
    assert cli(*train, "--k", "20", "-o", "fused.run").code == 0
    assert rs.read_run(learnt / "fused.run").name == "rrf(k=20,weights=1,1)"


def test_saved_parameters_are_of_one_method(cli: Callable[..., Any], learnt: Path) -> None:
    assert cli(*TRAIN, "--save-parameters", "my.json").code == 0
    use = ("fuse", "one", "two", "--parameters", "my.json", "-o", "fused.run", "--method")
    assert_refused(cli(*use, "rrf"), "my.json: ", "weighted-sum", "--method", "rrf")
    assert not (learnt / "fused.run").exists()
    assert cli(*use, "weighted-sum").code == 0
    assert rs.read_run(learnt / "fused.run").name == "weighted-sum(min-max,weights=0,1)"


def test_a_setting_that_is_given_is_not_tuned(cli: Callable[..., Any], learnt: Path) -> None:
    done = cli("fuse", "one", "two", "--train", "judged", "--folds", 3, "--k", 7, "--weight", 1, "--weight", 2)
    assert mentions(done.out.splitlines()[2], "rrf(k=7,weights=1,2) ", "nDCG@10", "6 queries")


def test_methods_and_normalisations_are_chosen_among(cli: Callable[..., Any], learnt: Path) -> None:
    arguments = ("--method", "comb-max", "--method", "map-fuse", "--normalise", "sum", "--normalise", "rank")
    done = cli("fuse", "one", "two", "--train", "judged", "--folds", 3, *arguments, "--format", "csv")
    names = [line.split(",")[1] for line in done.out.splitlines() if line.startswith("setting") and ",all," in line]
    assert names == ["comb-max(sum)", "comb-max(rank)", "map-fuse"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--method map-fuse -o x.run", "map-fuse learns from judgments; add --train QRELS, or --parameters FILE"),
        ("--method rrf --method isr -o x.run", "--method is given 2 times, expected once; only with --train"),
        ("--folds 3 -o x.run", "--folds needs --train QRELS; add it, or leave out --folds"),
        ("--save-parameters x -o x.run", "--save-parameters needs --train QRELS; add it"),
        (
            "--parameters my.json --k 3 -o x.run",
            "--parameters cannot be combined with --k: the file of the parameters sets everything; leave out one",
        ),
        (
            "--parameters my.json --train judged",
            "--parameters cannot be combined with --train",
        ),
        ("--parameters my.json --method rrf --method isr -o x.run", "--method is given 2 times, expected once"),
        ("--parameters my.json", "nothing to do with the fused run; add -o FILE"),
        ("--parameters none.json -o x.run", "none.json: cannot be read"),
        ("--parameters judged -o x.run", "judged: is no JSON, or is cut off"),
        ("--train judged --folds 9", "6 queries of the runs with judgments, expected at least one for each of 9 folds"),
        ("--train judged --folds 2", "Invalid value for '--folds': 2 is not in the range x>=3"),
        ("--train qrels --folds 3", "2 queries of the runs with judgments, expected at least one for each of 3 folds"),
        ("--train judged --save-parameters one", "one: is also an input and would be overwritten"),
        ("--train judged --save-parameters - ", "parameters cannot be printed; name a file with --save-parameters"),
        ("--train judged --save-parameters x.run -o x.run", "x.run: cannot hold both the fused run and the parameters"),
        ("--train judged --save-parameters none/x.json", "none/x.json: the folder none does not exist"),
        ("--train judged -o judged --to trec", "judged: is also an input and would be overwritten"),
        (
            "--train judged --evaluate judged --format csv",
            "--format csv is for one table, but --train and --evaluate print",
        ),
        ("-o x.run --format csv", "--format csv is for the table of --train or --evaluate, but no table is printed"),
        ("--train judged --tune-on nDGC@10", "unknown measure 'nDGC@10'; did you mean nDCG@10?"),
    ],
)
def test_what_makes_no_sense_is_one_line(cli: Callable[..., Any], learnt: Path, arguments: str, said: str) -> None:
    before = sorted(learnt.iterdir())
    done = cli("fuse", "one", "two", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rankscope: {said}")
    assert done.err.count("\n") == 1
    assert sorted(learnt.iterdir()) == before

"""`rankscope agree metrics`: what it prints, in which formats, and what it refuses in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.reporting.tables import RESULT_FORMATS

#: By system: what people say of four segments, and two metrics.
SCORES = {
    "A": ((5, 4, 5, 3), (0.9, 0.7, 0.8, 0.6), (3, 1, 2, 2)),
    "B": ((4, 4, 3, 2), (0.7, 0.6, 0.5, 0.5), (1, 3, 2, 1)),
    "C": ((2, 3, 3, 1), (0.5, 0.6, 0.4, 0.2), (2, 2, 1, 3)),
    "D": ((1, 2, 1, 1), (0.1, 0.3, 0.2, 0.1), (2, 1, 3, 1)),
}


@pytest.fixture
def files(folder: Path) -> Path:
    for name, place in (("people", 0), ("good", 1), ("poor", 2)):
        for pair in ("a-b", "c-d"):
            with (folder / f"{name}.seg.scr").open("a") as file:
                for system, rows in SCORES.items():
                    for i, value in enumerate(rows[place], 1):
                        file.write(f"{name}\t{pair}\tset\t{system}\t{i}\t{value}\n")
    (folder / "systems.csv").write_text("system,human,x,y\nA,4,9,1\nB,3,7,3\nC,2,8,2\nD,1,5,2.5\n")
    (folder / "three.csv").write_text("system,human,x,y\nA,4,9,1\nB,3,7,3\nC,2,8,2\n")
    (folder / "one.csv").write_text("system,human,x\nA,4,9\nB,3,7\nC,2,8\n")
    (folder / "flat.csv").write_text("system,human,x,y\nA,4,9,1\nB,3,7,1\nC,2,8,1\n")
    return folder


ALL = ("agree", "metrics", "people.seg.scr", "good.seg.scr", "poor.seg.scr", "--resamples", "99")


def test_the_table_of_several_tasks_comes_from_one_command(cli: Callable[..., Any], files: Path) -> None:
    tasks = ("--task", "a-b,c-d:system:pairwise_accuracy:0.5", "--task", "*:segment:acc_eq:0.5")
    done = cli(*ALL, *tasks)
    assert done.code == 0, done.err
    assert mentions(done.out.splitlines(), "metric  a-b,c-d system", "pairwise accuracy")
    found = json.loads(cli(*ALL, *tasks, "--format", "json").out)
    assert [(row["pair"], row["statistic"]) for row in found] == [
        ("a-b,c-d", "system:pairwise_accuracy"),
        ("a-b", "segment:acc_eq/segment"),
        ("c-d", "segment:acc_eq/segment"),
        ("average", "weighted"),
    ]
    assert found[0]["value_a"] == 1
    assert "tasks:a-b,c-d:system:pairwise_accuracy:0.5 a-b:segment:acc_eq/segment:0.25 " in done.out


def test_weights_of_language_pairs_are_those_of_their_tasks(cli: Callable[..., Any], files: Path) -> None:
    done = cli(*ALL, "--statistic", "pearson", "--weights", "a-b=0.25,c-d=0.75", "--details")
    assert done.code == 0, done.err
    assert ["a-b", "segment", "pearson", "segment", "perm_both", "4", "4", "0.25"] in [
        line.split() for line in done.out.splitlines()
    ]


@pytest.mark.parametrize("form", [*RESULT_FORMATS, "html"])
def test_every_format_is_there(cli: Callable[..., Any], files: Path, form: str) -> None:
    done = cli(*ALL, "--pairs", "a-b", "--format", form)
    assert (done.code, done.err) == (0, "")
    assert "good" in done.out


def test_figures_are_drawn_by_name(cli: Callable[..., Any], files: Path) -> None:
    drawn = cli(*ALL, "--pairs", "a-b", "--plot", "matrix.json")
    assert drawn.code == 0, drawn.err
    assert "Which metrics differ" in (files / "matrix.json").read_text()
    assert cli(*ALL, "--pairs", "a-b", "--plot", "curve.json", "--figure", "condition_lines").code == 0
    assert mentions((files / "curve.json").read_text(), "metric ties")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("three.csv --statistic pearson --test williams", "Williams' test needs 4 systems or more, and 3 have scores"),
        ("one.csv", "x is the only metric, expected two or more to compare with each other"),
        ("flat.csv", "y is 1 for all 3 systems, expected scores that differ"),
        ("systems.csv --level segment", "human has scores of systems only; compare at level system"),
        ("systems.csv --test bootstrap", "the bootstrap resamples segments, but scores are of whole systems"),
        ("systems.csv --test perm_both --swap segments", "swap segments: scores are of whole systems"),
        (
            "people.seg.scr good.seg.scr poor.seg.scr --task a-b:system:pearson:0.5 --task c-d:system:pearson:0.4",
            "the weights add up to 0.9, expected 1; divide each by their sum",
        ),
        ("people.seg.scr good.seg.scr poor.seg.scr --task a-b:pearson", "a task is 'a-b:pearson', expected PAIR:LEVEL"),
        ("people.seg.scr good.seg.scr poor.seg.scr --weights a-b=1", "no entry for c-d"),
        ("people.seg.scr good.seg.scr poor.seg.scr --metrics good,por", "unknown metric 'por'; did you mean poor?"),
        ("people.seg.scr good.seg.scr poor.seg.scr --task e-f:system:pearson", "unknown language pair 'e-f'"),
        ("people.seg.scr good.seg.scr poor.seg.scr --statistic pearsn", "did you mean pearson?"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(cli: Callable[..., Any], files: Path, arguments: str, said: str) -> None:
    done = cli("agree", "metrics", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rankscope: ")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_what_cannot_be_is_said_before_anything_is_read(cli: Callable[..., Any], files: Path) -> None:
    assert mentions(cli("agree", "metrics", "none.csv", "--weights", "a-b=0.9").err, "weights", 0.9)
    assert "'--alpha': 2.0" in cli("agree", "metrics", "none.csv", "--alpha", "2").err

"""`rankscope agree favour`: families as an option or a table, formats, refusals in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.reporting.tables import RESULT_FORMATS


@pytest.fixture
def files(folder: Path) -> Path:
    rng = np.random.default_rng(3)
    quality = np.array([1.0, 0, 1, 0, 1])[:, None] + rng.normal(size=(5, 25))
    judge = quality + rng.normal(size=(5, 25)) + 2 * np.array([[1.0], [1], [0], [0], [0]])
    people = quality + rng.normal(size=(5, 25))
    rows = [f"{q},{s},{people[i, q]:.3f},{judge[i, q]:.3f}\n" for i, s in enumerate("ABCDE") for q in range(25)]
    (folder / "judged.csv").write_text("item,system,human,bot\n" + "".join(rows))
    (folder / "families.csv").write_text("system,family\nA,x\nB,x\nbot,x\n")
    return folder


OPTIONS = ("agree", "favour", "judged.csv", "--higher", "human,bot")


def test_the_option_and_the_table_are_the_same(cli: Callable[..., Any], files: Path) -> None:
    done = cli(*OPTIONS, "--family", "A=x,B=x", "--format", "json")
    (record,) = json.loads(done.out)
    assert (record["judge"], record["family"], record["n"]) == ("bot", "x", 25)
    assert record["favour"] > 0
    assert record["pvalue_corrected"] < 0.05
    table = cli(*OPTIONS, "--family", "families.csv", "--own", "--format", "json")
    assert json.loads(table.out) == [record]
    text = cli(*OPTIONS, "--family", "families.csv").out
    assert mentions(text, "bot favours x", "p, the family", "A and B")


def test_every_format(cli: Callable[..., Any], files: Path) -> None:
    for name in RESULT_FORMATS:
        assert cli(*OPTIONS, "--family", "A=x", "--format", name).code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["--family"]),
        (["--family", "A=x,B"], ["--family", "'B'", "SYSTEM=FAMILY"]),
        (["--family", "A=x,A=y"], ["A is given twice"]),
        (["--family", "a=x"], ["'a'", "A"]),
        (["--family", "nowhere.csv"], ["nowhere.csv"]),
        (["--family", "judged.csv"], ["judged.csv", "family"]),
        (["--family", "A=x", "--own"], ["--own", "bot"]),
    ],
)
def test_wrong_calls(cli: Callable[..., Any], files: Path, arguments: list[str], words: list[str]) -> None:
    done = cli(*OPTIONS, *arguments)
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1
    assert mentions(done.err, *words)

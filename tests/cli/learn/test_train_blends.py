"""`rankscope train --blend`: the blend that a cross-validation makes, as a model."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.folds import letor_lines, rankers
from helpers.messages import mentions

import rankscope as rs
from rankscope.learning import load_ranker

pytest.importorskip("safetensors", reason="the extra `learn` is not installed: pip install 'rankscope[learn]'")

LOSSES = ("--loss", "linear:listnet(ranks=True)", "--loss", "ranknet")
FEW = ("--epochs", "3", "--hidden", "4", "--seeds", "2", "--seed", "5")
TRAIN = ("train", "S1.txt", "--valid", "S2.txt", "-o", "m", *LOSSES, *FEW)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with three files of 8 queries."""
    monkeypatch.chdir(tmp_path)
    for k in range(3):
        (tmp_path / f"S{k + 1}.txt").write_text(letor_lines(range(8 * k, 8 * k + 8), k))
    return tmp_path


@pytest.mark.parametrize(("option", "how"), [("--blend", "average"), ("--stacked", "stacked")])
def test_it_is_the_blend_of_the_fold_with_these_files(
    cli: Callable[..., Any], folder: Path, option: str, how: str
) -> None:
    done = cli(*TRAIN, option)
    assert (done.code, done.err) == (0, "")
    blend = load_ranker("m")
    assert (blend.kind, blend.how) == ("blend", how)
    assert list(blend.rankers) == ["linear:listnet(ranks=True)", "ranknet, seed 5", "ranknet, seed 6"]
    assert [one.lists for one in blend.rankers_] == [True, False, False]
    assert cli("predict", "m", "S3.txt", "-o", "s").code == 0
    judged = rs.evaluate("S3.txt", "s", ["AP"], input="letor").matrix("AP").ravel()
    whole = rs.experiments.cross_validate(
        folder, rankers(*LOSSES[1::2], epochs=3, hidden=(4,)), "AP", seeds=2, rng=5, blend=how
    ).test.scores
    of_fold = {q.rpartition("/")[2]: value for q, value in zip(whole.query_ids, whole.matrix("AP")[-1], strict=True)}
    assert whole.systems[-1] == "blend"
    assert judged.tolist() == pytest.approx([of_fold[str(q)] for q in range(16, 24)])


def test_what_is_told_names_each_part_and_the_blend(cli: Callable[..., Any], folder: Path) -> None:
    text = cli(*TRAIN, "--blend").out
    told = " ".join(text.split("\n\n")[0].split())
    assert mentions(told, "blend", "3 rankers", "8 queries")
    assert mentions(told, "S2", "nDCG(gain='exp')@10", " 0.")
    lines = [line for line in text.splitlines() if line.startswith(("linear:", "ranknet"))]
    assert [line.split()[-1] for line in lines] == ["0.33"] * 3
    assert "blend | rankers:linear:listnet(ranks=True)[" in text
    assert mentions(text, "| how:average,z-score | seeds:2", "| rng:5 | train:S1", "| valid:S2 |")
    table = list(csv.DictReader(io.StringIO(cli(*TRAIN, "--blend", "--format", "csv").out)))
    assert list(table[0]) == ["ranker", "model", "epoch", "part", "measure", "value"]
    assert {row["ranker"] for row in table} == {"linear:listnet(ranks=True)", "ranknet, seed 5", "ranknet, seed 6"}
    assert cli(*TRAIN, "--blend", "--plot", "curve.svg").code == 0
    assert Path("curve.svg").read_text().startswith("<")


def test_without_validation_lists_each_note_stands_once(cli: Callable[..., Any], folder: Path) -> None:
    done = cli("train", "S1.txt", "-o", "m", *LOSSES, *FEW, "--blend")
    assert done.code == 0
    assert sum("validation data" in line for line in done.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (LOSSES, "2 losses for one model, expected one; add --blend, or train each separately"),
        (("--seeds", "2"), "--seeds needs --blend or --stacked; add one of them, or leave out --seeds"),
        ((*LOSSES, "--stacked"), "--stacked needs --valid FILE: weights are learned on validation lists"),
        (("--loss", "linear:listnet", "--blend"), "a blend needs at least two rankers, and there is one"),
        (("--loss", "listnet", "--loss", "ListNet", "--blend"), "the loss listnet is given twice"),
        ((*LOSSES, "--blend", "--heads", "2"), "--heads is for networks of PyTorch"),
        ((*LOSSES, "--blend", "--dropout", "0.5", "--stop-on", "nDGC"), "unknown measure 'nDGC'"),
    ],
    ids=["two losses", "seeds", "stacked", "one ranker", "twice", "of torch", "measure"],
)
def test_what_is_wrong_ends_in_one_line_and_no_model(
    cli: Callable[..., Any], folder: Path, options: tuple[str, ...], said: str
) -> None:
    done = cli("train", "S1.txt", "-o", "m", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rankscope: {said}")
    assert done.err.count("\n") == 1
    assert not Path("m").exists()

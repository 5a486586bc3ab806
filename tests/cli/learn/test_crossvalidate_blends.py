"""`rankscope crossvalidate` with --blend, --search, --ablate: the functions, kept trials, and what is refused."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.folds import letor_lines, rankers
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.experiments.random_search import Trial
from rankscope.experiments.random_search import run as searching

TWO = ("--loss", "linear:listnet", "--loss", "linear:squared")
QUICK = ("--folds", "3", "--seeds", "1", "--epochs", "2", "--workers", "1", "-m", "AP")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with 24 queries in one file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text(letor_lines(range(24), 3))
    return tmp_path


def rows(text: str) -> list[tuple[Any, ...]]:
    found = [tuple(row.values()) for row in csv.DictReader(io.StringIO(text))]
    return [(*one[:-1], pytest.approx(float(one[-1]))) for one in found]


@pytest.mark.parametrize(("options", "how"), [(("--blend",), "average"), (("--blend", "--stacked"), "stacked"),
                                              (("--stacked",), "stacked")])  # fmt: skip
def test_a_blend_is_one_ranker_more(cli: Callable[..., Any], folder: Path, options: tuple[str, ...], how: str) -> None:
    done = cli("crossvalidate", "data.txt", *TWO, *QUICK, *options, "--format", "csv")
    assert done.code == 0
    found = rs.experiments.cross_validate(
        "data.txt", rankers("linear:listnet", "linear:squared", epochs=2), "AP", folds=3, seeds=1, blend=how
    )
    assert rows(done.out) == list(found.records())
    assert mentions(cli("crossvalidate", "data.txt", *TWO, *QUICK, *options).out.splitlines(), "blend", "2 parts")


def test_a_search_is_the_function_and_goes_on_from_its_log(cli: Callable[..., Any], folder: Path) -> None:
    search = ("crossvalidate", "data.txt", *TWO, *QUICK, "--search")
    first = cli(*search, "2", "--log", "tried", "--format", "csv")
    assert first.code == 0
    assert len((folder / "tried").read_text().splitlines()) == 1 + 4
    again = cli(*search, "2", "--log", "tried", "--format", "csv")
    assert_same_bits(again.out, first.out)
    found = rs.experiments.search(
        "data.txt", rankers("linear:listnet", "linear:squared", epochs=2), "AP", trials=3, folds=3, seeds=1
    )
    more = cli(*search, "3", "--log", "tried", "--format", "csv")
    assert rows(more.out) == list(found.records())
    text = cli(*search, "3", "--log", "tried").out
    assert mentions(text.splitlines(), "linear:squared: ", "tried")
    assert "search:3 by validation AP" in text


def test_an_interrupt_keeps_the_trials_that_are_done(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = searching.SearchLog.add
    search = ("crossvalidate", "data.txt", *TWO, *QUICK, "--search", "2", "--log", "tried", "-o", "out.csv")
    search = (*search, "--format", "csv")

    def interrupted(log: searching.SearchLog, setting: Trial) -> None:
        if len(log.trials) == 3:
            raise KeyboardInterrupt
        add(log, setting)

    with monkeypatch.context() as patched:
        patched.setattr(searching.SearchLog, "add", interrupted)
        assert cli(*search).code == 130
    assert sorted(path.name for path in folder.iterdir()) == ["data.txt", "tried"]
    kept = (folder / "tried").read_bytes()
    assert len(kept.splitlines()) == 1 + 3
    assert cli(*search).code == 0
    assert (folder / "tried").read_bytes().startswith(kept)
    resumed = (folder / "out.csv").read_text()
    (folder / "tried").unlink()
    assert cli(*search).code == 0
    assert_same_bits((folder / "out.csv").read_text(), resumed)


def test_groups_of_features_are_left_out(cli: Callable[..., Any], folder: Path) -> None:
    ablation = ("crossvalidate", "data.txt", "--loss", "linear:listnet", *QUICK)
    ablation = (*ablation, "--ablate", "first=1", "--ablate", "others=2-3")
    done = cli(*ablation, "--format", "csv")
    found = rs.experiments.ablate(
        "data.txt", ["first=1", "others=2-3"], rankers("linear:listnet", epochs=2), "AP", folds=3, seeds=1
    )
    table = list(csv.DictReader(io.StringIO(done.out)))
    assert list(table[0]) == list(found.columns)
    assert [float(row["lost"]) for row in table] == pytest.approx(found.lost("AP").tolist())
    assert mentions(cli(*ablation).out.splitlines(), "linear:listnet: AP ", "groups")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--blend --loss linear:listnet", "a blend needs at least two rankers, and there is one, linear:listnet"),
        ("--log tried", "--log needs --search N; add it, or leave out --log"),
        ("--search 0", "Invalid value for '--search'"),
        ("--search 1 --log data.txt", "data.txt"),
        ("--search 1 --log other.txt", "other.txt: is not the log of a search; use another log file"),
        ("--search 1 --log out --format csv -o out", "out: cannot hold both the log and the output; name two files"),
        ("--search 1 --log none/tried", "none/tried"),
        ("--ablate 1", "cannot read the group '1'; expected NAME=FEATURE,..."),
        ("--ablate g=9", "unknown feature '9'"),
        ("--ablate g=1-3", "the group 'g' holds all 3 features"),
        (
            "--ablate g=1 --search 2",
            "--ablate cannot be combined with --search: an ablation compares a ranker with itself",
        ),
        ("--ablate g=1 --blend", "--ablate cannot be combined with --blend"),
        ("--ablate g=1 --baseline listnet", "--ablate cannot be combined with --baseline"),
        ("--ablate g=1 --importance", "--ablate cannot be combined with --importance"),
        ("--ablate g=1 --loss listnet --loss ranknet", "an ablation takes one ranker"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(
    cli: Callable[..., Any], folder: Path, arguments: str, said: str
) -> None:
    (folder / "other.txt").write_text("precious\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = cli("crossvalidate", "data.txt", "--seeds", "1", "--workers", "1", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert said in done.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_log_of_another_search_is_refused_and_left_as_it_is(cli: Callable[..., Any], folder: Path) -> None:
    search = ("crossvalidate", "data.txt", *QUICK, "--search", "1", "--log", "tried")
    assert cli(*search, "--loss", "linear:listnet").code == 0
    before = (folder / "tried").read_bytes()
    done = cli(*search, "--loss", "linear:listnet", "--seed", "3")
    assert (done.code, done.out) == (2, "")
    assert mentions(done.err, "tried: ", "rng", 0, 3)
    assert (folder / "tried").read_bytes() == before


def test_without_lightgbm_trees_are_refused_before_anything_is_read(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    for more in (("--blend",), ("--search", "2", "--log", "tried")):
        done = cli("crossvalidate", "data.txt", "--loss", "lambdamart", "--loss", "listnet", *QUICK, *more)
        assert (done.code, done.out) == (2, "")
        assert "pip install 'rankscope[learn]'" in done.err
        assert done.err.count("\n") == 1
    assert not (folder / "tried").exists()


def test_a_saved_blend_is_predicted_with(cli: Callable[..., Any], folder: Path) -> None:
    features = rs.read_features("data.txt")
    blend = rs.learning.Blend([rs.learning.Ranker(loss, hidden=(), epochs=2) for loss in ("listnet", "squared")])
    rs.learning.save_ranker(blend.fit(features), "blend.model")
    done = cli("predict", "blend.model", "data.txt")
    assert (done.code, done.err) == (0, "")
    assert [float(line) for line in done.out.splitlines()] == blend.predict(features).tolist()
    (folder / "few.txt").write_text("1 qid:1 1:0.5 9:1\n")
    refused = cli("predict", "blend.model", "few.txt")
    assert (refused.code, refused.out) == (2, "")
    assert mentions(refused.err, "few", "trained on 3")

"""Trees from the command line: trained, saved, predicting, cross-validated; what is refused."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.demo.collection import SEED
from rankscope.demo.letor import feature_files
from rankscope.learning import load_ranker

FEW = "lambdamart(trees=20, patience=5)"
installed = pytest.mark.skipif(find_spec("lightgbm") is None, reason="LightGBM is not installed; it grows trees")


@installed
def test_trees_are_trained_saved_and_score_as_any_ranker_does(cli: Callable[..., Any], letor: Path) -> None:
    pytest.importorskip("safetensors", reason="the extra `learn` is not installed: pip install 'rankscope[learn]'")
    options = ("--valid", "demo-valid.txt", "--models", 2, "--seed", 3, "--stop-on", "AP", "-o", "m")
    done = cli("train", "demo-train.txt", "--loss", FEW, *options)
    assert (done.code, done.err) == (0, "")
    assert mentions(done.out.split("\n\n")[0], "trees", "kept")
    assert mentions(done.out, "| trees:20 | patience:5", "| leaves:7 |")
    ranker = load_ranker("m")
    assert (ranker.kind, len(ranker.models_), ranker.rng, ranker.stop_on) == ("trees", 2, 3, "AP")
    done = cli("predict", "m", "demo-test.txt", "-o", "scores.txt")
    assert (done.code, done.out, done.err) == (0, "", "")
    done = cli("evaluate", "demo-test.txt", "scores.txt", "--input", "letor", "-m", "nDCG@10", "--format", "csv")
    assert float(done.out.splitlines()[-1].split(",")[-1]) > 0.8
    rows = cli("train", "demo-train.txt", "--loss", FEW, "-o", "n", "--format", "csv", *options[:2]).out.splitlines()
    assert rows[0] == "model,epoch,part,measure,value"
    assert rows[1].startswith("1,1,valid,")


@installed
def test_trees_stand_beside_networks_in_a_cross_validation(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("few.csv").write_text("\n".join(feature_files(SEED)["demo-features.csv"].splitlines()[:200]) + "\n")
    done = cli("crossvalidate", "few.csv", "--loss", FEW, "--loss", "listnet", "--hidden", 3, "--epochs", 2,
               "--seeds", 1, "--folds", 3, "--workers", 1)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert mentions(done.out.splitlines(), "2 rankers", "3 folds")
    assert "hidden:3" in done.out
    done = cli("crossvalidate", "few.csv", "--loss", FEW, "--hidden", 3, "--workers", 1)
    assert (done.code, done.out) == (2, "")
    assert "hidden is (3,)" in done.err


@installed
@pytest.mark.parametrize(
    ("loss", "options", "said"),
    [
        ("lambdamart", ("--hidden", 8), "--hidden is (8,), and lambdamart has no such parameter"),
        ("lambdamart", ("--epochs", 8), "--epochs is 8, and lambdamart has no such parameter"),
        ("lambdamart(leaves=1)", (), "leaves is 1, expected"),
        ("lambdamart(objective='listnt')", (), "unknown loss 'listnt'; did you mean listnet?"),
        ("lambdamart(min_documents=700)", (), "no tree can be grown: no feature splits the documents into two parts"),
    ],
)
def test_what_is_wrong_ends_in_one_line_and_no_model(
    cli: Callable[..., Any], letor: Path, loss: str, options: tuple[Any, ...], said: str
) -> None:
    done = cli("train", "demo-train.txt", "--loss", loss, *options, "-o", "m")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rankscope: {said}")
    assert done.err.count("\n") == 1
    assert not Path("m").exists()


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ModuleNotFoundError("No module named 'lightgbm'", name="lightgbm"), "pip install 'rankscope[learn]'"),
        (OSError("libgomp.so.1: cannot open shared object file"), "libgomp1 on Debian and Ubuntu"),
    ],
    ids=["not installed", "no OpenMP"],
)
def test_what_is_missing_is_said_before_any_data_are_read(
    cli: Callable[..., Any], letor: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception, said: str
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "lightgbm"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "lightgbm":
            raise raised
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for command in (("train", "no-such-file.txt", "-o", "m"), ("crossvalidate", "no-such-folder")):
        done = cli(*command, "--loss", "lambdamart")
        assert (done.code, done.out) == (2, "")
        assert said in done.err
        assert done.err.count("\n") == 1

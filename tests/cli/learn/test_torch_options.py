"""`--loss torch:LOSS` of train and crossvalidate, and the options that go with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.refusals import refused

from rankscope.learning import load_ranker

pytest.importorskip("safetensors", reason="the extra `learn` is not installed: pip install 'rankscope[learn]'")

TRAIN = ("train", "demo-train.txt", "--valid", "demo-valid.txt", "-o", "t.model", "--epochs", 2)


@pytest.fixture
def pytorch() -> Any:
    return pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")


@pytest.mark.parametrize("command", [TRAIN, ("crossvalidate", "demo-train.txt", "--folds", 3)])
@pytest.mark.parametrize("option", ["--attention", "--heads", "--device"])
def test_options_of_pytorch_are_refused_where_no_loss_is_for_it(
    cli: Callable[..., Any], letor: Path, command: tuple[object, ...], option: str
) -> None:
    said = refused(cli, *command, "--loss", "ranknet", option, "cpu" if option == "--device" else 1)
    assert mentions(said, option, "PyTorch", "--loss torch:ranknet")


@pytest.mark.parametrize("command", [TRAIN, ("crossvalidate", "demo-train.txt", "--folds", 3)])
def test_without_pytorch_it_is_said_what_to_install(
    cli: Callable[..., Any], letor: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert mentions(refused(cli, *command, "--loss", "torch:listnet"), "PyTorch", "pip install 'rankscope[torch]'")


@pytest.mark.usefixtures("pytorch", "letor")
def test_a_network_that_looks_at_lists_is_trained_saved_and_asked(cli: Callable[..., Any]) -> None:
    done = cli(*TRAIN, "--loss", " Torch:RankNet(sigma=2.0)", "--attention", 1, "--heads", 4, "--device", "cpu")
    assert done.code == 0, done.err
    assert mentions(
        " ".join(done.out.split("\n\n")[0].split()), "10 queries", "demo-valid", "nDCG(gain='exp')@10", "best epoch"
    )
    assert mentions(done.out, "ranknet(sigma=2.0) | hidden:64", "| attention:1 | heads:4", "| epochs:2 |")
    ranker = load_ranker("t.model")
    assert type(ranker).__name__ == "TorchRanker"
    done = cli("predict", "t.model", "demo-test.txt", "-o", "scores.txt")
    assert (done.code, done.out) == (0, "")
    from rankscope import read_features

    expected = ranker.predict(read_features("demo-test.txt"))
    assert np.array_equal(np.loadtxt("scores.txt"), expected)
    assert cli("evaluate", "demo-test.txt", "scores.txt", "--input", "letor", "-m", "nDCG@10").code == 0


@pytest.mark.usefixtures("pytorch", "letor")
def test_it_is_compared_with_other_rankers_on_the_same_folds(cli: Callable[..., Any]) -> None:
    settings = ("--folds", 3, "--epochs", 2, "--attention", 1, "--hidden", "8,4", "--workers", 1)
    done = cli("crossvalidate", "demo-train.txt", "--loss", "torch:listnet", "--loss", "listnet", *settings)
    assert done.code == 0, done.err
    assert "torch:listnet" in done.out
    assert "attention:1" in done.out
    assert "hidden:8x4" in done.out


@pytest.mark.usefixtures("letor")
def test_what_is_wrong_is_said_in_one_line(
    cli: Callable[..., Any], pytorch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytorch.cuda, "is_available", lambda: False)
    assert mentions(refused(cli, *TRAIN, "--loss", "torch:listnet", "--device", "cuda"), "GPU", "'cpu'")
    assert mentions(refused(cli, *TRAIN, "--loss", "torch:listnut"), "'listnut'", "listnet")
    assert "lambdamart, which grows trees" in refused(cli, *TRAIN, "--loss", "torch:lambdamart")
    assert mentions(
        refused(cli, *TRAIN, "--loss", "torch:listnet", "--attention", 1, "--heads", 5), "multiple", "5 heads"
    )

    def full(*given: Any, **more: Any) -> None:
        raise pytorch.cuda.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr("rankscope.learning.torch.trainer.score_lists", full)
    said = refused(cli, *TRAIN, "--loss", "torch:listnet", "--batch-lists", 64)
    assert "batches of 64 lists" in said
    assert mentions(said, 32, "batch_lists", "--batch-lists")


@pytest.mark.parametrize(("loss", "other"), [("lambdamart(trees=9)", "listnet"), ("linear:ranknet", "ranknet")])
@pytest.mark.usefixtures("letor")
def test_what_is_written_instead_is_a_loss_of_networks(cli: Callable[..., Any], loss: str, other: str) -> None:
    assert f"use --loss torch:{other}, or" in refused(cli, *TRAIN, "--loss", loss, "--attention", 1)

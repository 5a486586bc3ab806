"""Trees as files: what comes back predicts the same without LightGBM, and what does not fit is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.model_files import changed_array, changed_header, changed_parameter, parts, put

from rankscope.errors import InputError
from rankscope.learning import Ranker, load_ranker, save_ranker

pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] > 0) + (X[:, 1] > 0.3).astype(int)
QID = np.repeat(np.arange(6), 10)
HELD = RNG.normal(size=(200, 3))
GROWN = "lambdamart(trees=8, leaves=4, min_documents=5, features=1.0)"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "good.model"
    save_ranker(Ranker(GROWN, models=2).fit(X, Y, QID), path, signature="made by a test")
    return path.read_bytes()


def test_what_was_saved_predicts_the_same_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ranker = Ranker(GROWN, models=2, stop_on="AP").fit(X, Y, QID, eval_set=(X, Y, QID))
    save_ranker(ranker, tmp_path / "m")
    monkeypatch.setitem(sys.modules, "lightgbm", None)  # whoever predicts need not have it
    again = load_ranker(tmp_path / "m")
    assert again.predict(HELD).tobytes() == ranker.predict(HELD).tobytes()
    assert again.get_params() == ranker.get_params()
    assert again.kind == ranker.kind == "trees"
    for one, other in zip(again.models_, ranker.models_, strict=True):
        assert (one.losses, one.values, one.best_epoch, one.grown) == (
            other.losses,
            other.values,
            other.best_epoch,
            other.grown,
        )
    save_ranker(again, tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()


def test_trees_that_see_ranks_come_back_seeing_them(tmp_path: Path) -> None:
    ranker = Ranker(f"{GROWN[:-1]}, ranks=True)").fit(X, Y, QID)
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    qid = np.repeat(np.arange(20), 10)
    assert again.lists
    assert again.predict(HELD, qid).tobytes() == ranker.predict(HELD, qid).tobytes()


def test_the_header_says_the_kind_and_a_file_without_one_is_a_network(tmp_path: Path, model: bytes) -> None:
    assert parts(model)[0]["kind"] == "trees"
    save_ranker(Ranker(hidden=(), epochs=2).fit(X, Y, QID), tmp_path / "m")
    linear, weights = parts((tmp_path / "m").read_bytes())
    assert linear.pop("kind") == "network"
    before = load_ranker(tmp_path / "m").predict(HELD)
    assert load_ranker(put(tmp_path / "old", linear, weights)).predict(HELD).tobytes() == before.tobytes()


CHILDREN = {"round": [[0, 2], [1, 1], [2, 2]], "out": [[1, 9], [1, 1], [2, 2]], "half": [[1, 2], [1, 2], [2, 2]]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed_header("kind", "forest"), "kind is 'forest', .*network, trees, blend, torch"),
        (changed_header("kind", ["trees"]), "is damaged"),
        (changed_header("models", []), "there are no trees"),
        (changed_header("features", ["1", "1", "2"]), "no names"),
        (changed_header("ranks", None), "ranks is None"),
        (changed_header("features", ["1"]), "feature.0 is not below 1"),
        (changed_parameter("loss", "lambdamart(leaves=0)"), "leaves is 0"),
        (changed_header("features", "abc"), "no names"),
        (changed_array("roots.0", np.zeros(0, np.int32)), "roots.0 has no tree"),
        (changed_array("roots.1", None), "'roots.1' is missing"),
        (changed_array("roots.0", np.array([-1], np.int32)), "roots.0 is not below"),
        (changed_array("roots.0", np.array([0.0])), "roots.0 is float64"),
        (changed_array("worth.0", np.zeros(2)), "worth.0 is of 2 nodes"),
        (changed_array("threshold.0", np.array([np.inf])), "threshold.0 .*finite"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, model: bytes, change: Any, said: str) -> None:
    about, arrays = parts(model)
    change(about, arrays)
    with pytest.raises(InputError, match=said) as caught:
        load_ranker(put(tmp_path / "odd.model", about, arrays))
    assert "train it again" in str(caught.value)


@pytest.mark.parametrize("children", CHILDREN.values(), ids=list(CHILDREN))
def test_a_tree_that_one_never_comes_out_of_is_refused(tmp_path: Path, model: bytes, children: Any) -> None:
    about, arrays = parts(model)
    arrays |= {"feature.0": np.zeros(3, np.int32), "threshold.0": np.zeros(3), "worth.0": np.zeros(3)}
    arrays |= {"roots.0": np.zeros(1, np.int32), "children.0": np.array(children, np.int32)}
    with pytest.raises(InputError, match=r"children\.0 "):
        load_ranker(put(tmp_path / "odd.model", about, arrays))


def test_scores_that_are_no_finite_numbers_are_refused(tmp_path: Path, model: bytes) -> None:
    about, arrays = parts(model)
    arrays["worth.0"] = np.full_like(arrays["worth.0"], 1e308)
    with pytest.raises(InputError, match="not finite"):
        load_ranker(put(tmp_path / "m", about, arrays)).predict(HELD)

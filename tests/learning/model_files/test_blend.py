"""Blends as files: what comes back predicts the same bit for bit, and what does not fit is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.model_files import parts, put

from rankscope.errors import InputError, ParameterError
from rankscope.learning import Blend, Ranker, load_ranker, save_ranker
from rankscope.learning.blend import NORMALISATIONS

RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
QID = np.repeat(np.arange(6), 10)
HELD, HELD_QID = RNG.normal(size=(50, 3)), np.repeat(np.arange(5), 10)


def pair() -> dict[str, Ranker]:
    return {
        "straight": Ranker("listnet", hidden=(), epochs=3),
        "net": Ranker("ranknet", hidden=(4,), epochs=2, models=2),
    }


def fitted(rankers: Any = None, **parameters: Any) -> Blend:
    return Blend(pair() if rankers is None else rankers, **parameters).fit(X, Y, QID, eval_set=(X, Y, QID))


def same(path: Path, blend: Blend) -> Blend:
    """The blend that comes back, which must be the same in all that can be seen."""
    save_ranker(blend, path)
    again = load_ranker(path)
    assert isinstance(again, Blend)
    assert again.predict(HELD, HELD_QID).tobytes() == blend.predict(HELD, HELD_QID).tobytes()
    assert again.combination_.weights.tobytes() == blend.combination_.weights.tobytes()
    assert (again.feature_names_, again.parameters_["rankers"]) == (blend.feature_names_, blend.parameters_["rankers"])
    assert (again.how, again.normalise, again.loss, again.l2) == (blend.how, blend.normalise, blend.loss, blend.l2)
    save_ranker(again, path.with_suffix(".again"))
    assert path.with_suffix(".again").read_bytes() == path.read_bytes()
    return again


@pytest.mark.parametrize("how", ["average", "stacked"])
@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_what_was_saved_predicts_the_same_bit_for_bit(tmp_path: Path, how: str, normalise: str) -> None:
    again = same(tmp_path / "m", fitted(how=how, normalise=normalise, l2=0.5, loss="softmax_cross_entropy"))
    again.fit(X, Y, QID, eval_set=(X, Y, QID))  # and it can be trained again


def test_trees_and_blends_may_be_parts(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")
    trees = Ranker("lambdamart(trees=5, leaves=3, min_documents=5, features=1.0)")
    again = same(tmp_path / "m", fitted([trees, Blend(pair(), normalise="fixed"), trees]))
    assert again.parameters_["rankers"] == [trees.loss, "Blend", f"{trees.loss} #2"]


def test_names_of_columns_and_the_settings_at_training_are_kept(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    blend = Blend(pair()).fit(pd.DataFrame(X, columns=["a", "b", "c"]), Y, QID)
    before = blend.predict(HELD, HELD_QID)
    blend.set_params(how="stacked", l2=7.0)
    save_ranker(blend, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert (again.how, again.l2) == ("average", 1.0)
    assert again.feature_names_in_.tolist() == ["a", "b", "c"]
    assert again.predict(HELD, HELD_QID).tobytes() == before.tobytes()


def test_a_blend_that_learned_nothing_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"this Blend .*fit"):
        save_ranker(Blend(pair()), tmp_path / "m")
    assert not (tmp_path / "m").exists()


Change = Callable[[dict[str, Any], dict[str, Any]], None]


def nested(about: dict[str, Any], arrays: dict[str, Any]) -> None:
    for _ in range(8):
        inner = json.loads(json.dumps(about))
        about["rankers"] = [inner, inner]


CHANGES: dict[str, tuple[Change, str]] = {
    "a weight below 0": (lambda _, arrays: arrays.update(weights=np.array([1.5, -0.5])), "its weights or spreads"),
    "weights of another sum": (lambda _, arrays: arrays.update(weights=np.array([0.5, 0.6])), "its weights or spreads"),
    "a spread of 0": (lambda _, arrays: arrays.update(spread=np.zeros(2)), "its weights or spreads"),
    "a weight too many": (
        lambda _, arrays: arrays.update(weights=np.full(3, 1 / 3)),
        "weights is float64 of shape (3,)",
    ),
    "no weights": (lambda _, arrays: arrays.pop("weights"), "'weights' is missing"),
    "one part": (lambda about, _: about.update(rankers=about["rankers"][:1]), "no names"),
    "names alike": (lambda about, _: about.update(names=["a", "a"]), "no names"),
    "names that are none": (lambda about, _: about.update(names=[1, 2]), "no names"),
    "a part without weights": (
        lambda _, arrays: arrays.pop("part.1.weight.0.0"),
        "part 2 of 2: 'weight.0.0' ",
    ),
    "a part of no kind": (
        lambda about, _: about["rankers"][0].update(kind="oracle"),
        "part 1 of 2: ... 'oracle'",
    ),
    "a way that is none": (lambda about, _: about["parameters"].update(how="best"), "how is 'best'"),
    "a scale that is none": (lambda about, _: about["parameters"].update(normalise="best"), "normalise is 'best'"),
    "other features": (
        lambda about, _: about.update(features=["1", "2", "9"]),
        "its features are not",
    ),
    "parts that differ": (
        lambda about, _: about["rankers"][1].update(features=["1", "2", "9"]),
        "net ... 3 features ... straight ... 3, ... '9' and '3'",
    ),
    "blends without end": (nested, "more than 5 deep"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_fit_is_refused_as_damaged(tmp_path: Path, change: str) -> None:
    save_ranker(fitted(), tmp_path / "good")
    about, arrays = parts((tmp_path / "good").read_bytes())
    load_ranker(put(tmp_path / "same", about, arrays))
    alter, said = CHANGES[change]
    alter(about, arrays)
    with pytest.raises(InputError) as caught:
        load_ranker(put(tmp_path / "bad", about, arrays))
    assert "bad: is damaged (" in str(caught.value)
    assert mentions(caught.value, *said.split(" ... "))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [0, 7, 100, 2000, -1])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, size: int) -> None:
    save_ranker(fitted(), tmp_path / "good")
    (tmp_path / "cut").write_bytes((tmp_path / "good").read_bytes()[:size])
    with pytest.raises(InputError, match=r"cut: .*`rankscope train`"):
        load_ranker(tmp_path / "cut")


def squares(scores: Any, relevance: Any, offsets: Any) -> Any:
    """A loss of somebody's own."""
    return float(((scores - relevance) ** 2).sum()), 2 * (scores - relevance)


def test_weights_by_a_loss_of_ones_own_come_back(tmp_path: Path) -> None:
    blend = fitted(how="stacked", loss=squares)
    save_ranker(blend, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert again.loss == "squares"
    assert again.predict(HELD, HELD_QID).tobytes() == blend.predict(HELD, HELD_QID).tobytes()


def test_what_could_not_be_loaded_again_is_not_saved(tmp_path: Path) -> None:
    inner: Any = Ranker("listnet", hidden=(), epochs=1)
    for _ in range(6):
        inner = Blend([inner, Ranker("ranknet", hidden=(), epochs=1)])
    deep = inner.fit(X, Y, QID)
    save_ranker(deep.rankers_[0], tmp_path / "m")
    assert load_ranker(tmp_path / "m").predict(HELD, HELD_QID).shape == (50,)
    with pytest.raises(ParameterError, match="more than 5 deep"):
        save_ranker(deep, tmp_path / "n")
    assert not (tmp_path / "n").exists()

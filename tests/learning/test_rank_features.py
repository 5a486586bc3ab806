"""Networks and linear scorers that see, beside each feature, its rank within the list."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.model_files import parts, put

from rankscope import Features, parse_measure
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments.crossvalidation import parse_rankers
from rankscope.experiments.permutation_importance import prepared_scorer
from rankscope.learning import Blend, Ranker, load_ranker, save_ranker
from rankscope.learning.lambdamart import parse_objective
from rankscope.learning.losses import parse_loss
from rankscope.learning.scaling import with_list_ranks
from rankscope.learning.settings import RankerSettings
from rankscope.learning.training import ranker_signature
from rankscope.translation import TranslationFeatures, score_translations

RNG = np.random.default_rng(8)
LISTS, LENGTH = 30, 8
QID = np.repeat(np.arange(LISTS), LENGTH)
#: What is best of its list is relevant, and lists are at heights of their own.
HEIGHTS = 30 * RNG.normal(size=LISTS)
VALUES = RNG.normal(size=(LISTS * LENGTH, 1)) + HEIGHTS[QID, None]
GRADES = np.digitize((VALUES[:, 0] - HEIGHTS[QID]), (0.3, 1.2))
DATA = Features.of(VALUES, GRADES, QID, names=["worth"])
KINDS: dict[str, dict[str, Any]] = {
    "linear": {"loss": "listnet(ranks=True)", "hidden": ()},
    "linear by steps": {"loss": "lambdaloss(kind='2', ranks=True)", "hidden": (), "epochs": 3},
    "network": {"loss": "ranknet(ranks=True)", "hidden": (4,), "epochs": 3, "models": 2},
}


def quality(ranker: Ranker, features: Features) -> float:
    hits = FullyJudgedLists(features.relevance, features.offsets).hits(ranker.predict(features))
    return float(parse_measure("AP")(hits).mean())


def test_it_is_said_in_the_parentheses_of_the_loss_of_a_ranker_and_of_nothing_else() -> None:
    loss = parse_objective("lambdaloss(ranks=True, kind='2')")
    assert (loss.ranks, str(loss), loss.parameters) == (True, "lambdaloss(kind='2', ranks=True)", {"kind": "2"})
    assert str(parse_objective("listnet(ranks=False)")) == "listnet"
    assert parse_objective(str(loss)) == loss != parse_objective("lambdaloss(kind='2')")
    with pytest.raises(ParameterError, match=r"ranks is 1, .*True or False"):
        parse_objective("listnet(ranks=1)")
    with pytest.raises(UnknownName, match="listnet 'ranks'"):
        parse_loss("listnet(ranks=True)")
    with pytest.raises(UnknownName, match="listnet 'ranks'"):
        Blend([Ranker(), Ranker(rng=1)], loss="listnet(ranks=True)").check()
    with pytest.raises(ParameterError, match=r"objective is 'listnet\(ranks=True\)'"):
        parse_objective("lambdamart(objective='listnet(ranks=True)')")


def test_the_gradient_is_that_of_the_loss() -> None:
    scores, grades, offsets = np.array([0.0, 1.0, 0.5]), np.array([2, 0, 1]), np.array([0, 3])
    value, gradient = parse_objective("ranknet(ranks=True)")(scores, grades, offsets)  # no trees here
    plain, slope = parse_loss("ranknet")(scores, grades, offsets)
    assert (value, gradient.tolist()) == (plain, slope.tolist())


@pytest.mark.parametrize("parameters", KINDS.values(), ids=KINDS)
def test_it_is_training_on_the_ranks_as_features(parameters: dict[str, Any]) -> None:
    ranker = Ranker(**parameters).fit(DATA, eval_set=DATA)
    plain = {**parameters, "loss": str(parameters["loss"]).replace("ranks=True", "")}
    by_hand = Ranker(**{**plain, "loss": plain["loss"].replace(", )", ")")})
    wide = with_list_ranks(DATA)
    by_hand.fit(wide, eval_set=wide)
    assert ranker.predict(DATA).tobytes() == by_hand.predict(wide).tobytes()
    assert (ranker.n_features_in_, ranker.feature_names_, ranker.lists) == (1, ("worth",), True)
    assert (by_hand.n_features_in_, by_hand.lists) == (2, False)


def test_the_middle_of_lists_of_any_height_is_found() -> None:
    middle = replace(DATA, relevance=(np.abs(with_list_ranks(DATA).values[:, 1] - 0.5) < 0.1).astype(np.int64))
    settings: dict[str, Any] = {"hidden": (8,), "epochs": 60, "dropout": 0.0, "learning_rate": 0.02}
    blind, seeing = (Ranker(f"listnet(ranks={ranks})", **settings).fit(middle) for ranks in (False, True))
    assert quality(seeing, middle) > 0.99
    assert quality(blind, middle) < 0.6


@pytest.mark.parametrize("parameters", KINDS.values(), ids=KINDS)
def test_predicting_asks_for_the_lists_and_takes_rows_in_any_order(parameters: dict[str, Any]) -> None:
    ranker = Ranker(**parameters).fit(DATA)
    scores = ranker.predict(DATA)
    with pytest.raises(ParameterError, match=r"queries .*whole lists"):
        ranker.predict(VALUES)
    order = np.random.default_rng(0).permutation(len(QID))
    assert ranker.predict(VALUES[order], qid=QID[order]) == pytest.approx(scores[order], abs=1e-5)
    assert ranker.predict(VALUES, group=[LENGTH] * LISTS).tobytes() == scores.tobytes()


@pytest.mark.parametrize("parameters", KINDS.values(), ids=KINDS)
def test_what_was_saved_predicts_the_same_bit_for_bit(tmp_path: Path, parameters: dict[str, Any]) -> None:
    ranker = Ranker(**parameters).fit(DATA, eval_set=DATA)
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert again.predict(DATA).tobytes() == ranker.predict(DATA).tobytes()
    assert (again.lists, again.loss, again.n_features_in_) == (True, parameters["loss"], 1)
    save_ranker(again, tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()
    again.set_params(loss="listnet")  # what was trained sees ranks still
    assert again.predict(DATA).tobytes() == ranker.predict(DATA).tobytes()


def test_a_file_that_says_nothing_of_ranks_is_of_a_ranker_without(tmp_path: Path) -> None:
    save_ranker(Ranker(hidden=(4,), epochs=2).fit(DATA), tmp_path / "m")
    about, arrays = parts((tmp_path / "m").read_bytes())
    assert about.pop("ranks") is False
    old = load_ranker(put(tmp_path / "old", about, arrays))
    assert old.predict(VALUES).tobytes() == load_ranker(tmp_path / "m").predict(VALUES).tobytes()


@pytest.mark.parametrize(
    ("ranks", "said"),
    [(False, r"mean .*\(2,\), .*\(1,\)"), ("yes", "ranks is 'yes', expected")],
    ids=str,
)
def test_a_file_whose_arrays_are_of_another_width_is_refused(tmp_path: Path, ranks: Any, said: str) -> None:
    save_ranker(Ranker(**KINDS["network"]).fit(DATA), tmp_path / "m")
    about, arrays = parts((tmp_path / "m").read_bytes())
    about["ranks"] = ranks
    with pytest.raises(InputError, match=said):
        load_ranker(put(tmp_path / "bad", about, arrays))


def test_a_blend_with_one_of_them_asks_for_lists_and_comes_back(tmp_path: Path) -> None:
    rankers = [Ranker(**KINDS["linear"]), Ranker("ranknet", hidden=())]
    blend = Blend(rankers, normalise="fixed")
    assert blend.lists
    blend.fit(DATA)
    with pytest.raises(ParameterError, match="uses whole lists"):
        blend.predict(VALUES)
    save_ranker(blend, tmp_path / "m")
    assert load_ranker(tmp_path / "m").predict(DATA).tobytes() == blend.predict(DATA).tobytes()
    assert not Blend([Ranker(), rankers[1]], normalise="fixed").lists


def test_what_a_feature_is_worth_counts_its_rank_too() -> None:
    ranker = Ranker(**KINDS["network"]).fit(DATA)
    score, values = prepared_scorer(ranker, DATA)
    assert score(values).tobytes() == ranker.predict(DATA).tobytes()
    assert values.shape[1] == 1


def test_rankers_with_and_without_stand_side_by_side_under_their_names() -> None:
    found = parse_rankers(
        ["linear:listnet", "linear:listnet(ranks=True)", "ranknet(ranks=True)"], RankerSettings(epochs=2)
    )
    assert found.names == ("linear:listnet", "linear:listnet(ranks=True)", "ranknet(ranks=True)")
    assert found.seed_independent == (True, True, False)
    assert [found.ranker(m).lists for m in range(3)] == [False, True, True]
    assert ranker_signature(found.ranker(1)).startswith("listnet(ranks=True) | hidden:none")


def test_translations_of_one_system_have_no_ranks() -> None:
    values = np.array([[[0.9], [0.7]], [[0.2], [0.8]]])
    about: dict[str, Any] = {"pair": "de-en", "segments": ("1", "2"), "names": ("worth",)}
    ranker = Ranker(**KINDS["linear"]).fit(DATA)
    table = TranslationFeatures(systems=("A", "B"), values=values, **about)
    found = score_translations(ranker, [table]).pairs["de-en"].values
    assert (found[0] > found[1]).tolist() == [True, False]
    alone = TranslationFeatures(systems=("A",), values=values[:1], **about)
    with pytest.raises(InputError, match=r"de-en .*'A'"):
        score_translations(ranker, [alone])

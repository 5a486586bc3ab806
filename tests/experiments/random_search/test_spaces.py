"""What a search draws: by name, number and seed alone, and always something that can be trained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope.experiments.crossvalidation import RankerModels, parse_rankers
from rankscope.experiments.random_search.spaces import (
    SPACES,
    draw_setting,
    log_uniform,
    ranker_kind,
    uniform,
    uniform_choice,
)
from rankscope.learning import LambdaMART, Ranker
from rankscope.learning.lambdamart import parse_objective

#: A ranker of each kind.
RANKERS: dict[str, Ranker] = {
    "network": Ranker("ranknet"),
    "linear": Ranker("listnet", hidden=()),
    "linear by steps": Ranker("lambdarank", hidden=()),
    "trees": Ranker("lambdamart"),
}


def settings(kind: str, trials: int = 40, **parameters: Any) -> list[dict[str, Any]]:
    ranker = RANKERS[kind]
    return [draw_setting("r", type(ranker)(**{**ranker.get_params(), **parameters}), i, 7) for i in range(1, trials)]


@pytest.mark.parametrize("kind", RANKERS)
def test_every_setting_is_a_ranker_of_the_same_kind(kind: str) -> None:
    if kind == "trees":
        pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")
    assert ranker_kind(RANKERS[kind]) == kind
    for changed in settings(kind):
        ranker = Ranker(**{**RANKERS[kind].get_params(), **changed})
        ranker.check()
        assert ranker_kind(ranker) == kind


@pytest.mark.parametrize("kind", RANKERS)
def test_the_first_is_as_given_and_the_others_differ(kind: str) -> None:
    found = settings(kind)
    assert found[0] == {}
    assert len({str(one) for one in found}) > 0.8 * len(found)


def test_a_setting_depends_on_name_number_and_seed_and_nothing_else() -> None:
    ranker = RANKERS["network"]
    here = draw_setting("a", ranker, 5, 1)
    assert here == draw_setting("a", Ranker("listnet"), 5, 1)
    assert here != draw_setting("b", ranker, 5, 1)
    assert here != draw_setting("a", ranker, 6, 1)
    assert here != draw_setting("a", ranker, 5, 2)


def test_what_was_set_stays_and_the_others_are_drawn_as_they_were() -> None:
    free, bound = settings("network"), settings("network", hidden=(9,), dropout=0.1)
    for one, other in zip(free[1:], bound[1:], strict=True):
        assert other == {key: value for key, value in one.items() if key not in ("hidden", "dropout")}


def test_of_trees_the_text_of_the_loss_changes_and_what_was_set_stays() -> None:
    for changed in settings("trees", loss="lambdamart(leaves=9, trees=50)")[1:]:
        assert list(changed) == ["loss"]
        loss = parse_objective(changed["loss"])
        assert isinstance(loss, LambdaMART)
        assert (loss.leaves, loss.trees) == (9, 50)
    ours = [parse_objective(one["loss"]) for one in settings("trees", loss="lambdamart(objective='listnet')")[1:]]
    for loss in ours:
        assert isinstance(loss, LambdaMART)
        assert (loss.objective, loss.truncation) == ("listnet", LambdaMART().truncation)  # which listnet has not


def test_every_parameter_of_a_space_is_one_of_its_rankers() -> None:
    for kind, ranker in RANKERS.items():
        known = LambdaMART().as_dict() if kind == "trees" else ranker.get_params()
        assert set(SPACES[kind]) <= set(known)


def test_the_laws() -> None:
    rng = np.random.default_rng(0)
    drawn = [log_uniform(0.001, 10, zero=0.25)(rng) for _ in range(2000)]
    above = np.array([one for one in drawn if one > 0])
    assert 0.2 < 1 - above.size / len(drawn) < 0.3
    assert above.min() >= 0.001
    assert above.max() <= 10
    assert 0.45 < np.mean(above < 0.1) < 0.55  # half of the orders of magnitude
    assert {uniform_choice(1, 2, 3)(rng) for _ in range(50)} == {1, 2, 3}
    even = [uniform(0.2, 0.4)(rng) for _ in range(200)]
    assert 0.2 <= min(even) < 0.22
    assert 0.38 < max(even) <= 0.4


def test_a_parameter_given_as_a_list_is_the_default_all_the_same() -> None:
    assert "hidden" in draw_setting("r", Ranker(hidden=[64]), 2, 0)


def test_named_rankers_of_a_cross_validation_are_drawn_by_their_names() -> None:
    models: RankerModels = parse_rankers(["listnet", "linear:listnet"])
    drawn = [draw_setting(name, models.ranker(m), 2, 0) for m, name in enumerate(models.names)]
    assert "hidden" in drawn[0]
    assert "hidden" not in drawn[1]

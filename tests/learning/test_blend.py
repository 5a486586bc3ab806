"""Blend: rankers trained or taken as one, in scikit-learn's manner, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.messages import mentions
from scipy import stats

from rankscope import Features
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.learning import Blend, Ranker
from rankscope.learning.blend import NORMALISATIONS

RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 4))
Y = (X[:, 0] + 0.5 * RNG.normal(size=90) > 0).astype(int) + (X[:, 1] > 1)
QID = np.repeat(np.arange(9), 10)
HELD, HELD_Y, HELD_QID = RNG.normal(size=(40, 4)), RNG.integers(0, 3, 40), np.repeat(np.arange(4), 10)


def pair() -> list[Ranker]:
    """A linear ranker and a network."""
    return [Ranker("listnet", hidden=(), epochs=5), Ranker("ranknet", hidden=(4,), epochs=3, learning_rate=0.01, rng=2)]


def fitted(**parameters: Any) -> Blend:
    return Blend(pair(), **parameters).fit(X, Y, QID, eval_set=(HELD, HELD_Y, HELD_QID))


def on_scale(scores: np.ndarray, normalise: str) -> np.ndarray:
    """Scores of four lists of ten on a scale, by other means."""
    rows = scores.reshape(4, 10)
    least, greatest = rows.min(axis=1, keepdims=True), rows.max(axis=1, keepdims=True)
    scaled = {
        "z-score": stats.zscore(rows, axis=1),
        "min-max": (rows - least) / (greatest - least),
        "rank": (stats.rankdata(rows, axis=1) - 1) / 9,
    }
    return scaled[normalise].ravel()


@pytest.mark.parametrize("normalise", NORMALISATIONS[1:])
def test_a_blend_is_the_mean_of_what_each_ranker_alone_says(normalise: str) -> None:
    each = [one.fit(X, Y, QID, eval_set=(HELD, HELD_Y, HELD_QID)).predict(HELD) for one in pair()]
    expected = np.mean([on_scale(one, normalise) for one in each], axis=0)
    np.testing.assert_allclose(fitted(normalise=normalise).predict(HELD, HELD_QID), expected, atol=1e-12)


def test_the_rankers_that_were_given_learn_nothing_and_their_copies_are_there() -> None:
    given = pair()
    blend = Blend(given).fit(X, Y, QID)
    assert not any(hasattr(one, "models_") for one in given)
    assert [one.get_params() for one in blend.rankers_] == [one.get_params() for one in given]
    assert blend.rankers == given
    assert (blend.feature_names_, blend.n_features_in_) == (("1", "2", "3", "4"), 4)


def test_rankers_that_were_trained_before_are_blended_as_they_are() -> None:
    trained = [one.fit(X, Y, QID, eval_set=(HELD, HELD_Y, HELD_QID)) for one in pair()]
    for how in ("average", "stacked"):
        whole = fitted(how=how, normalise="fixed")
        taken = Blend(trained, how=how, normalise="fixed").combine(HELD, HELD_Y, HELD_QID)
        assert taken.predict(HELD).tolist() == whole.predict(HELD).tolist()
        assert taken.combination_.weights.tolist() == whole.combination_.weights.tolist()


def test_rows_may_come_in_any_order() -> None:
    blend, order = fitted(), RNG.permutation(40)
    np.testing.assert_allclose(blend.predict(HELD[order], HELD_QID[order]), blend.predict(HELD, HELD_QID)[order])
    by_group = blend.predict(HELD, group=[10] * 4)
    assert by_group.tolist() == blend.predict(Features.of(HELD, HELD_Y, HELD_QID)).tolist()


def test_the_order_of_the_parts_does_not_matter() -> None:
    trained = [one.fit(X, Y, QID) for one in (*pair(), Ranker("squared", hidden=(), epochs=2))]
    for how in ("average", "stacked"):
        first, other = (
            Blend(parts, how=how).combine(HELD, HELD_Y, HELD_QID).predict(HELD, HELD_QID)
            for parts in (trained, trained[::-1])
        )
        np.testing.assert_allclose(other, first, atol=1e-4 if how == "stacked" else 1e-12)


def test_a_ranker_blended_with_itself_ranks_as_it_does() -> None:
    one = pair()[0].fit(X, Y, QID)
    alone = one.predict(HELD).reshape(4, 10).argsort(axis=1)
    for normalise in NORMALISATIONS:
        blend = Blend([one, one], normalise=normalise).combine(HELD, HELD_Y, HELD_QID)
        assert (blend.predict(HELD, HELD_QID).reshape(4, 10).argsort(axis=1) == alone).all()


def test_on_the_fixed_scale_a_score_is_the_documents_own_and_no_queries_are_asked_for() -> None:
    blend = fitted(normalise="fixed")
    assert not blend.lists
    np.testing.assert_allclose(np.concatenate([blend.predict(HELD[:1]), blend.predict(HELD[1:])]), blend.predict(HELD))
    assert fitted(normalise="rank").lists
    with pytest.raises(ParameterError, match=r"queries .*whole lists"):
        fitted(normalise="rank").predict(HELD)


def test_blends_within_a_blend() -> None:
    inner = Blend(pair(), normalise="rank")
    outer = Blend({"both": inner, "alone": Ranker("squared", hidden=(), epochs=2)}).fit(X, Y, QID)
    each = [one.predict(HELD, HELD_QID) if isinstance(one, Blend) else one.predict(HELD) for one in outer.rankers_]
    expected = np.mean([on_scale(one, "z-score") for one in each], axis=0)
    np.testing.assert_allclose(outer.predict(HELD, HELD_QID), expected)
    assert outer.parameters_["rankers"] == ["both", "alone"]


def test_columns_of_a_table_are_found_by_name() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    blend = Blend(pair()).fit(table, Y, QID)
    assert blend.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    moved = pd.DataFrame(HELD, columns=["a", "b", "c", "d"])[["d", "b", "a", "c"]]
    assert blend.predict(moved, HELD_QID).tolist() == Blend(pair()).fit(X, Y, QID).predict(HELD, HELD_QID).tolist()
    assert not hasattr(fitted(), "feature_names_in_")
    with pytest.raises(InputError, match="'c'"):
        blend.predict(moved.drop(columns="c"), HELD_QID)


def test_progress_is_told_of_every_epoch_at_most_as_often_as_said() -> None:
    told: list[int] = []
    blend = Blend(pair())
    blend.fit(X, Y, QID, progress=told.append)
    assert 0 < sum(told) <= blend.steps == 5 + 3


def test_parts_are_named_by_their_losses() -> None:
    ranker = Ranker("listnet", hidden=())
    assert mentions(
        repr(Blend([ranker, ranker, Blend([ranker, ranker])])),
        "Blend([listnet, listnet #2, Blend], ",
        "how='average', normalise='z-score'",
    )
    assert repr(Blend({"a": ranker, "b": ranker}, how="stacked")) == "Blend([a, b], how='stacked', normalise='z-score')"


def test_it_is_an_estimator_of_scikit_learns() -> None:
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")
    pipeline = pytest.importorskip("sklearn.pipeline", reason="scikit-learn is not installed")
    blend = Blend(pair(), how="stacked", l2=0.5)
    again = base.clone(blend)
    assert again is not blend
    assert (again.how, again.l2) == ("stacked", 0.5)
    assert blend.set_params(how="average").how == "average"
    with pytest.raises(ParameterError, match=r"Blend .*'size', .*rankers, how"):
        blend.set_params(size=3)
    whole = pipeline.Pipeline([("blend", Blend(pair(), normalise="fixed"))]).fit(X, Y, blend__qid=QID)
    direct = Blend(pair(), normalise="fixed").fit(X, Y, QID)
    assert whole.predict(HELD).tolist() == direct.predict(HELD).tolist()


@pytest.mark.parametrize(
    ("blend", "said"),
    [
        (Blend([]), "0 rankers, ... 2"),
        (Blend([Ranker()]), "1 ranker, ... 2"),
        (Blend("listnet"), "rankers ... 'listnet'"),
        (Blend([Ranker(), "listnet"]), "'listnet' is a str"),
        (Blend(pair(), how="mean"), "how is 'mean', ... 'average', 'stacked'"),
        (Blend(pair(), normalise="max"), "normalise is 'max', ... 'fixed', 'z-score', 'min-max', 'rank'"),
        (Blend(pair(), l2=-1), "l2"),
        (Blend(pair(), loss="lambdarank"), "gradient ... listnet or ranknet"),
        (Blend([Ranker(), Ranker(epochs=0)]), "epochs is 0"),
        (Blend(pair(), how="stacked"), "validation lists; ... eval_set, ... how='average'"),
    ],
    ids=range(10),
)
def test_what_is_no_blend_is_refused_before_anything_is_learned(blend: Blend, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        blend.fit(X, Y, QID)
    assert mentions(caught.value, *said.split(" ... "))
    assert not hasattr(blend, "rankers_")


def test_a_wrong_loss_is_told_by_name() -> None:
    with pytest.raises(UnknownName, match="did you mean listnet"):
        Blend(pair(), loss="listnett").fit(X, Y, QID)


def test_it_predicts_only_what_it_learned() -> None:
    with pytest.raises(ParameterError, match=r"this Blend .*fit"):
        Blend(pair()).predict(HELD, HELD_QID)
    with pytest.raises(InputError, match=r"\b3 features, .*\b4\b"):
        fitted().predict(HELD[:, :3], HELD_QID)


def test_rankers_with_other_features_are_refused_by_name() -> None:
    first = pair()[0].fit(X, Y, QID)
    fewer = pair()[1].fit(X[:, :3], Y, QID)
    said = r"few .*\b3 features .*\ball .*\b4, .*'4'"
    with pytest.raises(InputError, match=said):
        Blend({"all": first, "few": fewer}).combine(HELD, HELD_Y, HELD_QID)
    named, moved = (pair()[0].fit(pd.DataFrame(X, columns=list(names)), Y, QID) for names in ("abcd", "abdc"))
    with pytest.raises(InputError, match=r"listnet #2 .*\b4 features .*listnet .*\b4, .*order"):
        Blend([named, moved]).combine(HELD, HELD_Y, HELD_QID)
    with pytest.raises(ParameterError, match=r"listnet #2 .*not fitted"):
        Blend([first, pair()[0]]).combine(HELD, HELD_Y, HELD_QID)


def test_a_ranker_that_fails_leaves_the_blend_as_it_was() -> None:
    blend = fitted()
    before = blend.predict(HELD, HELD_QID)
    with pytest.raises(InputError, match="one grade"):
        blend.fit(X, np.ones(90), QID)
    assert blend.predict(HELD, HELD_QID).tolist() == before.tolist()


def test_once_fitted_the_lists_are_asked_for_as_it_was_fitted() -> None:
    blend = fitted(normalise="z-score").set_params(normalise="fixed")
    assert blend.lists
    with pytest.raises(ParameterError, match="the queries are missing"):
        blend.predict(HELD)
    blend = fitted(normalise="fixed").set_params(normalise="z-score", rankers=[Ranker("listnet(ranks=True)")] * 2)
    assert not blend.lists
    assert blend.predict(HELD).tobytes() == fitted(normalise="fixed").predict(HELD).tobytes()


def test_two_parts_of_one_name_are_refused_before_they_are_trained() -> None:
    first, second = pair()
    with pytest.raises(ParameterError, match=r"Blend .*'1', "):
        Blend({1: first, "1": second}).fit(X, Y, QID)  # no text

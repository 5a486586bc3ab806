"""What a ranker refuses, in one line that says what to do."""

import numpy as np
import pytest
from helpers.rankers import QUICK, data

from rankscope import Features
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.learning import Ranker

X, Y, QID = data(lists=4)


def fitted():
    return Ranker(**{**QUICK, "epochs": 1}).fit(X, Y, QID)


def with_one(value):
    table = X.copy()
    table[3, 2] = value
    return table


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Ranker().fit(X), "training data: y "),
        (lambda: Ranker().fit(X, Y), r"training data: .*qid \(one per document\) or group"),
        (lambda: Ranker().fit(X, Y, QID, group=[6] * 4), "queries and sizes"),
        (lambda: Ranker().fit(X, Y[:-1], QID), "23 grades for 24 documents"),
        (lambda: Ranker().fit(X, Y, QID[:-1]), "23 queries for 24 documents"),
        (
            lambda: Ranker().fit(X, Y, group=[6] * 3),
            "18 documents, .*24",
        ),
        (lambda: Ranker().fit(X, Y, group=[12, 0, 12]), "group 2 is empty"),
        (
            lambda: Ranker().fit(X, np.ones(24), QID),
            "one grade",
        ),
        (lambda: Ranker().fit(X, Y + np.inf, QID), r"document 1: grade inf"),
        (lambda: Ranker().fit(X, np.full(24, np.nan), QID), "document 1: grade nan"),
        (lambda: Ranker().fit(with_one(np.nan), Y, QID), "document 4: feature '3' is nan"),
        (lambda: Ranker().fit(with_one(np.inf), Y, QID), "document 4: feature '3' is inf"),
        (lambda: Ranker().fit(X[:, 0], Y, QID), r"features .*\(24,\), .*\(documents, features\)"),
        (lambda: Ranker().fit(X[:0], Y[:0], QID[:0]), r"features .*\(0, 8\), .*\(documents, features\)"),
        (
            lambda: Ranker().fit(X, Y, QID, eval_set=(X[:, 1:], Y, QID)),
            "validation data: 7 features, .*8",
        ),
        (lambda: fitted().predict(X[:, :5]), "features: 5 features, .*8"),
        (
            lambda: Ranker().fit(X, ["good"] * 24, QID),
            "training data: y .*table",
        ),
        (
            lambda: Ranker().fit([[1, 2], [1]], [1, 0], [1, 1]),
            "training data: X .*table",
        ),
        (lambda: Ranker().fit([["a"], ["b"]], [1, 0], [1, 1]), "training data: X .*table"),
        (lambda: Ranker().fit(X, Y, group=["all"]), "training data: group .*table"),
        (lambda: fitted().predict([["a"] * 8]), "features: X .*table"),
        (lambda: fitted().predict(np.ones((2, 9))), "features: 9 features, .*8"),
        (lambda: fitted().predict(with_one(np.nan)), "document 4: feature '3' is nan"),
        (lambda: Ranker(**{**QUICK, "learning_rate": 1e30}).fit(X, Y, QID), r"diverged .* learning_rate=1e\+30"),
    ],
)
def test_data_that_do_not_fit_are_refused(call, message):
    with pytest.raises(RankscopeError, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "listnett"}, "unknown loss 'listnett'; did you mean listnet"),
        ({"loss": None}, "loss None"),
        ({"loss": "lambdarank(measure='Bpref')"}, "Bpref: .*closed form"),
        ({"stop_on": "nDCC@10"}, "unknown measure 'nDCC"),
        ({"stop_on": 10}, "stop_on is 10"),
        ({"stop_on": "alpha_nDCG@10"}, "stop_on: alpha_nDCG@10 .*subtopic"),
        ({"stop_on": "NumRet"}, "stop_on: .*NumRet .*higher .*lower"),
        ({"hidden": 64}, "hidden is 64, expected sizes of layers"),
        ({"hidden": (8, 0)}, r"hidden is \(8, 0\)"),
        ({"hidden": "8"}, "hidden is '8'"),
        ({"epochs": 0}, "epochs is 0, .*1"),
        ({"epochs": True}, "epochs is True, .*1"),
        ({"patience": 1.5}, "patience is 1.5, .*from 1"),
        ({"batch_lists": "all"}, "batch_lists is 'all', .*1"),
        ({"models": -1}, "models is -1, .*from 1"),
        ({"learning_rate": 0}, "learning_rate is 0, .*above 0"),
        ({"learning_rate": "fast"}, "learning_rate is 'fast', .*0"),
        ({"learning_rate": np.inf}, "learning_rate is inf, .*0"),
        ({"dropout": 1.0}, "dropout is 1.0, .*0 .*1"),
        ({"dropout": "some"}, "dropout is 'some', .*0 .*1"),
        ({"weight_decay": -0.1}, "weight_decay is -0.1, .*least 0"),
        ({"transform": "sqrt"}, "transform is 'sqrt', .*'standard', 'log', 'auto', 'none'"),
        ({"rng": -1}, "rng is -1, .*None, .*0"),
        ({"rng": "seed"}, "rng is 'seed', .*None, .*0"),
    ],
    ids=str,
)
def test_parameters_that_are_none_are_refused_by_fit(parameters, message):
    ranker = Ranker(**{**QUICK, **parameters})
    with pytest.raises(ParameterError, match=message) as refused:
        ranker.fit(X, Y, QID)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"eval_set": X}, r"eval_set .*\(X, y\) .*eval_qid, .*\(X, y, qid\)"),
        ({"eval_set": [(X, Y), (X, Y)], "eval_qid": [QID, QID]}, "eval_set holds 2 sets"),
        ({"eval_set": (X, Y)}, "validation data: .*queries"),
        (
            {"eval_set": Features.of(X, Y, QID), "eval_qid": QID},
            "validation data: Features ",
        ),
    ],
)
def test_validation_data_of_no_known_form_are_refused(more, message):
    with pytest.raises(ParameterError, match=message):
        Ranker(**QUICK).fit(X, Y, QID, **more)


def test_features_with_grades_beside_them_are_refused():
    with pytest.raises(ParameterError, match=r"training data: .*Features .*\by, qid"):
        Ranker(**QUICK).fit(Features.of(X, Y, QID), Y)


def test_predicting_before_learning_is_refused():
    with pytest.raises(ParameterError, match=r"this Ranker .*fit"):
        Ranker().predict(X)


def test_what_was_learned_stays_where_learning_again_fails():
    ranker = fitted()
    before = ranker.predict(X)
    with pytest.raises(InputError, match="have one grade"):
        ranker.fit(X[:, :3], np.ones(24), QID)
    assert ranker.predict(X).tolist() == before.tolist()


def test_columns_of_zeros_and_columns_that_never_vary_are_fine():
    table = np.column_stack([X, np.zeros(24), np.full(24, 7.5)])
    for hidden in ((), (4,)):
        ranker = Ranker(**{**QUICK, "hidden": hidden}).fit(table, Y, QID)
        assert np.isfinite(ranker.predict(table)).all()


@pytest.mark.parametrize("hidden", [(), (4,)])
def test_where_no_column_varies_all_scores_are_equal(hidden):
    ranker = Ranker(**{**QUICK, "hidden": hidden}).fit(np.ones((24, 2)), Y, QID)
    assert np.ptp(ranker.predict(np.ones((24, 2)))) == 0


def test_an_unknown_name_is_that():
    with pytest.raises(UnknownName):
        Ranker("lambdaloss(knd='2')").fit(X, Y, QID)

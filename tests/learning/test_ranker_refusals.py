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
        (lambda: Ranker().fit(X), "training data: y is missing, expected a grade for each document"),
        (lambda: Ranker().fit(X, Y), r"training data: the queries are missing; give qid \(one a document\) or group"),
        (lambda: Ranker().fit(X, Y, QID, group=[6] * 4), "queries and sizes were given, expected one of the two"),
        (lambda: Ranker().fit(X, Y[:-1], QID), "23 grades for 24 documents, expected one each"),
        (lambda: Ranker().fit(X, Y, QID[:-1]), "23 queries for 24 documents, expected one each"),
        (
            lambda: Ranker().fit(X, Y, group=[6] * 3),
            "the groups hold 18 documents, and there are 24; correct their sizes",
        ),
        (lambda: Ranker().fit(X, Y, group=[12, 0, 12]), "group 2 is empty, expected at least one document in each"),
        (
            lambda: Ranker().fit(X, np.ones(24), QID),
            "the documents of every query have one grade, expected two or more",
        ),
        (lambda: Ranker().fit(X, Y + 0.5, QID), r"document 1: grade 2\.5, expected a whole number"),
        (lambda: Ranker().fit(X, np.full(24, np.nan), QID), "document 1: grade nan, expected a whole number"),
        (lambda: Ranker().fit(with_one(np.nan), Y, QID), "document 4: feature '3' is nan, expected a finite number"),
        (lambda: Ranker().fit(with_one(np.inf), Y, QID), "document 4: feature '3' is inf, expected a finite number"),
        (lambda: Ranker().fit(X[:, 0], Y, QID), r"features of shape \(24,\), expected \(documents, features\)"),
        (lambda: Ranker().fit(X[:0], Y[:0], QID[:0]), r"features of shape \(0, 8\), expected \(documents, features\)"),
        (
            lambda: Ranker().fit(X, Y, QID, eval_set=(X[:, 1:], Y, QID)),
            "validation data: 7 features, and the training data have 8; expected the same",
        ),
        (lambda: fitted().predict(X[:, :5]), "features: 5 features, and the model was trained on 8; expected the same"),
        (
            lambda: Ranker().fit(X, ["good"] * 24, QID),
            "training data: y is no table of numbers, expected a grade for each",
        ),
        (
            lambda: Ranker().fit([[1, 2], [1]], [1, 0], [1, 1]),
            "training data: X is no table of numbers, expected a row",
        ),
        (lambda: Ranker().fit([["a"], ["b"]], [1, 0], [1, 1]), "training data: X is no table of numbers"),
        (lambda: Ranker().fit(X, Y, group=["all"]), "training data: group is no table of numbers, expected the size"),
        (lambda: fitted().predict([["a"] * 8]), "features: X is no table of numbers, expected a row for each document"),
        (lambda: fitted().predict(np.ones((2, 9))), "features: 9 features, and the model was trained on 8"),
        (lambda: fitted().predict(with_one(np.nan)), "document 4: feature '3' is nan"),
        (lambda: Ranker(**{**QUICK, "learning_rate": 1e30}).fit(X, Y, QID), r"diverged .* learning_rate=1e\+30; try a"),
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
        ({"loss": None}, "cannot read the loss None"),
        ({"loss": "lambdarank(measure='Bpref')"}, "Bpref: there is no closed form"),
        ({"stop_on": "nDCC@10"}, "unknown measure 'nDCC"),
        ({"stop_on": 10}, "stop_on is 10, expected a measure or its name"),
        ({"stop_on": "alpha_nDCG@10"}, "stop_on: alpha_nDCG@10 needs judgments by subtopic, which files of features"),
        ({"stop_on": "NumRet"}, "stop_on: of NumRet neither higher nor lower is better"),
        ({"hidden": 64}, r"hidden is 64, expected sizes of layers, as \(64,\), or \(\) for none"),
        ({"hidden": (8, 0)}, r"hidden is \(8, 0\), expected sizes"),
        ({"hidden": "8"}, "hidden is '8', expected sizes"),
        ({"epochs": 0}, "epochs is 0, expected a whole number from 1"),
        ({"epochs": True}, "epochs is True, expected a whole number from 1"),
        ({"patience": 1.5}, "patience is 1.5, expected a whole number from 1"),
        ({"batch_lists": "all"}, "batch_lists is 'all', expected a whole number from 1"),
        ({"models": -1}, "models is -1, expected a whole number from 1"),
        ({"learning_rate": 0}, "learning_rate is 0, expected a number above 0"),
        ({"learning_rate": "fast"}, "learning_rate is 'fast', expected a number above 0"),
        ({"learning_rate": np.inf}, "learning_rate is inf, expected a number above 0"),
        ({"dropout": 1.0}, "dropout is 1.0, expected a share from 0 to below 1"),
        ({"dropout": "some"}, "dropout is 'some', expected a share from 0 to below 1"),
        ({"weight_decay": -0.1}, "weight_decay is -0.1, expected a number of at least 0"),
        ({"transform": "sqrt"}, "transform is 'sqrt', expected one of 'standard', 'log', 'auto', 'none'"),
        ({"rng": -1}, "rng is -1, expected None, a whole number of at least 0"),
        ({"rng": "seed"}, "rng is 'seed', expected None, a whole number of at least 0"),
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
        ({"eval_set": X}, r"eval_set is no pair of X and y, expected \(X, y\) with eval_qid, or \(X, y, qid\)"),
        ({"eval_set": [(X, Y), (X, Y)], "eval_qid": [QID, QID]}, "eval_set holds 2 sets, expected one"),
        ({"eval_set": (X, Y)}, "validation data: the queries are missing"),
        (
            {"eval_set": Features.of(X, Y, QID), "eval_qid": QID},
            "validation data: Features know their grades and queries",
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

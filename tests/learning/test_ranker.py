"""The ranker: learns with every loss, scores in the order of its rows, fits into scikit-learn."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.losses import TABLE
from helpers.messages import mentions
from helpers.rankers import QUICK, data
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

import rankscope as rs
from rankscope import Features, parse_measure
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.learning import LOSSES, Blend, Ranker
from rankscope.learning.scaling import TRANSFORMS


def measured(name, y, scores, lists=10):
    offsets = np.arange(lists + 1) * (len(y) // lists)
    return float(parse_measure(name)(FullyJudgedLists(y, offsets).hits(scores)).mean())


#: ApproxMRR asks only whether a document is relevant.
MEASURED = {"approxmrr": "AP"}


def same(one, other):
    return all(
        a.tolist() == b.tolist()
        for x, y in zip(one.models_, other.models_, strict=True)
        for a, b in zip(x.weights, y.weights, strict=True)
    )


#: Smooth ranks at the usual temperature hardly pull where scores are far apart.
HARDER = {
    "approxndcg": {"loss": "approxndcg(temperature=1.0)"},
    "approxmrr": {"loss": "approxmrr(temperature=1.0)"},
    "neuralndcg": {"epochs": 60},
}


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_learns_ten_queries_by_heart(loss):
    X, y, qid = data(width=40)
    ranker = Ranker(**{**QUICK, "loss": loss, "epochs": 40, "hidden": (32,), **HARDER.get(loss, {})}).fit(X, y, qid)
    assert measured(MEASURED.get(loss, "nDCG(gain='exp')"), y, ranker.predict(X)) > 0.99
    assert ranker.models_[0].losses[-1] < ranker.models_[0].losses[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_trains_a_linear_scorer(loss):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y, qid = np.digitize(X @ [1.0, -2.0, 0.5, 0.0], [0.0, 1.5]), np.repeat(np.arange(10), 6)
    ranker = Ranker(loss, hidden=(), epochs=40, learning_rate=0.05, dropout=0.0).fit(X, y, qid)
    assert len(ranker.models_[0].weights) == 2
    assert measured(MEASURED.get(loss, "nDCG(gain='exp')"), y, ranker.predict(X)) > 0.97


@pytest.mark.parametrize("text", [entry.text for entry in TABLE if "(" in entry.text])
def test_every_loss_takes_its_parameters_in_its_name(text):
    X, y, qid = data(lists=4)
    ranker = Ranker(text, **{**QUICK, "epochs": 1, "hidden": (2,)}).fit(X, y, qid)
    assert np.isfinite(ranker.predict(X)).all()


# The order of rows, the forms of queries


def test_scores_come_in_the_order_of_the_rows_and_queries_may_be_mixed():
    X, y, qid = data()
    together = Ranker(**QUICK).fit(X, y, qid)
    # Rows of a query in the order in which they stood, queries in the order in which they first come.
    order = np.argsort(np.tile(np.arange(6), 10), kind="stable")
    mixed = Ranker(**QUICK).fit(X[order], y[order], qid[order])
    assert same(together, mixed)
    assert mixed.predict(X[order]).tolist() == together.predict(X)[order].tolist()  # to the bit, which is promised
    features = Features.of(X[order], y[order], qid[order])
    assert features.order is not None
    assert mixed.predict(features).tolist() == mixed.predict(X[order]).tolist()


def test_queries_are_given_by_name_by_group_or_as_features():
    X, y, qid = data()
    first = Ranker(**QUICK).fit(X, y, qid)
    others = [
        Ranker(**QUICK).fit(X, y, group=[6] * 10),
        Ranker(**QUICK).fit(X, y, qid=[f"query {q}" for q in qid]),
        Ranker(**QUICK).fit(Features.of(X, y, qid)),
        Ranker(**QUICK).fit(pd.DataFrame(X), pd.Series(y), pd.Series(qid)),
        Ranker(**QUICK).fit(X.tolist(), y.tolist(), qid.tolist()),
        Ranker(**QUICK).fit(X.astype(object), y[:, None], group=np.full((10, 1), 6)),
    ]
    assert all(same(first, other) for other in others)


def test_validation_data_come_in_many_forms():
    X, y, qid = data()
    V, w, vid = data(seed=1)
    forms = [
        {"eval_set": (V, w), "eval_qid": vid},
        {"eval_set": (V, w, vid)},
        {"eval_set": [(V, w)], "eval_qid": [vid]},
        {"eval_set": [(V, w)], "eval_group": [[6] * 10]},
        {"eval_set": (V, w), "eval_group": [6] * 10},
        {"eval_set": Features.of(V, w, vid)},
        {"eval_set": [Features.of(V, w, vid)]},
    ]
    found = [Ranker(**QUICK, patience=2, stop_on="AP").fit(X, y, qid, **form) for form in forms]
    assert all(same(found[0], other) for other in found)
    kept = found[0].models_[0]
    assert kept.values[kept.best_epoch] == max(kept.values)
    assert measured("AP", w, found[0].predict(V)) == pytest.approx(max(kept.values))


def test_arguments_are_left_as_they_were():
    X, y, qid = data()
    V, w, vid = data(seed=1)
    given = (X, y, qid, V, w, vid)
    before = [one.copy() for one in given]
    for hidden in ((), (4,)):
        ranker = Ranker(**{**QUICK, "hidden": hidden}).fit(X, y, qid, eval_set=(V, w, vid))
        ranker.predict(X)
    for was, now in zip(before, given, strict=True):
        assert was.tolist() == now.tolist()


def test_float32_features_are_as_good():
    X, y, qid = data()
    wide = Ranker(**QUICK).fit(X.astype(np.float32).astype(float), y, qid).predict(X)
    assert Ranker(**QUICK).fit(X.astype(np.float32), y, qid).predict(X) == pytest.approx(wide, abs=1e-3)


# Seeds


@pytest.mark.parametrize("more", [{"dropout": 0.4}, {"loss": "listmle"}, {"hidden": ()}, {"models": 2}], ids=str)
def test_the_same_seed_is_the_same_model_bit_for_bit(more):
    X, y, qid = data()
    one, other, third = (Ranker(**{**QUICK, **more}, rng=seed).fit(X, y, qid) for seed in (3, 3, 4))
    assert same(one, other)
    assert one.predict(X).tolist() == other.predict(X).tolist()
    assert not same(one, third) or more == {"hidden": ()}  # which ListNet draws nothing for


def test_fitting_again_begins_anew():
    X, y, qid = data()
    ranker = Ranker(**QUICK).fit(X, y, qid)
    assert same(Ranker(**QUICK).fit(X, y, qid), ranker.fit(X, y, qid))


def test_an_ensemble_is_the_mean_of_its_models_and_begins_with_the_single_one():
    X, y, qid = data()
    single = Ranker(**QUICK, rng=5).fit(X, y, qid)
    three = Ranker(**QUICK, rng=5, models=3).fit(X, y, qid)
    assert len(three.models_) == 3
    for a, b in zip(single.models_[0].weights, three.models_[0].weights, strict=True):
        assert a.tolist() == b.tolist()
    alone = []
    for model in three.models_:
        one = Ranker(**QUICK).fit(X, y, qid)
        one.models_ = [model]
        alone.append(one.predict(X))
    assert three.predict(X) == pytest.approx(np.mean(alone, axis=0))


# Features that never varied


@pytest.mark.parametrize("more", [{}, {"hidden": ()}, {"hidden": (), "loss": "lambdarank"}], ids=str)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_feature_that_never_varied_in_training_has_no_influence(more, transform):
    X, y, qid = data()
    X[:, 3] = 0
    ranker = Ranker(**{**QUICK, **more, "transform": transform}).fit(X, y, qid)
    later = X.copy()
    later[:, 3] = np.arange(60) * 100
    assert ranker.predict(later).tolist() == ranker.predict(X).tolist()


# Names


def frames():
    """Two kinds of table with named columns, and the grades and queries."""
    X, y, qid = data(width=4)
    names = ["bm25", "age", "clicks", "price"]
    return [pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)], names, X, y, qid


@pytest.mark.parametrize("kind", [0, 1], ids=["pandas", "polars"])
def test_columns_are_found_by_name(kind):
    tables, names, X, y, qid = frames()
    frame = tables[kind]
    plain = Ranker(**QUICK).fit(X, y, qid, eval_set=(X, y, qid))
    ranker = Ranker(**QUICK).fit(frame, y, qid, eval_set=(frame[names[::-1]], y, qid))
    assert same(plain, ranker)
    assert ranker.feature_names_ == tuple(names)
    assert ranker.feature_names_in_.tolist() == names
    assert ranker.predict(frame[names[::-1]]).tolist() == plain.predict(X).tolist()
    assert ranker.predict(tables[1 - kind]).tolist() == plain.predict(X).tolist()
    assert ranker.predict(X).tolist() == plain.predict(X).tolist()  # without names, by place
    assert ranker.predict(Features.of(X[:, ::-1], names=tuple(names[::-1]))).tolist() == plain.predict(X).tolist()
    with pytest.raises(InputError, match="no feature 'age' among"):
        ranker.predict(frame[["bm25", "clicks", "price"]])
    with pytest.raises(InputError, match=r"validation data: .*'age'"):
        Ranker(**QUICK).fit(frame, y, qid, eval_set=(frame[["bm25", "clicks", "price"]], y, qid))


def test_there_are_no_names_in_where_nobody_named_them():
    tables, _, X, y, qid = frames()
    ranker = Ranker(**QUICK).fit(X, y, qid)
    assert not hasattr(Ranker(), "feature_names_in_")
    assert not hasattr(ranker, "feature_names_in_")
    assert not hasattr(ranker.fit(pd.DataFrame(X), y, qid), "feature_names_in_")  # columns 0, 1, 2, 3
    assert ranker.predict(tables[0]).tolist() == ranker.predict(X).tolist()  # by place
    assert hasattr(ranker.fit(tables[0], y, qid), "feature_names_in_")
    assert not hasattr(ranker.fit(X, y, qid), "feature_names_in_")


def test_columns_named_by_numbers_may_stand_in_another_order():
    _, _, X, y, qid = frames()
    frame = pd.DataFrame(X, columns=["1", "2", "3", "4"])
    ranker = Ranker(**QUICK).fit(frame, y, qid)
    assert ranker.predict(frame[["4", "2", "1", "3"]]).tolist() == ranker.predict(X).tolist()


def test_columns_of_which_only_some_are_texts_are_refused():
    _, _, X, y, qid = frames()
    with pytest.raises(InputError, match=r"training data: .*column 7\b"):
        Ranker(**QUICK).fit(pd.DataFrame(X, columns=["a", 7, "b", "c"]), y, qid)


# scikit-learn


def test_parameters_are_read_set_and_cloned():
    ranker = Ranker("ranknet", hidden=(8, 4), models=2, rng=7)
    assert tuple(ranker.get_params()) == tuple(Ranker.defaults)
    copy = clone(ranker)
    assert copy is not ranker
    assert copy.get_params() == ranker.get_params()
    assert ranker.set_params(loss="squared", dropout=0.1) is ranker
    assert (ranker.loss, ranker.dropout, ranker.hidden) == ("squared", 0.1, (8, 4))
    with pytest.raises(ParameterError, match=r"Ranker .*'los', .*loss, hidden, epochs"):
        ranker.set_params(los="listnet")


def test_it_stands_at_the_end_of_a_pipeline():
    X, y, qid = data()
    pipeline = make_pipeline(StandardScaler(), Ranker(**QUICK, transform="none"))
    pipeline.fit(X, y, ranker__qid=qid)
    alone = Ranker(**QUICK, transform="standard").fit(X, y, qid)
    assert pipeline.predict(X) == pytest.approx(alone.predict(X), abs=1e-4)
    assert clone(pipeline).get_params()["ranker__hidden"] == (16,)


def test_scikit_learn_is_told_whether_it_was_fitted():
    X, y, qid = data()
    with pytest.raises(NotFittedError):
        check_is_fitted(Ranker())
    check_is_fitted(Ranker(**{**QUICK, "epochs": 1}).fit(X, y, qid))


def test_its_text_tells_what_was_changed():
    assert repr(Ranker()) == "Ranker()"
    assert repr(Ranker("listmle", hidden=(), rng=3)) == "Ranker(loss='listmle', hidden=(), rng=3)"
    assert repr(Ranker(hidden=np.array([3, 4]))) == "Ranker(hidden=array([3, 4]))"


def test_it_is_reached_from_the_package():
    assert rs.learning.Ranker is Ranker
    assert rs.learning.LOSSES is LOSSES
    assert {"Ranker", "LOSSES"} <= set(dir(rs.learning))
    assert rs.learning.losses.ranknet.__name__ == "ranknet"
    for home in (rs.learning, rs.learning.losses):
        with pytest.raises(AttributeError, match="has no attribute 'listnett'"):
            _ = home.listnett


@pytest.mark.parametrize("hidden", [(), (6,)])
@pytest.mark.parametrize("loss", ["listnet", "ranknet", "lambdarank", "listnet(ranks=True)"])
def test_a_feature_of_one_training_document_decides_nothing_elsewhere(loss, hidden):
    rng = np.random.default_rng(5)
    values = np.column_stack([rng.normal(size=(300, 2)), np.zeros(300)])
    values[17, 2] = 1.0
    data = Features.of(values, (values[:, 0] > 0.5).astype(int), sizes=[10] * 30)
    ranker = Ranker(loss, hidden=hidden, epochs=5).fit(data)
    elsewhere = values.copy()
    elsewhere[::2, 2] = 1.0
    scores, others = (ranker.predict(Features.of(table, sizes=[10] * 30)) for table in (values, elsewhere))
    assert scores.tolist() == others.tolist()
    (note,) = ranker.differences_from_training(elsewhere)
    assert mentions(note, "1 feature not used", "'3'", "151 of 300 documents")
    assert ranker.differences_from_training(values) == ()


def test_notes_of_a_blend_are_those_of_its_rankers_each_once():
    values = np.column_stack([np.arange(40.0), np.zeros(40)])
    data = Features.of(values, np.arange(40) % 2, sizes=[10] * 4)
    blend = Blend([Ranker(hidden=()), Ranker("ranknet", hidden=()), Ranker("lambdamart(trees=2)")]).fit(data)
    far = np.array([[1e6, 0.0], [0.0, 1.0]])
    assert blend.differences_from_training(values) == blend.rankers_[2].differences_from_training(far) == ()
    first, second = blend.differences_from_training(far)
    assert mentions(first, "'1'", "from 0 to 1e+06", "from 0 to 39")
    assert mentions(second, "'2'", "1 of 2 documents")
    with pytest.raises(InputError, match="3 features"):
        blend.differences_from_training(np.zeros((2, 3)))

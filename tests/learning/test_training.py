"""Both trainers: the minimum is reached, the best epoch kept, what diverges is told."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from rankscope import Features, parse_measure
from rankscope.errors import InputError
from rankscope.learning import Ranker
from rankscope.learning import early_stopping as stopping
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses import parse_loss
from rankscope.learning.network import score_documents
from rankscope.learning.settings import RankerSettings
from rankscope.learning.trainer import TrainingData, train_linear, train_network


def some_features(seed=0, lists=10, length=6, width=4, name="features"):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(lists * length, width)).astype(np.float32)
    taste = values @ rng.normal(size=width) + rng.normal(size=lists * length)
    grades = np.digitize(taste, [0.5, 1.5])
    grades[:2] = 0, 2
    return Features.of(values, grades, sizes=[length] * lists, name=name)


def data_of(features, watch=None, validation=None, rng=0, progress=None):
    return TrainingData(
        features=features,
        valid=validation,
        values=features.values,
        valid_values=None if validation is None else validation.values,
        stopping=watch,
        rng=np.random.default_rng(rng),
        progress=progress,
    )


def descend(data, loss="listnet", **more):
    usual = {"hidden": (8,), "epochs": 12, "learning_rate": 0.01, "batch_lists": 4, "dropout": 0.0, "weight_decay": 0.0}
    return train_network(data, parse_loss(loss), RankerSettings(**{**usual, **more}))


def minimise(data, loss, iterations, l2=0.0):
    loss = parse_loss(loss) if isinstance(loss, str) else loss
    return train_linear(data, loss, RankerSettings(hidden=(), epochs=iterations, weight_decay=l2))


def watch_of(values, patience, higher=True):
    """A watch for which the epochs have these values."""
    features = some_features(1)
    watch = EarlyStopping(features, parse_measure("AP"), patience)
    watch.sign = 1.0 if higher else -1.0
    rest = iter(values)
    watch.measure = lambda hits: np.array([next(rest)])
    return watch, features


# L-BFGS


@pytest.mark.parametrize("loss", ["listnet", "ranknet", "listmle(ties='efron')", "listmle", "squared", "listnet(k=2)"])
def test_lbfgs_ends_where_the_gradient_is_nothing(loss):
    features = some_features()
    found = minimise(data_of(features), loss, 300, l2=0.01)
    table, weights = features.values.astype(float), found.weights[0][:, 0].astype(float)
    chosen = features.select(informative_lists(features))
    table = np.concatenate([features.values[features.group == q] for q in informative_lists(features)]).astype(float)
    seed = int(np.random.default_rng(0).integers(2**63))

    def objective(w):
        draws = np.random.default_rng(seed)
        value, _ = parse_loss(loss)(table @ w, chosen.relevance, chosen.offsets, rng=draws, max_grade=2)
        return value + 0.005 * w @ w

    assert approx_fprime(weights, objective, 1e-6) == pytest.approx(0, abs=2e-3)
    assert objective(weights) < objective(weights + 0.05)
    assert objective(weights) < objective(weights - 0.05)
    assert found.best_epoch == len(found.losses) - 1


def test_the_loss_of_each_iteration_is_that_of_its_weights():
    features = some_features()
    found = minimise(data_of(features), "ranknet", 5)
    chosen = features.select(informative_lists(features))
    value, _ = parse_loss("ranknet")(chosen.values @ found.weights[0][:, 0], chosen.relevance, chosen.offsets)
    assert found.losses[-1] == pytest.approx(value, abs=1e-6)
    assert len(found.losses) == 5


def test_no_iteration_costs_an_evaluation_of_its_own():
    calls = []
    loss = parse_loss("ranknet")

    class Counted(type(loss)):
        def __call__(self, *args, **more):
            calls.append(1)
            return super().__call__(*args, **more)

    features = some_features()
    counted = Counted("ranknet")
    calls.clear()
    found = minimise(data_of(features), counted, 8)
    assert len(calls) < 2 * len(found.losses)


def test_where_nothing_can_be_learned_the_weights_stay_and_the_epoch_counts():
    features = some_features()
    found = minimise(data_of(replace(features, values=0 * features.values)), "listnet", 5)
    assert found.weights[0].tolist() == [[0.0]] * 4
    assert (len(found.losses), found.best_epoch) == (1, 0)


# The best epoch

VALUES = [0.2, 0.5, 0.4, 0.5, 0.3, 0.9]


@pytest.mark.parametrize(("patience", "epochs", "best"), [(2, 4, 1), (3, 5, 1), (4, 6, 5), (9, 6, 5)])
def test_an_equal_epoch_is_no_better_and_patience_counts_from_the_best(patience, epochs, best):
    watch, validation = watch_of(VALUES, patience)
    found = descend(data_of(some_features(), watch, validation), epochs=6)
    assert (len(found.losses), found.best_epoch) == (epochs, best)
    assert found.values == tuple(VALUES[:epochs])
    again = descend(data_of(some_features()), epochs=best + 1)
    for kept, reached in zip(found.weights, again.weights, strict=True):
        assert kept.tolist() == reached.tolist()


def test_the_best_iteration_of_a_linear_scorer_is_kept():
    features = some_features()
    watch, validation = watch_of(VALUES, 4)
    ended, _ = watch_of(VALUES, 2)
    found = minimise(data_of(features, watch, validation), "listnet", 6)
    assert (len(found.losses), found.best_epoch) == (6, 5)
    found = minimise(data_of(features, ended, validation), "listnet", 6)
    assert (len(found.losses), found.best_epoch) == (4, 1)
    again = minimise(data_of(features), "listnet", 2)
    assert found.weights[0].tolist() == again.weights[0].tolist()


def test_where_lower_is_better_the_lowest_epoch_is_kept():
    watch, validation = watch_of([0.5, 0.2, 0.9, 0.4], 3, higher=False)
    found = descend(data_of(some_features(), watch, validation), epochs=4)
    assert found.best_epoch == 1


def test_a_measure_of_ranks_is_best_where_it_is_lowest():
    features = Features.of(np.eye(3), [0, 0, 1], sizes=[3])
    watch = EarlyStopping(features, parse_measure("MeanRank"), 5)
    assert watch.add_epoch(np.array([0.3, 0.2, 0.1]))
    assert watch.add_epoch(np.array([0.1, 0.2, 0.3]))
    assert not watch.add_epoch(np.array([0.1, 0.3, 0.2]))
    assert watch.values == [3.0, 1.0, 2.0]


def test_the_watch_measures_as_the_measure_does():
    features = some_features(3)
    watch = EarlyStopping(features, parse_measure("nDCG(gain='exp')@3"), 5)
    good, bad = features.relevance.astype(float), -features.relevance.astype(float)
    assert watch.add_epoch(bad)
    assert watch.add_epoch(good)
    assert not watch.add_epoch(bad)
    with_relevant = np.maximum.reduceat(features.relevance, features.offsets[:-1]) > 0
    assert watch.values[1] == pytest.approx(with_relevant.mean())  # queries without relevant documents count 0
    assert watch.best_epoch == 1


def test_queries_without_a_value_are_left_out_and_none_with_one_is_refused():
    features = some_features(3, name="valid.txt")
    watch = EarlyStopping(features, parse_measure("AP"), 5)
    watch.measure = lambda hits: np.array([np.nan, 0.5, 0.7])
    assert watch.add_epoch(np.zeros(60))
    assert watch.values == [pytest.approx(0.6)]
    watch.measure = lambda hits: np.full(3, np.nan)
    with pytest.raises(InputError, match=r"^valid\.txt: .*no value"):
        watch.add_epoch(np.zeros(60))


# What goes wrong


@pytest.mark.parametrize("epochs", [1, 3])
def test_a_loss_that_diverges_names_the_learning_rate(epochs):
    with pytest.raises(InputError, match=r"listnet .*epoch \d .*learning_rate=1e\+30"):
        descend(data_of(some_features()), epochs=epochs, learning_rate=1e30)


def test_validation_scores_that_are_no_numbers_stop_training():
    features = some_features()
    watch = EarlyStopping(features, parse_measure("AP"), 5)
    with pytest.raises(InputError, match="diverged in epoch 1"):
        descend(data_of(features, watch, features), learning_rate=1e30, batch_lists=100)


def test_lists_of_one_grade_teach_nothing_and_are_left_out():
    features = some_features()
    more = Features.of(
        np.concatenate([features.values, 9 + features.values[:6]]),
        np.concatenate([features.relevance, np.ones(6, int)]),
        sizes=[6] * 11,
    )
    assert informative_lists(more).tolist() == informative_lists(features).tolist()
    for train in (
        lambda f: descend(data_of(f)),
        lambda f: minimise(data_of(f), "listnet", 5),
    ):
        for one, other in zip(train(features).weights, train(more).weights, strict=True):
            assert one.tolist() == other.tolist()


def test_data_of_one_grade_are_refused():
    features = Features.of(np.ones((4, 2)), [1, 1, 0, 0], sizes=[2, 2], name="train.txt")
    with pytest.raises(InputError, match=r"train\.txt: .*one grade"):
        informative_lists(features)


def test_progress_is_told_once_an_epoch():
    features, steps = some_features(), []
    descend(data_of(features, progress=steps.append), epochs=5)
    assert steps == [1] * 5
    steps.clear()
    found = minimise(data_of(features, progress=steps.append), "ranknet", 4)
    assert steps == [1] * len(found.losses)


def test_the_scores_of_the_kept_weights_have_the_value_that_was_watched():
    features, validation = some_features(), some_features(1)
    watch = EarlyStopping(validation, parse_measure("nDCG"), 3)
    found = descend(data_of(features, watch, validation, rng=2), epochs=20)
    measured = parse_measure("nDCG")(
        stopping.FullyJudgedLists(validation.relevance, validation.offsets).hits(
            score_documents(found.weights, validation.values)
        )
    ).mean()
    assert measured == pytest.approx(max(found.values))
    assert found.values[found.best_epoch] == max(found.values)


# What is watched


def test_a_geometric_mean_is_one():
    features = some_features(3)
    watch = EarlyStopping(features, parse_measure("GMAP"), 5)
    scores = np.random.default_rng(1).normal(size=60)
    watch.add_epoch(scores)
    each = parse_measure("AP")(stopping.FullyJudgedLists(features.relevance, features.offsets).hits(scores))
    assert watch.values == [pytest.approx(np.exp(np.log(np.maximum(each, 1e-5)).mean()))]


def test_equal_scores_are_put_in_an_order_by_lot():
    """Of a list of 20 with 10 relevant documents, sorted by grade, a random order puts a relevant one first in half."""
    features = Features.of(np.ones((8000, 1)), np.tile([1] * 10 + [0] * 10, 400), sizes=[20] * 400)
    watch = EarlyStopping(features, parse_measure("P@1"), 5)
    watch.add_epoch(np.zeros(8000))
    assert watch.values[0] == pytest.approx(0.5, abs=0.1)  # 4 standard deviations


def test_the_highest_grade_and_the_least_relevant_one_reach_the_watched_measure():
    """ERR with a highest grade of 4: (2^2 - 1) / 2^4; 2 and more relevant: the list has one, at rank 2 of 2."""
    held = Features.of([[1.0], [0.0]], [1, 2], [1, 1])
    x, y, qid = [[1.0], [0.0]], [4, 0], [1, 1]
    ranker = Ranker(hidden=(), epochs=1, stop_on="ERR@1").fit(x, y, qid, eval_set=held)
    assert ranker.models_[0].values == (pytest.approx(1 / 16),)
    ranker = Ranker(hidden=(), epochs=1, stop_on="ERR@1").fit(x, y, qid, eval_set=held, max_grade=5)
    assert ranker.models_[0].values == (pytest.approx(1 / 32),)
    for rel, value in ((1, 1.0), (2, 0.5)):
        ranker = Ranker(hidden=(), epochs=1, stop_on="RR").fit(x, y, qid, eval_set=held, rel=rel)
        assert ranker.models_[0].values == (value,)


def test_the_highest_grade_of_all_is_told_where_a_batch_lacks_it():
    told = []

    def loss(scores, relevance, offsets, *, max_grade):
        told.append((int(relevance.max()), max_grade))
        return 0.0, np.zeros(scores.shape, scores.dtype)

    for hidden in ((), (4,)):
        ranker = Ranker(loss, hidden=hidden, epochs=1, batch_lists=1)
        told.clear()
        ranker.fit(np.arange(12.0)[:, None], [0, 1, 0, 1, 0, 4] * 2, group=[2] * 6)
        found = [one for one in told if one[1] != 1 or one[0] > 1]  # but for the look at what the function gives
        assert {top for _, top in found} == {4}
        if hidden:
            assert sorted(found) == [(1, 4)] * 4 + [(4, 4)] * 2

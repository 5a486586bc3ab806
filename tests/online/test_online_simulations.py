"""What tests of interleaving and counterfactual estimates promise, by users whose clicks are known."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from helpers.simulated_rates import show

import rankscope as rs
from rankscope.online import simulate_clicks
from rankscope.online.click_models import CLICK_MODELS, examination
from rankscope.stats import importance_weighting

pytestmark = pytest.mark.slow

METHODS = ("team-draft", "balanced", "probabilistic", "optimised")
DOCUMENTS, LENGTH = 12, 6
QUERIES, LISTS = 12, 40
#: Attraction of the documents of each query; the first ones are the best.
GRADES = np.linspace(0.8, 0.05, DOCUMENTS)
REPEATS = 200
ERROR = np.sqrt(0.05 * 0.95 / REPEATS)


def runs_of(orders_a, orders_b):
    return [
        rs.Run({f"q{query}": [f"d{doc}" for doc in order] for query, order in enumerate(orders)}, name=name)
        for name, orders in (("A", orders_a), ("B", orders_b))
    ]


def noisy_orders(rng, noise):
    return np.argsort(-GRADES + noise * rng.normal(size=(QUERIES, DOCUMENTS)), axis=1)


@cache
def interleaved(method, is_better):
    """Records of many lists of each query; A is nearer to the best order than B, or as far from it."""
    rng = np.random.default_rng(1)
    runs = runs_of(noisy_orders(rng, 0.1 if is_better else 0.4), noisy_orders(rng, 0.4))
    records = []
    for seed in range(LISTS):
        records += rs.online.interleave(runs, method=method, length=LENGTH, rng=seed).credit_records()
    return records


def mirrored(records):
    """The records, and each with the systems in each other's place: then users who click blindly prefer neither."""
    other = {"A": "B", "B": "A", None: None}
    swapped = [
        {**record, "team": [other[team] for team in record["team"]]}
        if "team" in record
        else {**record, "credit": [credit[::-1] for credit in record["credit"]]}
        for record in records
    ]
    return [*records, *swapped]


def attraction(records):
    return np.array([[GRADES[int(doc[1:])] for doc in record["documents"]] for record in records])


def impressions(records, places, clicks, users):
    columns = {name: [records[place][name] for place in places] for name in records[0] if name not in ("query",)}
    return pl.DataFrame(
        {
            **columns,
            "user": users.astype(str),
            "clicks": [(np.flatnonzero(row) + 1).tolist() for row in clicks],
        }
    )


def log_of(records, n, n_users, model, rng, *, clicks_blindly=False):
    """Users of whom each clicks more or less readily; blindly: on any document alike."""
    places, users = rng.integers(len(records), size=n), rng.integers(n_users, size=n)
    chance = np.full((n, LENGTH), 0.4) if clicks_blindly else attraction(records)[places]
    eager = rng.uniform(0.5, 1.2, n_users)[users]
    return impressions(records, places, simulate_clicks(chance * eager[:, None], model, rng=rng), users)


@pytest.mark.parametrize("model", CLICK_MODELS)
@pytest.mark.parametrize("method", METHODS)
def test_the_better_system_wins(method, model):
    records = interleaved(method, is_better=True)
    result = rs.online.interleaving_test(log_of(records, 3000, 400, model, np.random.default_rng(2)))
    (row,) = result.preferences
    show("winner", f"{method}, {model}: {row.difference:.3f}, p {row.pvalue:.2g}")
    assert row.low > 0


@pytest.mark.parametrize("test", ["t", "sign", "anytime"])
@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_users_who_click_blindly_prefer_nothing(method, test):
    """The size of each test, and the coverage of the interval of 0."""
    records, rng = mirrored(interleaved(method, is_better=True)), np.random.default_rng(3)
    pvalues, covered = [], []
    for _ in range(REPEATS):
        log = log_of(records, 150, 40, "position-based", rng, clicks_blindly=True)
        (row,) = rs.online.interleaving_test(log, test=test).preferences
        pvalues.append(row.pvalue)
        covered.append(row.low <= 0 <= row.high)
    size = np.mean(np.array(pvalues) <= 0.05)
    show("size", f"{method}, {test}: {size:.4f}, coverage {np.mean(covered):.4f}, standard error {ERROR:.4f}")
    assert size <= 0.05 + 3 * ERROR
    assert np.mean(covered) >= 0.95 - 3 * ERROR
    if test == "t":
        assert size >= 0.05 - 3 * ERROR


def test_a_confidence_sequence_is_wrong_on_any_day_in_at_most_five_of_a_hundred():
    records, rng = mirrored(interleaved("team-draft", is_better=True)), np.random.default_rng(4)
    days = pl.Series("time", [f"2026-03-{1 + 10 * i // 100:02d}" for i in range(100)])
    wrong = significant = 0
    for _ in range(REPEATS // 2):
        log = log_of(records, 100, 100, "cascade", rng, clicks_blindly=True).with_columns(days)
        (row,) = rs.online.interleaving_test(log, test="anytime").preferences
        wrong += row.low > 0 or row.high < 0
        significant += min(look.pvalue for look in row.looks) <= 0.05
    show("anytime", f"{wrong / (REPEATS // 2):.4f} wrong on some day")
    assert wrong / (REPEATS // 2) <= 0.05 + 3 * ERROR
    assert significant / (REPEATS // 2) <= 0.05 + 3 * ERROR


def test_power_is_that_of_the_plan():
    records, rng = interleaved("team-draft", is_better=True), np.random.default_rng(5)
    (pilot,) = rs.online.interleaving_test(log_of(records, 20_000, 20_000, "cascade", rng)).preferences
    need = pilot.requirement
    n_clicked = pilot.n / 20_000
    n = round(need.n / n_clicked)
    significant = [
        rs.online.interleaving_test(log_of(records, n, n, "cascade", rng), cluster_by="impression")
        .preferences[0]
        .pvalue
        <= 0.05
        for _ in range(REPEATS)
    ]
    show("power", f"{np.mean(significant):.3f} with {n} impressions, planned .8")
    assert abs(np.mean(significant) - 0.8) <= 3 * np.sqrt(0.8 * 0.2 / REPEATS) + 0.02


@pytest.mark.parametrize("estimator", ["ips", "snips", "dr"])
def test_estimators_are_unbiased_and_their_intervals_cover(estimator):
    """Three documents in a random order that prefers the first, and the reverse order as the target."""
    rng = np.random.default_rng(6)
    orders = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]])
    chances = np.array([0.4, 0.3, 0.2, 0.1])
    attracts = np.array([0.7, 0.4, 0.2])
    propensity = np.array([[chances[orders[:, k] == doc].sum() for k in range(3)] for doc in range(3)])
    truth = attracts[::-1] @ examination(3)
    run = [rs.Run({"q": ["d2", "d1", "d0"]}, name="reverse")]
    values, covered = [], []
    for _ in range(REPEATS):
        lists = orders[rng.choice(4, 400, p=chances)]
        clicks = simulate_clicks(attracts[lists], rng=rng)
        log = pl.DataFrame(
            {
                "query": ["q"] * 400,
                "documents": [[f"d{doc}" for doc in row] for row in lists.tolist()],
                "propensity": propensity[lists, np.arange(3)].tolist(),
                "clicks": [(np.flatnonzero(row) + 1).tolist() for row in clicks],
            }
        )
        (estimate,) = rs.online.estimate_clicks(log, run, estimator=estimator, cutoff=3).estimates
        values.append(estimate.clicks)
        covered.append(estimate.low <= truth <= estimate.high)
    is_refused = np.isnan(values)  # where the mean weight is off by chance
    values, covered = np.array(values)[~is_refused], np.array(covered)[~is_refused]
    bias, error = np.mean(values) - truth, np.std(values) / np.sqrt(REPEATS)
    show("estimate", f"{estimator}: bias {bias:+.4f} ({error:.4f}), coverage {np.mean(covered):.3f}")
    assert is_refused.mean() <= 0.02
    assert abs(bias) <= 3 * error
    assert np.mean(covered) >= 0.95 - 3 * ERROR - 0.01


def test_clipping_trades_bias_for_variance():
    rng = np.random.default_rng(7)
    weights = np.where(rng.random((REPEATS, 300)) < 0.02, 40.0, 0.2 / 0.98)
    rewards = rng.random((REPEATS, 300)) < 0.5
    plain, clipped = (
        [importance_weighting(reward, weight, **options).value for reward, weight in zip(rewards, weights, strict=True)]
        for options in ({"estimator": "ips"}, {"estimator": "clipped", "clip": 10.0})
    )
    assert np.mean(clipped) < np.mean(plain)
    assert np.std(clipped) < np.std(plain) / 2


def test_position_bias_is_recovered_with_its_interval():
    """Queries whose lists are shuffled now and then: the estimate is near 1 / rank, and its intervals cover it."""
    rng = np.random.default_rng(8)
    truth, covered, values = examination(4), [], []
    for _ in range(50):
        relevance = rng.uniform(0.1, 0.8, (40, 4))
        query = rng.integers(40, size=3000)
        orders = np.where(
            rng.random((3000, 1)) < 0.3, rng.permuted(np.tile(np.arange(4), (3000, 1)), axis=1), np.arange(4)
        )
        clicks = simulate_clicks(relevance[query[:, None], orders], rng=rng)
        log = pl.DataFrame(
            {
                "query": query.astype(str),
                "documents": [[f"d{doc}" for doc in row] for row in orders.tolist()],
                "clicks": [(np.flatnonzero(row) + 1).tolist() for row in clicks],
            }
        )
        bias = rs.online.summarise_clicks(log).bias
        values.append(bias.bias)
        covered.append((bias.low <= truth) & (truth <= bias.high))
    coverage = np.mean(covered, axis=0)[1:]
    show("position bias", f"mean {np.mean(values, axis=0).round(3)}, coverage {coverage}")
    assert np.mean(values, axis=0) == pytest.approx(truth, rel=0.03)
    assert (coverage >= 0.87).all()

"""Statistics on systems: the AP correlation against all orders of ties, the best systems, weights against loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import PairScores, Rankings
from rankscope.agreement.settings import RULES
from rankscope.agreement.statistics import ap_correlations, best_systems, system_statistic
from rankscope.agreement.system_scores import bootstrap_systems, mean_sums, share_sums, win_sums
from rankscope.data.rankings import Labels
from rankscope.errors import InputError
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.measures.rank_similarity import tau_ap

# The AP correlation

LISTS = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in range(2)))
)


def credit(people, metric, upper, lower):
    """How right it is to have one system above another."""
    if people[upper] == people[lower]:
        return 1.0 if metric[upper] == metric[lower] else 0.5
    return float(people[upper] > people[lower])


def ap_over_orders(people, metric):
    """The mean of the formula over all orders of the systems that the metric ties."""
    values = []
    n = len(people)
    for breaks in permutations(range(n)):
        order = sorted(range(n), key=lambda i: (-metric[i], breaks[i]))
        shares = [sum(credit(people, metric, upper, order[i]) for upper in order[:i]) / i for i in range(1, n)]
        values.append(2 / (n - 1) * sum(shares) - 1)
    return sum(values) / len(values)


def test_the_ap_correlation_by_hand():
    people = np.array([[4.0, 3, 2, 1]])
    for metric, expected in (
        ([4, 3, 2, 1], 1),
        ([1, 2, 3, 4], -1),
        ([3, 4, 2, 1], 2 / 3 * (0 + 2 / 2 + 3 / 3) - 1),  # the mistake at the top
        ([4, 3, 1, 2], 2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1),  # the same at the bottom
    ):
        assert ap_correlations(people, np.array([metric], float)) == pytest.approx([expected])
    assert np.isnan(ap_correlations(people, np.zeros((1, 4))))
    assert ap_correlations(np.array([[2.0, 2, 1]]), np.array([[5.0, 5, 1]])).tolist() == [1.0]  # both tie the same


@given(lists=LISTS)
@examples(30)
def test_ties_are_the_mean_over_all_orders(lists):
    people, metric = lists
    value = float(ap_correlations(np.array([people], float), np.array([metric], float))[0])
    if len(set(people)) == 1 or len(set(metric)) == 1:
        assert np.isnan(value)
        return
    assert value == pytest.approx(ap_over_orders(people, metric))
    if len(set(people)) == len(people):
        assert value == pytest.approx(tau_ap(people, metric))


def test_lists_with_and_without_ties_take_two_ways_to_one_value():
    rng = np.random.default_rng(1)
    people, metric = rng.normal(size=(2, 40, 7))
    alone = [float(ap_correlations(x[None], y[None])[0]) for x, y in zip(people, metric, strict=True)]
    metric[0, 0] = metric[0, 1]  # now all lists are counted pair by pair
    assert ap_correlations(people, metric)[1:] == pytest.approx(alone[1:])
    assert alone[1:] == pytest.approx([tau_ap(x, y) for x, y in zip(people[1:], metric[1:], strict=True)])
    assert system_statistic(people, metric, "tau_ap") == pytest.approx(ap_correlations(people, metric))


def test_the_best_systems_with_ties_at_the_border_and_by_rounding():
    values = np.array([0.3, 0.9, 0.1 + 0.2, 0.1])
    assert best_systems(values, 1).tolist() == [False, True, False, False]
    assert best_systems(values, 2).tolist() == [True, True, True, False]
    assert best_systems(values, 9).all()


# Weights


@given(st.integers(0, 1000))
@examples(15)
def test_weighted_means_are_those_of_a_loop_and_whole_weights_of_repeated_segments(seed):
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((3, 6)) < 0.2, np.nan, rng.integers(0, 5, (3, 6)).astype(float))
    table[:, 0] = 1.0
    weights = rng.integers(1, 4, 6).astype(float)
    scores = PairScores(("A", "B", "C"), tuple("123456"), table)
    found = mean_sums(replace(scores, weights=weights), "ABC", "own").values
    for row, value in zip(table, found, strict=True):
        pairs = [(w, x) for w, x in zip(weights, row, strict=True) if not np.isnan(x)]
        assert value == pytest.approx(sum(w * x for w, x in pairs) / sum(w for w, _ in pairs))
    columns = np.repeat(np.arange(6), weights.astype(int))
    repeated = PairScores(("A", "B", "C"), tuple(map(str, range(columns.size))), table[:, columns])
    for over in ("own", "common"):
        weighted = mean_sums(replace(scores, weights=weights), "ABC", over).values
        assert weighted == pytest.approx(mean_sums(repeated, "ABC", over).values)
        assert mean_sums(replace(scores, weights=np.full(6, 0.5)), "ABC", over).values == pytest.approx(
            mean_sums(scores, "ABC", over).values
        )
    shares = share_sums(replace(scores, weights=weights), "ABC").values
    assert shares == pytest.approx(share_sums(repeated, "ABC").values)


@given(st.integers(0, 1000), st.sampled_from(RULES))
@examples(20)
def test_whole_weights_of_judgments_are_repeated_judgments(seed, rule):
    rng = np.random.default_rng(seed)
    lists = [dict(zip("ABC", map(int, row), strict=True)) for row in rng.integers(1, 4, (8, 3))]
    lists += [{"A": 1, "B": 2}, {"B": 1, "C": 2}, {"C": 1, "A": None, "B": 2}, {"C": 1, "A": 2}]
    weights = rng.integers(1, 4, len(lists))
    judged = Rankings.of(lists)
    repeated = Rankings.of([one for one, w in zip(lists, weights, strict=True) for _ in range(w)])
    found = win_sums(replace(judged, weight=weights.astype(float)), "rank", "ABC", rule).values
    assert found == pytest.approx(win_sums(repeated, "rank", "ABC", rule).values, abs=1e-6)


def test_weighted_wins_by_a_loop():
    lists = [{"A": 1, "B": 2, "C": 2}, {"A": 2, "B": 1}, {"B": 3, "C": 1}]
    weights = np.array([0.5, 2.0, 1.5])
    won, decided = dict.fromkeys("ABC", 0.0), dict.fromkeys("ABC", 0.0)
    for ranks, w in zip(lists, weights.tolist(), strict=True):
        for a, b in combinations(ranks, 2):
            if ranks[a] != ranks[b]:
                won[min((a, b), key=ranks.__getitem__)] += w
                decided[a] += w
                decided[b] += w
    found = win_sums(replace(Rankings.of(lists), weight=weights), "rank", "ABC", "wins").values
    assert found == pytest.approx([won[s] / decided[s] for s in "ABC"])


def test_a_bootstrap_draws_segments_alike_and_carries_their_weights():
    rng = np.random.default_rng(5)
    table, weights = rng.normal(size=(3, 10)), rng.random(10) + 0.1
    sums = mean_sums(PairScores(("A", "B", "C"), tuple(map(str, range(10))), table, weights), "ABC", "own")
    draws = draw(np.random.default_rng(3), 20)
    indices = np.concatenate(list(bootstrap_indices(draws, 10)))
    expected = [[np.average(row[i], weights=weights[i]) for row in table] for i in indices]
    assert bootstrap_systems([sums], draws)[0] == pytest.approx(np.array(expected))


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]])
def test_wrong_weights_are_refused(weights):
    scores = PairScores.of({"A": [1, 2], "B": [2, 3]})
    judged = replace(Rankings.of([{"A": 1, "B": 2}, {"A": 2, "B": 1}]), segment=Labels.of(["1", "2"]))
    for call in (
        lambda: replace(scores, weights=np.array(weights)),
        lambda: replace(judged, weight=np.array(weights)),
    ):
        with pytest.raises(InputError) as raised:
            call()
        assert mentions(raised.value, "weight")

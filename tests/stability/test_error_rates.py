"""Error and tie rates against a loop over draws and pairs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.stability.discriminative_power import error_and_ties, pairs_of_draws
from rankscope.stability.dunaiski import dunaiski_error_and_ties


def naive(means, systems, fuzz):
    """Error and tie rate of one measure. means: (draws, drawn systems)."""
    wins, losses, ties = {}, {}, 0
    for values, places in zip(means, systems, strict=True):
        for i, j in combinations(range(len(places)), 2):
            a, b = values[i], values[j]
            if math.isnan(a) or math.isnan(b):
                continue
            pair = places[i], places[j]
            wins.setdefault(pair, 0), losses.setdefault(pair, 0)
            if abs(a - b) <= (fuzz + 1e-12) * max(abs(a), abs(b)):
                ties += 1
            elif a > b:
                wins[pair] += 1
            else:
                losses[pair] += 1
    n = ties + sum(wins.values()) + sum(losses.values())
    if not n:
        return math.nan, math.nan
    return 100 * sum(min(wins[pair], losses[pair]) for pair in wins) / n, 100 * ties / n


def naive_jackknife(means, systems, fuzz):
    """Each draw really left out."""
    left = np.array([naive(np.delete(means, i, 0), np.delete(systems, i, 0), fuzz) for i in range(len(means))])
    n = len(means)
    return np.sqrt((n - 1) / n * ((left - left.mean(axis=0)) ** 2).sum(axis=0))


@examples(40)
@given(
    st.integers(1, 3), st.integers(2, 9), st.integers(2, 5), st.integers(0, 2), st.booleans(),
    st.sampled_from([0.0, 0.05, 0.5]), st.integers(0, 10**6),
)  # fmt: skip
def test_rates_and_deviations_are_those_of_a_loop(measures, draws, drawn, more, holes, fuzz, seed):
    rng = np.random.default_rng(seed)
    n = drawn + more
    systems = np.sort(np.array([rng.choice(n, drawn, replace=False) for _ in range(draws)]))
    means = rng.integers(-4, 9, (measures, draws, drawn)) / 4  # ties, and values below 0
    if holes:
        means[rng.random(means.shape) < 0.2] = np.nan
    rates = error_and_ties(means, systems, n, fuzz)
    for m in range(measures):
        expected = naive(means[m], systems, fuzz)
        assert (rates.error[m], rates.tie[m]) == pytest.approx(expected, nan_ok=True)
        deviations = naive_jackknife(means[m], systems, fuzz)
        assert (rates.error_sd[m], rates.tie_sd[m]) == pytest.approx(tuple(deviations), nan_ok=True)


def test_one_draw_has_no_deviation_and_no_error():
    rates = error_and_ties(np.array([[[0.1, 0.2, 0.2]]]), np.array([[0, 1, 2]]), 3, 0.05)
    assert (rates.error[0], rates.tie[0]) == (0, pytest.approx(100 / 3))
    assert np.isnan(rates.error_sd).all()
    assert np.isnan(rates.tie_sd).all()


def test_a_pair_ordered_as_often_one_way_as_the_other_is_wrong_half_of_the_time():
    means = np.array([[[0.1, 0.2], [0.2, 0.1], [0.1, 0.2], [0.2, 0.1]]])
    assert error_and_ties(means, np.tile([0, 1], (4, 1)), 2, 0.05).error.tolist() == [50.0]


def test_fuzziness_is_a_share_of_the_greater():
    means = np.array([[[0.95, 1.0]], [[-0.95, -1.0]], [[0.94, 1.0]], [[0.0, 0.0]], [[0.0, 1e-9]]])
    assert error_and_ties(means, np.array([[0, 1]]), 2, 0.05).tie.tolist() == [100, 100, 0, 100, 0]


def test_means_that_only_rounding_tells_apart_tie():
    means = np.array([[[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]]])
    assert error_and_ties(means, np.array([[0, 1]] * 2), 2, 0.0).tie.tolist() == [100]


def test_pairs_are_numbered_in_the_order_of_all_pairs():
    all_pairs = list(combinations(range(6), 2))
    systems = np.array([[0, 2, 5], [1, 3, 4]])
    _, _, pair = pairs_of_draws(systems, 6)
    assert [[all_pairs[k] for k in row] for row in pair] == [list(combinations(row, 2)) for row in systems.tolist()]


@examples(40)
@given(st.integers(1, 2), st.integers(2, 4), st.integers(1, 6), st.sampled_from([0.0, 0.1]), st.integers(0, 10**6))
def test_coded_rates_are_those_of_a_loop_over_queries(measures, systems, queries, fuzz, seed):
    """Section B: margin f * mean over the systems; G, L, T per query; what has no value is a tie."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, (measures, systems, queries)) / 2
    values[rng.random(values.shape) < 0.1] = np.nan
    error, tie = dunaiski_error_and_ties(values, fuzz)
    for m in range(measures):
        wrong = ties = 0
        pairs = list(combinations(range(systems), 2))
        for i, j in pairs:
            greater = less = 0
            for q in range(queries):
                margin = fuzz * abs(values[m, :, q].mean())
                greater += values[m, i, q] - values[m, j, q] > margin
                less += values[m, i, q] - values[m, j, q] < -margin
            wrong += min(greater, less)
            ties += queries - greater - less
        n = len(pairs) * queries
        assert (error[m], tie[m]) == pytest.approx((100 * wrong / n, 100 * ties / n))

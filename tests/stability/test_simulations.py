"""Simulations: does the study say what is so, where the truth is known? Slow, so run by `make test-all` only."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.study_data import made, normal_values

import rankscope as rs

pytestmark = pytest.mark.slow

study = rs.stability.study
#: The deviation of a system's noise on a query.
SD = 0.15


def mean_rates(difference: float, queries: int, collections: int = 12) -> tuple[float, float]:
    """Mean error rate and ASL rate of three systems so far apart."""
    found = []
    for c in range(collections):
        rng = np.random.default_rng([c, queries])
        values = normal_values(rng, [0.3, 0.3 + difference, 0.3 + 2 * difference], queries, sd=SD)
        asked = {"alpha": 0.05, "fuzz": 0.0, "iterations": 30, "n_resamples": 99, "rng": c}
        row = next(study(made(values), **asked).records())
        found.append((row.error_rate, row.asl_rate))
    error, asl = np.mean(found, axis=0)
    return float(error), float(asl)


def test_errors_fall_and_significance_rises_with_the_true_difference_and_the_number_of_queries():
    differences, sizes = (0.01, 0.04, 0.1), (16, 40, 100)
    found = {(d, n): mean_rates(d, n) for d in differences for n in sizes}
    for n in sizes:
        for small, large in pairwise(differences):
            assert found[large, n][0] < found[small, n][0]
            assert found[large, n][1] > found[small, n][1]
    for d in differences[1:]:  # at the smallest a set of 8 and one of 20 queries know next to nothing
        for few, many in pairwise(sizes):
            assert found[d, many][0] < found[d, few][0]
            assert found[d, many][1] > found[d, few][1]
    assert found[0.01, 100][0] < found[0.01, 16][0]


NULLS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) ** 2,
    "reciprocal ranks": lambda rng, shape: 1 / rng.integers(1, 6, size=shape),
}


@pytest.mark.parametrize("name", NULLS)
def test_exchangeable_systems_are_told_apart_no_more_often_than_the_level_says(name):
    """By the bootstrap test and Tukey HSD pair by pair; of Tukey HSD also any pair at all."""
    levels = (0.01, 0.05, 0.1)
    asl, tukey = [], []
    for c in range(250):
        values = NULLS[name](np.random.default_rng(c), (4, 1, 40))
        outcome = study(made(values), alpha=levels, iterations=2, n_resamples=199, rng=c).outcomes[0]
        asl.append(outcome.asl_rate[0])
        tukey.append(outcome.tukey[0])
    any_pair = 100.0 * (np.array(tukey) > 0)
    for rates in (np.array(asl), np.array(tukey), any_pair):
        error = rates.std(axis=0, ddof=1) / np.sqrt(len(rates))
        assert (rates.mean(axis=0) <= 100 * np.array(levels) + 3 * np.maximum(error, 0.1)).all(), rates.mean(axis=0)


def test_identical_systems_are_never_significant():
    for c in range(60):
        rng = np.random.default_rng(c)
        n = int(rng.integers(4, 40))
        one = NULLS["reciprocal ranks"](rng, (1, 1, n))
        outcome = study(made(np.repeat(one, 3, axis=0)), alpha=0.49, iterations=5, n_resamples=50, rng=c).outcomes[0]
        assert outcome.asl_rate[0, 0] == 0 or (
            n < 6 and np.isnan(outcome.asl_rate[0, 0])
        )  # sets of 2 reach no p of .49
        assert outcome.t_rate[0, 0] == outcome.tukey[0, 0] == 0
        assert (outcome.asl == 1).all()


@pytest.mark.parametrize("spread", [0.05, 0.1])
def test_the_difference_that_the_swap_method_asks_for_holds_on_fresh_samples(spread):
    """Needed at 5 % on one sample; then pairs of fresh sets as large, of the pairs that differ by as much."""
    far, turned = np.zeros(2), np.zeros(2)
    first, second = np.triu_indices(8, 1)
    for c in range(40):
        rng = np.random.default_rng(c)
        means = 0.4 + rng.normal(0, spread, 8)
        sample = made(normal_values(rng, means, 40, sd=SD))
        outcome = study(sample, alpha=0.05, iterations=40, n_resamples=200, rng=c).outcomes[0]
        fresh = normal_values(rng, means, 20 * 400, sd=SD)[:, 0].reshape(8, 2, 200, 20).mean(axis=3)
        one, other = (fresh[first] - fresh[second]).transpose(1, 0, 2)
        for kind, needed in enumerate(outcome.swap_diff[0, :, 0, 0]):
            reached = np.abs(one) >= needed  # of NaN, where the sample names none, no pair is
            far[kind] += reached.sum()
            turned[kind] += (reached & (one * other < 0)).sum()
    assert (far > 10_000).all()
    assert (turned / far <= 0.05).all(), turned / far
    assert (turned / far >= 0.002).all()  # a bound that never comes near would ask for too much


@pytest.mark.parametrize(("systems", "queries", "sd"), [(30, 40, 0.2), (20, 60, 0.3)])
def test_so_many_queries_as_reliability_asks_for_give_it(systems, queries, sd):
    """Of systems drawn at random, the squared correlation of means over so many fresh queries with the true ones."""
    found = []
    for c in range(40):
        rng = np.random.default_rng(c)
        means = 0.4 + rng.normal(0, 0.08, systems)
        sample = made(normal_values(rng, means, queries, sd=sd))
        needed = round(study(sample, iterations=1, n_resamples=9, rng=c).outcomes[0].reliability[0, 6])
        fresh = normal_values(rng, means, 10 * needed, sd=sd)[:, 0].reshape(systems, 10, needed).mean(axis=2)
        found.append(np.mean([np.corrcoef(means, row)[0, 1] ** 2 for row in fresh.T]))
    assert np.mean(found) == pytest.approx(0.95, abs=0.015)


def test_deviations_of_the_error_rate_are_about_those_of_new_draws():
    """The jackknife over the draws of one study, against the spread over studies of the same data."""
    values = made(normal_values(np.random.default_rng(1), [0.3, 0.32, 0.35, 0.4], 40, sd=SD))
    rates, deviations = [], []
    for seed in range(80):
        row = next(study(values, alpha=0.05, iterations=60, n_resamples=9, rng=seed).records())
        rates.append(row.tie_rate)
        deviations.append(row.tie_rate_sd)
    assert np.mean(deviations) == pytest.approx(np.std(rates, ddof=1), rel=0.25)

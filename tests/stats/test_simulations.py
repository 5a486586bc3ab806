"""What p-values and intervals promise, on data whose truth is known: each row of a table is an experiment."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.stats import (
    bootstrap_interval,
    bootstrap_test,
    friedman_test,
    queries_for_anova,
    queries_for_interval,
    queries_for_t,
    randomisation_test,
    randomised_tukey_hsd,
    sign_test,
    t_interval,
    t_test,
    tukey_hsd,
    two_way_anova,
    wilcoxon_test,
)

pytestmark = pytest.mark.slow

RUNS = 4000
TESTS = {
    "t": t_test,
    "sign": sign_test,
    "wilcoxon": wilcoxon_test,
    "randomisation": lambda d, **o: randomisation_test(d, n_resamples=999, rng=1, **o),
    "bootstrap": lambda d, **o: bootstrap_test(d, n_resamples=999, rng=1, **o),
}


def equal_systems(runs, n, seed=0):
    """(runs, n) differences of two systems whose scores have one distribution in [0, 1], skewed as such scores are."""
    rng = np.random.default_rng(seed)
    hard = rng.random((runs, n))
    a, b = (rng.beta(1 + 2 * hard, 2) for _ in range(2))
    return a - b


def above(level, runs):
    """The most that chance leaves of a level: 3.5 standard errors."""
    return level + 3.5 * np.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("n", [10, 25, 50, 200])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_equal_systems_are_told_apart_no_more_often_than_the_level_says(test, alternative, n):
    p = test(equal_systems(RUNS, n), alternative=alternative).pvalue
    for level in (0.01, 0.05, 0.1):
        # A table shares its resamples, which makes its rows a little dependent: the error of level counts once more.
        assert (p <= level).mean() <= above(level, RUNS) + level / 10


@pytest.mark.parametrize("test", ["t", "randomisation"])
@pytest.mark.parametrize("n", [25, 200])
def test_the_default_tests_reach_their_level(test, n):
    p = TESTS[test](equal_systems(RUNS, n)).pvalue
    assert (p <= 0.05).mean() >= 0.05 - (above(0.05, RUNS) - 0.05) - 0.005


@pytest.mark.parametrize("n", [10, 25, 50, 200])
def test_intervals_hold_the_truth_as_often_as_they_say(n):
    values = equal_systems(RUNS, n)
    short = 3.5 * np.sqrt(0.05 * 0.95 / RUNS)
    t = t_interval(values)
    assert ((t.low <= 0) & (t.high >= 0)).mean() >= 0.95 - short
    bca = bootstrap_interval(values, n_resamples=999, rng=1)
    few = 0.6 / n  # too narrow where queries are few, as its note says: 90 % at 10 queries
    assert bool(bca.notes) == (n < 25)
    assert ((bca.low <= 0) & (bca.high >= 0)).mean() >= 0.95 - short - few


def test_bca_holds_the_mean_of_skewed_scores_better_than_percentiles():
    values = np.random.default_rng(1).exponential(size=(RUNS, 20))
    misses = {}
    for method in ("bca", "percentile"):
        found = bootstrap_interval(values, method=method, n_resamples=999, rng=1)
        misses[method] = abs((found.low > 1).mean() - (found.high < 1).mean())
    assert misses["bca"] < misses["percentile"]


@pytest.mark.parametrize("way", ["randomised", "by formula"])
def test_tukeys_tests_find_anything_in_equal_systems_no_more_often_than_the_level_says(way):
    rng, runs, found = np.random.default_rng(2), 1000, 0
    for run in range(runs):
        scores = rng.beta(2, 3, (6, 25)) + rng.random(25)
        result = randomised_tukey_hsd(scores, n_resamples=199, rng=run) if way == "randomised" else tukey_hsd(scores)
        found += bool((result.pvalue <= 0.05).any())
    assert 0.05 - 3.5 * np.sqrt(0.05 * 0.95 / runs) <= found / runs <= above(0.05, runs)


def test_f_and_friedman_keep_their_level():
    rng, runs = np.random.default_rng(2), 2000
    tables = [rng.beta(2, 3, (5, 30)) + rng.random(30) for _ in range(runs)]
    assert np.mean([two_way_anova(x).pvalue <= 0.05 for x in tables]) <= above(0.05, runs)
    assert np.mean([friedman_test(x).pvalue_f <= 0.05 for x in tables]) <= above(0.05, runs)


@pytest.mark.parametrize(("difference", "power"), [(0.1, 0.8), (0.05, 0.9), (0.2, 0.5)])
def test_the_planned_number_of_queries_reaches_the_planned_power(difference, power):
    n = queries_for_t(difference, 0.2, power=power)
    rows = np.random.default_rng(3).normal(difference, 0.2, (RUNS, n))
    found = (t_test(rows).pvalue <= 0.05).mean()
    assert found == pytest.approx(power, abs=3.5 * np.sqrt(power * (1 - power) / RUNS) + 0.02)  # n is a whole number
    assert found >= power - 3.5 * np.sqrt(power * (1 - power) / RUNS)


def test_the_planned_number_of_queries_for_many_systems_reaches_the_planned_power():
    """The worst case: two systems apart, all others in the middle."""
    n = queries_for_anova(6, 0.1, 0.15)
    means = np.array([-0.05, 0, 0, 0, 0, 0.05])[:, None]
    rng, runs = np.random.default_rng(3), 1500
    tables = (means + rng.normal(0, 0.15, (6, n)) + rng.random(n) for _ in range(runs))
    found = np.mean([two_way_anova(x).pvalue <= 0.05 for x in tables])
    assert found == pytest.approx(0.8, abs=3.5 * np.sqrt(0.16 / runs) + 0.01)


def test_the_planned_interval_is_about_as_wide_as_planned():
    n = queries_for_interval(0.1, 0.2)
    found = t_interval(np.random.default_rng(3).normal(0, 0.2, (RUNS, n)))
    assert (found.high - found.low).mean() == pytest.approx(0.1, rel=0.02)

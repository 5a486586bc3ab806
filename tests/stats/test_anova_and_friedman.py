"""Many systems: analysis of variance, Tukey's tests, Friedman and Nemenyi, clusters."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import (
    all_pairs,
    find_clusters,
    friedman_test,
    nemenyi_test,
    randomised_tukey_hsd,
    t_test,
    tukey_hsd,
    two_way_anova,
)
from rankscope.stats.friedman import ranks_by_query

RNG = np.random.default_rng(11)
SCORES = RNG.random((5, 30)) + 0.1 * np.arange(5)[:, None] + RNG.random(30)
#: Hollander and Wolfe (1973), p. 140: 22 runners round first base in three ways; the example of R's friedman.test.
ROUNDING = """5.40 5.50 5.55 5.85 5.70 5.75 5.20 5.60 5.50 5.55 5.50 5.40 5.90 5.85 5.70 5.45 5.55 5.60 5.40 5.40 5.35
5.45 5.50 5.35 5.25 5.15 5.00 5.85 5.80 5.70 5.25 5.20 5.10 5.65 5.55 5.45 5.60 5.35 5.45 5.05 5.00 4.95
5.50 5.50 5.40 5.45 5.55 5.50 5.55 5.55 5.35 5.45 5.50 5.55 5.50 5.45 5.25 5.65 5.60 5.40 5.70 5.65 5.55
6.30 6.30 6.25"""
RUNNERS = np.array(ROUNDING.split(), float).reshape(22, 3).T
TABLES = st.tuples(st.integers(2, 5), st.integers(2, 8), st.integers(0, 10**6)).map(
    lambda a: np.random.default_rng(a[2]).integers(0, 6, (a[0], a[1])) / 5
)


# Analysis of variance


def test_the_sums_of_squares_by_loops():
    m, n = SCORES.shape
    mean, rows, columns = SCORES.mean(), SCORES.mean(axis=1), SCORES.mean(axis=0)
    found = two_way_anova(SCORES)
    assert found.ss_systems == pytest.approx(sum(n * (r - mean) ** 2 for r in rows))
    assert found.ss_queries == pytest.approx(sum(m * (c - mean) ** 2 for c in columns))
    error = sum((SCORES[i, j] - rows[i] - columns[j] + mean) ** 2 for i, j in product(range(m), range(n)))
    assert found.ss_error == pytest.approx(error)
    assert found.ss_systems + found.ss_queries + found.ss_error == pytest.approx(((SCORES - mean) ** 2).sum())
    assert (found.df_systems, found.df_queries, found.df_error) == (4, 29, 4 * 29)
    assert found.statistic == pytest.approx((found.ss_systems / 4) / (error / (4 * 29)))
    assert found.pvalue == pytest.approx(stats.f.sf(found.statistic, 4, 4 * 29))
    assert found.pvalue_queries == pytest.approx(stats.f.sf(found.statistic_queries, 29, 4 * 29))
    assert found.sigma == pytest.approx(np.sqrt(error / (4 * 29)))


def test_it_agrees_with_statsmodels():
    pandas, formula = pytest.importorskip("pandas"), pytest.importorskip("statsmodels.formula.api")
    from statsmodels.stats.anova import anova_lm

    m, n = SCORES.shape
    frame = pandas.DataFrame({"y": SCORES.ravel(), "s": np.repeat(np.arange(m), n), "q": np.tile(np.arange(n), m)})
    table = anova_lm(formula.ols("y ~ C(s) + C(q)", frame).fit())
    found = two_way_anova(SCORES)
    assert found.statistic == pytest.approx(table.loc["C(s)", "F"])
    assert found.pvalue == pytest.approx(table.loc["C(s)", "PR(>F)"])


@given(table=TABLES)
def test_of_two_systems_f_is_t_squared_and_tukey_is_t(table):
    pair = table[:2]
    t = t_test(pair[0] - pair[1])
    if bool(t.degenerate):
        return
    found = two_way_anova(pair)
    assert found.statistic == pytest.approx(float(t.statistic) ** 2, rel=1e-9)
    assert found.pvalue == pytest.approx(float(t.pvalue), rel=1e-9)
    assert tukey_hsd(pair).pvalue[0] == pytest.approx(float(t.pvalue), abs=1e-8)


def test_omega_squared_is_near_the_share_it_estimates():
    rng = np.random.default_rng(1)
    systems, queries = rng.standard_normal(6) * 0.1, rng.standard_normal(5000) * 0.2
    scores = systems[:, None] + queries + 0.15 * rng.standard_normal((6, 5000))
    among, between = systems.var(), 0.2**2
    assert two_way_anova(scores).omega_squared == pytest.approx(among / (among + between + 0.15**2), rel=0.05)


def test_scores_without_error_leave_f_undefined():
    additive = np.array([[0.1], [0.2], [0.4]]) + np.array([0.3, 0.5, 0.1, 0.7])
    found = two_way_anova(additive)
    assert np.isnan(found.statistic)
    assert np.isnan(found.pvalue)
    assert found.notes
    equal = two_way_anova(np.tile([0.3, 0.5, 0.1], (4, 1)))
    assert (equal.statistic, equal.pvalue) == (0.0, 1.0)
    assert np.isnan(tukey_hsd(additive).pvalue).all()
    assert (tukey_hsd(np.tile([0.3, 0.5, 0.1], (4, 1))).pvalue == 1).all()
    assert two_way_anova(np.zeros((3, 4))).omega_squared == 0


# Tukey's tests


def test_paired_tukey_by_its_formula():
    found = tukey_hsd(SCORES)
    anova = two_way_anova(SCORES)
    for k, (i, j) in enumerate(combinations(range(5), 2)):
        assert (found.first[k], found.second[k]) == (i, j)
        difference = SCORES[i].mean() - SCORES[j].mean()
        assert found.difference[k] == pytest.approx(difference)
        q = abs(difference) / np.sqrt(anova.ms_error / 30)
        assert found.pvalue[k] == pytest.approx(stats.studentized_range.sf(q, 5, 4 * 29), abs=1e-9)
    critical = stats.studentized_range.ppf(0.95, 5, 4 * 29) * np.sqrt(anova.ms_error / 30)
    assert found.critical_difference == pytest.approx(critical)
    np.testing.assert_array_equal(found.pvalue <= 0.05, np.abs(found.difference) >= found.critical_difference)
    np.testing.assert_array_equal(found.pvalue <= 0.05, (found.low > 0) | (found.high < 0))


def test_randomised_tukey_comes_near_all_permutations():
    scores = np.array([[0.1, 0.4, 0.3], [0.2, 0.6, 0.5], [0.7, 0.5, 0.9]])
    ways = [list(permutations(column)) for column in scores.T]
    ranges = np.array([np.ptp(np.mean(dealt, axis=0)) for dealt in product(*ways)])
    found = randomised_tukey_hsd(scores, n_resamples=20_000, rng=1)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        exact = (ranges >= abs(scores[i].mean() - scores[j].mean()) - 1e-12).mean()
        assert abs(found.pvalue[k] - exact) <= 4 * found.error[k] + 1e-4


def test_randomised_tukey_agrees_with_paired_tukey_on_normal_scores():
    rng = np.random.default_rng(4)
    scores = rng.standard_normal((6, 200)) + 0.12 * np.arange(6)[:, None] + 3 * rng.standard_normal(200)
    by_formula, by_chance = tukey_hsd(scores), randomised_tukey_hsd(scores, rng=1)
    assert np.abs(by_formula.pvalue - by_chance.pvalue).max() < 0.02
    assert by_chance.critical_difference == pytest.approx(by_formula.critical_difference, rel=0.05)


def test_randomised_tukey_is_the_same_for_one_seed_and_never_0():
    scores = SCORES + np.arange(5)[:, None]
    first, second, other = (randomised_tukey_hsd(SCORES, n_resamples=99, rng=seed) for seed in (1, 1, 2))
    assert_same_bits(first.pvalue, second.pvalue)
    assert not np.array_equal(first.pvalue, other.pvalue)
    assert randomised_tukey_hsd(scores, n_resamples=99, rng=1).pvalue.min() == 1 / 100


def test_randomised_tukey_of_equal_systems_is_1():
    found = randomised_tukey_hsd(np.tile([0.3, 0.5, 0.1], (4, 1)), n_resamples=99)
    assert (found.pvalue == 1).all()
    assert found.notes


@given(table=TABLES)
def test_a_greater_difference_never_has_a_greater_p(table):
    found = randomised_tukey_hsd(table, n_resamples=200, rng=1)
    order = np.argsort(np.abs(found.difference))
    assert (np.diff(found.pvalue[order]) <= 1e-12).all() or np.ptp(found.pvalue) < 0.2


# Ranks


def test_friedman_of_the_runners_is_that_of_r():
    found = friedman_test(RUNNERS)
    assert found.statistic == pytest.approx(11.1429, abs=5e-5)
    assert found.pvalue == pytest.approx(0.003805, abs=5e-7)
    assert found.n == 22


@given(table=TABLES)
def test_friedman_agrees_with_scipy(table):
    if len(table) < 3:
        return
    found = friedman_test(table)
    if any(len(set(column)) > 1 for column in table.T):
        expected = stats.friedmanchisquare(*table)
        assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
        assert found.pvalue == pytest.approx(expected.pvalue, abs=1e-9)
    else:
        assert (found.statistic, found.pvalue, found.pvalue_f) == (0.0, 1.0, 1.0)
    expected_ranks = stats.rankdata(-table, axis=0).mean(axis=1)
    np.testing.assert_allclose(found.mean_ranks, expected_ranks)


def test_iman_and_davenports_f_is_the_analysis_of_variance_of_ranks():
    found = friedman_test(SCORES)
    anova = two_way_anova(ranks_by_query(SCORES).T)
    assert found.statistic_f == pytest.approx(anova.statistic)
    assert found.pvalue_f == pytest.approx(anova.pvalue)


def test_where_all_queries_agree_f_is_infinite():
    found = friedman_test([[0.1, 0.4, 0.3], [0.2, 0.5, 0.6], [0.7, 0.8, 0.9]])
    assert found.statistic_f == float("inf")
    assert found.pvalue_f == 0.0


# Demsar (2006), table 5: critical values of Nemenyi's test, and his example of 4 classifiers on 14 data sets
@pytest.mark.parametrize(("m", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_nemenyis_critical_difference_is_demsars(m, q):
    scores = np.random.default_rng(1).random((m, 14))
    assert nemenyi_test(scores).critical_difference == pytest.approx(q * np.sqrt(m * (m + 1) / (6 * 14)), rel=3e-4)
    if m == 4:
        assert nemenyi_test(scores).critical_difference == pytest.approx(1.25, abs=0.005)


def test_nemenyi_p_is_at_the_level_at_the_critical_difference():
    found = nemenyi_test(SCORES, confidence_level=0.9)
    np.testing.assert_array_equal(found.pvalue <= 0.1, np.abs(found.difference) >= found.critical_difference)
    ranks = stats.rankdata(-SCORES, axis=0).mean(axis=1)
    np.testing.assert_allclose(found.difference, ranks[found.first] - ranks[found.second])


# Clusters


def loop_groups(differ, order):
    """All runs in which no two differ, without those that are part of another."""
    m = len(order)
    good = [
        tuple(order[a:b])
        for a in range(m)
        for b in range(a + 1, m + 1)
        if not any(differ[i, j] for i, j in combinations(order[a:b], 2))
    ]
    return tuple(g for g in good if not any(set(g) < set(other) for other in good))


@given(m=st.integers(1, 7), seed=st.integers(0, 10**6))
def test_groups_are_the_longest_runs(m, seed):
    rng = np.random.default_rng(seed)
    values, p = rng.integers(0, 5, m) / 4, rng.random(m * (m - 1) // 2)
    found = find_clusters(values, p, alpha=0.3)
    differ = np.zeros((m, m), bool)
    differ[all_pairs(m)] = p <= 0.3
    differ |= differ.T
    assert found.groups == loop_groups(differ, list(found.order))
    assert sorted(found.order) == list(range(m))
    assert {i for group in found.groups for i in group} == set(range(m))
    for i in range(m):
        assert found.rank_low[i] == 1 + sum(differ[i, j] and values[j] > values[i] for j in range(m))
        assert found.rank_high[i] == m - sum(differ[i, j] and values[j] < values[i] for j in range(m))


def test_no_difference_is_one_cluster_and_all_differences_are_as_many_as_systems():
    assert find_clusters([0.1, 0.3, 0.2], [1, 1, 1]).groups == ((1, 2, 0),)
    found = find_clusters([0.1, 0.3, 0.2], [0, 0, 0])
    assert found.groups == ((1,), (2,), (0,))
    assert found.rank_low.tolist() == found.rank_high.tolist() == [3, 1, 2]
    assert find_clusters([0.1, 0.2], [np.nan]).groups == ((1, 0),)
    assert find_clusters([0.1, 0.2], [0.05]).groups == ((1,), (0,))  # at the level is below it


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match=r"3 systems .*\(2,\), .*\(3,\)"):
        find_clusters([1, 2, 3], [0.1, 0.2])
    with pytest.raises(ParameterError, match="alpha is 5"):
        find_clusters([1, 2], [0.1], alpha=5)
    for way in (two_way_anova, tukey_hsd, randomised_tukey_hsd, friedman_test, nemenyi_test):
        for bad, message in (
            (np.zeros((1, 5)), "at least 2 systems"),
            (np.zeros(5), r"shape \(5,\), .*\(systems, queries\)"),
            ([[0.1, np.nan], [0.2, 0.3]], "1 of 4 .*NaN"),
        ):
            with pytest.raises(ParameterError, match=message):
                way(bad)
    for way in (two_way_anova, tukey_hsd, friedman_test, nemenyi_test):
        with pytest.raises(ParameterError, match="2 queries"):
            way(np.zeros((3, 1)))
    assert (randomised_tukey_hsd([[0.1], [0.2]], n_resamples=9).pvalue == 1).all()


def test_epsilon_is_that_of_the_doubly_centred_covariance():
    """Greenhouse and Geisser (1959): (tr E)^2 / ((m - 1) tr E^2), 1 for two systems; p with its degrees of freedom."""
    x = np.random.default_rng(3).normal(size=(6, 40)) * np.arange(1, 7)[:, None]
    centring = np.eye(6) - 1 / 6
    covariance = centring @ np.cov(x) @ centring
    epsilon = np.trace(covariance) ** 2 / (5 * np.trace(covariance @ covariance))
    found = two_way_anova(x)
    assert found.epsilon == pytest.approx(epsilon)
    assert found.pvalue_corrected == pytest.approx(stats.f.sf(found.statistic, 5 * epsilon, 5 * 39 * epsilon))
    # Huynh and Feldt (1976): (n (m - 1) e - 2) / ((m - 1) (n - 1 - (m - 1) e))
    assert found.epsilon_unbiased == pytest.approx((40 * 5 * epsilon - 2) / (5 * (39 - 5 * epsilon)))
    assert two_way_anova(np.random.default_rng(1).normal(size=(6, 40))).epsilon_unbiased > 0.9
    pair = two_way_anova(x[:2])
    assert pair.epsilon_unbiased == 1
    assert (pair.epsilon, pair.pvalue_corrected) == (pytest.approx(1), pytest.approx(pair.pvalue))


@pytest.mark.slow
def test_near_twins_are_told_apart_no_more_often_than_the_level_says_once_corrected():
    """Five systems that go together and one apart: F errs in about 11 of 100."""
    rng, runs = np.random.default_rng(1), 4000
    twins = np.sqrt(0.95) * rng.normal(size=(runs, 1, 50)) + np.sqrt(0.05) * rng.normal(size=(runs, 5, 50))
    tables = [two_way_anova(x) for x in np.concatenate([twins, rng.normal(size=(runs, 1, 50))], axis=1)]
    assert np.mean([table.pvalue <= 0.05 for table in tables]) > 0.08
    rate = np.mean([table.pvalue_corrected <= 0.05 for table in tables])
    assert abs(rate - 0.05) <= 3.5 * np.sqrt(0.05 * 0.95 / runs)

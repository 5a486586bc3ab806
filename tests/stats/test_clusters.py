"""Clusters and weights in tests, intervals and effect sizes: brute-force jackknives, plain enumerations, loops that
draw clusters, statsmodels.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.clustered_queries import (
    UNEQUAL,
    clustered_values,
    codes_of,
    naive_correlation,
    naive_error,
    naive_mean,
)
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.stats import (
    bootstrap_interval,
    bootstrap_test,
    design_effect,
    effect_sizes,
    intraclass_correlation,
    randomisation_test,
    t_interval,
    t_test,
)
from rankscope.stats.intervals import jackknife_skew

SIZES = [3, 1, 4, 2, 2, 5]
CODES = codes_of(SIZES)
WEIGHTS = 1.0 + np.arange(CODES.size) % 4
D = clustered_values(np.random.default_rng(3), CODES, 0.4, 3) + 0.4
#: Clusters and weights of each kind of sample.
SAMPLES = {
    "clusters": {"clusters": CODES},
    "weights": {"weights": WEIGHTS},
    "both": {"clusters": CODES, "weights": WEIGHTS},
}


def plain(sample):
    """Codes and weights of a sample, as lists."""
    codes = sample.get("clusters", np.arange(CODES.size))
    return codes.tolist(), np.asarray(sample.get("weights", np.ones(CODES.size))).tolist()


def sums_of(d, sample):
    """(sum of values times weights, sum of weights) of each cluster, in the order of their numbers."""
    codes, weights = plain(sample)
    return [
        (
            sum(x * w for x, w, code in zip(d, weights, codes, strict=True) if code == cluster),
            sum(w for w, code in zip(weights, codes, strict=True) if code == cluster),
        )
        for cluster in sorted(set(codes))
    ]


def degrees(sample):
    sums = [w for _, w in sums_of(D[0], sample)]
    return sum(sums) ** 2 / sum(w * w for w in sums) - 1


# t


@pytest.mark.parametrize("name", SAMPLES)
def test_t_is_the_mean_over_the_jackknifes_error(name):
    sample = SAMPLES[name]
    codes, weights = plain(sample)
    test, interval = t_test(D, **sample), t_interval(D, confidence_level=0.9, **sample)
    df = degrees(sample)
    for i, d in enumerate(D.tolist()):
        mean, error = naive_mean(d, weights), naive_error(d, codes, weights)
        half = stats.t.ppf(0.95, df) * error
        assert_same_numbers(
            [test.statistic[i], test.pvalue[i], interval.mean[i], interval.low[i], interval.high[i]],
            [mean / error, 2 * stats.t.sf(abs(mean / error), df), mean, mean - half, mean + half],
        )
    for alternative, tail in (("greater", stats.t.sf), ("less", stats.t.cdf)):
        found = t_test(D, alternative=alternative, **sample)
        assert_same_numbers(found.pvalue, tail(test.statistic, df))


def test_clusters_of_one_size_agree_with_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    codes = codes_of([4] * 12)
    d = clustered_values(np.random.default_rng(1), codes, 0.3, 4) + 0.2
    found, interval = t_test(d, clusters=codes), t_interval(d, clusters=codes)
    for i, row in enumerate(d):
        options = {"cov_type": "cluster", "cov_kwds": {"groups": codes}, "use_t": True}
        fit = sm.OLS(row, np.ones(codes.size)).fit(**options)
        ends = fit.conf_int()[0]
        assert_same_numbers(
            [found.statistic[i], found.pvalue[i], interval.low[i], interval.high[i]],
            [fit.tvalues[0], fit.pvalues[0], *ends],
        )


def test_unequal_clusters_have_a_larger_error_than_that_of_statsmodels():
    """The jackknife (CV3) beside CR1, which on average is too small where one cluster weighs much."""
    sm = pytest.importorskip("statsmodels.api")
    codes = codes_of(UNEQUAL)
    d = clustered_values(np.random.default_rng(1), codes, 0.3, 100)
    options = {"cov_type": "cluster", "cov_kwds": {"groups": codes}, "use_t": True}
    robust = [float(sm.OLS(row, np.ones(codes.size)).fit(**options).bse[0]) for row in d]
    ours = d.mean(axis=1) / t_test(d, clusters=codes).statistic
    assert np.mean(ours**2) > 1.1 * np.mean(np.square(robust))


def test_clusters_of_a_query_each_and_equal_weights_change_no_number():
    codes, weights = np.arange(CODES.size), np.full(CODES.size, 2.5)
    for function in (t_test, t_interval, effect_sizes):
        expected = function(D)
        for sample in ({"clusters": codes}, {"weights": weights}, {"clusters": codes, "weights": weights}):
            found = function(D, **sample)
            for field in ("statistic", "pvalue", "mean", "low", "high", "cohens_d", "hedges_g"):
                if hasattr(expected, field):
                    assert_same_numbers(getattr(found, field), getattr(expected, field))


# Sign flips


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("name", ["clusters", "both"])
def test_sign_flips_are_of_whole_clusters_and_counted_once_each(name, alternative):
    sample = SAMPLES[name]
    found = randomisation_test(D, alternative=alternative, **sample)
    assert found.exact
    for i, d in enumerate(D.tolist()):
        sums = [x for x, _ in sums_of(d, sample)]
        observed, count = sum(sums), 0
        for signs in itertools.product((1, -1), repeat=len(sums)):
            total = sum(sign * x for sign, x in zip(signs, sums, strict=True))
            count += {
                "two-sided": abs(total) >= abs(observed) - 1e-12,
                "greater": total >= observed - 1e-12,
                "less": total <= observed + 1e-12,
            }[alternative]
        assert found.pvalue[i] == count / 2 ** len(sums)
        assert_same_numbers(found.statistic[i], observed / sum(w for _, w in sums_of(d, sample)))


def test_sign_flips_of_many_clusters_are_drawn():
    codes = codes_of([3] * 40)
    d = clustered_values(np.random.default_rng(2), codes, 0.3, 1)[0] + 0.15
    found = randomisation_test(d, clusters=codes, n_resamples=20_000, rng=1)
    sums = np.bincount(codes, d)
    expected = randomisation_test(sums, n_resamples=20_000, rng=1)
    assert not found.exact
    assert found.pvalue == pytest.approx(float(expected.pvalue), abs=5 * float(found.error))


# Bootstrap


@pytest.mark.parametrize("name", SAMPLES)
def test_bootstrap_samples_are_of_whole_clusters(name):
    sample = SAMPLES[name]
    sums = [sums_of(d, sample) for d in D.tolist()]
    n = len(sums[0])
    rows = np.concatenate(list(bootstrap_indices(draw(np.random.default_rng(5), 300), n))).tolist()
    found = bootstrap_interval(D, method="percentile", n_resamples=300, rng=5, **sample)
    bca = bootstrap_interval(D, n_resamples=300, rng=5, **sample)
    for i, pairs in enumerate(sums):
        means = [sum(pairs[g][0] for g in row) / sum(pairs[g][1] for g in row) for row in rows]
        assert_same_numbers([found.low[i], found.high[i]], np.quantile(means, [0.025, 0.975]).tolist())
        mean = sum(x for x, _ in pairs) / sum(w for _, w in pairs)
        without = [(sum(x for x, _ in pairs) - x) / (sum(w for _, w in pairs) - w) for x, w in pairs]
        skew = float(jackknife_skew(np.array([without]), np.ones((1, n)))[0])
        below = (sum(m < mean - 1e-12 for m in means) + sum(m <= mean + 1e-12 for m in means)) / 2 / len(means)
        bias = stats.norm.ppf(below)
        shares = [stats.norm.cdf(bias + (bias + z) / (1 - skew * (bias + z))) for z in stats.norm.ppf([0.025, 0.975])]
        assert_same_numbers([bca.low[i], bca.high[i]], np.quantile(means, shares).tolist(), rtol=1e-6)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_bootstrap_test_is_a_loop_over_samples_of_clusters(name):
    sample = SAMPLES[name]

    def t_of(pairs):
        n, total = len(pairs), sum(w for _, w in pairs)
        mean = sum(x for x, _ in pairs) / total
        square = n / (n - 1) * sum((x - mean * w) ** 2 for x, w in pairs)
        if square <= 1e-20:
            return math.inf if abs(mean) > 1e-12 else 0.0
        return mean * total / math.sqrt(square)

    found = bootstrap_test(D, n_resamples=200, rng=6, **sample)
    for i, d in enumerate(D.tolist()):
        pairs = sums_of(d, sample)
        mean = sum(x for x, _ in pairs) / sum(w for _, w in pairs)
        shifted = [(x - mean * w, w) for x, w in pairs]
        rows = np.concatenate(list(bootstrap_indices(draw(np.random.default_rng(6), 200), len(pairs)))).tolist()
        observed = t_of(pairs)
        count = sum(abs(t_of([shifted[g] for g in row])) >= abs(observed) - 1e-9 for row in rows)
        assert_same_numbers([found.statistic[i], found.pvalue[i]], [observed, (1 + count) / 201])


# Effect sizes


@pytest.mark.parametrize("name", SAMPLES)
def test_effect_sizes_have_the_interval_of_t(name):
    """d is the mean over the deviation of queries; its interval is that of the noncentral t of the jackknife."""
    sample = SAMPLES[name]
    codes, weights = plain(sample)
    found = effect_sizes(D, **sample)
    df = degrees(sample)
    effective = sum(weights) ** 2 / sum(w * w for w in weights)
    for i, d in enumerate(D.tolist()):
        mean = naive_mean(d, weights)
        square = naive_mean([(x - mean) ** 2 for x in d], weights) * effective / (effective - 1)
        root = square**0.5 / naive_error(d, codes, weights)
        assert_same_numbers([found.mean[i], found.cohens_d[i]], [mean, mean / square**0.5])
        t = mean / square**0.5 * root
        for end, share in ((found.low[i], 0.975), (found.high[i], 0.025)):
            assert float(stats.nct.cdf(t, df, end * root)) == pytest.approx(share, abs=1e-6)
        assert (found.wins[i], found.losses[i]) == (sum(x > 0 for x in d), sum(x < 0 for x in d))


# The correlation within clusters


@examples(40)
@given(sizes=st.lists(st.integers(1, 5), min_size=2, max_size=9), seed=st.integers(0, 10**6))
def test_the_correlation_within_clusters_is_that_of_its_mean_squares(sizes, seed):
    if max(sizes) == 1:
        sizes = [*sizes, 2]
    codes = codes_of(sizes)
    d = clustered_values(np.random.default_rng(seed), codes, 0.3, 2)
    found = intraclass_correlation(d, [f"c{code}" for code in codes])
    assert_same_numbers(found.tolist(), [naive_correlation(row, codes.tolist()) for row in d.tolist()])
    assert intraclass_correlation(d[0], codes).shape == ()


def test_values_that_say_nothing_of_the_correlation_have_none():
    assert np.isnan(intraclass_correlation([0.1, 0.2, 0.3], [1, 1, 1]))
    assert np.isnan(intraclass_correlation([0.1, 0.2, 0.3], [1, 2, 3]))
    assert np.isnan(intraclass_correlation([0.1, 0.1, 0.1, 0.1], [1, 1, 2, 2]))
    assert intraclass_correlation([1.0, 2.0, 1.0, 2.0], [1, 1, 2, 2]) == -1


def test_the_design_effect_is_one_plus_the_size_less_one_times_the_correlation():
    assert_same_numbers(design_effect(np.repeat(np.arange(20), 5), [0.5, 0.0, -0.3, np.nan]), [3.0, 1.0, 1.0, 1.0])
    # The cluster of a query has (1 + 9 x 9) / 10 queries on average.
    assert_same_numbers(float(design_effect([0, *[1] * 9], 0.5)), 1 + (8.2 - 1) * 0.5)


# What is refused, and what says nothing


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"clusters": [1, 2]}, "one for each of 17 queries"),
        ({"weights": [1.0, 2.0]}, "one for each of 17 queries"),
        ({"weights": [*[1.0] * 16, 0.0]}, "weight 0 of query 16"),
        ({"weights": [-1.0, *[1.0] * 16]}, "weight -1 of query 0"),
        ({"weights": [*[1.0] * 16, np.inf]}, "weight inf"),
    ],
)
def test_samples_that_do_not_fit_are_refused(sample, message):
    for function in (t_test, t_interval, randomisation_test, bootstrap_test, bootstrap_interval, effect_sizes):
        with pytest.raises(ParameterError, match=message):
            function(D, **sample)


def test_one_cluster_and_equal_clusters_say_nothing():
    one = np.zeros(4, int)
    for function in (t_test, bootstrap_test):
        found = function([0.1, 0.2, 0.3, 0.5], clusters=one)
        assert np.isnan(found.pvalue)
        assert found.degenerate
    interval = t_interval([0.1, 0.2, 0.3, 0.5], clusters=one)
    assert np.isnan([float(interval.low), float(interval.high)]).all()
    same = t_test([0.1, 0.3, 0.3, 0.1], clusters=[0, 0, 1, 1])  # both have the mean .2
    assert np.isnan(same.pvalue)
    assert "every cluster" in same.notes[0]
    nothing = t_test([0.0] * 4, clusters=[0, 0, 1, 1])
    assert (nothing.statistic, nothing.pvalue) == (0, 1)

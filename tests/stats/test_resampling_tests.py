"""Randomisation and bootstrap tests: against SciPy, Fisher's example, loops; seeds and degenerate data."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.same import assert_same_bits, assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.stats import bootstrap_test, randomisation_test, t_test
from rankscope.stats.inputs import ALTERNATIVES
from rankscope.stats.paired_tests import monte_carlo

#: Darwin's maize: differences in height of pairs of plants, in eighths of an inch (Fisher 1935, section 17).
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
DATA = np.random.default_rng(5).standard_normal((6, 30)) * 0.2 + 0.05
TESTS = {"randomisation": randomisation_test, "bootstrap": bootstrap_test}
LISTS = st.lists(st.integers(-8, 8).map(lambda i: i / 10), min_size=1, max_size=9)


def test_fishers_maize_has_1726_of_32768():
    found = randomisation_test(MAIZE, n_resamples=2**15)
    assert found.exact
    assert float(found.pvalue) == 1726 / 32768  # 863 sums of at least 314 (Fisher 1935, section 21), and as many below
    assert float(randomisation_test(MAIZE, n_resamples=2**15, alternative="greater").pvalue) == 863 / 32768
    assert_same_numbers(float(found.statistic), 314 / 15)


def test_one_resample_fewer_than_all_vectors_draws_them():
    assert not randomisation_test(MAIZE, n_resamples=2**15 - 1).exact
    assert randomisation_test(MAIZE[:13]).exact  # 2^13 = 8,192 of 10,000
    assert not randomisation_test(MAIZE[:14]).exact


def test_drawn_signs_come_near_all_signs():
    found = randomisation_test(MAIZE, n_resamples=20_000, rng=3)
    assert abs(float(found.pvalue) - 1726 / 32768) < 4 * float(found.error)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("data", [DATA, np.round(10 * DATA)], ids=["plain", "ties and zeros"])
def test_exact_randomisation_agrees_with_scipy(alternative, data):
    found = randomisation_test(data[:, :10], alternative=alternative)
    for i, row in enumerate(data[:, :10]):
        expected = stats.permutation_test(
            (row, np.zeros(10)),
            lambda x, y, axis: (x - y).mean(axis=axis),
            permutation_type="samples",
            alternative=alternative,
            n_resamples=np.inf,
            vectorized=True,
        )
        assert found.pvalue[i] == pytest.approx(expected.pvalue, abs=1e-12)


@given(row=LISTS, alternative=st.sampled_from(ALTERNATIVES))
def test_exact_randomisation_counts_sums_of_whole_numbers_exactly(row, alternative):
    """Scores in tenths are whole numbers in disguise: no tie may be lost to rounding, as scipy.stats.permutation_test
    loses some where the sum is 0 but for rounding."""
    tenths = [round(10 * d) for d in row]
    sums = [sum(s * d for s, d in zip(signs, tenths, strict=True)) for signs in product((1, -1), repeat=len(row))]
    observed = sum(tenths)
    extreme = {
        "two-sided": lambda s: abs(s) >= abs(observed),
        "greater": lambda s: s >= observed,
        "less": lambda s: s <= observed,
    }[alternative]
    found = randomisation_test(row, alternative=alternative)
    assert found.exact
    assert float(found.pvalue) == sum(map(extreme, sums)) / 2 ** len(row)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_bootstrap_counts_as_a_loop_over_its_samples(alternative):
    row, n_resamples = DATA[0, :12], 500
    observed = float(t_test(row).statistic)
    shifted = row - row.mean()
    count = 0
    for chunk in bootstrap_indices(draw(np.random.default_rng(4), n_resamples), row.size):
        for indices in chunk:
            sample = shifted[indices]
            t = sample.mean() / (sample.std(ddof=1) / np.sqrt(row.size))
            count += {"two-sided": abs(t) >= abs(observed), "greater": t >= observed, "less": t <= observed}[
                alternative
            ]
    found = bootstrap_test(row, alternative=alternative, n_resamples=n_resamples, rng=4)
    assert float(found.statistic) == pytest.approx(observed)
    assert_same_numbers(float(found.pvalue), (1 + count) / (1 + n_resamples))


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_of_many_normal_differences_p_is_that_of_t(test):
    rows = np.random.default_rng(8).standard_normal((20, 400)) + 0.08
    found = test(rows, rng=1)
    assert np.abs(found.pvalue - t_test(rows).pvalue).max() < 0.02


def test_few_queries_make_p_of_the_bootstrap_large_not_small():
    """Half of the samples of two differences are one of them twice: nothing varies there, so t is infinite."""
    found = bootstrap_test([0.1, 0.3], n_resamples=999, rng=1)
    assert 0.4 < float(found.pvalue) < 0.6


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_p_is_never_0_and_its_error_is_given(test):
    found = test(np.random.default_rng(1).random(60) + 1, n_resamples=99, rng=1)
    assert float(found.pvalue) == 1 / 100
    assert float(found.error) == pytest.approx(np.sqrt(0.01 * 0.99 / 100))
    assert found.n_resamples == 99


def test_the_monte_carlo_error_is_the_spread_of_p_over_seeds():
    row = DATA[1]
    found = [randomisation_test(row, n_resamples=500, rng=seed) for seed in range(200)]
    assert np.std([float(f.pvalue) for f in found]) == pytest.approx(float(found[0].error), rel=0.25)
    assert monte_carlo(np.array([499.0]), 999)[0][0] == 500 / 1000


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_one_seed_gives_one_p(test):
    first, second, other = (test(DATA, n_resamples=300, rng=seed).pvalue for seed in (7, 7, 8))
    assert_same_bits(first, second)
    assert not np.array_equal(first, other)
    generator = np.random.default_rng(7)
    assert_same_bits(test(DATA, n_resamples=300, rng=generator).pvalue, first)
    assert not np.array_equal(test(DATA, n_resamples=300, rng=generator).pvalue, first)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_a_pair_among_many_has_the_p_it_has_alone(test):
    together = test(DATA, n_resamples=1500, rng=2).pvalue
    assert_same_bits(together.tolist(), [float(test(row, n_resamples=1500, rng=2).pvalue) for row in DATA])


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@given(row=LISTS)
def test_two_sides_do_not_depend_on_which_system_comes_first(test, row):
    row = np.array(row)
    assert_same_numbers(test(row, n_resamples=600, rng=1).pvalue, test(-row, n_resamples=600, rng=1).pvalue)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@given(row=LISTS, factor=st.sampled_from([1e-6, 0.5, 1e6]))
def test_the_unit_of_the_scores_does_not_matter(test, row, factor):
    row = np.array(row)
    assert_same_numbers(test(factor * row, n_resamples=600, rng=1).pvalue, test(row, n_resamples=600, rng=1).pvalue)


# Degenerate data


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 5, 300])
def test_equal_systems_have_p_of_1(test, alternative, n):
    found = test(np.zeros(n), alternative=alternative, n_resamples=99)
    assert float(found.pvalue) == 1.0
    assert float(found.error) == 0.0
    assert found.notes


def test_constant_differences_are_flagged_by_the_bootstrap_and_as_usual_by_signs():
    found = bootstrap_test(np.full(8, 0.1))
    assert np.isnan(found.pvalue)
    assert bool(found.degenerate)
    signs = randomisation_test(np.full(8, 0.1))
    assert float(signs.pvalue) == 2 / 2**8
    assert not bool(signs.degenerate)
    assert signs.notes == ()


def test_one_query_cannot_be_told_from_chance():
    assert float(randomisation_test([0.4]).pvalue) == 1.0
    assert "one query" in randomisation_test([0.4]).notes[0]
    found = bootstrap_test([0.4])
    assert np.isnan(found.pvalue)
    assert bool(found.degenerate)


def test_degenerate_pairs_leave_the_others_as_they_are():
    rows = np.vstack([DATA[0], np.zeros(30), np.full(30, 0.1), DATA[1]])
    found = bootstrap_test(rows, n_resamples=200, rng=1)
    alone = bootstrap_test(DATA[:2], n_resamples=200, rng=1)
    assert_same_bits(found.pvalue[[0, 3]].tolist(), alone.pvalue.tolist())
    assert found.degenerate.tolist() == [False, True, True, False]


# What is refused


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_bad_parameters_are_refused(test):
    for n_resamples in (0, -5, 2.5, True, "many", 10**12):
        with pytest.raises(ParameterError, match=r"n_resamples is .*whole number"):
            test([0.1, 0.2], n_resamples=n_resamples)
    for rng in (-1, "seed"):
        with pytest.raises(ParameterError, match=r"rng is .*, .*None, .*whole number"):
            test([0.1, 0.2], rng=rng)
    with pytest.raises(ParameterError, match="alternative"):
        test([0.1, 0.2], alternative="both")
    with pytest.raises(ParameterError, match="NaN"):
        test([0.1, np.nan])

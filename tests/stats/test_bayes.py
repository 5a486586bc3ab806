"""Bayesian comparison: against SciPy's t, the definition as a loop, and on degenerate data."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import bayes_signed_rank_test, bayes_t_test, t_test
from rankscope.stats.bayes import regions

DATA = np.random.default_rng(5).standard_normal((5, 20)) * 0.2 + 0.05
TESTS = {"t": bayes_t_test, "signed rank": bayes_signed_rank_test}
LISTS = st.lists(st.integers(-5, 5).map(lambda i: i / 10), min_size=2, max_size=10)


@pytest.mark.parametrize("correlation", [0.0, 0.1])
def test_t_is_that_of_scipy_about_the_observed_mean(correlation):
    found = bayes_t_test(DATA, rope=0.02, correlation=correlation)
    for i, row in enumerate(DATA):
        scale = row.std(ddof=1) * np.sqrt(1 / 20 + correlation / (1 - correlation))
        posterior = stats.t(19, row.mean(), scale)
        assert found.worse[i] == pytest.approx(posterior.cdf(-0.02))
        assert found.equal[i] == pytest.approx(posterior.cdf(0.02) - posterior.cdf(-0.02))
        assert found.better[i] == pytest.approx(posterior.sf(0.02))


def test_nadeau_and_bengios_variance_for_ten_folds():
    """Ten folds test a tenth of the data: s^2 (1 / n + 1 / (n - 1)), as baycomp always has it."""
    row = DATA[0, :10]
    scale = row.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    assert float(bayes_t_test(row, correlation=0.1).better) == pytest.approx(stats.t.sf(0, 9, row.mean(), scale))


def test_without_a_rope_the_probability_is_the_one_sided_p_of_t():
    found = bayes_t_test(DATA)
    np.testing.assert_allclose(1 - found.better, t_test(DATA, alternative="greater").pvalue)
    np.testing.assert_allclose(found.equal, 0, atol=1e-12)


@given(row=LISTS, rope=st.sampled_from([0.0, 0.1, 0.25]))
def test_votes_are_those_of_a_table_of_all_pairs(row, rope):
    """The definition: weights w_i w_j of all pairs, by where (d_i + d_j) / 2 lies, with 0 for the prior among the d."""
    weights = np.random.default_rng(1).standard_gamma(np.append(np.ones(len(row)), 0.5), size=(60, len(row) + 1))
    weights /= weights.sum(axis=1, keepdims=True)
    values = np.append(row, 0.0)
    means = np.round((values[:, None] + values[None]) / 2, 9)
    votes = np.zeros(3)
    for w in weights:
        table = np.outer(w, w)
        sums = [table[means < -rope].sum(), table[np.abs(means) <= rope].sum(), table[means > rope].sum()]
        best = np.isclose(sums, max(sums), rtol=0, atol=1e-12)
        votes += best / best.sum()

    class Once:
        n_resamples = 60

        def streams(self):
            yield np.random.default_rng(1), 60

    np.testing.assert_allclose(regions(np.array([row]), rope, 0.5, Once())[:, 0], votes / 60, atol=1e-12)


def test_clear_cases_are_clear():
    better = bayes_signed_rank_test(np.linspace(0.05, 0.3, 20), rope=0.01, rng=1)
    assert float(better.better) > 0.999
    equal = bayes_signed_rank_test(np.linspace(-0.01, 0.01, 20), rope=0.05, rng=1)
    assert float(equal.equal) == 1.0
    worse = bayes_signed_rank_test(-np.linspace(0.05, 0.3, 20), rope=0.01, rng=1)
    assert float(worse.worse) > 0.999


def test_it_agrees_with_t_on_normal_differences():
    rows = np.random.default_rng(2).standard_normal((5, 300)) + 0.05
    np.testing.assert_allclose(bayes_signed_rank_test(rows, rng=1).better, bayes_t_test(rows).better, atol=0.12)


def test_one_seed_gives_one_result_and_pairs_are_as_alone():
    first, second, other = (bayes_signed_rank_test(DATA, n_resamples=300, rng=seed) for seed in (1, 1, 2))
    assert_same_bits(first.better, second.better)
    assert not np.array_equal(first.better, other.better)
    alone = bayes_signed_rank_test(DATA[2], n_resamples=300, rng=1)
    assert_same_bits(float(alone.better), first.better[2])
    assert float(alone.error) == pytest.approx(np.sqrt(float(alone.better) * (1 - float(alone.better)) / 300), rel=0.3)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@given(row=LISTS, rope=st.sampled_from([0.0, 0.05]))
def test_probabilities_sum_to_1(test, row, rope):
    options = {} if test is bayes_t_test else {"n_resamples": 200, "rng": 1}
    found = test(row, rope=rope, **options)
    assert float(found.worse + found.equal + found.better) == pytest.approx(1)
    assert min(float(found.worse), float(found.equal), float(found.better)) >= 0


def test_differences_that_do_not_vary_are_flagged():
    rows = np.vstack([np.full(9, 0.1), np.zeros(9), DATA[0, :9]])
    found = bayes_t_test(rows, rope=0.01)
    assert found.degenerate.tolist() == [True, True, False]
    assert (found.better[0], found.equal[1]) == (1.0, 1.0)
    assert len(found.notes) == 2
    one = bayes_t_test([0.3])
    assert np.isnan(one.better)
    assert "one query" in one.notes[0]
    assert bool(bayes_signed_rank_test([0.3], n_resamples=9).degenerate)
    assert float(bayes_signed_rank_test(np.zeros(5), n_resamples=9).equal) == 1.0


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_bad_parameters_are_refused(test):
    with pytest.raises(ParameterError, match=r"rope is -0\.1, .* 0"):
        test([0.1, 0.2], rope=-0.1)
    with pytest.raises(ParameterError, match="NaN"):
        test([0.1, np.nan])
    for correlation in (1, -0.1, np.nan):
        with pytest.raises(ParameterError, match="correlation is"):
            bayes_t_test([0.1, 0.2], correlation=correlation)
    with pytest.raises(ParameterError, match=r"prior is 0, .* 0"):
        bayes_signed_rank_test([0.1, 0.2], prior=0)

"""Rare large losses: what may be lost where none is seen; t corrected for skewness, by arithmetic and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.stats.rare_losses import is_skewed_down, least_mean, losing, skewed_t_pvalue


def test_differences_count_from_a_twentieth_of_the_range_on():
    loses, differs = losing(np.array([-0.05, -0.049, 0.05, 0.0, -1.0]), 1.0)
    assert loses.tolist() == [True, False, False, False, True]
    assert differs.tolist() == [True, False, True, False, True]
    assert losing(np.array([-0.05, -0.1]), 2.0)[0].tolist() == [False, True]


def test_no_loss_on_50_queries_allows_a_loss_on_5_8_percent():
    share, mean = least_mean(50, 0, 0, 0.0, largest_loss=1.0, alpha=0.05)
    assert float(share) == pytest.approx(1 - 0.05 ** (1 / 50))
    assert float(mean) == pytest.approx(-float(share))


def test_gains_of_five_queries_or_more_make_up_for_it():
    """15 of 50 gain .2, so that the others gain .06: (1 - .058) .06 - .058 times a largest loss of 2."""
    share = 1 - 0.05 ** (1 / 50)
    for n_gains, gain in ((15, 0.06), (5, 0.06), (4, 0.0)):
        mean = least_mean(50, 0, n_gains, 0.06, largest_loss=2.0, alpha=0.05)[1]
        assert float(mean) == pytest.approx((1 - share) * gain - 2 * share)
    assert least_mean(50, 0, 4, -0.01, largest_loss=2.0, alpha=0.05)[1] == pytest.approx(
        (1 - share) * -0.01 - 2 * share
    )


def test_a_loss_that_is_seen_allows_more():
    share, _ = least_mean(50, [0, 1, 4], 0, 0.0, largest_loss=1.0, alpha=0.05)
    np.testing.assert_allclose(stats.binom.cdf([0, 1, 4], 50, share), 0.05)


def test_skewness_counts_beyond_two_of_its_standard_errors():
    assert is_skewed_down([-0.7, -0.69], 50).tolist() == [True, False]  # 2 sqrt(6/50) = .693
    assert not is_skewed_down(2.0, 50)


def test_without_skewness_it_is_t():
    t = np.array([-1.0, 0.3, 2.5])
    np.testing.assert_allclose(skewed_t_pvalue(t, 0.0, 20, 19), stats.t.sf(t, 19))


def test_with_skewness_it_is_halls_transformation():
    """t = 2, n = 25, skewness -1.5: w = .4, 5 (.4 - .08 + .005333 - .01) = 1.57667."""
    assert float(skewed_t_pvalue(np.float64(2.0), -1.5, 25, 24)) == pytest.approx(float(stats.t.sf(1.5766667, 24)))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "at_most"), [(25, 0.07), (50, 0.06), (100, 0.06)])
def test_the_corrected_t_errs_less_where_losses_are_skewed(n, at_most):
    """Left-skewed values of mean 0: t says "above 0" too often, in up to 10 of 100, the corrected one in about 5."""
    x = 1 - np.random.default_rng(n).exponential(size=(20_000, n))
    statistic = np.sqrt(n) * x.mean(axis=1) / x.std(axis=1, ddof=1)
    skewed = stats.skew(x, axis=1)
    p = skewed_t_pvalue(statistic, skewed, n, n - 1)
    assert (stats.t.sf(statistic, n - 1) <= 0.05).mean() > 0.07
    assert (p <= 0.05).mean() <= at_most

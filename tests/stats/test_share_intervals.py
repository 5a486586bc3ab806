"""Intervals of shares and of differences of paired shares: statsmodels, the likelihood, and their exact coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from rankscope.errors import ParameterError
from rankscope.stats import clopper_pearson_interval, jeffreys_interval, tango_interval, wilson_interval
from rankscope.stats.intervals import largest_share, tango_pvalue

#: What a 95 % interval covers at least, at each of the settings below.
PROMISED = 0.93


def all_counts(n):
    """A list of outcomes for each number of ones."""
    return (np.arange(n + 1)[:, None] > np.arange(n)).astype(float)


def paired_counts(n):
    """The numbers of queries won and lost by the first system, and a list of differences for each."""
    won, lost = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    place = np.arange(n)
    return won, lost, (place < won[:, None]) * 1.0 - ((place >= won[:, None]) & (place < (won + lost)[:, None]))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_jeffreys_intervals_are_those_of_statsmodels(level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    ours = jeffreys_interval(all_counts(12), confidence_level=level)
    low, high = proportion.proportion_confint(np.arange(13), 12, alpha=1 - level, method="jeffreys")
    np.testing.assert_allclose(ours.low[1:], low[1:], rtol=1e-9)
    np.testing.assert_allclose(ours.high[:-1], high[:-1], rtol=1e-9)
    assert (ours.low[0], ours.high[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_wilson_intervals_are_those_of_statsmodels(level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    ours = wilson_interval(all_counts(12), confidence_level=level)
    low, high = proportion.proportion_confint(np.arange(13), 12, alpha=1 - level, method="wilson")
    np.testing.assert_allclose(ours.low, low, atol=1e-12)
    np.testing.assert_allclose(ours.high, high, atol=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_clopper_pearson_intervals_are_those_of_scipy(level):
    ours = clopper_pearson_interval(all_counts(12), confidence_level=level)
    theirs = [stats.binomtest(ones, 12).proportion_ci(level, method="exact") for ones in range(13)]
    np.testing.assert_allclose(ours.low, [interval.low for interval in theirs], atol=1e-12)
    np.testing.assert_allclose(ours.high, [interval.high for interval in theirs], atol=1e-12)


def test_the_largest_share_without_any_is_the_rule_of_three():
    """(1 - share)^n = alpha: 5.8 % of 50, 2.0 % of 149, about 3/n."""
    np.testing.assert_allclose(largest_share(0, [20, 50, 149], 0.05), 1 - 0.05 ** (1 / np.array([20, 50, 149])))
    assert largest_share(7, 7, 0.05) == 1
    assert float(stats.binom.cdf(3, 40, largest_share(3, 40, 0.05))) == pytest.approx(0.05)


def test_the_p_value_of_a_margin_is_alpha_at_the_lower_end_of_tangos_interval():
    for won, lost, n in ((4, 1, 20), (0, 0, 20), (0, 5, 100), (3, 4, 60)):
        interval = tango_interval([1.0] * won + [-1.0] * lost + [0.0] * (n - won - lost), confidence_level=0.9)
        assert float(tango_pvalue(won, lost, n, -float(interval.low))) == pytest.approx(0.05, rel=1e-6)
    assert float(tango_pvalue(9, 4, 30, 0.0)) == pytest.approx(float(stats.norm.sf((9 - 4) / np.sqrt(13))))  # McNemar
    assert float(tango_pvalue(0, 0, 30, 0.0)) == 0.5
    assert float(tango_pvalue(0, 4, 4, 0.0)) == pytest.approx(float(stats.norm.sf(-2)))


@pytest.mark.parametrize(("won", "lost", "n"), [(4, 1, 20), (0, 0, 20), (9, 0, 10), (3, 3, 6), (1, 30, 200)])
def test_the_score_statistic_is_the_quantile_at_the_ends_of_tangos_interval(won, lost, n):
    """The share of lost queries under the hypothesis is found here by maximising the likelihood."""
    interval = tango_interval([1.0] * won + [-1.0] * lost + [0.0] * (n - won - lost))
    for end in (float(interval.low), float(interval.high)):

        def surprise(q, d=end):
            shares = np.maximum([q + d, q, 1 - 2 * q - d], 1e-300)
            return -float(np.dot([won, lost, n - won - lost], np.log(shares)))

        bounds = (max(0.0, -end), (1 - end) / 2)
        q = optimize.minimize_scalar(surprise, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        statistic = (won - lost - n * end) / np.sqrt(n * (2 * q + end * (1 - end)))
        assert abs(statistic) == pytest.approx(stats.norm.ppf(0.975), rel=1e-4)
    assert interval.low < (won - lost) / n < interval.high


def test_intervals_keep_within_their_range_turn_round_and_end_there():
    won, lost, differences = paired_counts(7)
    ours, turned = tango_interval(differences), tango_interval(-differences)
    np.testing.assert_array_equal(ours.low, -turned.high)
    assert ours.low.min() == -1
    assert ours.high.max() == 1
    assert (ours.high > ours.low).all()
    includes_0 = (ours.low <= 0) & (ours.high >= 0)
    z = np.abs(won - lost) / np.sqrt(np.maximum(won + lost, 1))  # McNemar's statistic
    np.testing.assert_array_equal(includes_0, z <= stats.norm.ppf(0.975))


@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize("p", [0.02, 0.5, 0.98])
def test_jeffreys_intervals_cover_what_they_promise(n, p):
    interval = jeffreys_interval(all_counts(n))
    covers = (interval.low <= p) & (interval.high >= p)
    assert stats.binom.pmf(np.arange(n + 1), n, p)[covers].sum() > PROMISED


@pytest.mark.parametrize("n", [20, 50, 200])
def test_tango_intervals_cover_what_they_promise_where_t_intervals_do_not(n):
    won, lost, differences = paired_counts(n)
    interval = tango_interval(differences)
    least_of_t = 1.0
    for p, q, correlation in ((0.02, 0.02, 0), (0.02, 0.06, 0.3), (0.5, 0.5, 0.7), (0.5, 0.6, 0), (0.5, 0.8, 0.3),
                              (0.98, 0.98, 0), (0.98, 0.92, 0.3), (0.98, 0.5, 0), (0.02, 0.98, 0)):  # fmt: skip
        both = p * q + correlation * np.sqrt(p * q * (1 - p) * (1 - q))
        shares = [p - both, q - both, 1 - p - q + 2 * both]
        weight = stats.multinomial.pmf(np.stack([won, lost, n - won - lost], axis=1), n, shares)
        assert weight[(interval.low <= p - q) & (interval.high >= p - q)].sum() > PROMISED, (p, q)
        mean, sd = differences.mean(axis=1), differences.std(axis=1, ddof=1)
        half = stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n)
        least_of_t = min(least_of_t, weight[np.abs(mean - (p - q)) <= half].sum())
    assert least_of_t < (0.93 if n < 200 else 0.95)


def test_other_values_are_refused():
    with pytest.raises(ParameterError, match="neither 0 nor 1"):
        jeffreys_interval([0, 0.5])
    with pytest.raises(ParameterError, match="not -1, 0 or 1"):
        tango_interval([1, 2])

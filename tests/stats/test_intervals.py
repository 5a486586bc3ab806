"""Intervals of a mean: against SciPy, R's example, the samples themselves."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.kernels.resample import bootstrap_means, draw
from rankscope.stats import bootstrap_interval, intervals, t_interval

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
SKEWED = np.random.default_rng(2).exponential(size=(4, 25))
LISTS = st.lists(st.integers(0, 8).map(lambda i: i / 8), min_size=2, max_size=12)


def test_the_t_interval_of_students_sleep_data_is_that_of_r():
    found = t_interval(SLEEP)
    assert float(found.low) == pytest.approx(0.7001142, abs=5e-8)
    assert float(found.high) == pytest.approx(2.4598858, abs=5e-8)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_t_intervals_agree_with_scipy(level):
    found = t_interval(SKEWED, confidence_level=level)
    for i, row in enumerate(SKEWED):
        low, high = stats.ttest_1samp(row, 0).confidence_interval(level)
        assert (found.low[i], found.high[i]) == (pytest.approx(low, rel=1e-9), pytest.approx(high, rel=1e-9))


def test_the_percentile_interval_holds_quantiles_of_the_means():
    found = bootstrap_interval(SKEWED, method="percentile", n_resamples=999, confidence_level=0.9, rng=3)
    means = bootstrap_means(SKEWED, draw(np.random.default_rng(3), 999))
    low, high = np.quantile(means, [0.05, 0.95], axis=1)
    np.testing.assert_allclose((found.low, found.high), (low, high), rtol=1e-12)


def test_bca_moves_the_quantiles_by_bias_and_skewness_as_its_formula_says():
    """Efron and Tibshirani (1993), chapter 14, by hand on one list, the jackknife by leaving each value out."""
    row = SKEWED[0]
    means = bootstrap_means(row[None], draw(np.random.default_rng(3), 999))[0]
    z0 = stats.norm.ppf(((means < row.mean()).mean() + (means <= row.mean()).mean()) / 2)
    left = np.array([np.delete(row, i).mean() for i in range(row.size)])
    out = left.mean() - left
    a = (out**3).sum() / (6 * (out**2).sum() ** 1.5)
    z = z0 + stats.norm.ppf([0.025, 0.975])
    expected = np.quantile(means, stats.norm.cdf(z0 + z / (1 - a * z)))
    found = bootstrap_interval(row, n_resamples=999, rng=3)
    np.testing.assert_allclose((found.low, found.high), expected, rtol=1e-12)


@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_bootstrap_intervals_agree_with_scipy_up_to_monte_carlo_error(method, theirs):
    for row in SKEWED:
        found = bootstrap_interval(row, method=method, n_resamples=40_000, rng=1)
        expected = stats.bootstrap((row,), np.mean, method=theirs, n_resamples=40_000, rng=2).confidence_interval
        # A quantile at .025 is uncertain by sqrt(.025 * .975 / B) over the density there, 1.3 % of the spread of the
        # means, one moved further out by more, and z0 by 1.25 / sqrt(B), which counts twice: 2 % in all.
        within = 4 * np.sqrt(2) * 0.02 * row.std() / 5
        assert abs(float(found.low) - expected.low) < within
        assert abs(float(found.high) - expected.high) < within


def test_of_many_values_all_intervals_are_one():
    row = np.random.default_rng(1).standard_normal(3000)
    ends = [
        (float(f.low), float(f.high))
        for f in (
            t_interval(row),
            bootstrap_interval(row, rng=1),
            bootstrap_interval(row, method="percentile", rng=1),
        )
    ]
    np.testing.assert_allclose(ends, [ends[0]] * 3, atol=0.003)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_a_list_among_many_has_the_interval_it_has_alone(method, monkeypatch):
    together = bootstrap_interval(SKEWED, method=method, n_resamples=700, rng=2)
    monkeypatch.setattr(intervals, "MEANS", 1500)  # two lists at once
    parts = bootstrap_interval(SKEWED, method=method, n_resamples=700, rng=2)
    np.testing.assert_allclose((parts.low, parts.high), (together.low, together.high), rtol=1e-12)
    for i, row in enumerate(SKEWED):
        alone = bootstrap_interval(row, method=method, n_resamples=700, rng=2)
        assert float(alone.low) == pytest.approx(together.low[i], rel=1e-12)
        assert float(alone.high) == pytest.approx(together.high[i], rel=1e-12)


@given(row=LISTS, method=st.sampled_from(["bca", "percentile", "t"]))
def test_intervals_hold_their_mean_and_widen_with_the_level(row, method):
    ends = []
    for level in (0.5, 0.9, 0.99):
        options = {"confidence_level": level}
        found = (
            t_interval(row, **options)
            if method == "t"
            else bootstrap_interval(row, method=method, n_resamples=400, rng=1, **options)
        )
        assert found.low <= found.high
        if method != "t":
            assert min(row) - 1e-12 <= found.low
            assert found.high <= max(row) + 1e-12
        ends.append((float(found.low), float(found.high)))
    assert ends[0][0] >= ends[1][0] >= ends[2][0]
    assert ends[0][1] <= ends[1][1] <= ends[2][1]


@given(row=LISTS, shift=st.sampled_from([-3.0, 0.25, 100.0]))
def test_intervals_move_with_the_values(row, shift):
    row = np.array(row)
    for way in (t_interval, lambda x: bootstrap_interval(x, n_resamples=300, rng=1)):
        before, after = way(row), way(row + shift)
        np.testing.assert_allclose(after.low, before.low + shift, atol=1e-9)
        np.testing.assert_allclose(after.high, before.high + shift, atol=1e-9)


@pytest.mark.parametrize("way", [t_interval, bootstrap_interval], ids=["t", "bootstrap"])
def test_values_that_do_not_vary_are_flagged(way):
    found = way(np.vstack([np.full(9, 0.3), SKEWED[0, :9]]))
    assert found.degenerate.tolist() == [True, False]
    assert found.low[0] == found.high[0] == pytest.approx(0.3)
    assert "1 of 2 pairs" in found.notes[0]
    one = way([0.4])
    assert np.isnan(one.low)
    assert bool(one.degenerate)
    assert float(one.mean) == 0.4
    assert "one query" in one.notes[0]


def test_lists_of_few_values_and_of_one_value_on_more_than_half_are_noted():
    rng = np.random.default_rng(1)
    free, tied = rng.random((2, 30)), np.where(np.arange(30) < 16, 0.2, rng.random((2, 30)))
    half = np.where(np.arange(30) < 15, 0.2, rng.random(30))
    assert not bootstrap_interval(free, n_resamples=9).notes
    assert not bootstrap_interval(half, n_resamples=9).notes
    assert mentions(bootstrap_interval(tied[0], n_resamples=9).notes, "more than half of the queries", "as few as 75 %")
    both = np.vstack([tied, free, np.full(30, 0.5)])
    assert mentions(bootstrap_interval(both, n_resamples=9).notes, "2 of 5 pairs have one value", "as few as 75 %")
    assert mentions(bootstrap_interval(free[:, :24], n_resamples=9).notes, "fewer than 25 queries", "80 to 95 %")
    # Clusters of two, 10 of 15 of which have the mean .25.
    paired = np.repeat(np.where(np.arange(15) < 10, 0.25, rng.random(15)), 2) + np.tile([0.125, -0.125], 15)
    notes = bootstrap_interval(paired, n_resamples=9, clusters=np.repeat(np.arange(15), 2)).notes
    assert mentions(notes, "fewer than 25 clusters")
    assert mentions(notes, "more than half of the clusters")


@pytest.mark.parametrize("n_resamples", [1, 2, 5])
def test_very_few_resamples_give_no_nan(n_resamples):
    found = bootstrap_interval(SKEWED, n_resamples=n_resamples, rng=1)
    assert np.isfinite(found.low).all()
    assert (found.low <= found.high).all()


def test_what_is_no_level_or_method_is_refused():
    for level in (0, 1, 95, -0.1, np.nan, "0.95"):
        with pytest.raises(ParameterError, match=r"confidence_level is .*, .*0 and 1"):
            t_interval(SLEEP, confidence_level=level)
    with pytest.raises(ParameterError, match=r"method is 'basic', .*'bca', 'percentile'"):
        bootstrap_interval(SLEEP, method="basic")
    with pytest.raises(ParameterError, match=r"1 of 2 .*NaN"):
        t_interval([0.1, np.nan])


# BCa of any statistic


def ends_of_mean(values, repeats, confidence_level=0.95, n_resamples=4000):
    """The interval of a mean of values that are repeated, from its resamples and its values without one of them."""
    values, repeats = np.asarray(values, float), np.asarray(repeats)
    n = repeats.sum()
    counts = np.random.default_rng(1).multinomial(n, repeats / n, size=n_resamples)
    mean = values @ repeats / n
    samples, left_out = (counts @ values / n)[None], ((values @ repeats - values) / (n - 1))[None]
    low, high = intervals.expanded_bca_ends(
        np.array([mean]), samples, left_out, repeats.astype(float), np.array([float(n)]), confidence_level
    )
    return float(low[0]), float(high[0])


def test_of_many_values_the_interval_is_that_of_scipy():
    values = np.random.default_rng(4).exponential(size=300)
    expected = stats.bootstrap(
        (values,), np.mean, method="BCa", n_resamples=9999, rng=np.random.default_rng(5)
    ).confidence_interval
    assert ends_of_mean(values, np.ones(300, int)) == pytest.approx(tuple(expected), abs=0.01)


def test_of_few_values_it_is_wider_by_students_quantile():
    values = np.random.default_rng(4).normal(size=12)
    low, high = ends_of_mean(values, np.ones(12, int), n_resamples=20_000)
    expected = bootstrap_interval(values, n_resamples=20_000, rng=1)
    wider = np.sqrt(12 / 11) * stats.t.ppf(0.975, 11) / stats.norm.ppf(0.975)
    assert (high - low) / float(expected.high - expected.low) == pytest.approx(wider, rel=0.04)


def test_values_that_are_alike_may_be_counted_together():
    one_by_one = ends_of_mean(np.repeat([0.0, 1.0, 4.0], [30, 20, 10]), np.ones(60, int), n_resamples=20_000)
    assert ends_of_mean([0.0, 1.0, 4.0], [30, 20, 10], n_resamples=20_000) == pytest.approx(one_by_one, abs=0.02)


def test_without_variation_or_with_too_few_resamples_there_is_no_interval():
    assert np.isnan(ends_of_mean([2.0, 2.0], [3, 4])).all()
    samples = np.where(np.arange(100) < 60, np.nan, np.arange(100.0))[None]
    low, high = intervals.expanded_bca_ends(
        np.array([80.0]), samples, np.array([[79.0, 81.0]]), np.ones(2), np.array([20.0]), 0.95
    )
    assert np.isnan([low[0], high[0]]).all()

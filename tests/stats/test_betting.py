"""Betting tests and bounds: a plain loop, validity on the hardest distributions, at any time, and order of bounds."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import ParameterError
from rankscope.stats import betting_test


def loop_capital(values, m):
    """The capital after each value in [0, 1], written as a gambler would keep the books."""
    capital, books = 1.0, []
    mean, variance_sum, total, n = 0.5, 0.25, 0.5, 1
    for y in values:
        variance = variance_sum / n
        stake = (mean - m) / (variance + (mean - m) ** 2)
        stake = min(max(stake, 0.0), 0.9 / m)
        capital *= 1 + stake * (y - m)
        books.append(capital)
        total, n = total + y, n + 1
        mean = total / n
        variance_sum += (y - mean) ** 2
    return books


@given(st.lists(st.floats(0, 1, width=16), min_size=1, max_size=30), st.sampled_from([0.1, 0.4, 0.49, 0.75]))
def test_p_is_one_over_the_largest_capital(values, m):
    p = betting_test(values, null=m, low=0, high=1).pvalue
    assert_same_numbers(float(p), min(1.0, 1 / max(loop_capital(values, m))))


@given(st.lists(st.floats(0, 1, width=16), min_size=1, max_size=40))
def test_the_bound_is_what_is_no_longer_refuted(values):
    found = betting_test(values, low=0, high=1, alpha=0.1)
    low = float(found.low)
    for m in (low - 1e-3, low - 0.05):
        if m > 0 and max(loop_capital(values, low - 1e-6)) >= 10:
            assert max(loop_capital(values, m)) >= 9.9
    if low > 0:
        assert max(loop_capital(values, low)) >= 10 * (1 - 1e-6)
    if 0 < low + 1e-5 < 1:
        assert max(loop_capital(values, low + 1e-5)) < 10 * (1 + 1e-3)


def test_a_range_is_a_change_of_units_and_lists_are_alone_as_together():
    d = np.random.default_rng(1).normal(0.1, 0.2, (5, 80)).clip(-1, 1)
    together = betting_test(d, null=-0.02)
    assert_same_numbers(together.pvalue, betting_test((d + 1) / 2, null=0.49, low=0, high=1).pvalue)
    for row, low, p in zip(d, together.low, together.pvalue, strict=True):
        alone = betting_test(row, null=-0.02)
        assert_same_numbers([float(alone.low), float(alone.pvalue)], [float(low), float(p)])


def test_no_loss_in_few_values_is_not_taken_for_none():
    """20 equal values: the bound is far below 0 though nothing was lost."""
    assert betting_test(np.zeros(20), null=-0.02).pvalue > 0.5
    assert betting_test(np.zeros(20)).low < -0.1
    assert betting_test(np.zeros(400)).low > -0.02


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        ([0.5, 1.5], {}, "1.5"),
        ([0.5, np.nan], {}, "NaN"),
        ([0.5], {"low": 1, "high": 1}, "range"),
        ([0.5], {"alpha": 0}, "alpha"),
    ],
)
def test_wrong_arguments_are_refused(values, options, said):
    with pytest.raises(ParameterError, match=said):
        betting_test(values, **options)


#: Differences whose true mean is just -.02: (name, function of a generator and a shape).
AT_THE_MARGIN = {
    "a loss of 1 on 2 %": lambda rng, shape: -(rng.random(shape) < 0.02).astype(float),
    "a loss of .5 on 4 %": lambda rng, shape: -0.5 * (rng.random(shape) < 0.04),
    "with noise": lambda rng, shape: (-0.96 * (rng.random(shape) < 0.02 / 0.96) + rng.normal(0, 0.02, shape)).clip(
        -1, 1
    ),
    "+.03 on 90 %": lambda rng, shape: np.where(rng.random(shape) < 0.1, -0.47, 0.03),
    "normal": lambda rng, shape: rng.normal(-0.02, 0.2, shape).clip(-1, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("draw", AT_THE_MARGIN.values(), ids=AT_THE_MARGIN)
def test_at_most_5_of_100_are_passed_at_any_time_whatever_the_distribution(draw):
    """Looked at after each of 400 values; a t-test of the first has 36 of 100 at 50 queries."""
    runs = 4000
    p = betting_test(draw(np.random.default_rng(5), (runs, 400)), null=-0.02).pvalue
    assert (p <= 0.05).mean() <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / runs)

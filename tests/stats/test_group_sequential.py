"""Group-sequential bounds: published ones, chances by simulation and by a plain integral, and spending functions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.same import assert_same_numbers
from scipy import integrate, stats

from rankscope.errors import ParameterError
from rankscope.stats import (
    SPENDING,
    crossing_chance,
    repeated_look_error,
    sample_size_factor,
    sequential_bounds,
    spent_level,
)

#: One-sided .025, five equal looks: Jennison and Turnbull (2000), tables of chapter 7, as R's gsDesign prints them.
PUBLISHED = {
    "obrien-fleming": [4.877, 3.357, 2.680, 2.290, 2.031],
    "pocock": [2.438, 2.427, 2.410, 2.397, 2.386],
}
FIVE = np.arange(1, 6) / 5


@pytest.mark.parametrize("spending", SPENDING)
def test_bounds_are_those_published(spending):
    np.testing.assert_allclose(
        sequential_bounds(FIVE, alpha=0.025, spending=spending).bound, PUBLISHED[spending], atol=6e-4
    )


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("times", [[0.3, 1.0], [0.05, 0.9]], ids=str)
def test_two_looks_spend_what_a_plain_integral_says(spending, times):
    found = sequential_bounds(times, alpha=0.05, spending=spending)
    (first, last), step = np.array(times), np.sqrt(times[1] - times[0])
    assert float(stats.norm.sf(found.bound[0])) == pytest.approx(found.spent[0])

    def crosses_later(z):
        return stats.norm.pdf(z) * stats.norm.sf((found.bound[1] * np.sqrt(last) - z * np.sqrt(first)) / step)

    chance = integrate.quad(crosses_later, -9, found.bound[0], epsabs=1e-13, limit=200)[0]
    assert chance == pytest.approx(found.spent[1] - found.spent[0], rel=1e-7)


def test_the_level_is_all_spent_at_the_end_and_rises():
    for spending in SPENDING:
        spent = spent_level(np.linspace(0.01, 1, 50), alpha=0.05, spending=spending)
        assert spent[-1] == pytest.approx(0.05)
        assert (np.diff(spent) > 0).all()
    # a(t) = 2 (1 - Phi(z / sqrt t)) and a ln(1 + (e - 1) t), written out
    assert float(spent_level(0.25, alpha=0.05)) == pytest.approx(2 * stats.norm.sf(stats.norm.isf(0.025) / 0.5))
    assert float(spent_level(0.5, alpha=0.05, spending="pocock")) == pytest.approx(0.05 * np.log(1 + (np.e - 1) / 2))


@pytest.mark.parametrize("spending", SPENDING)
def test_bounds_do_not_depend_on_what_is_planned_later_and_one_look_is_the_usual_test(spending):
    all_looks = sequential_bounds(FIVE, spending=spending)
    assert_same_numbers(sequential_bounds(FIVE[:3], spending=spending).bound, all_looks.bound[:3])
    assert float(sequential_bounds(1.0, spending=spending).level[0]) == pytest.approx(0.05)
    assert_same_numbers(all_looks.level, stats.norm.sf(all_looks.bound))


def test_a_look_at_next_to_nothing_decides_nothing():
    found = sequential_bounds([0.001, 1.0], alpha=0.05)
    assert np.isinf(found.bound[0])
    assert found.level.tolist() == pytest.approx([0.0, 0.05])


@pytest.mark.parametrize(
    ("times", "options", "said"),
    [
        ([0.5, 0.5], {}, "rise"),
        ([0.5, 1.2], {}, "at most 1"),
        ([0.0, 1.0], {}, "above 0"),
        ([1.0], {"alpha": 1.0}, "alpha"),
        ([1.0], {"spending": "haybittle"}, "haybittle"),
    ],
)
def test_wrong_arguments_are_refused(times, options, said):
    with pytest.raises(ParameterError, match=said):
        sequential_bounds(times, **options)


@pytest.mark.slow
@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("n_looks", [2, 5, 20])
def test_all_looks_together_err_as_often_as_the_level_says(spending, n_looks):
    """A t-test at each look of normal differences whose mean is 0; 50 queries are added each time."""
    rng = np.random.default_rng(n_looks)
    runs, alpha = 20_000, 0.05
    d = rng.standard_normal((runs, 50 * n_looks), np.float32).astype(np.float64)
    sums, squares = np.cumsum(d, axis=1), np.cumsum(d * d, axis=1)
    n = 50 * np.arange(1, n_looks + 1)
    mean = sums[:, n - 1] / n
    t = mean / np.sqrt((squares[:, n - 1] / n - mean**2) / (n - 1))
    p = stats.t.sf(t, n - 1)
    bounds = sequential_bounds(n / n[-1], alpha=alpha, spending=spending)
    rate = (p <= bounds.level).any(axis=1).mean()
    assert abs(rate - alpha) <= 3.5 * np.sqrt(alpha * (1 - alpha) / runs) + 0.002  # t for a normal z at early looks


def test_information_says_how_looks_go_together_and_times_what_they_spend():
    """Two looks with 50 and 200 queries, which spend as if they were halves: a plain integral."""
    found = sequential_bounds([0.5, 1.0], information=[50, 200])
    assert_same_numbers(found.spent, spent_level([0.5, 1.0]))
    first, step = np.sqrt(50 / 200), np.sqrt(150 / 200)

    def crosses_later(z):
        return stats.norm.pdf(z) * stats.norm.sf((found.bound[1] - z * first) / step)

    chance = integrate.quad(crosses_later, -9, found.bound[0], epsabs=1e-13, limit=200)[0]
    assert chance == pytest.approx(found.spent[1] - found.spent[0], rel=1e-7)
    assert_same_numbers(sequential_bounds(FIVE, information=FIVE * 250).level, sequential_bounds(FIVE).level)
    for wrong in ([1, 1], [0, 1], [1, 2, 3]):
        with pytest.raises(ParameterError, match="information"):
            sequential_bounds([0.5, 1.0], information=wrong)


def test_a_test_at_every_look_errs_as_published():
    """Armitage, McPherson and Rowe (1969), table 2: two-sided .05 at each of 1, 2, 3, 4, 5, 10 and 20 looks."""
    published = {1: 0.05, 2: 0.083, 3: 0.107, 4: 0.126, 5: 0.142, 10: 0.193, 20: 0.248}
    found = [2 * repeated_look_error(looks, alpha=0.025) for looks in published]
    np.testing.assert_allclose(found, list(published.values()), atol=0.0015)  # hardly any path crosses both bounds


@pytest.mark.parametrize("spending", SPENDING)
def test_bounds_are_crossed_as_often_as_is_spent_and_with_a_drift_as_simulated(spending):
    bounds = sequential_bounds(FIVE, alpha=0.05, spending=spending).bound
    assert crossing_chance(bounds, FIVE) == pytest.approx(0.05, rel=1e-6)
    sums = np.random.default_rng(1).normal(2.5 / 5, np.sqrt(1 / 5), (200_000, 5)).cumsum(axis=1)
    simulated = (sums / np.sqrt(FIVE) >= bounds).any(axis=1).mean()
    assert crossing_chance(bounds, FIVE, drift=2.5) == pytest.approx(simulated, abs=0.004)
    assert crossing_chance([1.6], [1.0], drift=2.0) == pytest.approx(float(stats.norm.sf(1.6 - 2.0)))


def test_planned_looks_take_few_more_queries():
    """Jennison and Turnbull (2000), tables 2.2 and 2.4: 1.026 and 1.207 of bounds that these are nearly (power .9)."""
    for spending, published in (("obrien-fleming", 1.026), ("pocock", 1.207)):
        found = sample_size_factor(5, alpha=0.025, power=0.9, spending=spending)
        assert found == pytest.approx(published, abs=0.02)
    assert sample_size_factor(1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: crossing_chance([2.0, 2.0], [0.5]), r"bound has shape \(2,\)"),
        (lambda: crossing_chance([2.0, 2.0], [0.5, 0.5]), "that rise"),
        (lambda: crossing_chance([2.0], [1.5]), r"\(0, 1\]"),
        (lambda: repeated_look_error(0), "n_looks"),
        (lambda: repeated_look_error(2, alpha=0.0), "alpha"),
        (lambda: sample_size_factor(0), "n_looks"),
        (lambda: sample_size_factor(2, spending="all"), "spending"),
    ],
)
def test_wrong_looks_of_chances_are_refused(call, match):
    with pytest.raises(ParameterError, match=match):
        call()

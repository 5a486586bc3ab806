"""What is equal up to rounding is equal: differences of 0 turn no order round, and resamples of one t tie."""

import numpy as np
import pytest
from helpers.same import assert_same_numbers

from rankscope.kernels.resample import count_draws
from rankscope.stability.discriminative_power import (
    BINS,
    at_levels,
    error_and_ties,
    significance_levels,
    swap_counts,
)
from rankscope.stability.outcome import bootstrap_swaps
from rankscope.stability.reliability import half_agreement
from rankscope.stability.result import decision_rate


@pytest.mark.parametrize("n", [3, 10, 40])
def test_swaps_of_tenths_are_counted_as_with_whole_numbers(n):
    rng = np.random.default_rng(n)
    tenths = rng.integers(0, 11, (1, 4, n))  # of P@10, whose means often are equal, but not to the last digit
    draws = count_draws(rng, 300, n), count_draws(rng, 300, n)
    seen, turned = np.zeros(BINS, int), np.zeros(BINS, int)
    one, other = (tenths[0] @ drawn.T.astype(int) for drawn in draws)  # of sums
    for a in range(4):
        for b in range(a + 1, 4):
            first, second = one[a] - one[b], other[a] - other[b]
            place = np.minimum(10 * np.abs(first) // n, BINS - 1)  # |first| / (10 n) in bins of .01
            np.add.at(seen, place, 1)
            np.add.at(turned, place[first * second < 0], 1)
    found = bootstrap_swaps(tenths / 10, draws, np.array([0.01]))
    np.testing.assert_array_equal(found[:, 0], [seen, turned])


def test_a_difference_of_rounding_alone_turns_no_order_round():
    first, second = np.array([[0.1 + 0.2 - 0.3, 0.05]]), np.array([[-0.05, 0.3 - 0.1 - 0.2]])
    assert 0 < first[0, 0] < 1e-15
    assert -1e-15 < second[0, 1] < 0
    seen, turned = swap_counts(first, second, np.array([0.01]))
    assert (seen.sum(), turned.sum()) == (2, 0)
    assert (seen[0, 0], seen[0, 5]) == (1, 1)  # .05 is the lower edge of the bin of .05


def test_bootstrap_swaps_do_not_depend_on_the_size_of_a_chunk(monkeypatch):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(2, 5, 7))
    draws, widths = (count_draws(rng, 100, 7), count_draws(rng, 100, 7)), np.array([0.01, 0.1])
    whole = bootstrap_swaps(values, draws, widths)
    monkeypatch.setattr("rankscope.stability.outcome.CHUNK_NUMBERS", 130)
    np.testing.assert_array_equal(bootstrap_swaps(values, draws, widths), whole)
    assert whole[0].sum() == 2 * 10 * 100


def test_of_resamples_of_one_t_the_largest_average_counts_whatever_their_order():
    t = np.array([3.0, 2.0, 2.0 * (1 + 1e-15), 2.0, 1.0, np.inf, np.inf])
    averages = np.array([0.3, 0.1, 0.2, -0.4, 0.9, 0.5, -0.6])
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(7)
        found = at_levels(t[None, order], averages[None, order], [-1, 0, 1, 2, 3, 5, 6])
        np.testing.assert_array_equal(found, [[np.nan, 0.6, 0.6, 0.3, 0.4, 0.4, 0.9]])


def test_difference_needed_of_tied_resamples_does_not_depend_on_their_order():
    rng = np.random.default_rng(4)
    differences = rng.integers(-1, 3, (20, 4)) / 10
    counts = count_draws(rng, 200, 4)
    asl, needed = significance_levels(differences, counts, (0.01, 0.05, 0.2))
    again = significance_levels(differences, counts[::-1], (0.01, 0.05, 0.2))
    assert_same_numbers(again[0], asl)
    np.testing.assert_allclose(again[1], needed, rtol=1e-12)


def test_a_difference_that_is_what_is_needed_is_not_larger():
    """By bins of .01 a difference of .05 is needed, and 0.3 - 0.25 is no more, however it is rounded."""
    for high, low in ((0.3, 0.25), (0.2, 0.15), (0.1, 0.05), (0.35, 0.3)):
        found = decision_rate(np.array([[high, low]]), np.array([[5 * 0.01]]), zero_decides=True)
        assert found.tolist() == [[0.0]]
    assert decision_rate(np.array([[0.3, 0.2499]]), np.array([[5 * 0.01]]), zero_decides=True).tolist() == [[100.0]]


@pytest.mark.parametrize("factor", [0.1, 3.0, 1 / 7, 1e5 / 3])
def test_the_scale_of_values_changes_no_order_that_a_study_sees(factor):
    rng = np.random.default_rng(6)
    tenths = np.round(0.1 * rng.integers(0, 11, (2, 5, 24)), 1)
    tenths[:, -1] = tenths[:, 0, ::-1]  # of one mean on all queries
    one, other = (half_agreement(scale * tenths, [3, 6, 12], iterations=50, rng=1) for scale in (1.0, factor))
    for name in ("tau", "tau_ap", "tau_low", "tau_ap_high", "counted"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-9)
    counts = count_draws(rng, 200, 24)
    differences = tenths[0, :-1] - tenths[0, 1:]
    np.testing.assert_array_equal(
        significance_levels(factor * differences, counts, (0.05,))[0],
        significance_levels(differences, counts, (0.05,))[0],
    )
    draws = np.stack([rng.permutation(24)[:10] for _ in range(40)])
    means = tenths[:, :, draws].mean(axis=3).swapaxes(1, 2)
    systems = np.broadcast_to(np.arange(5), (40, 5))
    for fuzz in (0.0, 0.05):
        rates = [error_and_ties(scale * means, systems, 5, fuzz) for scale in (1.0, factor)]
        np.testing.assert_array_equal(rates[0].error, rates[1].error)
        np.testing.assert_array_equal(rates[0].tie, rates[1].tie)


def test_equal_means_decide_nothing_by_the_bootstrap_whatever_their_last_bits():
    """As many resamples are as far from 0 as 0 is, whether the mean is 0 or what rounding makes of it: all."""
    counts = count_draws(np.random.default_rng(1), 500, 6)
    rows = np.array([[0.1, 0.2, -0.3, 0.4, -0.1, -0.3], [0.3, 0.6, -0.9, 1.2, -0.3, -0.9]])
    assert significance_levels(rows, counts, (0.05,))[0].tolist() == [1.0, 1.0]

"""What is equal up to rounding is equal: differences of 0 turn no order round, and resamples of one t tie."""

import numpy as np
import pytest
from same import assert_same_numbers

from rankscope.stability.resampling import at_levels, count_draws, significance_levels
from rankscope.stability.swaps import BINS, swap_counts
from rankscope.stability.unit import bootstrap_swaps


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
    monkeypatch.setattr("rankscope.stability.unit.NUMBERS", 130)
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

"""The swap method against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.stability.discriminative_power import BINS, difference_needed, swap_counts, widths_of
from rankscope.stability.dunaiski import dunaiski_swap_difference


def naive_counts(first, second, widths):
    found = np.zeros((2, len(first), BINS), int)
    for m, (ones, others) in enumerate(zip(first, second, strict=True)):
        for d, e in zip(ones, others, strict=True):
            if math.isnan(d) or math.isnan(e):
                continue
            k = min(math.floor(abs(d) / widths[m] + 1e-9), BINS - 1)
            found[0, m, k] += 1
            found[1, m, k] += d * e < 0
    return found


def naive_needed(seen, turned, width, level):
    """The first bin with anything in it, from which on no bin has a rate above the level."""
    for k in range(BINS):
        if seen[k] and all(turned[j] <= level * seen[j] for j in range(k, BINS)):
            return k * width, math.inf if k == BINS - 1 else (k + 1) * width
    return math.nan, math.nan


@examples(40)
@given(st.integers(1, 3), st.integers(0, 40), st.integers(0, 10**6))
def test_counts_are_those_of_a_loop(measures, n, seed):
    rng = np.random.default_rng(seed)
    # Multiples of a bin's width fall on edges; 0 is a tie and no swap; above 1 there is the last bin alone.
    first, second = (rng.integers(-120, 121, (measures, n)) / 100 for _ in range(2))
    first[rng.random(first.shape) < 0.1] = np.nan
    second[rng.random(second.shape) < 0.1] = np.nan
    widths = rng.choice([0.01, 0.02, 0.5], measures)
    np.testing.assert_array_equal(swap_counts(first, second, widths), naive_counts(first, second, widths))


def test_a_difference_on_an_edge_belongs_to_the_bin_above_and_the_last_bin_is_open():
    first = np.array([[0.0, 0.01, 0.07, 0.1 + 0.2, -0.99, 1.0, 55.0]])
    seen, _ = swap_counts(first, first, np.array([0.01]))
    assert np.flatnonzero(seen[0]).tolist() == [0, 1, 7, 30, 99]
    assert seen[0, 99] == 3


def test_a_tie_on_either_set_is_no_swap():
    seen, turned = swap_counts(np.array([[0.2, 0.0, 0.2]]), np.array([[0.0, -0.2, -0.1]]), np.array([0.01]))
    assert (seen[0, 0], seen[0, 20], turned.sum(), turned[0, 20]) == (1, 2, 1, 1)


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.5]))
def test_the_difference_needed_is_that_of_a_loop(seed, level):
    rng = np.random.default_rng(seed)
    seen = (
        rng.integers(0, 40, (4, BINS))
        * (rng.random((4, BINS)) < 0.6)
        * (np.arange(BINS) < rng.integers(0, 101, (4, 1)))
    )
    turned = rng.binomial(seen, np.clip(0.5 - np.arange(BINS) / 90, 0.01, 1))
    widths = np.array([0.01, 0.3, 1.0, 7.0])
    low, high = difference_needed(np.array([seen, turned]), widths, level)
    for m in range(4):
        expected = naive_needed(seen[m], turned[m], widths[m], level)
        assert (low[m], high[m]) == pytest.approx(expected, nan_ok=True)


def test_empty_bins_say_nothing_and_a_rate_above_the_level_to_the_end_gives_nothing():
    seen, turned = np.zeros((2, 3, BINS), int)
    seen[0, [2, 5, 99]], turned[0, 2] = 10, 5  # bins 3 and 4 are empty, so the first that speaks is 5
    seen[1, [2, 5]], turned[1, 5] = 10, 5
    low, high = difference_needed(np.array([seen, turned]), np.full(3, 0.01), 0.05)
    assert low.tolist() == pytest.approx([0.05, math.nan, math.nan], nan_ok=True)
    assert high.tolist() == pytest.approx([0.06, math.nan, math.nan], nan_ok=True)
    turned[0, 5] = 1
    low, high = difference_needed(np.array([seen, turned]), np.full(3, 0.01), 0.05)
    assert (low[0], high[0]) == (0.99, math.inf)
    low, _ = difference_needed(np.array([seen, turned]), np.full(3, 0.01), 0.1)  # exactly the level will do
    assert low[0] == 0.05


def test_bins_are_a_hundredth_of_the_range_of_the_measure_or_of_what_was_observed():
    values = np.array([[0.0, 0.5, np.nan], [2.0, 52.0, np.nan], [3.0, 3.0, 3.0], [np.nan] * 3])
    ranges = [(0.0, 1.0), (0.0, math.inf), (0.0, math.inf), (0.0, math.inf)]
    assert widths_of(values, ranges).tolist() == [0.01, 0.5, 0.01, 0.01]


@examples(40)
@given(st.integers(2, 5), st.integers(1, 3), st.integers(0, 10**6))
def test_the_coded_difference_is_that_of_the_reference_tools_loop(n, pairs, seed):
    """Section B: 21 bins of 1/105 of the range; what does not swap counts in all higher bins up to 19, and in 20."""
    rng = np.random.default_rng(seed)
    differences = rng.integers(-20, 21, (pairs, n)) / 20
    drawn = rng.integers(0, 3, (n, n))
    drawn[0, 1] += 1
    ones, others = [], []
    for a in range(n):
        for b in range(n):
            for row in differences:
                ones += [row[a]] * int(drawn[a, b])
                others += [row[b]] * int(drawn[a, b])
    least = min(map(abs, [*ones, *others]))
    h = (max(map(abs, [*ones, *others])) - least) / 105
    edges = [least + k * h for k in range(21)]
    seen, swaps = [0] * 21, [0] * 21
    for d, e in zip(ones, others, strict=True):
        k = max(sum(abs(d) >= edge for edge in edges) - 1, 0)
        if d * e <= 0:
            swaps[k] += 1
            seen[k] += 1
        else:
            for higher in {*range(k, 20), 20}:
                seen[higher] += 1
    rates = [s / n if n else -1 for s, n in zip(swaps, seen, strict=True)]
    levels = (0.05, 0.2, 0.5)
    found, _ = dunaiski_swap_difference(differences, drawn, levels)
    for level, (low, high) in zip(levels, found, strict=True):
        good = [k for k, rate in enumerate(rates) if 0 <= rate <= level]
        step = (edges[20] - edges[0]) / 21
        expected = (edges[0] + good[0] * step, edges[0] + (good[0] + 1) * step) if good else (-math.inf, math.inf)
        assert (low, high) == pytest.approx(expected)

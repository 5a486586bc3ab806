"""The bootstrap test: levels and differences needed, against loops and against `rankscope.stats.bootstrap_test`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels.resample import count_draws, counts_of
from rankscope.stability import discriminative_power
from rankscope.stability.discriminative_power import kth_resamples, significance_levels
from rankscope.stability.dunaiski import dunaiski_levels
from rankscope.stats import bootstrap_test
from rankscope.stats import paired_tests as resampled

LEVELS = (0.01, 0.05, 0.1, 0.3)


def samples(counts):
    """Each row of counts as the list of places drawn."""
    return [[q for q, n in enumerate(row) for _ in range(int(n))] for row in counts]


def naive(differences, counts, levels):
    """Sakai (2006), resample by resample: level, and (|mean|, |t|) of each resample of the shifted differences."""
    n, b = len(differences), len(counts)
    mean = sum(differences) / n

    def t_of(values):
        middle = sum(values) / len(values)
        variance = sum((x - middle) ** 2 for x in values) / (len(values) - 1)
        if variance <= 1e-20:
            return math.inf if abs(middle) > 1e-12 else 0.0
        return abs(middle) / math.sqrt(variance / len(values))

    found = []
    for places in samples(counts):
        shifted = [differences[q] - mean for q in places]
        found.append((t_of(shifted), abs(sum(shifted) / n)))
    observed = t_of(differences)
    asl = (1 + sum(t >= observed * (1 - 1e-12) for t, _ in found)) / (1 + b)
    by_t = sorted(found, key=lambda pair: -pair[0])
    needed = []
    for level in levels:
        k = int(level * b + 1e-9)
        # Where resamples of one t stand on both sides of the place, any of them may be the k-th.
        needed.append({shift for t, shift in by_t if math.isclose(t, by_t[k - 1][0])} if k else None)
    return asl, needed


@examples(40)
@given(st.integers(2, 9), st.integers(1, 4), st.integers(1, 70), st.integers(0, 10**6))
def test_levels_and_differences_needed_are_those_of_a_loop(n, pairs, b, seed):
    rng = np.random.default_rng(seed)
    differences = rng.normal(0.3, 1, (pairs, n))
    counts = count_draws(rng, b, n)
    asl, needed = significance_levels(differences, counts, LEVELS)
    for row in range(pairs):
        expected, among = naive(differences[row].tolist(), counts, LEVELS)
        assert asl[row] == pytest.approx(expected, abs=1e-12)
        for value, shifts in zip(needed[row], among, strict=True):
            if shifts is None:
                assert math.isnan(value)
            else:
                assert any(math.isclose(value, shift, abs_tol=1e-12) for shift in shifts)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_level_is_that_of_bootstrap_test_on_the_same_resamples(monkeypatch, n):
    rng = np.random.default_rng(n)
    differences = np.vstack(
        [rng.normal(0.2, 1, (8, n)), rng.integers(-1, 3, (8, n)), np.zeros((1, n)), np.ones((1, n))]
    )
    counts = count_draws(rng, 300, n)
    monkeypatch.setattr(
        resampled, "bootstrap_moments", lambda rows, _: [(counts @ rows.T / n, counts @ (rows * rows).T / n)]
    )
    expected = bootstrap_test(differences, n_resamples=300, rng=1).pvalue
    asl, _ = significance_levels(differences, counts, LEVELS)
    assert_same_numbers(asl, expected)


def test_it_does_not_matter_how_many_pairs_are_computed_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    differences, counts = rng.normal(0.2, 1, (17, 12)), count_draws(rng, 90, 12)
    differences[4] = 0
    whole = significance_levels(differences, counts, LEVELS), dunaiski_levels(differences, counts, LEVELS)
    monkeypatch.setattr(discriminative_power, "CHUNK_NUMBERS", 180)
    parts = significance_levels(differences, counts, LEVELS), dunaiski_levels(differences, counts, LEVELS)
    np.testing.assert_allclose(
        np.hstack([a[:, None] if a.ndim == 1 else a for pair in whole for a in pair]),
        np.hstack([a[:, None] if a.ndim == 1 else a for pair in parts for a in pair]),
        rtol=1e-12,
    )


def test_identical_systems_are_never_significant_and_need_no_difference():
    counts = count_draws(np.random.default_rng(1), 200, 6)
    asl, needed = significance_levels(np.zeros((2, 6)), counts, (0.001, 0.05))
    assert asl.tolist() == [1.0, 1.0]
    assert np.isnan(needed[:, 0]).all()  # .001 * 200 < 1: there is no such resample
    assert needed[:, 1].tolist() == [0.0, 0.0]


def test_a_constant_difference_has_no_spread_and_so_no_level():
    counts = count_draws(np.random.default_rng(1), 200, 6)
    asl, needed = significance_levels(np.array([[0.1, 0.1 + 2e-17, 0.1, 0.3 - 0.2, 0.1, 0.1]]), counts, (0.05,))
    assert np.isnan(asl).all()
    assert np.isnan(needed).all()


def test_a_level_asks_for_at_least_one_resample():
    assert kth_resamples((0.005, 0.01, 0.05, 0.29), 100) == [-1, 0, 4, 28]
    counts = count_draws(np.random.default_rng(1), 19, 6)
    _, needed = significance_levels(np.random.default_rng(2).normal(0, 1, (1, 6)), counts, (0.05, 0.06))
    assert np.isnan(needed[0]).tolist() == [True, False]


def test_a_scale_changes_differences_needed_by_it_and_no_level():
    rng = np.random.default_rng(5)
    differences, counts = rng.normal(0.3, 1, (6, 10)), count_draws(rng, 99, 10)
    asl, needed = significance_levels(differences, counts, (0.05, 0.1))
    for factor in (1e-9, 1024.0, 1e9):
        other, scaled = significance_levels(differences * factor, counts, (0.05, 0.1))
        assert_same_numbers(other, asl)
        np.testing.assert_allclose(scaled, needed * factor, rtol=1e-10)


def test_counts_are_how_often_each_query_was_drawn():
    drawn = np.random.default_rng(1).integers(0, 5, (7, 9))
    assert counts_of(drawn, 5).tolist() == [[row.tolist().count(q) for q in range(5)] for row in drawn]
    assert (count_draws(np.random.default_rng(1), 30, 8).sum(axis=1) == 8).all()


@examples(40)
@given(st.integers(2, 7), st.integers(1, 60), st.integers(0, 10**6))
def test_coded_levels_are_those_of_the_formula_in_the_reference_tool(n, b, seed):
    """Section B of the specification: population deviation, t = 0 of a constant resample, count / B."""
    rng = np.random.default_rng(seed)
    differences = rng.normal(0.3, 1, n)
    counts = count_draws(rng, b, n)
    mean = differences.mean()
    t_z = abs(mean) / (differences.std() / math.sqrt(n))
    found = []
    for places in samples(counts):
        shifted = differences[places] - mean
        constant = len(set(places)) == 1
        found.append((0.0 if constant else abs(shifted.mean()) / (shifted.std() / math.sqrt(n)), abs(shifted.mean())))
    asl, needed = dunaiski_levels(differences[None], counts, (0.05, 0.5))
    assert asl[0] == pytest.approx(sum(t > 0 and t >= t_z * (1 - 1e-12) for t, _ in found) / b)
    by_t = sorted(found, key=lambda pair: -pair[0])
    for level, value in zip((0.05, 0.5), needed[0], strict=True):
        t = by_t[int(level * b) - 1][0]  # -1 where it is below 1, as there
        assert any(
            math.isclose(value, shift, abs_tol=1e-12) for other, shift in found if math.isclose(t, other, abs_tol=1e-9)
        )


def test_coded_levels_of_identical_systems_and_of_missing_values_are_mended():
    counts = count_draws(np.random.default_rng(1), 50, 4)
    asl, needed = dunaiski_levels(np.array([[0.0] * 4, [0.1, np.nan, 0, 1]]), counts, (0.05,))
    assert asl[0] == 1
    assert np.isnan(asl[1])
    assert np.isnan(needed[1]).all()


def test_coded_levels_of_a_constant_difference_are_0_as_there_without_a_warning():
    """t of the differences is 0 where they have no spread, and so is that of each resample."""
    counts = count_draws(np.random.default_rng(1), 50, 3)
    asl, needed = dunaiski_levels(np.full((1, 3), 0.1), counts, (0.05,))
    assert asl.tolist() == [0.0]
    assert abs(needed[0, 0]) < 1e-15

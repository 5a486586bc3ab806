"""Swaps drawn as bits, and sums over them, against loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels import resample
from rankscope.kernels.resample import draw
from rankscope.kernels.swaps import SWAPS, form_values, grouped_bits, linear_values, swap_bits


def drawn(n: int, shape: tuple[int, int], swap: str = "cells", seed: int = 1) -> np.ndarray:
    return np.concatenate(list(swap_bits(draw(np.random.default_rng(seed), n), shape, swap)))


@pytest.mark.parametrize("swap", SWAPS)
def test_swaps_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch, swap):
    whole = drawn(50, (3, 7), swap)
    monkeypatch.setattr(resample, "NUMBERS", 21 * 4)
    assert (drawn(50, (3, 7), swap) == whole).all()
    assert whole.shape == (50, 7, 3)


@pytest.mark.parametrize("shape", [(4, 9), (8, 8), (5, 13)])  # 36, 64 and 65 bits: one word of 64, and one more
def test_about_half_of_all_cells_are_swapped_each_for_itself(shape):
    bits = drawn(2000, shape)
    assert abs(bits.mean() - 0.5) < 4 * 0.5 / np.sqrt(bits.size)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(2000)
    # Correlations of cells over 2,000 resamples: normal with variance 1 / 2,000.
    among = np.corrcoef(bits.reshape(2000, -1).T.astype(float)) - np.eye(shape[0] * shape[1])
    assert np.abs(among).max() < 5 / np.sqrt(2000)


@pytest.mark.parametrize(("swap", "axis"), [("systems", 1), ("segments", 2)])
def test_whole_systems_or_segments_are_swapped_at_once(swap, axis):
    bits = drawn(40, (5, 6), swap)
    assert (bits.min(axis=axis) == bits.max(axis=axis)).all()
    assert 0 < bits.mean() < 1


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 9))
def test_sums_over_bits_are_those_of_loops(systems, segments, seed):
    rng = np.random.default_rng(seed)
    bits = drawn(4, (systems, segments), seed=seed)
    forms = rng.integers(-3, 4, (segments, systems, systems)).astype(np.float32)
    terms = rng.integers(-3, 4, (segments, systems, 2)).astype(float)
    quadratic = form_values(grouped_bits(bits, "segment"), forms)
    linear = linear_values(grouped_bits(bits, "segment"), terms)
    assert (quadratic.dtype, linear.dtype) == (np.float32, np.float64)
    for n in range(segments):
        for r, row in enumerate(bits):
            x = row[n].astype(float)
            assert quadratic[n, r] == sum(x[i] * x[j] * forms[n, i, j] for i in range(systems) for j in range(systems))
            assert linear[n, r].tolist() == [sum(x[i] * terms[n, i, k] for i in range(systems)) for k in (0, 1)]


def test_groups_are_all_cells_segments_or_systems():
    bits = drawn(3, (2, 4))
    assert grouped_bits(bits, "none").shape == (1, 3, 8)
    assert (grouped_bits(bits, "segment")[2] == bits[:, 2]).all()
    assert (grouped_bits(bits, "system")[1] == bits[:, :, 1]).all()

"""Ties of computed numbers: what is joined, and that neither order nor scale nor an edge of a grid decides it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels.rounding_ties import (
    NOISE,
    at_most,
    best_places,
    join_ties,
    join_ties_of_lists,
    order_of,
    signs_of,
)

#: Numbers with what sums in another order make of them: some units in the last place more or less.
NOISY = st.tuples(st.integers(-50, 50), st.integers(-4, 4)).map(lambda x: x[0] / 7 * (1 + x[1] * 2.0**-52))


def naive(values: list[float], scale: float) -> list[float]:
    """Neighbours in rising order are joined where they are close; each becomes the least that it is joined to."""
    found = dict.fromkeys(values, np.nan)
    before = least = -np.inf
    for value in sorted(values):
        least = least if value - before <= NOISE * scale else value
        before = found[value] = value
        found[value] = least
    return [found[value] for value in values]


@given(st.lists(NOISY, min_size=1, max_size=12))
def test_ties_are_those_of_a_loop(values: list[float]) -> None:
    scale = max(map(abs, values))
    assert join_ties(np.array(values)).tolist() == naive(values, scale)


@given(st.lists(NOISY, min_size=1, max_size=12), st.randoms(), st.sampled_from([0.1, 3.0, 1e-7, 1e9 / 3]))
def test_neither_order_nor_scale_nor_last_bits_make_other_ties(values: list[float], lot: Any, factor: float) -> None:
    def places(numbers: list[float]) -> list[int]:
        return np.unique(join_ties(np.array(numbers)), return_inverse=True)[1].tolist()

    order = lot.sample(range(len(values)), len(values))
    exact = [round(7 * value) for value in values]  # what they are but for rounding
    expected = np.unique(exact, return_inverse=True)[1].tolist()
    assert places(values) == expected
    assert places([factor * values[i] for i in order]) == [expected[i] for i in order]


@pytest.mark.parametrize("digits", [9, 12, 15])
def test_there_is_no_grid_whose_edges_part_equal_numbers(digits: int) -> None:
    """Numbers in the middle between two of so many digits, and their neighbours in float64."""
    middle = np.arange(1, 2001) * 10.0 ** (1 - digits) + 0.1 + 0.5 * 10.0 ** (1 - digits)
    pairs = np.stack((np.nextafter(middle, 0), np.nextafter(middle, 1), np.full(middle.size, -1.0)), axis=1)
    found = join_ties(pairs)
    assert (found[:, 0] == found[:, 1]).all()


@given(st.lists(st.lists(NOISY, max_size=9), min_size=1, max_size=8), st.booleans())
def test_lists_behind_one_another_are_as_each_alone(lists: list[list[float]], scaled: bool) -> None:
    offsets = np.cumsum([0, *map(len, lists)])
    values = np.array([value for one in lists for value in one])
    if scaled:
        scale = np.array([max(map(abs, one), default=0.0) for one in lists])
        expected = [value for one, size in zip(lists, scale.tolist(), strict=True) for value in naive(one, size)]
        assert join_ties_of_lists(values, offsets, scale).tolist() == expected
        return
    values = np.abs(values) + 1.0
    expected = [value for a, b in pairwise(offsets) for value in naive(values[a:b].tolist(), 8.0)]
    assert join_ties_of_lists(values.copy(), offsets).tolist() == expected  # nothing is between the two tolerances


def test_small_numbers_beside_great_ones_are_told_apart_by_their_own_size_alone() -> None:
    values = np.array([1.0, 3e-20, 1e-20])
    assert join_ties_of_lists(values.copy(), np.array([0, 3])).tolist() == values.tolist()
    assert join_ties(values).tolist() == [1.0, 1e-20, 1e-20]


def test_what_is_not_a_number_or_infinite_is_left_alone() -> None:
    values = np.array([[np.nan, np.inf, 1.0, np.nextafter(1.0, 2), -np.inf, np.inf]])
    assert np.array_equal(join_ties(values), [[np.nan, np.inf, 1.0, 1.0, -np.inf, np.inf]], equal_nan=True)
    assert join_ties(np.full((2, 3), np.nan)).shape == (2, 3)
    assert join_ties(np.zeros((2, 0))).shape == (2, 0)
    assert join_ties(np.zeros(0)).shape == (0,)


def test_the_first_of_the_best_is_the_best() -> None:
    values = np.array([0.5, 0.1 + 0.2, 0.3, np.nan])
    assert best_places(-values).tolist() == [False, True, True, False]
    assert order_of(values).tolist() == [1, 2, 0, 3]
    assert signs_of([1e-17, -1e-17, 1e-3], 1.0).tolist() == [0.0, 0.0, 1.0]
    assert at_most([0.05, 0.050000000001], 0.05).tolist() == [True, False]

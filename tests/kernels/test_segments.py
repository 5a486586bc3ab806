"""Sums, counts and products over ragged groups, against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import example, given
from hypothesis import strategies as st

from rankscope.kernels.segments import (
    bounds,
    count_before,
    cumulative_product,
    cumulative_sum,
    group_of,
    place_in_group,
    sum_by_group,
)

GROUPS = st.lists(st.lists(st.floats(0, 2), max_size=9), max_size=8)  # empty groups anywhere


def flat(groups: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    values = np.array([v for g in groups for v in g], np.float64)
    return values, np.cumsum([0, *map(len, groups)]).astype(np.int64)


@examples(100)
@given(GROUPS)
@example([])
@example([[], [], []])
@example([[], [1.0], [], [2.0, 3.0], []])
def test_sums_by_group_are_sums(groups: list[list[float]]) -> None:
    values, offsets = flat(groups)
    of = np.repeat(np.arange(len(groups)), np.diff(offsets))
    expected = []
    for g in groups:
        total = 0.0
        for v in g:
            total += v
        expected.append(total)
    assert_same_numbers(sum_by_group(values, of, len(groups)).tolist(), expected)
    assert sum_by_group(values > 1, of, len(groups)).tolist() == [sum(v > 1 for v in g) for g in groups]


@examples(100)
@given(GROUPS)
@example([])
@example([[], [1.0], [], [2.0, 3.0], []])
def test_places_in_a_group_count_from_zero(groups: list[list[float]]) -> None:
    assert place_in_group(flat(groups)[1]).tolist() == [i for g in groups for i in range(len(g))]


@examples(100)
@given(GROUPS)
@example([])
@example([[], [1.5], [], [2.0, 0.0, 2.0], []])
def test_count_before_counts_the_marked_before_each_of_its_group(groups: list[list[float]]) -> None:
    values, offsets = flat(groups)
    expected = [sum(v > 1 for v in g[:i]) for g in groups for i in range(len(g))]
    assert count_before(values > 1, offsets).tolist() == expected


@examples(100)
@given(GROUPS)
@example([])
@example([[], [0.5], [], [0.5, 0.0, 2.0], []])
def test_cumulative_products_are_products(groups: list[list[float]]) -> None:
    values, offsets = flat(groups)
    expected = [math.prod(g[: i + 1]) for g in groups for i in range(len(g))]
    np.testing.assert_allclose(cumulative_product(values, offsets), expected, rtol=1e-12, atol=1e-300)


@examples(100)
@given(GROUPS)
@example([])
@example([[], [0.5], [], [0.5, 0.0, 2.0], []])
@example([[0.1] * 9, [0.1] * 8, [], [0.2] * 3])
def test_cumulative_sums_are_sums(groups: list[list[float]]) -> None:
    values, offsets = flat(groups)
    expected = [math.fsum(g[: i + 1]) for g in groups for i in range(len(g))]
    np.testing.assert_allclose(cumulative_sum(values, offsets), expected, rtol=1e-14, atol=1e-300)
    assert values.tolist() == [v for g in groups for v in g]


@pytest.mark.parametrize("n", [1, 2, 3, 1023, 1024, 1025])
def test_cumulative_sums_of_long_groups_do_not_run_over_their_ends(n: int) -> None:
    whole = np.concatenate([np.full(n, 1.0), np.full(n, 3.0)])  # whole numbers: exact
    expected = [*range(1, n + 1), *range(3, 3 * n + 1, 3)]
    assert cumulative_sum(whole, np.array([0, n, n, 2 * n])).tolist() == expected


@examples(50)
@given(GROUPS)
@example([[], [1.0], [], [2.0, 3.0], []])
def test_offsets_come_from_lengths_and_groups_from_offsets(groups: list[list[float]]) -> None:
    offsets = bounds(np.array([len(g) for g in groups], np.int64))
    assert offsets.tolist() == flat(groups)[1].tolist()
    assert group_of(offsets).tolist() == [i for i, g in enumerate(groups) for _ in g]


def test_a_cumulative_product_changes_nothing_it_was_given() -> None:
    values = np.array([0.5, 0.5, 0.5])
    assert cumulative_product(values, np.array([0, 3])).tolist() == [0.5, 0.25, 0.125]
    assert values.tolist() == [0.5, 0.5, 0.5]

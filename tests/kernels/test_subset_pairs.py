"""Pairs among chosen points that two values order alike or not, against a matrix of all signs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.kernels import subset_pairs as chosen_pairs
from rankscope.kernels.subset_pairs import prepare_subset_pairs, subset_surplus


@st.composite
def cases(draw):
    n = draw(st.integers(0, 30))
    most = draw(st.sampled_from([1, 4, 1000]))
    points = draw(arrays(np.float64, (2, n), elements=st.integers(0, most).map(float)))
    return points, draw(arrays(np.uint8, (3, n), elements=st.integers(0, 1)))


def naive(x, y, chosen):
    signs = np.triu(np.sign(x[:, None] - x) * np.sign(y[:, None] - y), 1)
    return [int(row @ signs @ row) for row in chosen.astype(float)]


@given(cases(), st.sampled_from([1, 2, 5, 256]), st.sampled_from([1, 1 << 17]))
def test_surplus_is_that_of_all_pairs(case, size, table):
    points, chosen = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chosen_pairs, "BLOCK_SIZE", size)
        patch.setattr(chosen_pairs, "TABLE_CELLS", table)
        assert subset_surplus(prepare_subset_pairs(*points), chosen).tolist() == naive(*points, chosen)


def test_many_points_in_many_blocks_and_a_long_group_of_ties():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 1500))
    y[:600] = y[600:900].repeat(2)
    x[:700] = 0.5
    chosen = rng.integers(0, 2, (4, 1500)).astype(np.uint8)
    assert subset_surplus(prepare_subset_pairs(x, y), chosen).tolist() == naive(x, y, chosen)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([], [], 0),
        ([1], [1], 0),
        ([1, 2], [1, 2], 1),
        ([1, 2], [2, 1], -1),
        ([1, 2], [1, 1], 0),
        ([1, 2, 1], [1, 2, 3], 0),  # one alike, one the other way round, one tied
    ],
)
@pytest.mark.parametrize("size", [1, 2, 256])
def test_few_points_are_counted_by_hand(x, y, expected, size, monkeypatch):
    monkeypatch.setattr(chosen_pairs, "BLOCK_SIZE", size)
    chosen = np.array([[1] * len(x), [0] * len(x)], np.uint8)
    found = subset_surplus(prepare_subset_pairs(np.array(x, float), np.array(y, float)), chosen)
    assert (found.tolist(), found.dtype) == ([expected, 0], np.int64)

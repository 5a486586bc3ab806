"""Ranks within lists, beside the features that they are of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Features
from rankscope.learning.scaling import with_list_ranks


@given(st.integers(0, 2**32), st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_they_are_counted_document_by_document(seed: int, sizes: list[int]) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (sum(sizes), 2)).astype(float)
    found = with_list_ranks(Features.of(values, sizes=sizes))
    np.testing.assert_array_equal(found.values[:, :2], values)
    for start, end in zip(found.offsets[:-1], found.offsets[1:], strict=True):
        for row in range(start, end):
            below = (values[start:end] < values[row]).sum(axis=0)
            same = (values[start:end] == values[row]).sum(axis=0) - 1
            expected = (below + same / 2) / max(end - start - 1, 1)
            np.testing.assert_allclose(found.values[row, 2:], expected, rtol=0, atol=1e-12)


def test_what_keeps_the_order_of_each_list_keeps_them() -> None:
    values = np.random.default_rng(3).normal(size=(12, 3)).astype(np.float32)
    moved = np.exp(values) + np.repeat(np.float32([[100], [-5]]), 6, axis=0)
    one, other = (with_list_ranks(Features.of(each, sizes=[6, 6])) for each in (values, moved))
    np.testing.assert_array_equal(one.values[:, 3:], other.values[:, 3:])
    assert one.values.dtype == np.float32


def test_no_rank_has_the_name_of_a_feature() -> None:
    found = with_list_ranks(Features.of(np.ones((1, 3)), sizes=[1], names=["age", "age (rank)", "price"]))
    ranks = ("age (rank) (rank)", "age (rank) (rank) (rank)", "price (rank)")
    assert found.names == ("age", "age (rank)", "price", *ranks)

"""Sums over pairs of items of the signs that rankings give them, against a loop over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.kernels import sign_sums
from rankscope.kernels.sign_sums import sums_by_list, sums_by_pair

RANKS = st.tuples(st.integers(1, 5), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4).map(float))
)


def naive_signs(ranks: np.ndarray) -> np.ndarray:
    lists, items = ranks.shape
    found = np.zeros((lists, items, items))
    for v in range(lists):
        for i in range(items):
            for j in range(i + 1, items):
                found[v, i, j] = (ranks[v, i] < ranks[v, j]) * 1.0 - (ranks[v, i] > ranks[v, j]) * 1.0
    return found


@given(RANKS, st.sampled_from([1, 3, 1 << 17]))
def test_sums_are_those_of_a_loop_over_all_pairs(ranks: np.ndarray, block: int) -> None:
    signs = naive_signs(ranks)
    weights = np.arange(1.0, len(ranks) + 1)
    tables = np.arange(2.0 * ranks.shape[1] ** 2).reshape(2, ranks.shape[1], ranks.shape[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_sums, "BLOCK", block)
        assert sums_by_pair(ranks, weights).tolist() == np.tensordot(weights, signs, 1).tolist()
        assert sums_by_list(ranks, tables).tolist() == np.einsum("tij,vij->tv", tables, signs).tolist()


def test_what_is_below_the_diagonal_counts_for_nothing() -> None:
    ranks = np.array([[1.0, 2.0, 3.0]])
    assert sums_by_list(ranks, np.tril(np.ones((1, 3, 3)))).tolist() == [[0.0]]
    assert sums_by_pair(ranks, np.ones(1)).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]

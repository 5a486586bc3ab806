"""Trees on arrays against a walk down each tree, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels import trees
from rankscope.kernels.trees import tree_sums


def grown(rng: np.random.Generator, splits: int, width: int) -> tuple[Any, ...]:
    """A tree of so many splits at random places, as the kernel has it."""
    left, right = [0] * splits, [0] * splits
    open_ = [(-1, 0)]  # a node and the side that is not taken yet
    for node in range(splits):
        parent, side = open_.pop(int(rng.integers(len(open_))))
        if parent >= 0:
            (left if side == 0 else right)[parent] = node
        open_ += [(node, 0), (node, 1)]
    for leaf, (parent, side) in enumerate(open_):
        if parent >= 0:
            (left if side == 0 else right)[parent] = splits + leaf
    n = 2 * splits + 1
    children = np.repeat(np.arange(n, dtype=np.int32)[:, None], 2, axis=1)
    children[:splits] = np.stack([left, right], axis=1)
    feature = np.zeros(n, np.int32)
    feature[:splits] = rng.integers(0, width, splits)
    threshold = np.zeros(n)
    threshold[:splits] = rng.integers(-2, 3, splits) / 2
    worth = np.zeros(n)
    worth[splits:] = rng.normal(size=splits + 1)
    return feature, threshold, children, worth


def walked(row: Any, tree: tuple[Any, ...]) -> float:
    feature, threshold, children, worth = tree
    node = 0
    while children[node, 0] != node:
        node = children[node, 0] if row[feature[node]] <= threshold[node] else children[node, 1]
    return float(worth[node])


def together(forest: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    sizes = [one[0].size for one in forest]
    starts = np.cumsum([0, *sizes[:-1]])
    children = np.concatenate([one[2] + start for one, start in zip(forest, starts, strict=True)])
    feature, threshold, worth = (np.concatenate([one[i] for one in forest]) for i in (0, 1, 3))
    return feature, threshold, children.astype(np.int32), worth, starts.astype(np.int32)


@given(st.integers(0, 2**32), st.integers(0, 9), st.integers(1, 4), st.sampled_from([np.float32, np.float64]))
def test_every_row_comes_to_the_leaf_that_a_walk_comes_to(seed: int, splits: int, n: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    forest = [grown(rng, splits + extra, 3) for extra in range(n)]
    values = (rng.integers(-3, 4, (7, 3)) / 2).astype(dtype)  # often exactly a threshold
    expected = [sum(walked(row, tree) for tree in forest) for row in values]
    np.testing.assert_allclose(tree_sums(values, *together(forest)), expected, rtol=0, atol=1e-12)


def test_blocks_do_not_change_what_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    forest = together([grown(rng, 6, 4) for _ in range(5)])
    values = rng.normal(size=(23, 4))
    whole = tree_sums(values, *forest)
    monkeypatch.setattr(trees, "AT_ONCE", 12)  # two rows
    assert_same_bits(tree_sums(values, *forest), whole)


def test_no_tree_and_no_row_are_worth_nothing() -> None:
    none, nodes = np.zeros(0, np.int32), np.zeros((0, 2), np.int32)
    assert tree_sums(np.ones((3, 2)), none, np.zeros(0), nodes, np.zeros(0), none).tolist() == [0, 0, 0]
    assert tree_sums(np.ones((0, 2)), *together([grown(np.random.default_rng(0), 2, 2)])).size == 0

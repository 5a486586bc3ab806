"""Sums of the leaf values of binary trees over rows of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.exact import exact_units
from rankscope.typing import Floats, Ints32

__all__ = [
    "tree_sums",
]


#: Pairs of a row and a tree that are followed at once: few enough to stay in the cache.
AT_ONCE = 1 << 16


def tree_sums(
    values: npt.NDArray[np.floating[Any]],
    feature: Ints32,
    threshold: Floats,
    children: Ints32,
    leaf_value: Floats,
    roots: Ints32,
) -> Floats:
    """(rows) the sum over trees of the value of the leaf that each row reaches.

    Parameters
    ----------
    values
        Features, (rows, features), C-contiguous.
    feature
        The feature that a node compares, (nodes).
    threshold
        (nodes). A row goes to the first child of a node if its value of the feature is at most the threshold, else to
        the second.
    children
        (nodes, 2). Each child has a greater number than its node, so that every walk ends; both children of a leaf are
        the leaf itself.
    leaf_value
        The value of each leaf, (nodes).
    roots
        The root of each tree, (trees).

    Notes
    -----
    All rows of a block take one step down all trees at a time. The values of leaves are first rounded to about
    16 - log10(trees) digits of the greatest, so that their sums are exact: equal rows have equal sums, whatever the
    other rows are.

    Examples
    --------
    >>> children = np.array([[1, 2], [1, 1], [2, 2]], np.int32)
    >>> tree = np.zeros(3, np.int32), np.array([0.5, 0, 0]), children, np.array([0, -1.0, 1.0]), np.zeros(1, np.int32)
    >>> tree_sums(np.array([[0.5], [0.6]]), *tree).tolist()
    [-1.0, 1.0]
    """
    sums = np.zeros(len(values))
    if not roots.size:
        return sums
    flat_children, width = children.ravel(), values.shape[1]
    leaf_value = exact_units(leaf_value, roots.size)
    block_rows = max(1, AT_ONCE // roots.size)
    for start in range(0, len(values), block_rows):
        block = values[start : start + block_rows].ravel()
        row_offsets = np.arange(0, block.size, width)[:, None]
        node = np.broadcast_to(roots, (row_offsets.size, roots.size)).astype(np.intp)
        while True:
            goes_right = block[row_offsets + feature[node]] > threshold[node]
            next_node = flat_children[2 * node + goes_right]
            if np.array_equal(next_node, node):
                break
            node = next_node.astype(np.intp)
        sums[start : start + block_rows] = leaf_value[node].sum(axis=1)
    return sums

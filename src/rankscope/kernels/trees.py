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


#: Places in trees that are followed at once: few enough for them to stay in the cache.
AT_ONCE = 1 << 16


def tree_sums(
    values: npt.NDArray[np.floating[Any]],
    feature: Ints32,
    threshold: Floats,
    children: Ints32,
    worth: Floats,
    roots: Ints32,
) -> Floats:
    """(rows) the sum over trees of the worth of the leaf that each row comes to.

    values: (rows, features), C-contiguous. feature, threshold: (nodes) a row goes on to the first child of a node if
    its value of the feature is at most the threshold, else to the second. children: (nodes, 2), each of a greater
    number than its node, so that all ends; a leaf is its own child twice. worth: (nodes) of leaves. roots: (trees).

    All rows of a block take one step down all trees at a time. Worths are rounded first, to about 16 - log10(trees)
    digits of the greatest, so that their sums are exact: equal rows have equal sums, whatever stands around them.

    >>> children = np.array([[1, 2], [1, 1], [2, 2]], np.int32)
    >>> tree = np.zeros(3, np.int32), np.array([0.5, 0, 0]), children, np.array([0, -1.0, 1.0]), np.zeros(1, np.int32)
    >>> tree_sums(np.array([[0.5], [0.6]]), *tree).tolist()
    [-1.0, 1.0]
    """
    found = np.zeros(len(values))
    if not roots.size:
        return found
    below, width = children.ravel(), values.shape[1]
    worth = exact_units(worth, roots.size)
    rows = max(1, AT_ONCE // roots.size)
    for start in range(0, len(values), rows):
        part = values[start : start + rows].ravel()
        first = np.arange(0, part.size, width)[:, None]
        node = np.broadcast_to(roots, (first.size, roots.size)).astype(np.intp)
        while True:
            right = part[first + feature[node]] > threshold[node]
            following = below[2 * node + right]
            if np.array_equal(following, node):
                break
            node = following.astype(np.intp)
        found[start : start + rows] = worth[node].sum(axis=1)
    return found

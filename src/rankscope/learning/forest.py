"""Trees that were trained, as arrays of our own: they predict without the program that grew them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.segments import bounds
from rankscope.kernels.trees import tree_sums
from rankscope.typing import Floats, Ints32

__all__ = ["BoostedTrees", "TreeEnsemble", "parse_trees"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeEnsemble:
    """Nodes of all trees one after the other; of each tree those that ask come first, then its leaves.

    feature, threshold: (nodes) a document whose feature is at most the threshold goes on to the first child. children:
    (nodes, 2) numbers of nodes, greater than the node's own; a leaf has itself twice. worth: (nodes) what a leaf adds
    to the score. roots: (trees) the first node of each.
    """

    feature: Ints32
    threshold: Floats
    children: Ints32
    worth: Floats
    roots: Ints32

    def __call__(self, values: npt.NDArray[np.floating[Any]]) -> Floats:
        """(documents) scores of (documents, features)."""
        return tree_sums(values, self.feature, self.threshold, self.children, self.worth, self.roots)


@dataclass(frozen=True, eq=False, kw_only=True)
class BoostedTrees:
    """forest: the trees up to the best one. losses, values: by tree, the loss of training before it was grown (none of
    LightGBM's own objectives, which do not tell) and the measure in validation after it. best_epoch: the place of the
    last tree that was kept; the last of all where there was nothing to validate on. grown: trees that were tried.
    """

    forest: TreeEnsemble
    losses: tuple[float, ...]
    values: tuple[float, ...]
    best_epoch: int
    grown: int

    def scores(self, values: npt.NDArray[np.floating[Any]]) -> Floats:
        """(documents) scores of features as they are."""
        return self.forest(values)

    @property
    def epochs(self) -> int:
        """How many trees were grown."""
        return self.grown


def parse_trees(text: str) -> TreeEnsemble:
    """The trees of LightGBM's text of a model.

    Raises ValueError for trees that ours cannot stand for: with categories, with linear leaves, and with a way of
    their own for missing numbers, which is not how we train them.
    """
    parts = [
        dict(line.split("=", 1) for line in part.splitlines() if "=" in line) for part in text.split("\nTree=")[1:]
    ]
    lengths = [2 * int(one["num_leaves"]) - 1 for one in parts]
    starts = bounds(np.array(lengths, np.int64))
    total = int(starts[-1])
    feature, worth, threshold = np.zeros(total, np.int32), np.zeros(total), np.zeros(total)
    children = np.repeat(np.arange(total, dtype=np.int32)[:, None], 2, axis=1)
    for one, start, end in zip(parts, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        inner = int(one["num_leaves"]) - 1
        worth[start + inner : end] = parse_numbers(one["leaf_value"])
        if int(one.get("num_cat", 0)) or int(one.get("is_linear", 0)):
            raise ValueError("a tree with categories or linear leaves")
        if not inner:
            continue
        ways = parse_numbers(one["decision_type"]).astype(np.int64)
        if (ways & ~2).any():  # the second bit alone says where a missing number would go if there were any
            raise ValueError("a tree with categories or missing numbers")
        asks = slice(start, start + inner)
        feature[asks], threshold[asks] = parse_numbers(one["split_feature"]), parse_numbers(one["threshold"])
        below = np.stack([parse_numbers(one["left_child"]), parse_numbers(one["right_child"])], axis=1).astype(np.int64)
        children[asks] = start + np.where(below >= 0, below, inner + ~below)  # leaf i is written as -1 - i
    roots = starts[:-1].astype(np.int32)
    return TreeEnsemble(feature=feature, threshold=threshold, children=children, worth=worth, roots=roots)


def parse_numbers(text: str) -> Floats:
    """Numbers with spaces between them, exactly as they are written."""
    return np.array(text.split(), np.float64)

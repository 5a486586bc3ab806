"""Groups of items that every comparison of majorities keeps together; what is best within each is best for all."""

from __future__ import annotations

import numpy as np

from rankscope.typing import Floats, Indices

__all__ = ["majority_blocks"]


def majority_blocks(margins: Floats) -> list[Indices]:
    """The strongly connected components of the graph of strict majorities, those first that win against others.

    Concatenated best orders of the components are a best order of all: from an earlier to a later one no majority
    points back, so moving all of the earlier before all of the later changes only pairs across, each to its cheaper
    side, ties of a majority included (the extended Condorcet criterion: Truchon 1998; Betzler et al. 2014).

    margins: (items, items). Components without a majority between them stand as their first items do.

    >>> [block.tolist() for block in majority_blocks(np.array([[0, -1, -1], [1, 0, 0], [1, 0, 0]]))]
    [[1], [2], [0]]
    """
    n = len(margins)
    reach = ((margins > 0) | np.eye(n, dtype=np.bool_)).astype(np.float32)
    for _ in range(int(n - 1).bit_length()):  # paths of twice the length each time
        reach = np.minimum(reach @ reach, 1)
    mutual = (reach > 0) & (reach.T > 0)
    first = mutual.argmax(axis=1)  # of the component of each item
    # Who wins against a component reaches all that it reaches, and himself.
    heads = np.unique(first)
    heads = heads[np.argsort(-reach[heads].sum(axis=1), kind="stable")]
    return [np.flatnonzero(first == head) for head in heads]

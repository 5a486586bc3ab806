"""Hashes of ranked lists, which tell whether two runs have the same documents in the same order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankscope.data.tie_breaking import sorting_order
from rankscope.typing import Ints, Words

__all__ = [
    "list_hashes",
]


#: Odd numbers that spread the place of a document, and what it is mixed with, over 64 bits.
PLACE, MIX = np.uint64(0xD1B54A32D192ED03), np.uint64(0x94D049BB133111EB)
SHIFT = np.uint64(29)


def list_hashes(
    hashes: Words, scores: npt.NDArray[np.float64], offsets: Ints, depths: Sequence[int], *, ties: str
) -> Words:
    """A hash of the first documents of each list, for each depth.

    Parameters
    ----------
    hashes
        Hashes of the documents, (rows).
    scores
        Their scores, as they are ranked.
    offsets
        Where the lists begin, (lists + 1).
    depths
        How many documents count; 0 for all.
    ties
        The tie rule. But for "file", documents of one score have no order; where they reach beyond a depth, all of them
        count.

    Returns
    -------
    array of shape (lists, depths)
        The hashes, 0 for an empty list. Two lists with equal ones are the same, but for one in 10^19 pairs.
    """
    order = sorting_order(scores, offsets, stable=ties == "file")
    if order is not None:
        hashes, scores = hashes[order], scores[order]
    lengths = np.diff(offsets)
    starts = np.repeat(offsets[:-1], lengths)
    place = np.arange(scores.size)
    if ties != "file" and scores.size:
        begins = np.ones(scores.size, np.bool_)
        begins[1:] = (scores[1:] != scores[:-1]) | (starts[1:] != starts[:-1])
        place = np.maximum.accumulate(np.where(begins, place, 0))
    place -= starts
    mixed = (hashes ^ ((place.astype(np.uint64) + np.uint64(1)) * PLACE)) * MIX
    mixed ^= mixed >> SHIFT
    mixed *= PLACE
    result = np.zeros((lengths.size, len(depths)), np.uint64)
    if not scores.size:
        return result
    filled = np.flatnonzero(lengths)
    for column, depth in enumerate(depths):
        counted = np.where(place < depth, mixed, np.uint64(0)) if depth else mixed
        result[filled, column] = np.add.reduceat(counted, offsets[:-1][filled])
    return result

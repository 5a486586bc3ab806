"""The first rows of each list, with ties of the last of them; and strings of several buffers in one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankscope.data.tie_breaking import sorting_order
from rankscope.kernels.order import ranges
from rankscope.kernels.text import Fields
from rankscope.typing import Indices, Ints

__all__ = [
    "concatenate_fields",
    "first_rows",
]


def first_rows(scores: npt.NDArray[np.float64], offsets: Ints, depth: int) -> Indices:
    """The rows of the first `depth` of each list, with ties of the last of them."""
    lengths = np.diff(offsets)
    if not (lengths > depth).any():
        return np.arange(scores.size)
    order = sorting_order(scores, offsets, stable=False)
    cut_rows = np.where(lengths > 0, offsets[:-1] + np.minimum(lengths, depth) - 1, 0)
    cut_scores = (scores if order is None else scores[order])[cut_rows]
    if order is not None:
        return np.flatnonzero(scores >= np.repeat(cut_scores, lengths))
    # Lists in order: only rows right after the cut can share its score.
    ends = offsets[:-1] + np.minimum(lengths, depth)
    open_lists = np.flatnonzero(lengths > depth)
    while (open_lists := open_lists[scores[ends[open_lists]] == cut_scores[open_lists]]).size:
        ends[open_lists] += 1
        open_lists = open_lists[ends[open_lists] < offsets[open_lists + 1]]
    return ranges(offsets[:-1], ends - offsets[:-1])


def concatenate_fields(blocks: Sequence[Fields]) -> Fields:
    """The strings of all blocks, one block after the other, in one buffer."""
    sizes = np.array([block.buffer.size for block in blocks], np.int64)
    shifts = np.cumsum(sizes) - sizes
    starts = np.concatenate([block.starts + shift for block, shift in zip(blocks, shifts, strict=True)])
    lengths = np.concatenate([block.lengths for block in blocks])
    return Fields(np.concatenate([block.buffer for block in blocks]), starts, lengths)

"""Lists of about one length side by side, for losses that look at every pair of places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankscope.typing import Bools, Ints

__all__ = ["CELLS", "PaddedLists", "pad_lists"]


#: Cells of (lists, places, places) that are held at once: 32 MB as float64.
CELLS = 1 << 22


class PaddedLists(NamedTuple):
    """lists: (lists) which. rows: (lists, longest) the documents. mask: (lists, longest) whether there is one."""

    lists: Ints
    rows: Ints
    mask: Bools


def pad_lists(offsets: Ints, cells: int = CELLS, power: int = 2) -> Iterator[PaddedLists]:
    """All lists by length, together as long as lists x longest ** power stay within `cells`, at least one at a time.

    >>> [block.rows.tolist() for block in pad_lists(np.array([0, 2, 3, 5]), cells=8)]
    [[[2, 2], [0, 1]], [[3, 4]]]
    """
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and (stop + 1 - start) * int(lengths[order[stop]]) ** power <= cells:
            stop += 1
        lists = order[start:stop]
        places = np.arange(int(lengths[lists[-1]]))
        mask = places < lengths[lists, None]
        yield PaddedLists(lists, np.where(mask, offsets[lists, None] + places, offsets[lists, None]), mask)
        start = stop

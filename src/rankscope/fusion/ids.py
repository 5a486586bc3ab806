"""Ids of several runs, each with a buffer of its own, in one buffer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.order import ranges
from rankscope.kernels.text import PADDING, Fields, equal, words
from rankscope.typing import Ints

__all__ = ["GatheredIds", "gather_ids"]

#: Ids up to this length are copied eight bytes at a time, padded to the longest.
SHORT = 64
#: Strings that are compared at a time, so that they stay in the processor's cache.
STRINGS_AT_ONCE = 32_768


class GatheredIds(NamedTuple):
    """Strings, and their words as a table, (strings, words), where they are short."""

    fields: Fields
    table: npt.NDArray[np.uint64] | None

    def hold(self, others: Fields, place: Ints) -> bool:
        """Whether each of the others is the string at its place."""
        if self.table is None:
            return bool(equal(others, self.fields.take(place)).all())
        columns, flat = self.table.shape[1], self.table.ravel()
        for start in range(0, place.size, STRINGS_AT_ONCE):
            part = slice(start, start + STRINGS_AT_ONCE)
            some, cell = others.slice(part), place[part]
            if (self.fields.lengths.take(cell) != some.lengths).any():
                return False
            cell = cell * columns
            for j in range((int(some.lengths.max(initial=0)) + 7) // 8):
                if (flat.take(cell + j) != words(some, j)).any():
                    return False
        return True


def gather_ids(parts: Sequence[Fields], at: Sequence[Ints], total: int) -> GatheredIds:
    """The parts' strings as one. at: for each part, the place of each of its strings among the total."""
    lengths = np.zeros(total, np.int64)
    for part, place in zip(parts, at, strict=True):
        lengths[place] = part.lengths
    longest = int(lengths.max(initial=0))
    if longest > SHORT:
        return GatheredIds(copy_ids(parts, at, lengths), None)
    columns = max((longest + 7) // 8, 1)
    table = np.zeros((total + 2 * (PADDING // 8 + 1), columns), "<u8")
    first = PADDING // 8 + 1
    for part, place in zip(parts, at, strict=True):
        for j in range((int(part.lengths.max(initial=0)) + 7) // 8):
            table[first + place, j] = words(part, j)
    fields = Fields(table.view(np.uint8).ravel(), (first + np.arange(total)) * (8 * columns), lengths)
    return GatheredIds(fields, table[first : first + total])


def copy_ids(parts: Sequence[Fields], at: Sequence[Ints], lengths: Ints) -> Fields:
    """The same byte by byte, where padding to the longest could take too much memory."""
    starts = np.cumsum(lengths) - lengths + PADDING
    buffer = np.zeros(int(lengths.sum()) + 2 * PADDING, np.uint8)
    for part, place in zip(parts, at, strict=True):
        buffer[ranges(starts[place], part.lengths)] = part.buffer[ranges(part.starts, part.lengths)]
    return Fields(buffer, starts, lengths)

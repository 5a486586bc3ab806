"""Batches of whole lists of about one length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.typing import Ints

__all__ = [
    "Batch",
    "by_length",
    "shuffled",
]


#: Lists are sorted by length within so many batches at a time, so that each epoch puts other lists together.
WINDOW = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class Batch:
    """lists: (lists) which. rows: (documents) which. offsets: (lists + 1) where each list begins among these."""

    lists: Ints
    rows: Ints
    offsets: Ints

    @property
    def longest(self) -> int:
        return int(np.diff(self.offsets).max())

    @property
    def cells(self) -> Ints:
        """(documents) the place of each in a table of lists x longest, as one row."""
        lengths = np.diff(self.offsets)
        return ranges(np.arange(lengths.size) * self.longest, lengths)


def shuffled(lists: Ints, offsets: Ints, batch_lists: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Some lists in batches of so many, in an order by lot."""
    order = rng.permutation(lists)
    lengths = np.diff(offsets)
    step = WINDOW * batch_lists
    near = [part[np.argsort(lengths[part], kind="stable")] for part in split_order(order, step)]
    batches = [batch for part in near for batch in split_order(part, batch_lists)]
    for place in rng.permutation(len(batches)):
        yield make_batch(batches[place], offsets)


def by_length(offsets: Ints, cells: int) -> Iterator[Batch]:
    """All lists, the shortest first, so many that lists x longest is at most `cells`; at least one at a time.

    >>> [batch.lists.tolist() for batch in by_length(np.array([0, 2, 3, 5]), 4)]
    [[1, 0], [2]]
    """
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and (stop + 1 - start) * int(lengths[order[stop]]) <= cells:
            stop += 1
        yield make_batch(order[start:stop], offsets)
        start = stop


def split_order(order: Ints, step: int) -> list[Ints]:
    return [order[start : start + step] for start in range(0, order.size, step)]


def make_batch(lists: Ints, offsets: Ints) -> Batch:
    lengths = offsets[lists + 1] - offsets[lists]
    return Batch(lists=lists, rows=ranges(offsets[lists], lengths), offsets=bounds(lengths))

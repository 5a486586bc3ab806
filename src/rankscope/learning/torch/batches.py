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


#: Lists are sorted by length within windows of so many batches, so that each epoch has other batches.
WINDOW = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class Batch:
    """lists: (lists) indices. rows: (documents) indices. offsets: (lists + 1) where each list begins in `rows`."""

    lists: Ints
    rows: Ints
    offsets: Ints

    @property
    def longest(self) -> int:
        return int(np.diff(self.offsets).max())

    @property
    def cells(self) -> Ints:
        """(documents) the index of each in a flattened table of lists x longest."""
        lengths = np.diff(self.offsets)
        return ranges(np.arange(lengths.size) * self.longest, lengths)


def shuffled(lists: Ints, offsets: Ints, batch_lists: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Random batches of these lists, `batch_lists` in each."""
    order = rng.permutation(lists)
    lengths = np.diff(offsets)
    window_lists = WINDOW * batch_lists
    windows = [window[np.argsort(lengths[window], kind="stable")] for window in split_order(order, window_lists)]
    batches = [batch for window in windows for batch in split_order(window, batch_lists)]
    for batch_index in rng.permutation(len(batches)):
        yield make_batch(batches[batch_index], offsets)


def by_length(offsets: Ints, cells: int) -> Iterator[Batch]:
    """Batches of all lists, the shortest first, with lists x longest at most `cells`, or of one list.

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

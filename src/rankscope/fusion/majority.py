"""Condorcet fuse: documents by how many others they beat, one against one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankscope.fusion.pool import Pool
from rankscope.fusion.sums import summing_order

__all__ = ["majorities"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Pairs of documents that are compared at a time.
PAIRS = 4_000_000
#: Majorities smaller than this share of all weights are rounding.
NOISE = 1e-12


def majorities(pool: Pool, weights: Floats) -> Floats:
    """(documents) 1, and 1 more for each other document of the query that it beats, half for each that it ties with.

    A document beats another one where runs of more weight have it before than behind the other; a run has what it
    retrieved before what it did not, and does not say which of two is better that it did not retrieve. Queries of one
    number of documents are compared side by side.
    """
    lengths = np.diff(pool.offsets)
    ranks = []
    for entry in pool.entries:
        rank = np.full(pool.size, np.inf, np.float32)  # whole numbers below 2^24: exact
        rank[entry.place] = entry.rank
        ranks.append(rank)
    order = summing_order(pool.entries, weights)
    whole = bool((weights == 1).all()) and len(order) < 128
    found = np.empty(pool.size)
    for queries, n in blocks(lengths):
        places = pool.offsets[queries][:, None] + np.arange(n)
        net = np.zeros((queries.size, n, n), np.int8 if whole else np.float64)
        for i in order:
            rank = ranks[i][places]
            before = rank[:, :, None] < rank[:, None, :]
            net += before if whole else weights[i] * before
        other = net.transpose(0, 2, 1)
        reach = 0.0 if whole else NOISE * float(weights.sum())
        ahead = net > other + reach if reach else net > other
        behind = ahead.transpose(0, 2, 1).sum(axis=2)
        # Half for each that is neither ahead nor behind.
        found[places] = 1 + (n - 1 + ahead.sum(axis=2) - behind) / 2
    return found


def blocks(lengths: Ints) -> Iterator[tuple[Ints, int]]:
    """Queries of one number of documents, as many as may be compared at a time, and that number."""
    for n in np.unique(lengths[lengths > 0]).tolist():
        queries = np.flatnonzero(lengths == n)
        step = max(1, PAIRS // (n * n))
        for a in range(0, queries.size, step):
            yield queries[a : a + step], n

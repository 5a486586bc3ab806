"""Condorcet fuse: documents by how many others they beat, one against one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankscope.fusion.comb import summing_order
from rankscope.fusion.pool import RunPool
from rankscope.kernels.ties import NOISE
from rankscope.typing import Floats, Ints

__all__ = [
    "condorcet_scores",
]


Ranks = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
#: Pairs of documents that are compared at a time, so that their tables stay in the processor's cache.
PAIRS = 250_000
#: Documents that are compared with all others at a time: their sums are numbers of eight bits.
STRIP = 127


def condorcet_scores(pool: RunPool, weights: Floats) -> Floats:
    """(documents) 1, and 1 more for each other document of the query that it beats, half for each that it ties with.

    A document beats another one where runs of more weight have it before than behind the other; a run has what it
    retrieved before what it did not, and does not say which of two is better that it did not retrieve. Queries of one
    number of documents are compared side by side.
    """
    lengths = np.diff(pool.offsets)
    ranks = [ranks_by_run(pool, entry.place, entry.rank) for entry in pool.entries]
    order = summing_order(pool.entries, weights)
    whole = bool((weights == 1).all()) and len(order) < STRIP
    # Majorities smaller than this are rounding.
    reach = 0.0 if whole else NOISE * float(weights.sum())
    found = np.empty(pool.size)
    for queries, n in query_blocks(lengths):
        places = pool.offsets[queries][:, None] + np.arange(n)
        lines = [ranks[i][places] for i in order]
        surplus = np.zeros((queries.size, n), np.int64)
        size = min(STRIP, max(1, PAIRS // (queries.size * n)))
        for start in range(0, n, size):
            these = slice(start, min(start + size, n))
            net = net_counts(lines, these) if whole else net_weights(lines, these, weights[order])
            beaten = (net > reach).view(np.int8) - (net < -reach).view(np.int8)
            # Of each document, those that it is ahead of, less those that are ahead of it. A pair within these stands
            # there twice, once from either side; one with a later document once, and counts for that one here, too.
            surplus[:, these] += beaten.sum(axis=2, dtype=np.int64)
            surplus[:, these.stop :] -= beaten[:, :, these.stop - start :].sum(axis=1, dtype=np.int8)
        # Half for each that is neither ahead nor behind.
        found[places] = 1 + (n - 1 + surplus) / 2
    return found


def ranks_by_run(pool: RunPool, place: Ints, rank: Ints) -> Ranks:
    """(documents) the ranks by a run, in the fewest bits; the greatest number for what it lacks."""
    few = int(rank.max(initial=0)) < np.iinfo(np.uint16).max
    found: Ranks = np.zeros(pool.size, np.uint16) if few else np.zeros(pool.size, np.uint32)
    found -= 1
    found[place] = rank
    return found


def net_counts(lines: list[Ranks], these: slice) -> npt.NDArray[np.int8]:
    """(queries, these, documents from these on) how many runs have each of these before each other, less those that
    have it behind. lines: (queries, documents) the ranks by each run.
    """
    queries, n = lines[0].shape
    net = np.zeros((queries, these.stop - these.start, n - these.start), np.int8)
    compared = np.empty(net.shape, np.bool_)
    as_number = compared.view(np.int8)
    for line in lines:
        ours, others = line[:, these, None], line[:, None, these.start :]
        np.less(ours, others, out=compared)
        net += as_number
        np.greater(ours, others, out=compared)
        net -= as_number
    return net


def net_weights(lines: list[Ranks], these: slice, weights: Floats) -> Floats:
    """The same of the runs' weights."""
    queries, n = lines[0].shape
    net = np.zeros((queries, these.stop - these.start, n - these.start))
    for line, weight in zip(lines, weights.tolist(), strict=True):
        ours, others = line[:, these, None], line[:, None, these.start :]
        net += weight * (ours < others)
        net -= weight * (ours > others)
    return net


def query_blocks(lengths: Ints) -> Iterator[tuple[Ints, int]]:
    """Queries of one number of documents, as many as may be compared at a time, and that number."""
    for n in np.unique(lengths[lengths > 0]).tolist():
        queries = np.flatnonzero(lengths == n)
        step = max(1, PAIRS // (n * n))
        for a in range(0, queries.size, step):
            yield queries[a : a + step], n

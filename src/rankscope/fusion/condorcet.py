"""Condorcet fuse: documents by how many others they beat in pairwise comparisons."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankscope.fusion.comb import summing_order
from rankscope.fusion.pool import RunPool
from rankscope.kernels.rounding_ties import NOISE
from rankscope.typing import Floats, Ints

__all__ = [
    "condorcet_scores",
]


Ranks = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
#: Most pairs of documents compared at a time, so that their tables stay in the processor's cache.
PAIRS = 250_000
#: Most documents compared with all others at a time: their sums fit into eight bits.
STRIP = 127


def condorcet_scores(pool: RunPool, weights: Floats) -> Floats:
    """(documents) 1, and 1 more for each other document of the query that it beats, half for each that it ties with.

    A document beats another if the runs that rank it higher have more weight than those that rank it lower. A run
    ranks documents that it did not retrieve below those that it did, and does not compare two that it did not retrieve.
    Queries with the same number of documents are compared together.
    """
    lengths = np.diff(pool.offsets)
    ranks = [ranks_by_run(pool, entry.document, entry.rank) for entry in pool.entries]
    order = summing_order(pool.entries, weights)
    unweighted = bool((weights == 1).all()) and len(order) < STRIP
    # Majorities smaller than this are rounding.
    tolerance = 0.0 if unweighted else NOISE * float(weights.sum())
    scores = np.empty(pool.size)
    for queries, n in query_blocks(lengths):
        documents = pool.offsets[queries][:, None] + np.arange(n)
        run_ranks = [ranks[i][documents] for i in order]
        surplus = np.zeros((queries.size, n), np.int64)
        strip_size = min(STRIP, max(1, PAIRS // (queries.size * n)))
        for start in range(0, n, strip_size):
            strip = slice(start, min(start + strip_size, n))
            net_support = net_counts(run_ranks, strip) if unweighted else net_weights(run_ranks, strip, weights[order])
            beats = (net_support > tolerance).view(np.int8) - (net_support < -tolerance).view(np.int8)
            # For each document, those that it beats less those that beat it. A pair within the strip occurs twice,
            # once from either side; a pair with a later document occurs once, so it is counted for that one here too.
            surplus[:, strip] += beats.sum(axis=2, dtype=np.int64)
            surplus[:, strip.stop :] -= beats[:, :, strip.stop - start :].sum(axis=1, dtype=np.int8)
        # Half for each document that neither beats it nor is beaten.
        scores[documents] = 1 + (n - 1 + surplus) / 2
    return scores


def ranks_by_run(pool: RunPool, documents: Ints, rank: Ints) -> Ranks:
    """(documents) the ranks by a run, in few bits; the largest number for documents that it lacks."""
    fits_16_bits = int(rank.max(initial=0)) < np.iinfo(np.uint16).max
    ranks: Ranks = np.zeros(pool.size, np.uint16) if fits_16_bits else np.zeros(pool.size, np.uint32)
    ranks -= 1
    ranks[documents] = rank
    return ranks


def net_counts(run_ranks: list[Ranks], strip: slice) -> npt.NDArray[np.int8]:
    """(queries, strip, documents from the strip on) how many runs rank each document of the strip above each other one,
    less those that rank it below. run_ranks: (queries, documents) the ranks by each run.
    """
    n_queries, n = run_ranks[0].shape
    net = np.zeros((n_queries, strip.stop - strip.start, n - strip.start), np.int8)
    compared = np.empty(net.shape, np.bool_)
    as_number = compared.view(np.int8)
    for ranks in run_ranks:
        strip_ranks, other_ranks = ranks[:, strip, None], ranks[:, None, strip.start :]
        np.less(strip_ranks, other_ranks, out=compared)
        net += as_number
        np.greater(strip_ranks, other_ranks, out=compared)
        net -= as_number
    return net


def net_weights(run_ranks: list[Ranks], strip: slice, weights: Floats) -> Floats:
    """As `net_counts`, with the runs' weights."""
    n_queries, n = run_ranks[0].shape
    net = np.zeros((n_queries, strip.stop - strip.start, n - strip.start))
    for ranks, weight in zip(run_ranks, weights.tolist(), strict=True):
        strip_ranks, other_ranks = ranks[:, strip, None], ranks[:, None, strip.start :]
        net += weight * (strip_ranks < other_ranks)
        net -= weight * (strip_ranks > other_ranks)
    return net


def query_blocks(lengths: Ints) -> Iterator[tuple[Ints, int]]:
    """Blocks of queries with the same number of documents, and that number."""
    for n in np.unique(lengths[lengths > 0]).tolist():
        queries = np.flatnonzero(lengths == n)
        block_size = max(1, PAIRS // (n * n))
        for start in range(0, queries.size, block_size):
            yield queries[start : start + block_size], n

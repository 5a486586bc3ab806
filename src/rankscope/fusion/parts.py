"""Some queries of a pool, as a pool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.typing import Bools, Ints

__all__ = ["PoolSubset", "pool_subset"]


class PoolSubset(NamedTuple):
    """Some queries of a pool. documents: (documents of the part) their numbers in the whole pool."""

    pool: RunPool
    documents: Ints


def pool_subset(pool: RunPool, kept: Bools) -> PoolSubset:
    """The pool as if the runs had answered these queries alone. kept: (queries) by the pool's numbers."""
    if kept.all():
        return PoolSubset(pool, np.arange(pool.size))
    queries = np.flatnonzero(kept)
    lengths = np.diff(pool.offsets)[queries]
    documents = ranges(pool.offsets[queries], lengths)
    document, query = np.full(pool.size, -1), np.full(kept.size, -1)
    document[documents], query[queries] = np.arange(documents.size), np.arange(queries.size)
    order = query[pool.order]
    ids = [pool.query_ids[i] for i in queries.tolist()]
    entries = tuple(subset_of_run(entry, document, query) for entry in pool.entries)
    return PoolSubset(RunPool(ids, order[order >= 0], bounds(lengths), pool.docs.take(documents), entries), documents)


def subset_of_run(entry: PooledRun, document: Ints, query: Ints) -> PooledRun:
    """What is left of a run. document, query: new numbers by the old ones, -1 for what goes."""
    lists = query[entry.query] >= 0
    rows = np.repeat(lists, entry.lengths)
    return PooledRun(
        place=document[entry.place[rows]],
        query=query[entry.query[lists]],
        lengths=entry.lengths[lists],
        rank=entry.rank[rows],
        scores=entry.scores[rows],
        mark=entry.mark,  # of the whole run, so that parts are summed in the order of the whole
    )

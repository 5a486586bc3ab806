"""Fused scores as lists, each from the best document down."""

from __future__ import annotations

import numpy as np

from rankscope.data.rows import Rows
from rankscope.fusion.pool import RunPool
from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, hashes, order_descending
from rankscope.typing import Floats, Ints

__all__ = ["fused_rows"]


def fused_rows(pool: RunPool, scores: Floats) -> Rows:
    """The fused lists, each from the best document down, in the order in which queries were first seen."""
    lengths = np.diff(pool.offsets)
    order = best_first(scores, pool.offsets, pool.docs)
    if (pool.order[1:] < pool.order[:-1]).any():
        order = order[ranges(pool.offsets[pool.order], lengths[pool.order])]
    ids = [pool.query_ids[i] for i in pool.order.tolist()]
    docs = pool.docs.take(order)
    return Rows(ids, bounds(lengths[pool.order]), docs, hashes(docs), scores[order], lambda _: "the fused run")


def best_first(scores: Floats, offsets: Ints, docs: Fields) -> Ints:
    """The order of the documents by query, then score falling, then id, bytes falling: as `rank_rows` ranks them.

    Ranks are what a join asks for, of some rows; whoever writes all of them wants the order alone, for less.
    """
    order = order_falling(scores, np.diff(offsets), stable=False)
    sorted_ = scores[order]
    new = np.ones(order.size + 1, np.bool_)
    np.not_equal(sorted_[1:], sorted_[:-1], out=new[1:-1])
    new[offsets] = True
    starts = np.flatnonzero(new)
    lengths = np.diff(starts)
    tied = np.flatnonzero(lengths > 1)
    if tied.size:
        places = ranges(starts[tied], lengths[tied])
        rows = order[places]
        order[places] = rows[order_descending(np.repeat(np.arange(tied.size), lengths[tied]), docs.take(rows))]
    return order

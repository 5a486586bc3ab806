"""The best order possible that is nearest to a run, as hits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.measures.base import Binary, Measure
from rankscope.measures.graded import GainMeasure
from rankscope.typing import Floats, Grades

__all__ = [
    "ideal_hits",
]


def ideal_hits(measure: Measure, hits: Hits, qrels: Qrels) -> Hits:
    """The hits of the best order possible that is nearest to a run.

    All documents that count, by falling gain. Those of the same gain are in the order of the run, and those that it
    lacks last, so that as few as possible move.

    Parameters
    ----------
    measure
        The measure.
    hits
        The hits of the run.
    qrels
        The judgments.
    """
    relevance, query = qrels.relevance, group_of(qrels.offsets)
    gain = gains_of(measure, relevance, hits)
    rank_in_run = np.full(relevance.size, np.inf)
    rank_in_run[qrels.offsets[hits.query] + hits.judged] = hits.rank
    counting = np.flatnonzero(gain > 0)
    order = counting[np.lexsort((rank_in_run[counting], -gain[counting], query[counting]))]
    lengths = np.bincount(query[order], minlength=len(hits))
    offsets = bounds(lengths)
    rank = (place_in_group(offsets) + 1).astype(np.float64)
    return replace(
        hits,
        offsets=offsets,
        rank=rank,
        first=rank,
        last=rank,
        relevance=relevance[order],
        judged=order - qrels.offsets[query[order]],
        retrieved=lengths,
        missing=np.zeros(len(hits), np.bool_),
        _memory={},
    )


def gains_of(measure: Measure, relevance: Grades, hits: Hits) -> Floats:
    """What each grade gains: by the measure, if it has gains; 1 or 0 for one of binary relevance; else the grade."""
    if isinstance(measure, GainMeasure):
        return measure.gain_of(relevance)
    grades = np.maximum(relevance, 0).astype(np.float64)
    return np.where(relevance >= measure.level(hits), 1.0 if isinstance(measure, Binary) else grades, 0.0)

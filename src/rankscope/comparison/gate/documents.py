"""Documents that moved: what two systems rank differently on the queries that decide."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from rankscope.comparison.gate.result import Gate, MeasureGate, MovedDocument
from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_ids
from rankscope.kernels.text import decode

__all__ = [
    "moved_documents",
]


#: Documents of a query at most.
MOST_DOCUMENTS = 3


def moved_documents(
    gate: Gate, qrels: Qrels, hits: Sequence[Hits | None]
) -> dict[tuple[str, str, str], tuple[MovedDocument, ...]]:
    """By measure, baseline and query, the relevant documents that moved most, of the queries with most gain and loss.

    Parameters
    ----------
    gate
        The gate.
    qrels
        The judgments.
    hits
        What each system of the gate retrieved; None if that is not known.
    """
    documents = {}
    for measure_gate in gate.measure_gates:
        place = gate.scores.systems.index(measure_gate.baseline)
        new, old = hits[0], hits[place]
        if new is None or old is None:
            continue
        depth = cutoff_of(measure_gate, gate)
        place_of_query = {query: place for place, query in enumerate(new.query_ids)}
        for index in (*measure_gate.hurt.tolist(), *measure_gate.helped.tolist()):
            query = gate.scores.query_ids[int(measure_gate.measure_values.queries[index])]
            key = (measure_gate.measure, measure_gate.baseline, query)
            documents[key] = moved_in_query(qrels, new, old, place_of_query[query], depth)
    return documents


def cutoff_of(measure_gate: MeasureGate, gate: Gate) -> float:
    """Down to which rank the measure sees a list."""
    measure: Any = gate.scores.measures[gate.scores.place_of(measure_gate.measure)]
    cutoff = getattr(measure, "cutoff", None)
    return cutoff if isinstance(cutoff, int) else inf


def moved_in_query(qrels: Qrels, new: Hits, old: Hits, query: int, depth: float) -> tuple[MovedDocument, ...]:
    """The documents of one query that moved, those first whose gain at 1 / log2(rank + 1) changed most."""
    ranks: list[dict[int, float]] = []
    grades: dict[int, float] = {}
    for hits in (old, new):
        own = slice(int(hits.offsets[query]), int(hits.offsets[query + 1]))
        judged, rank = hits.judged[own].tolist(), hits.rank[own].tolist()
        ranks.append({document: r for document, r in zip(judged, rank, strict=True) if r <= depth})
        grades.update(zip(judged, hits.relevance[own].tolist(), strict=True))
    old_ranks, new_ranks = ranks
    moved = [
        document
        for document, grade in grades.items()
        if grade > 0 and old_ranks.get(document) != new_ranks.get(document)
    ]

    def change(document: int) -> float:
        """How much the gain of the document changed."""
        gains = [1 / np.log2(by_document[document] + 1) if document in by_document else 0.0 for by_document in ranks]
        return float(grades[document] * abs(gains[1] - gains[0]))

    moved.sort(key=lambda document: (-change(document), document))
    most_moved = moved[:MOST_DOCUMENTS]
    rows = np.array(most_moved, np.int64) + int(qrels.offsets[query])
    ids = decode_ids(decode(qrels.docs.take(rows)), errors="replace") if most_moved else []
    return tuple(
        MovedDocument(name, grades[document], old_ranks.get(document), new_ranks.get(document))
        for name, document in zip(ids, most_moved, strict=True)
    )

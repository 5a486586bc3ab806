"""Pairs of hits: the judged documents that either of two systems retrieved, with their ranks in both lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.typing import Bools, Floats, Grades, Ints

__all__ = [
    "HitPairs",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class HitPairs:
    """The judged documents that either of two systems retrieved, ordered by query, then by `judged`.

    Attributes
    ----------
    a, b
        The hits of both systems, of the same judgments.
    query
        Index of each document's query, (documents).
    judged
        Index of each document among the judged ones of its query.
    relevance
        Grade of each document.
    hit_a, hit_b
        Index of each document among the hits of a system; -1 if the system did not retrieve it.
    rank_a, rank_b
        Rank of each document; infinite if the system did not retrieve it.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q": {"d1": 2, "d2": 0, "d3": 1}})
    >>> a, b = (rs.hits_of(qrels, {"q": docs}) for docs in (["d3", "d1"], ["d1", "x", "d2"]))
    >>> pairs = HitPairs.of(a, b)
    >>> pairs.relevance.tolist(), pairs.rank_a.tolist(), pairs.rank_b.tolist()
    ([2, 0, 1], [2.0, inf, 1.0], [1.0, 3.0, inf])
    """

    a: Hits
    b: Hits
    query: Ints
    judged: Ints
    relevance: Grades
    hit_a: Ints
    hit_b: Ints
    rank_a: Floats
    rank_b: Floats

    @classmethod
    def of(cls, a: Hits, b: Hits) -> HitPairs:
        """The pairs of two systems. Raises ParameterError for hits of other judgments or conventions."""
        if a.query_ids != b.query_ids or (a.ties, a.precision, a.rel) != (b.ties, b.precision, b.rel):
            raise ParameterError("the hits of both systems are of different judgments or conventions; join them alike")
        documents_a, documents_b = (hits.grade_offsets[hits.query] + hits.judged for hits in (a, b))
        documents = np.union1d(documents_a, documents_b)
        hit_a, hit_b = (np.full(documents.size, -1, np.int64) for _ in range(2))
        hit_a[documents.searchsorted(documents_a)] = np.arange(documents_a.size)
        hit_b[documents.searchsorted(documents_b)] = np.arange(documents_b.size)
        query = a.grade_offsets.searchsorted(documents, side="right") - 1
        relevance = np.empty(documents.size, a.relevance.dtype)
        for hits, hit in ((b, hit_b), (a, hit_a)):
            relevance[hit >= 0] = hits.relevance[hit[hit >= 0]]
        rank_a, rank_b = pick(a.rank, hit_a, np.inf), pick(b.rank, hit_b, np.inf)
        return cls(
            a=a,
            b=b,
            query=query,
            judged=documents - a.grade_offsets[query],
            relevance=relevance,
            hit_a=hit_a,
            hit_b=hit_b,
            rank_a=rank_a,
            rank_b=rank_b,
        )

    def __len__(self) -> int:
        """How many documents."""
        return self.query.size

    @property
    def moved(self) -> Bools:
        """(documents) whether each has another rank in the second list, or is in one of the lists only."""
        return np.not_equal(self.rank_a, self.rank_b)

    def differences(self, values_a: Floats, values_b: Floats) -> Floats:
        """(documents) the value of its hit in the first list less that in the second; 0 for a list that lacks it."""
        return pick(values_a, self.hit_a, 0.0) - pick(values_b, self.hit_b, 0.0)


def pick(values: Floats, index: Ints, missing: float) -> Floats:
    """The values at these indices; `missing` for the index -1."""
    picked = np.full(index.size, missing)
    picked[index >= 0] = values[index[index >= 0]]
    return picked

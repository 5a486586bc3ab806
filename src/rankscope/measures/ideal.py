"""trec_eval's other measures of graded gain: nDCG averaged over ranks, and gain against effort (G, binG)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.gain import discount_log2
from rankscope.kernels.segments import bounds, cumulative_sum, group_of, place_in_group, sum_by_group
from rankscope.measures.base import Binary, ratio
from rankscope.measures.graded import CutGained, Gained
from rankscope.typing import Floats, Ints

__all__ = ["BinG", "G", "IdealDCG", "RnDCG", "nDCGRel"]


@dataclass(frozen=True, kw_only=True)
class IdealDCG(CutGained):
    """The DCG of the ideal ranking of all judged documents: what nDCG divides by; at least 0. No direction: it is not
    the system's. Without a judged document that gains something: 0.
    """

    name: ClassVar[str] = "IdealDCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    source: ClassVar[str] = "trec_eval 10 ideal_dcg"
    averaged: ClassVar[bool] = True
    first_only: ClassVar[tuple[str, ...]] = ("gain", "discount", "base")

    def values(self, hits: Hits) -> Floats:
        return self.ideal_dcg(hits)


class Curves:
    """DCG of a list and of the ideal ranking, as they grow with the rank, for any (query, rank)."""

    def __init__(self, measure: Gained, hits: Hits) -> None:
        measure.check_grades(hits)
        gains = measure.gain_of(hits.grades)
        positive = gains > 0
        #: (queries) how many judged documents gain something: the last rank of the ideal with gain.
        self.last = sum_by_group(positive, hits.grade_query, len(hits)).astype(np.int64)
        if (np.diff(gains)[np.diff(hits.grades) <= 0] > 0).any():  # given gains need not rise with the grade
            order = np.lexsort((-gains, hits.grade_query))
            gains, positive = gains[order], positive[order]
        #: (positive judged) their gains by query, falling, with offsets.
        self.gains = gains[positive]
        self.offsets = bounds(self.last)
        rank = (place_in_group(self.offsets) + 1).astype(np.float64)
        self.ideal = np.append(cumulative_sum(self.gains * discount_log2(rank), self.offsets), 0.0)
        self.hits = hits
        own = measure.gain_of(hits.relevance)
        self.gained = own > 0
        self.own = np.append(cumulative_sum(own * discount_log2(hits.rank), hits.offsets), 0.0)
        self.place = hits.query * (LARGEST + 1.0) + np.minimum(hits.rank, LARGEST)

    def ideal_to(self, query: Ints, rank: Floats) -> Floats:
        """DCG of the ideal ranking's first documents."""
        n = np.minimum(rank, self.last[query]).astype(np.int64)
        return np.where(n > 0, self.ideal[self.offsets[query] + n - 1], 0.0)

    def own_to(self, query: Ints, rank: Floats) -> Floats:
        """DCG of the list's first documents; of all of them beyond its end."""
        after = np.searchsorted(self.place, query * (LARGEST + 1.0) + np.minimum(rank, LARGEST), side="right")
        return np.where(after > self.hits.offsets[query], self.own[after - 1], 0.0)


#: Ranks beyond this are one to `Curves`: no list is longer.
LARGEST = float(1 << 31)


@dataclass(frozen=True, kw_only=True)
class nDCGRel(Gained):
    """nDCG averaged over the ranks of the documents that gain something; in [0, 1], higher is better.

    The mean, over all judged documents with gain, of the nDCG at the rank where each was retrieved; for those not
    retrieved, the nDCG of the whole list. Without a judged document that gains something: 0.
    """

    name: ClassVar[str] = "nDCGRel"
    source: ClassVar[str] = "trec_eval ndcg_rel"

    def values(self, hits: Hits) -> Floats:
        curves = Curves(self, hits)
        rows = np.flatnonzero(curves.gained)
        query, rank = hits.query[rows], hits.rank[rows]
        at_rank = ratio(curves.own_to(query, rank), curves.ideal_to(query, rank))
        everyone = np.arange(len(hits))
        ends = np.full(len(hits), LARGEST)
        final = ratio(curves.own_to(everyone, ends), curves.ideal_to(everyone, ends))
        retrieved = hits.sum(curves.gained)
        total = sum_by_group(at_rank, query, len(hits)) + (curves.last - retrieved) * final
        return ratio(total, curves.last.astype(np.float64))


@dataclass(frozen=True, kw_only=True)
class RnDCG(Gained):
    """nDCG averaged over the ranks where the ideal gain changes; in [0, 1], higher is better.

    The mean of the nDCG just before each such rank, up to the one behind the last document with gain; a list longer
    than that adds its whole nDCG. 0 where no document reaches the least relevance that counts.
    """

    name: ClassVar[str] = "RnDCG"
    source: ClassVar[str] = "trec_eval Rndcg"
    rel: int | None = None

    def level(self, hits: Hits) -> int:
        return hits.rel if self.rel is None else self.rel

    def values(self, hits: Hits) -> Floats:
        curves = Curves(self, hits)
        n = len(hits)
        group = group_of(curves.offsets)
        # The last of each run of equal gains: behind it the ideal gain changes.
        change = np.ones(curves.gains.size, np.bool_)
        change[:-1] = (curves.gains[1:] != curves.gains[:-1]) | (group[1:] != group[:-1])
        rows = np.flatnonzero(change)
        query = group[rows]
        rank = (rows - curves.offsets[query] + 1).astype(np.float64)
        values = ratio(curves.own_to(query, rank), curves.ideal_to(query, rank))
        total = sum_by_group(values, query, n)
        count = np.bincount(query, minlength=n).astype(np.float64)
        longer = np.flatnonzero(hits.retrieved > curves.last + 1)
        ends = np.full(longer.size, LARGEST)
        total[longer] += ratio(curves.own_to(longer, ends), curves.ideal_to(longer, ends))
        count[longer] += 1
        return np.where(hits.n_relevant(self.level(hits)) > 0, ratio(total, count), 0.0)


@dataclass(frozen=True, kw_only=True)
class G(Gained):
    """Gain against effort: each gain discounted by the gain that an ideal list would hold there and this one lacks.

    In [0, 1], higher is better. sum of gain / log2(2 + C - S), over the total ideal gain: S = the gain retrieved up to
    the document, C = the sum, over the ranks up to it, of the ideal gain or 1 if that is less. Without a judged
    document that gains something: 0.
    """

    name: ClassVar[str] = "G"
    source: ClassVar[str] = "trec_eval G"

    def values(self, hits: Hits) -> Floats:
        curves = Curves(self, hits)
        own = self.gain_of(hits.relevance)
        retrieved = cumulative_sum(own, hits.offsets)
        at_least_one = np.append(cumulative_sum(np.maximum(curves.gains, 1.0), curves.offsets), 0.0)
        n = np.minimum(hits.rank, curves.last[hits.query]).astype(np.int64)
        ideal = np.where(n > 0, at_least_one[curves.offsets[hits.query] + n - 1], 0.0) + (hits.rank - n)
        gained = np.where(own > 0, own / np.log2(2.0 + np.where(own > 0, ideal - retrieved, 0.0)), 0.0)
        return ratio(hits.sum(gained), sum_by_group(curves.gains, group_of(curves.offsets), len(hits)))


@dataclass(frozen=True, kw_only=True)
class BinG(Binary):
    """The mean, over all relevant documents, of 1 / log2(2 + documents above that are not relevant); in [0, 1].

    Higher is better. Documents not retrieved add 0. Without relevant documents: 0.
    """

    name: ClassVar[str] = "BinG"
    source: ClassVar[str] = "trec_eval binG"

    def values(self, hits: Hits) -> Floats:
        above = hits.rank - 1.0 - hits.relevant_above(self.rel)
        gained = np.where(hits.relevant(self.rel), 1.0 / np.log2(2.0 + above), 0.0)
        return ratio(hits.sum(gained), hits.n_relevant(self.rel))

"""Fewer judgments of the same documents: some dropped at random, or those that a shallower pool would have held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.typing import Bools, Floats, Ints

__all__ = ["PooledJudgments", "JudgmentSubset", "judgments_of"]


#: So many relevant and not relevant documents of each query are kept at least, where it has them.
LEAST = (1, 10)
#: The relevance of a document that is in the pool, but was not judged.
POOLED = -1


@dataclass(frozen=True, eq=False)
class JudgmentSubset:
    """The judgments that are left. marked: (judged) which of all judgments these are.

    relevance, places, grades, grade_offsets: as `Hits.rejudged` takes them.
    """

    marked: Bools
    relevance: Ints
    places: Ints
    grades: Ints
    grade_offsets: Ints
    memory: dict[Any, Any] = field(default_factory=dict)

    def seen_by(self, hits: Hits) -> Hits:
        """The hits of one run by these judgments. All runs share what follows from the judgments alone."""
        return hits.rejudged(
            relevance=self.relevance,
            places=self.places,
            grades=self.grades,
            grade_offsets=self.grade_offsets,
            memory=self.memory,
        )


@dataclass(frozen=True, eq=False)
class PooledJudgments:
    """All judgments, by query, then place as in `Hits.judged`.

    offsets: (queries + 1). relevance: (judged). best: (judged) the best rank at which some run lists it, infinite where
    none does. rel: least relevance that counts.
    """

    offsets: Ints
    relevance: Ints
    best: Floats
    rel: int

    @cached_property
    def query(self) -> Ints:
        """(judged) the query of each."""
        return group_of(self.offsets)

    @cached_property
    def judged(self) -> Bools:
        """(judged) which were judged: those of negative relevance were pooled only."""
        return np.asarray(self.relevance >= 0)

    @property
    def deepest(self) -> int:
        """The depth within which some run lists each judged document that any run lists; 0 where none lists any."""
        return int(np.ceil(self.best[np.isfinite(self.best)].max(initial=0)))

    @cached_property
    def stratum(self) -> Ints:
        """(judged) the query and whether it is relevant, not relevant, or not judged: 3 query + 0, 1 or 2."""
        return np.asarray(3 * self.query + np.where(self.judged, self.relevance < self.rel, 2), np.int64)

    @cached_property
    def sizes(self) -> Ints:
        """(3 queries) documents of each stratum."""
        return np.bincount(self.stratum, minlength=3 * (self.offsets.size - 1))

    def relevant_of(self, marked: Bools) -> Ints:
        """(queries) how many of the marked ones are relevant."""
        n = self.offsets.size - 1
        return np.bincount(self.query[marked & (self.relevance >= self.rel)], minlength=n)

    def shuffled(self, rng: np.random.Generator) -> Ints:
        """(judged) the turn of each within its stratum, from 0, in an order drawn anew."""
        order = np.lexsort((rng.random(self.relevance.size), self.stratum))
        turn = np.empty(order.size, np.int64)
        turn[order] = place_in_group(bounds(self.sizes))
        return turn

    def sampled(self, turn: Ints, share: float) -> JudgmentSubset:
        """What is left where of each stratum the first by `turn` are kept, this share of them, rounded half up.

        But at least `LEAST`. The others stay in the pool, unjudged.
        """
        counts = np.floor(share * self.sizes + 0.5).astype(np.int64)
        for s, least in enumerate(LEAST):
            counts[s::3] = np.maximum(counts[s::3], least)
        kept = self.judged & (turn < counts[self.stratum])
        relevance = np.where(self.judged & ~kept, POOLED, self.relevance)
        return self._kept(kept, relevance, np.ones(kept.size, np.bool_))

    def within(self, depth: int) -> JudgmentSubset:
        """What is left where only documents were pooled that some run ranks within the depth."""
        pooled = np.asarray(self.best <= depth)
        return self._kept(pooled & self.judged, self.relevance, pooled)

    def _kept(self, marked: Bools, relevance: Ints, there: Bools) -> JudgmentSubset:
        query = self.query[there]
        offsets = bounds(np.bincount(query, minlength=self.offsets.size - 1))
        places = np.full(there.size, -1)
        places[there] = place_in_group(offsets)
        grades = relevance[there]
        return JudgmentSubset(marked, relevance, places, grades[np.lexsort((-grades, query))], offsets)


def judgments_of(systems: Sequence[tuple[str, Hits]]) -> PooledJudgments:
    """All judgments, put together from the hits of runs that were joined with the same ones.

    Hits know the place of each judged document that the run lists, and the grades of all. So a document that no run
    lists has one of the grades left over; which, is nothing that a measure could tell. Raises ParameterError for runs
    that were joined with different judgments.
    """
    first = systems[0][1]
    n = first.grades.size
    relevance, best, listed = np.zeros(n, np.int64), np.full(n, np.inf), np.zeros(n, np.bool_)
    for name, hits in systems:
        if not same_judgments(hits, first):
            raise different_judgments_error(name, systems[0][0])
        place = first.grade_offsets[hits.query] + hits.judged
        if (relevance[place][listed[place]] != hits.relevance[listed[place]]).any():
            raise different_judgments_error(name, systems[0][0])
        relevance[place], listed[place] = hits.relevance, True
        best[place] = np.minimum(best[place], hits.rank)
    # Grades by query, then falling: what is left of each takes the places that are free, which are by query too.
    levels, level = np.unique(-first.grades, return_inverse=True)
    codes, total = np.unique(first.grade_query * levels.size + level.reshape(-1), return_counts=True)
    taken = first.grade_query[listed] * levels.size + np.searchsorted(levels, -relevance[listed])
    left = total - np.bincount(np.searchsorted(codes, taken), minlength=codes.size)
    if (left < 0).any():
        raise different_judgments_error(systems[-1][0], systems[0][0])
    relevance[~listed] = np.repeat(-levels[codes % levels.size], left)
    return PooledJudgments(first.grade_offsets, relevance, best, first.rel)


def different_judgments_error(name: str, first: str) -> ParameterError:
    return ParameterError(
        f"{name} was joined with other judgments or conventions than {first}, expected the same for all; join them "
        "together"
    )


def same_judgments(a: Hits, b: Hits) -> bool:
    """Whether both hold the same queries with the same grades, and were joined alike."""
    return (
        a.query_ids == b.query_ids
        and (a.rel, a.ties, a.precision) == (b.rel, b.ties, b.precision)
        and np.array_equal(a.grade_offsets, b.grade_offsets)
        and np.array_equal(a.grades, b.grades)
    )

"""What measures of diversity share: which documents are relevant to which subtopics, and where a reader meets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.order import ranges, stable_order
from rankscope.kernels.segments import place_in_group
from rankscope.measures.base import Binary
from rankscope.typing import Bools, Floats, Ints

__all__ = ["Aspects", "Diversity", "SubtopicHits"]


class Aspects(NamedTuple):
    """Which documents are relevant to which subtopics: one entry a (document, subtopic).

    document: (entries) rising, its number among all judged ones. offsets: (documents + 1) the entries of each.
    query: (entries). subtopic: (entries) a number that no other query's subtopics have. n_subtopics: (queries) how many
    have a relevant document. n_codes: how many numbers of subtopics there are.
    """

    document: Ints
    offsets: Ints
    query: Ints
    subtopic: Ints
    n_subtopics: Floats
    n_codes: int


def aspects_of(hits: Hits, rel: int) -> Aspects:
    """What is relevant, at this level. Raises ParameterError where judgments are not by subtopic."""
    by = hits.subtopics
    if by is None:
        raise ParameterError("the judgments are not by subtopic; expected a column subtopic beside them")
    most = int(by.subtopic.max(initial=0)) + 1
    query = by.query
    kept = np.flatnonzero(by.relevance >= rel)
    query = query[kept]
    document = by.judged[kept] + hits.grade_offsets[query]
    subtopic = query * most + by.subtopic[kept]
    distinct = np.unique(subtopic)
    return Aspects(
        document=document,
        offsets=np.searchsorted(document, np.arange(int(hits.grade_offsets[-1]) + 1)),
        query=query,
        subtopic=subtopic,
        n_subtopics=np.bincount(distinct // most, minlength=len(hits)).astype(np.float64),
        n_codes=most * len(hits),
    )


class SubtopicHits(NamedTuple):
    """What a reader meets going down the lists: one entry a (hit, subtopic that it is relevant to), in order of rank.

    before: how many documents above it are relevant to the same subtopic.
    """

    query: Ints
    subtopic: Ints
    rank: Floats
    before: Ints


def count_above(subtopic: Ints) -> Ints:
    """How many entries before each are of the same subtopic."""
    order = stable_order(subtopic)
    starts = np.flatnonzero(np.diff(subtopic[order], prepend=-1))
    found = np.empty(subtopic.size, np.int64)
    found[order] = place_in_group(np.append(starts, subtopic.size))
    return found


@dataclass(frozen=True, kw_only=True)
class Diversity(Binary):
    """What they share: what a document is relevant to."""

    needs_subtopics: ClassVar[bool] = True

    def aspects(self, hits: Hits) -> Aspects:
        level = self.level(hits)
        return hits.once_for_pool(("aspects", level), lambda: aspects_of(hits, level))

    def seen(self, hits: Hits) -> SubtopicHits:
        return hits.once(("seen", self.level(hits)), lambda: self.look(hits))

    def look(self, hits: Hits) -> SubtopicHits:
        aspects = self.aspects(hits)
        document = hits.grade_offsets[hits.query] + hits.judged
        counts = (aspects.offsets[1:] - aspects.offsets[:-1])[document]
        entries = ranges(aspects.offsets[document], counts)
        subtopic = aspects.subtopic[entries]
        return SubtopicHits(
            np.repeat(hits.query, counts), subtopic, np.repeat(hits.rank, counts), count_above(subtopic)
        )

    def within(self, seen: SubtopicHits, cutoff: int | None) -> Bools:
        return np.ones(seen.rank.size, np.bool_) if cutoff is None else seen.rank <= cutoff

    def defined(self, hits: Hits) -> Bools:
        return self.aspects(hits).n_subtopics > 0

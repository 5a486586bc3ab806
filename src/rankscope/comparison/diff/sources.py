"""Sources of a difference: relevant documents found or lost, ranked higher or lower, and unjudged ones in their way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.measures.base import Measure
from rankscope.typing import Floats, Ints

__all__ = [
    "SOURCES",
    "DocumentSources",
    "SourceSum",
    "sources_of",
    "sum_sources",
]


#: What a document's contribution comes from, and in words. A document is found that the second system did not retrieve
#: at all, and lost that the first one did not; else it moved.
SOURCES = {
    "found": "relevant documents found",
    "higher": "relevant documents ranked higher",
    "lost": "relevant documents lost",
    "lower": "relevant documents ranked lower",
    "nonrelevant": "documents not relevant",
    "same": "documents at the same rank",
}
FOUND, HIGHER, LOST, LOWER, NONRELEVANT, SAME = range(len(SOURCES))
#: The further terms of the sum over all documents.
UNJUDGED_GONE, UNJUDGED_AHEAD, LENGTH = "unjudged_gone", "unjudged_ahead", "length"
TERMS = {
    **{name: SOURCES[name] for name in ("found", "higher")},
    UNJUDGED_GONE: "fewer unjudged documents ahead",
    **{name: SOURCES[name] for name in ("lost", "lower")},
    UNJUDGED_AHEAD: "more unjudged documents ahead",
    **{name: SOURCES[name] for name in ("nonrelevant", "same")},
    LENGTH: "the lengths of the lists",
}


class DocumentSources(NamedTuple):
    """Where the contribution of each document comes from.

    Attributes
    ----------
    source
        (documents) index of one of `SOURCES`.
    unjudged_share
        (documents) the share of its change of rank that is due to unjudged documents, in [0, 1].
    """

    source: Ints
    unjudged_share: Floats


class SourceSum(NamedTuple):
    """One term of the difference.

    Attributes
    ----------
    name
        One of `TERMS`.
    n_documents, n_queries
        Documents with a contribution to it, and their queries.
    total
        The sum of their contributions.
    """

    name: str
    n_documents: int
    n_queries: int
    total: float


class Positions(NamedTuple):
    """Where documents stand in one list, those beyond its end or the cutoff right behind that.

    Attributes
    ----------
    position
        (documents) rank, at most one more than the cutoff; one more than the length for a document not retrieved.
    n_unjudged
        Number of unjudged documents above each.
    """

    position: Floats
    n_unjudged: Floats


def sources_of(measure: Measure, pairs: HitPairs) -> DocumentSources:
    """Where the contributions come from.

    A document that changes its rank does so since others are no longer above it, or newly are. If it falls by n ranks
    and m more unjudged documents are above it, the share m / n is theirs; and likewise if it rises.
    """
    in_a = positions_in(measure, pairs.a, pairs.query, pairs.rank_a)
    in_b = positions_in(measure, pairs.b, pairs.query, pairs.rank_b)
    change = in_a.position - in_b.position
    in_both = np.isfinite(pairs.rank_a) & np.isfinite(pairs.rank_b)
    source = np.full(len(pairs), SAME)
    source[in_both & (pairs.rank_a < pairs.rank_b)] = HIGHER
    source[in_both & (pairs.rank_a > pairs.rank_b)] = LOWER
    source[np.isinf(pairs.rank_b)] = FOUND
    source[np.isinf(pairs.rank_a)] = LOST
    source[(pairs.relevance < measure.level(pairs.a)) & (source != SAME)] = NONRELEVANT
    # A document may be found further down than the other list ends: nothing that was ahead of it is gone.
    is_explained = np.where((source == FOUND) | (source == HIGHER), change < 0, change > 0)
    share = np.divide(in_a.n_unjudged - in_b.n_unjudged, change, out=np.zeros(len(pairs)), where=is_explained)
    return DocumentSources(source, np.where(source < NONRELEVANT, np.clip(share, 0.0, 1.0), 0.0))


def positions_in(measure: Measure, hits: Hits, query: Ints, rank: Floats) -> Positions:
    """Where documents stand in one list. query, rank: (documents) rank is infinite for a document not retrieved."""
    cutoff = measure.resolve_cutoff(hits)
    depth = np.broadcast_to(np.asarray(np.inf if cutoff is None else cutoff, np.float64), (len(hits),))[query]
    retrieved = hits.retrieved[query].astype(np.float64)
    position = np.minimum(rank, depth + 1)
    position = np.where(np.isinf(position), retrieved + 1, position)
    n_above = np.minimum(position - 1, retrieved)
    is_judged = hits.relevance >= 0
    stride = float(hits.retrieved.max(initial=0)) + 2
    keys = hits.query[is_judged] * stride + hits.rank[is_judged]
    first = np.searchsorted(keys, query * stride)
    n_judged = np.searchsorted(keys, query * stride + n_above, side="right") - first
    return Positions(position, n_above - n_judged)


def sum_sources(query: Ints, contribution: Floats, sources: DocumentSources, length: Floats) -> tuple[SourceSum, ...]:
    """The terms of the sum of all contributions; those without any document are left out.

    Parameters
    ----------
    query, contribution, sources
        Of the documents.
    length
        (queries) what the lengths of the lists contribute.
    """
    by_unjudged = contribution * sources.unjudged_share
    by_others = contribution - by_unjudged
    parts = {name: np.where(sources.source == index, by_others, 0.0) for index, name in enumerate(SOURCES)}
    parts[UNJUDGED_GONE] = np.where(np.isin(sources.source, (FOUND, HIGHER)), by_unjudged, 0.0)
    parts[UNJUDGED_AHEAD] = np.where(np.isin(sources.source, (LOST, LOWER)), by_unjudged, 0.0)
    sums = []
    for name in TERMS:
        if name == LENGTH:
            n_queries = int(np.count_nonzero(length))
            if n_queries:
                sums.append(SourceSum(name, 0, n_queries, float(length.sum())))
            continue
        documents = np.flatnonzero(parts[name])
        if documents.size:
            n_queries = int(np.unique(query[documents]).size)
            sums.append(SourceSum(name, int(documents.size), n_queries, float(parts[name][documents].sum())))
    return tuple(sums)

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


def sources_of(measure: Measure, pairs: HitPairs) -> DocumentSources:
    """Where the contributions come from.

    A document that changes its rank does so since others are no longer above it, or newly are. If it falls by n ranks
    and m more unjudged documents are above it, the share m / n is theirs; and likewise if it rises. Of a document that
    is lost from rank n, they have the share that they newly take of the first n places; and likewise if it is found.
    """
    is_listed_a, is_listed_b = np.isfinite(pairs.rank_a), np.isfinite(pairs.rank_b)
    source = np.full(len(pairs), SAME)
    source[is_listed_a & is_listed_b & (pairs.rank_a < pairs.rank_b)] = HIGHER
    source[is_listed_a & is_listed_b & (pairs.rank_a > pairs.rank_b)] = LOWER
    source[~is_listed_b] = FOUND
    source[~is_listed_a] = LOST
    source[(pairs.relevance < measure.level(pairs.a)) & (source != SAME)] = NONRELEVANT
    rank_a, rank_b = (
        np.minimum(rank, cutoffs(measure, hits)[pairs.query] + 1)
        for hits, rank in ((pairs.a, pairs.rank_a), (pairs.b, pairs.rank_b))
    )
    n_unjudged_a = count_unjudged(pairs.a, pairs.query, np.where(is_listed_a, rank_a - 1, rank_b))
    n_unjudged_b = count_unjudged(pairs.b, pairs.query, np.where(is_listed_b, rank_b - 1, rank_a))
    n_fewer = np.where((source == FOUND) | (source == HIGHER), n_unjudged_b - n_unjudged_a, n_unjudged_a - n_unjudged_b)
    n_places = np.where(is_listed_a, rank_a, rank_b)
    is_in_both = is_listed_a & is_listed_b
    n_places[is_in_both] = np.abs(rank_a[is_in_both] - rank_b[is_in_both])
    share = np.divide(n_fewer, n_places, out=np.zeros(len(pairs)), where=n_places > 0)
    return DocumentSources(source, np.where(source < NONRELEVANT, np.clip(share, 0.0, 1.0), 0.0))


def cutoffs(measure: Measure, hits: Hits) -> Floats:
    """(queries) the cutoff of each query; infinite without one."""
    cutoff = measure.resolve_cutoff(hits)
    return np.broadcast_to(np.asarray(np.inf if cutoff is None else cutoff, np.float64), (len(hits),))


def count_unjudged(hits: Hits, query: Ints, n_first: Floats) -> Floats:
    """(documents) how many of the first documents of a list are not judged. query, n_first: (documents)."""
    retrieved = hits.retrieved[query].astype(np.float64)
    n_first = np.minimum(n_first, retrieved)
    is_judged = hits.relevance >= 0
    stride = float(hits.retrieved.max(initial=0)) + 2
    keys = hits.query[is_judged] * stride + hits.rank[is_judged]
    first = np.searchsorted(keys, query * stride)
    n_judged = np.searchsorted(keys, query * stride + n_first, side="right") - first
    return np.asarray(n_first - n_judged)


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

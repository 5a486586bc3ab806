"""The documents of a diff: those that are shown or that contribute, with their ranks in both lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankscope.comparison.diff.sources import SOURCES, DocumentSources
from rankscope.data.chunks import number_documents
from rankscope.data.hit_pairs import HitPairs
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, decode_ids, pack_strings, string_contents
from rankscope.data.top_lists import TopRows
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, decode
from rankscope.typing import Floats, Indices, Ints

__all__ = [
    "DocumentEffects",
    "ListedDocuments",
    "list_documents",
]


#: The source of documents without a judgment: they contribute nothing themselves.
UNJUDGED = "unjudged"


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentEffects:
    """What the judged documents of both lists contribute to the differences.

    Attributes
    ----------
    pairs
        The documents.
    contributions, errors
        (documents) their contributions, and standard errors of these, 0 where they are exact.
    length
        (queries) what the lengths of the lists contribute.
    sources
        Where the contributions come from.
    method
        "sum" or "shapley".
    n_sampled
        Number of queries whose Shapley values are sampled.
    """

    pairs: HitPairs
    contributions: Floats
    errors: Floats
    length: Floats
    sources: DocumentSources
    method: str
    n_sampled: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ListedDocuments:
    """Documents by query, then by rank in the first list, then in the second.

    Attributes
    ----------
    query
        Index of the query, (documents).
    docs
        Ids.
    relevance
        Grades; NaN without a judgment.
    rank_a, rank_b
        Ranks; infinite where a system did not retrieve the document, NaN where an unjudged one is not among its first
        documents.
    contribution, error
        What each contributes to the difference, and the standard error of that, 0 where it is exact.
    by_unjudged
        The part of the contribution that is due to unjudged documents.
    source
        Index of one of `SOURCES`; -1 without a judgment.
    """

    query: Ints
    docs: Fields
    relevance: Floats
    rank_a: Floats
    rank_b: Floats
    contribution: Floats
    error: Floats
    by_unjudged: Floats
    source: Ints

    def __len__(self) -> int:
        """How many documents."""
        return self.query.size

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids as text."""
        return tuple(decode_ids(decode(self.docs))) if len(self) else ()

    @cached_property
    def source_names(self) -> tuple[str, ...]:
        """The source of each."""
        names = (*SOURCES, UNJUDGED)
        return tuple(names[source] for source in self.source.tolist())

    def of_query(self, query: int) -> slice:
        """The documents of one query."""
        start, stop = np.searchsorted(self.query, [query, query + 1]).tolist()
        return slice(start, stop)


def list_documents(
    effects: DocumentEffects, tops: tuple[TopRows | None, TopRows | None], depth: int, queries: Ints, qrels: Qrels
) -> ListedDocuments:
    """The documents among the first `depth` of either list, and further judged ones that contribute something.

    Parameters
    ----------
    effects
        The judged documents.
    tops
        The first documents of both lists; None for a list without unjudged documents.
    depth
        How many documents of each list are shown.
    queries
        Index of each query among those of the judgments.
    qrels
        The judgments.
    """
    pairs = effects.pairs
    listed = np.flatnonzero((np.minimum(pairs.rank_a, pairs.rank_b) <= depth) | (effects.contributions != 0))
    judgments = qrels.offsets[queries[pairs.query[listed]]] + pairs.judged[listed]
    unjudged = unjudged_documents(pairs, tops, depth, queries)
    nothing = np.zeros(len(unjudged.query))
    columns = ListedDocuments(
        query=np.concatenate((pairs.query[listed], unjudged.query)),
        docs=pack_strings([string_contents(qrels.docs.take(judgments)), string_contents(unjudged.docs)]),
        relevance=np.concatenate((pairs.relevance[listed].astype(np.float64), nothing + np.nan)),
        rank_a=np.concatenate((pairs.rank_a[listed], unjudged.rank_a)),
        rank_b=np.concatenate((pairs.rank_b[listed], unjudged.rank_b)),
        contribution=np.concatenate((effects.contributions[listed], nothing)),
        error=np.concatenate((effects.errors[listed], nothing)),
        by_unjudged=np.concatenate(((effects.contributions * effects.sources.unjudged_share)[listed], nothing)),
        source=np.concatenate((effects.sources.source[listed], np.full(nothing.size, -1))),
    )
    return take(columns, np.lexsort((columns.rank_b, columns.rank_a, columns.query)))


def take(documents: ListedDocuments, order: Indices) -> ListedDocuments:
    arrays = ("query", "relevance", "rank_a", "rank_b", "contribution", "error", "by_unjudged", "source")
    return ListedDocuments(
        docs=documents.docs.take(order), **{name: getattr(documents, name)[order] for name in arrays}
    )


class UnjudgedDocuments(NamedTuple):
    """Unjudged documents of both lists: the query, id and ranks of each."""

    query: Ints
    docs: Fields
    rank_a: Floats
    rank_b: Floats


def unjudged_documents(
    pairs: HitPairs, tops: tuple[TopRows | None, TopRows | None], depth: int, queries: Ints
) -> UnjudgedDocuments:
    """The unjudged documents among the first of either list, each once."""
    place_of_query = np.full(int(queries.max(initial=-1)) + 1, -1)
    place_of_query[queries] = np.arange(queries.size)
    parts = []
    for top in tops:
        rows_of_list = TopRows.concat([]) if top is None else top
        unjudged = np.flatnonzero((rows_of_list.judgment < 0) & (rows_of_list.query < place_of_query.size))
        parts.append(rows_of_list.select(unjudged[place_of_query[rows_of_list.query[unjudged]] >= 0]))
    both = TopRows.concat(parts)
    query = place_of_query[both.query]
    order = np.argsort(query, kind="stable")
    rows = Rows(
        query_ids=[b""] * queries.size,
        offsets=bounds(np.bincount(query, minlength=queries.size)),
        docs=both.docs.take(order),
        hashes=both.hashes[order],
        values=both.rank[order],
        where=str,
    )
    codes = np.arange(queries.size)
    first, number = number_documents(rows, codes, rows.keys(codes))
    is_a = order < parts[0].query.size
    query = query[order][first]
    ranks = []
    for hits, in_list in ((pairs.a, is_a), (pairs.b, ~is_a)):
        # A list that goes on may hold the document further down.
        rank = np.where(hits.retrieved[query] > depth, np.nan, np.inf)
        rank[number[in_list]] = rows.values[in_list]
        ranks.append(rank)
    return UnjudgedDocuments(query=query, docs=rows.docs.take(first), rank_a=ranks[0], rank_b=ranks[1])

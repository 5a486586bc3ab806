"""A run that was joined with its judgments, and notes on runs of which no document was judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from rankscope.data.chunks import pattern_of_chunks
from rankscope.data.hits import Hits
from rankscope.data.join import N_FIRST
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_id, decode_ids
from rankscope.data.text import first_names
from rankscope.data.top_lists import TopLists
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "MIN_NOTED_DOCUMENTS",
    "JoinedRun",
    "Progress",
    "has_no_judged_document",
    "unjudged_query_notes",
    "unknown_document_notes",
]


Progress = Callable[[int], Any]
#: Runs of fewer documents may well be all unjudged; they get no note.
MIN_NOTED_DOCUMENTS = 100


class JoinedRun(NamedTuple):
    """One system after the join.

    Attributes
    ----------
    name, hits, notes
        Its name, its hits, and what a reader should know.
    path
        The file it came from.
    last_tag
        The first word of the tag in the last line of a file of TREC's lines; empty if there is none.
    top_lists
        The first documents of each list, if they were to be kept.
    unjudged_queries
        Queries of the run that have no judgments, in its order; they count nowhere.
    """

    name: str
    hits: Hits
    notes: tuple[str, ...]
    path: PathLike | None
    last_tag: str = ""
    top_lists: TopLists | None = None
    unjudged_queries: tuple[str, ...] = ()


def has_no_judged_document(hits: Hits) -> bool:
    """Whether no document of a run that is not small was judged."""
    return not hits.rank.size and int(hits.retrieved.sum()) >= MIN_NOTED_DOCUMENTS


def unknown_document_notes(qrels: Qrels, hits: Hits, name: str, documents: Iterable[str]) -> tuple[str, ...]:
    """A note where no document of the run was judged, as where ids are written in two ways. documents: the run's."""
    if not has_no_judged_document(hits):
        return ()
    n_documents = int(hits.retrieved.sum())
    judged_doc = decode_id(decode(qrels.docs.slice(slice(1)))[0])
    first_docs = list(islice(documents, N_FIRST))
    pattern = pattern_of_chunks(first_docs, set(decode_ids(decode(qrels.docs))))
    advice = (
        f"are these chunks of judged documents? Then add --doc-of '{pattern}' (doc_of=)"
        if pattern
        else "check that both write ids the same way"
    )
    return (
        f"run {name!r}: none of its {n_documents:,} documents was judged "
        f"(run: {first_docs[0]!r}; judgments: {judged_doc!r}); {advice}",
    )


def unjudged_query_notes(
    systems: Sequence[str], unjudged: Sequence[Sequence[str]], n_judged: Sequence[int]
) -> tuple[str, ...]:
    """One note on queries of the runs that have no judgments, which no measure counts; none without such queries.

    Parameters
    ----------
    systems
        Names of the systems.
    unjudged
        The queries of each run that have no judgments.
    n_judged
        How many queries of each run have judgments.
    """
    if not any(unjudged):
        return ()
    numbers = [len(queries) for queries in unjudged]
    totals = [n + n_unjudged for n, n_unjudged in zip(n_judged, numbers, strict=True)]
    most = max(range(len(systems)), key=numbers.__getitem__)
    n_with, names = len(systems) - numbers.count(0), first_names(unjudged[most])
    if n_with == 1 or (len(set(totals)) == 1 and all(set(queries) == set(unjudged[0]) for queries in unjudged)):
        whose = systems[most] if n_with == 1 else f"each of the {n_with:,} runs"
        verbs = "has no judgments and does not count" if numbers[most] == 1 else "have no judgments and do not count"
        return (f"{numbers[most]:,} of {totals[most]:,} queries of {whose} {verbs}: {names}",)
    return (
        f"{n_with:,} of {len(systems):,} runs have queries without judgments, which do not count; most has "
        f"{systems[most]}, {numbers[most]:,} of {totals[most]:,}: {names}",
    )

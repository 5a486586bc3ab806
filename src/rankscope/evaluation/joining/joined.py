"""A run that was joined with its judgments, and notes on runs of which no document was judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.chunks import pattern_of_chunks
from rankscope.data.hits import Hits
from rankscope.data.join import N_FIRST
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_id, decode_ids
from rankscope.data.spelling import by_plain_spelling, same_but_for_spelling, spelling_advice
from rankscope.data.text import first_names
from rankscope.data.top_lists import TopLists
from rankscope.kernels.text import decode
from rankscope.typing import Bools, PathLike

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
    n_documents = int(hits.retrieved.sum())
    if hits.rank.size or not n_documents:
        return ()
    first_docs = list(islice(documents, N_FIRST))
    pair = same_but_for_spelling(sorted(first_docs), judged_spellings(qrels))  # the same in any order of the lines
    if pair is None and not has_no_judged_document(hits):  # a short run may well be unjudged
        return ()
    own_doc, judged_doc = pair or (first_docs[0], decode_id(decode(qrels.docs.slice(slice(1)))[0]))
    pattern = pattern_of_chunks(first_docs, set(decode_ids(decode(qrels.docs))))
    advice = (
        f"are these chunks of judged documents? Then add --doc-of '{pattern}' (doc_of=)"
        if pattern
        else "check that both write ids the same way"
    )
    return (
        f"run {name!r}: none of its {n_documents:,} documents was judged "
        f"(run: {own_doc!r}; judgments: {judged_doc!r}); {advice}",
    )


def judged_spellings(qrels: Qrels) -> dict[str, str]:
    """The judged documents by their plain spellings, made once for all runs."""
    if "spellings" not in qrels.memory:
        qrels.memory["spellings"] = by_plain_spelling(decode_ids(decode(qrels.docs)))
    spellings: dict[str, str] = qrels.memory["spellings"]
    return spellings


def unjudged_query_notes(
    systems: Sequence[str], unjudged: Sequence[Sequence[str]], query_ids: Sequence[str], missing: Sequence[Bools]
) -> tuple[str, ...]:
    """One note on queries of the runs that have no judgments, which no measure counts; none without such queries.

    Parameters
    ----------
    systems
        Names of the systems.
    unjudged
        The queries of each run that have no judgments.
    query_ids
        The queries that have judgments.
    missing
        Which of these each run lacks.
    """
    if not any(unjudged):
        return ()
    numbers = [len(queries) for queries in unjudged]
    totals = [n + np.count_nonzero(~lacks) for n, lacks in zip(numbers, missing, strict=True)]
    most = max(range(len(systems)), key=numbers.__getitem__)
    n_with, names = len(systems) - numbers.count(0), first_names(unjudged[most])
    lacking = [query_ids[place] for place in np.flatnonzero(missing[most]).tolist()]
    if lacking and (advice := spelling_advice(unjudged[most], lacking)):
        names += f"; {advice}"
    if n_with == 1 or (len(set(totals)) == 1 and all(set(queries) == set(unjudged[0]) for queries in unjudged)):
        whose = systems[most] if n_with == 1 else f"each of the {n_with:,} runs"
        verbs = "has no judgments and does not count" if numbers[most] == 1 else "have no judgments and do not count"
        return (f"{numbers[most]:,} of {totals[most]:,} queries of {whose} {verbs}: {names}",)
    return (
        f"{n_with:,} of {len(systems):,} runs have queries without judgments, which do not count; most has "
        f"{systems[most]}, {numbers[most]:,} of {totals[most]:,}: {names}",
    )

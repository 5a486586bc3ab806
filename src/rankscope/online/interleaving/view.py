"""The view of interleaved lists."""

from __future__ import annotations

from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.section import Section
from rankscope.data.text import first_names, join_names, pluralise_queries
from rankscope.online.interleaving.interleaved_runs import Interleaving
from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT, ranks_in
from rankscope.online.interleaving.settings import METHODS

__all__ = [
    "interleaving_sections",
]


def interleaving_sections(result: Interleaving) -> list[Section]:
    """What each system contributes, and where clicks will say nothing."""
    method, documents = result.settings.method, result.draft.documents
    n_documents = int((documents != NO_DOCUMENT).sum())
    sentence = (
        f"{join_names(result.systems)} interleaved for {pluralise_queries(len(documents))} by {method}: "
        f"{METHODS[method].summary}."
    )
    n_same = int(result.same_lists.sum())
    notes = []
    if n_same:
        names = [query for query, is_same in zip(result.query_ids, result.same_lists.tolist(), strict=True) if is_same]
        notes.append(
            f"{n_same:,} of {pluralise_queries(len(documents))} have the same first {result.settings.length} documents "
            f"in all runs ({first_names(names)}): clicks there say nothing"
        )
    in_lists = (ranks_in(result.ranked.lists, documents) > 0).sum(axis=(0, 1))
    has_credit = result.draft.ranks is None
    credit = result.draft.credit.sum(axis=(0, 1))
    return [
        Section(
            title="Interleaved lists",
            sentence=sentence,
            table=table_of(
                column("system", result.systems, name=True),
                column("of its documents", in_lists.tolist(), thousands),
                column("of all", [n_documents] * len(result.systems), thousands),
                column("credit of all clicks", credit, digits(1)) if has_credit else None,
            ),
            notes=(
                "of its documents: how many of all documents in the interleaved lists its own lists hold",
                *(
                    ("credit of all clicks: what the system would have if every document were clicked once",)
                    if has_credit
                    else ()
                ),
                *notes,
            ),
        )
    ]

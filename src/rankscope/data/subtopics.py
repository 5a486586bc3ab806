"""Judgments by subtopic: to which aspects of a query each judged document is relevant, or who judged it (a group)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Rows, decode_id, decode_ids
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import Fields, changes, decode, encode, order_descending
from rankscope.typing import Grades, Ints

__all__ = [
    "Subtopics",
    "merge_subtopics",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Subtopics:
    """Judgments by subtopic: one entry per judgment.

    Attributes
    ----------
    offsets
        Where the entries of each query begin, (queries + 1); they are ordered by document.
    judged
        Index of the document among the judged ones of its query, (entries).
    subtopic
        Number of the subtopic within the query, from 0, (entries).
    relevance
        Grade, (entries).
    ids
        Name of the subtopic, (entries).
    subgroup
        Of preferences: number of the sub-group within the query, (entries); documents are preferred to each other
        within sub-groups of a subtopic. None: all of a subtopic were judged together.
    """

    offsets: Ints
    judged: Ints
    subtopic: Ints
    relevance: Grades
    ids: Fields
    subgroup: Ints | None = None

    def select(self, queries: npt.NDArray[np.intp]) -> Subtopics:
        """The entries of these queries."""
        counts = (self.offsets[1:] - self.offsets[:-1])[queries]
        entries = ranges(self.offsets[queries], counts)
        return Subtopics(
            offsets=bounds(counts),
            judged=self.judged[entries],
            subtopic=self.subtopic[entries],
            relevance=self.relevance[entries],
            ids=self.ids.take(entries),
            subgroup=None if self.subgroup is None else self.subgroup[entries],
        )

    @staticmethod
    def concat(tables: Sequence[Subtopics | None]) -> Subtopics | None:
        """The entries of all parts, one after the other; None where any part is None."""
        present = [table for table in tables if table is not None]
        if len(present) < len(tables):
            return None
        ids = encode(decode_ids([id_ for table in present for id_ in decode(table.ids)]))
        subgroups = [table.subgroup for table in present if table.subgroup is not None]
        return Subtopics(
            offsets=bounds(np.concatenate([np.diff(table.offsets) for table in present])),
            judged=np.concatenate([table.judged for table in present]),
            subtopic=np.concatenate([table.subtopic for table in present]),
            relevance=np.concatenate([table.relevance for table in present]),
            ids=ids,
            subgroup=np.concatenate(subgroups) if present and len(subgroups) == len(present) else None,
        )

    @property
    def query(self) -> Ints:
        """(entries) the index of the query."""
        return group_of(self.offsets)


def merge_subtopics(rows: Rows) -> tuple[Rows, Subtopics]:
    """One row for each document, with its highest relevance, and the judgments by subtopic.

    Parameters
    ----------
    rows
        Judgments by subtopic.

    Returns
    -------
    rows, subtopics
        The documents of a query are ordered by falling id: in this order the ideal ranking of alpha-nDCG takes equally
        good ones.

    Raises
    ------
    InputError
        A subtopic, or a sub-group of one, holds a document twice; or the sub-groups of a subtopic hold a document both
        with level 0 and above.
    """
    assert rows.subtopics is not None
    query_index = group_of(rows.offsets)
    order = order_descending(query_index, rows.docs)
    docs = rows.docs.take(order)
    starts_document = np.ones(order.size, np.bool_)  # the first row of each document
    starts_document[1:] = changes(docs) | (query_index[1:] != query_index[:-1])
    first_entries = np.flatnonzero(starts_document)
    document_index = np.cumsum(starts_document) - 1
    n_documents = np.bincount(query_index[first_entries], minlength=rows.offsets.size - 1)
    offsets = bounds(n_documents)
    subtopic_ids = rows.subtopics.take(order)
    relevance = rows.values[order]
    subtopics_of_documents = Subtopics(
        offsets=rows.offsets,
        judged=document_index - offsets[query_index],
        subtopic=number_subtopics(query_index, subtopic_ids),
        relevance=relevance,
        ids=subtopic_ids,
        subgroup=None if rows.subgroups is None else number_subtopics(query_index, rows.subgroups.take(order)),
    )
    refuse_repeats(rows, order, document_index, subtopics_of_documents)
    merged = Rows(
        rows.query_ids,
        offsets,
        docs.take(first_entries),
        rows.hashes[order[first_entries]],
        np.maximum.reduceat(relevance, first_entries),
        rows.where,
        kind=rows.kind,
    )
    return merged, subtopics_of_documents


def number_subtopics(query_index: Ints, ids: Fields) -> Ints:
    """(entries) the number of each subtopic within its query."""
    order = order_descending(query_index, ids)
    starts_subtopic = np.ones(order.size, np.bool_)
    starts_subtopic[1:] = changes(ids.take(order)) | (query_index[1:] != query_index[:-1])
    sorted_numbers = np.cumsum(starts_subtopic) - 1
    # The number of the first subtopic of each entry's query.
    first_of_query = sorted_numbers[np.searchsorted(query_index, query_index)]
    numbers = np.empty(order.size, np.int64)
    numbers[order] = sorted_numbers - first_of_query
    return numbers


def refuse_repeats(rows: Rows, order: npt.NDArray[np.intp], document_index: Ints, subtopics: Subtopics) -> None:
    """Raise InputError for a document that is judged twice for one subtopic of a query."""
    keys = document_index * (int(subtopics.subtopic.max()) + 1) + subtopics.subtopic
    key_order = np.argsort(keys, kind="stable")
    if subtopics.subgroup is not None:
        refuse_contradictions(rows, order, keys, subtopics)
        key_order = np.lexsort((subtopics.subgroup, keys))
    is_repeat = keys[key_order[1:]] == keys[key_order[:-1]]
    if subtopics.subgroup is not None:
        is_repeat &= subtopics.subgroup[key_order[1:]] == subtopics.subgroup[key_order[:-1]]
    repeats = np.flatnonzero(is_repeat)
    if repeats.size:
        entries = key_order[[repeats[0], repeats[0] + 1]]
        refuse_repeat(rows, subtopics, order[entries], int(entries[0]))


def refuse_contradictions(rows: Rows, order: npt.NDArray[np.intp], keys: Ints, subtopics: Subtopics) -> None:
    """Raise InputError for a document that sub-groups of one subtopic hold both with level 0 and above.

    keys: a number for the document and subtopic of each entry.
    """
    is_zero, is_above = subtopics.relevance == 0, subtopics.relevance > 0
    contradicting = np.intersect1d(keys[is_zero], keys[is_above])
    if contradicting.size:
        same = np.flatnonzero(keys == contradicting[0])
        entries = same[[int(np.argmax(is_zero[same])), int(np.argmax(is_above[same]))]]
        refuse_repeat(rows, subtopics, order[entries], int(entries[0]), "has level 0 (not relevant) and a higher one")


def refuse_repeat(
    rows: Rows, subtopics: Subtopics, same_rows: npt.NDArray[np.intp], entry: int, fault: str = "occurs twice"
) -> NoReturn:
    """Raise InputError for these rows, which judge the same. entry: one of them among the judgments."""
    first_location, second_location = (rows.where(start) for start in sorted(rows.docs.starts[same_rows].tolist()))
    query = decode_id(rows.query_ids[int(subtopics.query[entry])])
    doc = decode_id(decode(rows.docs.take(same_rows[:1]))[0])
    subtopic = decode_id(decode(subtopics.ids.take(np.array([entry])))[0])
    if subtopics.subgroup is None:
        group, expected = "subtopic", "each document once a subtopic"
    else:
        group, expected = "group", "each document once a sub-group, and in a group always or never with level 0"
    raise InputError(
        f"{second_location}: document {doc!r} of {group} {subtopic!r} of query {query!r} {fault}, first at "
        f"{first_location}; expected {expected}; remove one of the two"
    )

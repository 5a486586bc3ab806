"""Judgments by subtopic: to which aspects of a query each judged document is relevant."""

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
    """

    offsets: Ints
    judged: Ints
    subtopic: Ints
    relevance: Grades
    ids: Fields

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
        )

    @staticmethod
    def concat(tables: Sequence[Subtopics | None]) -> Subtopics | None:
        """The entries of all parts, one after the other; None where any part is None."""
        present = [table for table in tables if table is not None]
        if len(present) < len(tables):
            return None
        ids = encode(decode_ids([id_ for table in present for id_ in decode(table.ids)]))
        return Subtopics(
            offsets=bounds(np.concatenate([np.diff(table.offsets) for table in present])),
            judged=np.concatenate([table.judged for table in present]),
            subtopic=np.concatenate([table.subtopic for table in present]),
            relevance=np.concatenate([table.relevance for table in present]),
            ids=ids,
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
        A subtopic holds a document twice.
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
    keys = document_index * (int(subtopics.subtopic.max()) + 1) + subtopics.subtopic
    key_order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(keys[key_order[1:]] == keys[key_order[:-1]])
    if repeats.size:
        entries = key_order[[repeats[0], repeats[0] + 1]]
        refuse_repeat(rows, subtopics, order[entries], int(entries[0]))


def refuse_repeat(rows: Rows, subtopics: Subtopics, same_rows: npt.NDArray[np.intp], entry: int) -> NoReturn:
    first_location, second_location = (rows.where(start) for start in sorted(rows.docs.starts[same_rows].tolist()))
    query = decode_id(rows.query_ids[int(subtopics.query[entry])])
    doc = decode_id(decode(rows.docs.take(same_rows[:1]))[0])
    subtopic = decode_id(decode(subtopics.ids.take(np.array([entry])))[0])
    raise InputError(
        f"{second_location}: document {doc!r} of subtopic {subtopic!r} of query {query!r} occurs twice, first at "
        f"{first_location}; expected each document once a subtopic; remove one of the two"
    )

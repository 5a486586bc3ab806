"""Judgments by subtopic: which aspects of a query each judged document is relevant to."""

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
from rankscope.typing import Ints

__all__ = [
    "Subtopics",
    "merge_subtopics",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Subtopics:
    """What was judged for each judged document, subtopic by subtopic: one entry a judgment.

    offsets: (queries + 1) the entries of each query, ordered by document. judged: (entries) the place of the document
    among the judged ones of its query. subtopic: (entries) its number within the query, from 0. relevance: (entries).
    ids: (entries) the subtopic as it was named.
    """

    offsets: Ints
    judged: Ints
    subtopic: Ints
    relevance: Ints
    ids: Fields

    def select(self, queries: npt.NDArray[np.intp]) -> Subtopics:
        """The entries of these queries."""
        counts = (self.offsets[1:] - self.offsets[:-1])[queries]
        rows = ranges(self.offsets[queries], counts)
        return Subtopics(
            offsets=bounds(counts),
            judged=self.judged[rows],
            subtopic=self.subtopic[rows],
            relevance=self.relevance[rows],
            ids=self.ids.take(rows),
        )

    @staticmethod
    def concat(parts: Sequence[Subtopics | None]) -> Subtopics | None:
        """The entries of all parts, one after the other; None where a part has none."""
        there = [part for part in parts if part is not None]
        if len(there) < len(parts):
            return None
        texts = encode(decode_ids([id_ for part in there for id_ in decode(part.ids)]))
        return Subtopics(
            offsets=bounds(np.concatenate([np.diff(part.offsets) for part in there])),
            judged=np.concatenate([part.judged for part in there]),
            subtopic=np.concatenate([part.subtopic for part in there]),
            relevance=np.concatenate([part.relevance for part in there]),
            ids=texts,
        )

    @property
    def query(self) -> Ints:
        """(entries) the index of the query."""
        return group_of(self.offsets)


def merge_subtopics(rows: Rows) -> tuple[Rows, Subtopics]:
    """Rows of one document each, which has its highest relevance, and what was judged by subtopic.

    The documents of a query come by falling id: in this order the ideal of alpha-nDCG takes equally good ones.
    Raises InputError for a document that a subtopic holds twice.
    """
    assert rows.subtopics is not None
    group = group_of(rows.offsets)
    order = order_descending(group, rows.docs)
    docs = rows.docs.take(order)
    new = np.ones(order.size, np.bool_)  # the first row of each document
    new[1:] = changes(docs) | (group[1:] != group[:-1])
    starts = np.flatnonzero(new)
    document = np.cumsum(new) - 1
    lengths = np.bincount(group[starts], minlength=rows.offsets.size - 1)
    offsets = bounds(lengths)
    subtopics = rows.subtopics.take(order)
    values = rows.values[order]
    found = Subtopics(
        offsets=rows.offsets,
        judged=document - offsets[group],
        subtopic=number_subtopics(group, subtopics),
        relevance=values,
        ids=subtopics,
    )
    refuse_repeats(rows, order, document, found)
    merged = Rows(
        rows.query_ids,
        offsets,
        docs.take(starts),
        rows.hashes[order[starts]],
        np.maximum.reduceat(values, starts),
        rows.where,
    )
    return merged, found


def number_subtopics(group: Ints, ids: Fields) -> Ints:
    """(entries) the number of each subtopic within its query."""
    order = order_descending(group, ids)
    new = np.ones(order.size, np.bool_)
    new[1:] = changes(ids.take(order)) | (group[1:] != group[:-1])
    number = np.cumsum(new) - 1
    first = number[np.searchsorted(group, group)]  # that of the query's first subtopic
    numbers = np.empty(order.size, np.int64)
    numbers[order] = number - first
    return numbers


def refuse_repeats(rows: Rows, order: npt.NDArray[np.intp], document: Ints, found: Subtopics) -> None:
    code = document * (int(found.subtopic.max()) + 1) + found.subtopic
    by_code = np.argsort(code, kind="stable")
    level = np.flatnonzero(code[by_code[1:]] == code[by_code[:-1]])
    if level.size:
        entries = by_code[[level[0], level[0] + 1]]
        refuse_repeat(rows, found, order[entries], int(entries[0]))


def refuse_repeat(rows: Rows, found: Subtopics, same: npt.NDArray[np.intp], entry: int) -> NoReturn:
    first, again = (rows.where(place) for place in sorted(rows.docs.starts[same].tolist()))
    query = decode_id(rows.query_ids[int(found.query[entry])])
    doc = decode_id(decode(rows.docs.take(same[:1]))[0])
    subtopic = decode_id(decode(found.ids.take(np.array([entry])))[0])
    raise InputError(
        f"{again}: document {doc!r} of subtopic {subtopic!r} of query {query!r} stands twice, first at {first}; "
        "expected each document once a subtopic; remove one of the two"
    )

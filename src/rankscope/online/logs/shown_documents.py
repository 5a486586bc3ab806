"""All documents that a log shows, one after the other: impression, query, document, rank, and whether it was clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.rows import Interner, decode_ids
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.kernels.text import Fields, encode, hashes
from rankscope.online.logs.batches import LogBatch, ShownLists, Texts, click_positions
from rankscope.online.logs.read_log import Log
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ShownDocuments",
    "load_shown",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownDocuments:
    """The documents of all impressions.

    Attributes
    ----------
    query_ids, doc_ids
        Ids by number.
    query
        (impressions) the query of each.
    cluster
        (impressions) the unit of each, as a number; None where each is its own.
    impression
        (shown) the impression of each document, rising.
    document
        (shown) number of the document.
    rank
        (shown) from 1.
    is_clicked
        (shown) whether it was clicked.
    propensity
        (shown) probability with which it was shown at its rank; None if the log does not have it.
    """

    query_ids: list[str]
    doc_ids: list[str]
    query: Ints
    cluster: Ints | None
    impression: Ints
    document: Ints
    rank: Ints
    is_clicked: Bools
    propensity: Floats | None

    @property
    def n(self) -> int:
        """The number of impressions."""
        return self.query.size

    @property
    def pair(self) -> Ints:
        """(shown) a number for each query and document."""
        return np.asarray(self.query[self.impression] * len(self.doc_ids) + self.document)


def load_shown(log: Log, unit: str | None) -> ShownDocuments:
    """Read a log whole.

    Parameters
    ----------
    log
        The log.
    unit
        The column of what is independent; None for single impressions.

    Raises
    ------
    InputError
        With file and line: the log has no lists of documents, no queries, or not the unit.
    """
    queries, documents = Interner(), Interner()
    table_documents = None
    parts: dict[str, list[Any]] = {
        name: [] for name in ("query", "cluster", "length", "document", "click", "propensity")
    }
    for batch in log.batches:
        lists, numbers = shown_lists_of(log, batch)
        if lists is batch.shown or table_documents is None:
            assert lists.documents is not None
            table_documents = documents.codes(encode(lists.documents.to_list()))
        lengths = lists.lengths[numbers]
        positions = ranges(lists.offsets[numbers], lengths)
        is_clicked = np.zeros(positions.size, np.bool_)
        clicked = click_positions(batch, lists, numbers)
        starts = np.cumsum(lengths) - lengths
        is_clicked[starts[batch.click_row] + batch.click_rank - 1] = clicked >= 0
        parts["query"].append(queries.codes(batch.columns["query"].fields))
        parts["length"].append(lengths)
        parts["document"].append(table_documents[positions])
        parts["click"].append(is_clicked)
        if lists.propensity is not None:
            parts["propensity"].append(lists.propensity[positions])
        if unit is not None:
            parts["cluster"].append(unit_hashes(batch, unit))
    lengths = np.concatenate(parts["length"])
    offsets = bounds(lengths)
    has_propensity = len(parts["propensity"]) == len(parts["length"])
    cluster = np.unique(np.concatenate(parts["cluster"]), return_inverse=True)[1] if parts["cluster"] else None
    return ShownDocuments(
        query_ids=decode_ids(list(queries.ids)),
        doc_ids=decode_ids(list(documents.ids)),
        query=np.concatenate(parts["query"]),
        cluster=cluster,
        impression=group_of(offsets),
        document=np.concatenate(parts["document"]),
        rank=place_in_group(offsets) + 1,
        is_clicked=np.concatenate(parts["click"]),
        propensity=np.concatenate(parts["propensity"]) if has_propensity else None,
    )


def shown_lists_of(log: Log, batch: LogBatch) -> tuple[ShownLists, Ints]:
    """The lists, and which of them each impression has. Raises InputError where documents or queries are missing."""
    if "query" not in batch.columns or batch.columns["query"].is_missing is not None:
        texts = batch.columns.get("query", Texts(Fields(np.zeros(0, np.uint8), np.zeros(0, int), np.zeros(0, int))))
        row = 0 if texts.is_missing is None else int(texts.is_missing.argmax())
        raise InputError(f"{batch.where(row)}: no query, expected the query of each impression; add it to the log")
    lists, numbers = batch.shown, np.arange(batch.n)
    if lists is None and log.lists is not None:
        lists, numbers = log.lists.lists, log.lists.list_of(batch)
    if lists is None or lists.documents is None:
        raise InputError(
            f"{batch.where(0)}: no documents, expected the list that was shown; add documents to the lines, or give the "
            "lists with lists (--lists)"
        )
    return lists, numbers


def unit_hashes(batch: LogBatch, unit: str) -> Ints:
    """(n) a number for the unit of each impression. Raises InputError if the log does not have it."""
    texts = batch.columns.get(unit)
    if texts is None or texts.is_missing is not None:
        row = 0 if texts is None or texts.is_missing is None else int(texts.is_missing.argmax())
        raise InputError(f"{batch.where(row)}: no {unit}, which is the unit (--unit); add it, or choose another unit")
    return np.asarray(hashes(texts.fields).view(np.int64))

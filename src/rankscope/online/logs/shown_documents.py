"""All documents that a log shows, one after the other: impression, query, document, rank, and whether clicked."""

from __future__ import annotations

from collections.abc import Sequence
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
    "IMPRESSION",
    "ShownDocuments",
    "load_shown",
]


#: Where each impression is a cluster of its own.
IMPRESSION = "impression"


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
    cluster_by
        The column of the cluster; "impression" where each is its own.
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
    cluster_by: str = "impression"

    @property
    def n(self) -> int:
        """The number of impressions."""
        return self.query.size

    @property
    def pair(self) -> Ints:
        """(shown) a number for each query and document."""
        return np.asarray(self.query[self.impression] * len(self.doc_ids) + self.document)


def load_shown(log: Log, clusters: Sequence[str] = (), *, is_required: bool = False) -> ShownDocuments:
    """Read a log whole.

    Parameters
    ----------
    log
        The log.
    clusters
        Columns of what is independent, of which the first counts that the log has; single impressions if it has none.
    is_required
        Whether the log must have one of them, unless it is "impression".

    Raises
    ------
    InputError
        With file and line: the log has no lists of documents, no queries, or not the cluster; or a
        propensity is not in (0, 1].
    """
    queries, documents = Interner(), Interner()
    cluster_by: str | None = None
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
            parts["propensity"].append(propensities(batch, lists, positions, numbers))
        if cluster_by is None:
            cluster_by = next((name for name in clusters if name in batch.columns), IMPRESSION)
            cluster_by = clusters[0] if is_required else cluster_by
        if cluster_by != IMPRESSION:
            parts["cluster"].append(cluster_hashes(batch, cluster_by))
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
        cluster_by=cluster_by or IMPRESSION,
    )


def propensities(batch: LogBatch, lists: ShownLists, positions: Ints, list_of: Ints) -> Floats:
    """(shown) the propensities. Raises InputError for one that is no probability above 0."""
    assert lists.propensity is not None
    values = np.asarray(lists.propensity[positions], np.float64)
    is_wrong = ~((values > 0) & (values <= 1))
    if is_wrong.any():
        place = int(is_wrong.argmax())
        row = int(group_of(bounds(lists.lengths[list_of]))[place])
        raise InputError(
            f"{batch.where(row)}: a propensity of {values[place]:g}, expected a probability above 0, up to 1; "
            "correct it"
        )
    return values


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
            f"{batch.where(0)}: no documents, expected the list that was shown; add documents to the lines, or give "
            "the lists with lists (--lists)"
        )
    return lists, numbers


def cluster_hashes(batch: LogBatch, name: str) -> Ints:
    """(n) a number for the cluster of each impression. Raises InputError if the log does not have it."""
    texts = batch.columns.get(name)
    if texts is None or texts.is_missing is not None:
        row = 0 if texts is None or texts.is_missing is None else int(texts.is_missing.argmax())
        raise InputError(
            f"{batch.where(row)}: no column {name!r}, the cluster_by (--cluster-by); add it, or choose another"
        )
    return np.asarray(hashes(texts.fields).view(np.int64))

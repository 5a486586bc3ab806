"""Qrels: which documents were judged for each query, and how relevant they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import freeze
from rankscope.data.row_input import (
    are_by_subtopic,
    is_mapping_of_mappings,
    refuse_bad_ids,
    refuse_values,
    rows_from_data,
    rows_from_dicts,
    to_numbers,
)
from rankscope.data.rows import Rows, combined_keys, decode_ids
from rankscope.data.subtopics import Subtopics, merge_subtopics
from rankscope.errors import InputError
from rankscope.kernels.order import ranges, repeated, stable_order
from rankscope.kernels.text import Fields, decode, encode, equal, hashes
from rankscope.typing import Ints, Words

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Qrels",
]


#: What to do about a document that a query holds twice.
TWICE = (
    "remove one of the two; where judgments are by subtopic, ask for a measure of diversity as well (-m StRecall@10) "
    "or read them with read_qrels(path, subtopics=True)"
)


class Qrels:
    """Judgments: for each query, its judged documents and their relevance (whole numbers).

    data: `{query_id: {document_id: relevance}}`; or a data frame (polars, pandas, pyarrow: anything
    with the Arrow PyCapsule interface) or a mapping of columns (lists, NumPy arrays) with
    `query_id`, `doc_id`, `relevance`. To read a file, use `read_qrels`.

    Judgments by subtopic have a column `subtopic` beside them, or are `{query_id: {subtopic: {document_id:
    relevance}}}`; measures that do not ask for subtopics take the highest relevance of each document.

    A negative relevance means pooled but not judged. Queries are ordered by the bytes of
    their ids, as in trec_eval. Nothing changes a Qrels once it is made.

    Raises InputError for a document that a query holds twice, a relevance that is no whole
    number, an empty id.

    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}})
    >>> qrels
    Qrels(2 queries, 3 judgments)
    """

    #: What was judged by subtopic; None where judgments are of queries only.
    subtopics: Subtopics | None = None

    def __init__(self, data: Any) -> None:
        if is_mapping_of_mappings(data):
            if are_by_subtopic(data):
                self._from_rows(rows_from_dicts(data, "qrels", "relevance"))
            else:
                self._from_mapping(data)
        else:
            self._from_rows(rows_from_data(data, "relevance"))

    @classmethod
    def from_rows(cls, rows: Rows) -> Qrels:
        """From what a reader made."""
        self = cls.__new__(cls)
        self._from_rows(rows)
        return self

    def _from_mapping(self, data: Mapping[str, Mapping[str, int]]) -> None:
        refuse_bad_ids(data, "qrels", "query")
        for docs in data.values():
            refuse_bad_ids(docs, "qrels", "document")
        ids = sorted(data, key=lambda id_: id_.encode("utf-8", "surrogateescape"))
        relevance = to_numbers([rel for id_ in ids for rel in data[id_].values()], "relevance")
        if relevance is None:
            refuse_values(((f"query {id_!r}", data[id_]) for id_ in ids), "qrels", "relevance")
        self._set(ids, np.cumsum([0, *(len(data[id_]) for id_ in ids)]), relevance.astype(np.int64, copy=False))
        self._lookup = [{doc: i for i, doc in enumerate(data[id_])} for id_ in ids]
        self._keys: Words | None = None

    def _from_rows(self, rows: Rows) -> None:
        in_order = sorted(rows.query_ids)
        if in_order != rows.query_ids:
            place = dict(zip(rows.query_ids, range(len(in_order)), strict=True))
            order = np.array([place[id_] for id_ in in_order])
            lengths = np.diff(rows.offsets)[order]
            take = ranges(rows.offsets[order], lengths)
            offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
            subtopics = None if rows.subtopics is None else rows.subtopics.take(take)
            docs = rows.docs.take(take)
            rows = Rows(in_order, offsets, docs, rows.hashes[take], rows.values[take], rows.where, subtopics)
        if rows.subtopics is not None:
            rows, self.subtopics = merge_subtopics(rows)
        keys = rows.keys(np.arange(len(in_order)))
        distinct = rows.refuse_duplicates(keys, TWICE)
        self._set(decode_ids(in_order), rows.offsets, rows.values)
        self._docs = rows.docs
        self._keys = keys if distinct else None
        self.codes = dict(zip(in_order, range(len(in_order)), strict=True))

    def _set(self, ids: list[str], offsets: Ints, relevance: Ints) -> None:
        if not relevance.size:
            raise InputError("the qrels hold no judgments; expected at least one judged document")
        self.query_ids: tuple[str, ...] = tuple(ids)
        self.offsets = freeze(offsets)
        self.relevance = freeze(relevance)
        self.memory: dict[Any, Any] = {}  # what measures compute from the judgments alone

    @cached_property
    def _docs(self) -> Fields:
        """Document ids, in the order of `relevance`."""
        return encode([doc for docs in self._lookup for doc in docs])

    @cached_property
    def _lookup(self) -> list[dict[str, int]]:
        """For each query, the place of each judged document among them."""
        names = decode_ids(decode(self._docs))
        bounds = self.offsets.tolist()
        return [dict(zip(names[a:b], range(b - a), strict=True)) for a, b in pairwise(bounds)]

    @cached_property
    def lookup(self) -> JudgedIndex:
        """Finds judged documents among rows."""
        keys, self._keys = self._keys, None
        return JudgedIndex(self._docs, self.offsets, keys)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each query, by its id."""
        return {id_: i for i, id_ in enumerate(self.query_ids)}

    @cached_property
    def codes(self) -> dict[bytes, int]:
        """The place of each query, by the bytes of its id."""
        return {id_.encode("utf-8", "surrogateescape"): i for i, id_ in enumerate(self.query_ids)}

    @cached_property
    def grades(self) -> Ints:
        """Relevances by query, falling within it."""
        query = np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))
        below = self.max_grade - self.relevance
        if len(self.query_ids) * (int(below.max()) + 1) < 1 << 48:
            return self.relevance[stable_order(query * (int(below.max()) + 1) + below)]
        return self.relevance[np.lexsort((below, query))]

    @cached_property
    def max_grade(self) -> int:
        return int(self.relevance.max())

    def frame(self) -> pl.DataFrame:
        """The judgments as a polars frame: query_id, doc_id, relevance; by subtopic, query_id, subtopic, doc_id,
        relevance.
        """
        import polars as pl

        if self.subtopics is not None:
            return self._subtopic_frame()
        names = decode_ids(list(self.codes), "replace")
        queries = np.repeat(np.array(names, object), np.diff(self.offsets)).tolist()
        docs = decode_ids(decode(self._docs), "replace")
        return pl.DataFrame({"query_id": queries, "doc_id": docs, "relevance": self.relevance})

    def _subtopic_frame(self) -> pl.DataFrame:
        import polars as pl

        by = self.subtopics
        assert by is not None
        queries = decode_ids(list(self.codes), "replace")
        docs = decode_ids(decode(self._docs), "replace")
        document = by.judged + self.offsets[by.query]
        return pl.DataFrame(
            {
                "query_id": [queries[q] for q in by.query.tolist()],
                "subtopic": decode_ids(decode(by.ids), "replace"),
                "doc_id": [docs[d] for d in document.tolist()],
                "relevance": by.relevance,
            }
        )

    def __len__(self) -> int:
        """How many judgments."""
        return int(self.relevance.size if self.subtopics is None else self.subtopics.relevance.size)

    def __repr__(self) -> str:
        return f"Qrels({len(self.query_ids)} queries, {len(self)} judgments)"


class JudgedIndex:
    """A table of all judgments by a 64-bit key of query and document, to find them among rows.

    The first bits of a key give its bucket, most of which hold none or one. A found key is
    confirmed on the bytes of the document id.
    """

    def __init__(self, docs: Fields, offsets: Ints, keys: Words | None) -> None:
        """keys: those with seed 0, where they are known to be distinct."""
        self.docs = docs
        self.seed = 0
        codes = np.arange(offsets.size - 1)
        if keys is None:
            keys = combined_keys(hashes(docs), offsets, codes)
            while repeated(keys):  # two documents share a key (equal ones have been refused): take other keys
                self.seed += 1
                keys = combined_keys(hashes(docs, self.seed), offsets, codes)
        digits = int(keys.size).bit_length()
        bits = max(digits + 1, min(digits + 3, 19))  # of few judgments, more room
        self.shift = np.uint64(64 - bits)
        bucket = (keys >> self.shift).view(np.int64)
        order = stable_order(bucket)
        self.keys = keys[order]
        self.rows: npt.NDArray[np.integer[Any]] = order.astype(np.int32 if keys.size < 1 << 31 else np.int64)
        in_bucket = np.bincount(bucket, minlength=1 << bits)
        ends = np.cumsum(in_bucket, dtype=np.int32 if keys.size < 1 << 31 else np.int64)
        self.first: npt.NDArray[np.integer[Any]] = np.subtract(ends, in_bucket, out=ends, casting="unsafe")
        self.deepest = int(in_bucket.max())
        # Asked for every row of every run, so kept small: one byte a bucket.
        small = np.uint8 if self.deepest < 256 else np.int64
        self.in_bucket: npt.NDArray[np.integer[Any]] = in_bucket.astype(small)

    def find(self, keys: Words, docs: Fields) -> tuple[npt.NDArray[np.intp], Ints]:
        """The rows (rising) that are judged, and the number of the judgment of each."""
        bucket = (keys >> self.shift).view(np.int64)
        candidates = np.flatnonzero(self.in_bucket[bucket])
        bucket = bucket[candidates]
        low, size, wanted = self.first[bucket], self.in_bucket[bucket], keys[candidates]
        found = np.full(candidates.size, -1, np.int64)
        for depth in range(self.deepest):
            inside = size > depth
            if not inside.any():
                break
            at = np.where(inside, low + depth, 0)
            match = inside & (self.keys[at] == wanted)
            found[match] = self.rows[at[match]]
        hit = np.flatnonzero(found >= 0)
        rows, judged = candidates[hit], found[hit]
        same = equal(docs.take(rows), self.docs.take(judged))
        return (rows, judged) if same.all() else (rows[same], judged[same])

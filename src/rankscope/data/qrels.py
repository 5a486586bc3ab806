"""Qrels: which documents were judged for each query, and how relevant they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.frames import frame_rows, is_mapping_of_mappings
from rankscope.data.rows import Ints, Keys, Rows, name_of, row_keys
from rankscope.errors import InputError
from rankscope.kernels.order import ranges, repeated
from rankscope.kernels.text import Fields, as_fields, decode, equal

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Qrels"]


class Qrels:
    """Judgments: for each query, its judged documents and their relevance (whole numbers).

    data: `{query_id: {document_id: relevance}}`; or a data frame (polars, pandas, pyarrow: anything
    with the Arrow PyCapsule interface) or a mapping of columns (lists, NumPy arrays) with
    `query_id`, `doc_id`, `relevance`. To read a file, use `read_qrels`.

    A negative relevance means pooled but not judged. Queries are ordered by the bytes of
    their ids, as in trec_eval. Nothing changes a Qrels once it is made.

    Raises InputError for a document that a query holds twice, a relevance that is no whole
    number, an empty id.

    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}})
    >>> qrels
    Qrels(2 queries, 3 judgments)
    """

    def __init__(self, data: Any) -> None:
        if is_mapping_of_mappings(data):
            self._from_mapping(data)
        else:
            self._from_rows(frame_rows(data, "relevance"))

    @classmethod
    def from_rows(cls, rows: Rows) -> Qrels:
        """From what a reader made."""
        self = cls.__new__(cls)
        self._from_rows(rows)
        return self

    def _from_mapping(self, data: Mapping[str, Mapping[str, int]]) -> None:
        ids = sorted(data, key=lambda id_: id_.encode("utf-8", "surrogateescape"))
        values = [rel for id_ in ids for rel in data[id_].values()]
        relevance = np.asarray(values) if values else np.empty(0, np.int64)
        whole = relevance.dtype.kind in "iub"
        if relevance.dtype.kind == "f":  # 1.0 is whole too
            whole = bool((relevance == np.floor(relevance)).all())
        if not whole:
            query, doc, rel = next((q, d, r) for q in ids for d, r in data[q].items() if not is_whole(r))
            raise InputError(
                f"qrels: the relevance of document {doc!r} of query {query!r} is {rel!r}, "
                "expected a whole number; round it or map grades to whole numbers"
            )
        self._set(ids, np.cumsum([0, *(len(data[id_]) for id_ in ids)]), relevance.astype(np.int64))
        self._lookup = [{doc: i for i, doc in enumerate(data[id_])} for id_ in ids]

    def _from_rows(self, rows: Rows) -> None:
        order = sorted(range(len(rows.query_ids)), key=rows.query_ids.__getitem__)
        if order != list(range(len(order))):
            places = np.array(order)
            lengths = np.diff(rows.offsets)[places]
            take = ranges(rows.offsets[places], lengths)
            offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
            ids = [rows.query_ids[i] for i in order]
            rows = Rows(ids, offsets, rows.docs.take(take), rows.values[take], rows.where)
        rows.refuse_duplicates(row_keys(rows.docs, rows.offsets, np.arange(len(order))))
        self._set([name_of(id_) for id_ in rows.query_ids], rows.offsets, rows.values)
        self._docs = rows.docs

    def _set(self, ids: list[str], offsets: Ints, relevance: Ints) -> None:
        if not relevance.size:
            raise InputError("the qrels hold no judgments; expected at least one judged document")
        self.query_ids: tuple[str, ...] = tuple(ids)
        self.offsets = offsets
        self.relevance = relevance

    @cached_property
    def _docs(self) -> Fields:
        """Document ids, in the order of `relevance`."""
        ids = [doc.encode("utf-8", "surrogateescape") for docs in self._lookup for doc in docs]
        return as_fields(ids)

    @cached_property
    def _lookup(self) -> list[dict[str, int]]:
        """For each query, the place of each judged document among them."""
        names = [name_of(id_) for id_ in decode(self._docs)]
        bounds = self.offsets.tolist()
        return [dict(zip(names[a:b], range(b - a), strict=True)) for a, b in pairwise(bounds)]

    @cached_property
    def lookup(self) -> JudgedIndex:
        """Finds judged documents among rows."""
        return JudgedIndex(self)

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
        return self.relevance[np.lexsort((-self.relevance, query))]

    @cached_property
    def max_grade(self) -> int:
        return int(self.relevance.max())

    def frame(self) -> pl.DataFrame:
        """The judgments as a polars frame: query_id, doc_id, relevance."""
        import polars as pl

        queries = np.repeat(np.array(self.query_ids, object), np.diff(self.offsets)).tolist()
        docs = [name_of(id_) for id_ in decode(self._docs)]
        return pl.DataFrame({"query_id": queries, "doc_id": docs, "relevance": self.relevance})

    def __len__(self) -> int:
        """How many judgments."""
        return int(self.relevance.size)

    def __repr__(self) -> str:
        return f"Qrels({len(self.query_ids)} queries, {len(self)} judgments)"


def is_whole(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and value == value // 1


class JudgedIndex:
    """A table of all judgments by a 64-bit key of query and document, to find them among rows.

    The keys are sorted; the first bits of a key give its bucket, most of which hold none or
    one. A found key is confirmed on the bytes of the document id.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.docs = qrels._docs
        codes = np.arange(len(qrels.query_ids))
        self.seed = 0
        # Two different documents with one key: other keys. Equal ones have been refused before.
        while repeated(keys := row_keys(self.docs, qrels.offsets, codes, self.seed)):
            self.seed += 1
        self.rows = np.argsort(keys)
        self.keys: Keys = keys[self.rows]
        bits = max(int(keys.size).bit_length() + 2, 8)
        self.shift = np.uint64(64 - bits)
        in_bucket = np.bincount((self.keys >> self.shift).view(np.int64), minlength=1 << bits)
        first: Any = np.zeros((1 << bits) + 1, np.int32 if keys.size < 1 << 31 else np.int64)
        np.cumsum(in_bucket, out=first[1:])
        self.first: npt.NDArray[np.signedinteger[Any]] = first
        self.deepest = int(in_bucket.max())

    def find(self, keys: Keys, docs: Fields) -> tuple[npt.NDArray[np.intp], Ints]:
        """The rows (rising) that are judged, and the number of the judgment of each."""
        bucket = (keys >> self.shift).view(np.int64)
        low = self.first[bucket]
        size = self.first[bucket + 1] - low
        candidates = np.flatnonzero(size)
        low, size, wanted = low[candidates], size[candidates], keys[candidates]
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

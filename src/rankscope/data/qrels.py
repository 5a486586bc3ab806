"""Qrels: which documents were judged for each query, and how relevant they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import has_fractions, highest_grade
from rankscope.data.hits import freeze
from rankscope.data.row_input import (
    DICT_SHAPE,
    are_by_subtopic,
    is_mapping_of_lists,
    is_mapping_of_mappings,
    refuse_bad_ids,
    refuse_columns,
    refuse_values,
    rows_from_data,
    rows_from_dicts,
    rows_from_lists,
    to_numbers,
)
from rankscope.data.rows import Rows, combined_keys, decode_ids
from rankscope.data.subtopics import Subtopics, merge_subtopics
from rankscope.errors import InputError
from rankscope.kernels.order import ranges, repeated
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, decode, encode, equal, hashes
from rankscope.typing import Grades, Ints, Words

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Qrels",
]


#: Advice in the message for a document that a query holds twice.
DUPLICATE_ADVICE = (
    "remove one of the two; where judgments are by subtopic, ask for a measure of diversity as well (-m StRecall@10) "
    "or read them with read_qrels(path, subtopics=True)"
)


#: For the sizes of eight buckets in one word: those before each, and a factor that adds all up.
BYTES_BEFORE = np.array([(1 << 8 * k) - 1 for k in range(8)], np.uint64)
EACH_BYTE = np.uint64(0x0101010101010101)
#: From this number of judgments on, grades are kept in a byte each.
COMPACT = 1 << 20
#: Buckets that are counted at a time.
BUCKETS = 1 << 18


class Qrels:
    """Judgments: for each query, its judged documents and their relevance.

    Parameters
    ----------
    data
        `{query_id: {document_id: relevance}}`, or `{query_id: [document_id, ...]}` with the relevant documents (a list
        or a set; relevance 1); or a data frame (polars, pandas, pyarrow: anything with the Arrow PyCapsule interface),
        a list of records or a mapping of columns (lists, NumPy arrays) with `query_id`, `doc_id`, `relevance`, or with
        `query_id` and a list of ids in each row (`relevant_ids`). To read a file, use `read_qrels`. Judgments by
        subtopic have a further column `subtopic`, or are `{query_id: {subtopic: {document_id: relevance}}}`; other
        measures take the highest relevance of each document. With a column `subgroup`, too, they are preferences.
    columns
        What the columns of a table are called: `{"query_id": "topic", "relevance": "rating"}`. Default: found by their
        usual names.

    Raises
    ------
    InputError
        A query holds a document twice, a relevance is not a finite number, or an id is empty.

    Notes
    -----
    A relevance may be a fraction: `relevance` is int64 where all are whole numbers, else float64. A negative one means
    pooled but not judged. Queries are ordered by the bytes of their ids, as in trec_eval.
    Nothing changes a Qrels after it is made.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}})
    >>> qrels
    Qrels(2 queries, 3 judgments)
    """

    #: What was judged by subtopic; None where judgments are of queries only.
    subtopics: Subtopics | None = None
    #: What a reader of the file should know.
    notes: tuple[str, ...] = ()

    def __init__(self, data: Any, *, columns: Mapping[str, str] | None = None) -> None:
        if is_mapping_of_mappings(data):
            refuse_columns(columns, DICT_SHAPE)
            if are_by_subtopic(data):
                self._from_rows(rows_from_dicts(data, "qrels", "relevance"))
            else:
                self._from_mapping(data)
        elif is_mapping_of_lists(data, columns):
            refuse_columns(columns, "lists by query")
            self._from_rows(rows_from_lists(data, "qrels", "relevance"))
        else:
            self._from_rows(rows_from_data(data, "relevance", columns))

    @classmethod
    def from_rows(cls, rows: Rows, notes: tuple[str, ...] = ()) -> Qrels:
        """From the rows of a reader, and its notes."""
        self = cls.__new__(cls)
        self._from_rows(rows)
        self.notes = notes
        return self

    def _from_mapping(self, data: Mapping[str, Mapping[str, float]]) -> None:
        refuse_bad_ids(data, "qrels", "query")
        for docs in data.values():
            refuse_bad_ids(docs, "qrels", "document")
        query_ids = sorted(data, key=lambda query_id: query_id.encode("utf-8", "surrogateescape"))
        relevance = to_numbers([rel for query_id in query_ids for rel in data[query_id].values()], "relevance")
        if relevance is None:
            refuse_values(((f"query {query_id!r}", data[query_id]) for query_id in query_ids), "qrels", "relevance")
        self._set(
            query_ids,
            np.cumsum([0, *(len(data[query_id]) for query_id in query_ids)]),
            relevance,
        )
        self.document_places = [{doc: i for i, doc in enumerate(data[query_id])} for query_id in query_ids]

    def _from_rows(self, rows: Rows) -> None:
        sorted_ids = sorted(rows.query_ids)
        if rows.subtopics is not None:
            rows, self.subtopics = merge_subtopics(sorted_rows(rows, sorted_ids))
        codes = np.arange(len(sorted_ids))
        if rows.query_ids != sorted_ids:
            code_of_query = dict(zip(sorted_ids, codes.tolist(), strict=True))
            codes = np.array([code_of_query[id_] for id_ in rows.query_ids])
        keys = rows.keys(codes)
        keys_are_distinct = rows.refuse_duplicates(keys, DUPLICATE_ADVICE)
        offsets, values, docs = rows.offsets, rows.values, rows.docs
        if rows.query_ids != sorted_ids:
            order = np.argsort(codes)
            lengths = np.diff(offsets)[order]
            row_order = ranges(offsets[order], lengths)
            offsets = bounds(lengths)
            keys, values, docs = keys[row_order], values[row_order], docs.take(row_order)
        if docs.buffer.size < 1 << 30:  # half the memory; places a few bytes behind the last fit, too
            docs = Fields(
                docs.buffer, docs.starts.astype(np.int32, copy=False), docs.lengths.astype(np.int32, copy=False)
            )
        self._set(decode_ids(sorted_ids), offsets, values)
        self.docs = docs
        if keys_are_distinct:
            self._keys = keys
        self.codes = dict(zip(sorted_ids, range(len(sorted_ids)), strict=True))

    def _set(self, query_ids: list[str], offsets: Ints, relevance: Grades) -> None:
        if not relevance.size:
            raise InputError("the qrels hold no judgments; expected at least one judged document")
        self.query_ids: tuple[str, ...] = tuple(query_ids)
        self.offsets = freeze(offsets)
        # Of many judgments with small grades a byte each is kept.
        is_compact = relevance.size > COMPACT and not has_fractions(relevance) and fits_byte(relevance)
        self._relevance: npt.NDArray[Any] = freeze(relevance.astype(np.int8) if is_compact else relevance)
        self.memory: dict[Any, Any] = {}  # cache of what measures compute from the judgments alone

    def repeat(self, n: int) -> Qrels:
        """The judgments n times, as of queries of their own: of copy i those from i times the number of queries on.

        Only runs held as mappings can be joined with the copies: the ids of queries lead to the first one.

        Parameters
        ----------
        n
            Number of copies.

        Returns
        -------
        Qrels
            The copies, one after the other.
        """
        copies = Qrels.__new__(Qrels)
        n_judgments = int(self.offsets[-1])
        firsts = np.arange(n)[:, np.newaxis] * n_judgments + self.offsets[:-1]
        copies._set(list(self.query_ids) * n, np.append(firsts.ravel(), n * n_judgments), np.tile(self.relevance, n))
        copies.document_places = self.document_places * n
        copies.places = self.places
        copies.grades = np.tile(self.grades, n)
        return copies

    @cached_property
    def docs(self) -> Fields:
        """Document ids, in the order of `relevance`."""
        return encode([doc for docs in self.document_places for doc in docs])

    @cached_property
    def document_places(self) -> list[dict[str, int]]:
        """For each query, the index of each judged document among the judged documents of the query, by its id."""
        doc_ids = decode_ids(decode(self.docs))
        offsets = self.offsets.tolist()
        return [dict(zip(doc_ids[start:stop], range(stop - start), strict=True)) for start, stop in pairwise(offsets)]

    @cached_property
    def lookup(self) -> JudgedIndex:
        """Finds judged documents among rows."""
        return JudgedIndex(self.docs, self.offsets).fill(self.__dict__.pop("_keys", None))

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each query in `query_ids`, by its id."""
        return {id_: i for i, id_ in enumerate(self.query_ids)}

    @cached_property
    def codes(self) -> dict[bytes, int]:
        """The index of each query in `query_ids`, by the bytes of its id."""
        return {id_.encode("utf-8", "surrogateescape"): i for i, id_ in enumerate(self.query_ids)}

    @cached_property
    def grades(self) -> Grades:
        """Relevances by query, falling within it."""
        query = np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))
        highest, n_grades = int(self.max_grade), int(self.max_grade) - int(self._relevance.min()) + 1
        if has_fractions(self._relevance) or len(self.query_ids) * n_grades >= 1 << 62:
            return self.relevance[np.lexsort((-self.relevance, query))]
        grades: Ints = query  # becomes query * n_grades + how far the grade is below the highest, all in place
        grades *= n_grades
        grades += highest
        grades -= self._relevance
        grades.sort()
        grades %= n_grades
        return np.subtract(highest, grades, out=grades)

    @cached_property
    def max_grade(self) -> float:
        """The highest relevance of all judgments."""
        return highest_grade(self._relevance)

    @property
    def relevance(self) -> Grades:
        """The relevance of each judged document, by query; int64 where all are whole numbers, else float64."""
        return self.relevance_of(slice(None))

    def relevance_of(self, judgments: Ints | slice) -> Grades:
        """The relevance of some judgments.

        Parameters
        ----------
        judgments
            Their indices, or a slice.

        Returns
        -------
        array of shape (judgments)
            As in `relevance`.
        """
        relevance: Grades = self._relevance[judgments]
        return relevance if relevance.dtype != np.int8 else freeze(relevance.astype(np.int64))

    def frame(self) -> pl.DataFrame:
        """The judgments as a polars frame: query_id, (subtopic,) doc_id, relevance, (number of the subgroup)."""
        import polars as pl

        if self.subtopics is not None:
            return self._subtopic_frame()
        query_ids = decode_ids(list(self.codes), "replace")
        row_query_ids = np.repeat(np.array(query_ids, object), np.diff(self.offsets)).tolist()
        doc_ids = decode_ids(decode(self.docs), "replace")
        return pl.DataFrame({"query_id": row_query_ids, "doc_id": doc_ids, "relevance": self.relevance})

    def _subtopic_frame(self) -> pl.DataFrame:
        import polars as pl

        subtopics = self.subtopics
        assert subtopics is not None
        query_ids = decode_ids(list(self.codes), "replace")
        doc_ids = decode_ids(decode(self.docs), "replace")
        document_index = subtopics.judged + self.offsets[subtopics.query]
        columns = {
            "query_id": [query_ids[q] for q in subtopics.query.tolist()],
            "subtopic": decode_ids(decode(subtopics.ids), "replace"),
            "doc_id": [doc_ids[d] for d in document_index.tolist()],
            "relevance": subtopics.relevance,
        }
        return pl.DataFrame(columns if subtopics.subgroup is None else {**columns, "subgroup": subtopics.subgroup})

    def __len__(self) -> int:
        """How many judgments."""
        return int(self._relevance.size if self.subtopics is None else self.subtopics.relevance.size)

    def __repr__(self) -> str:
        return f"Qrels({len(self.query_ids)} queries, {len(self)} judgments)"


def sorted_rows(rows: Rows, query_ids: list[bytes]) -> Rows:
    """The rows with their queries in this order."""
    if query_ids == rows.query_ids:
        return rows
    position_of = dict(zip(rows.query_ids, range(len(query_ids)), strict=True))
    order = np.array([position_of[id_] for id_ in query_ids])
    lengths = np.diff(rows.offsets)[order]
    row_order = ranges(rows.offsets[order], lengths)
    subtopics = None if rows.subtopics is None else rows.subtopics.take(row_order)
    subgroups = None if rows.subgroups is None else rows.subgroups.take(row_order)
    docs, hashed, values = rows.docs.take(row_order), rows.hashes[row_order], rows.values[row_order]
    return Rows(query_ids, bounds(lengths), docs, hashed, values, rows.where, subtopics, rows.kind, subgroups)


def fits_byte(numbers: Ints) -> bool:
    """Whether all numbers fit into signed bytes."""
    return int(numbers.min()) >= -128 and int(numbers.max()) < 128


class JudgedIndex:
    """A hash table of all judgments by a 64-bit key of query and document, to find them among rows.

    The first bits of a key give its bucket; most buckets hold one key or none. A match of keys is confirmed on the
    bytes of the document id. All keys are sorted by bucket; where a bucket begins among them is kept for every eighth
    only, and added up from the sizes of those before it, eight of which are one word: 1.5 bytes a bucket, not 5.
    """

    def __init__(self, docs: Fields, offsets: Ints) -> None:
        self.docs, self.offsets = docs, offsets
        self.seed = 0

    def fill(self, keys: Words | None) -> JudgedIndex:
        """Build the table. keys: those of seed 0, where they are known to be distinct; else None."""
        is_filled = keys is not None and self._sort(keys)
        while not is_filled:
            keys = combined_keys(hashes(self.docs, self.seed), self.offsets, np.arange(self.offsets.size - 1))
            is_filled = not repeated(keys) and self._sort(keys)
            self.seed += not is_filled  # two different documents share a key, or too many a bucket: try another
        return self

    def _sort(self, keys: Words) -> bool:
        """Sort the keys by bucket. False where a bucket holds too many."""
        digits = int(keys.size).bit_length()
        bits = max(digits + 1, min(digits + 3, 19))  # fewer judgments: more buckets for each
        self.shift = np.uint64(64 - bits)
        index_type: Any = np.uint32 if keys.size < 1 << 31 else np.uint64
        by_bucket = keys >> self.shift  # bucket and row in one word, sorted in place: half the memory of an argsort
        by_bucket <<= np.uint64(digits)
        by_bucket |= np.arange(keys.size, dtype=index_type)
        by_bucket.sort()
        rows = np.empty(keys.size, index_type)
        np.bitwise_and(by_bucket, np.uint64((1 << digits) - 1), out=rows, casting="unsafe")
        self.rows = rows.view(np.int32 if index_type == np.uint32 else np.int64)
        self.keys = keys[self.rows]
        by_bucket >>= np.uint64(digits)
        buckets = by_bucket.view(np.int64)
        # Looked up for every row of every run, so kept small: one byte a bucket, and four for every eighth.
        self.bucket_sizes = np.empty(1 << bits, np.uint8)
        self.word_starts: npt.NDArray[np.integer[Any]] = np.empty(1 << (bits - 3), self.rows.dtype)
        self.max_bucket_size = n_before = 0
        for first in range(0, 1 << bits, BUCKETS):
            n = min(BUCKETS, (1 << bits) - first)
            end = int(buckets.searchsorted(first + n))
            sizes = np.bincount(buckets[n_before:end] - first, minlength=n)
            self.max_bucket_size = max(self.max_bucket_size, int(sizes.max()))
            self.bucket_sizes[first : first + n] = sizes
            in_word = sizes.reshape(-1, 8).sum(axis=1)
            self.word_starts[first >> 3 : (first + n) >> 3] = n_before + np.cumsum(in_word) - in_word
            n_before = end
        return 8 * self.max_bucket_size < 256

    def _bucket_starts(self, bucket: Ints) -> Ints:
        """The index of the first key of each bucket."""
        word = bucket >> 3
        sizes_before = self.bucket_sizes.view("<u8")[word] & BYTES_BEFORE[bucket & 7]
        sizes_before *= EACH_BYTE  # the highest byte of the product is the sum of all bytes
        sizes_before >>= np.uint64(56)
        starts: Ints = self.word_starts[word] + sizes_before.view(np.int64)
        return starts

    def find(self, keys: Words, docs: Fields) -> tuple[npt.NDArray[np.intp], Ints]:
        """The rows (rising) that are judged, and the index of the judgment of each."""
        bucket = (keys >> self.shift).view(np.int64)
        candidates = np.flatnonzero(self.bucket_sizes[bucket])
        bucket = bucket[candidates]
        bucket_start, bucket_size = self._bucket_starts(bucket), self.bucket_sizes[bucket]
        candidate_keys = keys[candidates]
        judgments = np.full(candidates.size, -1, np.int64)
        for depth in range(self.max_bucket_size):
            is_in_bucket = bucket_size > depth
            if not is_in_bucket.any():
                break
            slots = np.where(is_in_bucket, bucket_start + depth, 0)
            is_match = is_in_bucket & (self.keys[slots] == candidate_keys)
            judgments[is_match] = self.rows[slots[is_match]]
        matches = np.flatnonzero(judgments >= 0)
        rows, judged = candidates[matches], judgments[matches]
        same_id = equal(docs.take(rows), self.docs.take(judged))
        return (rows, judged) if same_id.all() else (rows[same_id], judged[same_id])

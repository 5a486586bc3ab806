"""Rows: the content of a file, a data frame or columns, grouped by query, with ids as bytes; and batches of rows in the
order of the input.

Both `Qrels` and `Run` are made of rows; the value of a row is a relevance or a score. Ids are decoded to Python strings
only when names are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.kernels.order import ranges, repeated, stable_order
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import MULTIPLIER, PADDING, Fields, decode, equal, hashes
from rankscope.typing import Ints, Words

__all__ = [
    "Interner",
    "RowBatch",
    "RowKind",
    "RowNumbers",
    "Rows",
    "Ungrouped",
    "are_valid_ids",
    "combined_keys",
    "complete_queries",
    "concatenate_queries",
    "decode_id",
    "decode_ids",
    "first_duplicate",
    "first_invalid_id",
    "gather_rows",
    "group_rows",
    "pack_strings",
    "string_contents",
]


#: What rows hold: judgments, or the scored documents of a run.
RowKind = Literal["qrels", "run"]
#: Rows that are joined together: their columns fit the processor's cache.
BLOCK_ROWS = 32_768


def decode_id(id_: bytes) -> str:
    """An id as text. Bytes that are not UTF-8 survive the way back (`surrogateescape`)."""
    return id_.decode("utf-8", "surrogateescape")


def decode_ids(ids: list[bytes], errors: str = "surrogateescape") -> list[str]:
    """Many ids as text. errors: "replace" where the text must be UTF-8, as in a data frame."""
    joined = b"\n".join(ids)
    if joined.count(b"\n") == len(ids) - 1:  # no id holds a newline: one call decodes all
        return joined.decode("utf-8", errors).split("\n")
    return [id_.decode("utf-8", errors) for id_ in ids]


def first_duplicate(names: Sequence[Hashable]) -> int | None:
    """The index of the first name that repeats an earlier one; None where all are distinct."""
    if len(set(names)) == len(names):
        return None
    firsts = {name: i for i, name in reversed(list(enumerate(names)))}
    return next(i for i, name in enumerate(names) if firsts[name] != i)


def are_valid_ids(ids: Collection[str]) -> bool:
    """Whether all are strings that UTF-8 can hold, none empty. May raise TypeError or UnicodeEncodeError instead."""
    joined = "".join(ids)
    return "" not in ids and (joined.isascii() or bool(joined.encode("utf-8", "surrogateescape")))


def first_invalid_id(ids: Collection[Any]) -> int | None:
    """The index of the first id that is no string, empty, or no valid Unicode; None where there is none."""
    try:
        if are_valid_ids(ids):
            return None
    except (TypeError, UnicodeEncodeError):
        pass
    return next((i for i, id_ in enumerate(ids) if len(ids) == 1 or first_invalid_id([id_]) is not None), None)


@dataclass(frozen=True, slots=True)
class Rows:
    """n rows in g groups, one group per query.

    Attributes
    ----------
    query_ids
        Id of each group, no id twice.
    offsets
        First row of each group, (g + 1).
    docs, hashes
        Document ids and their hashes, (n).
    values
        Scores (float64) or relevances (int64), (n).
    where
        Row of a document -> where it is, as "run.txt:17" or "row 17".
    subtopics
        Subtopic ids, (n), if judgments are by subtopic.
    kind
        What the values are: "qrels" for relevances, "run" for scores.
    subgroups
        Sub-group ids, (n), if judgments are preferences within sub-groups of each subtopic.
    """

    query_ids: list[bytes]
    offsets: Ints
    docs: Fields
    hashes: Words
    values: npt.NDArray[Any]
    where: Callable[[int], str]
    subtopics: Fields | None = None
    kind: RowKind = "run"
    subgroups: Fields | None = None

    def keys(self, codes: Ints, seed: int = 0) -> Words:
        """A 64-bit key for each row's query and document. codes: a number for each group's query."""
        return combined_keys(self.hashes if seed == 0 else hashes(self.docs, seed), self.offsets, codes)

    def blocks(self) -> Iterator[Rows]:
        """The rows in blocks of whole groups, none much larger than `BLOCK_ROWS`."""
        start = 0
        n_groups = len(self.query_ids)
        while start < n_groups:
            stop = int(np.searchsorted(self.offsets, self.offsets[start] + BLOCK_ROWS, side="right")) - 1
            stop = min(max(stop, start + 1), n_groups)
            yield self.part(start, stop)
            start = stop

    def part(self, start: int, stop: int) -> Rows:
        """The groups start to stop - 1."""
        if (start, stop) == (0, len(self.query_ids)):
            return self
        rows = slice(self.offsets[start], self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - self.offsets[start]
        docs, hashed, values = self.docs.slice(rows), self.hashes[rows], self.values[rows]
        return Rows(self.query_ids[start:stop], offsets, docs, hashed, values, self.where, kind=self.kind)

    def refuse_duplicates(self, keys: Words, advice: str = "remove one of the two") -> bool:
        """Raise for a document that a query holds twice. keys: from `keys`. Returns whether all keys differ."""
        if not repeated(keys):
            return True
        order = np.argsort(keys, kind="stable")
        repeats = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        suspects = np.unique(np.concatenate((order[repeats], order[repeats + 1])))
        seen: dict[tuple[int, bytes], int] = {}
        suspect_ids = decode(self.docs.take(suspects))
        for row, key, doc in zip(suspects.tolist(), keys[suspects].tolist(), suspect_ids, strict=True):
            if seen.setdefault((key, doc), row) != row:
                self._refuse_duplicate(seen[key, doc], row, doc, advice)
        return False

    def _refuse_duplicate(self, row: int, duplicate_row: int, doc: bytes, advice: str) -> NoReturn:
        query = decode_id(self.query_ids[int(np.searchsorted(self.offsets, duplicate_row, side="right")) - 1])
        # Rows may have been regrouped: their place in the buffer of ids tells which came first in the input.
        first_start, second_start = sorted((int(self.docs.starts[row]), int(self.docs.starts[duplicate_row])))
        raise InputError(
            f"{self.where(second_start)}: document {decode_id(doc)!r} of query {query!r} occurs twice, first at "
            f"{self.where(first_start)}; expected each document once per query; {advice}"
        )


def combined_keys(hashed: Words, offsets: Ints, codes: Ints) -> Words:
    """The hashes of documents, each combined with the number of its group."""
    query_hashes = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
    keys = hashed ^ np.repeat(query_hashes, np.diff(offsets))
    keys *= MULTIPLIER
    return keys


class Interner:
    """Numbers ids in the order in which they are first seen."""

    def __init__(self) -> None:
        self.ids: dict[bytes, int] = {}

    def codes(self, fields: Fields) -> Ints:
        """The number of each id; a new id gets the next one."""
        n = fields.starts.size
        hashed = hashes(fields)
        # 16 bits of the hashes bring nearly all equal ids together, and NumPy sorts them by radix, four times as fast.
        order = np.argsort((hashed >> np.uint64(48)).astype(np.uint16), kind="stable")
        starts_hash = np.ones(n, np.bool_)
        starts_hash[1:] = hashed[order[1:]] != hashed[order[:-1]]
        hash_starts = np.flatnonzero(starts_hash)
        representative = np.empty(n, np.intp)
        representative[order] = np.repeat(order[hash_starts], np.diff(np.append(hash_starts, n)))
        is_first = representative == np.arange(n)
        if n > is_first.sum() and not equal(fields, fields.take(representative)).all():
            # Two ids share a hash: compare the bytes of each.
            return np.array([self.ids.setdefault(id_, len(self.ids)) for id_ in decode(fields)], np.int64)
        firsts = np.flatnonzero(is_first)
        codes = np.empty(n, np.int64)
        codes[firsts] = self._number(decode(fields.take(firsts)))
        return codes[representative]

    def _number(self, ids: list[bytes]) -> Sequence[int]:
        number_of = self.ids
        # The usual case: the next queries of a file are distinct, and all of them new except perhaps the first.
        known_numbers = [number_of[ids[0]]] if ids and ids[0] in number_of else []
        new_ids = ids[len(known_numbers) :]
        if not number_of.keys().isdisjoint(new_ids) or len(set(new_ids)) < len(new_ids):
            return [number_of.setdefault(id_, len(number_of)) for id_ in ids]
        new_numbers = range(len(number_of), len(number_of) + len(new_ids))
        number_of.update(zip(new_ids, new_numbers, strict=True))
        return [*known_numbers, *new_numbers]


def group_rows(
    query_ids: list[bytes],
    codes: Ints,
    docs: Fields,
    hashed: Words,
    values: npt.NDArray[Any],
    where: Callable[[int], str],
    subtopics: Fields | None = None,
    kind: RowKind = "run",
    subgroups: Fields | None = None,
) -> tuple[Rows, int]:
    """Rows from ungrouped columns, and how many queries had rows in several places.

    Parameters
    ----------
    query_ids
        The queries.
    codes
        Index into `query_ids` of each row, (n). Rows of a query keep their order.
    docs, hashed, values, where, subtopics, kind, subgroups
        As for `Rows`.

    Returns
    -------
    rows, n_scattered
        The rows, and the number of such queries.
    """
    n = codes.size
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]]) if n else np.empty(0, np.intp)
    lengths = np.diff(np.r_[starts, n])
    stretch_codes = codes[starts]
    n_scattered = 0
    if stretch_codes.size != len(query_ids) or (stretch_codes[1:] < stretch_codes[:-1]).any():
        n_scattered = int((np.bincount(stretch_codes, minlength=len(query_ids)) > 1).sum())
        # Sort the stretches of one query each, not the rows: there are often far fewer.
        order = stable_order(stretch_codes)
        rows = ranges(starts[order], lengths[order])
        docs, hashed, values = docs.take(rows), hashed[rows], values[rows]
        subtopics = None if subtopics is None else subtopics.take(rows)
        subgroups = None if subgroups is None else subgroups.take(rows)
    offsets = bounds(np.bincount(stretch_codes, lengths, len(query_ids)).astype(np.int64))
    return Rows(query_ids, offsets, docs, hashed, values, where, subtopics, kind, subgroups), n_scattered


class Ungrouped(Exception):
    """The rows of a query are not together, so they cannot be streamed. args: its id."""


class RowBatch(NamedTuple):
    """n rows in the order of the input, in stretches of one query each.

    Attributes
    ----------
    queries
        Id of each stretch; neighbours differ.
    starts
        First row of each stretch.
    docs, hashes, values
        As for `Rows`, (n).
    numbers
        Number of each row's line or row in the input, for messages, (n).
    """

    queries: Fields
    starts: Ints
    docs: Fields
    hashes: Words
    values: npt.NDArray[Any]
    numbers: Ints

    def part(self, start: int, stop: int) -> RowBatch:
        """The stretches start to stop - 1."""
        first_row = int(self.starts[start])
        rows = slice(first_row, int(self.starts[stop]) if stop < self.starts.size else None)
        docs, hashed = self.docs.slice(rows), self.hashes[rows]
        return RowBatch(
            self.queries.slice(slice(start, stop)),
            self.starts[start:stop] - first_row,
            docs,
            hashed,
            self.values[rows],
            self.numbers[rows],
        )

    def detached_copy(self) -> RowBatch:
        """A copy that does not hold on to the buffer of the whole batch."""
        queries, docs = pack_strings([string_contents(self.queries)]), pack_strings([string_contents(self.docs)])
        return RowBatch(queries, self.starts, docs, self.hashes.copy(), self.values.copy(), self.numbers.copy())


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """Names the row of a document, given where its id starts in the buffer.

    Attributes
    ----------
    starts
        Where the rows start.
    numbers
        Number of each row.
    describe_row
        Number of a row -> its name in messages.
    """

    starts: Ints
    numbers: Ints
    describe_row: Callable[[int], str]

    def __call__(self, start: int) -> str:
        return self.describe_row(int(self.numbers[np.searchsorted(self.starts, start)]))


def string_contents(fields: Fields) -> tuple[bytes, Ints]:
    """The bytes of all strings, one after the other, and their lengths."""
    return fields.buffer[ranges(fields.starts, fields.lengths)].tobytes(), fields.lengths


def pack_strings(contents: Iterable[tuple[bytes, Ints]]) -> Fields:
    """Strings in a buffer of their own. contents: as from `string_contents`."""
    texts, length_arrays = zip(*contents, strict=True)
    lengths = np.concatenate(length_arrays).astype(np.int64)
    buffer = b"".join([bytes(PADDING), *texts, bytes(PADDING)])
    return Fields(np.frombuffer(buffer, np.uint8), np.cumsum(lengths) - lengths + PADDING, lengths)


def complete_queries(pieces: Iterable[RowBatch], describe_row: Callable[[int], str]) -> Iterator[Rows]:
    """The rows in portions of complete queries; a query may continue in the next pieces.

    Parameters
    ----------
    pieces
        Batches of rows.
    describe_row
        Number of a row -> its name in messages.

    Raises
    ------
    Ungrouped
        A query occurs again after another one.
    """
    interner = Interner()
    pending: list[RowBatch] = []  # rows of the last query, which may continue
    last_query = b""
    for piece in pieces:
        n_stretches = piece.starts.size
        if not n_stretches:
            continue
        first_stretch = 0
        if pending and decode(piece.queries.slice(slice(1)))[0] == last_query:
            pending.append(piece.part(0, 1).detached_copy())
            first_stretch = 1
        if n_stretches == first_stretch:
            continue
        if pending:
            yield group_new_queries(join_batches(pending), interner, describe_row)
        if n_stretches - first_stretch > 1:
            yield group_new_queries(piece.part(first_stretch, n_stretches - 1), interner, describe_row)
        pending = [piece.part(n_stretches - 1, n_stretches).detached_copy()]
        last_query = decode(pending[0].queries)[0]
    if pending:
        yield group_new_queries(join_batches(pending), interner, describe_row)


def concatenate_queries(queries: Iterable[Rows], describe_row: Callable[[int], str]) -> Rows:
    """All portions of `complete_queries` as one."""
    ids: list[bytes] = []
    texts, columns = [], []
    for rows in queries:
        assert isinstance(rows.where, RowNumbers)
        ids += rows.query_ids
        texts.append(string_contents(rows.docs))
        columns.append((np.diff(rows.offsets), rows.hashes.copy(), rows.values.copy(), rows.where.numbers.copy()))
    docs = pack_strings(texts)
    lengths, hashed, values, numbers = map(np.concatenate, zip(*columns, strict=True))
    return Rows(ids, bounds(lengths), docs, hashed, values, RowNumbers(docs.starts, numbers, describe_row))


def gather_rows(pieces: Iterable[RowBatch], describe_row: Callable[[int], str]) -> tuple[Rows, int]:
    """All rows of at least one piece, grouped by query, and how many queries had rows in several places.

    Parameters
    ----------
    pieces
        Batches of rows.
    describe_row
        Number of a row -> its name in messages.
    """
    interner = Interner()
    texts, columns = [], []
    for piece in pieces:
        codes = np.repeat(interner.codes(piece.queries), np.diff(np.append(piece.starts, piece.values.size)))
        texts.append(string_contents(piece.docs))
        columns.append((codes, piece.hashes.copy(), piece.values.copy(), piece.numbers.copy()))
    docs = pack_strings(texts)
    codes, hashed, values, numbers = map(np.concatenate, zip(*columns, strict=True))
    return group_rows(list(interner.ids), codes, docs, hashed, values, RowNumbers(docs.starts, numbers, describe_row))


def join_batches(batches: list[RowBatch]) -> RowBatch:
    """The batches of one query as one."""
    if len(batches) == 1:
        return batches[0]
    docs = pack_strings(string_contents(batch.docs) for batch in batches)
    hashed, values, numbers = (
        np.concatenate([getattr(batch, column) for batch in batches]) for column in ("hashes", "values", "numbers")
    )
    return RowBatch(batches[0].queries, batches[0].starts, docs, hashed, values, numbers)


def group_new_queries(piece: RowBatch, interner: Interner, describe_row: Callable[[int], str]) -> Rows:
    """The rows of a piece, all of whose queries must be new to the interner. Raises Ungrouped."""
    n_before, n_queries = len(interner.ids), piece.starts.size
    codes = interner.codes(piece.queries)
    repeats = np.flatnonzero(codes != n_before + np.arange(n_queries))
    ids = decode(piece.queries)
    if repeats.size:
        raise Ungrouped(ids[repeats[0]])
    offsets = np.append(piece.starts, piece.values.size).astype(np.int64)
    where = RowNumbers(piece.docs.starts, piece.numbers, describe_row)
    return Rows(ids, offsets, piece.docs, piece.hashes, piece.values, where)

"""Rows as they stand in a file or come from a program, piece by piece, and whole queries made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, Rows, group_rows
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import PADDING, Fields, changes, decode, hashes
from rankscope.typing import Ints, Words

__all__ = [
    "RowNumbers",
    "RowBatch",
    "Ungrouped",
    "string_contents",
    "gather_rows",
    "concatenate_queries",
    "pack_strings",
    "row_batch",
    "complete_queries",
]


class Ungrouped(Exception):
    """The rows of a query are not together, so they cannot be taken as they come. args: its id."""


class RowBatch(NamedTuple):
    """n rows in the order of the input, in stretches of one query.

    queries: the id of each stretch; two that follow each other differ. starts: the first row of each. docs, hashes,
    values: (n) as in `Rows`. numbers: (n) what each row is called: the number of its line or row.
    """

    queries: Fields
    starts: Ints
    docs: Fields
    hashes: Words
    values: npt.NDArray[Any]
    numbers: Ints

    def part(self, a: int, b: int) -> RowBatch:
        """The stretches a to b - 1."""
        begin = int(self.starts[a])
        rows = slice(begin, int(self.starts[b]) if b < self.starts.size else None)
        docs, hashed = self.docs.slice(rows), self.hashes[rows]
        return RowBatch(
            self.queries.slice(slice(a, b)),
            self.starts[a:b] - begin,
            docs,
            hashed,
            self.values[rows],
            self.numbers[rows],
        )

    def copied(self) -> RowBatch:
        """The same, without the buffer that it is a part of."""
        queries, docs = pack_strings([string_contents(self.queries)]), pack_strings([string_contents(self.docs)])
        return RowBatch(queries, self.starts, docs, self.hashes.copy(), self.values.copy(), self.numbers.copy())


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """Says where a document stands, from where its id starts in the buffer. say: from the number of its row."""

    starts: Ints
    numbers: Ints
    say: Callable[[int], str]

    def __call__(self, start: int) -> str:
        return self.say(int(self.numbers[np.searchsorted(self.starts, start)]))


def row_batch(queries: Fields, docs: Fields, values: npt.NDArray[Any], numbers: Ints) -> RowBatch:
    """From columns of at least one row. queries: the id of each row's."""
    starts = np.r_[0, np.flatnonzero(changes(queries)) + 1]
    return RowBatch(queries.take(starts), starts, docs, hashes(docs), values, numbers)


def string_contents(fields: Fields) -> tuple[bytes, Ints]:
    """The bytes of all strings, one after the other, and their lengths."""
    return fields.buffer[ranges(fields.starts, fields.lengths)].tobytes(), fields.lengths


def pack_strings(found: Iterable[tuple[bytes, Ints]]) -> Fields:
    """Strings in a buffer of their own. found: as from `string_contents`."""
    texts, lengths = zip(*found, strict=True)
    length = np.concatenate(lengths).astype(np.int64)
    buffer = b"".join([bytes(PADDING), *texts, bytes(PADDING)])
    return Fields(np.frombuffer(buffer, np.uint8), np.cumsum(length) - length + PADDING, length)


def complete_queries(pieces: Iterable[RowBatch], say: Callable[[int], str]) -> Iterator[Rows]:
    """Each query's rows, once and whole, where they stand together; a query may go on in the next pieces.

    say: as of `RowNumbers`. Raises Ungrouped where a query comes up again behind another one.
    """
    known = Interner()
    waiting: list[RowBatch] = []  # of the query that may go on
    last = b""
    for piece in pieces:
        n = piece.starts.size
        if not n:
            continue
        begin = 0
        if waiting and decode(piece.queries.slice(slice(1)))[0] == last:
            waiting.append(piece.part(0, 1).copied())
            begin = 1
        if n == begin:
            continue
        if waiting:
            yield group_new_queries(join_batches(waiting), known, say)
        if n - begin > 1:
            yield group_new_queries(piece.part(begin, n - 1), known, say)
        waiting = [piece.part(n - 1, n).copied()]
        last = decode(waiting[0].queries)[0]
    if waiting:
        yield group_new_queries(join_batches(waiting), known, say)


def concatenate_queries(found: Iterable[Rows], say: Callable[[int], str]) -> Rows:
    """All that `complete_queries` gives, together."""
    ids: list[bytes] = []
    texts, columns = [], []
    for rows in found:
        assert isinstance(rows.where, RowNumbers)
        ids += rows.query_ids
        texts.append(string_contents(rows.docs))
        columns.append((np.diff(rows.offsets), rows.hashes.copy(), rows.values.copy(), rows.where.numbers.copy()))
    docs = pack_strings(texts)
    lengths, hashed, values, numbers = map(np.concatenate, zip(*columns, strict=True))
    return Rows(ids, bounds(lengths), docs, hashed, values, RowNumbers(docs.starts, numbers, say))


def gather_rows(pieces: Iterable[RowBatch], say: Callable[[int], str]) -> tuple[Rows, int]:
    """All rows of at least one piece, in whatever order their queries come, and how many queries had theirs apart.

    say: as of `RowNumbers`.
    """
    known = Interner()
    texts, columns = [], []
    for piece in pieces:
        codes = np.repeat(known.codes(piece.queries), np.diff(np.append(piece.starts, piece.values.size)))
        texts.append(string_contents(piece.docs))
        columns.append((codes, piece.hashes.copy(), piece.values.copy(), piece.numbers.copy()))
    docs = pack_strings(texts)
    codes, hashed, values, numbers = map(np.concatenate, zip(*columns, strict=True))
    return group_rows(list(known.ids), codes, docs, hashed, values, RowNumbers(docs.starts, numbers, say))


def join_batches(parts: list[RowBatch]) -> RowBatch:
    """The pieces of one query as one."""
    if len(parts) == 1:
        return parts[0]
    docs = pack_strings(string_contents(part.docs) for part in parts)
    hashed, values, numbers = (
        np.concatenate([getattr(part, column) for part in parts]) for column in ("hashes", "values", "numbers")
    )
    return RowBatch(parts[0].queries, parts[0].starts, docs, hashed, values, numbers)


def group_new_queries(piece: RowBatch, known: Interner, say: Callable[[int], str]) -> Rows:
    """Rows of queries each of which is new. known: those before. Raises Ungrouped."""
    before, n = len(known.ids), piece.starts.size
    codes = known.codes(piece.queries)
    again = np.flatnonzero(codes != before + np.arange(n))
    ids = decode(piece.queries)
    if again.size:
        raise Ungrouped(ids[again[0]])
    offsets = np.append(piece.starts, piece.values.size).astype(np.int64)
    where = RowNumbers(piece.docs.starts, piece.numbers, say)
    return Rows(ids, offsets, piece.docs, piece.hashes, piece.values, where)

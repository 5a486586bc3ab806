"""Rows: what a file, a data frame or columns hold, grouped by query, with ids still as bytes; batches of them in the
order of the input.

Both `Qrels` and `Run` are made of rows; they differ in what the value of a row is
(a relevance or a score). Ids become Python strings only when somebody asks for names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.kernels.order import ranges, repeated, stable_order
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import MULTIPLIER, PADDING, Fields, changes, decode, equal, hashes
from rankscope.typing import Ints, Words

__all__ = [
    "Interner",
    "RowBatch",
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
    "gather_rows",
    "group_rows",
    "invalid_ids",
    "pack_strings",
    "row_batch",
    "string_contents",
]


#: Rows that are joined at a time: their columns fit the processor's cache.
CHUNK = 32_768


def decode_id(id_: bytes) -> str:
    """An id as text. Bytes that are not UTF-8 survive the way back (`surrogateescape`)."""
    return id_.decode("utf-8", "surrogateescape")


def decode_ids(ids: list[bytes], errors: str = "surrogateescape") -> list[str]:
    """Many ids as text. errors: "replace" where the text must be UTF-8, as in a data frame."""
    together = b"\n".join(ids)
    if together.count(b"\n") == len(ids) - 1:  # no id holds a newline: one call decodes all
        return together.decode("utf-8", errors).split("\n")
    return [id_.decode("utf-8", errors) for id_ in ids]


def first_duplicate(names: Sequence[Hashable]) -> int | None:
    """The first place of a name that stood before; None where each stands once."""
    if len(set(names)) == len(names):
        return None
    firsts = {name: i for i, name in reversed(list(enumerate(names)))}
    return next(i for i, name in enumerate(names) if firsts[name] != i)


def are_valid_ids(ids: Collection[str]) -> bool:
    """Whether all are strings that UTF-8 can hold, none empty. May raise TypeError or UnicodeEncodeError instead."""
    together = "".join(ids)
    return "" not in ids and (together.isascii() or bool(together.encode("utf-8", "surrogateescape")))


def invalid_ids(ids: Collection[Any]) -> list[Any]:
    """Those that are no string, empty, or no valid Unicode."""
    try:
        if are_valid_ids(ids):
            return []
    except (TypeError, UnicodeEncodeError):
        pass

    def good(id_: Any) -> bool:
        try:
            return are_valid_ids([id_])
        except (TypeError, UnicodeEncodeError):
            return False

    return [id_ for id_ in ids if not good(id_)]


@dataclass(frozen=True, slots=True)
class Rows:
    """n rows in g groups, one group a query.

    query_ids: the id of each group, no id twice. offsets: (g + 1) first row of each group.
    docs: (n) document ids, and their hashes. values: (n) scores (float64) or relevances (int64).
    where: says for a row's document where it stands, as "run.txt:17" or "row 17". subtopics: (n) their ids, where
    judgments are by subtopic.
    """

    query_ids: list[bytes]
    offsets: Ints
    docs: Fields
    hashes: Words
    values: npt.NDArray[Any]
    where: Callable[[int], str]
    subtopics: Fields | None = None

    def keys(self, codes: Ints, seed: int = 0) -> Words:
        """A 64-bit key for each row's query and document. codes: a number for each group's query."""
        return combined_keys(self.hashes if seed == 0 else hashes(self.docs, seed), self.offsets, codes)

    def chunks(self) -> Iterator[Rows]:
        """The same rows in pieces of whole groups, none much larger than `CHUNK`."""
        a = 0
        groups = len(self.query_ids)
        while a < groups:
            b = int(np.searchsorted(self.offsets, self.offsets[a] + CHUNK, side="right")) - 1
            b = min(max(b, a + 1), groups)
            yield self.part(a, b)
            a = b

    def part(self, a: int, b: int) -> Rows:
        """The groups a to b - 1."""
        if (a, b) == (0, len(self.query_ids)):
            return self
        rows = slice(self.offsets[a], self.offsets[b])
        offsets = self.offsets[a : b + 1] - self.offsets[a]
        docs, hashed, values = self.docs.slice(rows), self.hashes[rows], self.values[rows]
        return Rows(self.query_ids[a:b], offsets, docs, hashed, values, self.where)

    def refuse_duplicates(self, keys: Words, advice: str = "remove one of the two") -> bool:
        """Raise for a document that a query holds twice. keys: from `keys`. Returns whether no two are equal."""
        if not repeated(keys):
            return True
        order = np.argsort(keys, kind="stable")
        level = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        suspects = np.unique(np.concatenate((order[level], order[level + 1])))
        seen: dict[tuple[int, bytes], int] = {}
        documents = decode(self.docs.take(suspects))
        for row, key, doc in zip(suspects.tolist(), keys[suspects].tolist(), documents, strict=True):
            if seen.setdefault((key, doc), row) != row:
                self._refuse_duplicate(seen[key, doc], row, doc, advice)
        return False

    def _refuse_duplicate(self, one: int, other: int, doc: bytes, advice: str) -> NoReturn:
        query = decode_id(self.query_ids[int(np.searchsorted(self.offsets, other, side="right")) - 1])
        # Rows may have been regrouped: where they stand in the input tells which came first.
        first, again = sorted((int(self.docs.starts[one]), int(self.docs.starts[other])))
        raise InputError(
            f"{self.where(again)}: document {decode_id(doc)!r} of query {query!r} stands twice, first at "
            f"{self.where(first)}; expected each document once a query; {advice}"
        )


def combined_keys(hashed: Words, offsets: Ints, codes: Ints) -> Words:
    """The documents' hashes, each combined with the number of its group."""
    of_query = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
    keys = hashed ^ np.repeat(of_query, np.diff(offsets))
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
        new = np.ones(n, np.bool_)
        new[1:] = hashed[order[1:]] != hashed[order[:-1]]
        firsts = np.flatnonzero(new)
        representative = np.empty(n, np.intp)
        representative[order] = np.repeat(order[firsts], np.diff(np.append(firsts, n)))
        is_first = representative == np.arange(n)
        if n > is_first.sum() and not equal(fields, fields.take(representative)).all():
            # Two ids with one hash: look at each by its bytes.
            return np.array([self.ids.setdefault(id_, len(self.ids)) for id_ in decode(fields)], np.int64)
        firsts = np.flatnonzero(is_first)
        codes = np.empty(n, np.int64)
        codes[firsts] = self._number(decode(fields.take(firsts)))
        return codes[representative]

    def _number(self, ids: list[bytes]) -> Sequence[int]:
        known = self.ids
        # The usual case: the next queries of a file, all different, and all new but perhaps the first.
        head = [known[ids[0]]] if ids and ids[0] in known else []
        rest = ids[len(head) :]
        if not known.keys().isdisjoint(rest) or len(set(rest)) < len(rest):
            return [known.setdefault(id_, len(known)) for id_ in ids]
        numbers = range(len(known), len(known) + len(rest))
        known.update(zip(rest, numbers, strict=True))
        return [*head, *numbers]


def group_rows(
    query_ids: list[bytes],
    codes: Ints,
    docs: Fields,
    hashed: Words,
    values: npt.NDArray[Any],
    where: Callable[[int], str],
    subtopics: Fields | None = None,
) -> tuple[Rows, int]:
    """Rows from ungrouped columns, and how many queries had their rows apart.

    codes: (n) index into `query_ids` of each row. Rows of a query keep their order.
    """
    n = codes.size
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]]) if n else np.empty(0, np.intp)
    lengths = np.diff(np.r_[starts, n])
    runs = codes[starts]
    apart = 0
    if runs.size != len(query_ids) or (runs[1:] < runs[:-1]).any():
        apart = int((np.bincount(runs, minlength=len(query_ids)) > 1).sum())
        # Sort the stretches of equal queries, not the rows: there are often far fewer.
        order = stable_order(runs)
        rows = ranges(starts[order], lengths[order])
        docs, hashed, values = docs.take(rows), hashed[rows], values[rows]
        subtopics = None if subtopics is None else subtopics.take(rows)
    offsets = bounds(np.bincount(runs, lengths, len(query_ids)).astype(np.int64))
    return Rows(query_ids, offsets, docs, hashed, values, where, subtopics), apart


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

"""TREC's formats: qrels `query 0 document relevance`, runs `query Q0 document rank score tag`.

Accepted: spaces or tabs, CRLF, `#` comments, blank lines, queries in any order or mixed, a tag
that is missing or of several words. The rank column is not looked at; the score ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, Rows, decode_id, group_rows
from rankscope.data.stretches import RowBatch, Ungrouped
from rankscope.errors import InputError
from rankscope.io.blocks import (
    NEWLINE,
    BlockReader,
    LineBlock,
    LineLayout,
    count_lines,
    read_all,
    split_block,
    split_fields,
)
from rankscope.io.streams import Readable
from rankscope.kernels.numbers import parse_floats, parse_integers
from rankscope.kernels.text import Fields, changes, decode, hashes

__all__ = [
    "QRELS",
    "RUN",
    "SUBTOPIC_QRELS",
    "Grammar",
    "Ungrouped",
    "first_fields",
    "read_rows",
    "read_batches",
    "stream_rows",
]


class Grammar(NamedTuple):
    """A layout, and how its value column (the last one named) is read."""

    layout: LineLayout
    value: str
    dtype: type[np.generic]
    parse: Callable[[Fields], tuple[npt.NDArray[Any], npt.NDArray[np.intp]]]


FOUR, SIX = "4 (query 0 document relevance)", "6 (query Q0 document rank score tag)"
ORDER = "(where a command takes both, judgments come first)"
QRELS = Grammar(
    LineLayout(
        4,
        4,
        (0, 2, 3),
        FOUR,
        {6: f"this looks like a run, where judgments are expected {ORDER}"},
        trec=True,
    ),
    "relevance",
    np.int64,
    parse_integers,
)
SUBTOPIC_QRELS = QRELS._replace(
    layout=replace(QRELS.layout, columns=(0, 1, 2, 3), expected="4 (query subtopic document relevance)")
)
RUN = Grammar(
    LineLayout(5, None, (0, 2, 4), SIX, {4: f"this looks like judgments, where a run is expected {ORDER}"}, trec=True),
    "score",
    np.float64,
    parse_floats,
)
KINDS = {"relevance": "a whole number", "rank": "a whole number", "score": "a finite number"}


class ParsedBlock(NamedTuple):
    """The lines of one block. starts: the first row of each stretch of one query; queries: their ids."""

    queries: Fields
    starts: npt.NDArray[np.intp]
    docs: Fields
    hashes: npt.NDArray[np.uint64]
    values: npt.NDArray[Any]
    subtopics: Fields | None


def parse_block(block: LineBlock, grammar: Grammar) -> ParsedBlock:
    queries, *others, docs, texts = split_fields(block, grammar.layout)
    subtopics = others[0] if others else None
    values, bad = grammar.parse(texts)
    if grammar.value == "score" and not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        row = bad[:1]
        place = int(texts.starts[row[0]])
        line = bytes(block.buffer[line_start(block, place) : block.buffer.find(b"\n", place)])
        advice = grammar.layout.advice(0, line, first=False)
        found = decode_id(decode(texts.take(row))[0])
        form = grammar.layout.expected.partition("(")[2].partition(")")[0]
        raise InputError(
            f"{block.where(place)}: {grammar.value} {found!r}, expected "
            f"{KINDS[grammar.value]} (the line is {form}); {advice}"
        )
    n = docs.starts.size
    if not n:
        return ParsedBlock(queries, np.empty(0, np.intp), docs, hashes(docs), values, subtopics)
    starts = np.r_[0, np.flatnonzero(changes(queries)) + 1]
    return ParsedBlock(queries.take(starts), starts, docs, hashes(docs), values, subtopics)


def stream_rows(
    stream: Readable, name: str, grammar: Grammar, size: int, progress: Callable[[int], Any] | None = None
) -> Iterator[Rows]:
    """The rows query by query, while the file is being read. Valid until the next ones are asked for.

    Raises Ungrouped where a query comes up again; `read_rows` takes such files.
    """
    reader = BlockReader(stream, name, size, progress)
    interner = Interner()
    keep: int | None = None
    found = False
    while (block := reader.next(keep)) is not None:
        queries, starts, docs, hashed, values, _ = parse_block(block, grammar)
        keep = block.end
        groups = starts.size
        if not block.last and groups:
            # More lines of the last query may follow: leave it to the next block.
            groups -= 1
            keep = line_start(block, int(queries.starts[groups]))
        if not groups:
            if not block.last and starts.size:
                keep = block.begin
            continue
        found = True
        rows = int(starts[groups]) if groups < starts.size else docs.starts.size
        before = len(interner.ids)
        ours = queries.slice(slice(groups))
        codes = interner.codes(ours)
        if codes[-1] != before + groups - 1 or len(interner.ids) != before + groups:
            raise Ungrouped
        offsets = np.r_[starts[:groups], rows].astype(np.int64)
        yield Rows(decode(ours), offsets, docs.slice(slice(rows)), hashed[:rows], values[:rows], block.where)
    if not found:
        raise no_data_error(name, grammar)


def read_batches(
    stream: Readable, name: str, grammar: Grammar, size: int, progress: Callable[[int], Any] | None = None
) -> Iterator[RowBatch]:
    """The rows in the order of the file, block by block. Each is valid until the next is asked for."""
    reader = BlockReader(stream, name, size, progress)
    keep: int | None = None
    found = False
    while (block := reader.next(keep)) is not None:
        queries, starts, docs, hashed, values, _ = parse_block(block, grammar)
        keep = block.end
        if starts.size:
            found = True
            newlines = np.flatnonzero(block.array[block.begin : block.end] == NEWLINE) + block.begin
            lines = np.searchsorted(newlines, docs.starts) + block.first_line
            yield RowBatch(queries, starts, docs, hashed, values, lines)
    if not found:
        raise no_data_error(name, grammar)


def no_data_error(name: str, grammar: Grammar) -> InputError:
    fields = grammar.layout.expected.replace(" (", " fields (")
    return InputError(f"{name}: no data, only comments and blank lines; expected lines of {fields}")


def line_start(block: LineBlock, place: int) -> int:
    return block.buffer.rfind(b"\n", block.begin, place) + 1 or block.begin


def read_rows(stream: Readable, name: str, grammar: Grammar, size: int = 0) -> tuple[Rows, int]:
    """All rows at once, and how many queries had their lines apart. size: of the stream in bytes, where known."""
    whole = read_all(stream, name, size)
    interner = Interner()
    # As large as can be needed from the start: growing would hold a large file's columns twice.
    most = count_lines(whole.buffer, whole.begin, whole.end)
    codes, starts, lengths = (np.empty(most, np.int64) for _ in range(3))
    hashed = np.empty(most, np.uint64)
    values = np.empty(most, grammar.dtype)
    subtopic_starts, subtopic_lengths = [], []
    n = 0
    for block in split_block(whole):
        parsed = parse_block(block, grammar)
        rows = slice(n, n + parsed.docs.starts.size)
        if rows.stop > n:
            stretches = np.diff(np.r_[parsed.starts, rows.stop - n])
            codes[rows] = np.repeat(interner.codes(parsed.queries), stretches)
            starts[rows], lengths[rows] = parsed.docs.starts, parsed.docs.lengths
            hashed[rows], values[rows] = parsed.hashes, parsed.values
            if parsed.subtopics is not None:
                subtopic_starts.append(parsed.subtopics.starts)
                subtopic_lengths.append(parsed.subtopics.lengths)
            n = rows.stop
    if not n:
        raise no_data_error(name, grammar)
    docs = Fields(whole.array, starts[:n], lengths[:n])
    subtopics = None
    if subtopic_starts:
        subtopics = Fields(whole.array, np.concatenate(subtopic_starts), np.concatenate(subtopic_lengths))
    return group_rows(list(interner.ids), codes[:n], docs, hashed[:n], values[:n], whole.where, subtopics)


def first_fields(buffer: bytes | bytearray, begin: int, end: int) -> list[bytes]:
    """The fields of the first line that holds data, all of the tag as the sixth; none where there is no such line."""
    while begin < end:
        stop = buffer.find(b"\n", begin, end)
        stop = end if stop < 0 else stop
        line = bytes(buffer[begin:stop])
        fields = line.split(None, 5)
        if fields and not line.startswith(b"#"):
            return fields
        begin = stop + 1
    return []

"""The format trec: files of judgments and runs in TREC's lines, read as a whole and written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.rows import Rows, decode_id
from rankscope.data.stretches import RowBatch
from rankscope.errors import InputError
from rankscope.io.blocks import BLOCK, BOM, IS_SPACE, NEWLINE
from rankscope.io.formats import FileContent, Format, Progress, ReadRequest, kind_of_rows
from rankscope.io.render import (
    FORMAT_ADVICE,
    format_numbers,
    has_blank,
    interleave,
    pick_texts,
    refuse_blanks,
    row_pieces,
)
from rankscope.io.trec import QRELS, RUN, SUBTOPIC_QRELS, read_batches, read_rows
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import place_in_group
from rankscope.kernels.text import Fields, as_fields, decode, equal
from rankscope.typing import Ints

if TYPE_CHECKING:
    from rankscope.io.read import Source

__all__ = ["TREC", "ranks_of_rows", "read_trec"]


#: Lines that are looked at at a time.
PIECE = 65_536
NO_COLUMN = {b"0", b"Q0"}


# Reading


def read_trec(source: Source, wanted: ReadRequest) -> FileContent:
    kind = wanted.kind or kind_of_lines(source)
    if kind == "run":
        rows, apart = read_rows(source, source.name, RUN, source.size)
        notes: tuple[str, ...] = ()
        tag = source.tag
        if wanted.complete and tag is not None and has_several_tags(rows, tag.encode("utf-8", "surrogateescape")):
            notes = (f"{source.name}: its lines end in several tags; only the first, {tag!r}, is kept",)
        return FileContent(rows, apart, tag, notes)
    by_subtopic = wanted.subtopics or wanted.complete
    grammar = SUBTOPIC_QRELS if by_subtopic else QRELS
    if wanted.kind is None:  # it may also have been meant for a run
        either = f"{grammar.layout.expected} or {RUN.layout.expected}"
        grammar = grammar._replace(layout=replace(grammar.layout, expected=either))
    rows, apart = read_rows(source, source.name, grammar, source.size)
    if wanted.complete and rows.subtopics is not None and plain_column(rows.subtopics):
        rows = replace(rows, subtopics=None)
    return FileContent(rows, apart)


def kind_of_lines(source: Source) -> str:
    """By the number of fields of the first line that holds data. A line that is none is refused by its reader."""
    return "qrels" if 0 < len(source.first_line) < 5 else "run"


def has_several_tags(rows: Rows, tag: bytes) -> bool:
    """Whether any line ends in another tag than this."""
    buffer = rows.docs.buffer
    starts = np.sort(rows.docs.starts)
    wanted = as_fields([tag])
    for a in range(0, starts.size, PIECE):
        part = starts[a : a + PIECE]
        begin, end = int(part[0]), int(starts[min(a + PIECE, starts.size - 1)])
        stop = end if a + PIECE < starts.size else buffer.size
        newlines = np.flatnonzero(buffer[begin:stop] == NEWLINE) + begin
        ends = newlines[np.searchsorted(newlines, part)]
        while (blank := IS_SPACE[buffer[ends - 1]]).any():
            ends = ends - blank
        begins = np.maximum(ends - len(tag), 1)
        same = equal(Fields(buffer, begins, np.full(ends.size, len(tag))), wanted.take(np.zeros(ends.size, np.intp)))
        same &= IS_SPACE[buffer[begins - 1]]
        if not same.all():
            return True
    return False


def plain_column(subtopics: Fields) -> bool:
    """Whether the second column says nothing: 0 or Q0 on every line."""
    return set(decode(subtopics)) <= NO_COLUMN


# Writing


def write_lines(rows: Rows, name: str) -> Iterator[bytes]:
    return run_lines(rows, name) if kind_of_rows(rows) == "run" else qrels_lines(rows)


def run_lines(rows: Rows, name: str) -> Iterator[bytes]:
    tail = b" " + name.encode("utf-8", "surrogateescape") + b"\n"
    heads = [tail + id_ + b" Q0 " for id_ in rows.query_ids]  # with the end of the line before: a column less to join
    rank = ranks_of_rows(rows)
    shown = [b" %d " % r for r in range(int(rank.max(initial=0)) + 1)]
    done = 0
    for piece in row_pieces(rows):
        n = len(piece.docs)
        lines = interleave(
            pick_texts(heads, piece.queries),
            piece.docs,
            pick_texts(shown, rank[done : done + n]),
            format_numbers(piece.values),
        )
        yield lines if done else lines[len(tail) :]
        done += n
    if done:
        yield tail


def qrels_lines(rows: Rows) -> Iterator[bytes]:
    heads = [id_ + b" " for id_ in rows.query_ids]
    for piece in row_pieces(rows):
        second = b"0" if piece.subtopics is None else piece.subtopics
        yield interleave(
            pick_texts(heads, piece.queries), second, b" ", piece.docs, b" ", format_numbers(piece.values), b"\n"
        )


def ranks_of_rows(rows: Rows) -> Ints:
    """(rows) the rank of each, from 1: by falling score within its query, equal scores in the order of the rows."""
    rank = place_in_group(rows.offsets) + 1
    rises = rows.values[1:] > rows.values[:-1]
    rises[rank[1:] == 1] = False  # the next query's first
    if not rises.any():
        return rank
    order = order_falling(rows.values, np.diff(rows.offsets))
    found = np.empty(rank.size, np.int64)
    found[order] = rank
    return found


def refuse_unwritable(rows: Rows, name: str, shown: str) -> None:
    """Raise for what would end a field, or be read as something else at the begin or end of a line."""
    tag = name.encode("utf-8", "surrogateescape")
    inside = tag.replace(b" ", b"").replace(b"\t", b"")  # which may stand inside it
    if kind_of_rows(rows) == "run" and (tag.strip() != tag or has_blank([inside])):
        raise InputError(
            f"{shown}: the run's name {name!r} is empty, or holds a line end or blanks around it, and cannot end "
            f"TREC's lines; name it otherwise, or {FORMAT_ADVICE}"
        )
    for query in rows.query_ids:
        if query.startswith((b"#", BOM)):
            raise InputError(
                f"{shown}: the query id {decode_id(query)!r} would be read as a comment or a byte order mark at the "
                f"begin of TREC's lines; {FORMAT_ADVICE}"
            )
    refuse_blanks(rows, shown, "TREC")


def trec_loss_notes(rows: Rows) -> list[str]:
    if rows.subtopics is not None and plain_column(rows.subtopics):
        return ["all subtopics are called 0 or Q0, which in TREC's format means that there are none"]
    return []


def stream_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
    return read_batches(source, source.name, RUN, BLOCK, progress)


TREC = Format(
    read=read_trec,
    write=write_lines,
    refuse=refuse_unwritable,
    loses=trec_loss_notes,
    keeps_name=True,
    stretches=stream_batches,
    small=64 << 20,
)

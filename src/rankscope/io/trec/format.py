"""The format trec: qrels `query 0 document relevance`, runs `query Q0 document rank score tag`, parsed block by block,
read at once and written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, RowBatch, Rows, Ungrouped, decode_id, group_rows
from rankscope.errors import InputError
from rankscope.io.core import (
    BLOCK,
    BOM,
    FORMAT_ADVICE,
    IS_SPACE,
    NEWLINE,
    BlockReader,
    FileContent,
    Format,
    LineBlock,
    LineLayout,
    Readable,
    ReadRequest,
    count_lines,
    format_numbers,
    has_blank,
    interleave,
    kind_of_rows,
    pick_texts,
    read_all,
    refuse_blanks,
    row_pieces,
    split_block,
    split_fields,
)
from rankscope.io.core.formats import Progress
from rankscope.kernels.numbers import parse_floats, parse_integers
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import place_in_group
from rankscope.kernels.text import Fields, as_fields, changes, decode, equal, hashes
from rankscope.typing import Ints

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "QRELS",
    "RUN",
    "SUBTOPIC_QRELS",
    "TREC",
    "Grammar",
    "ranks_of_rows",
    "read_batches",
    "read_rows",
    "read_trec",
    "stream_rows",
]


class Grammar(NamedTuple):
    """A layout, and how its value column (the last one named) is read."""

    layout: LineLayout
    value: str
    dtype: type[np.generic]
    parse: Callable[[Fields], tuple[npt.NDArray[Any], npt.NDArray[np.intp]]]


def advise_on_line(line: bytes, fields: int, first: bool) -> str | None:
    """As `diagnose.line_advice`, which is loaded where a line is wrong."""
    from rankscope.io.trec.diagnose import line_advice

    return line_advice(line, fields, first=first)


FOUR, SIX = "4 (query 0 document relevance)", "6 (query Q0 document rank score tag)"
ORDER = "(where a command takes both, judgments come first)"
QRELS = Grammar(
    LineLayout(
        4,
        4,
        (0, 2, 3),
        FOUR,
        advise_on_line,
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
    LineLayout(
        5,
        None,
        (0, 2, 4),
        SIX,
        advise_on_line,
        {4: f"this looks like judgments, where a run is expected {ORDER}"},
        trec=True,
    ),
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


def stream_run(source: Source, size: int, progress: Callable[[int], Any] | None) -> Iterator[Rows]:
    """The rows of a run, query by query, while it is read."""
    return stream_rows(source, source.name, RUN, size, progress)


TREC = Format(
    read=read_trec,
    rows=stream_run,
    write=write_lines,
    refuse=refuse_unwritable,
    loses=trec_loss_notes,
    keeps_name=True,
    stretches=stream_batches,
    small=64 << 20,
)

"""The format trec: qrels `query 0 document relevance` and runs `query Q0 document rank score tag`, read at once or
block by block, and written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.rows import Interner, RowBatch, RowKind, Rows, Ungrouped, decode_id, group_rows
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
    Progress,
    Readable,
    ReadRequest,
    count_lines,
    format_numbers,
    has_blank,
    interleave,
    pick_texts,
    read_all,
    refuse_blanks,
    row_pieces,
    split_block,
    split_fields,
)
from rankscope.kernels.numbers import parse_floats, parse_integers
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import place_in_group
from rankscope.kernels.text import Fields, as_fields, changes, decode, equal, hashes
from rankscope.typing import Grades, Ints

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "PREFERENCES",
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
    """A layout, and how to parse its value column.

    Attributes
    ----------
    layout
        The fields of a line; the last of `layout.columns` is the value.
    value
        Name of the value.
    dtype
        Its type; that of grades becomes float64 at the first fraction.
    parse
        Parses it.
    """

    layout: LineLayout
    value: str
    dtype: type[np.generic]
    parse: Callable[[Fields], tuple[npt.NDArray[Any], npt.NDArray[np.intp]]]

    @property
    def kind(self) -> RowKind:
        """What the rows are."""
        return "qrels" if self.value in ("relevance", "level") else "run"


def advise_on_line(line: bytes, n_fields: int, is_first: bool) -> str | None:
    """As `diagnose.line_advice`, which is only imported for an invalid line."""
    from rankscope.io.trec.diagnose import line_advice

    return line_advice(line, n_fields, is_first=is_first)


def parse_grades(fields: Fields) -> tuple[Grades, npt.NDArray[np.intp]]:
    """The grades, and the rows whose text is none. Whole numbers are tried first, since most grades are."""
    grades, invalid_rows = parse_integers(fields)
    if not invalid_rows.size:
        return grades, invalid_rows
    numbers, invalid_rows = parse_floats(fields)
    if not invalid_rows.size:
        invalid_rows = np.flatnonzero(invalid_grades(numbers))
    return (numbers if invalid_rows.size else as_grades(numbers)), invalid_rows


FOUR, SIX = "4 (query 0 document relevance)", "6 (query Q0 document rank score tag)"
ORDER = "(if a command takes both, name the judgments first)"
QRELS = Grammar(
    LineLayout(
        4,
        4,
        (0, 2, 3),
        FOUR,
        advise_on_line,
        {6: f"this looks like a run, but judgments are expected here {ORDER}"},
        alternatives_need_trec=True,
    ),
    "relevance",
    np.int64,
    parse_grades,
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
        {4: f"this looks like judgments, but a run is expected here {ORDER}"},
        alternatives_need_trec=True,
    ),
    "score",
    np.float64,
    parse_floats,
)
#: Preferences: within a sub-group of a group, a document of a higher level is preferred to one of a lower level.
PREFERENCES = SUBTOPIC_QRELS._replace(
    layout=replace(
        SUBTOPIC_QRELS.layout,
        min_fields=5,
        max_fields=5,
        columns=(0, 1, 2, 3, 4),
        expected="5 (query group sub-group document level)",
        alternatives={4: "this looks like qrels", 6: "this looks like a run"},
        alternatives_need_trec=False,
    ),
    value="level",
)
KINDS = {
    "relevance": EXPECTED_GRADE,
    "level": EXPECTED_GRADE,
    "rank": "a whole number",
    "score": "a finite number",
}


class ParsedBlock(NamedTuple):
    """The rows of one block.

    Attributes
    ----------
    queries
        Query of each stretch of rows of one query.
    starts
        First row of each stretch.
    docs, hashes, values, subtopics, subgroups
        Columns of the rows.
    """

    queries: Fields
    starts: npt.NDArray[np.intp]
    docs: Fields
    hashes: npt.NDArray[np.uint64]
    values: npt.NDArray[Any]
    subtopics: Fields | None = None
    subgroups: Fields | None = None


def parse_block(block: LineBlock, grammar: Grammar) -> ParsedBlock:
    queries, *group_fields, docs, texts = split_fields(block, grammar.layout)
    values, invalid_rows = grammar.parse(texts)
    if grammar.value == "score" and not np.isfinite(values).all():
        invalid_rows = np.flatnonzero(~np.isfinite(values))
    if invalid_rows.size:
        row = invalid_rows[:1]
        position = int(texts.starts[row[0]])
        line = bytes(block.buffer[line_start(block, position) : block.buffer.find(b"\n", position)])
        advice = grammar.layout.advice(0, line, is_first=False)
        value_text = decode_id(decode(texts.take(row))[0])
        line_format = grammar.layout.expected.partition("(")[2].partition(")")[0]
        raise InputError(
            f"{block.location(position)}: {grammar.value} {value_text!r}, expected "
            f"{KINDS[grammar.value]} (the line is {line_format}); {advice}"
        )
    n_rows = docs.starts.size
    if not n_rows:
        return ParsedBlock(queries, np.empty(0, np.intp), docs, hashes(docs), values, *group_fields)
    starts = np.r_[0, np.flatnonzero(changes(queries)) + 1]
    return ParsedBlock(queries.take(starts), starts, docs, hashes(docs), values, *group_fields)


def stream_rows(
    stream: Readable, name: str, grammar: Grammar, size: int, progress: Callable[[int], Any] | None = None
) -> Iterator[Rows]:
    """The rows query by query, while the file is read. They are valid until the next are requested.

    Parameters
    ----------
    stream
        The file.
    name
        Its name.
    grammar
        Its fields.
    size
        Number of bytes of a block.
    progress
        Called with the bytes of each block.

    Raises
    ------
    Ungrouped
        The rows of a query are not together; `read_rows` reads such files.
    """
    reader = BlockReader(stream, name, size, progress)
    interner = Interner()
    keep_from: int | None = None
    has_data = False
    while (block := reader.next(keep_from)) is not None:
        queries, starts, docs, doc_hashes, values, *_ = parse_block(block, grammar)
        keep_from = block.end
        n_queries = starts.size
        if not block.is_last and n_queries:
            # More lines of the last query may follow: it is read with the next block.
            n_queries -= 1
            keep_from = line_start(block, int(queries.starts[n_queries]))
        if not n_queries:
            if not block.is_last and starts.size:
                keep_from = block.begin
            continue
        has_data = True
        n_rows = int(starts[n_queries]) if n_queries < starts.size else docs.starts.size
        n_ids_before = len(interner.ids)
        finished_queries = queries.slice(slice(n_queries))
        codes = interner.codes(finished_queries)
        if codes[-1] != n_ids_before + n_queries - 1 or len(interner.ids) != n_ids_before + n_queries:
            raise Ungrouped
        offsets = np.r_[starts[:n_queries], n_rows].astype(np.int64)
        yield Rows(
            decode(finished_queries),
            offsets,
            docs.slice(slice(n_rows)),
            doc_hashes[:n_rows],
            values[:n_rows],
            block.location,
        )
    if not has_data:
        raise no_data_error(name, grammar)


def read_batches(
    stream: Readable, name: str, grammar: Grammar, size: int, progress: Callable[[int], Any] | None = None
) -> Iterator[RowBatch]:
    """The rows in the order of the file, block by block. Each batch is valid until the next is requested."""
    reader = BlockReader(stream, name, size, progress)
    keep_from: int | None = None
    has_data = False
    while (block := reader.next(keep_from)) is not None:
        queries, starts, docs, doc_hashes, values, *_ = parse_block(block, grammar)
        keep_from = block.end
        if starts.size:
            has_data = True
            newlines = np.flatnonzero(block.array[block.begin : block.end] == NEWLINE) + block.begin
            lines = np.searchsorted(newlines, docs.starts) + block.first_line
            yield RowBatch(queries, starts, docs, doc_hashes, values, lines)
    if not has_data:
        raise no_data_error(name, grammar)


def no_data_error(name: str, grammar: Grammar) -> InputError:
    fields = grammar.layout.expected.replace(" (", " fields (")
    return InputError(f"{name}: no data, only comments and blank lines; expected lines of {fields}")


def line_start(block: LineBlock, position: int) -> int:
    return block.buffer.rfind(b"\n", block.begin, position) + 1 or block.begin


def read_rows(stream: Readable, name: str, grammar: Grammar, size: int = 0) -> tuple[Rows, int]:
    """All rows, and how many queries had lines that were not together. size: of the stream in bytes, if known."""
    file_block = read_all(stream, name, size)
    interner = Interner()
    # Allocated for the maximum number of rows: growing would hold the columns of a large file twice.
    max_rows = count_lines(file_block.buffer, file_block.begin, file_block.end)
    # Judgments stay in memory, where half the size counts; of a buffer of 1 GB every place fits.
    is_compact = grammar.kind == "qrels" and len(file_block.buffer) < 1 << 30
    index_type: Any = np.int32 if is_compact else np.int64
    codes, starts, lengths = (np.empty(max_rows, index_type) for _ in range(3))
    doc_hashes = np.empty(max_rows, np.uint64)
    values = np.empty(max_rows, grammar.dtype)
    #: Subtopics, and sub-groups: where they start, and how long they are, block by block.
    group_pieces: tuple[list[Fields], list[Fields]] = ([], [])
    n_rows = 0
    for block in split_block(file_block):
        parsed = parse_block(block, grammar)
        span = slice(n_rows, n_rows + parsed.docs.starts.size)
        if span.stop > n_rows:
            stretch_lengths = np.diff(np.r_[parsed.starts, span.stop - n_rows])
            codes[span] = np.repeat(interner.codes(parsed.queries), stretch_lengths)
            starts[span], lengths[span] = parsed.docs.starts, parsed.docs.lengths
            if not np.can_cast(parsed.values.dtype, values.dtype):  # the first fraction
                values = values.astype(parsed.values.dtype)
            doc_hashes[span], values[span] = parsed.hashes, parsed.values
            for pieces, column in zip(group_pieces, (parsed.subtopics, parsed.subgroups), strict=True):
                if column is not None:
                    pieces.append(column)
            n_rows = span.stop
    if not n_rows:
        raise no_data_error(name, grammar)
    docs = Fields(file_block.array, starts[:n_rows], lengths[:n_rows])
    subtopics, subgroups = (concatenated(file_block.array, pieces) for pieces in group_pieces)
    ids, hashed, kind = list(interner.ids), doc_hashes[:n_rows], grammar.kind
    where = file_block.location
    return group_rows(ids, codes[:n_rows], docs, hashed, values[:n_rows], where, subtopics, kind, subgroups)


def concatenated(buffer: npt.NDArray[np.uint8], pieces: list[Fields]) -> Fields | None:
    """The fields of all pieces, which are in this buffer; None without any."""
    if not pieces:
        return None
    starts, lengths = ([getattr(piece, name) for piece in pieces] for name in ("starts", "lengths"))
    return Fields(buffer, np.concatenate(starts), np.concatenate(lengths))


#: Rows that are checked at a time.
PIECE = 65_536
NO_COLUMN = {b"0", b"Q0"}


# Reading


def read_trec(source: Source, request: ReadRequest) -> FileContent:
    kind = request.kind or kind_of_lines(source)
    if kind == "run":
        rows, n_ungrouped = read_rows(source, source.name, RUN, source.size)
        notes: tuple[str, ...] = ()
        tag = source.tag
        if request.keep_all and tag is not None and has_several_tags(rows, tag.encode("utf-8", "surrogateescape")):
            notes = (f"{source.name}: its lines end in several tags; only the first, {tag!r}, is kept",)
        return FileContent(rows, n_ungrouped, tag, notes)
    by_subtopic = request.subtopics or request.keep_all
    grammar = SUBTOPIC_QRELS if by_subtopic else QRELS
    if request.subtopics and len(source.first_line_fields) == 5:
        grammar = PREFERENCES
    if request.kind is None:  # it may also be meant as a run
        expected = f"{grammar.layout.expected} or {RUN.layout.expected}"
        grammar = grammar._replace(layout=replace(grammar.layout, expected=expected))
    rows, n_ungrouped = read_rows(source, source.name, grammar, source.size)
    if request.keep_all and rows.subtopics is not None and plain_column(rows.subtopics):
        rows = replace(rows, subtopics=None)
    return FileContent(rows, n_ungrouped)


def kind_of_lines(source: Source) -> str:
    """The kind by the number of fields of the first line with data; the reader refuses invalid lines."""
    return "qrels" if 0 < len(source.first_line_fields) < 5 else "run"


def has_several_tags(rows: Rows, tag: bytes) -> bool:
    """Whether any line ends in a tag other than this."""
    buffer = rows.docs.buffer
    starts = np.sort(rows.docs.starts)
    tag_field = as_fields([tag])
    for start in range(0, starts.size, PIECE):
        doc_starts = starts[start : start + PIECE]
        begin, next_start = int(doc_starts[0]), int(starts[min(start + PIECE, starts.size - 1)])
        end = next_start if start + PIECE < starts.size else buffer.size
        newlines = np.flatnonzero(buffer[begin:end] == NEWLINE) + begin
        line_ends = newlines[np.searchsorted(newlines, doc_starts)]
        while (is_blank := IS_SPACE[buffer[line_ends - 1]]).any():
            line_ends = line_ends - is_blank
        tag_starts = np.maximum(line_ends - len(tag), 1)
        is_same = equal(
            Fields(buffer, tag_starts, np.full(line_ends.size, len(tag))),
            tag_field.take(np.zeros(line_ends.size, np.intp)),
        )
        is_same &= IS_SPACE[buffer[tag_starts - 1]]
        if not is_same.all():
            return True
    return False


def plain_column(subtopics: Fields) -> bool:
    """Whether the second column holds no subtopics: 0 or Q0 on every line."""
    return set(decode(subtopics)) <= NO_COLUMN


# Writing


def write_lines(rows: Rows, name: str) -> Iterator[bytes]:
    return run_lines(rows, name) if rows.kind == "run" else qrels_lines(rows)


def run_lines(rows: Rows, name: str) -> Iterator[bytes]:
    tail = b" " + name.encode("utf-8", "surrogateescape") + b"\n"
    prefixes = [
        tail + id_ + b" Q0 " for id_ in rows.query_ids
    ]  # with the end of the previous line: one column less to join
    ranks = ranks_of_rows(rows)
    rank_texts = [b" %d " % rank for rank in range(int(ranks.max(initial=0)) + 1)]
    n_written = 0
    for piece in row_pieces(rows):
        n_rows = len(piece.docs)
        lines = interleave(
            pick_texts(prefixes, piece.queries),
            piece.docs,
            pick_texts(rank_texts, ranks[n_written : n_written + n_rows]),
            format_numbers(piece.values),
        )
        yield lines if n_written else lines[len(tail) :]
        n_written += n_rows
    if n_written:
        yield tail


def qrels_lines(rows: Rows) -> Iterator[bytes]:
    prefixes = [id_ + b" " for id_ in rows.query_ids]
    for piece in row_pieces(rows):
        second_column = b"0" if piece.subtopics is None else piece.subtopics
        yield interleave(
            pick_texts(prefixes, piece.queries),
            second_column,
            b" ",
            piece.docs,
            b" ",
            format_numbers(piece.values),
            b"\n",
        )


def ranks_of_rows(rows: Rows) -> Ints:
    """(rows) the rank of each row, from 1: by falling score within its query, equal scores in the order of the rows."""
    ranks = place_in_group(rows.offsets) + 1
    rises = rows.values[1:] > rows.values[:-1]
    rises[ranks[1:] == 1] = False  # the first row of the next query
    if not rises.any():
        return ranks
    order = order_falling(rows.values, np.diff(rows.offsets))
    row_ranks = np.empty(ranks.size, np.int64)
    row_ranks[order] = ranks
    return row_ranks


def refuse_unwritable(rows: Rows, run_name: str, input_name: str) -> None:
    """Raise for ids and names that would end a field, or be read differently at the begin or end of a line."""
    tag = run_name.encode("utf-8", "surrogateescape")
    without_blanks = tag.replace(b" ", b"").replace(b"\t", b"")  # blanks inside the tag are allowed
    if rows.kind == "run" and (tag.strip() != tag or has_blank([without_blanks])):
        raise InputError(
            f"{input_name}: the run's name {run_name!r} is empty, or holds a line end or blanks around it, and cannot "
            f"end TREC's lines; name it otherwise, or {FORMAT_ADVICE}"
        )
    for query in rows.query_ids:
        if query.startswith((b"#", BOM)):
            raise InputError(
                f"{input_name}: the query id {decode_id(query)!r} would be read as a comment or a byte order mark at "
                f"the begin of TREC's lines; {FORMAT_ADVICE}"
            )
    refuse_blanks(rows, input_name, "TREC")


def trec_loss_notes(rows: Rows) -> list[str]:
    if rows.subtopics is not None and plain_column(rows.subtopics):
        return ["all subtopics are called 0 or Q0, which in TREC's format means that there are none"]
    return []


def stream_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
    return read_batches(source, source.name, RUN, BLOCK, progress)


def stream_run(source: Source, size: int, progress: Callable[[int], Any] | None) -> Iterator[Rows]:
    """The rows of a run, query by query while it is read."""
    return stream_rows(source, source.name, RUN, size, progress)


TREC = Format(
    read=read_trec,
    query_rows=stream_run,
    write=write_lines,
    refuse=refuse_unwritable,
    loss_notes=trec_loss_notes,
    keeps_name=True,
    row_batches=stream_batches,
    small_size=64 << 20,
)

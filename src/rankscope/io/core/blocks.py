"""Blocks of lines and their whitespace-separated fields, found without a loop over lines.

One comparison finds all separators. Where every line has as many fields as the first and one space or tab between
them, the positions of the separators, reshaped to a table, *are* the fields. Anything else (runs of spaces, CRLF,
comments, blank lines, tags with spaces) is split by `split_irregular_fields`, more slowly and with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.io.core.paths import source_name
from rankscope.io.core.streams import Readable, binary_file_error, empty_file_error, open_binary
from rankscope.kernels.text import PADDING, Fields
from rankscope.typing import Indices, PathLike

__all__ = [
    "BOM",
    "NUMBER",
    "BlockReader",
    "LineBlock",
    "LineLayout",
    "count_lines",
    "find_lone_returns",
    "looks_like_trec",
    "read_all",
    "read_fields",
    "refuse_returns",
    "remove_marks",
    "split_block",
    "split_fields",
    "split_irregular_fields",
]


#: Bytes that are split at a time: with all their arrays they fit into the processor's cache.
BLOCK = 1 << 20
#: Maximum bytes of a line; a longer one may have no end at all.
MAX_LINE_BYTES = 64 << 20
#: Blanks that may begin a block before all of it is checked.
MAX_BLANK = 64
#: Fields of a line of a run, where its tag is one word.
MAX_TREC_FIELDS = 6
NEWLINE, RETURN, SPACE, TAB, HASH = 10, 13, 32, 9, 35
BOM = b"\xef\xbb\xbf"
#: Byte order marks at the start of a line, one or several, and of a text.
MARK, MARKS, FIRST_MARKS = b"\n" + BOM, re.compile(b"\n(?:%s)+" % BOM), re.compile(b"(?:%s)+" % BOM)
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
IS_SPACE = np.zeros(256, np.bool_)
IS_SPACE[[9, 10, 11, 12, 13, 32]] = True  # C's isspace(); bytes of unicode spaces are letters


@dataclass(frozen=True, slots=True)
class LineLayout:
    """The fields of a line.

    Attributes
    ----------
    min_fields, max_fields
        Numbers of fields; no limit if the latter is None.
    columns
        Needed fields, by index.
    expected
        The line in words, for messages.
    advise
        (line, number of fields, whether it is the first) -> advice, or None.
    alternatives
        Number of fields -> what the file may be instead.
    alternatives_need_trec
        Whether these need a first line in TREC's format.
    """

    min_fields: int
    max_fields: int | None
    columns: tuple[int, ...]
    expected: str  # for the error message: "6 (query Q0 doc rank score tag)"
    advise: Callable[[bytes, int, bool], str | None]  # (line, number of fields, whether it is the first) -> advice
    alternatives: Mapping[int, str] = field(default_factory=dict)  # number of fields -> what the file may be instead
    alternatives_need_trec: bool = False  # whether `mistaken` needs a first line in TREC's format

    def advice(self, n_fields: int, line: bytes, *, is_first: bool) -> str:
        """Advice about a line with this number of fields. is_first: whether it is the first line of the file."""
        alternative = (
            self.alternatives.get(n_fields)
            if not self.alternatives_need_trec or (is_first and looks_like_trec(line))
            else None
        )
        return self.advise(line, n_fields, is_first) or alternative or "correct this line"


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Complete lines: buffer[begin:end]. The last byte is a newline; there is padding on both sides.

    Attributes
    ----------
    buffer
        The bytes.
    begin, end
        Where the lines begin and end.
    first_line
        Number of the first line.
    name
        Name of the file.
    is_last
        Whether it is the last block.
    notes
        Where to put what a reader should know, if that is wanted.
    """

    buffer: bytearray
    begin: int
    end: int
    first_line: int
    name: str
    is_last: bool
    notes: list[str] | None = None

    @property
    def array(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self.buffer, np.uint8)

    def location(self, position: int) -> str:
        """file:line of a byte of the buffer."""
        return f"{self.name}:{self.first_line + count_lines(self.buffer, self.begin, position)}"


class BlockReader:
    """Reads a stream block by block. The caller says which last bytes of a block the next one starts with.

    skip_blank: whether nothing is lost with blocks of blank lines, which may unpack from a small file.
    """

    def __init__(
        self,
        stream: Readable,
        name: str,
        size: int = BLOCK,
        progress: Callable[[int], Any] | None = None,
        *,
        skip_blank: bool = True,
    ):
        self.stream, self.name, self.progress, self.skip_blank = stream, name, progress, skip_blank
        self.notes: list[str] | None = getattr(stream, "notes", None)
        self.size = size
        self.buffer = bytearray(PADDING + size + 2 * PADDING)
        self.begin = self.filled = PADDING
        self.line = 1
        self.ended = False
        self.empty = True

    def next(self, keep_from: int | None = None) -> LineBlock | None:
        """The next block: the bytes from `keep_from` on, and more. None at the end.

        Parameters
        ----------
        keep_from
            Where the bytes to keep begin in the last block. Default: nothing is kept.

        Notes
        -----
        The buffer of the last block is reused: copy what is still needed before.
        """
        self._move(keep_from)
        while True:
            self._fill()
            end = self.filled if self.ended else self.buffer.rfind(b"\n", self.begin, self.filled) + 1
            self._refuse_endless(max(end, self.begin))
            if self.ended:
                break
            if end <= self.begin:
                self._grow()  # a line longer than the buffer
            elif self.skip_blank and self._is_blank(end):  # nothing but line ends may unpack from a small file
                self._move(end)
            else:
                break
        if end == self.begin:
            if self.empty:
                raise empty_file_error(self.name)
            return None
        return LineBlock(self.buffer, self.begin, end, self.line, self.name, self.ended, self.notes)

    def _is_blank(self, end: int) -> bool:
        """Whether all lines up to here are blank, without a copy of those that are not."""
        start = bytes(self.buffer[self.begin : min(self.begin + MAX_BLANK, end)])
        return start.isspace() and (len(start) < MAX_BLANK or bytes(self.buffer[self.begin : end]).isspace())

    def _refuse_endless(self, begin: int) -> None:
        if self.filled - begin > MAX_LINE_BYTES:
            line = self.line + count_lines(self.buffer, self.begin, begin)
            raise InputError(
                f"{self.name}:{line}: no line end within {MAX_LINE_BYTES >> 20} MB, expected lines; look for another "
                "file"
            )

    def _move(self, keep_from: int | None) -> None:
        if keep_from is None:
            return
        if keep_from <= self.begin and not self.ended:
            self._grow()
            return
        self.line += count_lines(self.buffer, self.begin, keep_from)
        remaining = self.buffer[keep_from : self.filled]
        self.buffer[self.begin : self.begin + len(remaining)] = remaining
        self.filled = self.begin + len(remaining)

    def _grow(self) -> None:
        larger_buffer = bytearray(2 * len(self.buffer))
        larger_buffer[: self.filled] = self.buffer[: self.filled]
        self.buffer = larger_buffer

    def _fill(self) -> None:
        limit = len(self.buffer) - 2 * PADDING
        view = memoryview(self.buffer)
        filled_before = self.filled
        while not self.ended and self.filled < limit:
            n_bytes = self.stream.readinto(view[self.filled : limit])
            if not n_bytes:
                self.ended = True
                self._end()
            else:
                refuse_binary(self.buffer, self.filled, self.filled + n_bytes, self.name)
                if self.empty:
                    self._begin(n_bytes)
                self.filled += n_bytes
                begin = max(self.filled - n_bytes - len(BOM), self.begin)
                if self.buffer.find(BOM[:1], begin, self.filled) >= 0:
                    self._remove_marks(begin)
        if self.progress and self.filled > filled_before:
            self.progress(self.filled - filled_before)

    def _begin(self, n_bytes: int) -> None:
        self.empty = False
        if n_bytes >= 3 and self.buffer.startswith(BOM, self.begin):
            self.buffer[self.begin : self.begin + 3] = b"\n\n\n"  # three blank lines, not counted
            self.line -= 3

    def _remove_marks(self, begin: int) -> None:
        """Remove the byte order marks that begin lines from here on; one may begin in the bytes of the last read."""
        is_line_start = begin == self.begin or self.buffer[begin - 1] == NEWLINE
        is_first = is_line_start and self.buffer.startswith(BOM, begin)
        if is_first or self.buffer.find(MARK, begin, self.filled) >= 0:
            remaining = remove_marks(bytes(self.buffer[begin : self.filled]), is_line_start=is_line_start)
            self.filled = begin + len(remaining)
            self.buffer[begin : self.filled] = remaining

    def _end(self) -> None:
        if self.filled > self.begin and self.buffer[self.filled - 1] != NEWLINE:
            self.buffer[self.filled] = NEWLINE
            self.filled += 1


def remove_marks(text: bytes, *, is_line_start: bool = True) -> bytes:
    r"""The text without the byte order marks at the start of lines, as of files that were joined with `cat`.

    is_line_start: whether the text begins a line.

    >>> remove_marks(BOM + b"a\n" + BOM + b"b" + BOM)
    b'a\nb\xef\xbb\xbf'
    """
    if text.find(BOM[:1]) < 0:  # a search for one byte takes a tenth of the time
        return text
    if is_line_start and (first := FIRST_MARKS.match(text)):
        text = text[first.end() :]
    return MARKS.sub(b"\n", text) if MARK in text else text


def refuse_binary(buffer: bytearray, begin: int, end: int, name: str) -> None:
    if buffer.find(b"\0", begin, end) >= 0:
        raise binary_file_error(bytes(buffer[begin : min(end, begin + 64)]), name)


def count_lines(buffer: bytearray, begin: int, end: int) -> int:
    """The number of newlines in this range."""
    bytes_ = np.frombuffer(buffer, np.uint8)
    starts = range(begin, end, BLOCK)
    return sum(int(np.count_nonzero(bytes_[start : min(start + BLOCK, end)] == NEWLINE)) for start in starts)


def read_all(stream: Readable, name: str, size: int = 0) -> LineBlock:
    """The whole stream as one block. size: the expected number of bytes, if known."""
    reader = BlockReader(stream, name, max(size + 1, 4 * BLOCK))
    block = reader.next()
    while block is not None and not block.is_last:
        block = reader.next(block.begin)
    assert block is not None  # an empty stream has raised
    return block


def read_fields(path: PathLike, layout: LineLayout) -> tuple[LineBlock, list[Fields]]:
    """All lines of a file, and the columns that `layout` names."""
    with open_binary(path) as stream:
        block = read_all(cast("Readable", stream), source_name(path))
    return block, split_fields(block, layout)


def split_block(block: LineBlock, size: int = BLOCK) -> Iterator[LineBlock]:
    """A large block as smaller blocks of complete lines over the same buffer."""
    begin, line = block.begin, block.first_line
    while begin < block.end:
        end = block.end
        if end - begin > size:
            end = block.buffer.rfind(b"\n", begin, begin + size) + 1 or block.buffer.find(b"\n", begin, end) + 1
        yield LineBlock(block.buffer, begin, end, line, block.name, end == block.end, block.notes)
        line += count_lines(block.buffer, begin, end)
        begin = end


def split_fields(block: LineBlock, layout: LineLayout) -> list[Fields]:
    """The columns that `layout` names, one entry for each line with data."""
    return split_regular_fields(block, layout) or split_irregular_fields(block, layout)


def split_regular_fields(block: LineBlock, layout: LineLayout) -> list[Fields] | None:
    """As `split_fields`, where all lines have the same form; else None."""
    bytes_ = block.array
    separators = np.flatnonzero(bytes_[block.begin : block.end] <= SPACE)
    separators += block.begin
    first_newline = block.buffer.find(b"\n", block.begin, block.end)
    n_columns = int(np.searchsorted(separators, first_newline)) + 1
    n_lines, remainder = divmod(separators.size, n_columns)
    if remainder or n_columns < layout.min_fields:
        return None
    kinds = bytes_[separators]
    newlines = kinds == NEWLINE
    if not newlines[n_columns - 1 :: n_columns].all() or np.count_nonzero(newlines) != n_lines:
        return None
    widths = np.empty(separators.size, np.int64)  # of the field before each separator, including the separator
    widths[0] = separators[0] - block.begin + 1
    np.subtract(separators[1:], separators[:-1], out=widths[1:])
    table = widths.reshape(n_lines, n_columns)
    crlf = bool((table[:, -1] == 1).all())  # or a blank before each newline
    if not crlf and int(widths.min()) < 2:
        return None
    if crlf and (not IS_SPACE[kinds[n_columns - 2 :: n_columns]].all() or int(table[:, :-1].min()) < 2):
        return None
    is_separator = newlines | (kinds == SPACE) | (kinds == TAB)
    if crlf:
        is_separator[n_columns - 2 :: n_columns] = True
    n_fields = n_columns - crlf
    if (
        n_fields < layout.min_fields
        or (layout.max_fields is not None and n_fields > layout.max_fields)
        or not is_separator.all()
    ):
        return None
    ends = separators.reshape(n_lines, n_columns)
    if block.buffer.find(b"#", block.begin, block.end) >= 0:
        line_starts = ends[:, 0] - table[:, 0] + 1
        if (bytes_[line_starts] == HASH).any():
            return None
    return [Fields(bytes_, ends[:, column] - table[:, column] + 1, table[:, column] - 1) for column in layout.columns]


def split_irregular_fields(block: LineBlock, layout: LineLayout) -> list[Fields]:
    """As `split_fields`, for lines of any form. Raises InputError for a line with too few or too many fields."""
    bytes_ = block.array
    lines = bytes_[block.begin : block.end]
    is_space = IS_SPACE[lines]
    edges: Indices = np.flatnonzero(np.diff(is_space, prepend=True, append=True))
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(lines == NEWLINE)
    line_starts = np.r_[0, newlines[:-1] + 1]
    first_fields: Any = np.searchsorted(starts, line_starts)
    n_fields = np.diff(np.r_[first_fields, starts.size])
    comments = lines[line_starts] == HASH
    if block.notes is not None and comments.any():
        note_data_comments(block.notes, block, block.begin + line_starts[comments], n_fields[comments], layout)
    rows = np.flatnonzero((n_fields > 0) & ~comments)
    n_fields = n_fields[rows]
    invalid = n_fields < layout.min_fields
    if layout.max_fields is not None:
        invalid |= n_fields > layout.max_fields
    if invalid.any():
        row = int(np.argmax(invalid))
        location = block.location(block.begin + int(line_starts[rows[row]]))
        field_count = f"{n_fields[row]} field{'s' if n_fields[row] != 1 else ''}"
        line_start = int(line_starts[rows[row]])
        line = lines[line_start : int(newlines[np.searchsorted(newlines, line_start)])].tobytes()
        advice = layout.advice(int(n_fields[row]), line, is_first=row == 0)
        raise InputError(f"{location}: {field_count}, expected {layout.expected}; {advice}")
    returns = find_lone_returns(block)
    if returns.size:  # in a line with too many fields they are line ends; elsewhere they are white space
        long_lines = rows[n_fields > layout.min_fields + 1]
        refuse_returns(block, returns[np.isin(np.searchsorted(newlines, returns - block.begin), long_lines)])
    first_fields = first_fields[rows]
    columns = []
    for column in layout.columns:
        field_index = first_fields + column
        columns.append(Fields(bytes_, starts[field_index] + block.begin, ends[field_index] - starts[field_index]))
    return columns


def note_data_comments(
    notes: list[str], block: LineBlock, starts: Indices, n_fields: Indices, layout: LineLayout
) -> None:
    """Note comments that may be data: lines of TREC's, all of them, whose query begins with #.

    starts, n_fields: where the comments begin, and how many fields each has.
    """
    may_be_data = (layout.min_fields <= n_fields) & (n_fields <= MAX_TREC_FIELDS)
    may_be_data &= ~IS_SPACE[block.array[starts + 1]]
    note = (
        f"{block.name}: lines that begin with # were skipped as comments, but have the fields of data; query ids that "
        "begin with # need another format, as csv or jsonl"
    )
    for start in starts[may_be_data].tolist():
        if note in notes:
            return
        if looks_like_trec(bytes(block.buffer[start : block.buffer.find(b"\n", start, block.end)])):
            notes.append(note)


def find_lone_returns(block: LineBlock) -> Indices:
    """The positions of carriage returns that are not followed by a newline."""
    if block.buffer.find(b"\r", block.begin, block.end) < 0:
        return np.empty(0, np.intp)
    bytes_ = block.array
    returns = np.flatnonzero(bytes_[block.begin : block.end] == RETURN) + block.begin
    return np.asarray(returns[bytes_[returns + 1] != NEWLINE])


def refuse_returns(block: LineBlock, positions: Indices) -> None:
    """Raise for the first of these carriage returns: they are line ends of old Macs."""
    if positions.size:
        raise InputError(
            f"{block.location(int(positions[0]))}: a carriage return inside the line, expected lines that end with LF "
            "or "
            "CR LF; convert the line ends"
        )


def looks_like_trec(line: bytes) -> bool:
    """Whether a line has a number where judgments or runs have it, and is not JSON."""
    fields = line.split(None, 5)
    numbers = fields[3:4] if len(fields) == 4 else fields[4:5]
    return bool(numbers) and not line.startswith((b"{", b"[")) and NUMBER.fullmatch(numbers[0]) is not None

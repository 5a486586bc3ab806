"""The first fields and the comments of long lines of features, found without parsing the features.

A line of LETOR's files is a label, a query, a hundred features and a comment. One comparison finds the ends of the
lines, another the `#` of the comments; then only a few bytes after each of these positions are read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.io.core import HASH, NEWLINE, SPACE, TAB, LineBlock
from rankscope.kernels.order import ranges
from rankscope.kernels.text import PADDING, Fields, words
from rankscope.typing import Bools, Bytes, Ints

__all__ = [
    "BLOCK_SIZE",
    "BlockLines",
    "CollectedFields",
    "begin_with",
    "comment_starts",
    "equal_word",
    "field_ends",
    "find_lines",
    "leading_fields",
    "single_numbers",
]


#: Bytes that are read at a time: lines of features are long, and a block should hold many.
BLOCK_SIZE = 1 << 22
#: Bytes after a position that are searched first.
HEAD = 32
#: Lines that are searched at a time: for short lines the tables take many times their bytes.
STEP = 1 << 15


class BlockLines(NamedTuple):
    """The lines of a block.

    Attributes
    ----------
    buffer
        The bytes.
    starts, ends
        Start and newline of each line.
    first_line
        Number of the first line.
    hash_positions
        Positions of `#`.
    """

    buffer: Bytes
    starts: Ints
    ends: Ints
    first_line: int
    hash_positions: Ints

    def text(self, row: int) -> bytes:
        """A line without its newline."""
        return self.buffer[self.starts[row] : self.ends[row]].tobytes()


def find_lines(block: LineBlock, *, comments: bool = False) -> BlockLines:
    """All lines of a block, including blank lines and comments. comments: whether to find `#`."""
    buffer = block.array
    bytes_ = buffer[block.begin : block.end]
    ends: Ints = np.flatnonzero(bytes_ == NEWLINE) + block.begin
    hash_positions: Ints = ends[:0]
    if comments and block.buffer.find(b"#", block.begin, block.end) >= 0:
        hash_positions = np.flatnonzero(bytes_ == HASH) + block.begin
    starts = np.concatenate((np.array([block.begin]), ends[:-1] + 1))
    skip = max(1 - block.first_line, 0)  # a byte order mark was replaced by blank lines
    return BlockLines(buffer, starts[skip:], ends[skip:], block.first_line + skip, hash_positions)


def comment_starts(lines: BlockLines) -> Ints:
    """The first `#` of each line, or its end where it has none."""
    if not lines.hash_positions.size:
        return lines.ends
    first_hash = np.append(lines.hash_positions, lines.buffer.size)[np.searchsorted(lines.hash_positions, lines.starts)]
    return np.asarray(np.minimum(first_hash, lines.ends))


def leading_fields(bytes_: Bytes, positions: Ints, ends: Ints, count: int, width: int = HEAD) -> tuple[Ints, Ints]:
    """The starts and lengths of the first `count` fields after each position: two arrays (positions, count).

    Parameters
    ----------
    bytes_
        The text.
    positions
        Where to start.
    ends
        Ends of the lines, or of the parts to read. A missing field has length 0.
    count
        Number of fields.
    width
        Number of bytes to search first; if they do not hold the fields, more are searched.
    """
    starts, lengths = np.zeros((2, positions.size, count), np.int64)
    for start in range(0, positions.size, STEP):
        rows = slice(start, start + STEP)
        find_fields(bytes_, positions[rows], ends[rows], width, starts[rows], lengths[rows])
    return starts, lengths


def find_fields(bytes_: Bytes, positions: Ints, ends: Ints, width: int, starts: Ints, lengths: Ints) -> None:
    """As `leading_fields`, into arrays of zeros."""
    rows = np.arange(positions.size)
    while rows.size:
        begins, stops, complete = fields_within(bytes_, positions[rows], starts.shape[1], width)
        line_ends = ends[rows, None]
        present = begins < line_ends
        starts[rows] = np.where(present, begins, 0)
        lengths[rows] = np.where(present, np.minimum(stops, line_ends) - begins, 0)
        rows = rows[~complete & (positions[rows] + width <= ends[rows])]
        width *= 4


def fields_within(bytes_: Bytes, positions: Ints, count: int, width: int) -> tuple[Ints, Ints, Bools]:
    """The fields within `width` bytes, also beyond the line: their starts, ends, and whether all ends were found."""
    table = byte_windows(bytes_, positions, width)
    is_blank = is_space(table)
    change = np.empty_like(is_blank)
    np.logical_not(is_blank[:, 0], out=change[:, 0])
    np.not_equal(is_blank[:, 1:], is_blank[:, :-1], out=change[:, 1:])
    edges = np.flatnonzero(change)  # for each line: a start, an end, a start, ...
    row_starts = np.arange(positions.size + 1) * width
    first_edges = np.searchsorted(edges, row_starts)
    n_edges = np.diff(first_edges)
    edge_index = np.arange(2 * count)
    picked = np.minimum(first_edges[:-1, None] + edge_index, max(edges.size - 1, 0))
    columns = (edges[picked] if edges.size else picked) - row_starts[:-1, None]
    columns = np.where(edge_index < n_edges[:, None], columns, width) + positions[:, None]
    return columns[:, ::2], columns[:, 1::2], n_edges >= 2 * count


def is_space(bytes_: Bytes) -> Bools:
    """Which bytes are white space, as by C's isspace()."""
    # Unsigned: below 9 the difference wraps around to a large number.
    return np.asarray(((bytes_ - np.uint8(TAB)) < 5) | (bytes_ == SPACE))


def field_ends(buffer: Bytes, starts: Ints, width: int = HEAD) -> Ints:
    """The first white space from each start on; the buffer holds some after each."""
    ends = starts.copy()
    rows = np.arange(starts.size)
    while rows.size:
        is_blank = is_space(byte_windows(buffer, starts[rows], width))
        first_blank = is_blank.argmax(axis=1)
        ends[rows] += first_blank
        rows = rows[~is_blank[np.arange(rows.size), first_blank]]
        width *= 4
    return ends


def begin_with(buffer: Bytes, positions: Ints, literal: bytes) -> Bools:
    """Whether the buffer has these bytes at each position."""
    matches = np.ones(positions.size, np.bool_)
    for offset in range(0, len(literal), 8):
        word = literal[offset : offset + 8]
        matches &= equal_word(buffer, positions + offset, np.full(positions.size, len(word)), word)
    return matches


def byte_windows(bytes_: Bytes, positions: Ints, width: int) -> Bytes:
    """(positions, width) the bytes from each position on; beyond the buffer its last byte is repeated."""
    if bytes_.size < width:
        bytes_ = np.concatenate((bytes_, np.full(width, NEWLINE, np.uint8)))
    windows = np.ndarray((bytes_.size - width + 1, width), np.uint8, bytes_, 0, (1, 1))
    table: Bytes = windows[np.minimum(positions, windows.shape[0] - 1)]
    beyond = np.flatnonzero(positions >= windows.shape[0])
    if beyond.size:
        table[beyond] = bytes_.take(positions[beyond, None] + np.arange(width), mode="clip")
    return table


def equal_word(bytes_: Bytes, starts: Ints, lengths: Ints, word: bytes) -> Bools:
    """Whether each field equals this word of at most eight bytes."""
    matches = words(Fields(bytes_, starts, lengths), 0) == np.uint64(int.from_bytes(word, "little"))
    return np.asarray(matches & (lengths == len(word)))


def single_numbers(block: LineBlock) -> tuple[BlockLines, Fields, Bools]:
    """The first field of each line (length 0 for blank lines), and whether the line has more fields."""
    lines = find_lines(block)
    if np.count_nonzero(lines.buffer[block.begin : block.end] <= SPACE) == lines.starts.size:  # newlines only
        return lines, Fields(lines.buffer, lines.starts, lines.ends - lines.starts), np.zeros(lines.starts.size, bool)
    starts, lengths = leading_fields(lines.buffer, lines.starts, lines.ends, 2)
    return lines, Fields(lines.buffer, starts[:, 0], lengths[:, 0]), lengths[:, 1] > 0


class CollectedFields:
    """Fields of many blocks, copied, since the buffer of the blocks is reused."""

    def __init__(self) -> None:
        self.chunks: list[Bytes] = []
        self.lengths: list[Ints] = []

    def add(self, fields: Fields) -> None:
        self.chunks.append(fields.buffer[ranges(fields.starts, fields.lengths)])
        self.lengths.append(fields.lengths)

    def fields(self) -> Fields:
        padding = np.zeros(PADDING, np.uint8)
        lengths = np.concatenate([np.empty(0, np.int64), *self.lengths])
        starts = np.cumsum(lengths) - lengths + PADDING
        return Fields(np.concatenate([padding, *self.chunks, padding]), starts, lengths)

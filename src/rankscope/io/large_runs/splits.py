"""Splitting a run file for several workers: byte ranges of TREC's lines, rows of Parquet, cut between queries.

The reader of a split of Parquet finds where it begins, so that the file need not be read to split it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any, BinaryIO, NamedTuple

from rankscope.data.rows import RowBatch, Rows, complete_queries
from rankscope.io.core import columns_of, remove_marks
from rankscope.io.tables import PARQUET, ParquetRows
from rankscope.kernels.text import decode

__all__ = [
    "ByteRange",
    "ParquetSplit",
    "RangeReader",
    "cut_at_queries",
    "split_rows",
]


#: Bytes that are read at a time to find the end of a query.
LOOK = 1 << 16


class ByteRange(NamedTuple):
    """The bytes begin to end - 1 of a file.

    Attributes
    ----------
    begin, end
        Positions.
    """

    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin


def cut_at_queries(file: BinaryIO, length: int, size: int) -> list[ByteRange]:
    r"""Split a file into ranges of about `size` bytes of complete queries, if the lines of each query are together.

    Parameters
    ----------
    file
        The file.
    length
        Its number of bytes.
    size
        Wanted number of bytes of a range.

    Returns
    -------
    list of ByteRange
        An empty file has no range.

    Notes
    -----
    The file is cut before the first line from byte `size` on whose first field differs from that of the line before;
    the search for the next cut starts `size` bytes after that. A longer query makes its range longer. Comments and
    blank lines are skipped. No range but the first begins with a byte order mark, which a reader would take for that of
    the file. Only the bytes around the cuts are read.

    Examples
    --------
    >>> from io import BytesIO
    >>> lines = b"q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\nq2 Q0 a 1 2 r\nq2 Q0 b 2 1 r\nq3 Q0 a 1 2 r\n"
    >>> [tuple(byte_range) for byte_range in cut_at_queries(BytesIO(lines), len(lines), 5)]
    [(0, 28), (28, 56), (56, 70)]
    """
    starts = [0]
    while starts[-1] + size < length:
        cut = next_query(file, starts[-1] + size, length)
        if cut is None:
            break
        starts.append(cut)
    return [ByteRange(begin, end) for begin, end in zip(starts, [*starts[1:], length], strict=True) if end > begin]


def next_query(file: BinaryIO, position: int, length: int) -> int | None:
    """The start of the first line after this byte with another query than the line before; None without one."""
    file.seek(position)
    remainder = b""
    at_line_start = False  # whether the remainder begins a line
    query: bytes | None = None
    while position < length and (chunk := file.read(min(LOOK, length - position))):
        text = remainder + chunk
        begin = position - len(remainder)
        position += len(chunk)
        lines = text.split(b"\n")
        remainder = lines.pop()
        if query is not None and lines and query_of(lines[-1]) == query:  # then all lines between have it, too
            continue
        for line in lines:
            line_query = query_of(line) if at_line_start else None
            if line_query is not None:
                if query is not None and line_query != query:
                    return begin
                query = line_query
            at_line_start = True
            begin += len(line) + 1
    return None


def query_of(line: bytes) -> bytes | None:
    """The first field of a line; None for a comment or a blank line."""
    line = remove_marks(line)
    fields = line.split(None, 1)
    return fields[0] if fields and not line.startswith(b"#") else None


class RangeReader:
    """A byte range of an open file, as a stream."""

    def __init__(self, file: Any, byte_range: ByteRange) -> None:
        self.file, self.n_left = file, byte_range.size
        #: What a reader should know of what was read.
        self.notes: list[str] = []
        self.file.seek(byte_range.begin)

    def readinto(self, buffer: memoryview, /) -> int | None:
        if not self.n_left:
            return 0
        n_bytes = self.file.readinto(buffer[: self.n_left])
        self.n_left -= n_bytes or 0
        return n_bytes  # type: ignore[no-any-return]  # any binary stream


class ParquetSplit(NamedTuple):
    """One of several parts of a file: the queries that begin in it.

    Attributes
    ----------
    number
        Number of the part, from 0.
    n_splits
        Number of parts.
    """

    number: int
    n_splits: int


def split_rows(path: str | PathLike[str], split: ParquetSplit) -> Iterator[Rows]:
    """The rows of a split, query by query; a query belongs to the split in which it begins.

    Parameters
    ----------
    path
        Parquet file.
    split
        The split.

    Raises
    ------
    Ungrouped
        The rows of a query are not together within the split.
    InputError
        A row is wrong; the message names it.
    """
    name = fspath(path)
    table = ParquetRows(name, name, columns_of(path))
    begin, end = (table.height * number // split.n_splits for number in (split.number, split.number + 1))
    return complete_queries(batches_of_rows(table, begin, end), lambda row: PARQUET.row_template.format(name, row))


def batches_of_rows(table: ParquetRows, begin: int, end: int) -> Iterator[RowBatch]:
    """The complete stretches that begin in these rows, wherever they end."""
    row = max(begin - 1, 0)  # the row before tells whether a query begins at `begin`
    last_query = b""
    last_included = False  # whether the last stretch, which may continue, is included
    while row < table.height and (row < end or last_included):
        batch = table.read_batch(row)
        n_stretches = batch.starts.size
        first_query, next_last_query = (
            decode(batch.queries.slice(slice(stretch, stretch + 1)))[0] for stretch in (0, n_stretches - 1)
        )
        continues = bool(last_query) and first_query == last_query
        starts = row + batch.starts
        included = (starts >= begin) & (starts < end)
        if continues:
            included[0] = last_included
        included_stretches = included.nonzero()[0]  # they are contiguous
        if included_stretches.size:
            yield batch.part(int(included_stretches[0]), int(included_stretches[-1]) + 1)
        last_included, last_query = bool(included[-1]), next_last_query
        row += batch.values.size

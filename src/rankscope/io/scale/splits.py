"""Parts of a run file for several workers: byte ranges of TREC's lines, rows of Parquet, each cut where one query ends
and the next begins.

Where shares begin is settled by whoever reads them, so that nobody has to look into the file to cut it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any, BinaryIO, NamedTuple

from rankscope.data.rows import RowBatch, Rows, complete_queries
from rankscope.io.core import BOM
from rankscope.io.tables import PARQUET, ParquetRows
from rankscope.kernels.text import decode

__all__ = [
    "ByteRange",
    "ParquetSplit",
    "RangeReader",
    "cut_at_queries",
    "split_rows",
]


#: Bytes that are looked at at a time for the end of a query.
LOOK = 1 << 16


class ByteRange(NamedTuple):
    """The bytes begin to end - 1 of a file."""

    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin


def cut_at_queries(file: BinaryIO, length: int, size: int) -> list[ByteRange]:
    r"""A file of so many bytes in ranges of about `size` that hold whole queries, wherever the lines of each are
    together.

    Lines are looked at from byte `size` on, and the first whose first field is not that of the line before is where the
    file is cut; the next cut is looked for `size` bytes further on. A query that is longer makes its range as long.
    Comments and blank lines are passed over, and no range but the first begins with a byte order mark, which a reader
    would take for that of the file. Little is read besides. An empty file has no range.

    >>> from io import BytesIO
    >>> lines = b"q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\nq2 Q0 a 1 2 r\nq2 Q0 b 2 1 r\nq3 Q0 a 1 2 r\n"
    >>> [tuple(one) for one in cut_at_queries(BytesIO(lines), len(lines), 5)]
    [(0, 28), (28, 56), (56, 70)]
    """
    found = [0]
    while found[-1] + size < length:
        cut = next_query(file, found[-1] + size, length)
        if cut is None:
            break
        found.append(cut)
    return [ByteRange(a, b) for a, b in zip(found, [*found[1:], length], strict=True) if b > a]


def next_query(file: BinaryIO, place: int, length: int) -> int | None:
    """Where the first line behind this byte begins whose query is not that of the line before; None without one."""
    file.seek(place)
    rest = b""
    whole = False  # whether what is left begins a line
    query: bytes | None = None
    while place < length and (more := file.read(min(LOOK, length - place))):
        text = rest + more
        begin = place - len(rest)
        place += len(more)
        lines = text.split(b"\n")
        rest = lines.pop()
        if query is not None and lines and query_of(lines[-1]) == query:  # so have those between, if they are together
            continue
        for line in lines:
            now = query_of(line) if whole else None
            if now is not None:
                if query is not None and now != query and not line.startswith(BOM):
                    return begin
                query = now
            whole = True
            begin += len(line) + 1
    return None


def query_of(line: bytes) -> bytes | None:
    """The first field of a line; None where it holds no data."""
    fields = line.split(None, 1)
    return fields[0] if fields and not line.startswith(b"#") else None


class RangeReader:
    """A range of an open file, as a stream of its own."""

    def __init__(self, file: Any, part: ByteRange) -> None:
        self.file, self.left = file, part.size
        self.file.seek(part.begin)

    def readinto(self, buffer: memoryview, /) -> int | None:
        if not self.left:
            return 0
        n = self.file.readinto(buffer[: self.left])
        self.left -= n or 0
        return n  # type: ignore[no-any-return]  # any binary stream


class ParquetSplit(NamedTuple):
    """One of so many parts of a file: the queries that begin in it. number: from 0 on."""

    number: int
    of: int


def split_rows(path: str | PathLike[str], share: ParquetSplit) -> Iterator[Rows]:
    """The rows of a share, query by query; a query that no share begins with belongs to one before.

    Raises Ungrouped where a query comes up again within the share; InputError that names the row.
    """
    name = fspath(path)
    table = ParquetRows(name, name)
    begin, end = (table.height * place // share.of for place in (share.number, share.number + 1))
    return complete_queries(batches_begun_within(table, begin, end), lambda row: PARQUET.row_called.format(name, row))


def batches_begun_within(table: ParquetRows, begin: int, end: int) -> Iterator[RowBatch]:
    """The stretches that begin in these rows, whole, wherever they end."""
    row = max(begin - 1, 0)  # which tells whether a query begins behind it
    last = b""
    ours = False  # whether the stretch that may go on is
    while row < table.height and (row < end or ours):
        piece = table.stretches(row)
        n = piece.starts.size
        first, next_last = (decode(piece.queries.slice(slice(at, at + 1)))[0] for at in (0, n - 1))
        goes_on = bool(last) and first == last
        starts = row + piece.starts
        kept = (starts >= begin) & (starts < end)
        if goes_on:
            kept[0] = ours
        found = kept.nonzero()[0]  # they stand together
        if found.size:
            yield piece.part(int(found[0]), int(found[-1]) + 1)
        ours, last = bool(kept[-1]), next_last
        row += piece.values.size

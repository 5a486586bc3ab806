"""Ranges of bytes of a run file in TREC's lines, cut where one query ends and the next begins."""

from __future__ import annotations

from typing import Any, BinaryIO, NamedTuple

from rankscope.io.blocks import BOM

__all__ = ["ByteRange", "RangeReader", "cut_at_queries"]

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

"""Checking the headers of a Parquet file's pages before polars reads them.

The header of each page says how many values follow. Polars allocates memory for them before it reads them; if there
is not enough, the process ends without an error message.

Headers and the metadata of the file are structures of Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), with the fields that
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift gives them.
"""

from __future__ import annotations

from typing import Any

from rankscope.errors import InputError
from rankscope.io.core import PARQUET_MAGIC

__all__ = [
    "refuse_false_pages",
]


#: Bytes after the metadata of the file: its length in four, and the magic bytes.
TAIL = 8
#: Types of Thrift.
TRUE, FALSE, BYTE, DOUBLE, TEXT, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
#: Numbers of fields: of a file, of a row group, of a column chunk; then of the metadata of a column chunk.
GROUPS, COLUMNS, METADATA = 4, 1, 3
VALUES, SIZE, FIRST_PAGE, DICTIONARY = 5, 7, 9, 11
#: Numbers of fields of a page header: its sizes, and the header of each kind of page.
PACKED, UNPACKED, KINDS = 3, 2, {5: "data", 7: "dictionary", 8: "data"}
#: How deeply structures may nest.
MAX_DEPTH = 16


def refuse_false_pages(content: Any, name: str) -> None:
    """Raise InputError for a page with an impossible number of values, and for invalid structures of Thrift.

    A page must not claim a negative number of values, or more than its column has; polars may read invalid structures
    differently. content: the bytes of the file, or a memory map. Each byte is read at most once. Other errors are left
    to the reader.
    """
    try:
        end = len(content) - TAIL
        begin = end - int.from_bytes(content[end : end + 4], "little")
        if begin < len(PARQUET_MAGIC) or content[end + 4 :] != PARQUET_MAGIC:
            return
        metadata = Structure(content, begin, end).fields()
        columns = [column[METADATA] for group in metadata[GROUPS] for column in group[COLUMNS]]
        if sum(column[SIZE] for column in columns) > len(content):
            raise InputError(f"{name}: cannot be read as parquet (its columns are longer than it is); fetch it again")
        for column in columns:
            refuse_false_column(content, column, name)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError, UnreadableError):
        raise InputError(
            f"{name}: cannot be read as parquet (what it says of itself is damaged); fetch it again"
        ) from None


class UnreadableError(Exception):
    """The bytes are not a structure of Thrift."""


def refuse_false_column(content: Any, metadata: dict[int, Any], name: str) -> None:
    """Check the pages of a column chunk. metadata: of this chunk."""
    position = min(metadata[FIRST_PAGE], metadata.get(DICTIONARY) or metadata[FIRST_PAGE])
    end = min(position + metadata[SIZE], len(content))
    n_left = metadata[VALUES]
    while 0 < position < end and n_left > 0:
        structure = Structure(content, position, end)
        head = structure.fields()
        for field, kind in KINDS.items():
            if field not in head:
                continue
            n_values = head[field][1]
            # A dictionary may hold unused values; each takes at least one bit.
            max_values = max(metadata[VALUES], 8 * head[UNPACKED] if kind == "dictionary" else 0)
            if not 0 <= n_values <= max_values:
                raise InputError(
                    f"{name}: cannot be read as parquet (byte {position} begins a page of {n_values:,} values, "
                    f"expected 0 to {max_values:,}); check the file or name its format"
                )
            n_left -= n_values if kind == "data" else 0
        if head[PACKED] < 0:
            raise UnreadableError
        position = structure.position + head[PACKED]


class Structure:
    """A reader of Thrift's structures. position: that of the next byte."""

    def __init__(self, content: Any, position: int, end: int) -> None:
        self.content, self.position, self.end = content, position, end

    def fields(self, depth: int = 0) -> dict[int, Any]:
        """The fields by number: whole numbers, lists and structures; others are skipped and None."""
        if depth > MAX_DEPTH:
            raise UnreadableError
        field_values: dict[int, Any] = {}
        field_number = 0
        while header := self.byte():
            delta, kind = header >> 4, header & 15
            field_number = field_number + delta if delta else self.signed()
            if BYTE < kind < DOUBLE:  # most of them
                field_values[field_number] = self.signed()
            else:
                field_values[field_number] = None if kind in (TRUE, FALSE) else self.value(kind, depth)
        return field_values

    def value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE, BYTE):
            return self.byte()
        if BYTE < kind < DOUBLE:
            return self.signed()
        if kind == DOUBLE:
            return self.skip(8)
        if kind == TEXT:
            return self.skip(self.number())
        if kind in (LIST, SET):
            header = self.byte()
            n_items = header >> 4 if header >> 4 < 15 else self.number()
            return [self.value(header & 15, depth + 1) for _ in range(n_items)]
        if kind == MAP:
            n_items = self.number()
            pair_kinds = self.byte() if n_items else 0
            return [
                self.value(item_kind, depth + 1)
                for _ in range(n_items)
                for item_kind in (pair_kinds >> 4, pair_kinds & 15)
            ]
        if kind == STRUCT:
            return self.fields(depth + 1)
        raise UnreadableError

    def byte(self) -> int:
        position = self.position
        if position >= self.end:
            raise UnreadableError
        self.position = position + 1
        byte: int = self.content[position]
        return byte

    def skip(self, n_bytes: int) -> None:
        self.position += n_bytes
        if self.position > self.end:
            raise UnreadableError

    def number(self) -> int:
        """An unsigned number: seven bits per byte, the lowest first."""
        byte = self.byte()
        if byte < 128:
            return byte
        value = shift = 0
        while byte & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise UnreadableError
            byte = self.byte()
        return value | byte << shift

    def signed(self) -> int:
        encoded = self.number()
        return encoded >> 1 ^ -(encoded & 1)

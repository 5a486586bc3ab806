"""What the pages of a Parquet file say that they hold, checked before polars reads them.

Each page begins with a head that says how many values follow. Polars makes room for as many before it looks at them,
and where there is not so much memory it ends the process, so that nothing can be said any more.

Heads and the description of the whole file are structures of Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), with the fields that
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift gives them.
"""

from __future__ import annotations

from typing import Any

from rankscope.errors import InputError

__all__ = [
    "refuse_false_pages",
]


#: Behind the description of the file: its length in four bytes, and the mark.
TAIL, MARK = 8, b"PAR1"
#: Types of Thrift's.
STOP, TRUE, FALSE, BYTE, DOUBLE, TEXT, LIST, SET, MAP, STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
#: Fields by their numbers: of a file, of a group of rows, of a column in it, and of what is said of that one.
GROUPS, COLUMNS, ABOUT = 4, 1, 3
VALUES, SIZE, FIRST_PAGE, DICTIONARY = 5, 7, 9, 11
#: The same of the head of a page: its size, and what is said of each kind of page, the values first.
PACKED, UNPACKED, KINDS = 3, 2, {5: "data", 7: "dictionary", 8: "data"}
#: Structures inside one another, at most.
DEEPEST = 16


def refuse_false_pages(content: Any, name: str) -> None:
    """Raise InputError where a page says that it holds fewer than no values, or more than its column; and where a
    structure is none of Thrift's, which polars may read in another way.

    content: the bytes of the file, or a map of it. Each byte is looked at once at most. What else is wrong its
    reader tells.
    """
    try:
        end = len(content) - TAIL
        begin = end - int.from_bytes(content[end : end + 4], "little")
        if begin < len(MARK) or content[end + 4 :] != MARK:
            return
        metadata = Structure(content, begin, end).fields()
        columns = [column[ABOUT] for group in metadata[GROUPS] for column in group[COLUMNS]]
        if sum(column[SIZE] for column in columns) > len(content):
            raise InputError(f"{name}: cannot be read as parquet (its columns are longer than it is); fetch it again")
        for column in columns:
            refuse_false_column(content, column, name)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError, UnreadableError):
        raise InputError(
            f"{name}: cannot be read as parquet (what it says of itself is damaged); fetch it again"
        ) from None


class UnreadableError(Exception):
    """It is no structure of Thrift's."""


def refuse_false_column(content: Any, metadata: dict[int, Any], name: str) -> None:
    """The pages of a column in a group of rows. about: what the file says of it."""
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
            # Of a dictionary some may be used by no row; each takes a bit at least.
            max_values = max(metadata[VALUES], 8 * head[UNPACKED] if kind == "dictionary" else 0)
            if not 0 <= n_values <= max_values:
                raise InputError(
                    f"{name}: cannot be read as parquet (byte {position} begins a page of {n_values:,} values, expected 0 "
                    f"to {max_values:,}); check the file or name its format"
                )
            n_left -= n_values if kind == "data" else 0
        if head[PACKED] < 0:
            raise UnreadableError
        position = structure.place + head[PACKED]


class Structure:
    """A structure of Thrift's within some bytes. place: of the byte that is read next."""

    def __init__(self, content: Any, position: int, end: int) -> None:
        self.content, self.place, self.end = content, position, end

    def fields(self, depth: int = 0) -> dict[int, Any]:
        """By their numbers: whole numbers, lists and structures; others are passed over, and stand as None."""
        if depth > DEEPEST:
            raise UnreadableError
        field_values: dict[int, Any] = {}
        field_number = 0
        while header := self.byte():
            delta, kind = header >> 4, header & 15
            field_number = field_number + delta if delta else self.signed()
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
            return [self.value(item_kind, depth + 1) for _ in range(n_items) for item_kind in (pair_kinds >> 4, pair_kinds & 15)]
        if kind == STRUCT:
            return self.fields(depth + 1)
        raise UnreadableError

    def byte(self) -> int:
        if self.place >= self.end:
            raise UnreadableError
        self.place += 1
        return int(self.content[self.place - 1])

    def skip(self, n_bytes: int) -> None:
        self.place += n_bytes
        if self.place > self.end:
            raise UnreadableError

    def number(self) -> int:
        """Seven bits a byte, the lowest first."""
        value = shift = 0
        while (byte := self.byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise UnreadableError
        return value | byte << shift

    def signed(self) -> int:
        encoded = self.number()
        return encoded >> 1 ^ -(encoded & 1)

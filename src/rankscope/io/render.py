"""What writers of rows share: pieces of rows, columns of bytes line by line, ids that a format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Rows, name_of
from rankscope.errors import InputError
from rankscope.kernels.text import decode

__all__ = [
    "ADVICE",
    "Piece",
    "interleaved",
    "numbers",
    "pick",
    "pieces",
    "refuse_blanks",
    "refuse_ids",
    "refuse_not_utf8",
]

Ints = npt.NDArray[np.int64]

#: Rows that are rendered at a time.
PIECE = 65_536
#: What ends a field of white-space-separated lines, and what makes a file binary.
BLANKS = b" \t\n\v\f\r\0"
ADVICE = "write jsonl, json or parquet instead"


class Piece(NamedTuple):
    """Some rows. queries: (n) the index of each one's query."""

    queries: Ints
    docs: list[bytes]
    subtopics: list[bytes] | None
    values: npt.NDArray[Any]


def pieces(rows: Rows) -> Iterator[Piece]:
    for a in range(0, rows.values.size, PIECE):
        part = slice(a, min(a + PIECE, rows.values.size))
        queries = np.searchsorted(rows.offsets, np.arange(part.start, part.stop), side="right") - 1
        subtopics = None if rows.subtopics is None else decode(rows.subtopics.slice(part))
        yield Piece(queries, decode(rows.docs.slice(part)), subtopics, rows.values[part])


def pick(texts: list[bytes], index: Ints) -> list[bytes]:
    return list(map(texts.__getitem__, index.tolist()))


def numbers(values: npt.NDArray[Any]) -> list[bytes]:
    """Whole numbers as they are, scores with the fewest digits that give every bit back."""
    return "\n".join(map(repr, values.tolist())).encode().split(b"\n")


def interleaved(*columns: list[bytes] | bytes) -> bytes:
    """The columns line by line, joined; a column of bytes is the same on each line."""
    n = max(len(column) for column in columns if isinstance(column, list))
    parts = [b""] * (n * len(columns))
    for c, column in enumerate(columns):
        parts[c :: len(columns)] = column if isinstance(column, list) else [column] * n
    return b"".join(parts)


def refuse_ids(rows: Rows, bad: Callable[[list[bytes]], bool], shown: str, fault: str) -> None:
    """Raise InputError for the first id that is bad. bad: whether any of some ids is. fault: what it is, what to do."""
    for what, ids in id_lists(rows):
        if bad(ids):
            found = next(id_ for id_ in ids if bad([id_]))
            raise InputError(f"{shown}: the {what} id {name_of(found)!r} {fault}")


def id_lists(rows: Rows) -> Iterator[tuple[str, list[bytes]]]:
    yield "query", rows.query_ids
    for piece in pieces(rows):
        yield "document", piece.docs
        if piece.subtopics is not None:
            yield "subtopic", piece.subtopics


def refuse_blanks(rows: Rows, shown: str, lines: str) -> None:
    """Raise for an id that white-space-separated lines cannot hold. lines: whose they are."""
    refuse_ids(rows, has_blank, shown, f"is empty or holds a blank, which ends a field of {lines}'s lines; {ADVICE}")


def has_blank(ids: list[bytes]) -> bool:
    together = b"".join(ids)
    return len(together.translate(None, BLANKS)) < len(together) or b"" in ids


def refuse_not_utf8(rows: Rows, name: str, shown: str) -> None:
    """Raise for an id that a format of UTF-8 cannot hold."""
    del name
    refuse_ids(rows, not_utf8, shown, "is not UTF-8, as this format must be; write trec instead")


def not_utf8(ids: list[bytes]) -> bool:
    try:
        b"\n".join(ids).decode()
    except UnicodeDecodeError:
        return True
    return False

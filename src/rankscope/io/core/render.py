"""What writers share: pieces of rows, columns of bytes line by line, Parquet, ids that a format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Rows, decode_id
from rankscope.errors import InputError
from rankscope.kernels.text import Fields, decode, words
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FORMAT_ADVICE",
    "RowPiece",
    "format_numbers",
    "interleave",
    "pick_texts",
    "refuse_blanks",
    "refuse_not_utf8",
    "row_pieces",
    "to_parquet",
]


#: Rows that are rendered at a time.
PIECE = 65_536
#: Numbers from which on another library renders them.
MANY = 16_384
#: Ids up to this length are looked at eight bytes at a time.
SHORT = 64
#: What ends a field of white-space-separated lines, and what makes a file binary.
BLANKS = b" \t\n\v\f\r\0"
FORMAT_ADVICE = "write jsonl, json or parquet instead"


class RowPiece(NamedTuple):
    """Some rows. queries: (n) the index of each one's query."""

    queries: Ints
    docs: list[bytes]
    subtopics: list[bytes] | None
    values: npt.NDArray[Any]


def row_pieces(rows: Rows) -> Iterator[RowPiece]:
    for a in range(0, rows.values.size, PIECE):
        part = slice(a, min(a + PIECE, rows.values.size))
        queries = np.searchsorted(rows.offsets, np.arange(part.start, part.stop), side="right") - 1
        subtopics = None if rows.subtopics is None else decode(rows.subtopics.slice(part))
        yield RowPiece(queries, decode(rows.docs.slice(part)), subtopics, rows.values[part])


def pick_texts(texts: list[bytes], index: Ints) -> list[bytes]:
    found: list[bytes] = np.array(texts, object)[index].tolist()  # pointers: three times as fast as a list's items
    return found


def format_numbers(values: npt.NDArray[Any]) -> list[bytes]:
    """Whole numbers as they are, scores with the fewest digits that give every bit back."""
    if values.dtype == np.float64 and values.size >= MANY:
        return format_many_floats(values)
    return "\n".join(map(repr, values.tolist())).encode().split(b"\n")


def format_many_floats(values: npt.NDArray[np.float64]) -> list[bytes]:
    """The same texts in a sixth of the time: by polars, which is worth loading where the lines are many.

    Both find the fewest digits. What they do not agree on is when and how an exponent is written, and numbers of such
    sizes are left to Python.
    """
    import polars as pl

    file = BytesIO()
    pl.Series(values).cast(pl.String).to_frame().write_csv(file, include_header=False, quote_style="never")
    found = file.getvalue().split(b"\n")[:-1]
    size = np.abs(values)
    other = np.flatnonzero(~(((size >= 1e-3) & (size < 1e15)) | (size < 1e-10)))
    if not other.size:
        return found
    table = np.array(found, object)
    table[other] = "\n".join(map(repr, values[other].tolist())).encode().split(b"\n")
    texts: list[bytes] = table.tolist()
    return texts


def interleave(*columns: list[bytes] | bytes) -> bytes:
    """The columns line by line, joined; a column of bytes is the same on each line."""
    n = max(len(column) for column in columns if isinstance(column, list))
    parts = [b""] * (n * len(columns))
    for c, column in enumerate(columns):
        parts[c :: len(columns)] = column if isinstance(column, list) else [column] * n
    return b"".join(parts)


def to_parquet(frame: pl.DataFrame, **options: Any) -> bytes:
    """A frame as the content of a Parquet file. options: those of polars."""
    file = BytesIO()
    frame.write_parquet(file, **options)
    return file.getvalue()


def refuse_ids(rows: Rows, bad: Callable[[list[bytes]], bool], shown: str, fault: str) -> None:
    """Raise InputError for the first id that is bad. bad: whether any of some ids is. fault: what it is, what to do."""
    for what, ids in id_lists(rows):
        if bad(ids):
            found = next(id_ for id_ in ids if bad([id_]))
            raise InputError(f"{shown}: the {what} id {decode_id(found)!r} {fault}")


def id_lists(rows: Rows) -> Iterator[tuple[str, list[bytes]]]:
    yield "query", rows.query_ids
    for piece in row_pieces(rows):
        yield "document", piece.docs
        if piece.subtopics is not None:
            yield "subtopic", piece.subtopics


def refuse_blanks(rows: Rows, shown: str, lines: str) -> None:
    """Raise for an id that white-space-separated lines cannot hold. lines: whose they are."""
    if not has_blank(rows.query_ids) and not any(map(any_blank, some_fields(rows))):
        return
    refuse_ids(
        rows, has_blank, shown, f"is empty or holds a blank, which ends a field of {lines}'s lines; {FORMAT_ADVICE}"
    )


def some_fields(rows: Rows) -> Iterator[Fields]:
    """The document and subtopic ids, some at a time."""
    for fields in (rows.docs, rows.subtopics):
        if fields is not None:
            yield from (fields.slice(slice(a, a + PIECE)) for a in range(0, fields.starts.size, PIECE))


def any_blank(fields: Fields) -> bool:
    """The same as `has_blank`, in a third of the time for short ids: a blank is a byte too few."""
    longest = int(fields.lengths.max(initial=0))
    if longest > SHORT:
        return has_blank(decode(fields))
    left = sum(len(words(fields, j).tobytes().translate(None, BLANKS)) for j in range((longest + 7) // 8))
    return left < int(fields.lengths.sum()) or not fields.lengths.all()


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

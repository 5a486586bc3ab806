"""Helpers of all writers: rows in pieces, columns of bytes joined to lines, Parquet, ids that a format cannot hold."""

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


#: Rows that are formatted at a time.
ROWS_PER_PIECE = 65_536
#: From this many numbers on polars formats them.
MIN_FOR_POLARS = 16_384
#: Ids up to this length are checked eight bytes at a time.
MAX_SHORT_ID = 64
#: Bytes that end a field of white-space-separated lines, and NUL, which makes a file binary.
BLANKS = b" \t\n\v\f\r\0"
FORMAT_ADVICE = "write jsonl, json or parquet instead"


class RowPiece(NamedTuple):
    """Some rows.

    Attributes
    ----------
    queries
        Index of the query of each row, (n).
    docs, subtopics, values
        The other columns.
    """

    queries: Ints
    docs: list[bytes]
    subtopics: list[bytes] | None
    values: npt.NDArray[Any]


def row_pieces(rows: Rows) -> Iterator[RowPiece]:
    for start in range(0, rows.values.size, ROWS_PER_PIECE):
        piece = slice(start, min(start + ROWS_PER_PIECE, rows.values.size))
        queries = np.searchsorted(rows.offsets, np.arange(piece.start, piece.stop), side="right") - 1
        subtopics = None if rows.subtopics is None else decode(rows.subtopics.slice(piece))
        yield RowPiece(queries, decode(rows.docs.slice(piece)), subtopics, rows.values[piece])


def pick_texts(texts: list[bytes], index: Ints) -> list[bytes]:
    picked: list[bytes] = np.array(texts, object)[index].tolist()  # three times as fast as indexing the list
    return picked


def format_numbers(values: npt.NDArray[Any]) -> list[bytes]:
    """Numbers as text: whole numbers, and scores with the fewest digits that give every bit back."""
    if values.dtype == np.float64 and values.size >= MIN_FOR_POLARS:
        return format_many_floats(values)
    return "\n".join(map(repr, values.tolist())).encode().split(b"\n")


def format_many_floats(values: npt.NDArray[np.float64]) -> list[bytes]:
    """As `format_numbers`, by polars in a sixth of the time, which is worth its import for many numbers.

    Both find the fewest digits, but differ in when and how they write an exponent; Python formats numbers that need
    one.
    """
    import polars as pl

    file = BytesIO()
    pl.Series(values).cast(pl.String).to_frame().write_csv(file, include_header=False, quote_style="never")
    polars_texts = file.getvalue().split(b"\n")[:-1]
    magnitudes = np.abs(values)
    exponent_rows = np.flatnonzero(~(((magnitudes >= 1e-3) & (magnitudes < 1e15)) | (magnitudes < 1e-10)))
    if not exponent_rows.size:
        return polars_texts
    text_array = np.array(polars_texts, object)
    text_array[exponent_rows] = "\n".join(map(repr, values[exponent_rows].tolist())).encode().split(b"\n")
    texts: list[bytes] = text_array.tolist()
    return texts


def interleave(*columns: list[bytes] | bytes) -> bytes:
    """The columns joined line by line; a column given as bytes is the same on each line."""
    n = max(len(column) for column in columns if isinstance(column, list))
    cells = [b""] * (n * len(columns))
    for c, column in enumerate(columns):
        cells[c :: len(columns)] = column if isinstance(column, list) else [column] * n
    return b"".join(cells)


def to_parquet(frame: pl.DataFrame, **options: Any) -> bytes:
    """A frame as the content of a Parquet file. options: of polars' `write_parquet`."""
    file = BytesIO()
    frame.write_parquet(file, **options)
    return file.getvalue()


def refuse_ids(rows: Rows, any_invalid: Callable[[list[bytes]], bool], input_name: str, problem: str) -> None:
    """Raise InputError for the first invalid id.

    any_invalid: whether any of these ids is invalid. problem: the end of the message, with what to do.
    """
    for id_kind, ids in id_lists(rows):
        if any_invalid(ids):
            invalid_id = next(id_ for id_ in ids if any_invalid([id_]))
            raise InputError(f"{input_name}: the {id_kind} id {decode_id(invalid_id)!r} {problem}")


def id_lists(rows: Rows) -> Iterator[tuple[str, list[bytes]]]:
    yield "query", rows.query_ids
    for piece in row_pieces(rows):
        yield "document", piece.docs
        if piece.subtopics is not None:
            yield "subtopic", piece.subtopics


def refuse_blanks(rows: Rows, input_name: str, format_name: str) -> None:
    """Raise for an id that white-space-separated lines cannot hold. format_name: whose lines, for the message."""
    if not has_blank(rows.query_ids) and not any(map(any_blank, id_field_pieces(rows))):
        return
    refuse_ids(
        rows,
        has_blank,
        input_name,
        f"is empty or holds a blank, which ends a field of {format_name}'s lines; {FORMAT_ADVICE}",
    )


def id_field_pieces(rows: Rows) -> Iterator[Fields]:
    """The document and subtopic ids, in pieces."""
    for fields in (rows.docs, rows.subtopics):
        if fields is not None:
            yield from (
                fields.slice(slice(start, start + ROWS_PER_PIECE))
                for start in range(0, fields.starts.size, ROWS_PER_PIECE)
            )


def any_blank(fields: Fields) -> bool:
    """As `has_blank`, in a third of the time for short ids: bytes are missing once blanks are removed."""
    longest = int(fields.lengths.max(initial=0))
    if longest > MAX_SHORT_ID:
        return has_blank(decode(fields))
    n_nonblank = sum(
        len(words(fields, word_index).tobytes().translate(None, BLANKS)) for word_index in range((longest + 7) // 8)
    )
    return n_nonblank < int(fields.lengths.sum()) or not fields.lengths.all()


def has_blank(ids: list[bytes]) -> bool:
    joined = b"".join(ids)
    return len(joined.translate(None, BLANKS)) < len(joined) or b"" in ids


def refuse_not_utf8(rows: Rows, run_name: str, input_name: str) -> None:
    """Raise for an id that is not UTF-8."""
    del run_name
    refuse_ids(rows, not_utf8, input_name, "is not UTF-8, as this format must be; write trec instead")


def not_utf8(ids: list[bytes]) -> bool:
    try:
        b"\n".join(ids).decode()
    except UnicodeDecodeError:
        return True
    return False

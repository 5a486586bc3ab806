"""CSV, TSV, JSONL and Parquet with named columns, read by polars."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from rankscope.data.frames import rows_of_frame
from rankscope.data.rows import Rows
from rankscope.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_table"]

SEPARATORS = {"csv": ",", "tsv": "\t"}


def read_table(content: bytes, name: str, format_: str, value: str) -> tuple[Rows, int]:
    """Rows of a table, and how many queries had their rows apart. Raises InputError with the line."""
    content = content.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    first_row = {"csv": 2, "tsv": 2, "jsonl": 1, "parquet": 0}[format_]  # line of the first row
    while format_ in SEPARATORS and content and (content.startswith(b"#") or content[:2].strip() == b""):
        _, _, content = content.partition(b"\n")  # comments and blank lines before the header
        first_row += 1
    if not content:
        raise InputError(f"{name}: no header and no rows, expected a line of column names and one a row below it")
    try:
        return rows_of_frame(read_frame(content, name, format_), value, name, first_row)
    except InputError:
        where = uneven_line(content, format_, first_row - 2)
        if where is None:
            raise
        raise InputError(f"{name}:{where}; correct this line") from None


def read_frame(content: bytes, name: str, format_: str) -> pl.DataFrame:
    import polars as pl

    try:
        if format_ == "parquet":
            return pl.read_parquet(io.BytesIO(content))
        if format_ == "jsonl":
            return pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
        separator = SEPARATORS[format_]
        # All columns as text: an id "007" stays what it is. Blanks around a field are not part of it.
        frame = pl.read_csv(io.BytesIO(content), separator=separator, infer_schema=False)
        return frame.with_columns(pl.all().str.strip_chars(" \t"))
    except (pl.exceptions.PolarsError, OSError, ValueError, RuntimeError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{name}: cannot be read as {format_} ({first}); check the file or name its format") from None


def uneven_line(content: bytes, format_: str, before: int) -> str | None:
    """The first line that is not as the others, as "17: 3 fields, expected 4 (...)". before: lines left out before."""
    if format_ == "jsonl":
        for number, line in enumerate(content.splitlines(), 1):
            try:
                good = not line.strip() or isinstance(json.loads(line), dict)
            except ValueError:
                good = False
            if not good:
                return f"{number}: no JSON object, expected one a line"
    if format_ not in SEPARATORS:
        return None
    reader = csv.reader(io.StringIO(content.decode("utf-8", "replace")), delimiter=SEPARATORS[format_])
    try:
        header = next(reader)
        for row in reader:
            if len(row) != len(header):
                return f"{reader.line_num + before}: {len(row)} fields, expected {len(header)} ({', '.join(header)})"
    except (csv.Error, StopIteration):
        pass
    return None

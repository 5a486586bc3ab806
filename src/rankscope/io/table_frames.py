"""Tables of any columns as polars frames: CSV, TSV, JSON lines and Parquet, and what tells where one is broken."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.sparse import refuse_sparse
from rankscope.data.wording import first_names
from rankscope.errors import InputError
from rankscope.io.packed import refuse_bomb
from rankscope.io.parquet_pages import refuse_false_pages

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "SEPARATORS",
    "first_record",
    "records_to_lines",
    "polars_errors",
    "read_frame",
    "report_polars_errors",
    "refuse_many_rows",
    "refuse_long_texts",
    "find_uneven_line",
    "uneven_lines_first",
]

SEPARATORS = {"csv": ",", "tsv": "\t"}
#: What to do with Parquet that holds too much for its size: it cannot be unpacked by itself.
AS_TEXT = "save it as CSV"
#: So many columns may be in any table of text, and one more for so many bytes: polars takes 5 kB for each.
MOST_COLUMNS, COLUMN = 25_000, 250
#: Lists and objects in a line of JSON may nest so deeply.
DEEPEST = 100
OPENING, CLOSING = (np.frombuffer(brackets, np.uint8) for brackets in (b"[{", b"]}"))
#: So many names of columns are listed.
MOST_SHOWN = 8


def read_frame(content: bytes, name: str, format_: str) -> pl.DataFrame:
    import polars as pl

    with report_polars_errors(name, format_):
        if format_ == "parquet":
            refuse_false_pages(content, name)
            refuse_many_rows(pl.scan_parquet(io.BytesIO(content)), len(content), name)
            return refuse_long_texts(pl.read_parquet(io.BytesIO(content)), len(content), name)
        if format_ == "jsonl":
            refuse_deep_lines(content, name)
            return pl.read_ndjson(io.BytesIO(content), schema=schema_of_lines(content, name))
        separator = SEPARATORS[format_]
        refuse_short_lines(content, separator, name)
        # All columns as text: an id "007" stays what it is. Blanks around a field are not part of it.
        frame = pl.read_csv(io.BytesIO(content), separator=separator, infer_schema=False)
        return frame.with_columns(pl.all().str.strip_chars(" \t"))


def first_record(head: bytes) -> dict[str, object]:
    """The first object of JSON lines, or of a list of objects; empty where there is none. The text may be cut."""
    text = head.decode("utf-8", "replace").lstrip()
    try:
        found, _ = json.JSONDecoder().raw_decode(text.removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def records_to_lines(content: bytes, name: str) -> bytes:
    """A JSON list of objects as JSON lines. Raises InputError for another list."""
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InputError(f"{name}:{line}: this is no JSON ({getattr(error, 'msg', error)}); correct it") from None
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name}: a list that holds more than objects, expected an object a row; correct it")
    return "\n".join(map(json.dumps, rows)).encode()


@contextmanager
def report_polars_errors(name: str, format_: str) -> Iterator[None]:
    """Raise InputError for whatever polars says of a file within the block."""
    try:
        yield
    except InputError:
        raise
    except polars_errors() as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{name}: cannot be read as {format_} ({first}); check the file or name its format") from None


def polars_errors() -> tuple[type[BaseException], ...]:
    """What polars raises for files of any content. Its panics are no exceptions of Python's usual kind."""
    import polars as pl

    return (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RuntimeError, MemoryError)


def refuse_many_rows(table: pl.LazyFrame, size: int, name: str) -> int:
    """How many rows a Parquet file of so many bytes says it has. Raises InputError for more than it can hold."""
    import polars as pl

    rows = int(table.select(pl.len()).collect().item())
    refuse_bomb(8 * rows * len(table.collect_schema()), size, name, AS_TEXT)
    return rows


def refuse_long_texts(frame: pl.DataFrame, size: int, name: str) -> pl.DataFrame:
    """The frame of a Parquet file of so many bytes. Raises InputError where a long text stands for many rows."""
    import polars as pl

    lengths = frame.select(pl.col(pl.String).str.len_bytes().cast(pl.Int64).sum())
    refuse_bomb(sum(lengths.row(0)) if lengths.width else 0, size, name, AS_TEXT)
    return frame


def refuse_deep_lines(content: bytes, name: str) -> None:
    """Raise InputError for a JSON line whose lists and objects nest too deeply.

    Versions of polars before 2.1 overflow their stack on such a line, which ends the process. Lines with few brackets
    cannot be deep, so that usual files cost two counts of a byte.
    """
    rows = content.count(b"\n") + 1
    if content.count(b"{") + content.count(b"[") <= rows + DEEPEST:
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.count(b"{") + line.count(b"[") > DEEPEST and depth_of(line) > DEEPEST:
            raise InputError(
                f"{name}:{number}: lists and objects nest more than {DEEPEST} deep, expected a flat object a line; "
                "correct it"
            )


def depth_of(line: bytes) -> int:
    """How deeply brackets nest in a JSON line; those within strings do not count."""
    without_strings = re.sub(rb'"(?:[^"\\\\]|\\\\.)*"', b"", line)
    brackets = np.frombuffer(without_strings, np.uint8)
    steps = np.isin(brackets, OPENING).astype(np.int64) - np.isin(brackets, CLOSING)
    return int(np.cumsum(steps).max(initial=0))


def schema_of_lines(content: bytes, name: str) -> dict[str, pl.DataType]:
    """The columns of JSON lines. Raises InputError where each line has keys of its own.

    Some lines at a time, for telling many keys apart takes as long as their square.
    """
    import polars as pl

    rows, given, some = content.count(b"\n") + 1, content.count(b":"), 1000
    while True:
        lines = pl.scan_ndjson(io.BytesIO(content), infer_schema_length=some if some < rows else None)
        schema = lines.collect_schema()
        refuse_sparse((rows, len(schema)), given, name, "lines and keys")
        if some >= rows:
            return dict(schema)
        some = rows if are_all_keys(schema, content) else 4 * some


def are_all_keys(keys: Iterable[str], content: bytes) -> bool:
    """Whether JSON lines surely have no other keys: each colon follows one of these, and no quotation mark is escaped.

    So it is with usual files, which then need not be looked at again and again.
    """
    found = sum(content.count(f'"{key}":'.encode()) for key in keys)
    return found == content.count(b":") and b"\\" not in content


def refuse_short_lines(content: bytes, separator: str, name: str) -> None:
    """Raise InputError where the header names many columns, and the lines below hold few."""
    lines, separators = content.count(b"\n") + 1, content.count(separator.encode())
    columns = content.partition(b"\n")[0].count(separator.encode()) + 1
    most = MOST_COLUMNS + len(content) // COLUMN
    if columns > most:
        raise InputError(
            f"{name}:1: {columns:,} columns, expected at most {most:,} in {len(content):,} bytes; save it as Parquet"
        )
    refuse_sparse((lines, columns), separators + lines, name, "lines and columns")


@contextmanager
def uneven_lines_first(content: bytes, name: str, format_: str, before: int) -> Iterator[None]:
    """Where this raises InputError, raise what tells more if a line is not as the others. before: as of uneven_line."""
    try:
        yield
    except InputError:
        where = find_uneven_line(content, format_, before)
        if where is None:
            raise
        raise InputError(f"{name}:{where}; correct this line") from None


def find_uneven_line(content: bytes, format_: str, before: int) -> str | None:
    """The first line that is not as the others, as "17: 3 fields, expected 4 (...)". before: lines left out before."""
    if format_ == "jsonl":
        for number, line in enumerate(content.splitlines(), 1):
            try:
                good = not line.strip() or isinstance(
                    json.loads(line, parse_constant=parse_finite, parse_float=parse_finite), dict
                )
            except OverflowError as error:
                return f"{number + before}: the value {error}, expected finite numbers"
            except (ValueError, RecursionError):
                good = False
            if not good:
                return f"{number + before}: no JSON object, expected one a line"
    if format_ not in SEPARATORS:
        return None
    reader = csv.reader(io.StringIO(content.decode("utf-8", "replace")), delimiter=SEPARATORS[format_])
    try:
        header = next(reader)
        shown = first_names(header, MOST_SHOWN)
        for row in reader:
            if len(row) != len(header):
                return f"{reader.line_num + before}: {len(row)} fields, expected {len(header)} ({shown})"
    except (csv.Error, StopIteration):
        pass
    return None


def parse_finite(text: str) -> float:
    """A number as JSON has it. Raises OverflowError for what is none, or too large."""
    value = float(text)
    if not math.isfinite(value):
        raise OverflowError(text)
    return value

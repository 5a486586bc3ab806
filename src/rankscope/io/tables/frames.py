"""Tables of any columns as polars frames: CSV, TSV, JSON lines and Parquet; where one is broken; columns by name, as
names or numbers.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import first_names
from rankscope.errors import InputError
from rankscope.io.core import BOM, empty_file_error, open_binary, refuse_bomb, source_name
from rankscope.io.tables.parquet_pages import refuse_false_pages
from rankscope.typing import Floats, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "NO_VALUE",
    "SEPARATORS",
    "NamedTable",
    "find_uneven_line",
    "first_record",
    "holds_numbers",
    "mostly_numbers",
    "name_codes",
    "name_column",
    "number_values",
    "parse_named_table",
    "parse_number_column",
    "polars_errors",
    "read_frame",
    "read_named_table",
    "records_to_lines",
    "refuse_long_texts",
    "refuse_many_rows",
    "report_polars_errors",
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


#: What stands in a cell of numbers where there is none, in small letters.
NO_VALUE = ("", "nan", "none", "na", "n/a", "null")


class NamedTable(NamedTuple):
    """A table as it was read. first: the number of its first row's line, 0 where rows have no lines."""

    frame: pl.DataFrame
    name: str
    first: int

    @property
    def head(self) -> str:
        """Where the names of the columns stand."""
        return f"{self.name}:{self.first - 1}" if self.first > 1 else self.name

    def where(self, row: int) -> str:
        return f"{self.name}:{row + self.first}" if self.first else f"{self.name}: row {row}"


def read_named_table(path: PathLike, expected: str, *, even: bool = False) -> NamedTable:
    """A table of whatever format, with the line of its first row.

    expected: what an empty file should hold. even: a line that ends too early is refused; else the rest of it is empty.
    """
    with open_binary(path) as stream:
        return parse_named_table(stream.read(), source_name(path), expected, even=even)


def parse_named_table(content: bytes, name: str, expected: str, *, even: bool = False) -> NamedTable:
    """The table in a file that was read; as `read_named_table`."""
    content = content.removeprefix(BOM)
    if not content.strip():
        raise empty_file_error(name, expected)
    if content.startswith(b"PAR1"):
        return NamedTable(read_frame(content, name, "parquet"), name, 0)
    if content.lstrip().startswith((b"{", b"[")):
        form, before = "jsonl", 1
        if content.lstrip().startswith(b"["):
            content, before = records_to_lines(content, name), 0
            if not content:
                raise InputError(f"{name}: an empty list, expected {expected}; check how it was made")
    else:
        before = 2
        while content and (content.startswith(b"#") or not content.partition(b"\n")[0].strip()):
            content, before = content.partition(b"\n")[2], before + 1
        if not content:
            raise InputError(f"{name}: comments only, expected {expected}")
        form = "tsv" if b"\t" in content.partition(b"\n")[0] else "csv"
        content = content.rstrip(b"\r\n") + b"\n"  # blank lines at the end are no rows
    try:
        frame = read_frame(content, name, form)
        even = not (even and form in SEPARATORS and frame[:, -1].null_count() and ends_early(content, SEPARATORS[form]))
        wrong = None
    except InputError as error:
        even, wrong = False, error
    rows = before == 0  # of a list, whose lines these are not
    where = None if even else find_uneven_line(content, form, before - 2 if form in SEPARATORS else -rows)
    if where is not None:
        raise InputError(f"{name}: row {where}; correct it" if rows else f"{name}:{where}; correct this line")
    if wrong is not None:
        raise wrong
    return NamedTable(frame if form in SEPARATORS else order_columns(frame, content), name, before)


def order_columns(frame: pl.DataFrame, content: bytes) -> pl.DataFrame:
    """The columns of JSON lines as the first object has them, then the others: they are read in any order."""
    first = next(line for line in content.splitlines() if line.strip())
    names = [*json.loads(first), *sorted(frame.columns)]
    return frame[list(dict.fromkeys(name for name in names if name in frame))]


def ends_early(content: bytes, separator: str) -> bool:
    """Whether a line may have fewer fields than the first: by counting separators, unless quotes hide some."""
    if b'"' in content:
        return True
    text = np.frombuffer(content, np.uint8)
    ends = np.append(np.flatnonzero(text == ord("\n")), text.size)
    fields = np.diff(np.searchsorted(np.flatnonzero(text == ord(separator)), ends), prepend=0)
    blank = np.diff(ends, prepend=-1) <= 2  # the line's end alone, perhaps with a carriage return
    return bool(((fields < fields[0]) & ~blank).any())


def name_column(table: NamedTable, column: str, field: str, *, needed: bool = True) -> pl.Series:
    """The names in a column as text. needed: each must be there, else it is empty where none is.

    Raises InputError for a column of something else, and for an empty cell where names are needed.
    """
    import polars as pl

    series = table.frame[column]
    if not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
        raise InputError(f"{table.where(0)}: column {column!r} holds {series.dtype}, expected names or whole numbers")
    found = series.cast(pl.String).fill_null("")
    if needed:
        empty = (found == "").arg_true()
        if empty.len():
            raise InputError(
                f"{table.where(int(empty[0]))}: the {field} is empty, expected a name; fill it in or drop the line"
            )
    return found


def name_codes(columns: Sequence[pl.Series]) -> tuple[tuple[str, ...], list[Ints]]:
    """All names of some columns of text, as they first stand, row by row; and the code of each row's."""
    import polars as pl

    names = pl.concat([column.unique() for column in columns]).unique()
    kind = pl.Enum(names)
    codes = [column.cast(kind).to_physical().to_numpy().astype(np.int64) for column in columns]
    first = np.full(names.len(), len(columns) * columns[0].len())
    for i, found in enumerate(codes):
        at = np.full(names.len(), first.max(initial=0))
        at[found[::-1]] = np.arange(found.size)[::-1] * len(columns) + i  # the last that is written is the first row
        first = np.minimum(first, at)
    order = np.argsort(first, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return tuple(names.gather(order).to_list()), [place[found] for found in codes]


def parse_number_column(series: pl.Series, none: Sequence[str] = NO_VALUE) -> tuple[pl.Series, pl.Series]:
    """The numbers of a column, null where there is none, and where something else stands. none: texts for none."""
    import polars as pl

    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String).str.strip_chars()
        missing = series.is_null() | series.str.to_lowercase().is_in(none)
    else:
        missing = series.is_null()
    if not (series.dtype.is_numeric() or series.dtype in (pl.String, pl.Null)):
        return series, ~missing
    values = series.cast(pl.Float64, strict=False)
    missing = missing | values.is_nan().fill_null(False)
    return values, ~missing & ~values.is_finite().fill_null(False)


def holds_numbers(series: pl.Series) -> bool:
    """Whether a column holds numbers, and nothing else."""
    values, bad = parse_number_column(series)
    return not bad.any() and values.dtype.is_float() and bool(values.is_finite().any())


def mostly_numbers(series: pl.Series) -> bool:
    """Whether most of what a column holds are numbers: what else stands there is then a mistake, and no text."""
    values, bad = parse_number_column(series)
    return values.dtype.is_float() and int(values.is_finite().sum()) > int(bad.sum())


def number_values(table: NamedTable, column: str, none: Sequence[str] = NO_VALUE) -> Floats:
    """The numbers of a column, NaN where there is none."""
    values, bad = parse_number_column(table.frame[column], none)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise InputError(
            f"{table.where(row)}: {column} is {table.frame[column][row]!r}, expected a finite number, or nothing for "
            "no value; correct this line"
        )
    return np.asarray(values.fill_null(float("nan")).to_numpy(), np.float64)

"""Tables with named columns, of whatever format, read whole: where a row stands, and columns as names or numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.errors import InputError
from rankscope.io.blocks import BOM
from rankscope.io.streams import empty_file_error, open_binary, source_name
from rankscope.io.table_frames import SEPARATORS, find_uneven_line, read_frame, records_to_lines
from rankscope.typing import Floats, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "NO_VALUE",
    "NamedTable",
    "parse_number_column",
    "holds_numbers",
    "mostly_numbers",
    "name_codes",
    "name_column",
    "parse_named_table",
    "number_values",
    "read_named_table",
]

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

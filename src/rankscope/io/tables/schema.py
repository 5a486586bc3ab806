"""The columns that a format has, and tables that are read by them: names bound to a header, cells that keep their line.

A `Schema` is bound to the header before a row is parsed, so that a missing column, two columns of one name and a
column that the user calls otherwise are found first. `read_table` reads files, `table_of_frame` takes data frames.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.row_input import find_column, list_columns, to_frame, type_with_article
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import first_names, join_names
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BOM, empty_file_error, is_file, open_binary, source_name
from rankscope.io.tables.frames import (
    MAX_NAMES,
    find_uneven_line,
    first_record,
    has_short_lines,
    order_columns,
    polars_errors,
    read_frame,
    records_to_lines,
    refuse_short_lines,
    separator_of,
)
from rankscope.typing import Floats, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Codes",
    "Column",
    "Matrix",
    "Schema",
    "Table",
    "header_location",
    "parse_table",
    "read_content",
    "read_table",
    "refuse_case",
    "table_header",
    "table_of_frame",
]


#: Texts of cells without a number, in lower case. NaN is none of them: it is what failed computations leave.
NO_NUMBER = ("", "na", "n/a", "null", "none", "-")
#: Rows by which the type of columns is guessed that the schema does not have.
SAMPLE = 20
#: First bytes, which tell the format.
HEAD = 1 << 16
#: Characters of a cell in a message.
MAX_SHOWN = 60
ID, NUMBER = "id", "number"
#: A number with a decimal comma, as 1,5 for 1.5.
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
#: A field in quotes, and the beginning of a field that is not one, in a table with tabs.
QUOTED_FIELD = re.compile(rb'(?:^|(?<=[\t\n]))"(?:[^"]|"")*"(?=[\t\r\n]|$)')
OPEN_QUOTE = re.compile(rb'(?:^|[\t\n])"')


#: Numbers of ids: unsigned, of the size that their number needs.
Codes = npt.NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a format.

    Attributes
    ----------
    name
        What it is called here, and in messages.
    aliases
        Other names by which it is found, in lower case.
    kind
        "id": text, always, so that 007 stays 007. "number": a finite number, or nothing. "choice": one of `choices`.
    required
        Whether a table without it is refused.
    unique
        Whether a value may stand only once.
    choices
        The values of a choice, in lower case.
    first
        Whether it is the first column of the table, whatever that is called, unless the user names another one.
    """

    name: str
    aliases: tuple[str, ...] = ()
    kind: str = ID
    required: bool = False
    unique: bool = False
    choices: tuple[str, ...] = ()
    first: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which it is found, ours first."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns of a format.

    Attributes
    ----------
    columns
        The columns.
    expected
        What a file should hold, for the message about an empty one.
    more_numbers
        Whether columns that the schema does not name may hold numbers, as a column for each system.
    all_numbers
        Whether they all hold numbers, so that none is guessed.
    nan_is_missing
        Whether NaN in a file is an empty cell, not the result of a computation that failed.
    """

    columns: tuple[Column, ...]
    expected: str
    more_numbers: bool = False
    all_numbers: bool = False
    nan_is_missing: bool = False

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def has_first(self) -> bool:
        """Whether a column is found by being the first, so that it needs no name."""
        return any(column.first for column in self.columns)

    def match(self, header: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
        """Our names of the columns that there are, with the names in the header; as `bind`, but nothing is refused."""
        ours = {column.name for column in self.columns}
        bound = {name: column_name for name, column_name in names.items() if name in ours and column_name in header}
        for column in self.columns:
            free = [name for name in header if name not in bound.values()]
            found = bound.get(column.name) or (free[0] if column.first and free else find_column(free, column.names))
            if found is not None:
                bound[column.name] = found
        return bound

    def fits(self, header: Sequence[str], names: Mapping[str, str]) -> bool:
        """Whether all required columns are there, and all columns that the user names are of this schema."""
        required = {column.name for column in self.columns if column.required}
        return {*required, *names} <= set(self.match(header, names))

    def bind(self, header: Sequence[str], names: Mapping[str, str], where: str) -> dict[str, str]:
        """Our names of the columns that there are, with the names in the header.

        Parameters
        ----------
        header
            The names of all columns.
        names
            What the user says: our name, and the name in the header.
        where
            What the message begins with: file and line.

        Raises
        ------
        InputError
            A column has no name, two have the same or differ in case only, or a required one is missing.
        ParameterError
            The user names a column that the format does not have.
        """
        refuse_bad_header(header, where, self.has_first)
        our_names = [column.name for column in self.columns]
        for name, column_name in names.items():
            if name not in our_names:
                raise ParameterError(
                    f"columns (--columns) has {name!r}, expected some of {join_names(our_names)}, as "
                    f"{our_names[0]}=NAME"
                )
            if column_name not in header:
                raise InputError(
                    f"{where}: no column {column_name!r}, which columns (--columns) names, among {list_columns(header)}"
                )
        bound = self.match(header, names)
        missing = next((column.name for column in self.columns if column.required and column.name not in bound), None)
        if missing is not None:
            raise self.missing_column(missing, header, where)
        return bound

    def missing_column(self, name: str, header: Sequence[str], where: str) -> InputError:
        """The error for a table without this column."""
        column = self.column(name)
        return InputError(
            f"{where}: no column {name!r} among {list_columns(header)}; rename one of them (also understood: "
            f"{', '.join(column.aliases)}), or say which it is: --columns {name}=NAME (in Python columns=)"
        )


def refuse_bad_header(header: Sequence[str], where: str, is_first_free: bool = False) -> None:
    """Raise InputError for a column without a name, and for two of one name.

    is_first_free: whether the first column needs no name.
    """
    seen: dict[str, str] = {}
    for number, name in enumerate(header, 1):
        key = name.strip().lower()
        if not key and number == 1 and is_first_free:
            continue
        if not key:
            raise InputError(
                f"{where}: column {number} has no name; name it (pandas leaves the name of its index out: write with "
                "index_label='query', or index=False)"
            )
        if key in seen:
            same = "two columns are called" if seen[key] == name else f"the columns {seen[key]!r} and"
            differ = "" if seen[key] == name else " differ in case or blanks only"
            raise InputError(f"{where}: {same} {name!r}{differ}; rename or remove one of them")
        seen[key] = name


class Matrix(NamedTuple):
    """The values of a table that has a row for each of them.

    Attributes
    ----------
    rows, columns
        Names.
    values
        (rows, columns), NaN where there is none.
    row_codes
        The row of the matrix for each row of the table.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    row_codes: Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """A table whose columns are bound to a schema.

    Attributes
    ----------
    frame
        The rows, with the columns by their own names.
    name
        Name of the file or data.
    schema
        The schema.
    columns
        Our names of the columns, and their own.
    where
        File and line of the header.
    locate
        Gives file and line of a row. It reads the file again: only for messages.
    nan_is_missing
        Whether NaN stands for no value, as in data frames.
    """

    frame: pl.DataFrame
    name: str
    schema: Schema
    columns: Mapping[str, str]
    where: str
    locate: Callable[[int], str]
    nan_is_missing: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def more_columns(self) -> list[str]:
        """The columns that the schema does not name."""
        bound = set(self.columns.values())
        return [name for name in self.frame.columns if name not in bound]

    def number_columns(self) -> list[str]:
        """Those of `more_columns` that hold numbers: most of their cells that are not empty."""
        return [name for name in self.more_columns if is_number_column(self.frame[name])]

    def require(self, name: str) -> str:
        """The column's own name. Raises InputError if there is none."""
        if name not in self.columns:
            raise self.schema.missing_column(name, self.frame.columns, self.where)
        return self.columns[name]

    def ids(self, name: str) -> pl.Series:
        """The texts of a column. Raises InputError for an empty cell, for another type, and where one stands twice."""
        import polars as pl

        own_name = self.require(name)
        series = self.frame[own_name]
        if series.dtype.is_float() or series.dtype == pl.Boolean:
            raise InputError(
                f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected ids: texts or whole numbers "
                "(pandas makes 1.0 of 1 where a cell is empty); convert it"
            )
        if not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
            raise InputError(f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected texts; convert it")
        texts = series.cast(pl.String)
        empty = texts.is_null() | (texts == "")
        if empty.any():
            raise InputError(
                f"{self.locate(int(empty.arg_true()[0]))}: {own_name or name} is empty, expected a name; fill it in or "
                "drop the row"
            )
        column = self.schema.column(name)
        if column.kind == "choice" and not (valid := texts.str.to_lowercase().is_in(list(column.choices))).all():
            row = int((~valid).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {own_name} is {texts[row]!r}, expected one of {', '.join(column.choices)}"
            )
        if column.unique:
            self.refuse_repeated_ids(name, texts)
        return texts

    def refuse_repeated_ids(self, name: str, texts: pl.Series) -> None:
        """Raise InputError where an id of this column stands twice."""
        if texts.n_unique() < texts.len():
            row = int((~texts.is_first_distinct()).arg_true()[0])
            first = int((texts == texts[row]).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {self.columns[name] or name} {texts[row]!r} stands a second time, the first is "
                f"at {self.locate(first)}; keep one of the two"
            )

    def codes(self, name: str) -> tuple[list[str], Codes]:
        """The distinct ids of a column in their order, and the number of each row's id among them."""
        import polars as pl

        texts = self.ids(name)
        distinct = texts.unique(maintain_order=True)
        codes = texts.cast(pl.Enum(distinct)).to_physical().to_numpy()
        return distinct.to_list(), codes

    def texts(self, own_name: str) -> pl.Series:
        """The cells of a column by its own name as texts, "" where one is empty.

        Raises InputError for cells that are neither texts nor numbers.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype.is_nested():
            raise InputError(f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected texts; convert it")
        return series.cast(pl.String).fill_null("")

    def is_nested(self, own_name: str) -> bool:
        """Whether the cells of a column by its own name are lists or objects of JSON."""
        return bool(self.frame[own_name].dtype.is_nested())

    def numbers(self, own_name: str, *, complete: bool = False) -> Floats:
        """The numbers of a column by its own name, NaN where a cell is empty.

        Raises InputError for text, infinity and NaN, and with `complete` for an empty cell.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype == pl.Boolean:
            series = series.cast(pl.Float64)
        values, invalid = to_numbers(series, self.nan_is_missing)
        if complete:
            invalid = values.is_null() if invalid is None else invalid | values.is_null()
        if invalid is not None and invalid.any():
            raise self.number_error(own_name, int(invalid.arg_true()[0]), complete=complete)
        return np.asarray(values.fill_null(float("nan")).to_numpy(), np.float64)

    def number_error(self, own_name: str, row: int, *, complete: bool = False) -> InputError:
        """The error for a cell that holds no number. complete: whether it must not be empty."""
        import polars as pl

        cell = self.frame[own_name][row]
        advice = "correct it" if complete else "correct it, or leave the cell empty where there is no value"
        if cell is None or (isinstance(cell, str) and not cell):
            cell_text, advice = "empty", "fill it in or drop the row"
        else:
            cell_text = "a list" if isinstance(cell, pl.Series) else repr(cell)
            if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip()):
                advice = "replace the decimal comma by a point"
        return InputError(f"{self.locate(row)}: {own_name} is {cell_text}, expected a finite number; {advice}")

    def number_columns_matrix(self, own_names: Sequence[str], *, complete: bool = False) -> Floats:
        """(columns, rows) the numbers of several columns by their own names; as `numbers`."""
        frame = self.frame[list(own_names)]
        if all(dtype.is_float() for dtype in frame.dtypes):
            values = np.ascontiguousarray(frame.to_numpy().astype(np.float64, copy=False).T)
            n_missing = sum(frame.null_count().row(0))
            if int(np.isfinite(values).sum()) == values.size - n_missing and not (complete and n_missing):
                return values
        return np.array([self.numbers(name, complete=complete) for name in own_names])

    def matrix(self, rows: str, columns: str, value: str) -> Matrix:
        """The numbers of a table that has a row for each of them.

        Parameters
        ----------
        rows, columns
            Our names of two columns of ids, which say where a value belongs.
        value
            Our name of the column of numbers.

        Raises
        ------
        InputError
            Two rows are of the same place, or the matrix would be nearly empty; and as `ids` and `numbers`.
        """
        row_names, row_codes = self.codes(rows)
        column_names, column_codes = self.codes(columns)
        shape = (len(row_names), len(column_names))
        refuse_sparse(shape, row_codes.size, self.name, f"{rows}s and {columns}s")
        cells = row_codes.astype(np.int64) * shape[1] + column_codes
        self.refuse_repeated_cells(cells, shape[0] * shape[1], (rows, columns))
        values = np.full(shape, np.nan)
        values.ravel()[cells] = self.numbers(self.require(value))
        return Matrix(tuple(row_names), tuple(column_names), values, row_codes)

    def refuse_repeated_cells(
        self, cells: Ints, n_cells: int, names: Sequence[str], table_rows: Ints | None = None
    ) -> None:
        """Raise InputError where two rows are of the same cell of a matrix.

        Parameters
        ----------
        cells
            The cell of each row.
        n_cells
            Number of cells.
        names
            Our names of the columns that say which cell a row is of.
        table_rows
            The rows of the table that `cells` are of. Default: all.
        """
        if cells.size <= n_cells:
            is_filled = np.zeros(n_cells, np.bool_)
            is_filled[cells] = True
            if int(np.count_nonzero(is_filled)) == cells.size:
                return
        order = np.argsort(cells, kind="stable")
        row = int(order[1:][cells[order[1:]] == cells[order[:-1]]].min())
        first = int(np.argmax(cells == cells[row]))
        if table_rows is not None:
            row, first = int(table_rows[row]), int(table_rows[first])
        values = join_names(repr(str(self.frame[self.columns[name]][row])) for name in names)
        raise InputError(
            f"{self.locate(row)}: a second value of this {join_names(names)} ({values}), the first is at "
            f"{self.locate(first)}; keep one of the two"
        )


def refuse_case(names: Sequence[str], location: Callable[[int], str], noun: str) -> None:
    """Raise InputError for two names that differ in case only. location: file and line of a name, by its index."""
    seen: dict[str, str] = {}
    for number, name in enumerate(names):
        if (other := seen.setdefault(name.casefold(), name)) != name:
            raise InputError(
                f"{location(number)}: the {noun} {name!r} differs from {other!r} in case only; write both alike, or "
                "give one another name"
            )


def is_number_column(series: pl.Series) -> bool:
    """Whether most cells of a column that are not empty hold numbers: the others are then mistakes."""
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return True
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    values, invalid = to_numbers(series, True)
    n_invalid = 0 if invalid is None else int(invalid.sum())
    return values.len() - values.null_count() >= max(n_invalid, 1)


def to_numbers(series: pl.Series, nan_is_missing: bool) -> tuple[pl.Series, pl.Series | None]:
    """The numbers of a column, null where there is none; and a mask of invalid cells, None if all are valid."""
    import polars as pl

    if series.dtype == pl.Null:
        return series.cast(pl.Float64), None
    if series.dtype.is_numeric():
        values = series.cast(pl.Float64)
        if values.is_finite().all():
            return values, None
        if nan_is_missing:
            values = values.fill_nan(None)
        return values, ~values.is_finite().fill_null(True)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series, series.is_not_null()
    texts = series.cast(pl.String).str.strip_chars()
    values = texts.cast(pl.Float64, strict=False)
    missing = texts.is_null() | texts.str.to_lowercase().is_in((*NO_NUMBER, "nan") if nan_is_missing else NO_NUMBER)
    invalid = ~missing & ~(values.is_not_null() & values.is_finite())
    return pl.select(pl.when(missing | ~values.is_finite()).then(None).otherwise(values)).to_series(), invalid


# Reading


def table_of_frame(data: Any, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A data frame, an Arrow table, a mapping of columns or a list of records as a table.

    Raises InputError for what is none of these and as `Schema.bind`.
    """
    import polars as pl

    try:
        frame = to_frame(data)
    except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type_with_article(data)
        raise InputError(f"{name}: no table ({reason}), expected a data frame or columns of one length") from None
    if not frame.height:
        raise InputError(f"{name}: a table without rows, expected {schema.expected}")
    return Table(
        frame=frame,
        name=name,
        schema=schema,
        columns=schema.bind(frame.columns, columns, name),
        where=name,
        locate=lambda row: f"{name}: row {row}",
        nan_is_missing=True,
    )


def read_table(path: PathLike, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A table from a file: CSV (commas, tabs or semicolons), JSON lines, a JSON list of objects, or Parquet.

    Raises InputError, with file and line, as `Schema.bind` and for what is no table.
    """
    return parse_table(read_content(path), source_name(path), schema, columns)


def read_content(path: PathLike) -> bytes:
    """All bytes of a file, unpacked."""
    with open_binary(path) as stream:
        raw = getattr(stream, "raw", None)
        if is_file(path) and isinstance(raw, io.FileIO):  # at once: what was buffered would cost a copy of the rest
            raw.seek(0)
            return raw.readall()
        return stream.read()


def parse_table(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """The table in the content of a file; as `read_table`."""
    if content.startswith(BOM):
        content = content.removeprefix(BOM)
    if not content or content.isspace():
        raise empty_file_error(name, schema.expected)
    if content.startswith(b"PAR1"):
        return table_of_frame(read_frame(content, name, "parquet"), name, schema, columns)
    if content[:HEAD].lstrip().startswith((b"{", b"[")):
        return parse_json(content, name, schema, columns)
    return parse_text(content, name, schema, columns)


def parse_json(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """JSON lines, or a list of objects, whose rows are no lines."""
    is_list = content.lstrip().startswith(b"[")
    if is_list:
        content = records_to_lines(content, name)
        if not content:
            raise InputError(f"{name}: an empty list, expected {schema.expected}")
    try:
        frame = order_columns(read_frame(content, name, "jsonl"), content)
    except InputError:
        uneven_line = find_uneven_line(content, "jsonl", -1 if is_list else 0)
        if uneven_line is None:
            raise
        where = f"{name}: row {uneven_line}" if is_list else f"{name}:{uneven_line}"
        raise InputError(f"{where}; correct it") from None

    def locate(row: int) -> str:
        if is_list:
            return f"{name}: row {row}"
        numbers = (number for number, line in enumerate(io.BytesIO(content), 1) if line.strip())
        return f"{name}:{next(islice(numbers, row, None))}"

    where = name if is_list else f"{name}:1"
    bound = schema.bind(frame.columns, columns, where)
    return Table(
        frame=frame,
        name=name,
        schema=schema,
        columns=bound,
        where=where,
        locate=locate,
        nan_is_missing=schema.nan_is_missing,
    )


@dataclass(frozen=True)
class TextFormat:
    """How a table is written.

    Attributes
    ----------
    name
        csv, tsv or semicolons.
    separator
        The character between fields.
    quoting
        Whether fields may stand in quotes. With tabs they may if every quote at the start of a field has its other one
        at the end of a field.
    """

    name: str
    separator: str
    quoting: bool = True

    def rows(self, lines: io.TextIOBase) -> Any:
        """The `csv.reader`."""
        return csv.reader(
            lines, delimiter=self.separator, quoting=csv.QUOTE_MINIMAL if self.quoting else csv.QUOTE_NONE
        )


def text_format(content: bytes) -> TextFormat:
    """How a table that begins with its header is written."""
    name, separator = separator_of(first_line(content))
    quoting = name != "tsv" or b'"' not in content or not OPEN_QUOTE.search(QUOTED_FIELD.sub(b"", content))
    return TextFormat(name, separator, quoting)


def skip_comments(content: bytes) -> tuple[bytes, int]:
    """A text without the comments and blank lines before its header, and how many lines these are."""
    n_skipped = 0
    while content and (is_comment(content) or not first_line(content).strip()):
        content, n_skipped = content.partition(b"\n")[2], n_skipped + 1
    return content, n_skipped


def is_comment(content: bytes) -> bool:
    """Whether the first line is a comment: it begins with # and is not the header of a table of numbers."""
    if not content.startswith(b"#"):
        return False
    header = first_line(content)
    _, separator = separator_of(header)
    below = next((line for line in islice(io.BytesIO(content), 1, SAMPLE) if line.strip()), b"")
    names, cells = (line.decode("utf-8", "replace").split(separator) for line in (header, below))
    return not (1 < len(names) == len(cells) and all(is_finite(cell) for cell in cells[1:]))


def table_header(content: bytes) -> list[str]:
    """The names of the columns of a table, by its first bytes (Parquet: all), as far as they tell.

    None for JSON that does not hold objects in lines or in a list, and for what is no table.
    """
    import polars as pl

    content = content.removeprefix(BOM)
    if content.startswith(b"PAR1"):
        try:
            return list(pl.read_parquet_schema(io.BytesIO(content)))
        except polars_errors():
            return []
    if content[:HEAD].lstrip().startswith((b"{", b"[")):
        return list(first_record(content[:HEAD]) or first_record(content))
    content, _ = skip_comments(content)
    try:
        header = first_line(content)
        record = next(text_format(header).rows(io.StringIO(header.decode("utf-8", "replace"))))
    except (csv.Error, StopIteration):
        return []
    return [name.strip() for name in record]


def header_location(content: bytes, name: str) -> str:
    """File and line of the header of the table whose first bytes these are; the file alone where it has no line."""
    content = content.removeprefix(BOM)
    start = content[:HEAD].lstrip()
    if start.startswith((b"PAR1", b"[")):
        return name
    return f"{name}:{1 if start.startswith(b'{') else skip_comments(content)[1] + 1}"


def parse_text(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A table of text: comments and blank lines, the header, a row a line."""
    content, n_skipped = skip_comments(content)
    if not content:
        raise InputError(f"{name}: comments only, expected {schema.expected}")
    written = text_format(content)
    refuse_short_lines(content, written.separator, name)
    where = f"{name}:{n_skipped + 1}"
    header = header_cells(content, written, where)
    if schema.has_first and header[0].lower() in map(str.lower, header[1:]):
        header[0] = ""  # whatever it is called
    if len(header) == 1:
        raise InputError(
            f"{where}: one column only ({header[0][:MAX_SHOWN]!r}), expected commas, tabs or semicolons between the "
            f"columns of {schema.expected}"
        )
    bound = schema.bind(header, columns, where)

    def locate(row: int) -> str:
        try:
            return f"{name}:{n_skipped + line_of_row(content, written, row)}"
        except csv.Error:  # a field of more than 100,000 characters
            return f"{name}: row {row + 1}"

    frame = text_frame(content, name, schema, bound, header, written, n_skipped)
    if not frame.height:
        raise InputError(f"{name}: a header and no rows, expected {schema.expected}")
    return Table(
        frame=frame,
        name=name,
        schema=schema,
        columns=bound,
        where=where,
        locate=locate,
        nan_is_missing=schema.nan_is_missing,
    )


def first_line(content: bytes) -> bytes:
    """The first line, without its end."""
    end = content.find(b"\n")
    return content if end < 0 else content[:end]


def header_cells(content: bytes, written: TextFormat, where: str) -> list[str]:
    """The names of the columns. Raises InputError where they cannot be read."""
    try:
        return [cell.strip() for cell in next(records(content, written))[1]]
    except (csv.Error, StopIteration) as error:
        raise InputError(f"{where}: the header cannot be read ({error}); correct it") from None


def records(content: bytes, written: TextFormat) -> Iterator[tuple[int, list[str]]]:
    """The records of a table that are not blank, each with its first line."""
    reader = written.rows(io.TextIOWrapper(io.BytesIO(content), "utf-8", errors="replace", newline=""))
    first_line = 1
    for record in reader:
        if any(cell.strip(" \t") for cell in record):
            yield first_line, record
        first_line = reader.line_num + 1


def line_of_row(content: bytes, written: TextFormat, row: int) -> int:
    """The line of a row, counted from the header, which is line 1."""
    return next(islice(records(content, written), row + 1, None))[0]


def text_frame(
    content: bytes,
    name: str,
    schema: Schema,
    bound: Mapping[str, str],
    header: list[str],
    written: TextFormat,
    n_skipped: int,
) -> pl.DataFrame:
    """The rows: ids as text, numbers as numbers where all cells are, else as text.

    Raises InputError that names the first line with too few or too many fields.
    """
    import polars as pl

    types = column_types(content, schema, bound, header, written)
    frame: pl.DataFrame | None = None
    for column_type in (types, dict.fromkeys(types, False)):
        try:
            frame = read_text(content, written, column_type)
            break
        except polars_errors():
            continue
    if frame is None:
        frame = read_slowly(content, name, written, header, n_skipped)
    # A short line has no last cell, and polars reads it as an empty one.
    elif frame[:, -1].null_count() and has_short_lines(content.rstrip(b"\r\n") + b"\n", written.separator):
        for _ in even_rows(content, name, written, header, n_skipped):
            pass
    last = frame[:, -1]
    may_be_blank = last.null_count() or (last.dtype == pl.String and (last == "").any())
    return drop_blank_rows(frame) if may_be_blank else frame


def column_types(
    content: bytes, schema: Schema, bound: Mapping[str, str], header: list[str], written: TextFormat
) -> dict[str, bool]:
    """Whether each column is read as numbers: as the schema says, and the others by the first rows."""
    kinds = {bound[column.name]: column.kind == NUMBER for column in schema.columns if column.name in bound}
    if written.separator == ";":  # numbers may have decimal commas
        return dict.fromkeys(header, False)
    more = [name for name in header if name not in kinds]
    if schema.all_numbers or not (schema.more_numbers and more):
        return {name: kinds.get(name, schema.all_numbers) for name in header}
    try:
        sample = [record for _, record in islice(records(content, written), 1, SAMPLE + 1)]
    except csv.Error:  # the reader of all rows says where
        sample = []
    is_number = {
        name: all(
            number < len(record) and (not record[number].strip() or is_finite(record[number])) for record in sample
        )
        for number, name in enumerate(header)
    }
    return {name: kinds.get(name, is_number[name]) for name in header}


def is_finite(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def read_text(content: bytes, written: TextFormat, are_numbers: Mapping[str, bool]) -> pl.DataFrame:
    import polars as pl

    separator = written.separator
    frame = pl.read_csv(
        content,
        separator=separator,
        quote_char='"' if written.quoting else None,
        schema={name: pl.Float64 if is_number else pl.String for name, is_number in are_numbers.items()},
    )
    if b" " in content or (separator != "\t" and b"\t" in content):
        frame = frame.with_columns(pl.col(pl.String).str.strip_chars(" \t"))
    if separator == ";":
        decimal_comma = r"^([+-]?\d*),(\d+)$"
        others = [name for name, is_number in are_numbers.items() if not is_number]
        is_text = [not frame[name].str.contains(decimal_comma).any() for name in others]
        decimals = [name for name, text in zip(others, is_text, strict=True) if not text]
        frame = frame.with_columns(pl.col(decimals).str.replace(decimal_comma, "$1.$2"))
    return frame


def drop_blank_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows without those of blank lines, as `records` has them."""
    import polars as pl

    is_blank = [
        pl.col(name).is_null() | (pl.col(name) == "") for name in frame.columns if frame[name].dtype == pl.String
    ]
    is_blank += [pl.col(name).is_null() for name in frame.columns if frame[name].dtype != pl.String]
    return frame.filter(~pl.all_horizontal(is_blank))


def read_slowly(content: bytes, name: str, written: TextFormat, header: list[str], n_skipped: int) -> pl.DataFrame:
    """The rows by Python's reader, for a file that polars refuses. Raises InputError with the line."""
    import polars as pl

    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1 + n_skipped
        raise InputError(f"{name}:{line}: this is not UTF-8; save the file as UTF-8") from None
    rows = list(even_rows(content, name, written, header, n_skipped))
    cells = {column: [row[i].strip(" \t") for row in rows] for i, column in enumerate(header)}
    return pl.DataFrame(cells, schema=dict.fromkeys(header, pl.String))


def even_rows(content: bytes, name: str, written: TextFormat, header: list[str], n_skipped: int) -> Iterator[list[str]]:
    """The rows by Python's reader. Raises InputError for the first that has more or fewer cells than the header."""
    try:
        for line, row in islice(records(content, written), 1, None):
            if len(row) != len(header):
                raise InputError(
                    f"{name}:{line + n_skipped}: {len(row)} fields, expected {len(header)} "
                    f"({first_names(header, MAX_NAMES)}); correct this line"
                )
            yield row
    except csv.Error as error:
        raise InputError(f"{name}: cannot be read as a table ({error}); correct it") from None

"""The columns that a format has, and tables that are read by them: names bound to a header, cells that keep their line.

A `Schema` is bound to the header before a row is parsed, so that a missing column, two columns of one name and a
column that the user calls otherwise are found first. `read_table` reads files, `table_of_frame` takes data frames.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.row_input import find_column, list_columns, to_frame, type_with_article
from rankscope.data.text import first_names, join_names
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BOM, empty_file_error, is_file, open_binary, source_name
from rankscope.io.tables.frames import (
    MAX_NAMES,
    find_uneven_line,
    has_short_lines,
    order_columns,
    polars_errors,
    read_frame,
    records_to_lines,
    refuse_short_lines,
    separator_of,
)
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Codes",
    "Column",
    "Schema",
    "Table",
    "parse_table",
    "read_content",
    "read_table",
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
    """

    name: str
    aliases: tuple[str, ...] = ()
    kind: str = ID
    required: bool = False
    unique: bool = False
    choices: tuple[str, ...] = ()


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
    nan_is_missing
        Whether NaN stands for no value, as in files of metrics.
    skips_nameless
        Whether a column without a name is skipped, as the index of pandas, instead of refused.
    """

    columns: tuple[Column, ...]
    expected: str
    more_numbers: bool = False
    nan_is_missing: bool = False
    skips_nameless: bool = False

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def find(self, header: Sequence[str]) -> dict[str, str]:
        """Our names of the columns in a header, and their own, by their usual names."""
        found = {column.name: find_column(header, (column.name, *column.aliases)) for column in self.columns}
        return {name: own_name for name, own_name in found.items() if own_name is not None}

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
        refuse_bad_header(header, where, may_be_nameless=self.skips_nameless)
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
        bound = dict(names)
        for column in self.columns:
            free = [name for name in header if name not in bound.values()]
            found = bound.get(column.name) or find_column(free, (column.name, *column.aliases))
            if found is not None:
                bound[column.name] = found
            elif column.required:
                raise self.missing_column(column.name, header, where)
        return bound

    def missing_column(self, name: str, header: Sequence[str], where: str) -> InputError:
        """The error for a table without this column."""
        column = self.column(name)
        return InputError(
            f"{where}: no column {name!r} among {list_columns(header)}; rename one of them (also understood: "
            f"{', '.join(column.aliases)}), or say which it is: --columns {name}=NAME (in Python columns=)"
        )


def refuse_bad_header(header: Sequence[str], where: str, *, may_be_nameless: bool) -> None:
    """Raise InputError for a column without a name, and for two of one name.

    may_be_nameless: whether one column, such as the index of pandas, may be without a name.
    """
    seen: dict[str, str] = {}
    for number, name in enumerate(header, 1):
        key = name.strip().lower()
        if not key and not may_be_nameless:
            raise InputError(
                f"{where}: column {number} has no name; name it (pandas leaves the name of its index out: write with "
                "index_label='query', or index=False)"
            )
        if key in seen:
            same = "two columns are called" if seen[key] == name else f"the columns {seen[key]!r} and"
            differ = "" if seen[key] == name else " differ in case or blanks only"
            raise InputError(f"{where}: {same} {name!r}{differ}; rename or remove one of them")
        seen[key] = name


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
    is_text
        Whether all cells were text, so that nothing but their form tells numbers from texts.
    """

    frame: pl.DataFrame
    name: str
    schema: Schema
    columns: Mapping[str, str]
    where: str
    locate: Callable[[int], str]
    nan_is_missing: bool = False
    is_text: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def more_columns(self) -> list[str]:
        """The columns that the schema does not name."""
        bound = set(self.columns.values())
        return [name for name in self.frame.columns if name not in bound]

    def number_columns(self, *, half: bool = True) -> list[str]:
        """Those of `more_columns` that hold numbers: most of their cells that are not empty, or half of them."""
        return [name for name in self.more_columns if is_number_column(self.frame[name], half=half)]

    def holds_numbers(self, own_name: str) -> bool:
        """Whether all cells of a column that are not empty hold numbers, and there is one."""
        values, invalid = to_numbers(self.frame[own_name], self.nan_is_missing)
        return values.null_count() < values.len() and (invalid is None or not invalid.any())

    def require(self, name: str) -> str:
        """The column's own name. Raises InputError if there is none."""
        if name not in self.columns:
            raise self.schema.missing_column(name, self.frame.columns, self.where)
        return self.columns[name]

    def ids(self, name: str) -> pl.Series:
        """The texts of a column. Raises InputError for an empty cell, for another type, and where one stands twice."""
        own_name = self.require(name)
        texts = self.names(own_name)
        column = self.schema.column(name)
        if column.kind == "choice" and not (valid := texts.str.to_lowercase().is_in(list(column.choices))).all():
            row = int((~valid).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {own_name} is {texts[row]!r}, expected one of {', '.join(column.choices)}"
            )
        if column.unique:
            self.refuse_repeated_ids(name, texts)
        return texts

    def names(self, own_name: str, *, required: bool = True) -> pl.Series:
        """The texts of a column by its own name.

        required: whether empty cells raise an error; else they are empty texts. Raises InputError for another type.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype.is_float() or series.dtype == pl.Boolean:
            raise InputError(
                f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected ids: texts or whole numbers "
                "(pandas makes 1.0 of 1 where a cell is empty); convert it"
            )
        if not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
            raise InputError(f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected texts; convert it")
        texts = series.cast(pl.String).fill_null("")
        if required and (empty := texts == "").any():
            raise InputError(
                f"{self.locate(int(empty.arg_true()[0]))}: {own_name} is empty, expected a name; fill it in or drop "
                "the row"
            )
        return texts

    def refuse_repeated_ids(self, name: str, texts: pl.Series) -> None:
        """Raise InputError where an id of this column stands twice."""
        if texts.n_unique() < texts.len():
            row = int((~texts.is_first_distinct()).arg_true()[0])
            first = int((texts == texts[row]).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {self.columns[name]} {texts[row]!r} stands a second time, the first is at "
                f"{self.locate(first)}; keep one of the two"
            )

    def codes(self, name: str) -> tuple[list[str], Codes]:
        """The distinct ids of a column in their order, and the number of each row's id among them."""
        import polars as pl

        texts = self.ids(name)
        distinct = texts.unique(maintain_order=True)
        codes = texts.cast(pl.Enum(distinct)).to_physical().to_numpy()
        return distinct.to_list(), codes

    def numbers(self, own_name: str) -> Floats:
        """The numbers of a column by its own name, NaN where a cell is empty.

        Raises InputError for text, infinity and NaN.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype == pl.Boolean:
            series = series.cast(pl.Float64)
        values, invalid = to_numbers(series, self.nan_is_missing)
        if invalid is not None and invalid.any():
            row = int(invalid.arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {own_name} is {series[row]!r}, expected a finite number; correct it, or leave "
                "the cell empty where there is no value"
            )
        return np.asarray(values.fill_null(float("nan")).to_numpy(), np.float64)


def is_number_column(series: pl.Series, *, half: bool) -> bool:
    """Whether most cells of a column that are not empty hold numbers: the others are then mistakes.

    half: whether half of the cells are enough.
    """
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return True
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    values, invalid = to_numbers(series, True)
    n_invalid = 0 if invalid is None else int(invalid.sum())
    return values.len() - values.null_count() >= max(n_invalid + (not half), 1)


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
    missing = texts.is_null() | texts.str.to_lowercase().is_in(NO_NUMBER)
    if nan_is_missing:
        missing = missing | values.is_nan().fill_null(False)
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


def parse_text(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A table of text: comments and blank lines, the header, a row a line."""
    n_skipped = 0
    while content and (content.startswith(b"#") or not first_line(content).strip()):
        content, n_skipped = content.partition(b"\n")[2], n_skipped + 1
    if not content:
        raise InputError(f"{name}: comments only, expected {schema.expected}")
    format_name, separator = separator_of(first_line(content))
    refuse_short_lines(content, separator, name)
    where = f"{name}:{n_skipped + 1}"
    header = first_record(content, separator, where)
    if len(header) == 1:
        raise InputError(
            f"{where}: one column only ({header[0][:MAX_SHOWN]!r}), expected commas, tabs or semicolons between the "
            f"columns of {schema.expected}"
        )
    bound = schema.bind(header, columns, where)

    def locate(row: int) -> str:
        return f"{name}:{n_skipped + line_of_row(content, separator, row)}"

    frame = text_frame(content, name, schema, bound, header, (format_name, separator), n_skipped)
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
        is_text=True,
    )


def first_line(content: bytes) -> bytes:
    """The first line, without its end."""
    end = content.find(b"\n")
    return content if end < 0 else content[:end]


def first_record(content: bytes, separator: str, where: str) -> list[str]:
    """The names of the columns. Raises InputError where they cannot be read."""
    try:
        return [cell.strip() for cell in next(records(content, separator))[1]]
    except (csv.Error, StopIteration) as error:
        raise InputError(f"{where}: the header cannot be read ({error}); correct it") from None


def records(content: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The records of a table that are not blank, each with its first line."""
    reader = csv.reader(
        io.TextIOWrapper(io.BytesIO(content), "utf-8", errors="replace", newline=""), delimiter=separator
    )
    first_line = 1
    for record in reader:
        if any(map(str.strip, record)):
            yield first_line, record
        first_line = reader.line_num + 1


def line_of_row(content: bytes, separator: str, row: int) -> int:
    """The line of a row, counted from the header, which is line 1."""
    return next(islice(records(content, separator), row + 1, None))[0]


def text_frame(
    content: bytes,
    name: str,
    schema: Schema,
    bound: Mapping[str, str],
    header: list[str],
    text_format: tuple[str, str],
    n_skipped: int,
) -> pl.DataFrame:
    """The rows: ids as text, numbers as numbers where all cells are, else as text.

    Raises InputError that names the first line with too few or too many fields.
    """
    format_name, separator = text_format
    types = column_types(content, schema, bound, header, separator)
    frame: pl.DataFrame | None = None
    for column_type in (types, dict.fromkeys(types, False)):
        try:
            frame = read_text(content, separator, column_type)
            break
        except polars_errors():
            continue
    # A short line has no last cell, and polars reads it as an empty one.
    if frame is None or (frame[:, -1].null_count() and has_short_lines(content.rstrip(b"\r\n") + b"\n", separator)):
        uneven_line = find_uneven_line(content.rstrip(b"\r\n") + b"\n", format_name, n_skipped, skip_blank=True)
        if uneven_line is not None:
            raise InputError(f"{name}:{uneven_line}; correct this line")
    if frame is None:
        frame = read_slowly(content, name, separator, header, n_skipped)
    return frame if not frame[:, -1].null_count() else drop_blank_rows(frame)


def column_types(
    content: bytes, schema: Schema, bound: Mapping[str, str], header: list[str], separator: str
) -> dict[str, bool]:
    """Whether each column is read as numbers: as the schema says, and the others by the first rows."""
    kinds = {bound[column.name]: column.kind == NUMBER for column in schema.columns if column.name in bound}
    if separator == ";":  # numbers may have decimal commas
        return dict.fromkeys(header, False)
    more = [name for name in header if name not in kinds]
    if not (schema.more_numbers and more):
        return {name: kinds.get(name, False) for name in header}
    sample = [record for _, record in islice(records(content, separator), 1, SAMPLE + 1)]
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


def read_text(content: bytes, separator: str, are_numbers: Mapping[str, bool]) -> pl.DataFrame:
    import polars as pl

    frame = pl.read_csv(
        content,
        separator=separator,
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


def read_slowly(content: bytes, name: str, separator: str, header: list[str], n_skipped: int) -> pl.DataFrame:
    """The rows by Python's reader, for a file that polars refuses. Raises InputError with the line."""
    import polars as pl

    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1 + n_skipped
        raise InputError(f"{name}:{line}: this is not UTF-8; save the file as UTF-8") from None
    try:
        lines_and_rows = list(records(content, separator))[1:]
    except csv.Error as error:
        raise InputError(f"{name}: cannot be read as a table ({error}); correct it") from None
    for line, row in lines_and_rows:
        if len(row) != len(header):
            raise InputError(
                f"{name}:{line + n_skipped}: {len(row)} fields, expected {len(header)} "
                f"({first_names(header, MAX_NAMES)}); correct this line"
            )
    rows = [row for _, row in lines_and_rows]
    cells = {column: [row[i].strip(" \t") for row in rows] for i, column in enumerate(header)}
    return pl.DataFrame(cells, schema=dict.fromkeys(header, pl.String))

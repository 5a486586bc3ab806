"""Tables in files, read by a schema that is bound to the header before a row is parsed; cells keep their line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.data.tables import NUMBER, Codes, Column, Schema, Table, bound_table, table_of_frame
from rankscope.data.text import first_names
from rankscope.errors import InputError
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
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Codes",
    "Column",
    "Schema",
    "Table",
    "TextLayout",
    "column_names",
    "json_frame",
    "lines_of_objects",
    "parse_table",
    "read_content",
    "read_table",
    "records",
    "table_of_frame",
    "text_frame",
    "text_layout",
]


#: Rows by which the type of columns is guessed that the schema does not have.
SAMPLE = 20
#: First bytes, which tell the format.
HEAD = 1 << 16
#: Characters of a cell in a message.
MAX_SHOWN = 60

# Reading


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
    frame = json_frame(content, name, -1 if is_list else 0, is_list=is_list)

    def locate(row: int) -> str:
        if is_list:
            return f"{name}: row {row + 1}"
        return f"{name}:{next(islice(lines_of_objects(content), row, None))}"

    where = name if is_list else f"{name}:1"
    return bound_table(order_columns(frame, content), name, schema, columns, where=where, locate=locate)


def json_frame(content: bytes, name: str, lines_before: int, *, is_list: bool = False) -> pl.DataFrame:
    """JSON lines. Raises InputError that names the line, or where they were a list, the row."""
    try:
        return read_frame(content, name, "jsonl")
    except InputError:
        uneven_line = find_uneven_line(content, "jsonl", 0 if is_list else lines_before)
        if uneven_line is None:
            raise
        raise InputError(f"{name}{': row ' if is_list else ':'}{uneven_line}; correct it") from None


def lines_of_objects(content: bytes) -> Iterator[int]:
    """The number of each line of JSON that is not blank, from 1."""
    return (number for number, line in enumerate(io.BytesIO(content), 1) if line.strip())


class TextLayout(NamedTuple):
    """How a table of text is laid out, by its header.

    Attributes
    ----------
    start
        Bytes before the header: comments and blank lines.
    n_before
        Lines before the header.
    size
        Bytes of the header.
    names
        The names of the columns.
    format_name, separator
        As from `separator_of`.
    columns
        As `Table.columns`.
    """

    start: int
    n_before: int
    size: int
    names: list[str]
    format_name: str
    separator: str
    columns: Mapping[str, str]


def text_layout(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> TextLayout | None:
    """The layout of a table that begins with these bytes, bound to a schema; None where they are comments only."""
    layout = read_header(content, name, schema.expected)
    if layout is None:
        return None
    return layout._replace(columns=schema.bind(layout.names, columns, f"{name}:{layout.n_before + 1}"))


def read_header(content: bytes, name: str, expected: str) -> TextLayout | None:
    """As `text_layout`, without columns."""
    start = n_before = 0
    while start < len(content) and (content.startswith(b"#", start) or not first_line(content, start).strip()):
        start, n_before = content.find(b"\n", start) + 1 or len(content), n_before + 1
    if start == len(content):
        return None
    format_name, separator = separator_of(first_line(content, start))
    where = f"{name}:{n_before + 1}"
    size = end_of_record(content, start) - start
    names = header_names(content[start : start + size], separator, where)
    if len(names) == 1:
        raise InputError(
            f"{where}: one column only ({names[0][:MAX_SHOWN]!r}), expected commas, tabs or semicolons between the "
            f"columns of {expected}"
        )
    return TextLayout(start, n_before, size, names, format_name, separator, {})


def end_of_record(content: bytes, start: int) -> int:
    """The position after the first line end outside quotation marks."""
    end = content.find(b"\n", start) + 1
    while end and content.count(b'"', start, end) % 2:
        end = content.find(b"\n", end) + 1
    return end or len(content)


def parse_text(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A table of text: comments and blank lines, the header, a row a line."""
    layout = text_layout(content, name, schema, columns)
    if layout is None:
        raise InputError(f"{name}: comments only, expected {schema.expected}")
    content = content[layout.start :] if layout.start else content

    def locate(row: int) -> str:
        return f"{name}:{layout.n_before + line_of_row(content, layout.separator, row)}"

    frame = text_frame(content, name, schema, layout, layout.n_before)
    if not frame.height:
        raise InputError(f"{name}: a header and no rows, expected {schema.expected}")
    where = f"{name}:{layout.n_before + 1}"
    return Table(frame=frame, name=name, schema=schema, columns=layout.columns, where=where, locate=locate)


def first_line(content: bytes, start: int = 0) -> bytes:
    """The first line, without its end."""
    end = content.find(b"\n", start)
    return content[start : len(content) if end < 0 else end]


def column_names(content: bytes) -> list[str]:
    """The names of the columns of a table; empty where they cannot be read, which its reader reports."""
    if content.startswith(b"PAR1"):
        import polars as pl

        try:
            return list(pl.read_parquet_schema(io.BytesIO(content)))
        except polars_errors():
            return []
    if content[:HEAD].lstrip().startswith((b"{", b"[")):
        return list(first_record(content[:HEAD]))
    try:
        layout = read_header(content, "", "")
    except InputError:
        return []
    return [] if layout is None else layout.names


def header_names(content: bytes, separator: str, where: str) -> list[str]:
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


def text_frame(content: bytes, name: str, schema: Schema, layout: TextLayout, n_skipped: int) -> pl.DataFrame:
    """The rows below a header: ids as text, numbers as numbers where all cells are, else as text.

    n_skipped: lines of the file before the content, for messages.

    Raises InputError that names the first line with too few or too many fields.
    """
    separator, header = layout.separator, layout.names
    refuse_short_lines(content, separator, name)
    types = column_types(content, schema, layout.columns, header, separator)
    ids = {own_name for field, own_name in layout.columns.items() if schema.column(field).kind != NUMBER}
    frame: pl.DataFrame | None = None
    for column_type in (types, dict.fromkeys(types, False)):
        try:
            frame = read_text(content, separator, column_type, ids)
            break
        except polars_errors():
            continue
    # A short line has no last cell, and polars reads it as an empty one.
    if frame is None or (frame[:, -1].null_count() and has_short_lines(content.rstrip(b"\r\n") + b"\n", separator)):
        uneven_line = find_uneven_line(content.rstrip(b"\r\n") + b"\n", layout.format_name, n_skipped, skip_blank=True)
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


def read_text(content: bytes, separator: str, are_numbers: Mapping[str, bool], ids: Collection[str]) -> pl.DataFrame:
    """The rows as polars reads them. ids: columns that hold no numbers, of which decimal commas are not changed."""
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
        others = [name for name, is_number in are_numbers.items() if not is_number and name not in ids]
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

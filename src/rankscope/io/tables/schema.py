"""Tables in files, read by a schema that is bound to the header before a row is parsed; cells keep their line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.data.tables import (
    NUMBER,
    Schema,
    Table,
    bound_table,
    table_of_frame,
)
from rankscope.data.text import first_names, pluralise
from rankscope.errors import InputError
from rankscope.io.core import (
    BOM,
    PARQUET_MAGIC,
    empty_file_error,
    is_file,
    is_path,
    open_binary,
    refuse_foreign,
    remove_marks,
    source_name,
)
from rankscope.io.tables.frames import (
    find_invalid_object,
    first_record,
    has_short_lines,
    order_columns,
    polars_errors,
    read_json_lines,
    read_mixed_lines,
    read_parquet,
    records_to_lines,
    refuse_repeated_keys,
    refuse_short_lines,
    separator_of,
)
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "TextLayout",
    "column_names",
    "even_rows",
    "first_rows",
    "header_location",
    "json_frame",
    "lines_of_objects",
    "object_locator",
    "parse_table",
    "read_content",
    "read_header",
    "read_table",
    "records",
    "text_frame",
    "text_layout",
]


#: Rows by which the type of columns is guessed that the schema does not have.
SAMPLE = 20
#: First bytes, which tell the format.
HEAD = 1 << 16
#: Characters of a cell in a message.
MAX_SHOWN = 60

#: A field in quotes, and the beginning of a field that is not one, in a table with tabs.
QUOTED_FIELD = re.compile(rb'(?:^|(?<=[\t\n]))"(?:[^"]|"")*"(?=[\t\r\n]|$)')
OPEN_QUOTE = re.compile(rb'(?:^|[\t\n])"')


# Reading


def read_table(path: PathLike, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A table from a file: CSV (commas, tabs or semicolons), JSON lines, a JSON list of objects, or Parquet.

    Raises InputError, with file and line, as `Schema.bind` and for what is no table.
    """
    return parse_table(read_content(path), source_name(path), schema, columns)


def table_of_source(source: Any, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A table from a file, as `read_table`, or of a data frame, which messages call by the name."""
    return read_table(source, schema, columns) if is_path(source) else table_of_frame(source, name, schema, columns)


def read_content(path: PathLike) -> bytes:
    """All bytes of a file, unpacked."""
    with open_binary(path) as stream:
        raw = getattr(stream, "raw", None)
        if is_file(path) and isinstance(raw, io.FileIO):  # at once: what was buffered would cost a copy of the rest
            raw.seek(0)
            return raw.readall()
        return stream.read()


def parse_table(
    content: bytes, name: str, schema: Schema, columns: Mapping[str, str], *, header: Sequence[str] = ()
) -> Table:
    """The table in the content of a file; as `read_table`.

    header: the names of the columns of a table with tabs, where the content has no line of them.
    """
    if header:
        return parse_text("\t".join(header).encode() + b"\n" + content, name, schema, columns, lines_before=-1)
    if not content.startswith(PARQUET_MAGIC):
        refuse_foreign(content[:HEAD], name)
        content = remove_marks(content)
    if not content or content.isspace():
        raise empty_file_error(name, schema.expected)
    if content.startswith(PARQUET_MAGIC):
        return table_of_frame(read_parquet(content, name), name, schema, columns)
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
    frame = json_frame(content, name, is_list=is_list)

    where = name if is_list else f"{name}:1"
    locate = object_locator(content, name, is_list=is_list)
    table = bound_table(order_columns(frame, content), name, schema, columns, where=where, locate=locate)
    refuse_repeated_keys(content, frame, table.columns.values(), locate)
    return table


def json_frame(content: bytes, name: str, lines_before: int = 0, *, is_list: bool = False) -> pl.DataFrame:
    """JSON lines. Raises InputError that names the line, or where they were a list, the row."""
    frame = read_json_lines(content, name)
    if frame is not None:
        return frame
    # Blank lines count as those before.
    invalid = find_invalid_object(b"\n" * lines_before + content)
    if invalid is None:
        return read_mixed_lines(content, name)
    raise InputError(f"{name}{': row ' if is_list else ':'}{invalid}; correct it")


def object_locator(content: bytes, name: str, *, is_list: bool) -> Callable[[int], str]:
    """Gives the line of a row of JSON lines; of a list, whose rows are no lines, the row."""
    if is_list:
        return lambda row: f"{name}: row {row + 1}"
    return lambda row: f"{name}:{next(islice(lines_of_objects(content), row, None))}"


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
    quoting
        Whether fields may stand in quotes. With tabs they may if every quote at the start of a field has its other one
        at the end of a field.
    """

    start: int
    n_before: int
    size: int
    names: list[str]
    format_name: str
    separator: str
    columns: Mapping[str, str]
    quoting: bool = True

    def rows(self, lines: io.TextIOBase) -> Any:
        """The `csv.reader`."""
        return csv.reader(
            lines, delimiter=self.separator, quoting=csv.QUOTE_MINIMAL if self.quoting else csv.QUOTE_NONE
        )


def text_layout(content: bytes, name: str, schema: Schema, columns: Mapping[str, str]) -> TextLayout | None:
    """The layout of a table that begins with these bytes, bound to a schema; None where they are comments only."""
    layout = read_header(content, name, schema)
    if layout is None:
        return None
    return layout._replace(columns=schema.bind(layout.names, columns, f"{name}:{layout.n_before + 1}"))


def read_header(content: bytes, name: str, schema: Schema | None) -> TextLayout | None:
    """As `text_layout`, without columns. Without a schema, one column is enough."""
    start, n_before = skip_comments(content)
    if start == len(content):
        return None
    format_name, separator = separator_of(first_line(content, start))
    where = f"{name}:{n_before + 1}"
    size = end_of_record(content, start) - start
    header = content[start : start + size]
    layout = TextLayout(start, n_before, size, [], format_name, separator, {}, has_quotes(header, format_name))
    names = header_names(header, layout, where)
    if schema is not None and len(names) == 1:
        raise InputError(
            f"{where}: one column only ({names[0][:MAX_SHOWN]!r}), expected commas, tabs or semicolons between the "
            f"columns of {schema.expected}"
        )
    if schema is not None and schema.has_first and names[0].lower() in map(str.lower, names[1:]):
        names[0] = ""  # whatever it is called
    return layout._replace(names=names)


def has_quotes(content: bytes, format_name: str) -> bool:
    """Whether fields may stand in quotes."""
    return format_name != "tsv" or b'"' not in content or not OPEN_QUOTE.search(QUOTED_FIELD.sub(b"", content))


def skip_comments(content: bytes) -> tuple[int, int]:
    """Where the header begins, below comments and blank lines, and how many lines these are."""
    start = n_before = 0
    while start < len(content) and (is_comment(content, start) or not first_line(content, start).strip()):
        start, n_before = content.find(b"\n", start) + 1 or len(content), n_before + 1
    return start, n_before


def is_comment(content: bytes, start: int) -> bool:
    """Whether this line is a comment: it begins with # and is not the header of a table of numbers."""
    if not content.startswith(b"#", start):
        return False
    header = first_line(content, start)
    _, separator = separator_of(header)
    lines = io.BytesIO(content[start : start + HEAD])
    below = next((line for line in islice(lines, 1, SAMPLE) if line.strip()), b"")
    names, cells = (line.decode("utf-8", "replace").split(separator) for line in (header, below))
    return not (1 < len(names) == len(cells) and all(is_finite(cell) for cell in cells[1:]))


def header_location(content: bytes, name: str) -> str:
    """File and line of the header of the table whose first bytes these are; the file alone where it has no line."""
    content = content.removeprefix(BOM)
    start = content[:HEAD].lstrip()
    if start.startswith((PARQUET_MAGIC, b"[")):
        return name
    return f"{name}:{1 if start.startswith(b'{') else skip_comments(content)[1] + 1}"


def end_of_record(content: bytes, start: int) -> int:
    """The position after the first line end outside quotation marks."""
    end = content.find(b"\n", start) + 1
    while end and content.count(b'"', start, end) % 2:
        end = content.find(b"\n", end) + 1
    return end or len(content)


def parse_text(
    content: bytes, name: str, schema: Schema, columns: Mapping[str, str], *, lines_before: int = 0
) -> Table:
    """A table of text: comments and blank lines, the header, a row a line. lines_before: of the file, for messages."""
    layout = text_layout(content, name, schema, columns)
    if layout is None:
        raise InputError(f"{name}: comments only, expected {schema.expected}")
    content = content[layout.start :] if layout.start else content
    quoting = has_quotes(content, layout.format_name)
    layout = layout._replace(quoting=quoting, n_before=layout.n_before + lines_before)

    def locate(row: int) -> str:
        try:
            return f"{name}:{layout.n_before + line_of_row(content, layout, row)}"
        except csv.Error:  # a field of more than 100,000 characters
            return f"{name}: row {row + 1}"

    frame = text_frame(content, name, schema, layout, layout.n_before)
    if not frame.height:
        raise InputError(f"{name}: a header and no rows, expected {schema.expected}")
    return Table(
        frame=frame,
        name=name,
        schema=schema,
        columns=layout.columns,
        where=f"{name}:{max(layout.n_before + 1, 1)}",
        locate=locate,
        nan_is_missing=schema.nan_is_missing,
        is_text=True,
    )


def first_line(content: bytes, start: int = 0) -> bytes:
    """The first line, without its end."""
    end = content.find(b"\n", start)
    return content[start : len(content) if end < 0 else end]


def column_names(content: bytes) -> list[str]:
    """The names of the columns of a table, by its first bytes (Parquet: all), as far as they tell.

    Empty for JSON that does not hold objects in lines or in a list, and for what is no table: its reader reports that.
    """
    content = content.removeprefix(BOM)
    if content.startswith(PARQUET_MAGIC):
        import polars as pl

        try:
            return list(pl.read_parquet_schema(io.BytesIO(content)))
        except polars_errors():
            return []
    if content[:HEAD].lstrip().startswith((b"{", b"[")):
        return list(first_record(content[:HEAD]) or first_record(content))
    try:
        layout = read_header(content, "", None)
    except InputError:
        return []
    return [] if layout is None else layout.names


def first_rows(content: bytes) -> Iterator[dict[str, str]]:
    """The rows of a table of text, of which these are the first bytes. Raises InputError."""
    layout = read_header(content, "", None)
    if layout is None:
        return
    try:
        for _, cells in islice(records(content[layout.start :], layout), 1, None):
            yield dict(zip(layout.names, cells, strict=False))
    except csv.Error as error:
        raise InputError(f"cannot be read as a table ({error})") from None


def header_names(content: bytes, layout: TextLayout, where: str) -> list[str]:
    """The names of the columns. Raises InputError where they cannot be read."""
    try:
        return [cell.strip() for cell in next(records(content, layout))[1]]
    except (csv.Error, StopIteration) as error:
        raise InputError(f"{where}: the header cannot be read ({error}); correct it") from None


def records(content: bytes, layout: TextLayout) -> Iterator[tuple[int, list[str]]]:
    """The records of a table that are not blank, each with its first line."""
    reader = layout.rows(io.TextIOWrapper(io.BytesIO(content), "utf-8", errors="replace", newline=""))
    first_line = 1
    for record in reader:
        if any(cell.strip(" \t") for cell in record):
            yield first_line, record
        first_line = reader.line_num + 1


def line_of_row(content: bytes, layout: TextLayout, row: int) -> int:
    """The line of a row, counted from the header, which is line 1."""
    return next(islice(records(content, layout), row + 1, None))[0]


def text_frame(content: bytes, name: str, schema: Schema, layout: TextLayout, n_skipped: int) -> pl.DataFrame:
    """The rows below a header: ids as text, numbers as numbers where all cells are, else as text.

    n_skipped: lines of the file before the content, for messages.

    Raises InputError that names the first line with too few or too many fields.
    """
    import polars as pl

    refuse_short_lines(content, layout.separator, name)
    types = column_types(content, schema, layout)
    ids = {own_name for field, own_name in layout.columns.items() if schema.column(field).kind != NUMBER}
    frame: pl.DataFrame | None = None
    for column_type in (types, dict.fromkeys(types, False)):
        try:
            frame = read_text(content, layout, column_type, ids)
            break
        except polars_errors():
            continue
    if frame is None:
        frame = read_slowly(content, name, layout, n_skipped)
    # A short line has no last cell, and polars reads it as an empty one.
    elif frame[:, -1].null_count() and has_short_lines(content.rstrip(b"\r\n") + b"\n", layout.separator):
        for _ in even_rows(content, name, layout, n_skipped):
            pass
    last = frame[:, -1]
    may_be_blank = last.null_count() or (last.dtype == pl.String and (last == "").any())
    return drop_blank_rows(frame) if may_be_blank else frame


def column_types(content: bytes, schema: Schema, layout: TextLayout) -> dict[str, bool]:
    """Whether each column is read as numbers: as the schema says, and the others by the first rows."""
    bound, header = layout.columns, layout.names
    kinds = {bound[column.name]: column.kind == NUMBER for column in schema.columns if column.name in bound}
    if layout.separator == ";":  # numbers may have decimal commas
        return dict.fromkeys(header, False)
    more = [name for name in header if name not in kinds]
    if schema.all_numbers or not (schema.more_numbers and more):
        return {name: kinds.get(name, schema.all_numbers) for name in header}
    try:
        sample = [record for _, record in islice(records(content, layout), 1, SAMPLE + 1)]
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


def read_text(
    content: bytes, layout: TextLayout, are_numbers: Mapping[str, bool], ids: Collection[str]
) -> pl.DataFrame:
    """The rows as polars reads them. ids: columns that hold no numbers, of which decimal commas are not changed."""
    import polars as pl

    separator = layout.separator
    frame = pl.read_csv(
        content,
        separator=separator,
        quote_char='"' if layout.quoting else None,
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


def read_slowly(content: bytes, name: str, layout: TextLayout, n_skipped: int) -> pl.DataFrame:
    """The rows by Python's reader, for a file that polars refuses. Raises InputError with the line."""
    import polars as pl

    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1 + n_skipped
        raise InputError(f"{name}:{line}: this is not UTF-8; save the file as UTF-8") from None
    rows = list(even_rows(content, name, layout, n_skipped))
    cells = {column: [row[i].strip(" \t") for row in rows] for i, column in enumerate(layout.names)}
    return pl.DataFrame(cells, schema=dict.fromkeys(layout.names, pl.String))


def even_rows(
    content: bytes, name: str, layout: TextLayout, n_skipped: int, *, may_be_short: bool = False
) -> Iterator[list[str]]:
    """The rows by Python's reader. Raises InputError for the first that has more or fewer cells than the header.

    may_be_short: whether fewer are allowed.
    """
    header = layout.names
    try:
        for line, row in islice(records(content, layout), 1, None):
            if len(row) > len(header) or (len(row) < len(header) and not may_be_short):
                raise InputError(
                    f"{name}:{line + n_skipped}: {pluralise(len(row), 'field')}, expected {len(header)} "
                    f"({first_names(header, 8)}); correct this line"
                )
            yield row
    except csv.Error as error:
        raise InputError(f"{name}: cannot be read as a table ({error}); correct it") from None

"""The formats csv, tsv, jsonl and parquet: tables with named columns, read and written by polars."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.dicts import all_whole
from rankscope.data.frames import COLUMN_NAMES, one_of, rows_of_frame, shown_columns
from rankscope.data.rows import Rows, name_of, names_of
from rankscope.data.sparse import refuse_sparse
from rankscope.data.stretches import Stretches
from rankscope.errors import InputError
from rankscope.io.blocks import BOM
from rankscope.io.formats import VALUES, File, Format, Head, Progress, Wanted, kind_of
from rankscope.io.json_dicts import json_shape
from rankscope.io.packed import refuse_bomb
from rankscope.io.render import ADVICE, pieces, refuse_not_utf8
from rankscope.kernels.text import as_fields, decode

if TYPE_CHECKING:
    import polars as pl

    from rankscope.io.read import Source

__all__ = ["CSV", "JSONL", "PARQUET", "SEPARATORS", "TSV", "read_frame", "uneven_line", "uneven_lines_first"]

SEPARATORS = {"csv": ",", "tsv": "\t"}
MAGIC = b"PAR1"
#: The line of the first row; 0 where rows are no lines.
FIRST_ROW = {"csv": 2, "tsv": 2, "jsonl": 1, "parquet": 0}
#: What to do with Parquet that holds too much for its size: it cannot be unpacked by itself.
AS_TEXT = "save it as CSV"
#: So many names of columns are listed.
MOST_SHOWN = 8
#: The columns of the scores that `--save` writes.
SAVED = {"system", "measure", "query", "value"}


# Telling


def names_columns(form: str) -> Callable[[Head], bool]:
    """What tells a line of names with this separator: one names queries, one documents."""

    def tells(head: Head) -> bool:
        if head.line.startswith(b"{"):  # an object a line, whatever its texts hold
            return False
        names = {part.strip(b" \"'").lower() for part in head.line.split(SEPARATORS[form].encode())}
        wanted = (COLUMN_NAMES["query_id"], COLUMN_NAMES["doc_id"])
        return all(any(option.encode() in names for option in options) for options in wanted)

    return tells


# Reading


def read_as(form: str) -> Callable[[Source, Wanted], File]:
    def read(source: Source, wanted: Wanted) -> File:
        content, name = source.rest().removeprefix(BOM), source.name
        if wanted.complete:
            return read_complete(content, name, form, wanted)
        return File(*read_table(content, name, form, VALUES[wanted.kind or "run"]))

    return read


def read_complete(content: bytes, name: str, form: str, wanted: Wanted) -> File:
    """Judgments or a run, whichever the columns say, and a note on the columns that neither has."""
    columns = column_names(content, form)
    kind = wanted.kind or kind_of_columns(columns, name, wanted)
    rows, apart = read_table(content, name, form, VALUES[kind])
    if wanted.kind is None and kind == "run" and all_whole(rows.values):  # so are judgments of BEIR and of ranx
        kind = wanted.either(name, "whole numbers in the column of scores, which may be judgments")
        if kind == "qrels":
            rows, apart = read_table(content, name, form, VALUES[kind])
    fields = ["query_id", "doc_id", VALUES[kind], *(["subtopic"] if kind == "qrels" else [])]
    used = {one_of(columns, COLUMN_NAMES[field]) for field in fields}
    left = [column for column in columns if column not in used]
    notes: tuple[str, ...] = ()
    if left:
        many = "the column" if len(left) == 1 else "the columns"
        notes = (f"{name}: {many} {', '.join(map(repr, left))} left out: formats of rankings have none such",)
    return File(rows, apart, None, notes)


def column_names(content: bytes, form: str) -> list[str]:
    """Empty where they cannot be read, which the reader will say."""
    if form == "parquet":
        import polars as pl

        try:
            return list(pl.read_parquet_schema(io.BytesIO(content)))
        except polars_errors():
            return []
    lines = io.BytesIO(content)
    line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"").decode("utf-8", "replace")
    try:
        if form == "jsonl":
            return list(json.loads(line))
        return next(csv.reader([line], delimiter=SEPARATORS[form]))
    except (ValueError, TypeError, RecursionError, StopIteration, csv.Error):
        return []


def kind_of_columns(columns: list[str], name: str, wanted: Wanted) -> str:
    """By the column that holds the number: relevance or score."""
    there = {column.strip().lower() for column in columns}
    scores = there & set(COLUMN_NAMES["score"])
    grades = there & (set(COLUMN_NAMES["relevance"]) - set(COLUMN_NAMES["score"]))
    if scores and grades:
        return wanted.either(name, f"the columns {shown_columns(columns)} may be those of judgments or of a run")
    if columns and not scores and not grades:
        refuse_saved(columns, name)
        raise InputError(
            f"{name}: no column 'relevance' (judgments) or 'score' (a run) among {shown_columns(columns)}; "
            "rename one of them"
        )
    return "qrels" if grades else "run"


def refuse_saved(columns: list[str], name: str) -> None:
    """Raise for a table of scores, which is no run."""
    if set(columns) >= SAVED:
        raise InputError(
            f"{name}: these are saved scores, expected judgments or a run; compare with them by --against (in Python "
            "read_scores)"
        )


def read_table(content: bytes, name: str, format_: str, value: str) -> tuple[Rows, int]:
    """Rows of a table, and how many queries had their rows apart. Raises InputError with the line."""
    content, skipped = below_comments(content, format_)
    if not content:
        raise no_header(name)
    with uneven_lines_first(content, name, format_, skipped):
        frame = named_frame(content, name, format_, value)
        return rows_of_frame(frame, value, name, FIRST_ROW[format_] + skipped)


@contextmanager
def uneven_lines_first(content: bytes, name: str, format_: str, before: int) -> Iterator[None]:
    """Where this raises InputError, raise what tells more if a line is not as the others. before: as of uneven_line."""
    try:
        yield
    except InputError:
        where = uneven_line(content, format_, before)
        if where is None:
            raise
        raise InputError(f"{name}:{where}; correct this line") from None


def below_comments(content: bytes, format_: str) -> tuple[bytes, int]:
    """A table from its header on, and how many lines of comments and blank ones there were before it."""
    skipped = 0
    while format_ in SEPARATORS and content and (content.startswith(b"#") or content[:2].strip() == b""):
        _, _, content = content.partition(b"\n")
        skipped += 1
    return content, skipped


def no_header(name: str) -> InputError:
    return InputError(f"{name}: no header and no rows, expected a line of column names and one a row below it")


def named_frame(content: bytes, name: str, format_: str, value: str) -> pl.DataFrame:
    """A table that may be judgments or a run. Raises InputError for what tells by its columns that it is none."""
    frame = read_frame(content, name, format_)
    refuse_saved(frame.columns, name)
    if format_ == "jsonl" and one_of(frame.columns, COLUMN_NAMES["query_id"]) is None:
        raise InputError(
            f"{name}: objects without query_id, expected an object a line with query_id, doc_id, {value}, or one "
            f"object {{query: {{document: {value}}}}}; convert it"
        )
    return frame


def read_frame(content: bytes, name: str, format_: str) -> pl.DataFrame:
    import polars as pl

    try:
        if format_ == "parquet":
            refuse_rows(pl.scan_parquet(io.BytesIO(content)), len(content), name)
            return refuse_texts(pl.read_parquet(io.BytesIO(content)), len(content), name)
        if format_ == "jsonl":
            return pl.read_ndjson(io.BytesIO(content), schema=schema_of_lines(content, name))
        separator = SEPARATORS[format_]
        refuse_short_lines(content, separator, name)
        # All columns as text: an id "007" stays what it is. Blanks around a field are not part of it.
        frame = pl.read_csv(io.BytesIO(content), separator=separator, infer_schema=False)
        return frame.with_columns(pl.all().str.strip_chars(" \t"))
    except polars_errors() as error:
        if isinstance(error, InputError):
            raise
        raise unreadable(name, format_, error) from None


def polars_errors() -> tuple[type[BaseException], ...]:
    """What polars raises for files of any content. Its panics are no exceptions of Python's usual kind."""
    import polars as pl

    return (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RuntimeError, MemoryError)


def refuse_rows(table: pl.LazyFrame, size: int, name: str) -> int:
    """How many rows a Parquet file of so many bytes says it has. Raises InputError for more than it can hold."""
    import polars as pl

    rows = int(table.select(pl.len()).collect().item())
    refuse_bomb(8 * rows * len(table.collect_schema()), size, name, AS_TEXT)
    return rows


def refuse_texts(frame: pl.DataFrame, size: int, name: str) -> pl.DataFrame:
    """The frame of a Parquet file of so many bytes. Raises InputError where a long text stands for many rows."""
    import polars as pl

    lengths = frame.select(pl.col(pl.String).str.len_bytes().cast(pl.Int64).sum())
    refuse_bomb(sum(lengths.row(0)) if lengths.width else 0, size, name, AS_TEXT)
    return frame


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
    refuse_sparse((lines, columns), separators + lines, name, "lines and columns")


def unreadable(name: str, format_: str, error: BaseException) -> InputError:
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(f"{name}: cannot be read as {format_} ({first}); check the file or name its format")


def uneven_line(content: bytes, format_: str, before: int) -> str | None:
    """The first line that is not as the others, as "17: 3 fields, expected 4 (...)". before: lines left out before."""
    if format_ == "jsonl":
        for number, line in enumerate(content.splitlines(), 1):
            try:
                good = not line.strip() or isinstance(json.loads(line, parse_constant=finite, parse_float=finite), dict)
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
        shown = ", ".join(header[:MOST_SHOWN]) + (", ..." if len(header) > MOST_SHOWN else "")
        for row in reader:
            if len(row) != len(header):
                return f"{reader.line_num + before}: {len(row)} fields, expected {len(header)} ({shown})"
    except (csv.Error, StopIteration):
        pass
    return None


def finite(text: str) -> float:
    """A number as JSON has it. Raises OverflowError for what is none, or too large."""
    value = float(text)
    if not math.isfinite(value):
        raise OverflowError(text)
    return value


# Writing


def frames(rows: Rows) -> Iterator[pl.DataFrame]:
    import polars as pl

    queries = pl.Series(names_of(rows.query_ids), dtype=pl.String)
    for piece in pieces(rows):
        columns = {"query_id": queries.gather(piece.queries)}
        if piece.subtopics is not None:
            columns["subtopic"] = pl.Series(names_of(piece.subtopics), dtype=pl.String)
        columns["doc_id"] = pl.Series(names_of(piece.docs), dtype=pl.String)
        columns[VALUES[kind_of(rows)]] = pl.Series(piece.values)
        yield pl.DataFrame(columns)


def write_as(form: str) -> Callable[[Rows, str], Iterator[bytes]]:
    def write(rows: Rows, name: str) -> Iterator[bytes]:
        del name
        for i, frame in enumerate(frames(rows)):
            yield frame.write_csv(include_header=not i, separator=SEPARATORS[form]).encode()

    return write


def write_jsonl(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    return (frame.write_ndjson().encode() for frame in frames(rows))


def write_parquet(rows: Rows, name: str) -> Iterator[bytes]:
    import polars as pl

    del name
    file = io.BytesIO()
    pl.concat(frames(rows)).write_parquet(file)
    yield file.getvalue()


def refuse_edges(rows: Rows, name: str, shown: str) -> None:
    """Raise for an id with a blank at an end: readers of tables take blanks around a field away."""
    refuse_not_utf8(rows, name, shown)
    columns = {"query": as_fields(rows.query_ids), "document": rows.docs, "subtopic": rows.subtopics}
    for what, fields in columns.items():
        if fields is None:
            continue
        edges = fields.buffer[[fields.starts, fields.starts + fields.lengths - 1]]
        bad = np.flatnonzero(((edges == ord(" ")) | (edges == ord("\t"))).any(axis=0))
        if bad.size:
            id_ = name_of(decode(fields.take(bad[:1]))[0])
            raise InputError(
                f"{shown}: the {what} id {id_!r} begins or ends with a blank, which csv and tsv do not keep; {ADVICE}"
            )


def stretches_as(form: str) -> Callable[[Source, Progress | None], Iterator[Stretches]]:
    def stretches(source: Source, progress: Progress | None) -> Iterator[Stretches]:
        from rankscope.io import table_stretches  # only large files need it

        if form == "parquet":
            return table_stretches.slices(source, progress)
        return table_stretches.blocks(source, form, progress)

    return stretches


def text_table(form: str) -> Format:
    return Format(
        sniff=names_columns(form),
        read=read_as(form),
        write=write_as(form),
        refuse=refuse_edges,
        stretches=stretches_as(form),
        small=16 << 20,
    )


CSV, TSV = text_table("csv"), text_table("tsv")
JSONL = Format(
    sniff=lambda head: json_shape(head) == "jsonl",
    read=read_as("jsonl"),
    write=write_jsonl,
    refuse=refuse_not_utf8,
    stretches=stretches_as("jsonl"),
    small=16 << 20,
)
PARQUET = Format(
    sniff=lambda head: head.start.startswith(MAGIC),
    read=read_as("parquet"),
    write=write_parquet,
    refuse=refuse_not_utf8,
    stretches=stretches_as("parquet"),
    small=2 << 20,
    row_called="{}: row {}",
)

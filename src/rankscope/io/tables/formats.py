"""The formats csv, tsv, jsonl and parquet of judgments and runs: read at once or batch by batch, and written.

Each block is parsed by the reader of whole files, with the header of the first block, so that rows are read in the
same way. Columns are those of the first block; columns that a later block lacks are empty, as in the whole file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from os import fspath
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.row_input import all_integers
from rankscope.data.row_tables import (
    DOC_ID,
    LISTS,
    SCHEMAS,
    SPAN_ADVICE,
    batch_from_table,
    has_span_columns,
    query_of_lists,
    rows_from_table,
)
from rankscope.data.rows import RowBatch, Rows, decode_id, decode_ids
from rankscope.data.tables import Table, bound_table, find_column, list_columns, list_fields
from rankscope.errors import InputError
from rankscope.io.core import (
    BOM,
    FORMAT_ADVICE,
    MAX_LINE_BYTES,
    PARQUET_MAGIC,
    VALUES,
    FileContent,
    FileHead,
    FileStamp,
    Format,
    Progress,
    ReadRequest,
    empty_file_error,
    file_stamp,
    is_file,
    is_url,
    refuse_changed,
    refuse_not_utf8,
    remove_marks,
    row_pieces,
    temporary_folder_errors,
    to_parquet,
)
from rankscope.io.json_dicts import json_shape
from rankscope.io.tables.frames import (
    SEPARATORS,
    checked_row_count,
    order_columns,
    polars_errors,
    refuse_long_texts,
    refuse_repeated_keys,
    report_polars_errors,
    separator_of,
)
from rankscope.io.tables.parquet_pages import refuse_false_pages
from rankscope.io.tables.schema import (
    TextLayout,
    column_names,
    json_frame,
    lines_of_objects,
    object_locator,
    parse_table,
    records,
    text_frame,
    text_layout,
)
from rankscope.kernels.text import as_fields, decode
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

    from rankscope.io.core import Source

__all__ = [
    "CSV",
    "JSONL",
    "PARQUET",
    "TSV",
    "ParquetRows",
    "parquet_batches",
    "text_batches",
]


#: How messages name a line.
LINE = "{}:{}"
#: The columns of the scores that `--save` writes.
SAVED = {"system", "measure", "query", "value"}


# Detecting


def header_sniffer(format_name: str) -> Callable[[FileHead], bool]:
    """The sniffer of tables with this separator: the header has a column of queries and one of documents."""

    def is_header(head: FileHead) -> bool:
        is_tsv = separator_of(head.line)[0] == "tsv"
        if head.line.startswith((b"{", b"[")) or is_tsv != (format_name == "tsv"):  # JSON, whatever its texts hold
            return False
        return {"query_id", "doc_id"} <= SCHEMAS["score"].match(column_names(head.line), head.columns).keys()

    return is_header


# Reading


def read(source: Source, request: ReadRequest) -> FileContent:
    """Judgments or a run; if all that the file holds is wanted, as the columns tell, with a note on other columns."""
    content, name = source.read_bytes(), source.name
    if not content.startswith(PARQUET_MAGIC):
        content = remove_marks(content)
    if not request.keep_all:
        return FileContent(*read_rows(content, source, VALUES[request.kind or "run"])[1])
    kind = request.kind or kind_of_columns(column_names(content), source, request)
    table, (rows, n_ungrouped) = read_rows(content, source, VALUES[kind])
    if request.kind is None and kind == "run" and all_integers(rows.values):  # as judgments of BEIR and ranx
        kind = request.resolved_kind(name, "whole numbers in the column of scores, which may be judgments")
        if kind == "qrels":
            table, (rows, n_ungrouped) = read_rows(content, source, VALUES[kind])
    more = table.more_columns
    listed = f"the column{'s'[: len(more) - 1]} {', '.join(map(repr, more))}"
    notes = (f"{name}: {listed} dropped: rankings have no such columns",) if more else ()
    return FileContent(rows, n_ungrouped, None, notes)


def kind_of_columns(columns: list[str], source: Source, request: ReadRequest) -> str:
    """The kind by the column of numbers: relevance or score."""
    name, renamed = source.name, source.columns
    runs = {field for schema_name in ("score", "rank") for field in SCHEMAS["score"].column(schema_name).names}
    relevance_names = set(SCHEMAS["relevance"].column("relevance").names) - runs
    present = {column.strip().lower() for column in columns if column not in renamed.values()}
    is_run = bool(present & runs) or bool(renamed.keys() & {"score", "rank"})
    is_judgments = bool(present & relevance_names) or "relevance" in renamed
    if is_run and is_judgments:
        return request.resolved_kind(name, f"the columns {list_columns(columns)} may be those of judgments or of a run")
    if columns and not is_run and not is_judgments:
        refuse_saved_scores(columns, name)
        raise InputError(
            f"{name}: no column 'relevance' (judgments) or 'score' (a run) among {list_columns(columns)}; "
            "rename one of them, or say which it is: --columns relevance=NAME or score=NAME, and of lists of ids "
            "relevant_ids=NAME or retrieved_ids=NAME"
        )
    return "qrels" if is_judgments else "run"


def refuse_saved_scores(columns: Sequence[str], name: str) -> None:
    """Raise for a table of saved scores, which is not a run."""
    if set(columns) >= SAVED:
        raise InputError(
            f"{name}: these are saved scores, expected judgments or a run; compare with them by --against (in Python "
            "read_scores)"
        )


def read_rows(content: bytes, source: Source, value: str) -> tuple[Table, tuple[Rows, int]]:
    """A table, its rows, and how many queries had rows that were not together. Raises InputError with the line."""
    if content.startswith(PARQUET_MAGIC):
        refuse_false_pages(content, source.name)
    refuse_other_tables(column_names(content), source, value)
    table = parse_table(content, source.name, SCHEMAS[value], source.columns)
    return table, rows_from_table(table, value)


def refuse_other_tables(columns: Sequence[str], source: Source, value: str) -> None:
    """Raise InputError for a table whose columns show that it is neither judgments nor a run."""
    refuse_saved_scores(columns, source.name)
    if has_span_columns(columns) and find_column(list(columns), DOC_ID.names) is None and not source.columns:
        raise InputError(f"{source.name}: no column 'doc_id' among {list_columns(columns)}; {SPAN_ADVICE}")
    if source.format == "jsonl" and columns and query_of_lists(columns) is None and "query_id" not in source.columns:
        texts = "these look like texts, to which judgments and runs refer" if "_id" in columns else "convert it"
        raise InputError(
            f"{source.name}: objects without query_id, expected one object per line with query_id, doc_id, {value}, or "
            f"one object {{query: {{document: {value}}}}}; {texts}"
        )


# Writing


def frames_of_rows(rows: Rows) -> Iterator[pl.DataFrame]:
    import polars as pl

    queries = pl.Series(decode_ids(rows.query_ids), dtype=pl.String)
    for piece in row_pieces(rows):
        columns = {"query_id": queries.gather(piece.queries)}
        if piece.subtopics is not None:
            columns["subtopic"] = pl.Series(decode_ids(piece.subtopics), dtype=pl.String)
        columns["doc_id"] = pl.Series(decode_ids(piece.docs), dtype=pl.String)
        columns[VALUES[rows.kind]] = pl.Series(piece.values)
        yield pl.DataFrame(columns)


def writer_of(format_name: str) -> Callable[[Rows, str], Iterator[bytes]]:
    def write(rows: Rows, name: str) -> Iterator[bytes]:
        del name
        for i, frame in enumerate(frames_of_rows(rows)):
            yield frame.write_csv(include_header=not i, separator=SEPARATORS[format_name]).encode()

    return write


def write_jsonl(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    return (frame.write_ndjson().encode() for frame in frames_of_rows(rows))


def write_parquet(rows: Rows, name: str) -> Iterator[bytes]:
    import polars as pl

    del name
    yield to_parquet(pl.concat(frames_of_rows(rows)))


def refuse_edges(rows: Rows, run_name: str, input_name: str) -> None:
    """Raise for an id with a blank at either end, or a query with a byte order mark: readers of tables strip them."""
    refuse_not_utf8(rows, run_name, input_name)
    for query in rows.query_ids:
        if query.startswith(BOM):
            raise InputError(
                f"{input_name}: the query id {decode_id(query)!r} begins with a byte order mark, which csv and tsv do "
                f"not keep; {FORMAT_ADVICE}"
            )
    columns = {"query": as_fields(rows.query_ids), "document": rows.docs, "subtopic": rows.subtopics}
    for id_kind, fields in columns.items():
        if fields is None:
            continue
        edges = fields.buffer[[fields.starts, fields.starts + fields.lengths - 1]]
        invalid = np.flatnonzero(((edges == ord(" ")) | (edges == ord("\t"))).any(axis=0))
        if invalid.size:
            id_ = decode_id(decode(fields.take(invalid[:1]))[0])
            raise InputError(
                f"{input_name}: the {id_kind} id {id_!r} begins or ends with a blank, which csv and tsv do not keep; "
                f"{FORMAT_ADVICE}"
            )


#: Bytes of a block.
BLOCK = 1 << 20
#: Rows of Parquet that are read at a time.
SLICE = 1 << 16


def text_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
    """A run in CSV, TSV or JSONL, batch by batch. Raises InputError that names the line, as for whole files."""
    name, schema = source.name, SCHEMAS["score"]
    is_json = source.format == "jsonl"
    header, layout, columns = b"", None, None
    n_lines, n_rows, has_text = 0, 0, False  # lines and rows before this block
    for block in line_blocks(source, not is_json, progress):
        content, lines_before = remove_marks(block), n_lines
        n_lines += block.count(b"\n")
        has_text = has_text or not block.isspace()
        if columns is None:
            refuse_other_tables(column_names(content), source, "score")
            if not is_json and content.strip():
                layout = text_layout(content, name, schema, source.columns)
                if layout is None:
                    continue
                columns, header = layout.columns, content[layout.start : layout.start + layout.size]
                content, lines_before = content[layout.start :], lines_before + layout.n_before
        else:
            content, lines_before = header + content, lines_before - header.count(b"\n")
        if not content.strip():
            continue
        if layout is not None:
            frame = text_frame(content, name, schema, layout, lines_before)
        else:
            frame = json_frame(content, name, lines_before)
            columns = columns or bound_table(order_columns(frame, content), name, schema, source.columns).columns
            refuse_repeated_keys(content, frame, columns.values(), locator_of_block(content, name, lines_before))
        n_rows += frame.height
        if frame.height:
            yield batch_of_table(frame, name, columns or {}, lines_of_rows(content, frame.height, layout, lines_before))
    if not has_text:
        raise empty_file_error(name)
    if not n_rows:
        rows = "comments only" if columns is None else "a header and no rows"
        raise InputError(f"{name}: {rows}, expected {schema.expected}")


def locator_of_block(content: bytes, name: str, lines_before: int) -> Callable[[int], str]:
    """Gives file and line of a row of JSON lines in a block."""
    return lambda row: object_locator(b"\n" * lines_before + content, name, is_list=False)(row)


def lines_of_rows(content: bytes, n_rows: int, layout: TextLayout | None, lines_before: int) -> Ints:
    """The line of each row of a block. layout: None for JSON lines."""
    n_lines = content.count(b"\n") + (not content.endswith(b"\n"))
    n_header = 0 if layout is None else 1
    if n_lines == n_rows + n_header:  # no blank lines, and no line ends in fields
        return np.arange(n_rows) + lines_before + n_header + 1
    numbers = lines_of_objects(content) if layout is None else (line for line, _ in records(content, layout))
    return np.fromiter(numbers, np.int64)[n_header:] + lines_before


def batch_of_table(
    frame: pl.DataFrame, name: str, columns: Mapping[str, str], numbers: Ints, row_template: str = LINE
) -> RowBatch:
    """A block of a run. numbers: of its rows, for messages."""
    import polars as pl

    missing_columns = [pl.lit(None).alias(own_name) for own_name in columns.values() if own_name not in frame.columns]
    table = Table(
        frame=frame.with_columns(missing_columns),
        name=name,
        schema=SCHEMAS["score"],
        columns=columns,
        where=name,
        locate=lambda row: row_template.format(name, numbers[row]),
    )
    return batch_from_table(table, numbers)


def line_blocks(source: Source, quoted: bool, progress: Progress | None) -> Iterator[bytes]:
    """Complete lines in blocks of about `BLOCK` bytes. quoted: whether to ignore line ends inside quotation marks."""
    remainder = b""
    line_number = 1
    buffer = bytearray(BLOCK)
    while n_bytes := fill_buffer(source, buffer):
        if progress is not None:
            progress(n_bytes)
        text = remainder + buffer[:n_bytes]
        end = last_line_end(text, quoted)
        if end:
            yield text[:end]
            line_number += text.count(b"\n", 0, end)
        remainder = text[end:]
        if len(remainder) > MAX_LINE_BYTES:
            alternative = " or an open quotation mark" if quoted else ""
            raise InputError(
                f"{source.name}:{line_number}: no line end within {MAX_LINE_BYTES >> 20} MB, expected one row per "
                f"line; look for other line ends{alternative}"
            )
    if remainder:
        yield remainder


def fill_buffer(source: Source, buffer: bytearray) -> int:
    """Fill the buffer; return the number of bytes read, fewer than its size only at the end."""
    view, n_bytes = memoryview(buffer), 0
    while n_bytes < len(buffer) and (n_read := source.readinto(view[n_bytes:])):
        n_bytes += n_read
    return n_bytes


def last_line_end(text: bytes, quoted: bool) -> int:
    """The position after the last line end outside quotation marks; 0 where there is none."""
    end = text.rfind(b"\n") + 1
    while quoted and end and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, text.rfind(b'"', 0, end)) + 1  # before the open quotation mark
    return end


def parquet_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
    """A run in Parquet, batch by batch. Raises InputError that names the row."""
    with as_local_file(source) as path:
        table = ParquetRows(path, source.name, source.columns)
        n_rows = table.height
        for start in range(0, n_rows, SLICE):
            yield table.read_batch(start)
            if progress is not None:
                progress(source.size * min(start + SLICE, n_rows) // n_rows - source.size * start // n_rows)


def holds_rows(source: Source) -> bool:
    """Whether a Parquet file has a document a row; one with a list of ids a row is read at once."""
    import polars as pl

    if not is_file(source.path) or source.head[:4] != PARQUET_MAGIC:
        return True
    with suppress(*polars_errors(), InputError):
        lazy_frame = pl.scan_parquet(fspath(source.path), glob=False, hive_partitioning=False)
        fields = lazy_frame.collect_schema()
        bound = SCHEMAS["score"].bind(fields.names(), source.columns, source.name, list_fields(fields))
        return LISTS["score"].name not in bound
    return True


class ParquetRows:
    """A run in a Parquet file on disk, read some rows at a time.

    name: for errors. names: what the user calls columns. Raises InputError for a file that is no run, has no rows, or
    has changed: polars opens it for every read.
    """

    def __init__(self, path: str, name: str, names: Mapping[str, str]) -> None:
        import polars as pl

        self.name = name
        self.stamps = {path: file_stamp(path)}
        with report_polars_errors(name, "parquet"):
            refuse_false_pages_once(path, self.stamps[path], name)
            self.lazy_frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
            fields = self.lazy_frame.collect_schema()
            columns = fields.names()
            self.size = os.path.getsize(path)
            self.height = checked_row_count(self.lazy_frame, self.size, name)
        refuse_saved_scores(columns, name)
        self.columns = SCHEMAS["score"].bind(columns, names, name, list_fields(fields))
        if LISTS["score"].name in self.columns:
            raise InputError(
                f"{name}: a list of ids in each row in more than {PARQUET.small_size >> 20} MB that are packed or no "
                "file on disk, which cannot be read; save it as an unpacked file"
            )
        if not self.height:
            raise InputError(f"{name}: a table without rows, expected {SCHEMAS['score'].expected}")

    def read_batch(self, first_row: int) -> RowBatch:
        """The next `SLICE` rows from this one on. Raises InputError that names the row."""
        try:
            with report_polars_errors(self.name, "parquet"):
                frame = self.lazy_frame.select(sorted(set(self.columns.values()))).slice(first_row, SLICE).collect()
                refuse_long_texts(frame, self.size, self.name)
        finally:  # a changed file is the cause of other errors, so it is reported first
            refuse_changed(self.stamps, self.name)
        numbers = np.arange(first_row, first_row + frame.height)
        return batch_of_table(frame, self.name, self.columns, numbers, PARQUET.row_template)


@lru_cache(maxsize=64)
def refuse_false_pages_once(path: str, stamp: FileStamp, name: str) -> None:
    """Check all pages of a file, of which a worker reads many parts, only once. name: for errors."""
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        refuse_false_pages(content, name)


@contextmanager
def as_local_file(source: Source) -> Iterator[str]:
    """The path of the unpacked file: its own path, or that of a copy in the temporary folder."""
    if source.size and source.name != "<stdin>" and not is_url(source.path):
        yield fspath(source.path)
        return
    buffer = bytearray(BLOCK)
    with temporary_folder_errors(source.name):
        file = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 - opened outside `with`, to convert its errors
    with file:
        while n_bytes := fill_buffer(source, buffer):
            with temporary_folder_errors(source.name):
                file.write(memoryview(buffer)[:n_bytes])
        with temporary_folder_errors(source.name):
            file.flush()
        yield file.name


def text_format(format_name: str) -> Format:
    return Format(
        sniff=header_sniffer(format_name),
        read=read,
        write=writer_of(format_name),
        refuse=refuse_edges,
        row_batches=text_batches,
        small_size=16 << 20,
    )


CSV, TSV = text_format("csv"), text_format("tsv")
JSONL = Format(
    sniff=lambda head: json_shape(head) == "jsonl",
    read=read,
    write=write_jsonl,
    refuse=refuse_not_utf8,
    row_batches=text_batches,
    small_size=16 << 20,
)
PARQUET = Format(
    sniff=lambda head: head.start.startswith(PARQUET_MAGIC),
    read=read,
    write=write_parquet,
    refuse=refuse_not_utf8,
    row_batches=parquet_batches,
    streams=holds_rows,
    small_size=2 << 20,
    row_template="{}: row {}",
)

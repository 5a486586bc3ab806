"""The formats csv, tsv, jsonl and parquet of judgments and runs: read at once or batch by batch, and written.

Each block is parsed by the reader of whole files, with the header of the first block, so that rows are read in the
same way. Columns are those of the first block; columns that a later block lacks are empty, as in the whole file.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from os import fspath
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.row_input import (
    COLUMN_NAMES,
    RANK_NAMES,
    RATING_NAMES,
    RowLocation,
    all_integers,
    columns_of_frame,
    find_column,
    list_columns,
    required_columns,
    rows_from_frame,
)
from rankscope.data.rows import RowBatch, Rows, decode_id, decode_ids, row_batch
from rankscope.errors import InputError
from rankscope.io.core import (
    BOM,
    FORMAT_ADVICE,
    MAX_LINE_BYTES,
    VALUES,
    FileContent,
    FileHead,
    Format,
    Progress,
    ReadRequest,
    empty_file_error,
    file_stamp,
    is_url,
    refuse_changed,
    refuse_not_utf8,
    row_pieces,
    temporary_folder_errors,
    to_parquet,
)
from rankscope.io.json_dicts import json_shape
from rankscope.io.tables.frames import (
    SEPARATORS,
    polars_errors,
    read_frame,
    refuse_long_texts,
    refuse_many_rows,
    report_polars_errors,
    report_uneven_lines,
)
from rankscope.io.tables.parquet_pages import refuse_false_pages
from rankscope.kernels.text import as_fields, decode

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


MAGIC = b"PAR1"
#: The line of the first row; 0 where rows are not lines.
FIRST_ROW = {"csv": 2, "tsv": 2, "jsonl": 1, "parquet": 0}
#: The columns of the scores that `--save` writes.
SAVED = {"system", "measure", "query", "value"}


# Detecting


def header_sniffer(format_name: str) -> Callable[[FileHead], bool]:
    """The sniffer of tables with this separator: the header has a column of queries and one of documents."""

    def is_header(head: FileHead) -> bool:
        if head.line.startswith(b"{"):  # JSON lines, whatever their texts hold
            return False
        names = {cell.strip(b" \"'").lower() for cell in head.line.split(SEPARATORS[format_name].encode())}
        required = (COLUMN_NAMES["query_id"], COLUMN_NAMES["doc_id"])
        return all(any(option.encode() in names for option in options) for options in required)

    return is_header


# Reading


def reader_of(format_name: str) -> Callable[[Source, ReadRequest], FileContent]:
    def read(source: Source, request: ReadRequest) -> FileContent:
        content, name = source.read_bytes().removeprefix(BOM), source.name
        if request.keep_all:
            return read_complete(content, name, format_name, request)
        return FileContent(*read_table(content, name, format_name, VALUES[request.kind or "run"]))

    return read


def read_complete(content: bytes, name: str, format_name: str, request: ReadRequest) -> FileContent:
    """Judgments or a run, as the columns tell, and a note on the other columns."""
    columns = column_names(content, format_name)
    kind = request.kind or kind_of_columns(columns, name, request)
    rows, n_ungrouped = read_table(content, name, format_name, VALUES[kind])
    if request.kind is None and kind == "run" and all_integers(rows.values):  # as judgments of BEIR and ranx
        kind = request.resolved_kind(name, "whole numbers in the column of scores, which may be judgments")
        if kind == "qrels":
            rows, n_ungrouped = read_table(content, name, format_name, VALUES[kind])
    fields = ["query_id", "doc_id", VALUES[kind], *(["subtopic"] if kind == "qrels" else [])]
    used_columns = {find_column(columns, COLUMN_NAMES[field]) for field in fields}
    if find_column(columns, COLUMN_NAMES[VALUES[kind]]) is None:
        used_columns.add(find_column(columns, RATING_NAMES if kind == "qrels" else RANK_NAMES))
    unused_columns = [column for column in columns if column not in used_columns]
    notes: tuple[str, ...] = ()
    if unused_columns:
        subject = "the column" if len(unused_columns) == 1 else "the columns"
        notes = (f"{name}: {subject} {', '.join(map(repr, unused_columns))} dropped: rankings have no such columns",)
    return FileContent(rows, n_ungrouped, None, notes)


def column_names(content: bytes, format_name: str) -> list[str]:
    """The names of the columns; empty where they cannot be read, which the reader reports."""
    if format_name == "parquet":
        import polars as pl

        try:
            return list(pl.read_parquet_schema(io.BytesIO(content)))
        except polars_errors():
            return []
    lines = io.BytesIO(content)
    line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"").decode("utf-8", "replace")
    try:
        if format_name == "jsonl":
            return list(json.loads(line))
        return next(csv.reader([line], delimiter=SEPARATORS[format_name]))
    except (ValueError, TypeError, RecursionError, StopIteration, csv.Error):
        return []


def kind_of_columns(columns: list[str], name: str, request: ReadRequest) -> str:
    """The kind by the column of numbers: relevance or score."""
    present = {column.strip().lower() for column in columns}
    score_columns = present & {*COLUMN_NAMES["score"], *RANK_NAMES}
    relevance_columns = present & ({*COLUMN_NAMES["relevance"], *RATING_NAMES} - set(COLUMN_NAMES["score"]))
    if score_columns and relevance_columns:
        return request.resolved_kind(name, f"the columns {list_columns(columns)} may be those of judgments or of a run")
    if columns and not score_columns and not relevance_columns:
        refuse_saved_scores(columns, name)
        raise InputError(
            f"{name}: no column 'relevance' (judgments) or 'score' (a run) among {list_columns(columns)}; "
            "rename one of them"
        )
    return "qrels" if relevance_columns else "run"


def refuse_saved_scores(columns: list[str], name: str) -> None:
    """Raise for a table of saved scores, which is not a run."""
    if set(columns) >= SAVED:
        raise InputError(
            f"{name}: these are saved scores, expected judgments or a run; compare with them by --against (in Python "
            "read_scores)"
        )


def read_table(content: bytes, name: str, format_name: str, value: str) -> tuple[Rows, int]:
    """The rows of a table, and how many queries had rows that were not together. Raises InputError with the line."""
    content, skipped = below_comments(content, format_name)
    if not content:
        raise no_header_error(name)
    with report_uneven_lines(content, name, format_name, skipped):
        frame = named_frame(content, name, format_name, value)
        return rows_from_frame(frame, value, name, FIRST_ROW[format_name] + skipped)


def below_comments(content: bytes, format_name: str) -> tuple[bytes, int]:
    """A table from its header on, and the number of comments and blank lines before it."""
    skipped = 0
    while format_name in SEPARATORS and content and (content.startswith(b"#") or content[:2].strip() == b""):
        _, _, content = content.partition(b"\n")
        skipped += 1
    return content, skipped


def no_header_error(name: str) -> InputError:
    return InputError(f"{name}: no header and no rows, expected a line of column names and one line per row below it")


def named_frame(content: bytes, name: str, format_name: str, value: str) -> pl.DataFrame:
    """A table that may be judgments or a run. Raises InputError where its columns show that it is neither."""
    frame = read_frame(content, name, format_name)
    refuse_saved_scores(frame.columns, name)
    if format_name == "jsonl" and find_column(frame.columns, COLUMN_NAMES["query_id"]) is None:
        texts = "these look like texts, to which judgments and runs refer" if "_id" in frame.columns else "convert it"
        raise InputError(
            f"{name}: objects without query_id, expected one object per line with query_id, doc_id, {value}, or one "
            f"object {{query: {{document: {value}}}}}; {texts}"
        )
    return frame


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
    """Raise for an id with a blank at either end: readers of tables strip fields."""
    refuse_not_utf8(rows, run_name, input_name)
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


def batch_reader_of(format_name: str) -> Callable[[Source, Progress | None], Iterator[RowBatch]]:
    def read_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:

        if format_name == "parquet":
            return parquet_batches(source, progress)
        return text_batches(source, format_name, progress)

    return read_batches


def text_format(format_name: str) -> Format:
    return Format(
        sniff=header_sniffer(format_name),
        read=reader_of(format_name),
        write=writer_of(format_name),
        refuse=refuse_edges,
        row_batches=batch_reader_of(format_name),
        small_size=16 << 20,
    )


CSV, TSV = text_format("csv"), text_format("tsv")
JSONL = Format(
    sniff=lambda head: json_shape(head) == "jsonl",
    read=reader_of("jsonl"),
    write=write_jsonl,
    refuse=refuse_not_utf8,
    row_batches=batch_reader_of("jsonl"),
    small_size=16 << 20,
)
PARQUET = Format(
    sniff=lambda head: head.start.startswith(MAGIC),
    read=reader_of("parquet"),
    write=write_parquet,
    refuse=refuse_not_utf8,
    row_batches=batch_reader_of("parquet"),
    small_size=2 << 20,
    row_template="{}: row {}",
)
#: Bytes of a block.
BLOCK = 1 << 20
#: Rows of Parquet that are read at a time.
SLICE = 1 << 16


def text_batches(source: Source, format_name: str, progress: Progress | None) -> Iterator[RowBatch]:
    """A run in CSV, TSV or JSONL, batch by batch. Raises InputError that names the line, as for whole files."""
    name = source.name
    header, names = b"", None
    n_skipped = n_lines = n_rows = 0  # lines before the header, lines and rows before this block
    for block in line_blocks(source, format_name in SEPARATORS, progress):
        content, lines_before = header + block, n_lines - header.count(b"\n")
        if names is None:
            content, n_comments = below_comments(block.removeprefix(BOM) if not n_lines else block, format_name)
            n_skipped += n_comments
            lines_before = n_lines + n_comments
        n_lines += block.count(b"\n")
        if not content.strip() or (format_name == "jsonl" and not block.strip()):
            continue
        with report_uneven_lines(content, name, format_name, lines_before):
            if names is None:
                frame = named_frame(content, name, format_name, "score")
                names = required_columns(frame.columns, "score", name)
                header = content[: end_of_line(content)] if format_name in SEPARATORS else b""
            else:
                frame = read_frame(content, name, format_name)
            if frame.height:
                yield batch_of_frame(
                    frame, RowLocation(name, FIRST_ROW[format_name] + n_skipped + n_rows, lines=True), names
                )
        n_rows += frame.height
    if names is None:
        raise no_header_error(name) if n_skipped else empty_file_error(name)
    if not n_rows:
        raise no_rows_error(name)


def batch_of_frame(frame: pl.DataFrame, location: RowLocation, names: Mapping[str, str]) -> RowBatch:
    import polars as pl

    missing_columns = [pl.lit(None).alias(name) for name in names.values() if name not in frame.columns]
    columns = columns_of_frame(frame.with_columns(missing_columns), "score", location, names)
    numbers = np.arange(location.first, location.first + frame.height)
    return row_batch(columns.queries, columns.docs, columns.values, numbers)


def no_rows_error(name: str) -> InputError:
    return InputError(f"{name}: no data rows, expected at least one; write one row per document")


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


def end_of_line(text: bytes) -> int:
    """The position after the first line end outside quotation marks."""
    end = text.find(b"\n") + 1
    while end and text.count(b'"', 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end or len(text)


def parquet_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
    """A run in Parquet, batch by batch. Raises InputError that names the row."""
    with as_local_file(source) as path:
        table = ParquetRows(path, source.name)
        n_rows = table.height
        for start in range(0, n_rows, SLICE):
            yield table.read_batch(start)
            if progress is not None:
                progress(source.size * min(start + SLICE, n_rows) // n_rows - source.size * start // n_rows)


class ParquetRows:
    """A run in a Parquet file on disk, read some rows at a time.

    name: for errors. Raises InputError for a file that is not a run, has no rows, or has changed: polars opens it for
    every read.
    """

    def __init__(self, path: str, name: str) -> None:
        import polars as pl

        self.name = name
        self.stamps = {path: file_stamp(path)}
        with report_polars_errors(name, "parquet"):
            with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                refuse_false_pages(content, name)
            self.lazy_frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
            columns = self.lazy_frame.collect_schema().names()
            self.size = os.path.getsize(path)
            self.height = refuse_many_rows(self.lazy_frame, self.size, name)
        refuse_saved_scores(columns, name)
        self.names = required_columns(columns, "score", name)
        if not self.height:
            raise no_rows_error(name)

    def read_batch(self, first_row: int) -> RowBatch:
        """The next `SLICE` rows from this one on. Raises InputError that names the row."""
        try:
            with report_polars_errors(self.name, "parquet"):
                frame = self.lazy_frame.select(sorted(set(self.names.values()))).slice(first_row, SLICE).collect()
                refuse_long_texts(frame, self.size, self.name)
        finally:  # a changed file is the cause of other errors, so it is reported first
            refuse_changed(self.stamps, self.name)
        return batch_of_frame(frame, RowLocation(self.name, first_row, lines=False), self.names)


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

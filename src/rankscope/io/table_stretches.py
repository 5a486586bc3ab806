"""Runs in tables piece by piece: CSV, TSV and JSONL by blocks of whole lines, Parquet by slices of its rows.

Each block goes through the reader of whole files, below the header of the first one, so that a row is read as it would
be there. Columns are those of the first block; what a later one lacks is empty, as it would be there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from os import fspath
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.frames import RowLocation, columns_of_frame, required_columns
from rankscope.data.stretches import RowBatch, row_batch
from rankscope.errors import InputError
from rankscope.io.blocks import BOM, LONGEST
from rankscope.io.formats import Progress
from rankscope.io.parquet_pages import refuse_false_pages
from rankscope.io.regrouped import temporary_folder_errors
from rankscope.io.stamps import file_stamp, refuse_changed
from rankscope.io.streams import empty_file_error
from rankscope.io.table_frames import (
    SEPARATORS,
    read_frame,
    refuse_long_texts,
    refuse_many_rows,
    report_polars_errors,
    uneven_lines_first,
)
from rankscope.io.tables import FIRST_ROW, below_comments, named_frame, no_header_error, refuse_saved_scores
from rankscope.io.urls import is_url

if TYPE_CHECKING:
    import polars as pl

    from rankscope.io.read import Source

__all__ = ["ParquetRows", "text_batches", "parquet_batches"]

#: Bytes of a block.
BLOCK = 1 << 20
#: Rows of a slice.
SLICE = 1 << 16


def text_batches(source: Source, form: str, progress: Progress | None) -> Iterator[RowBatch]:
    """A run in CSV, TSV or JSONL. Raises InputError that names the line, as for a file that is read whole."""
    name = source.name
    header, names = b"", None
    skipped = lines = rows = 0  # lines before the header, lines and rows before this block
    for block in line_blocks(source, form in SEPARATORS, progress):
        content, before = header + block, lines - header.count(b"\n")
        if names is None:
            content, more = below_comments(block.removeprefix(BOM) if not lines else block, form)
            skipped += more
            before = lines + more
        lines += block.count(b"\n")
        if not content.strip() or (form == "jsonl" and not block.strip()):
            continue
        with uneven_lines_first(content, name, form, before):
            if names is None:
                frame = named_frame(content, name, form, "score")
                names = required_columns(frame.columns, "score", name)
                header = content[: end_of_line(content)] if form in SEPARATORS else b""
            else:
                frame = read_frame(content, name, form)
            if frame.height:
                yield batch_of_frame(frame, RowLocation(name, FIRST_ROW[form] + skipped + rows, lines=True), names)
        rows += frame.height
    if names is None:
        raise no_header_error(name) if skipped else empty_file_error(name)
    if not rows:
        raise no_rows_error(name)


def batch_of_frame(frame: pl.DataFrame, place: RowLocation, names: Mapping[str, str]) -> RowBatch:
    import polars as pl

    lacking = [pl.lit(None).alias(called) for called in names.values() if called not in frame.columns]
    columns = columns_of_frame(frame.with_columns(lacking), "score", place, names)
    numbers = np.arange(place.first, place.first + frame.height)
    return row_batch(columns.queries, columns.docs, columns.values, numbers)


def no_rows_error(name: str) -> InputError:
    return InputError(f"{name}: no data rows, expected at least one; write one row a document")


def line_blocks(source: Source, quoted: bool, progress: Progress | None) -> Iterator[bytes]:
    """Whole lines, of about `BLOCK` bytes together. quoted: whether a line end between quotation marks is none."""
    rest = b""
    line = 1
    buffer = bytearray(BLOCK)
    while n := fill_buffer(source, buffer):
        if progress is not None:
            progress(n)
        text = rest + buffer[:n]
        end = last_line_end(text, quoted)
        if end:
            yield text[:end]
            line += text.count(b"\n", 0, end)
        rest = text[end:]
        if len(rest) > LONGEST:
            marks = " or an open quotation mark" if quoted else ""
            raise InputError(
                f"{source.name}:{line}: no line end within {LONGEST >> 20} MB, expected a row a line; look for other "
                f"line ends{marks}"
            )
    if rest:
        yield rest


def fill_buffer(source: Source, buffer: bytearray) -> int:
    """How many bytes were read: fewer than there is room for only at the end."""
    view, n = memoryview(buffer), 0
    while n < len(buffer) and (more := source.readinto(view[n:])):
        n += more
    return n


def last_line_end(text: bytes, quoted: bool) -> int:
    """Behind the last line end that is not between quotation marks; 0 where there is none."""
    end = text.rfind(b"\n") + 1
    while quoted and end and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, text.rfind(b'"', 0, end)) + 1  # before the mark that is open there
    return end


def end_of_line(text: bytes) -> int:
    """Behind the first line end that is not between quotation marks."""
    end = text.find(b"\n") + 1
    while end and text.count(b'"', 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end or len(text)


def parquet_batches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
    """A run in Parquet. Raises InputError that names the row."""
    with as_local_file(source) as path:
        table = ParquetRows(path, source.name)
        n = table.height
        for a in range(0, n, SLICE):
            yield table.stretches(a)
            if progress is not None:
                progress(source.size * min(a + SLICE, n) // n - source.size * a // n)


class ParquetRows:
    """A run in a Parquet file on disk, of which some rows are read at a time.

    name: for errors. Raises InputError for what is no run, holds no rows, or is another file than at first: polars
    opens it anew each time.
    """

    def __init__(self, path: str, name: str) -> None:
        import polars as pl

        self.name = name
        self.was = {path: file_stamp(path)}
        with report_polars_errors(name, "parquet"):
            with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                refuse_false_pages(content, name)
            self.frames = pl.scan_parquet(path, glob=False, hive_partitioning=False)
            columns = self.frames.collect_schema().names()
            self.size = os.path.getsize(path)
            self.height = refuse_many_rows(self.frames, self.size, name)
        refuse_saved_scores(columns, name)
        self.names = required_columns(columns, "score", name)
        if not self.height:
            raise no_rows_error(name)

    def stretches(self, first: int) -> RowBatch:
        """The `SLICE` rows from this one on. Raises InputError that names the row."""
        try:
            with report_polars_errors(self.name, "parquet"):
                frame = self.frames.select(sorted(set(self.names.values()))).slice(first, SLICE).collect()
                refuse_long_texts(frame, self.size, self.name)
        finally:  # before what makes no sense for that reason is told
            refuse_changed(self.was, self.name)
        return batch_of_frame(frame, RowLocation(self.name, first, lines=False), self.names)


@contextmanager
def as_local_file(source: Source) -> Iterator[str]:
    """The path of the unpacked file: its own, or that of a copy in the temporary folder."""
    if source.size and source.name != "<stdin>" and not is_url(source.path):
        yield fspath(source.path)
        return
    buffer = bytearray(BLOCK)
    with temporary_folder_errors(source.name):
        file = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 - opened apart, for its errors are ours
    with file:
        while n := fill_buffer(source, buffer):
            with temporary_folder_errors(source.name):
                file.write(memoryview(buffer)[:n])
        with temporary_folder_errors(source.name):
            file.flush()
        yield file.name

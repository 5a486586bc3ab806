"""The formats csv, tsv, jsonl and parquet: tables with named columns, read and written by polars."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.dicts import all_integers
from rankscope.data.frames import COLUMN_NAMES, find_column, list_columns, rows_from_frame
from rankscope.data.rows import Rows, decode_id, decode_ids
from rankscope.data.stretches import RowBatch
from rankscope.errors import InputError
from rankscope.io.blocks import BOM
from rankscope.io.formats import VALUES, FileContent, FileHead, Format, Progress, ReadRequest, kind_of_rows
from rankscope.io.json_dicts import json_shape
from rankscope.io.render import FORMAT_ADVICE, refuse_not_utf8, row_pieces, to_parquet
from rankscope.io.table_frames import SEPARATORS, polars_errors, read_frame, uneven_lines_first
from rankscope.kernels.text import as_fields, decode

if TYPE_CHECKING:
    import polars as pl

    from rankscope.io.read import Source

__all__ = ["CSV", "JSONL", "PARQUET", "TSV"]

MAGIC = b"PAR1"
#: The line of the first row; 0 where rows are no lines.
FIRST_ROW = {"csv": 2, "tsv": 2, "jsonl": 1, "parquet": 0}
#: The columns of the scores that `--save` writes.
SAVED = {"system", "measure", "query", "value"}


# Telling


def header_sniffer(form: str) -> Callable[[FileHead], bool]:
    """What tells a line of names with this separator: one names queries, one documents."""

    def tells(head: FileHead) -> bool:
        if head.line.startswith(b"{"):  # an object a line, whatever its texts hold
            return False
        names = {part.strip(b" \"'").lower() for part in head.line.split(SEPARATORS[form].encode())}
        wanted = (COLUMN_NAMES["query_id"], COLUMN_NAMES["doc_id"])
        return all(any(option.encode() in names for option in options) for options in wanted)

    return tells


# Reading


def reader_of(form: str) -> Callable[[Source, ReadRequest], FileContent]:
    def read(source: Source, wanted: ReadRequest) -> FileContent:
        content, name = source.rest().removeprefix(BOM), source.name
        if wanted.complete:
            return read_complete(content, name, form, wanted)
        return FileContent(*read_table(content, name, form, VALUES[wanted.kind or "run"]))

    return read


def read_complete(content: bytes, name: str, form: str, wanted: ReadRequest) -> FileContent:
    """Judgments or a run, whichever the columns say, and a note on the columns that neither has."""
    columns = column_names(content, form)
    kind = wanted.kind or kind_of_columns(columns, name, wanted)
    rows, apart = read_table(content, name, form, VALUES[kind])
    if wanted.kind is None and kind == "run" and all_integers(rows.values):  # so are judgments of BEIR and of ranx
        kind = wanted.either(name, "whole numbers in the column of scores, which may be judgments")
        if kind == "qrels":
            rows, apart = read_table(content, name, form, VALUES[kind])
    fields = ["query_id", "doc_id", VALUES[kind], *(["subtopic"] if kind == "qrels" else [])]
    used = {find_column(columns, COLUMN_NAMES[field]) for field in fields}
    left = [column for column in columns if column not in used]
    notes: tuple[str, ...] = ()
    if left:
        many = "the column" if len(left) == 1 else "the columns"
        notes = (f"{name}: {many} {', '.join(map(repr, left))} left out: formats of rankings have none such",)
    return FileContent(rows, apart, None, notes)


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


def kind_of_columns(columns: list[str], name: str, wanted: ReadRequest) -> str:
    """By the column that holds the number: relevance or score."""
    there = {column.strip().lower() for column in columns}
    scores = there & set(COLUMN_NAMES["score"])
    grades = there & (set(COLUMN_NAMES["relevance"]) - set(COLUMN_NAMES["score"]))
    if scores and grades:
        return wanted.either(name, f"the columns {list_columns(columns)} may be those of judgments or of a run")
    if columns and not scores and not grades:
        refuse_saved_scores(columns, name)
        raise InputError(
            f"{name}: no column 'relevance' (judgments) or 'score' (a run) among {list_columns(columns)}; "
            "rename one of them"
        )
    return "qrels" if grades else "run"


def refuse_saved_scores(columns: list[str], name: str) -> None:
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
        raise no_header_error(name)
    with uneven_lines_first(content, name, format_, skipped):
        frame = named_frame(content, name, format_, value)
        return rows_from_frame(frame, value, name, FIRST_ROW[format_] + skipped)


def below_comments(content: bytes, format_: str) -> tuple[bytes, int]:
    """A table from its header on, and how many lines of comments and blank ones there were before it."""
    skipped = 0
    while format_ in SEPARATORS and content and (content.startswith(b"#") or content[:2].strip() == b""):
        _, _, content = content.partition(b"\n")
        skipped += 1
    return content, skipped


def no_header_error(name: str) -> InputError:
    return InputError(f"{name}: no header and no rows, expected a line of column names and one a row below it")


def named_frame(content: bytes, name: str, format_: str, value: str) -> pl.DataFrame:
    """A table that may be judgments or a run. Raises InputError for what tells by its columns that it is none."""
    frame = read_frame(content, name, format_)
    refuse_saved_scores(frame.columns, name)
    if format_ == "jsonl" and find_column(frame.columns, COLUMN_NAMES["query_id"]) is None:
        texts = "these look like texts, to which judgments and runs refer" if "_id" in frame.columns else "convert it"
        raise InputError(
            f"{name}: objects without query_id, expected an object a line with query_id, doc_id, {value}, or one "
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
        columns[VALUES[kind_of_rows(rows)]] = pl.Series(piece.values)
        yield pl.DataFrame(columns)


def writer_of(form: str) -> Callable[[Rows, str], Iterator[bytes]]:
    def write(rows: Rows, name: str) -> Iterator[bytes]:
        del name
        for i, frame in enumerate(frames_of_rows(rows)):
            yield frame.write_csv(include_header=not i, separator=SEPARATORS[form]).encode()

    return write


def write_jsonl(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    return (frame.write_ndjson().encode() for frame in frames_of_rows(rows))


def write_parquet(rows: Rows, name: str) -> Iterator[bytes]:
    import polars as pl

    del name
    yield to_parquet(pl.concat(frames_of_rows(rows)))


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
            id_ = decode_id(decode(fields.take(bad[:1]))[0])
            raise InputError(
                f"{shown}: the {what} id {id_!r} begins or ends with a blank, which csv and tsv do not keep; {FORMAT_ADVICE}"
            )


def batch_reader_of(form: str) -> Callable[[Source, Progress | None], Iterator[RowBatch]]:
    def stretches(source: Source, progress: Progress | None) -> Iterator[RowBatch]:
        from rankscope.io.table_stretches import parquet_batches, text_batches  # only large files need it

        if form == "parquet":
            return parquet_batches(source, progress)
        return text_batches(source, form, progress)

    return stretches


def text_format(form: str) -> Format:
    return Format(
        sniff=header_sniffer(form),
        read=reader_of(form),
        write=writer_of(form),
        refuse=refuse_edges,
        stretches=batch_reader_of(form),
        small=16 << 20,
    )


CSV, TSV = text_format("csv"), text_format("tsv")
JSONL = Format(
    sniff=lambda head: json_shape(head) == "jsonl",
    read=reader_of("jsonl"),
    write=write_jsonl,
    refuse=refuse_not_utf8,
    stretches=batch_reader_of("jsonl"),
    small=16 << 20,
)
PARQUET = Format(
    sniff=lambda head: head.start.startswith(MAGIC),
    read=reader_of("parquet"),
    write=write_parquet,
    refuse=refuse_not_utf8,
    stretches=batch_reader_of("parquet"),
    small=2 << 20,
    row_called="{}: row {}",
)

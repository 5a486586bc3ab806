"""The format quepid: ratings that Quepid exports as CSV (`query,docid,rating`), as judgments.

A query without ratings has a line of its text alone, and a document without a rating an empty cell: both are left out,
with a note.
"""

from __future__ import annotations

from collections import deque
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.row_tables import SCHEMAS, rows_from_table
from rankscope.data.tables import bound_table, find_column, list_columns
from rankscope.data.text import first_names, pluralise, pluralise_queries
from rankscope.errors import InputError
from rankscope.io.core import BOM, FileContent, FileHead, Format, ReadRequest
from rankscope.io.tables.frames import polars_errors
from rankscope.io.tables.schema import even_rows, read_header

if TYPE_CHECKING:
    import polars as pl

    from rankscope.io.core import Source

__all__ = [
    "QUEPID",
]


HEADER = ("query", "docid", "rating")


def looks_like_ratings(head: FileHead) -> bool:
    """Whether the first line names the columns of Quepid."""
    return {cell.strip(b" \"'").lower() for cell in head.line.split(b",")} == {name.encode() for name in HEADER}


def read_ratings(source: Source, request: ReadRequest) -> FileContent:
    """The judgments, and notes on what has no rating. Raises InputError with the line."""
    del request
    name = source.name
    frame = rating_frame(source.read_bytes().removeprefix(BOM), name)
    missing = {column: frame[column].is_null() | (frame[column].str.strip_chars() == "") for column in HEADER}
    numbers = np.arange(frame.height)
    is_blank = missing["query"] & missing["docid"] & missing["rating"]
    broken = ((missing["query"] | missing["docid"]) & ~(missing["docid"] & missing["rating"])).arg_true()
    if broken.len():
        row = int(broken[0])
        column = "query" if missing["query"][row] else "docid"
        raise InputError(f"{name}:{row + 2}: the {column} is empty, expected query,docid,rating; correct this line")
    is_rated = ~missing["rating"]
    rated = frame.filter(is_rated)
    if not rated.height:
        raise InputError(f"{name}: no ratings, expected at least one line of query,docid,rating")
    rated_rows = numbers[is_rated.to_numpy()].astype(np.int64)
    names = {"query_id": "query", "doc_id": "docid", "relevance": "rating"}
    table = bound_table(
        rated, name, SCHEMAS["relevance"], names, where=f"{name}:1", locate=lambda row: f"{name}:{rated_rows[row] + 2}"
    )
    rows, _ = rows_from_table(table, "relevance")
    queries = frame.filter(~missing["query"])["query"].unique(maintain_order=True)
    unrated = queries.filter(~queries.is_in(rated["query"].unique().implode())).to_list()
    n_documents = int((missing["rating"] & ~missing["docid"] & ~is_blank).sum())
    notes = []
    if unrated:
        notes.append(f"{name}: {pluralise_queries(len(unrated))} without ratings left out ({first_names(unrated)})")
    if n_documents:
        notes.append(f"{name}: {pluralise(n_documents, 'document')} without a rating left out")
    return FileContent(rows, notes=tuple(notes))


def rating_frame(content: bytes, name: str) -> pl.DataFrame:
    """The three columns as text; a cell that a line lacks is null."""
    import polars as pl

    try:
        frame = pl.read_csv(BytesIO(content), infer_schema=False)
    except polars_errors() as error:
        layout = read_header(content, name, None)
        if layout is not None:
            deque(even_rows(content, name, layout, 0, may_be_short=True), 0)  # names the first line that is too long
        problem = str(error).partition("\n")[0]
        raise InputError(f"{name}: cannot be read as CSV ({problem}); export it again") from None
    columns = {column: find_column(frame.columns, [column]) for column in HEADER}
    if None in columns.values():
        raise InputError(
            f"{name}:1: the columns {list_columns(frame.columns)}, expected query,docid,rating; rename them"
        )
    return pl.DataFrame({column: frame[str(own)] for column, own in columns.items()})


QUEPID = Format(read=read_ratings, sniff=looks_like_ratings)

"""Tables of spans: gold spans, and spans that a system retrieved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.row_tables import DOC_ID, LIST_QUERY_NAMES, SCHEMAS, SPAN
from rankscope.data.run import Run
from rankscope.data.spans import GoldSpans, Overlap, SpanQrels, Spans
from rankscope.data.tables import Column, Schema, Table, table_of_frame
from rankscope.errors import InputError
from rankscope.io.core import columns_of, file_stem, is_path
from rankscope.io.tables import read_table

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "read_gold_spans",
    "read_span_run",
]


SPAN_COLUMNS = (
    Column(name="query", aliases=LIST_QUERY_NAMES, required=True),
    Column(
        name="file",
        aliases=(
            *("file_path", "filepath", "path", "filename", "file_name", "source", "url"),
            *DOC_ID.names,
        ),
        required=True,
    ),
    *SPAN,
)
GOLD = Schema(
    columns=(*SPAN_COLUMNS, Column(name="relevance", aliases=("rel", "label", "grade", "judgment"), kind="number")),
    expected="gold spans: a line of names (query,file,begin,end) and a span a line",
    elsewhere=("score", "rank"),
)
RETRIEVED = Schema(
    columns=(
        *SPAN_COLUMNS,
        SCHEMAS["score"].column("score"),
        SCHEMAS["score"].column("rank"),
    ),
    expected="retrieved spans: a line of names (query,file,begin,end,score) and a span a line",
    elsewhere=("relevance",),
)
#: Positions are below this.
MAX_POSITION = 2.0**53


def read_gold_spans(source: Any, overlap: Overlap) -> SpanQrels:
    """Judgments whose documents are gold spans, from a file, a data frame, columns or `Spans`.

    Raises InputError, with file and line, for what is no table of spans and for a span that stands twice.
    """
    table = span_table(source, GOLD, "qrels")
    frame = span_frame(table)
    relevance = np.ones(frame.height)
    if "relevance" in table:
        relevance = table.numbers(table.columns["relevance"], complete=True)
    is_repeated = ~frame.to_struct().is_first_distinct()
    if is_repeated.any():
        second = int(is_repeated.arg_true()[0])
        query, file, begin, end = frame.row(second)
        first = frame.rows().index(frame.row(second))
        raise InputError(
            f"{table.locate(second)}: the span {begin}-{end} of {file!r} stands a second time for query {query!r}, the "
            f"first is at {table.locate(first)}; keep one of the two"
        )
    return SpanQrels(frame.with_columns(relevance=relevance), overlap)


def read_span_run(source: Any, gold: GoldSpans) -> Run:
    """A run whose documents are the gold spans that it covers, and its other spans; sources as `read_gold_spans`.

    Raises InputError, with file and line, for what is no table of spans.
    """
    table = span_table(source, RETRIEVED, "run")
    frame = span_frame(table)
    scores = -np.arange(1.0, frame.height + 1)  # in order, unless a column says otherwise
    if "score" in table:
        scores = table.numbers(table.columns["score"], complete=True)
    elif "rank" in table:
        scores = -table.numbers(table.columns["rank"], complete=True)
    name = source.name if isinstance(source, Spans) else file_stem(source) if is_path(source) else "run"
    return gold.match(frame.with_columns(score=scores), name)


def span_table(source: Any, schema: Schema, name: str) -> Table:
    if isinstance(source, (Qrels, Run)):
        raise InputError(
            f"{type(source).__name__}(...) holds documents, expected spans for --overlap (overlap=): a file, a data "
            "frame or Spans(...) with query, file, begin, end"
        )
    if is_path(source):
        return read_table(source, schema, columns_of(source))
    schema = replace(schema, has_option=False)
    return table_of_frame(source.data if isinstance(source, Spans) else source, name, schema, {})


def span_frame(table: Table) -> pl.DataFrame:
    """Query, file, begin and end of each row. Raises InputError for an impossible span."""
    import polars as pl

    begin, end = table.number_columns_matrix([table.columns["begin"], table.columns["end"]], complete=True)
    is_whole = (begin == np.floor(begin)) & (end == np.floor(end))
    wrong = np.flatnonzero(~(is_whole & (begin >= 0) & (begin < end) & (end < MAX_POSITION)))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"{table.locate(row)}: a span from {begin[row]:g} to {end[row]:g}, expected whole numbers from 0, the "
            "begin below the end (which is the first character behind the span); correct it"
        )
    places = {"begin": begin.astype(np.int64), "end": end.astype(np.int64)}
    return pl.DataFrame({"query": table.ids("query"), "file": table.ids("file"), **places})

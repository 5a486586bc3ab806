"""Rows of judgments and runs from tables: a document a row, or a list of ids a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.rows import Interner, RowBatch, RowKind, Rows, group_rows
from rankscope.data.tables import LIST, NUMBER, Column, Schema, Table, find_column, shorten_value
from rankscope.data.text import json_value
from rankscope.errors import InputError
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.kernels.text import PADDING, Fields, changes, decode, hashes
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DOC_ID",
    "KINDS",
    "LISTS",
    "LIST_QUERY_NAMES",
    "NUMBER_LISTS",
    "OPENING",
    "QUERY_ID",
    "SCHEMAS",
    "SPAN",
    "SPAN_ADVICE",
    "batch_from_table",
    "has_lists",
    "has_span_columns",
    "query_of_lists",
    "rows_from_table",
    "values_of_lists",
]


#: What the text of a query is called; it stands for the query where nothing else does.
QUERY_TEXTS = ("question", "user_input", "questions")
QUERY_ID = Column(
    name="query_id",
    aliases=("qid", "q_id", "query", "topic", "query-id", "topic_id", "question_id", *QUERY_TEXTS),
)
#: What the id of a query is called.
QUERY_IDS = tuple(name for name in QUERY_ID.names if name not in QUERY_TEXTS)
#: PyTerrier's results have docno, the name of the document, beside docid, its number within the index.
DOC_ID = Column(
    name="doc_id",
    aliases=(
        *(
            "docno",
            "docid",
            "doc",
            "document_id",
            "corpus-id",
            "corpus_id",
            "did",
            "document",
            "pid",
            "passage_id",
            "chunk_id",
        ),
        "chunk",
    ),
)
#: The query beside a list of ids, where nothing else is called the id of a query.
ID_OF_LIST = Column(name="id", unless=QUERY_IDS)
#: What the query beside a list of ids may be called.
LIST_QUERY_NAMES = (*QUERY_IDS, *ID_OF_LIST.names, *QUERY_TEXTS)
#: A list of ids in each row: those that a system retrieved, best first; those that it should have retrieved.
LISTS = {
    "score": Column(
        name="retrieved_ids",
        aliases=(
            *("retrieved_context_ids", "retrieved_doc_ids", "retrieved_document_ids", "retrieved", "ranking"),
            *("ranked_ids", "result_ids", "results", "doc_ids", "document_ids", "docids"),
            *("retrieved_chunk_ids", "retrieved_chunks", "chunk_ids", *DOC_ID.names),
        ),
        kind=LIST,
    ),
    "relevance": Column(
        name="relevant_ids",
        aliases=(
            *("relevant_doc_ids", "relevant_document_ids", "relevant_docs", "relevant", "expected_ids"),
            *("expected_doc_ids", "expected"),
            *("reference_context_ids", "gold_ids", "gold_doc_ids", "gold", "positives", "positive_ids"),
            *("ground_truth_ids", "ground_truth", "doc_ids", "document_ids", "docids"),
            *("relevant_chunk_ids", "relevant_chunks", "gold_chunk_ids", "gold_chunks", "chunk_ids", *DOC_ID.names),
        ),
        kind=LIST,
    ),
}
#: A list of numbers beside the ids.
NUMBER_LISTS = {
    "score": Column(name="scores", aliases=("score", "retrieved_scores", "similarities"), kind=LIST),
    "relevance": Column(name="relevances", aliases=("relevance", "grades", "labels"), kind=LIST),
}
#: Where a span of a document begins and ends.
SPAN = (
    Column(
        name="begin",
        aliases=(
            *("start", "start_index", "start_offset", "begin_offset", "start_char", "char_start", "start_char_idx"),
            *("offset_start", "from"),
        ),
        kind=NUMBER,
        required=True,
    ),
    Column(
        name="end",
        aliases=(*("stop", "end_index", "end_offset", "end_char", "char_end", "end_char_idx", "offset_end", "to"),),
        kind=NUMBER,
        required=True,
    ),
)
#: What to do about a table of spans that is read as one of documents.
SPAN_ADVICE = "are these spans? Say what share of a gold span is to be covered: --overlap 0.5 (overlap=)"
#: A document a row.
ROWS = {
    "relevance": (
        QUERY_ID,
        DOC_ID,
        Column(name="relevance", aliases=("rel", "label", "grade", "judgment", "score", "rating"), kind=NUMBER),
        Column(name="subtopic", aliases=("subtopic_id",)),
        Column(name="subgroup", aliases=("subgroup_id",)),
    ),
    "score": (
        QUERY_ID,
        DOC_ID,
        Column(name="score", aliases=("sim", "similarity"), kind=NUMBER),
        Column(name="rank", aliases=("position",), kind=NUMBER),
    ),
}


def row_schema(value_field: str, holds: str, values: Sequence[str], other_value: str) -> Schema:
    """The schema of judgments or of runs.

    Parameters
    ----------
    value_field
        "relevance" for judgments, "score" for runs.
    holds
        What a file should hold, for the message about an empty one.
    values
        Columns that give a document its value.
    other_value
        The value field of the other kind of table; its columns are skipped.
    """
    lists = LISTS[value_field]
    return Schema(
        columns=(*ROWS[value_field], lists, NUMBER_LISTS[value_field], ID_OF_LIST),
        expected=f"{holds}, with the columns query_id, doc_id and {value_field}",
        forms=(
            *(("query_id", "doc_id", value) for value in values),
            *((query, lists.name) for query in ("id", "query_id")),
        ),
        skips_nameless=True,
        elsewhere=tuple(column.name for column in (*ROWS[other_value], LISTS[other_value], NUMBER_LISTS[other_value])),
    )


#: The tables of judgments and runs, by what their values are called.
SCHEMAS = {
    "relevance": row_schema("relevance", "judgments", ("relevance",), "score"),
    "score": row_schema("score", "a run", ("score", "rank"), "relevance"),
}
#: The kind of rows by what their values are called.
KINDS: dict[str, RowKind] = {"relevance": "qrels", "score": "run"}
#: What a value must be, for messages.
EXPECTED = {"relevance": EXPECTED_GRADE, "score": "a finite number", "rank": "a finite number"}


# Columns


def has_span_columns(columns: Collection[str]) -> bool:
    """Whether a table with these columns says where spans begin and end."""
    return all(find_column(list(columns), column.names) is not None for column in SPAN)


def has_lists(columns: Collection[str], value_field: str) -> bool:
    """Whether a table with these columns may have a list of ids in each row."""
    names = list(columns)
    return find_column(names, DOC_ID.names) is None and find_column(names, LISTS[value_field].names) is not None


def query_of_lists(columns: Collection[str]) -> str | None:
    """The column of queries beside lists of ids."""
    return find_column(list(columns), LIST_QUERY_NAMES)


def columns_of_table(table: Table, value_field: str) -> tuple[Fields, Fields, npt.NDArray[Any], Fields | None]:
    """Queries, documents, values and perhaps subtopics, row by row, validated. Raises InputError that names the row."""
    if not table.frame.height:
        raise InputError(f"{table.name}: no data rows, expected at least one; write one row per document")
    values = -numbers(table, "rank") if "rank" in table else numbers(table, value_field)
    subtopics = fields(table, "subtopic") if "subtopic" in table else None
    return fields(table, "query_id"), fields(table, "doc_id"), values, subtopics


def numbers(table: Table, name: str) -> npt.NDArray[Any]:
    """A column of scores, ranks or relevances."""
    expected, own_name = EXPECTED[name], table.require(name)
    values = table.numbers(own_name, complete=True, expected=expected)
    if name != "relevance":
        return values
    invalid = invalid_grades(values)
    if invalid.any():
        row = int(np.argmax(invalid))
        value = shorten_value(table.frame[own_name][row])
        raise InputError(f"{table.locate(row)}: {own_name} is {value}, expected {expected}; correct it")
    return as_grades(values)


def fields(table: Table, name: str) -> Fields:
    """A column of ids as slices of one buffer."""
    import polars as pl

    ids = table.ids(name)
    padding = pl.Series([bytes(PADDING).decode()])
    padded = pl.concat([padding, ids, padding]).str.join("")  # in one copy
    lengths = ids.str.len_bytes().to_numpy().astype(np.int64)
    buffer = np.frombuffer(padded.cast(pl.Binary).item(), np.uint8)
    return Fields(buffer, np.cumsum(lengths) - lengths + PADDING, lengths)


# Rows


def rows_from_table(table: Table, value_field: str) -> tuple[Rows, int]:
    """The rows of a table, and how many queries had rows in several places. Raises InputError that names the row."""
    if LISTS[value_field].name in table:
        return rows_from_list_column(table, value_field), 0
    queries, docs, values, subtopics = columns_of_table(table, value_field)
    interner = Interner()
    codes = interner.codes(queries)

    def where(start: int) -> str:  # where an id starts in the buffer tells its row, also after rows are regrouped
        return table.locate(int(np.searchsorted(docs.starts, start)))

    hashed, kind = hashes(docs), KINDS[value_field]
    subgroups = fields(table, "subgroup") if subtopics is not None and "subgroup" in table else None
    return group_rows(list(interner.ids), codes, docs, hashed, values, where, subtopics, kind, subgroups)


def batch_from_table(table: Table, row_numbers: Ints) -> RowBatch:
    """The rows of a run in a table. row_numbers: in the whole run. Raises InputError that names the row."""
    queries, docs, values, _ = columns_of_table(table, "score")
    starts = np.r_[0, np.flatnonzero(changes(queries)) + 1]
    return RowBatch(queries.take(starts), starts, docs, hashes(docs), values, row_numbers)


def rows_from_list_column(table: Table, value_field: str) -> Rows:
    """Rows of a table with a query and its list of ids in each row: the values are as in `values_of_lists`.

    A column with a list of numbers beside it holds the scores, or the relevances.
    """
    list_field = LISTS[value_field].name
    lists = list_values(table, table.columns[list_field], "a list of ids ([] for none)")
    query_field = "query_id" if "query_id" in table else "id"
    queries = fields(table, query_field)
    refuse_objects(queries, table.columns[query_field], table.locate)
    interner = Interner()
    codes = interner.codes(queries)
    if len(interner.ids) < table.frame.height:
        row = int(np.flatnonzero(np.maximum.accumulate(codes)[:-1] >= codes[1:])[0]) + 1
        query = list(interner.ids)[codes[row]].decode("utf-8", "replace")
        raise InputError(f"{table.locate(row)}: query {query!r} has a list already, expected one list a query")
    lengths = lists.list.len().to_numpy().astype(np.int64)
    rows = np.repeat(np.arange(table.frame.height), lengths)
    if not rows.size:
        raise InputError(f"{table.name}: all lists of {lists.name} are empty, expected at least one id")
    items = exploded(table, lists, rows)
    docs = fields(items, list_field)
    refuse_objects(docs, lists.name, items.locate)
    offsets = bounds(lengths)
    values = values_of_lists(offsets, value_field)
    number_lists = table.columns.get(NUMBER_LISTS[value_field].name)
    if number_lists is not None:
        owned = list_values(table, number_lists, f"a number for each id of {lists.name}")
        uneven = np.flatnonzero(owned.list.len().to_numpy() != lengths)
        if uneven.size:
            row = int(uneven[0])
            raise InputError(
                f"{table.locate(row)}: {lists.name} has {lengths[row]} ids and {number_lists} {len(owned[row])} "
                "numbers, expected one for each id"
            )
        own_numbers = replace(exploded(table, owned, rows), columns={value_field: number_lists})
        values = numbers(own_numbers, value_field)

    def where(start: int) -> str:
        return items.locate(int(np.searchsorted(docs.starts, start)))

    return Rows(list(interner.ids), offsets, docs, hashes(docs), values, where, kind=KINDS[value_field])


def list_values(table: Table, own_name: str, expected: str) -> pl.Series:
    """A column of lists. Raises InputError where one is missing."""
    import polars as pl

    lists = table.frame[own_name]
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    missing = lists.is_null().arg_true()
    if missing.len():
        raise InputError(f"{table.locate(int(missing[0]))}: {own_name} is empty, expected {expected}")
    return lists


def exploded(table: Table, lists: pl.Series, rows: Ints) -> Table:
    """The values of all lists, one after the other, as a table. rows: the row of each value."""
    import polars as pl

    lengths = lists.list.len()
    values = (lists if lengths.min() else lists.filter(lengths > 0)).explode()
    return replace(table, frame=pl.DataFrame({lists.name: values}), locate=lambda index: table.locate(int(rows[index])))


def values_of_lists(offsets: Ints, value_field: str) -> npt.NDArray[Any]:
    """Scores of ranked lists: minus the rank; or relevances: 1."""
    if value_field == "relevance":
        return np.ones(int(offsets[-1]), np.int64)
    return (-1 - place_in_group(offsets)).astype(np.float64)


#: How objects and lists begin in JSON.
OPENING = np.frombuffer(b"{[", np.uint8)


def refuse_objects(ids: Fields, column: str, locate: Callable[[int], str]) -> None:
    """Raise InputError for an object or a list of JSON in the place of an id, which polars makes a text."""
    for index in np.flatnonzero(np.isin(ids.buffer[ids.starts], OPENING)).tolist():
        text = decode(ids.take(np.array([index])))[0].decode("utf-8", "replace")
        if json_value(text) is not None:
            raise InputError(
                f"{locate(index)}: {column} holds {shorten_value(text)}, expected ids; write the id in the place of it"
            )

"""Makes rows from data in memory: mappings by query, lists of ids, data frames and columns, and runs piece by piece."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.rows import (
    CHUNK,
    Interner,
    RowBatch,
    RowKind,
    Rows,
    are_valid_ids,
    group_rows,
    invalid_ids,
    pack_strings,
    row_batch,
)
from rankscope.data.text import first_names
from rankscope.errors import InputError
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.kernels.text import Fields, decode, encode, hashes
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "BEGIN_NAMES",
    "COLUMN_NAMES",
    "DICT_SHAPE",
    "END_NAMES",
    "LIST_NAMES",
    "NUMBER_LIST_NAMES",
    "QUERY_NAMES",
    "RANK_NAMES",
    "SPAN_ADVICE",
    "PieceReader",
    "RowLocation",
    "all_integers",
    "are_by_subtopic",
    "columns_of_frame",
    "detect_pieces",
    "find_column",
    "has_lists",
    "has_span_columns",
    "is_mapping_of_lists",
    "is_mapping_of_mappings",
    "list_columns",
    "refuse_bad_ids",
    "refuse_values",
    "require_column",
    "required_columns",
    "rows_from_data",
    "rows_from_dicts",
    "rows_from_frame",
    "rows_from_lists",
    "shorten_value",
    "to_frame",
    "to_numbers",
    "type_with_article",
]


DICT_SHAPE = "{query: {document: number}}"
#: What a value must be, and what to do otherwise, for messages.
EXPECTED = {
    "relevance": f"{EXPECTED_GRADE}; correct it or leave the document out",
    "score": "a finite number; correct it or leave the document out",
}
#: The kind of rows by what their values are called.
KINDS: dict[str, RowKind] = {"relevance": "qrels", "score": "run"}
Dicts = Mapping[str, Mapping[str, Any]]
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


def are_by_subtopic(data: Dicts) -> bool:
    """Whether it is `{query: {subtopic: {document: relevance}}}`, judged by the first value of each query."""
    return any(isinstance(next(iter(docs.values()), None), Mapping) for docs in data.values())


def rows_from_dicts(data: Dicts, name: str, value_field: str, *, allow_bool: bool = True) -> Rows:
    """The mappings as rows, in their order, with queries without documents.

    Parameters
    ----------
    data
        {query_id: {document_id: value}}.
    name
        What messages call the input.
    value_field
        "relevance" or "score".
    allow_bool
        Whether True and False are numbers.

    Returns
    -------
    Rows
        The rows.

    Raises
    ------
    InputError
        An id or value is wrong; the message names query and document.
    """
    queries = list(data)
    refuse_bad_ids(queries, name, "query")
    if value_field == "relevance" and are_by_subtopic(data):
        return subtopic_rows(data, name, allow_bool)
    lists = [data[query] for query in queries]
    docs = list(chain.from_iterable(lists))
    values = to_numbers(list(chain.from_iterable(docs.values() for docs in lists)), value_field, allow_bool)
    if values is None:
        refuse_values(((f"query {query!r}", docs) for query, docs in data.items()), name, value_field, allow_bool)
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    return make_rows(queries, lengths, docs, values, name, None, KINDS[value_field])


def subtopic_rows(data: Dicts, name: str, allow_bool: bool) -> Rows:
    doc_lists: list[tuple[str, str, Mapping[str, Any]]] = []
    lengths = []
    for query, subtopics in data.items():
        if all(isinstance(documents, Mapping) and not documents for documents in subtopics.values()):
            raise InputError(f"{name}: query {query!r} has no judgments; expected at least one, or leave the query out")
        for subtopic, docs in subtopics.items():
            if not isinstance(docs, Mapping) or not docs:
                raise InputError(
                    f"{name}: {shorten_value(subtopic)} of query {query!r} has {shorten_value(docs)}, expected "
                    f"{{document: relevance}} as the other subtopics; judge all queries by subtopic or none"
                )
            doc_lists.append((query, subtopic, docs))
        lengths.append(sum(map(len, subtopics.values())))
    subtopic_ids = [subtopic for _, subtopic, _ in doc_lists]
    refuse_bad_ids(subtopic_ids, name, "subtopic")
    docs = list(chain.from_iterable(docs for *_, docs in doc_lists))
    values = to_numbers(list(chain.from_iterable(docs.values() for *_, docs in doc_lists)), "relevance", allow_bool)
    if values is None:
        refuse_values(
            ((f"subtopic {s!r} of query {q!r}", docs) for q, s, docs in doc_lists), name, "relevance", allow_bool
        )
    subtopic_of_row = np.repeat(np.array(subtopic_ids, object), [len(docs) for *_, docs in doc_lists]).tolist()
    return make_rows(list(data), np.array(lengths, np.int64), docs, values, name, subtopic_of_row, "qrels")


def make_rows(
    queries: list[str],
    lengths: Ints,
    docs: list[str],
    values: Numbers,
    name: str,
    subtopics: list[str] | None,
    kind: RowKind,
) -> Rows:
    if not docs:
        raise InputError(f"{name}: no documents, expected at least one: {DICT_SHAPE}")
    refuse_bad_ids(docs, name, "document")
    fields, offsets = encode(docs), bounds(lengths)
    ids = [query.encode("utf-8", "surrogateescape") for query in queries]
    where = query_locator(queries, offsets, fields.starts, name)
    subtopic_ids = None if subtopics is None else encode(subtopics)
    return Rows(ids, offsets, fields, hashes(fields), values, where, subtopic_ids, kind)


def query_locator(queries: list[str], offsets: Ints, starts: Ints, name: str) -> Callable[[int], str]:
    """A function that names the query of a document, given where its id starts: mappings have no lines to name."""
    return lambda start: (
        f"{name}: query {queries[int(np.searchsorted(offsets, np.searchsorted(starts, start), side='right')) - 1]!r}"
    )


def to_numbers(values: list[Any], value_field: str, allow_bool: bool = True) -> Numbers | None:
    """The values as float64 or (whole relevances) int64; None where one is not a valid number."""
    try:
        numbers = np.array(array("d", values))  # accepts numbers only, not text that looks like one
    except (TypeError, ValueError, OverflowError):
        return None
    if not allow_bool and bool in set(map(type, values)):
        return None
    if value_field == "score":
        return numbers if np.isfinite(numbers).all() else None
    return None if invalid_grades(numbers).any() else as_grades(numbers)


def all_integers(numbers: Numbers) -> bool:
    """Whether all are whole numbers that float64 holds exactly."""
    return bool((np.abs(numbers) < 2.0**53).all() and (numbers == np.floor(numbers)).all())


def refuse_values(
    lists: Iterable[tuple[str, Mapping[str, Any]]], name: str, value_field: str, allow_bool: bool = True
) -> NoReturn:
    """Raise for the first invalid value. lists: the owner of each list, in words, and its documents with values."""
    for owner, docs in lists:
        for doc, value in docs.items():
            if to_numbers([value], value_field, allow_bool) is None:
                raise InputError(
                    f"{name}: the {value_field} of document {shorten_value(doc)} of {owner} is {shorten_value(value)}, "
                    f"expected {EXPECTED[value_field]}"
                )
    raise AssertionError("the fault is gone: the data changed while it was read")


def refuse_bad_ids(ids: Collection[Any], name: str, noun: str) -> None:
    """Raise InputError for an id that is no string, empty, or no valid Unicode. noun: the kind of ids."""
    for id_ in invalid_ids(ids)[:1]:
        raise InputError(
            f"{name}: the {noun} id {shorten_value(id_)} is not a string, is empty or is not valid Unicode; "
            "expected text, as str(...) makes it; correct it"
        )


def shorten_value(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


#: What a column may be called, ours first.
COLUMN_NAMES = {
    "query_id": (
        "query_id",
        "qid",
        "q_id",
        "query",
        "topic",
        "query-id",
        "topic_id",
        "question_id",
        "question",
        "user_input",
    ),
    # PyTerrier's results have docno, the name of the document, beside docid, its number within the index.
    "doc_id": ("doc_id", "docno", "docid", "doc", "document_id", "corpus-id", "did", "document", "pid", "passage_id"),
    "relevance": ("relevance", "rel", "label", "grade", "judgment", "score"),
    "score": ("score", "sim", "similarity"),
    "subtopic": ("subtopic", "subtopic_id"),
}
#: What the column of queries beside lists of ids may be called.
QUERY_NAMES = (*COLUMN_NAMES["query_id"], "id")
#: What a column with a list of ids in each row may be called: the ids that a system retrieved, best first; the ids that
#: it should have retrieved.
LIST_NAMES = {
    "score": (
        *("retrieved_ids", "retrieved_context_ids", "retrieved_doc_ids", "retrieved_document_ids", "retrieved"),
        *("ranking", "ranked_ids", "result_ids", "results", "doc_ids", "document_ids", "docids"),
    ),
    "relevance": (
        *("relevant_ids", "relevant_doc_ids", "relevant_document_ids", "relevant", "expected_ids", "expected_doc_ids"),
        *("expected", "reference_context_ids", "gold_ids", "gold_doc_ids", "gold", "positives", "positive_ids"),
        *("ground_truth_ids", "ground_truth", "doc_ids", "document_ids", "docids"),
    ),
}
#: What a column of ranks may be called, which stands for the scores of a run without them.
RANK_NAMES = ("rank", "position")
#: What the columns may be called where spans begin and end.
BEGIN_NAMES = (
    *("begin", "start", "start_index", "start_offset", "begin_offset", "start_char", "char_start", "start_char_idx"),
    *("offset_start", "from"),
)
END_NAMES = ("end", "stop", "end_index", "end_offset", "end_char", "char_end", "end_char_idx", "offset_end", "to")
#: What a column with a list of numbers beside the ids may be called.
NUMBER_LIST_NAMES = {
    "score": ("scores", "score", "retrieved_scores", "similarities"),
    "relevance": ("relevances", "relevance", "grades", "labels"),
}


def is_mapping_of_mappings(data: Any) -> bool:
    """Whether it is `{query_id: {document_id: value}}`; an empty mapping is."""
    if type(data) is dict and all(type(docs) is dict for docs in data.values()):  # the usual case, checked quickly
        return True
    return isinstance(data, Mapping) and all(isinstance(docs, Mapping) for docs in data.values())


def is_mapping_of_lists(data: Any) -> bool:
    """Whether it is `{query_id: [document_id, ...]}`, and not a table whose columns are lists."""
    if not isinstance(data, Mapping) or not data or not all(map(is_list, data.values())):
        return False
    names = {name for options in (*COLUMN_NAMES.values(), *LIST_NAMES.values()) for name in options}
    n_column_names = sum(isinstance(key, str) and key.strip().lower() in names for key in data)
    return n_column_names < min(2, len(data))


def is_list(value: object) -> bool:
    return isinstance(value, (list, tuple, set, frozenset)) or (isinstance(value, np.ndarray) and value.ndim == 1)


def rows_from_lists(data: Mapping[str, Collection[Any]], name: str, value_field: str) -> Rows:
    """Lists of ids as rows: the score is minus the rank in a run, and in judgments each id has relevance 1.

    Queries with empty lists are kept. Raises InputError where an id is wrong, or for a run in sets, which have no
    order.
    """
    queries = list(data)
    refuse_bad_ids(queries, name, "query")
    if value_field == "score":
        for query, ids in data.items():
            if isinstance(ids, (set, frozenset)):
                raise InputError(f"{name}: query {query!r} has a set, expected a list of ids, best first")
    lists = [sorted(ids, key=str) if isinstance(ids, (set, frozenset)) else list(ids) for ids in data.values()]
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    values = values_of_lists(bounds(lengths), value_field)
    return make_rows(queries, lengths, list(chain.from_iterable(lists)), values, name, None, KINDS[value_field])


def values_of_lists(offsets: Ints, value_field: str) -> Numbers:
    """Scores of ranked lists: minus the rank; or relevances: 1."""
    if value_field == "relevance":
        return np.ones(int(offsets[-1]), np.int64)
    return (-1 - place_in_group(offsets)).astype(np.float64)


def rows_from_data(data: Any, value_field: str) -> Rows:
    """Rows from a data frame or a mapping of columns held in memory."""
    import polars as pl

    kind = "qrels" if value_field == "relevance" else "run"
    shape = f"{{document: {value_field}}}"
    expected = f"{{query: {shape}}}, a data frame or a mapping of columns query_id, doc_id, {value_field}"
    if isinstance(data, (str, os.PathLike)):
        raise InputError(f"{kind}: {data!r} is a path, expected data; use read_{kind}(path)")
    try:
        frame = to_frame(data)
    except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError) as error:
        if not isinstance(data, Mapping):
            raise InputError(f"{kind}: {type_with_article(data)}, expected {expected}") from None
        problem = str(error).partition("\n")[0]
        raise InputError(f"{kind}: its columns are no table ({problem}), expected {expected}") from None
    if isinstance(data, Mapping) and find_column(frame.columns, COLUMN_NAMES["query_id"]) is None:
        key, column = next((key, column) for key, column in data.items() if not isinstance(column, Mapping))
        raise InputError(
            f"{kind}: the value of {key!r} is {type_with_article(column)}, expected {shape}; or, for a table, columns "
            f"query_id, doc_id, {value_field}"
        )
    return rows_from_frame(frame, value_field, kind, first_row=0)[0]


def type_with_article(x: object) -> str:
    name = type(x).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def to_frame(data: Any) -> pl.DataFrame:
    """Data of any supported kind as a polars frame."""
    import polars as pl

    if isinstance(data, Mapping):
        return pl.DataFrame(plain_columns(data))
    if isinstance(data, Iterable) and not hasattr(data, "columns") and not hasattr(data, "__arrow_c_stream__"):
        data = list(data)
        if not all(isinstance(row, Mapping) for row in data):
            raise TypeError  # polars would read tuples as columns
    try:
        return pl.DataFrame(data)
    except ImportError:  # pandas without pyarrow
        return pl.DataFrame({str(name): data[name].tolist() for name in data.columns})


def plain_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with NumPy's object arrays as lists, of which polars infers the type."""
    object_columns = {name for name, column in data.items() if getattr(column, "dtype", None) == np.dtype(object)}
    return {name: list(column) if name in object_columns else column for name, column in data.items()}


@dataclass(frozen=True)
class RowLocation:
    """Names the row of a document in the input, given where its id starts in the buffer.

    Attributes
    ----------
    name
        Name of the input.
    first
        Number of the first row.
    lines
        Whether rows are lines of a file.
    starts
        Where each id starts in the buffer.
    rows
        Row of each id, if rows hold lists of ids; else each row has one.
    """

    name: str
    first: int
    lines: bool
    starts: npt.NDArray[np.int64] | None = None
    rows: Ints | None = None

    def __call__(self, start: int) -> str:
        assert self.starts is not None
        index = int(np.searchsorted(self.starts, start))
        return self.row(index if self.rows is None else int(self.rows[index]))

    def row(self, row: int) -> str:
        return f"{self.name}:{row + self.first}" if self.lines else f"{self.name}: row {row + self.first}"


def rows_from_frame(frame: pl.DataFrame, value_field: str, name: str, first_row: int) -> tuple[Rows, int]:
    """Rows of a frame, and how many queries had rows in several places.

    Parameters
    ----------
    frame
        The frame.
    value_field
        "relevance" or "score".
    name
        What messages call the input.
    first_row
        Line of the first row in messages: 2 for a CSV file with a header; 0 if rows are not lines.

    Returns
    -------
    rows, n_scattered
        The rows, and the number of such queries.
    """
    location = RowLocation(name, first_row, bool(first_row))
    list_column = find_list_column(frame, value_field)
    if list_column is not None:
        return rows_from_list_column(frame, list_column, value_field, location), 0
    columns = columns_of_frame(frame, value_field, location, required_columns(frame.columns, value_field, name))
    interner = Interner()
    codes = interner.codes(columns.queries)
    docs = columns.docs
    # A document's start in the buffer tells its row, also after the rows have been regrouped.
    where = replace(location, starts=docs.starts)
    hashed, kind = hashes(docs), KINDS[value_field]
    return group_rows(list(interner.ids), codes, docs, hashed, columns.values, where, columns.subtopics, kind)


def has_lists(columns: Collection[str], value_field: str) -> bool:
    """Whether a table with these columns may have a list of ids in each row."""
    names = list(columns)
    return (
        find_column(names, COLUMN_NAMES["doc_id"]) is None and find_column(names, LIST_NAMES[value_field]) is not None
    )


def find_list_column(frame: pl.DataFrame, value_field: str) -> str | None:
    """The column with a list of ids in each row; None for a table with a document a row."""
    import polars as pl

    column = find_column(frame.columns, COLUMN_NAMES["doc_id"])
    if column is None:
        column = find_column(frame.columns, LIST_NAMES[value_field])
    return column if column is not None and isinstance(frame[column].dtype, (pl.List, pl.Array)) else None


def rows_from_list_column(frame: pl.DataFrame, column: str, value_field: str, location: RowLocation) -> Rows:
    """Rows of a frame with a query and its list of ids in each row, as `rows_from_lists`.

    A column with a list of numbers beside it holds the scores, or the relevances.
    """
    import polars as pl

    query_column = require_column(frame.columns, "query_id", QUERY_NAMES, location.name)
    query_fields = string_column(pl.DataFrame({"query_id": frame[query_column]}), "query_id", location.row)
    interner = Interner()
    codes = interner.codes(query_fields)
    if len(interner.ids) < frame.height:
        row = int(np.flatnonzero(np.maximum.accumulate(codes)[:-1] >= codes[1:])[0]) + 1
        query = list(interner.ids)[codes[row]].decode("utf-8", "replace")
        raise InputError(f"{location.row(row)}: query {query!r} has a list already, expected one list a query")
    lists = frame[column]
    refuse_missing_lists(lists, location, "a list of ids ([] for none)")
    lengths = lists.list.len().to_numpy().astype(np.int64)
    rows = np.repeat(np.arange(frame.height), lengths)
    if not rows.size:
        raise InputError(f"{location.name}: all lists of {column} are empty, expected at least one id")

    def location_of(index: int) -> str:
        return location.row(int(rows[index]))

    docs = string_column(pl.DataFrame({"doc_id": explode(lists)}), "doc_id", location_of)
    refuse_objects(query_fields, query_column, location.row)
    refuse_objects(docs, column, location_of)
    offsets = bounds(lengths)
    values = values_of_lists(offsets, value_field)
    number_column_name = find_column(frame.columns, NUMBER_LIST_NAMES[value_field])
    if number_column_name is not None and isinstance(frame[number_column_name].dtype, (pl.List, pl.Array)):
        numbers = frame[number_column_name]
        refuse_missing_lists(numbers, location, f"a number for each id of {column}")
        uneven = np.flatnonzero(numbers.list.len().to_numpy() != lengths)
        if uneven.size:
            row = int(uneven[0])
            raise InputError(
                f"{location.row(row)}: {column} has {lengths[row]} ids and {number_column_name} "
                f"{len(numbers[row])} numbers, expected one for each id"
            )
        values = number_column(pl.DataFrame({value_field: explode(numbers)}), value_field, location_of)
    where = replace(location, starts=docs.starts, rows=rows)
    return Rows(list(interner.ids), offsets, docs, hashes(docs), values, where, kind=KINDS[value_field])


#: How objects and lists begin in JSON.
OPENING = np.frombuffer(b"{[", np.uint8)


def refuse_objects(ids: Fields, column: str, location_of: Callable[[int], str]) -> None:
    """Raise InputError for an object or a list of JSON in the place of an id, which polars makes a text."""
    for index in np.flatnonzero(np.isin(ids.buffer[ids.starts], OPENING)).tolist():
        text = decode(ids.take(np.array([index])))[0].decode("utf-8", "replace")
        if is_json(text):
            raise InputError(
                f"{location_of(index)}: {column} holds {shorten_value(text)}, expected ids; write the id in the place "
                "of it"
            )


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def refuse_missing_lists(lists: pl.Series, location: RowLocation, expected: str) -> None:
    missing = lists.is_null().arg_true()
    if missing.len():
        raise InputError(f"{location.row(int(missing[0]))}: {lists.name} is empty, expected {expected}")


def explode(lists: pl.Series) -> pl.Series:
    """The values of all lists, one after the other; an empty list has none."""
    import polars as pl

    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    return lists.filter(lists.list.len() > 0).explode()


class RowColumns(NamedTuple):
    """The columns of a frame, in the order of its rows.

    Attributes
    ----------
    queries, docs
        Ids.
    values
        Scores or relevances.
    subtopics
        Subtopics, if there are any.
    """

    queries: Fields
    docs: Fields
    values: npt.NDArray[Any]
    subtopics: Fields | None


def required_columns(columns: Sequence[str], value_field: str, name: str) -> dict[str, str]:
    """The frame's column for each field that is read. Raises InputError where one is missing."""
    fields = ["query_id", "doc_id", value_field]
    if value_field == "relevance" and find_column(columns, COLUMN_NAMES["subtopic"]):
        fields.append("subtopic")
    if value_field == "score" and find_column(columns, COLUMN_NAMES["score"]) is None:
        rank_column = find_column(columns, RANK_NAMES)
        if rank_column is not None:
            return {**required_ids(columns, name), "rank": rank_column}
    return {field: require_column(columns, field, COLUMN_NAMES[field], name) for field in fields}


def required_ids(columns: Sequence[str], name: str) -> dict[str, str]:
    """The columns of queries and documents."""
    return {field: require_column(columns, field, COLUMN_NAMES[field], name) for field in ("query_id", "doc_id")}


def columns_of_frame(
    frame: pl.DataFrame, value_field: str, location: RowLocation, names: Mapping[str, str]
) -> RowColumns:
    """Validated ids and numbers. names: from `required_columns`. Raises InputError that names the row."""
    import polars as pl

    frame = pl.DataFrame({field: frame[column] for field, column in names.items()})
    if not frame.height:
        raise InputError(f"{location.name}: no data rows, expected at least one; write one row per document")
    if "rank" in names:  # of a run without scores
        values = -number_column(frame, "rank", location.row)
    else:
        values = number_column(frame, value_field, location.row)
    queries, docs = string_column(frame, "query_id", location.row), string_column(frame, "doc_id", location.row)
    subtopics = string_column(frame, "subtopic", location.row) if "subtopic" in names else None
    return RowColumns(queries, docs, values, subtopics)


def find_column(columns: Sequence[str], names: Iterable[str]) -> str | None:
    """The column with the first of these names that occurs, in any case and with blanks around it; None without one."""
    column_of_name = {column.strip().lower(): column for column in reversed(columns)}
    return next((column_of_name[name] for name in names if name in column_of_name), None)


def list_columns(columns: Sequence[str]) -> str:
    """The names of the columns, for a message."""
    return first_names(map(repr, columns), 8)


def require_column(columns: Sequence[str], field: str, names: Sequence[str], where: str) -> str:
    """The column that holds a field, by one of its names, ours first. Raises InputError where it is missing."""
    column = find_column(columns, names)
    if column is None:
        advice = missing_column_advice(columns, field, names)
        raise InputError(f"{where}: no column {field!r} among {list_columns(columns)}; {advice}")
    return column


#: What to do about a table of spans that is read as one of documents.
SPAN_ADVICE = "are these spans? Say what share of a gold span is to be covered: --overlap 0.5 (overlap=)"


def has_span_columns(columns: Sequence[str]) -> bool:
    """Whether a table has columns where spans begin and end."""
    return all(find_column(columns, names) is not None for names in (BEGIN_NAMES, END_NAMES))


def missing_column_advice(columns: Sequence[str], field: str, names: Sequence[str]) -> str:
    """Advice where no column has one of these names."""
    if len(columns) == 1 and any(separator in columns[0] for separator in ";|"):
        return "are there ; or | between the columns? Put tabs in their place (and points in that of decimal commas)"
    if field == "doc_id":
        if has_span_columns(columns):
            return SPAN_ADVICE
        list_name = find_column(columns, [name for options in LIST_NAMES.values() for name in options])
        if list_name is not None:
            return f"{list_name} holds no lists, expected a list of ids in each row, as JSON writes it"
    return f"rename one of them to {field} (also understood: {', '.join(names[1:])})"


def string_column(frame: pl.DataFrame, field: str, where: Any) -> Fields:
    """A column of ids as slices of one buffer."""
    import polars as pl

    series = frame[field]
    if not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
        raise InputError(
            f"{where(0)}: column {field!r} holds {series.dtype}, expected strings or whole numbers; "
            "convert the ids first"
        )
    series = series.cast(pl.String)
    n_bytes = series.str.len_bytes()
    missing_rows = (series.is_null() | (n_bytes == 0)).arg_true()
    if missing_rows.len():
        raise InputError(
            f"{where(int(missing_rows[0]))}: the {field} is empty, expected an id; fill it in or drop the row"
        )
    lengths = n_bytes.to_numpy().astype(np.int64)
    return pack_strings([((series.str.join("").item() or "").encode(), lengths)])


def number_column(frame: pl.DataFrame, field: str, where: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A column of scores or relevances."""
    import polars as pl

    series = frame[field]
    expected = EXPECTED_GRADE if field == "relevance" else "a finite number"
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String).str.strip_chars()
    elif not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null)):
        raise InputError(f"{where(0)}: column {field!r} holds {series.dtype}, expected numbers; convert it first")
    values = series.cast(pl.Float64, strict=False)
    is_invalid = values.is_null() | ~values.is_finite()
    if field == "relevance":
        is_invalid = is_invalid | (values.abs() >= 2.0**53)
    invalid_rows = is_invalid.fill_null(True).arg_true()
    if invalid_rows.len():
        row = int(invalid_rows[0])
        if series[row] in (None, ""):
            raise InputError(f"{where(row)}: the {field} is empty, expected {expected}; fill it in or drop the row")
        raise InputError(f"{where(row)}: {field} {series[row]!r}, expected {expected}; correct this row")
    numbers = values.to_numpy()
    return as_grades(numbers) if field == "relevance" else numbers


#: Reads pieces of a run: (pieces, what messages call the run).
PieceReader = Callable[[Iterator[Any], str], Iterator[RowBatch]]


def detect_pieces(data: Iterator[Any]) -> tuple[PieceReader | None, Iterator[Any]]:
    """The reader for these pieces of a run, None where they are no pieces; and the iterator with its first item."""
    for first_piece in data:
        if is_scored_list(first_piece):
            return batches_from_lists, chain([first_piece], data)
        return (batches_from_frames if is_tabular(first_piece) else None), chain([first_piece], data)
    return None, data


def is_scored_list(piece: Any) -> bool:
    """Whether it is a query with documents and scores."""
    return isinstance(piece, tuple) and len(piece) == 3 and hasattr(piece[1], "__len__") and not is_text(piece[1])


def is_text(x: Any) -> bool:
    return isinstance(x, (str, bytes))


def is_tabular(piece: Any) -> bool:
    """Whether it is a data frame or a mapping of columns."""
    if isinstance(piece, Mapping):
        columns = piece.values()
        return bool(piece) and all(
            hasattr(c, "__len__") and not is_text(c) and not isinstance(c, Mapping) for c in columns
        )
    return hasattr(piece, "__arrow_c_stream__") or hasattr(piece, "columns")


def batches_from_lists(pieces: Iterator[Any], name: str) -> Iterator[RowBatch]:
    """Batches of some thousand documents each."""
    pending: list[tuple[str, list[str], Any]] = []
    last_query: str | None = None
    n_pending = n_done = 0
    for piece in pieces:
        scored_list = check_scored_list(piece, name)
        if scored_list[0] == last_query:
            raise InputError(f"{name}: query {last_query!r} comes twice, expected it once with all its documents")
        last_query = scored_list[0]
        pending.append(scored_list)
        n_pending += len(scored_list[1])
        if n_pending >= CHUNK:
            yield batch_of_lists(pending, n_done)
            pending, n_pending, n_done = [], 0, n_done + n_pending
    if pending:
        yield batch_of_lists(pending, n_done)


def check_scored_list(piece: Any, name: str) -> tuple[str, list[str], np.ndarray[Any, np.dtype[np.float64]]]:
    """A query, its documents and scores, validated."""
    if not is_scored_list(piece):
        raise InputError(f"{name}: {type_with_article(piece)} among its pieces, expected (query, documents, scores)")
    query, docs, raw_scores = piece
    try:
        is_valid = are_valid_ids([query])
    except (TypeError, UnicodeEncodeError):
        is_valid = False
    if not is_valid:
        raise InputError(f"{name}: the query id {query!r} is empty or not a string; use str(...)")
    docs = docs.tolist() if isinstance(docs, np.ndarray) else list(docs)
    invalid_docs = [doc for doc in docs if not isinstance(doc, str) or not doc]
    try:
        is_valid = not invalid_docs and are_valid_ids(docs)
    except UnicodeEncodeError:
        is_valid = False
    if not is_valid:
        problem = f"{invalid_docs[0]!r} is empty or not a string" if invalid_docs else "one is not valid Unicode"
        raise InputError(f"{name}: of the document ids of query {query!r} {problem}, expected ids; use str(...)")
    scores = np.asarray(raw_scores)
    if scores.shape != (len(docs),):
        raise InputError(
            f"{name}: query {query!r} has {len(docs)} documents and scores of shape {scores.shape}, expected one each"
        )
    if docs and (scores.dtype.kind not in "fiub" or not np.isfinite(scores).all()):
        raise InputError(f"{name}: the scores of query {query!r} are not all finite numbers; correct them")
    return query, docs, scores.astype(np.float64)


def batch_of_lists(lists: list[tuple[str, list[str], Any]], first_number: int) -> RowBatch:
    """first_number: the number of the first document."""
    lengths = np.array([scores.size for _, _, scores in lists])
    docs = encode([doc for _, docs, _ in lists for doc in docs])
    values = np.concatenate([scores for _, _, scores in lists])
    numbers: Ints = np.arange(first_number, first_number + values.size)
    return RowBatch(encode([q for q, _, _ in lists]), np.cumsum(lengths) - lengths, docs, hashes(docs), values, numbers)


def batches_from_frames(pieces: Iterator[Any], name: str) -> Iterator[RowBatch]:
    """One batch for each frame."""
    import polars as pl

    n_done = 0
    for piece in pieces:
        try:
            if not is_tabular(piece):
                raise TypeError
            frame = to_frame(piece)
        except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError):
            raise InputError(
                f"{name}: {type_with_article(piece)} among its pieces, expected data frames with query_id, doc_id, "
                "score"
            ) from None
        if frame.height:
            names = required_columns(frame.columns, "score", name)
            row_columns = columns_of_frame(frame, "score", RowLocation(name, n_done, lines=False), names)
            yield row_batch(
                row_columns.queries, row_columns.docs, row_columns.values, np.arange(n_done, n_done + frame.height)
            )
            n_done += frame.height

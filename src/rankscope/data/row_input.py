"""Makes rows from data in memory: mappings by query, lists of ids, data frames and columns, and runs piece by piece."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.row_tables import (
    KINDS,
    SCHEMAS,
    batch_from_table,
    query_of_lists,
    rows_from_table,
    values_of_lists,
)
from rankscope.data.rows import (
    BLOCK_ROWS,
    RowBatch,
    RowKind,
    Rows,
    first_invalid_id,
)
from rankscope.data.tables import bound_table, shorten_value, to_frame, type_with_article
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import encode, hashes
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DICT_SHAPE",
    "PieceReader",
    "all_integers",
    "are_by_subtopic",
    "detect_pieces",
    "is_mapping_of_lists",
    "is_mapping_of_mappings",
    "make_rows",
    "refuse_bad_ids",
    "refuse_columns",
    "refuse_values",
    "rows_from_data",
    "rows_from_dicts",
    "rows_from_lists",
    "to_numbers",
]


DICT_SHAPE = "{query: {document: number}}"
#: What a value must be, and what to do otherwise, for messages.
EXPECTED = {
    "relevance": f"{EXPECTED_GRADE}; correct it or leave the document out",
    "score": "a finite number; correct it or leave the document out",
}
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
    return make_rows(queries, lengths, docs, values, name, KINDS[value_field])


def subtopic_rows(data: Dicts, name: str, allow_bool: bool) -> Rows:
    """Judgments {query: {subtopic: {document: relevance}}} as rows. Raises InputError."""
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
    return make_rows(list(data), np.array(lengths, np.int64), docs, values, name, "qrels", subtopics=subtopic_of_row)


def make_rows(
    queries: list[str],
    lengths: Ints,
    docs: list[Any],
    values: Numbers,
    name: str,
    kind: RowKind,
    *,
    subtopics: list[str] | None = None,
    locate: Callable[[int], str] | None = None,
) -> Rows:
    """Rows from the documents of all queries, one after the other.

    Parameters
    ----------
    queries
        Ids of the queries.
    lengths
        How many documents each query has.
    docs, values
        Id and value of each document.
    name
        What messages call the input.
    kind
        What the values are.
    subtopics
        Subtopic of each document, if judgments are by subtopic.
    locate
        Gives the place of a document by its index, for messages. Default: its query.

    Raises
    ------
    InputError
        An id is wrong, or there is no document.
    """
    if not docs:
        raise InputError(f"{name}: no documents, expected at least one: {DICT_SHAPE}")
    offsets = bounds(lengths)

    def place(row: int) -> str:
        return f"{name}: query {queries[int(np.searchsorted(offsets, row, side='right')) - 1]!r}"

    locate = locate or place
    refuse_bad_ids(docs, locate, "document")
    fields, ids = encode(docs), [query.encode("utf-8", "surrogateescape") for query in queries]
    subtopic_ids = None if subtopics is None else encode(subtopics)

    def where(start: int) -> str:
        return locate(int(np.searchsorted(fields.starts, start)))

    return Rows(ids, offsets, fields, hashes(fields), values, where, subtopic_ids, kind)


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


def refuse_bad_ids(ids: Collection[Any], where: str | Callable[[int], str], noun: str) -> None:
    """Raise InputError for an id that is no string, empty, or no valid Unicode.

    where: the place of all ids, or gives that of one by its index. noun: the kind of ids.
    """
    index = first_invalid_id(ids)
    if index is not None:
        id_ = next(islice(ids, index, None))
        raise InputError(
            f"{where if isinstance(where, str) else where(index)}: the {noun} id {shorten_value(id_)} is not a string, "
            "is empty or is not valid Unicode; expected text, as str(...) makes it; correct it"
        )


def refuse_columns(columns: Mapping[str, str] | None, data: str) -> None:
    """Raise ParameterError where the user names columns of data that have none."""
    if columns:
        raise ParameterError(f"columns is for tables, and these are {data}; leave it out")


def is_mapping_of_mappings(data: Any) -> bool:
    """Whether it is `{query_id: {document_id: value}}`; an empty mapping is."""
    if type(data) is dict and all(type(docs) is dict for docs in data.values()):  # the usual case, checked quickly
        return True
    return isinstance(data, Mapping) and all(isinstance(docs, Mapping) for docs in data.values())


def is_mapping_of_lists(data: Any, columns: Mapping[str, str] | None = None) -> bool:
    """Whether it is `{query_id: [document_id, ...]}`, and not a table whose columns are lists.

    columns: what the user calls columns.
    """
    if not isinstance(data, Mapping) or not data or not all(map(is_list, data.values())):
        return False
    if columns and not data.keys().isdisjoint(columns.values()):
        return False
    names = {name for schema in SCHEMAS.values() for column in schema.columns for name in column.names} - {"id"}
    n_column_names = sum(isinstance(key, str) and key.strip().lower() in names for key in data)
    return n_column_names < min(2, len(data))


def is_list(value: object) -> bool:
    """Whether it is a collection of values: a list, tuple, set or one-dimensional array."""
    return isinstance(value, (list, tuple, set, frozenset)) or (isinstance(value, np.ndarray) and value.ndim == 1)


def rows_from_lists(data: Mapping[str, Collection[Any]], name: str, value_field: str) -> Rows:
    """Lists of ids as rows: the score is minus the rank in a run, and in judgments each id has relevance 1.

    Parameters
    ----------
    data
        {query_id: [document_id, ...]}; queries with empty lists are kept.
    name
        What messages call the input.
    value_field
        "relevance" or "score".

    Raises
    ------
    InputError
        An id is wrong, or a run holds sets, which have no order.
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
    return make_rows(queries, lengths, list(chain.from_iterable(lists)), values, name, KINDS[value_field])


def rows_from_data(data: Any, value_field: str, columns: Mapping[str, str] | None = None) -> Rows:
    """Rows from a data frame or a mapping of columns held in memory. columns: as for `Schema.bind`."""
    kind = "qrels" if value_field == "relevance" else "run"
    shape = f"{{document: {value_field}}}"
    expected = f"{{query: {shape}}}, a data frame or a mapping of columns query_id, doc_id, {value_field}"
    if isinstance(data, (str, os.PathLike)):
        raise InputError(f"{kind}: {data!r} is a path, expected data; use read_{kind}(path)")
    try:
        frame = to_frame(data)
    except InputError as error:
        problem = f"its columns are no table ({error})" if isinstance(data, Mapping) else type_with_article(data)
        raise InputError(f"{kind}: {problem}, expected {expected}") from None
    if not columns and isinstance(data, Mapping) and query_of_lists(frame.columns) is None:
        key, column = next((key, column) for key, column in data.items() if not isinstance(column, Mapping))
        raise InputError(
            f"{kind}: the value of {key!r} is {type_with_article(column)}, expected {shape}; or, for a table, columns "
            f"query_id, doc_id, {value_field}"
        )
    return rows_from_table(bound_table(frame, kind, SCHEMAS[value_field], columns or {}), value_field)[0]


#: Reads pieces of a run: (pieces, what messages call the run, what its columns are called).
PieceReader = Callable[[Iterator[Any], str, Mapping[str, str]], Iterator[RowBatch]]


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


def batches_from_lists(pieces: Iterator[Any], name: str, columns: Mapping[str, str]) -> Iterator[RowBatch]:
    """Batches of some thousand documents each."""
    refuse_columns(columns, "lists of documents")
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
        if n_pending >= BLOCK_ROWS:
            yield batch_of_lists(pending, n_done)
            pending, n_pending, n_done = [], 0, n_done + n_pending
    if pending:
        yield batch_of_lists(pending, n_done)


def check_scored_list(piece: Any, name: str) -> tuple[str, list[str], np.ndarray[Any, np.dtype[np.float64]]]:
    """A query, its documents and scores, validated."""
    if not is_scored_list(piece):
        raise InputError(f"{name}: {type_with_article(piece)} among its pieces, expected (query, documents, scores)")
    query, docs, raw_scores = piece
    refuse_bad_ids([query], name, "query")
    docs = docs.tolist() if isinstance(docs, np.ndarray) else list(docs)
    refuse_bad_ids(docs, f"{name}: query {query!r}", "document")
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


def batches_from_frames(pieces: Iterator[Any], name: str, columns: Mapping[str, str]) -> Iterator[RowBatch]:
    """One batch for each frame."""
    n_done = 0
    for piece in pieces:
        frame = None
        with suppress(InputError):
            frame = to_frame(piece) if is_tabular(piece) else None
        if frame is None:
            raise InputError(
                f"{name}: {type_with_article(piece)} among its pieces, expected data frames with query_id, doc_id, "
                "score"
            )
        if frame.height:
            yield batch_of_frame(frame, name, columns, n_done)
            n_done += frame.height


def batch_of_frame(frame: pl.DataFrame, name: str, columns: Mapping[str, str], n_before: int) -> RowBatch:
    """n_before: rows of earlier frames."""
    table = bound_table(frame, name, SCHEMAS["score"], columns, locate=lambda row: f"{name}: row {row + n_before}")
    return batch_from_table(table, np.arange(n_before, n_before + frame.height))

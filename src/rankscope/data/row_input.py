"""Makes rows from data in memory: mappings by query, data frames and columns, and runs given piece by piece."""

from __future__ import annotations

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
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, encode, hashes
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "COLUMN_NAMES",
    "DICT_SHAPE",
    "PieceReader",
    "RowLocation",
    "all_integers",
    "are_by_subtopic",
    "columns_of_frame",
    "detect_pieces",
    "find_column",
    "is_mapping_of_mappings",
    "list_columns",
    "refuse_bad_ids",
    "refuse_values",
    "require_column",
    "required_columns",
    "rows_from_data",
    "rows_from_dicts",
    "rows_from_frame",
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
    "query_id": ("query_id", "qid", "q_id", "query", "topic", "query-id", "topic_id"),
    # PyTerrier's results have docno, the name of the document, beside docid, its number within the index.
    "doc_id": ("doc_id", "docno", "docid", "doc", "document_id", "corpus-id", "did", "document", "pid", "passage_id"),
    "relevance": ("relevance", "rel", "label", "grade", "judgment", "score"),
    "score": ("score", "sim", "similarity"),
    "subtopic": ("subtopic", "subtopic_id"),
}


def is_mapping_of_mappings(data: Any) -> bool:
    """Whether it is `{query_id: {document_id: value}}`; an empty mapping is."""
    if type(data) is dict and all(type(docs) is dict for docs in data.values()):  # the usual case, checked quickly
        return True
    return isinstance(data, Mapping) and all(isinstance(docs, Mapping) for docs in data.values())


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
        Where each row starts in the buffer.
    """

    name: str
    first: int
    lines: bool
    starts: npt.NDArray[np.int64] | None = None

    def __call__(self, start: int) -> str:
        assert self.starts is not None
        return self.row(int(np.searchsorted(self.starts, start)))

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
    columns = columns_of_frame(frame, value_field, location, required_columns(frame.columns, value_field, name))
    interner = Interner()
    codes = interner.codes(columns.queries)
    docs = columns.docs
    # A document's start in the buffer tells its row, also after the rows have been regrouped.
    where = replace(location, starts=docs.starts)
    hashed, kind = hashes(docs), KINDS[value_field]
    return group_rows(list(interner.ids), codes, docs, hashed, columns.values, where, columns.subtopics, kind)


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
    return {field: require_column(columns, field, COLUMN_NAMES[field], name) for field in fields}


def columns_of_frame(
    frame: pl.DataFrame, value_field: str, location: RowLocation, names: Mapping[str, str]
) -> RowColumns:
    """Validated ids and numbers. names: from `required_columns`. Raises InputError that names the row."""
    import polars as pl

    frame = pl.DataFrame({field: frame[column] for field, column in names.items()})
    if not frame.height:
        raise InputError(f"{location.name}: no data rows, expected at least one; write one row per document")
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


def missing_column_advice(columns: Sequence[str], field: str, names: Sequence[str]) -> str:
    """Advice where no column has one of these names."""
    if len(columns) == 1 and any(separator in columns[0] for separator in ";|"):
        return "are there ; or | between the columns? Put tabs in their place (and points in that of decimal commas)"
    if field == "score" and find_column(columns, ("rank",)) is not None:
        return "ranks are no scores, since the lowest is the best: add a column score, as 1 / rank"
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

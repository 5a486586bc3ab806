"""Data frames and columns to rows. polars does the work and is imported only here, only when needed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, Rows, group_rows
from rankscope.data.stretches import pack_strings
from rankscope.data.wording import first_names
from rankscope.errors import InputError
from rankscope.kernels.text import Fields, hashes

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "COLUMN_NAMES",
    "RowLocation",
    "type_with_article",
    "to_frame",
    "require_column",
    "columns_of_frame",
    "rows_from_data",
    "is_mapping_of_mappings",
    "required_columns",
    "find_column",
    "rows_from_frame",
    "list_columns",
]

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
    if type(data) is dict and all(type(docs) is dict for docs in data.values()):  # quickly told
        return True
    return isinstance(data, Mapping) and all(isinstance(docs, Mapping) for docs in data.values())


def rows_from_data(data: Any, value: str) -> Rows:
    """Rows from a data frame or a mapping of columns held in memory."""
    import polars as pl

    kind = "qrels" if value == "relevance" else "run"
    shape = f"{{document: {value}}}"
    expected = f"{{query: {shape}}}, a data frame or a mapping of columns query_id, doc_id, {value}"
    if isinstance(data, (str, os.PathLike)):
        raise InputError(f"{kind}: {data!r} is a path, expected data; use read_{kind}(path)")
    try:
        frame = to_frame(data)
    except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError) as error:
        if not isinstance(data, Mapping):
            raise InputError(f"{kind}: {type_with_article(data)}, expected {expected}") from None
        said = str(error).partition("\n")[0]
        raise InputError(f"{kind}: its columns are no table ({said}), expected {expected}") from None
    if isinstance(data, Mapping) and find_column(frame.columns, COLUMN_NAMES["query_id"]) is None:
        key, found = next((key, found) for key, found in data.items() if not isinstance(found, Mapping))
        raise InputError(
            f"{kind}: the value of {key!r} is {type_with_article(found)}, expected {shape}; or, for a table, columns "
            f"query_id, doc_id, {value}"
        )
    return rows_from_frame(frame, value, kind, first_row=0)[0]


def type_with_article(x: object) -> str:
    name = type(x).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def to_frame(data: Any) -> pl.DataFrame:
    """Whatever it is, as a polars frame."""
    import polars as pl

    if isinstance(data, Mapping):
        return pl.DataFrame(plain_columns(data))
    if isinstance(data, Iterable) and not hasattr(data, "columns") and not hasattr(data, "__arrow_c_stream__"):
        data = list(data)
        if not all(isinstance(row, Mapping) for row in data):
            raise TypeError  # polars would take tuples for columns
    try:
        return pl.DataFrame(data)
    except ImportError:  # pandas without pyarrow
        return pl.DataFrame({str(name): data[name].tolist() for name in data.columns})


def plain_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with NumPy's object arrays as lists, which polars looks into."""
    objects = {name for name, column in data.items() if getattr(column, "dtype", None) == np.dtype(object)}
    return {name: list(column) if name in objects else column for name, column in data.items()}


@dataclass(frozen=True)
class RowLocation:
    """Says in which row of the input a document stands, from where its id starts in the buffer.

    first: the number of the first row. lines: whether rows are lines of a file.
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


def rows_from_frame(frame: pl.DataFrame, value: str, name: str, first_row: int) -> tuple[Rows, int]:
    """Rows of a frame, and how many queries had their rows apart.

    first_row: the line of the first row in messages: 2 for a CSV file with a header; 0 where rows are no lines.
    """
    place = RowLocation(name, first_row, bool(first_row))
    columns = columns_of_frame(frame, value, place, required_columns(frame.columns, value, name))
    interner = Interner()
    codes = interner.codes(columns.queries)
    docs = columns.docs
    # A document's start in the buffer tells its row, also after the rows have been regrouped.
    where = replace(place, starts=docs.starts)
    return group_rows(list(interner.ids), codes, docs, hashes(docs), columns.values, where, columns.subtopics)


class RowColumns(NamedTuple):
    """The columns of a frame, as they stand there."""

    queries: Fields
    docs: Fields
    values: npt.NDArray[Any]
    subtopics: Fields | None


def required_columns(columns: Sequence[str], value: str, name: str) -> dict[str, str]:
    """Our names of the columns that are read -> theirs. Raises InputError where one is missing."""
    fields = ["query_id", "doc_id", value]
    if value == "relevance" and find_column(columns, COLUMN_NAMES["subtopic"]):
        fields.append("subtopic")
    return {field: require_column(columns, field, COLUMN_NAMES[field], name) for field in fields}


def columns_of_frame(frame: pl.DataFrame, value: str, place: RowLocation, names: Mapping[str, str]) -> RowColumns:
    """Ids and numbers, checked. names: from `required_columns`. Raises InputError that names the row."""
    import polars as pl

    frame = pl.DataFrame({field: frame[called] for field, called in names.items()})
    if not frame.height:
        raise InputError(f"{place.name}: no data rows, expected at least one; write one row a document")
    values = number_column(frame, value, place.row)
    queries, docs = string_column(frame, "query_id", place.row), string_column(frame, "doc_id", place.row)
    subtopics = string_column(frame, "subtopic", place.row) if "subtopic" in names else None
    return RowColumns(queries, docs, values, subtopics)


def find_column(columns: Sequence[str], names: Iterable[str]) -> str | None:
    """The first of these names that a column has, as it is written there: in any case, with blanks around it."""
    there = {called.strip().lower(): called for called in reversed(columns)}
    return next((there[name] for name in names if name in there), None)


def list_columns(columns: Sequence[str]) -> str:
    """The names of the columns, for a message."""
    return first_names(map(repr, columns), 8)


def require_column(columns: Sequence[str], field: str, names: Sequence[str], where: str) -> str:
    """The column that holds a field, by one of its names, ours first. Raises InputError where there is none."""
    found = find_column(columns, names)
    if found is None:
        advice = missing_column_advice(columns, field, names)
        raise InputError(f"{where}: no column {field!r} among {list_columns(columns)}; {advice}")
    return found


def missing_column_advice(columns: Sequence[str], field: str, names: Sequence[str]) -> str:
    """What to do where no column has one of these names."""
    if len(columns) == 1 and any(mark in columns[0] for mark in ";|"):
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
    sizes = series.str.len_bytes()
    missing = (series.is_null() | (sizes == 0)).arg_true()
    if missing.len():
        raise InputError(f"{where(int(missing[0]))}: the {field} is empty, expected an id; fill it in or drop the row")
    lengths = sizes.to_numpy().astype(np.int64)
    return pack_strings([((series.str.join("").item() or "").encode(), lengths)])


def number_column(frame: pl.DataFrame, field: str, where: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A column of scores (float64) or relevances (int64)."""
    import polars as pl

    series = frame[field]
    kind = "a whole number" if field == "relevance" else "a finite number"
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String).str.strip_chars()
    elif not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null)):
        raise InputError(f"{where(0)}: column {field!r} holds {series.dtype}, expected numbers; convert it first")
    values = series.cast(pl.Float64, strict=False)
    bad = values.is_null() | ~values.is_finite()
    if field == "relevance":
        bad = bad | (values != values.round(0)) | (values.abs() >= 2.0**53)
    places = bad.fill_null(True).arg_true()
    if places.len():
        row = int(places[0])
        if series[row] in (None, ""):
            raise InputError(f"{where(row)}: the {field} is empty, expected {kind}; fill it in or drop the row")
        raise InputError(f"{where(row)}: {field} {series[row]!r}, expected {kind}; correct this row")
    array = values.to_numpy()
    return array.astype(np.int64) if field == "relevance" else array

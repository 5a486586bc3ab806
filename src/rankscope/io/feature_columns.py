"""Tables of features: a row a document, with columns of its query, its grade, perhaps its name, and its features."""

from __future__ import annotations

import numpy as np

from rankscope.data.features import Features, Table
from rankscope.data.frames import COLUMN_NAMES, column_named, one_of
from rankscope.data.wording import counted, listed
from rankscope.errors import InputError
from rankscope.io.feature_lines import LARGEST, Dtype
from rankscope.io.ranking_tables import Frame, as_numbers, name_column, numbers

__all__ = ["KEYS", "QUERY", "features_in"]

QUERY = "a line of names (query_id,relevance,doc_id, and the features') and a line a document"
#: What the columns that are no features may be called, ours first. A column called score is a feature.
KEYS = {
    "query_id": COLUMN_NAMES["query_id"],
    "relevance": tuple(name for name in COLUMN_NAMES["relevance"] if name != "score"),
    "doc_id": COLUMN_NAMES["doc_id"],
}


def features_in(table: Frame, kind: Dtype, name: str) -> Features:
    """The documents of a table. name: of the whole.

    Raises InputError for a column of queries or grades that is missing, an empty query, a grade that is no whole
    number, a cell that is no finite number in a column of numbers, no feature, no row.
    """
    there = table.frame.columns
    keys = {field: column_named(there, field, KEYS[field], table.head) for field in ("query_id", "relevance")}
    document = one_of(there, KEYS["doc_id"])
    rest = [column for column in there if column not in {*keys.values(), document}]
    height = table.frame.height
    if not height:
        raise InputError(f"{table.name}: no documents after the line of names, expected at least one")
    grades = numbers(table, keys["relevance"])
    odd = ~(grades == np.floor(grades))  # NaN, too
    if odd.any():
        row = int(np.argmax(odd))
        shown = table.frame[keys["relevance"]][row]
        raise InputError(f"{table.where(row)}: grade {shown!r}, expected a whole number; correct this line")
    queries = name_column(table, keys["query_id"], "query").to_numpy()
    docs = None if document is None else name_column(table, document, "document").to_list()
    features = [column for column in rest if has_numbers(table, column)]
    if not features:
        raise InputError(f"{table.head}: no column of numbers beside those of queries and grades, expected features")
    values = np.zeros((height, len(features)), kind)
    missing = [fill(values[:, i], table, column) for i, column in enumerate(features)]
    notes = []
    left = [column.strip() for column in rest if column not in set(features)]
    if left:
        notes.append(f"{table.name}: {listed(map(repr, left))} left out: no numbers")
    if any(missing):
        holes = [column.strip() for column, n in zip(features, missing, strict=True) if n]
        notes.append(f"{table.name}: {counted(sum(missing), 'missing value')} taken for 0 ({listed(map(repr, holes))})")
    return Features.of(
        values,
        grades.astype(np.int64),
        queries,
        names=tuple(column.strip() for column in features),
        doc_ids=docs,
        name=name,
        notes=tuple(notes),
    )


def has_numbers(table: Frame, column: str) -> bool:
    """Whether a column holds at least one number. A single cell that is none is then told, and not passed over."""
    values, _ = as_numbers(table.frame[column])
    return values.dtype.is_numeric() and values.null_count() < values.len() and not bool(values.is_nan().all())


def fill(out: Table, table: Frame, column: str) -> int:
    """Write a column's numbers; what comes back is how many are missing, which stay 0."""
    found = numbers(table, column)
    none = np.isnan(found)
    beyond = np.abs(found) > LARGEST[np.float32 if out.dtype == np.float32 else np.float64]
    if beyond.any():
        row = int(np.argmax(beyond))
        raise InputError(
            f"{table.where(row)}: {column} is {found[row]:g}, beyond float32; read with dtype='float64', or correct it"
        )
    out[~none] = found[~none]
    return int(none.sum())

"""Features from tables: a row per document, with columns of its query, its grade, its name and its features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.features import Features
from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.row_tables import DOC_ID, QUERY_ID, SCHEMAS
from rankscope.data.tables import find_column, require_column
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.letor.feature_lines import BEYOND, LARGEST, Dtype
from rankscope.io.tables import NO_VALUE, NamedTable, name_column, number_values, parse_number_column
from rankscope.typing import Grades, Reals

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "KEYS",
    "QUERY",
    "features_of_table",
    "refuse_second_key",
    "refuse_unnamed",
]


QUERY = "a header line (query_id,relevance,doc_id, and the features') and one line per document"
#: Names of the columns that are not features; the first of each is ours. A column called score or rating is a feature.
KEYS = {
    "query_id": QUERY_ID.names,
    "relevance": tuple(
        name for name in SCHEMAS["relevance"].column("relevance").names if name not in ("score", "rating")
    ),
    "doc_id": DOC_ID.names,
}
#: Larger grades are not exact as float64.
#: What these columns hold, for messages.
CONTENTS = {"query_id": "queries", "relevance": "grades", "doc_id": "documents"}
#: The prefix of pandas' index columns in Parquet.
INDEX = "__index_level_"
TRUTH_TEXTS = ("true", "false")


def features_of_table(
    table: NamedTable, dtype: Dtype, name: str, *, columns: Sequence[str] | None = None, graded: bool = True
) -> Features:
    """The documents of a table.

    Parameters
    ----------
    table
        The table.
    dtype
        "float32" or "float64".
    name
        Name of the features.
    columns
        Selected features, if any.
    graded
        Whether grades are required; else a missing or empty column of grades gives zeros.

    Returns
    -------
    Features
        The documents, grouped by query.

    Raises
    ------
    InputError
        A column of queries or grades is missing or repeated, a query is empty, a grade is not a number, a cell is
        not a finite number in a column of numbers, or there are no features or rows.
    """
    column_names = table.frame.columns
    keys = {"query_id": require_column(column_names, "query_id", KEYS["query_id"], table.header_location)}
    if graded or find_column(column_names, KEYS["relevance"]) is not None:
        keys["relevance"] = require_column(column_names, "relevance", KEYS["relevance"], table.header_location)
    doc_column = find_column(column_names, KEYS["doc_id"])
    if doc_column is not None:
        keys["doc_id"] = doc_column
    other_columns = [column for column in column_names if column not in keys.values()]
    height = table.frame.height
    if not height:
        raise InputError(f"{table.name}: no documents after the header line, expected at least one")
    grades = read_grades(table, keys.get("relevance"), graded)
    queries = name_column(table, keys["query_id"], "query").to_numpy()
    docs = None if doc_column is None else name_column(table, doc_column, "document").to_list()
    table = table._replace(
        frame=table.frame.with_columns(parse_truths(table.frame[column]) for column in other_columns)
    )
    features = [column for column in other_columns if has_numbers(table, column)]
    if columns is None:
        refuse_second_key(features, table.header_location, keys)
    if not features:
        raise InputError(
            f"{table.header_location}: no column of numbers besides those of queries and grades, expected features"
        )
    values = np.zeros((height, len(features)), dtype)
    n_missing = [fill_column(values[:, i], table, column) for i, column in enumerate(features)]
    notes = []
    skipped = [column.strip() for column in other_columns if column not in set(features)]
    if skipped:
        notes.append(f"{table.name}: {join_names(map(repr, skipped))} skipped: no numbers")
    if any(n_missing):
        incomplete = [column.strip() for column, n in zip(features, n_missing, strict=True) if n]
        notes.append(
            f"{table.name}: {pluralise(sum(n_missing), 'missing value')} taken for 0 "
            f"({join_names(map(repr, incomplete))})"
        )
    return Features.of(
        values,
        grades,
        queries,
        names=tuple(column.strip() for column in features),
        doc_ids=docs,
        name=name,
        notes=tuple(notes),
        empty=tuple(
            column.strip() for column in other_columns if reserved_field(column) is None and is_empty(table, column)
        ),
    )


# Names


def reserved_field(column: str) -> str | None:
    """The field of a column with this name; None for a feature."""
    name = column.strip().lower()
    return next((field for field, names in KEYS.items() if name in names), None)


def refuse_unnamed(names: Sequence[str], location: str) -> None:
    """Raise InputError for columns without a name and for repeated names. names: as in the file."""
    seen: set[str] = set()
    for i, name in enumerate((name.strip() for name in names), 1):
        if not name or name.startswith(INDEX):
            raise InputError(
                f"{location}: column {i} has no name{f' of its own ({name})' if name else ''}, expected one for each; "
                "name it, or write the table without it (pandas: index=False)"
            )
        if name in seen:
            raise InputError(f"{location}: two columns are named {name!r}, expected one; rename or drop one of them")
        seen.add(name)


def refuse_second_key(features: Sequence[str], location: str, keys: dict[str, str] | None = None) -> None:
    """Raise InputError for a feature named as a column of queries, grades or documents: it could leak the labels.

    Parameters
    ----------
    features
        Names of the features.
    location
        What the message begins with.
    keys
        The columns that were read as these.
    """
    for name in features:
        field = reserved_field(name)
        if field is not None:
            beside = "" if keys is None or field not in keys else f" beside {keys[field]!r}"
            raise InputError(
                f"{location}: column {name.strip()!r}{beside} is by its name another one of {CONTENTS[field]}, "
                "expected "
                "one; drop or rename it, or in Python name the features to keep (columns)"
            )


# Cells


def read_grades(table: NamedTable, column: str | None, graded: bool) -> Grades | None:
    """The grades; None where there are none and they are optional."""
    if column is None or (not graded and is_empty(table, column)):
        return None
    grades = number_values(table, column)
    invalid = invalid_grades(grades)  # NaN, too
    if invalid.any():
        row = int(np.argmax(invalid))
        raise InputError(
            f"{table.location(row)}: grade {table.frame[column][row]!r}, expected {EXPECTED_GRADE}; correct this line"
        )
    return as_grades(grades)


def parse_truths(series: pl.Series) -> pl.Series:
    """A column of true and false as 1 and 0, also as texts; other columns unchanged."""
    import polars as pl

    if series.dtype == pl.String:
        first_text = series.drop_nulls().head(1).str.to_lowercase()
        if not first_text.is_in(TRUTH_TEXTS).any():  # avoids checking each cell of other columns
            return series
        lower_texts = series.str.to_lowercase()
        if not lower_texts.drop_nulls().is_in((*TRUTH_TEXTS, *NO_VALUE)).all():
            return series
        return pl.DataFrame({"x": lower_texts}).select(
            pl.when(pl.col("x") == "true").then(1.0).when(pl.col("x") == "false").then(0.0).alias(series.name)
        )[series.name]
    return series.cast(pl.Float64) if series.dtype == pl.Boolean else series


def has_numbers(table: NamedTable, column: str) -> bool:
    """Whether a column holds at least one number. Any other invalid cell in it is then an error."""
    values, _ = parse_number_column(table.frame[column])
    return values.dtype.is_numeric() and values.null_count() < values.len() and not bool(values.is_nan().all())


def is_empty(table: NamedTable, column: str) -> bool:
    """Whether all cells of a column are empty."""
    _, invalid = parse_number_column(table.frame[column])
    return not bool(invalid.any()) and not has_numbers(table, column)


def fill_column(out: Reals, table: NamedTable, column: str) -> int:
    """Write the numbers of a column into `out`; return how many are missing, which stay 0."""
    numbers = number_values(table, column)
    is_missing = np.isnan(numbers)
    too_large = np.abs(numbers) > LARGEST[np.float32 if out.dtype == np.float32 else np.float64]
    if too_large.any():
        row = int(np.argmax(too_large))
        raise InputError(f"{table.location(row)}: {column.strip()} is {numbers[row]:g}, {BEYOND}")
    out[~is_missing] = numbers[~is_missing]
    return int(is_missing.sum())

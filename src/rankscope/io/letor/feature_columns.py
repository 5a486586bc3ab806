"""Features from tables: a row per document, with columns of its query, its grade, its name and its features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankscope.data.features import Features
from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.row_tables import DOC_ID, QUERY_ID, SCHEMAS
from rankscope.data.tables import NUMBER, Column, Schema, Table, is_index_name
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.letor.feature_lines import BEYOND, LARGEST, Dtype
from rankscope.typing import Grades, Reals

__all__ = [
    "FEATURES",
    "KEYS",
    "features_of_table",
    "refuse_second_key",
]


#: The columns that are not features. One that is called score or rating is a feature.
FEATURES = Schema(
    columns=(
        replace(QUERY_ID, required=True),
        Column(
            name="relevance",
            aliases=tuple(
                name for name in SCHEMAS["relevance"].column("relevance").aliases if name not in ("score", "rating")
            ),
            kind=NUMBER,
        ),
        DOC_ID,
    ),
    expected="a header line (query_id,relevance,doc_id, and the features') and one line per document",
    more_numbers=True,
    nan_is_missing=True,
)
#: Their names; the first of each is ours.
KEYS = {column.name: column.names for column in FEATURES.columns}
#: What these columns hold, for messages.
CONTENTS = {"query_id": "queries", "relevance": "grades", "doc_id": "documents"}


def features_of_table(
    table: Table, dtype: Dtype, name: str, *, columns: Sequence[str] | None = None, graded: bool = True
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
    refuse_index(table)
    if graded:
        table.require("relevance")
    keys = table.columns
    height = table.frame.height
    grades = read_grades(table, graded)
    queries = table.ids("query_id").to_numpy()
    docs = table.ids("doc_id").to_list() if "doc_id" in table else None
    table = table.with_truths()
    counts = {column: table.count_numbers(column) for column in table.more_columns}
    features = [column for column, (n_numbers, _) in counts.items() if n_numbers]
    if columns is None:
        refuse_second_key(features, table.where, keys)
    if not features:
        raise InputError(f"{table.where}: no column of numbers besides those of queries and grades, expected features")
    values = np.zeros((height, len(features)), dtype)
    n_missing = [fill_column(values[:, i], table, column) for i, column in enumerate(features)]
    notes = []
    skipped = [column.strip() for column, (n_numbers, _) in counts.items() if not n_numbers]
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
            column.strip() for column, n_cells in counts.items() if reserved_field(column) is None and not any(n_cells)
        ),
    )


# Names


def reserved_field(column: str) -> str | None:
    """The field of a column with this name; None for a feature."""
    name = column.strip().lower()
    return next((field for field, names in KEYS.items() if name in names), None)


def refuse_index(table: Table) -> None:
    """Raise InputError for the index of a data frame among the columns, and for a column without a name."""
    for number, name in enumerate(table.frame.columns, 1):
        if is_index_name(name):
            raise InputError(
                f"{table.where}: column {number} has no name{f' of its own ({name})' if name else ''}, expected one "
                "for each; name it, or write the table without it (pandas: index=False)"
            )


def refuse_second_key(features: Sequence[str], location: str, keys: Mapping[str, str] | None = None) -> None:
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
                "expected one; drop or rename it, or in Python name the features to keep (columns)"
            )


# Cells


def read_grades(table: Table, graded: bool) -> Grades | None:
    """The grades; None where there are none and they are optional."""
    if "relevance" not in table or not (graded or any(table.count_numbers(table.columns["relevance"]))):
        return None
    own_name = table.columns["relevance"]
    grades = table.numbers(own_name)
    invalid = invalid_grades(grades)  # NaN, too
    if invalid.any():
        row = int(np.argmax(invalid))
        raise InputError(
            f"{table.locate(row)}: grade {table.frame[own_name][row]!r}, expected {EXPECTED_GRADE}; correct this line"
        )
    return as_grades(grades)


def fill_column(out: Reals, table: Table, column: str) -> int:
    """Write the numbers of a column into `out`; return how many are missing, which stay 0."""
    numbers = table.numbers(column)
    is_missing = np.isnan(numbers)
    too_large = np.abs(numbers) > LARGEST[np.float32 if out.dtype == np.float32 else np.float64]
    if too_large.any():
        row = int(np.argmax(too_large))
        raise InputError(f"{table.locate(row)}: {column.strip()} is {numbers[row]:g}, {BEYOND}")
    out[~is_missing] = numbers[~is_missing]
    return int(is_missing.sum())

"""Tables of true and predicted labels: CSV, TSV, JSONL or Parquet with two named columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.data.tables import Column, Schema, Table, list_columns
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.io.tables.schema import read_table
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LABELS",
    "LabelPairs",
    "find_label",
    "read_label_pairs",
    "read_rater_labels",
]


Label = str | int | float | bool
LABELS = Schema(
    columns=(
        Column(name="true", aliases=("truth", "label", "gold", "reference", "y_true"), required=True),
        Column(name="predicted", aliases=("prediction", "pred", "y_pred"), required=True),
    ),
    expected="a header line (true,predicted) and one line per item",
    skips_nameless=True,
)
#: Texts that are numbers: 1, +1, 1.0 and -.5 are; 007 and 1e3, which may be codes, stay text, and so do numbers with
#: more digits than float64 can tell apart.
NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:0|[1-9][0-9]{0,14})?(?:\.[0-9]*)?")


class LabelPairs(NamedTuple):
    """The two labels of each item: text, or numbers if all labels of both columns are numbers.

    Attributes
    ----------
    true, predicted
        One label per item. All spellings of a number are the same label, also beside text: 1, +1 and 1.0, or .5 and
        0.50.
    notes
        What a reader should know.
    """

    true: list[str] | list[int] | list[float]
    predicted: list[str] | list[int] | list[float]
    notes: tuple[str, ...] = ()


def read_label_pairs(path: PathLike, columns: Mapping[str, str] | None = None) -> LabelPairs:
    """Read the columns `true` and `predicted` of a table; other columns are ignored.

    Parameters
    ----------
    path
        Parquet, JSON, JSON lines, or a table with a header, detected from the content; "-" is standard input.
    columns
        What the two columns are called, as {"true": "alice", "predicted": "gpt4"}. Default: found by their usual names.

    Returns
    -------
    LabelPairs
        Text in Parquet and JSON stays text. Items without one of the two labels are skipped, and counted in a note.

    Raises
    ------
    InputError
        With file and line: a column is missing, a line is uneven, the file is empty, or no item has both labels.
    """
    table = read_table(path, LABELS, columns or {})
    labels = [label_column(table, table.columns[name]) for name in ("true", "predicted")]
    is_missing = labels[0].is_null() | labels[1].is_null()
    notes: tuple[str, ...] = ()
    if n_missing := int(is_missing.sum()):
        if n_missing == len(is_missing):
            raise InputError(f"{table.name}: no item has both labels, expected at least one")
        labels = [column.filter(~is_missing) for column in labels]
        has = "has no label" if n_missing == 1 else "have no label"
        names = " or ".join(f"in {table.columns[name]!r}" for name in ("true", "predicted"))
        notes = (f"{table.name}: {pluralise(n_missing, 'item')} of {len(is_missing):,} {has} {names}: skipped",)
    lists = [column.to_list() for column in labels]
    true, predicted = labels_as_numbers(lists) if table.is_text else lists
    return LabelPairs(true, predicted, notes)


def read_rater_labels(path: PathLike, raters: Sequence[str]) -> dict[str, list[Label | None]]:
    """Read the labels of several raters; other columns are ignored.

    Parameters
    ----------
    path
        As for `read_label_pairs`.
    raters
        The columns.

    Returns
    -------
    dict
        Rater -> one label per item, as in `LabelPairs`; None where there is none.

    Raises
    ------
    InputError
        As for `read_label_pairs`.
    """
    table = read_table(path, Schema(columns=(), expected=LABELS.expected, skips_nameless=True), {})
    for rater in raters:
        if rater not in table.frame.columns:
            raise InputError(
                f"{table.where}: no column {rater!r}, which raters (--raters) names, among "
                f"{list_columns(table.frame.columns)}"
            )
    lists = [label_column(table, rater).to_list() for rater in raters]
    return dict(zip(raters, labels_as_numbers(lists) if table.is_text else lists, strict=True))


def label_column(table: Table, own_name: str) -> pl.Series:
    """The labels of a column, null where there is none. Raises InputError for another type, and for infinity."""
    import polars as pl

    column = table.frame[own_name]
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        texts = column.cast(pl.String)
        return texts.set(texts == "", None)
    if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
        raise InputError(
            f"{table.name}: column {own_name!r} holds {column.dtype}, expected text or numbers; convert it first"
        )
    if column.dtype.is_float():
        column = column.fill_nan(None)
        if (infinite := column.is_infinite().fill_null(False)).any():
            row = int(infinite.arg_true()[0])
            raise InputError(f"{table.locate(row)}: {own_name} is {column[row]}, expected a label; correct it")
    return column


def labels_as_numbers(columns: Sequence[list[Any]]) -> list[list[Any]]:
    """The labels of a text file as numbers if all are; else as text, with one spelling for each number.

    None, for no label, stays.
    """
    all_labels: set[str] = {label for column in columns for label in column} - {None}
    distinct = sorted(all_labels, key=lambda label: (len(label), label))
    numbers = {label: value for label in distinct if (value := parse_label_number(label)) is not None}
    if len(numbers) == len(distinct):
        return [[numbers.get(label) for label in column] for column in columns]
    shortest: dict[float, str] = {}
    spellings = {label: shortest.setdefault(value, label) for label, value in numbers.items()}
    return [[spellings.get(label, label) for label in column] for column in columns]


def parse_label_number(label: str) -> float | None:
    """The number in a text; None if it is not a number."""
    if NUMBER.fullmatch(label) is None:
        return None
    value = float(label)
    return int(value) if value.is_integer() else value


def find_label(name: str, labels: Iterable[Label]) -> Label:
    """The label with this spelling, as 1 for "1.0"; `name` itself if there is no such label."""
    by_name = {str(label): label for label in labels}
    if name in by_name:
        return by_name[name]
    number = parse_label_number(name)
    if number is not None:
        for _, label in sorted(by_name.items()):
            if number == (parse_label_number(label) if isinstance(label, str) else label):
                return label
    return name

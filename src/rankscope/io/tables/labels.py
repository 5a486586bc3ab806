"""Tables of labels: CSV, TSV, JSONL or Parquet with a column for each rater."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope.data.tables import NUMBER, Column, Schema, Table, list_columns, table_of_frame
from rankscope.errors import InputError
from rankscope.io.tables.schema import read_table
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LABELS",
    "LabelTable",
    "find_label",
    "labels_of_frame",
    "parse_label_number",
    "read_label_table",
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
PLAIN_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:0|[1-9][0-9]{0,14})?(?:\.[0-9]*)?")


#: What describes an item, beside its labels.
ITEMS = Schema(
    columns=(Column(name="cluster"), Column(name="weight", kind=NUMBER)),
    expected="a header line, as true,predicted or alice,bob,gpt4, and one line per item",
    skips_nameless=True,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelTable:
    """Labels of raters, an item a row.

    Attributes
    ----------
    name
        Name of the file or data.
    labels
        Rater -> one label per item; None where there is none. All spellings of a number are the same label, also beside
        text: 1, +1 and 1.0, or .5 and 0.50.
    clusters
        The cluster of each item; None if there is no such column.
    weights
        The weight of each item; None if there is no such column.
    """

    name: str
    labels: Mapping[str, Sequence[Any]]
    clusters: Sequence[Any] | None = None
    weights: Floats | None = None


def read_label_table(
    path: PathLike, raters: Sequence[str] | None = None, columns: Mapping[str, str] | None = None
) -> LabelTable:
    """Read columns of labels; other columns are ignored.

    Parameters
    ----------
    path
        Parquet, JSON, JSON lines, or a table with a header, detected from the content; "-" is standard input.
    raters
        The columns of the raters. Default: those of true and predicted labels, by their usual names.
    columns
        What the columns of clusters and weights are called, as {"cluster": "document"}. Default: cluster and weight.

    Returns
    -------
    LabelTable
        Text in Parquet and JSON stays text. In text files, labels are numbers if all are.

    Raises
    ------
    InputError
        With file and line: a column is missing, a line is uneven, the file is empty, an item has no cluster, or a
        weight is not above 0.
    """
    return labels_in_table(read_table(path, ITEMS, columns or {}), raters)


def labels_of_frame(data: Any, raters: Sequence[str] | None, columns: Mapping[str, str] | None) -> LabelTable:
    """The same for a data frame or an Arrow table."""
    return labels_in_table(table_of_frame(data, "the table", ITEMS, columns or {}), raters)


def labels_in_table(table: Table, raters: Sequence[str] | None) -> LabelTable:
    """The labels of the raters, with clusters and weights. Raises as `read_label_table`."""
    header = table.frame.columns
    if raters is None:
        bound = LABELS.match([name for name in header if name not in table.columns.values()], {})
        if len(bound) < len(LABELS.columns):
            raise InputError(
                f"{table.where}: no columns of true and predicted labels among {list_columns(header)}; name the "
                "columns of the raters with --raters (raters=), as --raters alice,bob"
            )
        raters = [bound[column.name] for column in LABELS.columns]
    for rater in raters:
        if rater not in header:
            raise InputError(
                f"{table.where}: no column {rater!r}, which raters (--raters) names, among {list_columns(header)}"
            )
        if rater in table.columns.values():
            name = next(name for name, own_name in table.columns.items() if own_name == rater)
            raise InputError(f"{table.where}: {rater!r} is the {name} of items and a rater; name another column")
    lists = [label_column(table, rater).to_list() for rater in raters]
    return LabelTable(
        name=table.name,
        labels=dict(zip(raters, labels_as_numbers(lists) if table.is_text else lists, strict=True)),
        clusters=table.names(table.columns["cluster"]).to_list() if "cluster" in table else None,
        weights=weights_of(table) if "weight" in table else None,
    )


def weights_of(table: Table) -> Floats:
    """The weights of items. Raises InputError for a weight that is missing or not above 0."""
    weights = table.numbers(table.columns["weight"], complete=True, expected="a number above 0")
    if (wrong := weights <= 0).any():
        row = int(wrong.argmax())
        raise InputError(
            f"{table.locate(row)}: the weight is {weights[row]:g}, expected a number above 0: how many items this one "
            "stands for"
        )
    return weights


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
    if PLAIN_NUMBER.fullmatch(label) is None:
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

"""Tables of true and predicted labels: CSV, TSV, JSONL or Parquet with two named columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rankscope.data.tables import require_column
from rankscope.errors import InputError
from rankscope.io.core import BOM, empty_file_error, open_binary, source_name
from rankscope.io.tables.frames import SEPARATORS, read_frame, report_uneven_lines
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LabelPairs",
    "find_label",
    "read_label_pairs",
]


Label = str | int | float | bool
#: Names of the columns; the first of each is ours.
LABEL_COLUMNS = {
    "true": ("true", "truth", "label", "gold", "reference", "y_true"),
    "predicted": ("predicted", "prediction", "pred", "y_pred"),
}
EXPECTED = "a header line (true,predicted) and one line per item"
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
    """

    true: list[str] | list[int] | list[float]
    predicted: list[str] | list[int] | list[float]


def read_label_pairs(path: PathLike) -> LabelPairs:
    """Read the columns `true` and `predicted` of a table; other columns are ignored.

    Parameters
    ----------
    path
        Parquet, JSON lines, or a table with a header, detected from the content; "-" is standard input.

    Returns
    -------
    LabelPairs
        Text in Parquet and JSON stays text.

    Raises
    ------
    InputError
        With file and line: a column is missing, a label is empty, a line is uneven, or the file is empty.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM)
    if not content.strip():
        raise empty_file_error(name, EXPECTED)
    head = content[: 1 << 16].lstrip()
    format_name = "parquet" if content.startswith(b"PAR1") else "jsonl" if head.startswith(b"{") else ""
    first_row = 0 if format_name == "parquet" else 1
    if not format_name:
        first_row = 2
        # Comments and blank lines before the header.
        while content and (content.startswith(b"#") or not content.partition(b"\n")[0].strip()):
            content = content.partition(b"\n")[2]
            first_row += 1
        if not content:
            raise InputError(f"{name}: comments only, expected {EXPECTED}")
        format_name = "tsv" if b"\t" in content.partition(b"\n")[0] else "csv"
    with report_uneven_lines(content, name, format_name, max(first_row - 2, 0)):
        frame = read_frame(content, name, format_name)
    line = f":{first_row - 1}" if format_name in SEPARATORS else ""
    columns = [
        frame[require_column(frame.columns, label_kind, LABEL_COLUMNS[label_kind], f"{name}{line}")]
        for label_kind in LABEL_COLUMNS
    ]
    if not frame.height:
        raise InputError(f"{name}: no items after the header line, expected at least one line with two labels")
    for label_kind, column in zip(LABEL_COLUMNS, columns, strict=True):
        refuse_empty(column, label_kind, name, first_row)
    labels = [column.to_list() for column in columns]
    return labels_as_numbers(labels) if format_name in SEPARATORS else LabelPairs(*labels)


def refuse_empty(column: pl.Series, label_kind: str, name: str, first_row: int) -> None:
    import polars as pl

    empty = column.is_null()
    if column.dtype == pl.String:
        empty = empty | (column.str.len_bytes() == 0).fill_null(True)
    elif column.dtype.is_float():
        empty = empty | ~column.is_finite().fill_null(False)
    elif not (column.dtype.is_integer() or column.dtype in (pl.Boolean, pl.Categorical, pl.Enum, pl.Null)):
        raise InputError(
            f"{name}: column {label_kind!r} holds {column.dtype}, expected text or numbers; convert it first"
        )
    if empty.any():
        row = int(empty.arg_true()[0])
        location = f"{name}:{row + first_row}" if first_row else f"{name}: row {row}"
        raise InputError(f"{location}: the {label_kind} label is empty, expected a label; fill it in or drop the line")


def labels_as_numbers(columns: Sequence[list[str]]) -> LabelPairs:
    """The labels of a text file as numbers if all are; else as text, with one spelling for each number."""
    distinct = sorted({label for column in columns for label in column}, key=lambda label: (len(label), label))
    numbers = {label: value for label in distinct if (value := parse_label_number(label)) is not None}
    if len(numbers) == len(distinct):
        true, predicted = ([numbers[label] for label in column] for column in columns)
        return LabelPairs(true, predicted)
    shortest: dict[float, str] = {}
    spellings = {label: shortest.setdefault(value, label) for label, value in numbers.items()}
    true_texts, predicted_texts = ([spellings.get(label, label) for label in column] for column in columns)
    return LabelPairs(true_texts, predicted_texts)


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

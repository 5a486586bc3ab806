"""A measure under many conventions, for the terminal and for programs."""

from __future__ import annotations

import csv
import io
import json
import math

from rankscope.errors import ParameterError
from rankscope.evaluation.named import ConventionTable

__all__ = ["check_format", "render_conventions"]

FORMATS = ("table", "csv", "json", "jsonl", "markdown")


def check_format(format_: str) -> None:
    """Raise ParameterError for a format that there is not."""
    if format_ not in FORMATS:
        raise ParameterError(f"--conventions has no format {format_!r}; choose one of {', '.join(FORMATS)}")


def render_conventions(table: ConventionTable, format_: str) -> str:
    """The table as text, ending with a newline. Raises ParameterError for a format that it has not."""
    check_format(format_)
    if format_ == "table":
        return f"{table}\n"
    if format_ == "markdown":
        head, *rows = table.cells()
        lines = ["| " + " | ".join(row) + " |" for row in (head, [":--"] * len(head), *rows)]
        return "\n".join([*lines, "", f"`{table.signature}`", *(f"\nnote: {note}" for note in table.notes)]) + "\n"
    records = [dict(zip(table.columns, plain(record), strict=True)) for record in table.records()]
    if format_ == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, table.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue()
    lines = [json.dumps(record) for record in records]
    return "\n".join(lines) + "\n" if format_ == "jsonl" else "[\n  " + ",\n  ".join(lines) + "\n]\n"


def plain(record: tuple[object, ...]) -> list[object]:
    """The cells, with None for what has no value."""
    return [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in record]

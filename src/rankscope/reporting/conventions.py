"""A measure under many conventions, for the terminal and for programs."""

from __future__ import annotations

from rankscope.errors import ParameterError
from rankscope.evaluation.named import ConventionTable
from rankscope.reporting.formats import FOR_PROGRAMS, write_records

__all__ = ["check_format", "render_conventions"]

FORMATS = ("table", *FOR_PROGRAMS, "markdown")


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
    return write_records(format_, table.columns, table.records())

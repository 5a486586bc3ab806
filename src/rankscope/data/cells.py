"""Numbers as people read them, and columns that stand under one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from unicodedata import east_asian_width

from rankscope.errors import in_one_line

__all__ = [
    "align_columns",
    "format_interval",
    "format_value",
    "in_one_line",
    "format_number",
    "replace_invalid_utf8",
    "display_width",
]


def format_value(value: float, summary: str) -> str:
    """Four digits as trec_eval prints them; sums of counts without any; a dash where there is no value."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if summary == "sum" else f"{value:.4f}"


def format_number(value: float, digits: int = 4, *, signed: bool = False) -> str:
    """A value in a table, with so many digits; a zero has no sign that says more than it is; a dash for no value.

    >>> format_number(0.12345), format_number(-0.00001), format_number(0.5, 2, signed=True), format_number(math.nan)
    ('0.1235', '0.0000', '+0.50', '-')
    """
    value = float(value)  # NumPy's numbers round 0.12345 to 0.1234, unlike `format_value`, which may stand beside it
    return "-" if math.isnan(value) else f"{round(value, digits) + 0.0:{'+' if signed else ''}.{digits}f}"


def format_interval(low: float, high: float, digits: int = 4) -> str:
    """An interval in a table; a dash where it has no end.

    >>> format_interval(-0.1, 0.25), format_interval(math.nan, math.nan)
    ('[-0.1000, 0.2500]', '-')
    """
    if math.isnan(low) or math.isnan(high):
        return "-"
    return f"[{format_number(low, digits)}, {format_number(high, digits)}]"


def align_columns(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Rows as lines of even columns: the first `left` columns to the left, the others to the right."""
    rows = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(display_width(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for c, cell in enumerate(row):
            gap = " " * (widths[c] - display_width(cell))
            cells.append(cell + gap if c < left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def replace_invalid_utf8(name: str) -> str:
    """A name that polars takes: bytes that are no UTF-8 are replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def display_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)

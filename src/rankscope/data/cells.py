"""Numbers as people read them, and columns that stand under one another."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from unicodedata import east_asian_width

__all__ = ["align", "format_value", "in_one_line", "printable", "width"]

#: Characters that end a line or command a terminal.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def format_value(value: float, summary: str) -> str:
    """Four digits as trec_eval prints them; sums of counts without any; a dash where there is no value."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if summary == "sum" else f"{value:.4f}"


def align(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Rows as lines of even columns: the first `left` columns to the left, the others to the right."""
    rows = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(width(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for c, cell in enumerate(row):
            gap = " " * (widths[c] - width(cell))
            cells.append(cell + gap if c < left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def printable(name: str) -> str:
    """A name that polars takes: bytes that are no UTF-8 are replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def in_one_line(text: str) -> str:
    r"""A text with its line breaks, tabs and other control characters written as escapes.

    >>> in_one_line("two\nlines")
    'two\\nlines'
    """
    return text if text.isprintable() else CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)

"""Text for people: formatted values, intervals and p-values; plurals, lists of names, aligned columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any
from unicodedata import east_asian_width

from rankscope.errors import in_one_line

__all__ = [
    "align_columns",
    "display_width",
    "first_names",
    "format_chance",
    "format_interval",
    "format_number",
    "format_p_cell",
    "format_p_value",
    "format_percent",
    "format_value",
    "join_names",
    "json_value",
    "pluralise",
    "pluralise_queries",
    "replace_invalid_utf8",
]


#: How many names are listed; further ones are counted.
MAX_LISTED = 4


def json_value(text: str | bytes) -> Any:
    """The value of a text of JSON; None for any other text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def pluralise(n: int, singular: str, plural: str | None = None) -> str:
    """A count with its noun in the singular or plural.

    >>> pluralise(1, "system"), pluralise(1250, "query", "queries")
    ('1 system', '1,250 queries')
    """
    return f"{n:,} {singular if n == 1 else plural or f'{singular}s'}"


def pluralise_queries(n: int) -> str:
    """A count of queries as text."""
    return pluralise(n, "query", "queries")


def join_names(names: Iterable[str], max_names: int = MAX_LISTED, conjunction: str = "and") -> str:
    """Names as in a sentence; beyond `max_names` + 1, the others are counted. "" without names.

    >>> join_names("ab"), join_names("abc", conjunction="or"), join_names("abcdefgh")
    ('a and b', 'a, b or c', 'a, b, c, d and 4 others')
    """
    listed = list(names)
    if len(listed) > max_names + 1:
        listed = [*listed[:max_names], f"{len(listed) - max_names:,} others"]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {conjunction} {listed[-1]}"


def first_names(names: Iterable[str], max_names: int = 3) -> str:
    """The first names, for a message; dots stand for the others. "none" without names.

    >>> first_names("abc"), first_names("abcd"), first_names("")
    ('a, b, c', 'a, b, c, ...', 'none')
    """
    listed = list(islice(names, max_names + 1))
    return ", ".join(listed[:max_names]) + (", ..." if len(listed) > max_names else "") if listed else "none"


def format_percent(share: float) -> str:
    """A share as "95 %"."""
    return f"{100 * share:g} %"


def format_p_cell(p: float) -> str:
    """A p-value in a table: four digits, "<0.0001" below, a dash for NaN."""
    if math.isnan(p):
        return "-"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def format_p_value(p: float) -> str:
    """A p-value in a sentence, after "p": "= 0.0310", "< 0.0001"."""
    text = format_p_cell(p)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"


def format_chance(p: float) -> str:
    """A probability as a frequency: "in about 5 of 100"."""
    if p < 0.001:
        return "in fewer than 1 of 10,000" if p < 0.0001 else "in fewer than 1 of 1,000"
    if p < 0.0095:
        return f"in about {p * 1000:.0f} of 1,000"
    return f"in about {p * 100:.0f} of 100" if p < 0.995 else "in nearly all"


def format_value(value: float, summary: str) -> str:
    """Four digits as trec_eval prints them; sums of counts without digits; a dash for NaN."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if summary == "sum" else f"{value:.4f}"


def format_number(value: float, digits: int = 4, *, signed: bool = False) -> str:
    """A value in a table, rounded to `digits`; what rounds to zero has no minus sign; a dash for NaN.

    >>> format_number(0.12345), format_number(-0.00001), format_number(0.5, 2, signed=True), format_number(math.nan)
    ('0.1235', '0.0000', '+0.50', '-')
    """
    value = float(value)  # NumPy's numbers round 0.12345 to 0.1234, unlike `format_value`, which may stand beside it
    return "-" if math.isnan(value) else f"{round(value, digits) + 0.0:{'+' if signed else ''}.{digits}f}"


def format_interval(low: float, high: float, digits: int = 4) -> str:
    """An interval in a table; a dash where an end is NaN.

    >>> format_interval(-0.1, 0.25), format_interval(math.nan, math.nan)
    ('[-0.1000, 0.2500]', '-')
    """
    if math.isnan(low) or math.isnan(high):
        return "-"
    return f"[{format_number(low, digits)}, {format_number(high, digits)}]"


def align_columns(rows: Sequence[Sequence[str]], n_left_aligned: int) -> list[str]:
    """Rows as lines of columns: the first `n_left_aligned` columns aligned to the left, the others to the right."""
    rows = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(display_width(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for c, cell in enumerate(row):
            gap = " " * (widths[c] - display_width(cell))
            cells.append(cell + gap if c < n_left_aligned else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def replace_invalid_utf8(name: str) -> str:
    """A name that polars takes: bytes that are no UTF-8 are replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def display_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)

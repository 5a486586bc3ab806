"""Numbers and lists as people say them: "1 query", "a, b and 3 others", "95 %", "p = 0.0310"."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice

__all__ = [
    "format_chance",
    "pluralise",
    "format_p_cell",
    "join_names",
    "format_percent",
    "pluralise_queries",
    "format_p_value",
    "first_names",
]

#: So many names are listed; of more, the rest is counted.
LISTED = 4


def pluralise(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun, in the plural where there is not one.

    >>> pluralise(1, "system"), pluralise(1250, "query", "queries")
    ('1 system', '1,250 queries')
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def pluralise_queries(n: int) -> str:
    """So many queries."""
    return pluralise(n, "query", "queries")


def join_names(names: Iterable[str], most: int = LISTED) -> str:
    """Names as in a sentence; where there are more than `most` + 1, the rest is counted. Of none, nothing.

    >>> join_names("ab"), join_names("abc"), join_names("abcdefgh")
    ('a and b', 'a, b and c', 'a, b, c, d and 4 others')
    """
    found = list(names)
    if len(found) > most + 1:
        found = [*found[:most], f"{len(found) - most:,} others"]
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} and {found[-1]}"


def first_names(names: Iterable[str], most: int = 3) -> str:
    """The first of some names, for a message; dots stand for the rest. Of none: "none".

    >>> first_names("abc"), first_names("abcd"), first_names("")
    ('a, b, c', 'a, b, c, ...', 'none')
    """
    found = list(islice(names, most + 1))
    return ", ".join(found[:most]) + (", ..." if len(found) > most else "") if found else "none"


def format_percent(share: float) -> str:
    """A share as "95 %"."""
    return f"{100 * share:g} %"


def format_p_cell(p: float) -> str:
    """A p-value in a table: four digits, "<0.0001" below, a dash where there is none."""
    if math.isnan(p):
        return "-"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def format_p_value(p: float) -> str:
    """A p-value in a sentence, after "p": "= 0.0310", "< 0.0001"."""
    text = format_p_cell(p)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"


def format_chance(p: float) -> str:
    """How often something of probability p happens, as people count."""
    if p < 0.001:
        return "in fewer than 1 of 10,000" if p < 0.0001 else "in fewer than 1 of 1,000"
    if p < 0.0095:
        return f"in about {p * 1000:.0f} of 1,000"
    return f"in about {p * 100:.0f} of 100" if p < 0.995 else "in nearly all"

"""Input of figures: validates names and numbers, and formats them for rows and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.typing import Floats

__all__ = [
    "MINUS",
    "as_names",
    "as_rates",
    "as_table",
    "cell",
    "inline",
    "number",
    "printable",
    "row_names",
    "shorten",
    "truncation_note",
]


MINUS = "\N{MINUS SIGN}"
#: Characters that XML and SVG may not hold; each is replaced by a sign.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: object) -> str:
    """A text that a figure can hold: control characters become control pictures, half a character becomes U+FFFD.

    >>> printable("a" + chr(10) + "b")
    'a␊b'
    """

    def picture(match: re.Match[str]) -> str:
        code = ord(match.group())
        return chr(0x2400 + code) if code < 32 else "\N{SYMBOL FOR DELETE}" if code == 127 else "\ufffd"

    return CONTROLS.sub(picture, str(text))


def shorten(name: str, letters: int = 24) -> str:
    """A name for a title: a long one is cut in the middle.

    >>> shorten("a-system-with-quite-a-long-name", 15)
    'a-syste…ng-name'
    """
    if len(name) <= letters:
        return name
    tail = (letters - 1) // 2
    return f"{name[: letters - 1 - tail]}…{name[-tail:]}"


def as_names(values: Sequence[object], argument: str) -> list[str]:
    """Printable names. Raises ParameterError for an empty list and for duplicates."""
    if isinstance(values, str):
        raise ParameterError(f"{argument} is the text {shorten(values)!r}, expected a list of names")
    names = row_names(values)
    if not names:
        raise ParameterError(f"{argument} is empty, expected at least 1 name")
    if len(set(names)) < len(names):
        duplicate = next(name for i, name in enumerate(names) if name in names[:i])
        raise ParameterError(f"{argument} has {shorten(duplicate)!r} twice; give each its own name")
    return names


def row_names(values: Sequence[object]) -> list[str]:
    """Printable names, duplicates allowed, such as query ids of several collections."""
    return [printable(value) for value in values]


def as_table(values: npt.ArrayLike, shape: tuple[int, ...], argument: str) -> Floats:
    """An array of this shape; NaN is allowed. Raises ParameterError for other input and for infinite values."""
    try:
        table = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{argument} is not a table of numbers; expected float64 of shape {shape}") from None
    if table.shape != shape:
        raise ParameterError(f"{argument} has shape {table.shape}, expected {shape}, to fit the names")
    if np.isinf(table).any():
        raise ParameterError(f"{argument} has infinite values, expected finite ones, or NaN where there is none")
    return table


def truncation_note(count: int, limit: int, noun: str) -> str:
    """A note for the subtitle where only the first items are drawn, else an empty text.

    >>> truncation_note(2000, 40, "systems")
    'The first 40 of 2,000 systems are shown.'
    """
    return f"The first {limit} of {count:,} {noun} are shown." if count > limit else ""


def cell(value: float) -> float | None:
    """A number for JSON: None for NaN, and 12 digits."""
    return None if np.isnan(value) else float(f"{value:.12g}")


def number(value: float, digits: int = 4) -> str:
    """A number for texts, with a minus sign; "none" for NaN."""
    return "none" if np.isnan(value) else f"{value:.{digits}f}".replace("-", MINUS)


def inline(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows as inline data of a specification; a plain dict, since Altair validates its own objects row by row.

    A tuple: lists would be copied, row by row and cell by cell, each time that a method makes a new chart of a chart.
    """
    return {"values": tuple(rows)}


def as_rates(values: npt.ArrayLike, shape: tuple[int, ...], argument: str) -> Floats:
    """Rates in percent; NaN is allowed. Raises ParameterError for other numbers."""
    table = as_table(values, shape, argument)
    if ((table < 0) | (table > 100 + 1e-9)).any():
        raise ParameterError(f"{argument} has a rate below 0 or above 100, expected percent")
    return table

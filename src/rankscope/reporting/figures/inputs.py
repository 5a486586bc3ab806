"""Input of figures: what every figure checks of its data, and how names and numbers of it become rows."""

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
#: No XML and no SVG may hold these; a name that does is shown with a sign in their place.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: object) -> str:
    """A text from a file as a figure can hold it: control characters as their pictures, half a character as a sign.

    >>> printable("a" + chr(10) + "b")
    'a␊b'
    """

    def picture(match: re.Match[str]) -> str:
        code = ord(match.group())
        return chr(0x2400 + code) if code < 32 else "\N{SYMBOL FOR DELETE}" if code == 127 else "\ufffd"

    return CONTROLS.sub(picture, str(text))


def shorten(name: str, letters: int = 24) -> str:
    """A name for a title: the middle of a long one is left out.

    >>> shorten("a-system-with-quite-a-long-name", 15)
    'a-syste…ng-name'
    """
    if len(name) <= letters:
        return name
    tail = (letters - 1) // 2
    return f"{name[: letters - 1 - tail]}…{name[-tail:]}"


def as_names(values: Sequence[object], what: str) -> list[str]:
    """Names as they are shown. Raises ParameterError where there is none, or one is there twice."""
    if isinstance(values, str):
        raise ParameterError(f"{what} is the text {shorten(values)!r}, expected a list of names")
    names = row_names(values)
    if not names:
        raise ParameterError(f"{what} is empty, expected at least 1 name")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ParameterError(f"{what} has {shorten(twice)!r} twice; give each its own name")
    return names


def row_names(values: Sequence[object]) -> list[str]:
    """Names of which some may be alike, as query ids of several collections."""
    return [printable(value) for value in values]


def as_table(values: npt.ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """Numbers of this shape, NaN where there is none. Raises ParameterError for others, and for infinite ones."""
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{what} is no table of numbers; expected float64 of shape {shape}") from None
    if found.shape != shape:
        raise ParameterError(f"{what} has shape {found.shape}, expected {shape}, to fit the names")
    if np.isinf(found).any():
        raise ParameterError(f"{what} has infinite values, expected finite ones, or NaN where there is none")
    return found


def truncation_note(count: int, limit: int, what: str) -> str:
    """What the subtitle says where only the first are drawn.

    >>> truncation_note(2000, 40, "systems")
    'The first 40 of 2,000 systems are shown.'
    """
    return f"The first {limit} of {count:,} {what} are shown." if count > limit else ""


def cell(value: float) -> float | None:
    """A number as JSON has it: none for NaN, and no more digits than a float of a file has."""
    return None if np.isnan(value) else float(f"{value:.12g}")


def number(value: float, digits: int = 4) -> str:
    return "none" if np.isnan(value) else f"{value:.{digits}f}".replace("-", MINUS)


def inline(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows inside the specification: nothing is fetched. Altair checks objects of its own row by row.

    A tuple: lists are copied, row by row and cell by cell, each time that a method makes a new chart of a chart.
    """
    return {"values": tuple(rows)}


def as_rates(values: npt.ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """Rates in percent, NaN where there is none. Raises ParameterError for others."""
    found = as_table(values, shape, what)
    if ((found < 0) | (found > 100 + 1e-9)).any():
        raise ParameterError(f"{what} has a rate below 0 or above 100, expected percent")
    return found

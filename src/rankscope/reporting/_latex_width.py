"""How wide a table of LaTeX will be, and the size of letters at which it fits the text of a page.

Widths are those of Computer Modern, LaTeX's default; of the commoner fonts of papers, Times is narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rankscope.data.section import Cell, as_marked

__all__ = [
    "TEXT_WIDTH",
    "TableSize",
    "fitting_size",
    "width_of",
]


#: The text width of the class article at 10 points; many papers of one column have about as much, as those of LNCS.
TEXT_WIDTH = 345.0


class TableSize(NamedTuple):
    """A size of letters with a space between columns.

    Attributes
    ----------
    command
        LaTeX's command for the size; "" for the normal one.
    scale
        The width of letters relative to the normal size.
    column_space
        The space on either side of a column (tabcolsep), in points.
    """

    command: str
    scale: float
    column_space: float


#: From the normal size to the smallest that can be read; letters shrink less in width than in height.
SIZES = (
    TableSize("", 1.0, 6.0),
    TableSize(r"\small", 0.925, 4.0),
    TableSize(r"\small", 0.925, 3.0),
    TableSize(r"\footnotesize", 0.85, 3.0),
    TableSize(r"\footnotesize", 0.85, 2.0),
    TableSize(r"\scriptsize", 0.8, 2.0),
)
#: Width of characters in points at 10 points; of all others `USUAL`.
WIDTHS = {character: width for characters, width in (
    ("ijl.,:;'!|", 2.78),
    ("-()[] ", 3.6),
    ("frstcez", 4.2),
    ("mw%@&", 8.3),
    ("MW", 10.3),
    ("ABCDEFGHKLNOPQRTUVXYZ", 7.3),
    ("+<>=~▲▼", 7.8),
) for character in characters}  # fmt: skip
USUAL = 5.2
#: A table is set as it is unless it is this many times wider: widths are known to a few per cent.
SLACK = 1.03
#: Bold letters are wider, superscripts smaller.
BOLD, RAISED = 1.15, 0.75


def text_width(text: str) -> float:
    """The width of a text in points, at 10 points."""
    return sum(WIDTHS.get(character, USUAL) for character in text)


def cell_widths(cells: Sequence[Cell]) -> float:
    """The width of a column: its widest cell, and beside it the widest superscript, by which numbers stay aligned."""
    marked = [as_marked(cell) for cell in cells]
    bodies = (text_width(cell.text) * (BOLD if cell.bold else 1.0) for cell in marked)
    return max(bodies) + RAISED * max(text_width(cell.raised) for cell in marked)


def width_of(columns: Sequence[str], rows: Iterable[Sequence[Cell]], size: TableSize = SIZES[0]) -> float:
    """The width of a table at this size, in points."""
    letters = sum(map(cell_widths, zip(columns, *rows, strict=True)))
    return size.scale * letters + 2 * size.column_space * len(columns)


def fitting_size(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[TableSize, bool]:
    """The largest size at which a table is no wider than the text, or the smallest; and whether it fits then."""
    if width_of(columns, rows) <= SLACK * TEXT_WIDTH:
        return SIZES[0], True
    for size in SIZES[1:]:
        if width_of(columns, rows, size) <= TEXT_WIDTH:
            return size, True
    return SIZES[-1], False

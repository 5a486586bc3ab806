"""Sections of a result: titles, sentences, tables and names of figures. Plain data, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.data.text import align_columns, display_width, format_number
from rankscope.errors import in_one_line

if TYPE_CHECKING:
    pass

__all__ = [
    "Cell",
    "Figure",
    "Marked",
    "Section",
    "Table",
    "as_marked",
    "best_in_bold",
]


#: Sentences are broken after so many columns of a terminal.
WRAP_WIDTH = 100


class Marked(NamedTuple):
    """A cell with more to it than its text. raised: what stands above the line behind it, as letters or stars."""

    text: str
    bold: bool = False
    raised: str = ""


Cell = str | Marked


class Figure(NamedTuple):
    """A figure by its name in `rankscope.reporting.figures`, and what that draws, as keyword arguments."""

    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Table:
    """columns: the headings. rows: cells as people read them. left: how many leading columns are names, not numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left: int = 1

    def lines(self) -> list[str]:
        """The table for a terminal."""
        plain = [[cell for cell in row if isinstance(cell, str)] for row in self.rows]
        if all(len(row) == len(self.columns) for row in plain):  # nothing stands above the line
            return align_columns([self.columns, *plain], self.left)
        raised = [
            max((display_width(as_marked(row[c]).raised) for row in self.rows), default=0)
            for c in range(len(self.columns))
        ]
        rows = [[heading + superscript_gap(used) for heading, used in zip(self.columns, raised, strict=True)]]
        for row in self.rows:
            cells = map(as_marked, row)
            rows.append([c.text + superscript_gap(used, c.raised) for c, used in zip(cells, raised, strict=True)])
        return align_columns(rows, self.left)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a report.

    title: empty where a result is one table that says all itself. sentence: what was found, in words. notes: what a
    careful reader wants to know. folded: of interest to few, and so hidden until it is asked for.
    """

    title: str
    sentence: str = ""
    table: Table | None = None
    figure: Figure | None = None
    notes: tuple[str, ...] = ()
    folded: bool = False


def as_marked(cell: Cell) -> Marked:
    """A cell that can be asked what there is to it."""
    return cell if isinstance(cell, Marked) else Marked(cell)


def best_in_bold(values: Iterable[float], digits: int = 4) -> list[Cell]:
    """A column of values; the highest in bold where there are two or more, all of them where they look alike."""
    given = [float(value) for value in values]
    texts = [format_number(value, digits) for value in given]
    there = [value for value in given if value == value]
    best = format_number(max(there), digits) if len(there) > 1 else None
    return [Marked(text, bold=True) if text == best else text for text in texts]


def superscript_gap(room: int, raised: str = "") -> str:
    """What stands behind a cell on a terminal, in as much room as the column needs for it."""
    return " " + raised + " " * (room - display_width(raised)) if room else ""


def wrap_sentence(text: str) -> str:
    """A sentence in lines for a terminal; names are not broken."""
    from textwrap import wrap

    lines = wrap(text, WRAP_WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(in_one_line, lines))

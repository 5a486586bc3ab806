"""Sections of a result as plain data: titles, sentences, tables and names of figures; and their text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rankscope.data.text import align_columns, display_width
from rankscope.errors import in_one_line
from rankscope.registry import resolve

__all__ = [
    "Cell",
    "Figure",
    "Marked",
    "Section",
    "Table",
    "as_marked",
]


#: The width of a sentence on a terminal, in columns.
WRAP_WIDTH = 100


class Marked(NamedTuple):
    """A marked cell.

    Attributes
    ----------
    text
        The text.
    bold
        Whether it is bold.
    raised
        Superscript after the text, as letters or stars.
    """

    text: str
    bold: bool = False
    raised: str = ""


Cell = str | Marked


class Figure(NamedTuple):
    """A figure of a result.

    Attributes
    ----------
    name
        Its name in `rankscope.reporting.figures`.
    data
        Its keyword arguments.
    """

    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table for people; a table that was read is `rankscope.data.tables.Table`.

    Attributes
    ----------
    columns
        Headings.
    rows
        Cells as people read them.
    n_name_columns
        Number of leading columns of names instead of numbers.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_name_columns: int = 1

    def lines(self) -> list[str]:
        """The table for a terminal."""
        plain_rows = [[cell for cell in row if isinstance(cell, str)] for row in self.rows]
        if all(len(row) == len(self.columns) for row in plain_rows):  # no superscripts
            return align_columns([self.columns, *plain_rows], self.n_name_columns)
        raised_widths = [
            max((display_width(as_marked(row[c]).raised) for row in self.rows), default=0)
            for c in range(len(self.columns))
        ]
        rows = [
            [
                heading + superscript_gap(raised_width)
                for heading, raised_width in zip(self.columns, raised_widths, strict=True)
            ]
        ]
        for row in self.rows:
            cells = map(as_marked, row)
            rows.append(
                [
                    cell.text + superscript_gap(raised_width, cell.raised)
                    for cell, raised_width in zip(cells, raised_widths, strict=True)
                ]
            )
        return align_columns(rows, self.n_name_columns)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    title
        Empty if a result is one table that explains itself.
    sentence
        The finding in words.
    table, figure
        Shown below the sentence.
    notes
        What a careful reader wants to know.
    folded
        Hidden until somebody requests details.
    """

    title: str
    sentence: str = ""
    table: Table | None = None
    figure: Figure | None = None
    notes: tuple[str, ...] = ()
    folded: bool = False

    def _repr_html_(self) -> str:
        html: str = resolve("rankscope.reporting.notebook:section_html")(self)
        return html


def as_marked(cell: Cell) -> Marked:
    """The cell as a `Marked`, without marks where it is a text."""
    return cell if isinstance(cell, Marked) else Marked(cell)


def superscript_gap(width: int, raised: str = "") -> str:
    """A superscript behind a cell on a terminal, filled up with blanks to the width of the column's superscripts."""
    return " " + raised + " " * (width - display_width(raised)) if width else ""


def wrap_sentence(text: str) -> str:
    """A sentence in lines for a terminal; names are not broken."""
    from textwrap import wrap

    lines = wrap(text, WRAP_WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(in_one_line, lines))

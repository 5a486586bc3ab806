"""What a result shows of itself: titles, sentences, tables and names of figures. Plain data, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankscope.data.cells import align_columns, display_width, format_number, in_one_line, replace_invalid_utf8

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Cell",
    "Figure",
    "Marked",
    "Result",
    "Section",
    "Table",
    "as_text",
    "best_in_bold",
    "as_marked",
    "tidy_frame",
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


class Result(Protocol):
    """What every result has, so that tables, files and pages can show it.

    columns: those of the tidy table, whose rows `records` gives: text, numbers, NaN where there is none. signature: all
    that changes the numbers, in one line. frame: the tidy table as a polars frame, `tidy_frame` (only that of `Scores`
    holds other rows). Its text is that of its sections, `as_text`.
    """

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    def records(self) -> Iterable[tuple[Any, ...]]: ...
    def sections(self) -> Sequence[Section]: ...
    def signature(self) -> str: ...
    def frame(self) -> pl.DataFrame: ...
    def __str__(self) -> str: ...


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
    from textwrap import wrap  # a table of scores has no sentence

    lines = wrap(text, WRAP_WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(in_one_line, lines))


def as_text(result: Result, *, details: bool = False) -> str:
    """A result as the terminal shows it: its sections, then signature and notes. details: those that are folded too."""
    blocks = []
    for section in result.sections():
        if section.folded and not details:
            continue
        parts = [wrap_sentence(section.sentence)] if section.sentence else []
        parts += ["\n".join(section.table.lines())] if section.table is not None else []
        parts += ["\n".join(f"note: {in_one_line(note)}" for note in section.notes)] if section.notes else []
        if parts:
            blocks.append("\n\n".join([section.title, *parts] if section.title else parts))
    footer = "\n".join([result.signature(), *(f"note: {in_one_line(note)}" for note in result.notes)])
    return "\n\n\n".join(blocks) + "\n\n" + footer


def tidy_frame(result: Result) -> pl.DataFrame:
    """A result's tidy table as a polars frame; null where there is no value."""
    import polars as pl

    rows = [[replace_invalid_utf8(cell) if isinstance(cell, str) else cell for cell in row] for row in result.records()]
    frame = pl.DataFrame({name: [row[c] for row in rows] for c, name in enumerate(result.columns)}, strict=False)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

"""Results: what each has in common, its text for a terminal and its tidy frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rankscope.data.section import Section, wrap_sentence
from rankscope.data.text import replace_invalid_utf8
from rankscope.errors import in_one_line
from rankscope.registry import resolve

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Result",
    "as_text",
    "sections_by_view",
    "tidy_frame",
]


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


def sections_by_view(result: Any) -> Sequence[Section]:
    """What a result shows, by the function that its class names as VIEW; the view is loaded when it is first asked for.

    So a view knows its result, and never the other way round.
    """
    sections: Sequence[Section] = resolve(result.VIEW)(result)
    return sections


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

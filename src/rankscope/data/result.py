"""Results: what all of them have in common, their text for a terminal and their tidy frame."""

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

    columns: those of the tidy table. records: its rows, of texts and numbers, NaN where a value is missing. signature:
    every setting that changes the numbers, in one line. frame: the tidy table as a polars frame, as `tidy_frame` makes
    it (only `Scores` has other rows in it). The text of a result is that of its sections, `as_text`.
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
    """The sections of a result, from the function that its class names as VIEW, which is loaded when first needed.

    So views import results, and results never import views.
    """
    sections: Sequence[Section] = resolve(result.VIEW)(result)
    return sections


def as_text(result: Result, *, details: bool = False) -> str:
    """A result as the terminal shows it: its sections, then signature and notes. details: with the folded sections."""
    blocks = []
    for section in result.sections():
        if section.folded and not details:
            continue
        paragraphs = [wrap_sentence(section.sentence)] if section.sentence else []
        paragraphs += ["\n".join(section.table.lines())] if section.table is not None else []
        paragraphs += ["\n".join(f"note: {in_one_line(note)}" for note in section.notes)] if section.notes else []
        if paragraphs:
            blocks.append("\n\n".join([section.title, *paragraphs] if section.title else paragraphs))
    footer = "\n".join([result.signature(), *(f"note: {in_one_line(note)}" for note in result.notes)])
    return "\n\n\n".join(blocks) + "\n\n" + footer


def tidy_frame(result: Result) -> pl.DataFrame:
    """A result's tidy table as a polars frame; null where there is no value."""
    import polars as pl

    rows = [[replace_invalid_utf8(cell) if isinstance(cell, str) else cell for cell in row] for row in result.records()]
    frame = pl.DataFrame(
        {name: [row[index] for row in rows] for index, name in enumerate(result.columns)}, strict=False
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

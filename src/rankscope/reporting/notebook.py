"""What a notebook shows of a result: its open sections, and its first figure if Altair is installed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from rankscope.data.result import Result
from rankscope.data.section import Cell, Figure, Section, Table, as_marked
from rankscope.errors import ParameterError, UnknownName
from rankscope.reporting import page
from rankscope.reporting.figures import draw as draw_chart

__all__ = [
    "plot_result",
    "result_html",
    "section_html",
]


#: More rows are counted, but not shown.
MAX_ROWS = 60
NUMBER, NAME = "text-align: right", "text-align: left"


def result_html(result: Result) -> str:
    """The open sections as HTML, then the signature and the notes.

    >>> import rankscope as rs
    >>> scores = rs.evaluate({"q": {"a": 1}}, rs.Run({"q": {"a": 1.0}}, name="<b>"), "RR")
    >>> "&lt;b&gt;" in result_html(scores), "<b>" in result_html(scores)
    (True, False)
    """
    blocks: list[str] = []
    has_figure = False
    for section in result.sections():
        if section.folded:
            continue
        blocks += section_blocks(section, with_figure=not has_figure)
        has_figure = has_figure or section.figure is not None
    blocks += [f"<p><small>{as_text(result.signature())}</small></p>", *note_list(result.notes)]
    return "\n".join(["<div>", *blocks, "</div>"])


def section_html(section: Section) -> str:
    """A single section as HTML, with its figure, folded or not."""
    return "\n".join(["<div>", *section_blocks(section, with_figure=True), "</div>"])


def section_blocks(section: Section, *, with_figure: bool) -> list[str]:
    """Title, sentence, figure, table and notes of a section."""
    blocks = [f"<h4>{as_text(section.title)}</h4>"] if section.title else []
    blocks += [f"<p>{as_text(section.sentence)}</p>"] if section.sentence else []
    blocks += draw(section.figure) if with_figure and section.figure is not None else []
    blocks += [table_html(section.table)] if section.table is not None else []
    return blocks + note_list(section.notes)


def plot_result(result: Result, name: str | None) -> Any:
    """The chart of the result's first figure, or of the one with this name. Raises ParameterError and UnknownName."""
    figures: dict[str, Figure] = {}
    for section in result.sections():
        if section.figure is not None:
            figures.setdefault(section.figure.name, section.figure)
    if not figures:
        raise ParameterError(f"{result!r} has no figure")
    if name is not None and name not in figures:
        raise UnknownName("figure", name, figures)
    return draw_chart(figures[name] if name else next(iter(figures.values())))


def draw(figure: Figure) -> list[str]:
    """The figure as SVG, if what draws it is installed."""
    if find_spec("altair") is None or find_spec("vl_convert") is None:
        return []
    return [page.draw(figure).svg]


def table_html(table: Table) -> str:
    """A table; of a long one the first rows, and how many are not shown."""
    styles = [NAME if c < table.n_name_columns else NUMBER for c in range(len(table.columns))]
    heading = row_html("th", table.columns, styles)
    rows = [row_html("td", row, styles) for row in table.rows[:MAX_ROWS]]
    n_cut = len(table.rows) - len(rows)
    cut = [f"<p><small>{n_cut:,} more rows; <code>frame()</code> has all.</small></p>"] if n_cut else []
    return "\n".join(["<table>", f"<thead>{heading}</thead>", "<tbody>", *rows, "</tbody></table>", *cut])


def row_html(tag: str, cells: Sequence[Cell], styles: Sequence[str]) -> str:
    """A row of a table."""
    texts = []
    for cell, style in zip(map(as_marked, cells), styles, strict=True):
        text = f"<strong>{as_text(cell.text)}</strong>" if cell.bold else as_text(cell.text)
        raised = f"<sup>{as_text(cell.raised)}</sup>" if cell.raised else ""
        texts.append(f'<{tag} style="{style}">{text}{raised}</{tag}>')
    return f"<tr>{''.join(texts)}</tr>"


def note_list(notes: Sequence[str]) -> list[str]:
    """Notes as a list, if there are any."""
    if not notes:
        return []
    return ["<ul>", *(f"<li><small>{as_text(note)}</small></li>" for note in notes), "</ul>"]


def as_text(text: str) -> str:
    """A text for HTML: markup is shown, not obeyed, and characters that cannot be shown are replaced."""
    return escape(page.showable(text))

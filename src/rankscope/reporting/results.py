"""Any result for the terminal, for papers and for programs."""

from __future__ import annotations

from collections.abc import Callable

from rankscope.data.sections import Result, Section, as_text
from rankscope.errors import UnknownName
from rankscope.reporting.formats import latex_tabular, markdown_rows, markdown_text, single_line, write_records

__all__ = ["RESULT_FORMATS", "render_result"]


def render_result(result: Result, format_: str, *, details: bool = False) -> str:
    """The result as text, ending with a newline. details: what is of interest to few, too; for programs all is there.

    Raises UnknownName for a format that is not in `RESULT_FORMATS`.
    """
    if format_ not in RESULT_FORMATS:
        raise UnknownName("output format", format_, RESULT_FORMATS)
    return RESULT_FORMATS[format_](result, details)


def as_table(result: Result, details: bool) -> str:
    return as_text(result, details=details) + "\n"


def as_csv(result: Result, details: bool) -> str:
    return write_records("csv", result.columns, result.records())


def as_json(result: Result, details: bool) -> str:
    return write_records("json", result.columns, result.records())


def as_jsonl(result: Result, details: bool) -> str:
    return write_records("jsonl", result.columns, result.records())


def visible_sections(result: Result, details: bool) -> list[Section]:
    return [section for section in result.sections() if details or not section.folded]


def as_latex(result: Result, details: bool) -> str:
    """A tabular a section; what is said in words is in comments, for the paper to take up."""
    lines: list[str] = []
    for section in visible_sections(result, details):
        lines += [f"% {single_line(line)}" for line in (section.title, section.sentence) if line]
        if section.table is not None:
            lines += latex_tabular(section.table.columns, section.table.rows, section.table.left)
        lines += [f"% note: {single_line(note)}" for note in section.notes]
        lines += [""] if section.title else []  # a lone table is followed by its signature
    notes = [f"% note: {single_line(note)}" for note in result.notes]
    return "\n".join([*lines, f"% {single_line(result.signature())}", *notes]) + "\n"


def as_markdown(result: Result, details: bool) -> str:
    """A heading, a sentence and a table a section."""
    blocks: list[str] = []
    for section in visible_sections(result, details):
        blocks += [f"### {markdown_text(section.title)}"] if section.title else []
        blocks += [markdown_text(section.sentence)] if section.sentence else []
        if section.table is not None:
            blocks.append("\n".join(markdown_rows(section.table.columns, section.table.rows, section.table.left)))
        blocks += [f"note: {markdown_text(note)}" for note in section.notes]
    blocks.append(f"`{single_line(result.signature())}`")
    return "\n\n".join([*blocks, *(f"note: {markdown_text(note)}" for note in result.notes)]) + "\n"


#: How results are shown, by name: a function of the result, and of whether details are asked for.
RESULT_FORMATS: dict[str, Callable[[Result, bool], str]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
    "jsonl": as_jsonl,
    "latex": as_latex,
    "markdown": as_markdown,
}

"""Output formats of any result: for the terminal, for papers (LaTeX, markdown) and for programs (csv, json); of scores
also trec_eval's lines.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

from rankscope.data.result import Result, as_text
from rankscope.data.scores import EachQuery, Scores
from rankscope.data.section import Cell, Marked, Section, Table
from rankscope.data.text import format_value
from rankscope.errors import ParameterError, UnknownName, in_one_line
from rankscope.measures.base import Measure
from rankscope.measures.names import trec_name
from rankscope.reporting._latex_width import TEXT_WIDTH, fitting_size, width_of

__all__ = [
    "FORMATS",
    "RESULT_FORMATS",
    "fitted_tabular",
    "latex_tabular",
    "markdown_rows",
    "markdown_text",
    "render_result",
    "render_scores",
    "write_records",
]


MARKS = {"▲": r"$\uparrow$", "▼": r"$\downarrow$"}
LATEX = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **MARKS,
    "|": r"\textbar{}",
}
#: What no LaTeX prints: marks without a width, and bytes that are no UTF-8.
UNPRINTABLE = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\ud800-\udfff]")
#: What a document needs for the tables, and for their negative numbers where it has not loaded siunitx.
NEEDS_BOOKTABS, NEEDS_NUM = r"% needs \usepackage{booktabs}", r"\providecommand{\num}[1]{\ensuremath{#1}}"
#: A number below 0 in a cell of numbers, also as an end of an interval; no part of a range as 2-4.
NEGATIVE = re.compile(r"(?<![\w.-])-(\d+(?:\.\d+)?)(?![\w.])")


def write_records(format_: str, columns: Sequence[str], records: Iterable[Sequence[Any]]) -> str:
    """Records as csv, json or jsonl, in full precision; missing values (NaN, None) are empty, or null."""
    rows = [[json_value(cell) for cell in record] for record in records]
    if format_ == "csv":
        import csv

        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(
            ["" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows
        )
        return buffer.getvalue()
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    return "".join(f"{line}\n" for line in lines) if format_ == "jsonl" else "[\n  " + ",\n  ".join(lines) + "\n]\n"


def json_value(cell: Any) -> Any:
    """A cell as a plain Python value; None for NaN."""
    value = cell.item() if hasattr(cell, "item") else cell
    return None if isinstance(value, float) and math.isnan(value) else value


def latex_text(text: str) -> str:
    """Text with LaTeX's special and unprintable characters escaped."""
    printable = UNPRINTABLE.sub(lambda mark: ascii(mark[0])[1:-1], in_one_line(text))
    return "".join(LATEX.get(c, c) for c in printable)


def latex_marks(note: str) -> str:
    """A note with the marks that it explains as they stand in the table."""
    return "".join(MARKS.get(character, character) for character in note)


def latex_number(text: str) -> str:
    """A cell of numbers: a minus sign instead of a hyphen, and a dash where there is no value."""
    return "--" if text == "-" else NEGATIVE.sub(r"\\num{-\1}", latex_text(text))


def latex_cell(cell: Cell, as_latex: Callable[[str], str] = latex_text, widest: str = "") -> str:
    """A cell with its bold face and superscript, which is as wide as the widest of the column: numbers stay aligned."""
    text, raised, bold = (cell.text, cell.raised, cell.bold) if isinstance(cell, Marked) else (cell, "", False)
    latex = rf"\textbf{{{as_latex(text)}}}" if bold else as_latex(text)
    padding = latex_text(widest[len(raised) :]) if text else ""
    raised = latex_text(raised) + (rf"\phantom{{{padding}}}" if padding else "")
    return rf"{latex}\textsuperscript{{{raised}}}" if raised else latex


def latex_row(cells: Sequence[str]) -> str:
    r"""The line of a row. A first cell that begins with [ or * would be an argument of the \\ or \midrule before it."""
    line = " & ".join(cells) + r" \\"
    return f"{{}}{line}" if line.lstrip().startswith(("[", "*")) else line


def latex_tabular(columns: Sequence[str], rows: Iterable[Sequence[Cell]], n_left_aligned: int) -> list[str]:
    """The lines of a booktabs tabular."""
    lines = [rf"\begin{{tabular}}{{{'l' * n_left_aligned}{'r' * (len(columns) - n_left_aligned)}}}", r"\toprule"]
    lines += [latex_row([latex_text(column) for column in columns]), r"\midrule"]
    rows = list(rows)
    widest = [
        max((cell.raised for cell in cells if isinstance(cell, Marked)), key=len, default="")
        for cells in zip(*rows, strict=True)
    ]
    for row in rows:
        names = map(latex_cell, row[:n_left_aligned])
        numbers = map(latex_cell, row[n_left_aligned:], repeat(latex_number), widest[n_left_aligned:])
        lines.append(latex_row([*names, *numbers]))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def fitted_tabular(table: Table) -> list[str]:
    """The lines of a tabular; of one wider than the text of a page in smaller letters, with a comment that says so."""
    lines = latex_tabular(table.columns, table.rows, table.n_name_columns)
    size, fits = fitting_size(table.columns, table.rows)
    if not size.command:
        return lines
    width = width_of(table.columns, table.rows)
    comment = f"% about {width:.0f} pt wide in normal letters, and here smaller to fit a text of {TEXT_WIDTH:.0f} pt"
    if not fits:
        comment += r"; it is still wider: show fewer columns, or use \resizebox of graphicx"
    opening = rf"\begingroup{size.command}\setlength{{\tabcolsep}}{{{size.column_space:g}pt}}%"
    return [comment, opening, *lines[:-1], f"{lines[-1]}%", r"\endgroup"]


def markdown_text(text: str) -> str:
    """Text with Markdown's special characters escaped."""
    without_entities = re.sub(r"&(?=#?\w+;)", "&amp;", in_one_line(text))
    return re.sub(r"([\\|*_`\[\]])", r"\\\1", without_entities).replace("<", "&lt;")


def markdown_cell(cell: Cell) -> str:
    """A cell with its bold face and superscript."""
    if not isinstance(cell, Marked):
        return markdown_text(cell)
    text = markdown_text(cell.text)
    text = f"**{text}**" if cell.bold else text
    return f"{text}<sup>{markdown_text(cell.raised)}</sup>" if cell.raised else text


def markdown_rows(columns: Sequence[str], rows: Iterable[Sequence[Cell]], n_left_aligned: int) -> list[str]:
    """The lines of a table in markdown."""
    lines = ["| " + " | ".join(map(markdown_text, columns)) + " |"]
    lines.append("| " + " | ".join([":--"] * n_left_aligned + ["--:"] * (len(columns) - n_left_aligned)) + " |")
    return lines + ["| " + " | ".join(map(markdown_cell, row)) + " |" for row in rows]


def render_result(result: Result, format_: str, *, details: bool = False) -> str:
    """The result as text, ending with a newline.

    Parameters
    ----------
    result
        The result.
    format_
        One of `RESULT_FORMATS`.
    details
        With folded sections; formats for programs always have all.

    Raises
    ------
    UnknownName
        The format does not exist.
    """
    if format_ not in RESULT_FORMATS:
        raise UnknownName("output format", format_, RESULT_FORMATS)
    return RESULT_FORMATS[format_](result, details)


def as_table(result: Result, details: bool) -> str:
    """The text for a terminal. details: with the folded sections."""
    return as_text(result, details=details) + "\n"


def as_csv(result: Result, details: bool) -> str:
    """The tidy table as CSV."""
    return write_records("csv", result.columns, result.records())


def as_json(result: Result, details: bool) -> str:
    """The tidy table as JSON: a list, or beside what a result says of all rows."""
    rows = write_records("json", result.columns, result.records())
    head = result.json_head()
    if not head:
        return rows
    members = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    return "{\n" + ",\n".join([*members, f'"rows": {rows.rstrip()}']) + "\n}\n"


def as_jsonl(result: Result, details: bool) -> str:
    """The tidy table as JSON lines."""
    return write_records("jsonl", result.columns, result.records())


def visible_sections(result: Result, details: bool) -> list[Section]:
    """The open sections, or with details all of them."""
    return [section for section in result.sections() if details or not section.folded]


def as_latex(result: Result, details: bool) -> str:
    """One tabular for each section, in smaller letters where it is wide; sentences and notes are in comments."""
    lines: list[str] = []
    for section in visible_sections(result, details):
        lines += [f"% {in_one_line(line)}" for line in (section.title, section.sentence) if line]
        if section.table is not None:
            lines += fitted_tabular(section.table)
        lines += [f"% note: {in_one_line(latex_marks(note))}" for note in section.notes]
        lines += [""] if section.title else []  # a single table is followed by its signature
    notes = [f"% note: {in_one_line(note)}" for note in result.notes]
    preamble = [NEEDS_BOOKTABS, NEEDS_NUM] if any(r"\num{" in line for line in lines) else [NEEDS_BOOKTABS]
    return "\n".join([*preamble, *lines, f"% {in_one_line(result.signature())}", *notes]) + "\n"


def as_markdown(result: Result, details: bool) -> str:
    """A heading, a sentence and a table for each section."""
    blocks: list[str] = []
    for section in visible_sections(result, details):
        blocks += [f"### {markdown_text(section.title)}"] if section.title else []
        blocks += [markdown_text(section.sentence)] if section.sentence else []
        if section.table is not None:
            blocks.append(
                "\n".join(markdown_rows(section.table.columns, section.table.rows, section.table.n_name_columns))
            )
        blocks += [f"note: {markdown_text(note)}" for note in section.notes]
    blocks.append(f"`{in_one_line(result.signature())}`")
    return "\n\n".join([*blocks, *(f"note: {markdown_text(note)}" for note in result.notes)]) + "\n"


#: Output formats by name: functions of the result and of whether to show details.
RESULT_FORMATS: dict[str, Callable[[Result, bool], str]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
    "jsonl": as_jsonl,
    "latex": as_latex,
    "markdown": as_markdown,
}
#: Output formats of `evaluate`.
FORMATS = (*RESULT_FORMATS, "trec")


def render_scores(scores: Scores, format_: str, *, by_query: bool = False) -> str:
    """The scores as text, ending with a newline.

    Parameters
    ----------
    scores
        The scores.
    format_
        One of `FORMATS`.
    by_query
        Every query's values before the summary.

    Raises
    ------
    UnknownName
        The format does not exist.
    ParameterError
        The format trec has no bounds and no groups.
    """
    if format_ not in FORMATS:
        raise UnknownName("output format", format_, FORMATS)
    if format_ == "trec":
        return as_trec(scores, by_query)
    return render_result(EachQuery(scores) if by_query else scores, format_)


def as_trec(scores: Scores, by_query: bool) -> str:
    """trec_eval's lines, under its names where it has one; with several runs, each begins with its runid."""
    if scores.bounds is not None:
        raise ParameterError("the format trec has no place for bounds (--unjudged bounds); choose another format")
    if scores.queries.group is not None:
        raise ParameterError(
            "the format trec has no place for groups of queries, whose lines would look like those of queries; choose "
            "another format"
        )
    names = [trec_name(measure) if isinstance(measure, Measure) else str(measure) for measure in scores.measures]
    lines = []
    several_systems = len(scores.systems) > 1
    for s, system in enumerate(scores.systems):
        runid = f"{'runid':<22}\tall\t{system}"
        lines += [runid] if several_systems else []
        if by_query:
            for q, query in enumerate(scores.query_ids):
                values = scores.values[s, :, q].tolist()
                lines += trec_lines(scores, names, query, values)
        lines += [] if several_systems else [runid]
        lines += trec_lines(scores, names, "all", [float(scores.summary(name)[s]) for name in scores.measure_names])
    return "\n".join(lines) + "\n"


def trec_lines(scores: Scores, names: list[str], query: str, values: list[float]) -> list[str]:
    """trec_eval's lines for one query, or for all."""
    lines = []
    for name, measure, value in zip(names, scores.measures, values, strict=True):
        # As in trec_eval, a geometric mean has a line for all queries only.
        if not math.isnan(value) and (query == "all" or measure.summary != "geometric"):
            lines.append(f"{name:<22}\t{query}\t{format_value(value, measure.summary)}")
    return lines

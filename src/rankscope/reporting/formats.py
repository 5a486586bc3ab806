"""How tables are written: for programs from records, for papers from cells. What they hold is not known here."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rankscope.data.sections import Cell, Marked

__all__ = ["latex_tabular", "markdown_rows", "markdown_text", "single_line", "write_records"]


LATEX = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def write_records(format_: str, columns: Sequence[str], records: Iterable[Sequence[Any]]) -> str:
    """Records as csv, json or jsonl, in full precision; what has no value (NaN, None) is empty, or null."""
    rows = [[json_value(cell) for cell in record] for record in records]
    if format_ == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(
            ["" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows
        )
        return out.getvalue()
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    return "".join(f"{line}\n" for line in lines) if format_ == "jsonl" else "[\n  " + ",\n  ".join(lines) + "\n]\n"


def json_value(cell: Any) -> Any:
    """A cell as Python has it; None for NaN."""
    value = cell.item() if hasattr(cell, "item") else cell
    return None if isinstance(value, float) and math.isnan(value) else value


def single_line(text: str) -> str:
    """A text without line breaks, which would end a row or a comment."""
    return " ".join(text.splitlines())


def latex_text(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in single_line(text))


def latex_cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return latex_text(cell)
    text = latex_text(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold else text
    return rf"{text}\textsuperscript{{{latex_text(cell.raised)}}}" if cell.raised else text


def latex_tabular(columns: Sequence[str], rows: Iterable[Sequence[Cell]], left: int) -> list[str]:
    """The lines of a booktabs tabular."""
    lines = [rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(columns) - left)}}}", r"\toprule"]
    lines += [" & ".join(map(latex_text, columns)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(latex_cell, row)) + r" \\" for row in rows]
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def markdown_text(text: str) -> str:
    return re.sub(r"([\\|*_`\[\]])", r"\\\1", single_line(text)).replace("<", "&lt;")


def markdown_cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return markdown_text(cell)
    text = markdown_text(cell.text)
    text = f"**{text}**" if cell.bold else text
    return f"{text}<sup>{markdown_text(cell.raised)}</sup>" if cell.raised else text


def markdown_rows(columns: Sequence[str], rows: Iterable[Sequence[Cell]], left: int) -> list[str]:
    """The lines of a table in markdown."""
    lines = ["| " + " | ".join(map(markdown_text, columns)) + " |"]
    lines.append("| " + " | ".join([":--"] * left + ["--:"] * (len(columns) - left)) + " |")
    return lines + ["| " + " | ".join(map(markdown_cell, row)) + " |" for row in rows]

"""Scores as a table for the terminal, for papers and for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Sequence
from unicodedata import east_asian_width

from rankscope.data.scores import Scores
from rankscope.errors import UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import trec_name

__all__ = ["FORMATS", "align", "render_scores"]

LATEX = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def render_scores(scores: Scores, format_: str, *, by_query: bool = False) -> str:
    """The scores as text, ending with a newline. by_query: every query's values before the summary.

    Raises UnknownName for a format that is not in `FORMATS`.
    """
    if format_ not in FORMATS:
        raise UnknownName("output format", format_, FORMATS)
    return FORMATS[format_](scores, by_query)


def number(value: float, measure: object) -> str:
    """Four digits as trec_eval prints them; counts without any; a dash where there is no value."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if getattr(measure, "summary", "") == "sum" else f"{value:.4f}"


def body(scores: Scores, by_query: bool) -> Iterator[list[str]]:
    """The rows of the table that people read: system, [query,] one column a measure."""
    totals = [scores.summary(name) for name in scores.measure_names]
    for s, system in enumerate(scores.systems):
        if by_query:
            for q, query in enumerate(scores.query_ids):
                values = scores.values[s, :, q].tolist()
                yield [system, query, *map(number, values, scores.measures)]
        summary = [number(float(t[s]), m) for t, m in zip(totals, scores.measures, strict=True)]
        yield [system, *(["all"] if by_query else []), *summary]


def header(scores: Scores, by_query: bool) -> list[str]:
    return ["system", *(["query"] if by_query else []), *scores.measure_names]


def width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def align(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Rows as lines of even columns: the first `left` columns to the left, the others to the right."""
    widths = [max(width(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for c, cell in enumerate(row):
            gap = " " * (widths[c] - width(cell))
            cells.append(cell + gap if c < left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def as_table(scores: Scores, by_query: bool) -> str:
    rows = [header(scores, by_query), *body(scores, by_query)]
    lines = align(rows, 2 if by_query else 1)
    notes = [f"note: {note}" for note in scores.notes]
    return "\n".join([*lines, "", scores.signature(), *notes]) + "\n"


def as_csv(scores: Scores, by_query: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("system", "measure", "query", "value"))
    for record in scores.records(by_query=by_query):
        writer.writerow((*record[:3], "" if math.isnan(record.value) else repr(record.value)))
    return out.getvalue()


def json_records(scores: Scores, by_query: bool) -> list[str]:
    return [
        json.dumps({**record._asdict(), "value": None if math.isnan(record.value) else record.value})
        for record in scores.records(by_query=by_query)
    ]


def as_json(scores: Scores, by_query: bool) -> str:
    return "[\n  " + ",\n  ".join(json_records(scores, by_query)) + "\n]\n"


def as_jsonl(scores: Scores, by_query: bool) -> str:
    return "\n".join(json_records(scores, by_query)) + "\n"


def latex_text(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in text)


def as_latex(scores: Scores, by_query: bool) -> str:
    """A booktabs tabular; the signature and notes are comments under it."""
    head = header(scores, by_query)
    names = 2 if by_query else 1
    lines = [rf"\begin{{tabular}}{{{'l' * names}{'r' * (len(head) - names)}}}", r"\toprule"]
    lines += [" & ".join(map(latex_text, head)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(latex_text, row)) + r" \\" for row in body(scores, by_query)]
    lines += [r"\bottomrule", r"\end{tabular}", f"% {scores.signature()}"]
    return "\n".join([*lines, *(f"% note: {note}" for note in scores.notes)]) + "\n"


def markdown_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def as_markdown(scores: Scores, by_query: bool) -> str:
    head = header(scores, by_query)
    names = 2 if by_query else 1
    rows = [head, [":--"] * names + ["--:"] * (len(head) - names), *body(scores, by_query)]
    lines = ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]
    notes = [f"\nnote: {markdown_text(note)}" for note in scores.notes]
    return "\n".join([*lines, "", f"`{scores.signature()}`", *notes]) + "\n"


def as_trec(scores: Scores, by_query: bool) -> str:
    """trec_eval's lines, under its names where it has one; with several runs, each begins with its runid."""
    names = [trec_name(m) if isinstance(m, Measure) else str(m) for m in scores.measures]
    lines = []
    for s, system in enumerate(scores.systems):
        if by_query:
            for q, query in enumerate(scores.query_ids):
                values = scores.values[s, :, q].tolist()
                lines += trec_lines(scores, names, query, values)
        lines.append(f"{'runid':<22}\tall\t{system}")
        lines += trec_lines(scores, names, "all", [float(scores.summary(n)[s]) for n in scores.measure_names])
    return "\n".join(lines) + "\n"


def trec_lines(scores: Scores, names: list[str], query: str, values: list[float]) -> list[str]:
    lines = []
    for name, measure, value in zip(names, scores.measures, values, strict=True):
        if not math.isnan(value):
            shown = f"{value:.0f}" if measure.summary == "sum" else f"{value:6.4f}"
            lines.append(f"{name:<22}\t{query}\t{shown}")
    return lines


#: Output formats of `evaluate`.
FORMATS: dict[str, Callable[[Scores, bool], str]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
    "jsonl": as_jsonl,
    "latex": as_latex,
    "markdown": as_markdown,
    "trec": as_trec,
}

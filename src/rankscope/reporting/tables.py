"""Scores as a table for the terminal, for papers and for programs."""

from __future__ import annotations

import math
from collections.abc import Callable

from rankscope.data.cells import format_value
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import trec_name
from rankscope.reporting.formats import latex_tabular, markdown_rows, markdown_text, write_records

__all__ = ["FORMATS", "render_scores"]


def render_scores(scores: Scores, format_: str, *, by_query: bool = False) -> str:
    """The scores as text, ending with a newline. by_query: every query's values before the summary.

    Raises UnknownName for a format that is not in `FORMATS`.
    """
    if format_ not in FORMATS:
        raise UnknownName("output format", format_, FORMATS)
    return FORMATS[format_](scores, by_query)


def as_table(scores: Scores, by_query: bool) -> str:
    return scores.table(by_query=by_query) + "\n"


def as_csv(scores: Scores, by_query: bool) -> str:
    return write_records("csv", scores.columns, scores.records(by_query=by_query))


def as_json(scores: Scores, by_query: bool) -> str:
    return write_records("json", scores.columns, scores.records(by_query=by_query))


def as_jsonl(scores: Scores, by_query: bool) -> str:
    return write_records("jsonl", scores.columns, scores.records(by_query=by_query))


def as_latex(scores: Scores, by_query: bool) -> str:
    """A booktabs tabular; the signature and notes are comments under it."""
    head, *rows = scores.cells(by_query=by_query)
    lines = latex_tabular(head, rows, 2 if by_query else 1)
    return "\n".join([*lines, f"% {scores.signature()}", *(f"% note: {note}" for note in scores.notes)]) + "\n"


def as_markdown(scores: Scores, by_query: bool) -> str:
    head, *rows = scores.cells(by_query=by_query)
    lines = markdown_rows(head, rows, 2 if by_query else 1)
    notes = [f"\nnote: {markdown_text(note)}" for note in scores.notes]
    return "\n".join([*lines, "", f"`{scores.signature()}`", *notes]) + "\n"


def as_trec(scores: Scores, by_query: bool) -> str:
    """trec_eval's lines, under its names where it has one; with several runs, each begins with its runid."""
    if scores.bounds is not None:
        raise ParameterError("the format trec has no place for bounds (--unjudged bounds); choose another format")
    names = [trec_name(m) if isinstance(m, Measure) else str(m) for m in scores.measures]
    lines = []
    several = len(scores.systems) > 1
    for s, system in enumerate(scores.systems):
        runid = f"{'runid':<22}\tall\t{system}"
        lines += [runid] if several else []
        if by_query:
            for q, query in enumerate(scores.query_ids):
                values = scores.values[s, :, q].tolist()
                lines += trec_lines(scores, names, query, values)
        lines += [] if several else [runid]
        lines += trec_lines(scores, names, "all", [float(scores.summary(n)[s]) for n in scores.measure_names])
    return "\n".join(lines) + "\n"


def trec_lines(scores: Scores, names: list[str], query: str, values: list[float]) -> list[str]:
    lines = []
    for name, measure, value in zip(names, scores.measures, values, strict=True):
        # As in trec_eval, a geometric mean has a line for all queries only.
        if not math.isnan(value) and (query == "all" or measure.summary != "geometric"):
            lines.append(f"{name:<22}\t{query}\t{format_value(value, measure.summary)}")
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

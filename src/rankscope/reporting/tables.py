"""Scores in every format of output: those of any result, and trec_eval's lines."""

from __future__ import annotations

import math

from rankscope.data.cells import format_value
from rankscope.data.scores import EachQuery, Scores
from rankscope.errors import ParameterError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import trec_name
from rankscope.reporting.results import RESULT_FORMATS, render_result

__all__ = ["FORMATS", "render_scores"]

#: Output formats of `evaluate`.
FORMATS = (*RESULT_FORMATS, "trec")


def render_scores(scores: Scores, format_: str, *, by_query: bool = False) -> str:
    """The scores as text, ending with a newline. by_query: every query's values before the summary.

    Raises UnknownName for a format that is not in `FORMATS`; ParameterError for bounds in the format trec.
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

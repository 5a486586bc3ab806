"""Reading trec_eval's printed output, and printing as it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import rankscope as rs
from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.measures.base import Measure
from rankscope.measures.names import TREC_NAMES


class Line(NamedTuple):
    measure: str
    query: str
    value: str


def read_lines(path: Path) -> list[Line]:
    """`%-22s\\t%s\\t%s`: the name is padded."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    return [Line(name.strip(), query, value) for name, query, value in rows]


def measure_of(name: str) -> Measure | None:
    """Our measure of that printed name; None where rankscope has none, or knows no such parameter."""
    if "=" in name:  # gains given on the command line
        return None
    try:
        return rs.parse_measure(name)
    except ParameterError:
        return None


def ours_of(name: str) -> Measure | None:
    """As `measure_of`, for the names that TREC_NAMES promises."""
    stem = max((s for s in TREC_NAMES if name == s or name.startswith(f"{s}_")), key=len, default=None)
    return measure_of(name) if stem else None


def printed(measure: Measure, value: float) -> str:
    """Counts are printed as whole numbers, all others with four digits."""
    return f"{value:.0f}" if measure.summary == "sum" else f"{value:.4f}"


def total(values: np.ndarray) -> float:
    """The sum in the order of the queries, as the tool adds: a mean of exactly 0.04015 prints as what it rounds to."""
    return float(np.cumsum(values)[-1])


def rbp_lines(hits: Hits, p: float) -> dict[tuple[str, str], str]:
    """The tool's `rbp` and `rbp_resid` of each query, from our measures.

    It scales by the query's largest grade where we scale by that of the qrels, and its residual is 0 where nothing is
    unjudged, also below the end of the list, and where the run has no list.
    """
    rbp, residual, judged = (rs.parse_measure(m) for m in (f"RBP(p={p})", f"RBPResidual(p={p})", "Judged"))
    found = {}
    for i, query in enumerate(hits.query_ids):
        one = hits.select([i])
        alone = replace(one, max_grade=int(one.grades.max(initial=0)))
        none_unjudged = judged(one)[0] == 1.0 or bool(one.missing[0])
        found["rbp", query] = f"{rbp(alone)[0]:.4f}"
        found["rbp_resid", query] = f"{0.0 if none_unjudged else residual(one)[0]:.4f}"
    return found

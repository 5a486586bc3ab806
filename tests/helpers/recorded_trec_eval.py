"""Reading trec_eval's printed output, and printing our values as it does."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankscope import Measure, parse_measures
from rankscope.measures.presets import PRESETS

#: How the recorded outputs are called -> our preset.
VERSIONS = {"v10": "trec_eval", "v9": "trec_eval-9", "10.0": "trec_eval", "9.0.8": "trec_eval-9"}


class Line(NamedTuple):
    measure: str
    query: str
    value: str


def read_lines(path: Path) -> list[Line]:
    """`%-22s\\t%s\\t%s`: the name is padded, and `  -nan` too."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    return [Line(name.strip(), query, value.strip()) for name, query, value in rows]


def measure_of(name: str, version: str) -> Measure | None:
    """Our measure of that printed name; None for what is no measure here (runid, num_q, relstring)."""
    if name in ("runid", "num_q") or name.startswith("relstring"):
        return None
    (measure,) = parse_measures([name], PRESETS[VERSIONS[version]].parameters)
    return measure


def measures_of(lines: list[Line], version: str) -> dict[str, Measure]:
    names = dict.fromkeys(line.measure for line in lines)
    return {name: measure for name in names if (measure := measure_of(name, version)) is not None}


def printed(measure: Measure, value: float) -> str:
    """Counts are printed as whole numbers, all others with four digits."""
    return f"{value:.0f}" if measure.summary == "sum" else f"{value:.4f}"


def summary(measure: Measure, values: np.ndarray) -> float:
    """Added in the order of the queries, as the tool adds: a mean of exactly 0.04015 prints as what it rounds to."""
    if measure.summary == "geometric":
        return float(np.exp(summary_of_logs(values)))
    total = float(np.cumsum(values)[-1])
    return total if measure.summary == "sum" else total / values.size


def summary_of_logs(values: np.ndarray) -> float:
    return float(np.cumsum(np.log(np.maximum(values, 0.00001)))[-1]) / values.size

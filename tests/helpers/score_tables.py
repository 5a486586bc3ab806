"""Scores out of the air: what a test compares, without judgments and runs."""

from __future__ import annotations

from typing import Any

import numpy as np

import rankscope as rs
from rankscope import Scores
from rankscope.comparison.compare import TESTS

#: Tests of all systems at once; of probabilities; with intervals of their own; that draw.
OF_ALL = [name for name, method in TESTS.items() if method.kind == "all"]
BAYESIAN = [name for name, method in TESTS.items() if method.kind == "posterior"]
SIMULTANEOUS = [name for name, method in TESTS.items() if method.has_intervals]
#: Tests of any values, not only of outcomes 0 and 1.
OF_ANY_VALUES = [name for name, method in TESTS.items() if not method.is_for_binary]
RESAMPLED = [name for name, method in TESTS.items() if method.uses_resampling]


def score_table(values: Any, measures: Any = "AP", systems: tuple[str, ...] | None = None) -> Scores:
    """Scores of (systems, queries), or of (systems, measures, queries) where several measures are named."""
    names = [measures] if isinstance(measures, str) else list(measures)
    array = np.asarray(values, float)
    array = array[:, None] if array.ndim == 2 else array
    flags = np.isnan(array[:, 0])
    return Scores(
        systems=systems or tuple(chr(ord("a") + s) if s < 26 else f"s{s}" for s in range(len(array))),
        measures=tuple(rs.parse_measures(names)),
        query_ids=tuple(f"q{i}" for i in range(array.shape[2])),
        values=array,
        missing=flags,
        undefined=np.zeros((len(names), array.shape[2]), bool),
        settings={"queries": str(array.shape[2])},
        measure_settings=tuple({} for _ in names),
    )


def random_table(systems: int, queries: int, measures: Any = "AP", seed: int = 1, spread: float = 0.05) -> Scores:
    """Systems a little apart on queries of different difficulty, with values in [0, 1]."""
    rng = np.random.default_rng(seed)
    several = 1 if isinstance(measures, str) else len(measures)
    level = 0.5 + spread * rng.standard_normal((systems, 1, 1)) + 0.1 * rng.standard_normal(queries)
    return score_table(np.clip(level + 0.1 * rng.standard_normal((systems, several, queries)), 0, 1), measures)


def text_of(result: Any) -> str:
    """What is printed, without the line breaks of a terminal."""
    return " ".join(str(result).split())


def small() -> tuple[dict[str, dict[str, int]], list[rs.Run]]:
    """Judgments of six queries and two runs, the second of which lacks one."""
    qrels = {f"q{i}": {"d": 1, "e": i % 2} for i in range(6)}
    good = rs.Run({q: {"d": 2.0, "x": 1.0} for q in qrels}, name="good")
    poor = rs.Run({q: {"x": 2.0 + (i % 3), "d": 2.5} for i, q in enumerate(list(qrels)[:5])}, name="poor")
    return qrels, [good, poor]

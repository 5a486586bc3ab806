"""Scores and tables of ranks whose truth is known, for the tests of the stability study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import rankscope as rs
from rankscope import Scores, parse_measures


def made(values: Any, measures: Sequence[str] = ("AP",), names: Sequence[str] | None = None) -> Scores:
    """Scores of these values: (systems, measures, queries)."""
    table = np.array(values, np.float64)
    systems, n_measures, queries = table.shape
    return Scores(
        systems=tuple(names or (f"s{i}" for i in range(systems))),
        measures=tuple(parse_measures(list(measures))),
        query_ids=tuple(f"q{i}" for i in range(queries)),
        values=table,
        missing=np.zeros((systems, queries), np.bool_),
        undefined=np.zeros((n_measures, queries), np.bool_),
    )


def normal_values(
    rng: np.random.Generator, means: Sequence[float], queries: int, *, sd: float = 0.1, measures: int = 1
) -> npt.NDArray[np.float64]:
    """(systems, measures, queries) systems of these means: each query is as hard for all, and noise besides."""
    hardness = rng.normal(0, 0.1, (1, measures, queries))
    noise = rng.normal(0, sd, (len(means), measures, queries))
    return np.asarray(means)[:, None, None] + hardness + noise


def ranks_table(seed: int, *, systems: int = 3, entities: int = 60, last: int = 300, **more: Any) -> rs.EntityRanks:
    """Random ranks from 1 to `last`, each system's all different; the last system is worse by a factor of 3."""
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.tile(np.arange(1, last + 1), (systems, 1)), axis=1)[:, :entities]
    ranks[-1] *= 3
    return rs.EntityRanks(
        ranks=ranks,
        systems=[f"S{i}" for i in range(systems)],
        entity_ids=[f"e{i}" for i in range(entities)],
        **more,
    )


def lists(queries: int = 12, systems: int = 3, seed: int = 0) -> tuple[Any, dict[str, Any]]:
    """Judgments, and the scored documents of each run, no two of a list with one score."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(12)]
    qrels = {f"q{q}": {doc: int(rng.integers(0, 3)) for doc in docs} | {"d0": 1} for q in range(queries)}
    runs = {
        f"run{s}": {
            q: {doc: float(grade * (systems - s) + rng.normal(0, 2)) for doc, grade in judged.items()}
            for q, judged in qrels.items()
        }
        for s in range(systems)
    }
    return qrels, runs


def collection(queries: int = 12, systems: int = 3, seed: int = 0) -> tuple[Any, list[rs.Run]]:
    """Those as judgments and runs."""
    qrels, runs = lists(queries, systems, seed)
    return qrels, [rs.Run(of, name=name) for name, of in runs.items()]

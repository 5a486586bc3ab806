"""What people and metrics say of six systems on thirty segments, made from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope import MetricScores, PairScores

SYSTEMS, SEGMENTS = tuple("ABCDEF"), tuple(map(str, range(1, 31)))
FEW: dict[str, Any] = {"n_resamples": 49, "rng": 1}


def matrices(seed: int = 1, noises: Sequence[float] = (0.5, 0.7, 3.0)) -> tuple[np.ndarray, np.ndarray]:
    """What people say, and metrics with so much noise."""
    rng = np.random.default_rng(seed)
    good = rng.normal(size=(len(SYSTEMS), len(SEGMENTS))) + np.linspace(1, -1, len(SYSTEMS))[:, None]
    people = np.rint(2 * (good + 0.5 * rng.normal(size=good.shape)))
    return people, np.array([good + noise * rng.normal(size=good.shape) for noise in noises])


def scored(name: str, *tables: np.ndarray, score: bool = True) -> MetricScores:
    """A table a language pair: x-1, x-2, ..."""
    pairs = {f"x-{i}": PairScores(SYSTEMS, SEGMENTS, table.astype(float)) for i, table in enumerate(tables, 1)}
    return MetricScores(name, pairs, score)


def given(seeds: Sequence[int] = (1,), **how: Any) -> tuple[MetricScores, list[MetricScores]]:
    tables = [matrices(seed, **how) for seed in seeds]
    people = scored("people", *(gold for gold, _ in tables))
    return people, [scored(f"m{m}", *(metrics[m] for _, metrics in tables)) for m in range(len(tables[0][1]))]

"""Made lists for cross-validations: in memory, and as a folder of folds whose test lists stand nowhere else."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import Features
from rankscope.learning import Ranker

QUICK: dict[str, Any] = {"hidden": (4,), "epochs": 3, "learning_rate": 0.01, "batch_lists": 4}


def rankers(*losses: str, **parameters: Any) -> list[Ranker]:
    """Rankers with the same parameters; "linear:LOSS" is a linear scorer."""
    return [
        Ranker(loss.removeprefix("linear:"), **{**parameters, **({"hidden": ()} if loss.startswith("linear:") else {})})
        for loss in losses
    ]


@cache
def made(queries: int = 24, seed: int = 5) -> Features:
    """Lists of 3 to 8 documents; of three features the first says nearly all, the last nothing."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 9, queries)
    x = rng.normal(size=(int(sizes.sum()), 3))
    wanted = 2 * x[:, 0] + 0.5 * x[:, 1] + 0.3 * rng.normal(size=len(x))
    return Features.of(x, np.clip(np.round(wanted), 0, 2).astype(int), sizes=sizes)


def letor_lines(queries: range, seed: int, *, shuffled: bool = False) -> str:
    """LETOR's lines; shuffled: with grades that say nothing, of the same documents."""
    rng = np.random.default_rng(seed)
    lines = []
    for query in queries:
        x = rng.normal(size=(6, 3)).round(3)
        grades = np.clip(np.round(2 * x[:, 0] + 0.5 * rng.normal(size=6)), 0, 2).astype(int)
        if shuffled:
            grades = (grades + 1) % 3
        for grade, row in zip(grades, x, strict=True):
            lines.append(f"{grade} qid:{query} " + " ".join(f"{i}:{value}" for i, value in enumerate(row, 1)))
    return "\n".join(lines) + "\n"


def write_folds(folder: Path, *, shuffled_tests: bool = False) -> Path:
    """Two folds, each with lists of its own."""
    for k in (1, 2):
        own = folder / f"Fold{k}"
        own.mkdir(parents=True, exist_ok=True)
        for p, (part, n) in enumerate((("train", 8), ("vali", 6), ("test", 6))):
            first = 100 * k + 20 * p
            text = letor_lines(range(first, first + n), first, shuffled=shuffled_tests and part == "test")
            (own / f"{part}.txt").write_text(text)
    return folder


@cache
def features(queries: int = 24, seed: int = 5) -> Features:
    """Lists of 3 to 8 documents; of three features the first says nearly all, the last nothing; two empty queries."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 9, queries)
    x = rng.normal(size=(int(sizes.sum()), 3))
    wanted = 2 * x[:, 0] + 0.5 * x[:, 1] ** 2 + 0.3 * rng.normal(size=len(x))
    grades = np.clip(np.round(wanted), 0, 2).astype(int)
    grades[: sizes[:2].sum()] = 0
    return Features.of(x, grades, sizes=sizes, query_ids=tuple(f"q{i}" for i in range(queries)))

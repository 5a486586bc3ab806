"""A table of ranks, made up: where five ways to rank authors put those who are known to be good.

Every author has a latent merit; a way to rank scores it with weight x merit + noise, and ranks all authors. Those who
are known to be good, who won prizes say, are drawn by merit, so most of them are good authors and none is all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["KNOWN", "TOTAL", "RANKING_METHODS", "entity_files"]

#: Authors that were ranked in all, and those of them that are known to be good.
TOTAL, KNOWN = 20_000, 200
#: By how much likelier an author is known who has one more of merit (its e-th power).
SELECTION_STRENGTH = 3.0


class RankingMethod(NamedTuple):
    """weight: how much of its score is merit. step: scores are whole multiples of it, so a step above 0 makes ties."""

    weight: float
    step: float = 0.0


#: The ways to rank, best first.
RANKING_METHODS = {
    "pagerank": RankingMethod(2.4),
    "h-index": RankingMethod(2.0, step=0.1),
    "citations": RankingMethod(1.7),
    "papers": RankingMethod(1.1),
    "age": RankingMethod(0.5),
}


def entity_files(seed: int) -> dict[str, str]:
    """demo-ranks.tsv: a header of systems, then a known author a line, with the rank in each."""
    rng = np.random.default_rng([seed, 1])  # a stream of its own
    merit = rng.normal(size=TOTAL)
    chances = np.exp(SELECTION_STRENGTH * merit)
    known = rng.choice(TOTAL, KNOWN, replace=False, p=chances / chances.sum())
    columns = []
    for way in RANKING_METHODS.values():
        scores = way.weight * merit + rng.normal(size=TOTAL)
        columns.append(mean_ranks(np.round(scores / way.step) if way.step else scores)[known])
    lines = ["\t".join(["author", *RANKING_METHODS])]
    lines += [
        "\t".join([f"A{i:03d}", *(f"{rank:.9g}" for rank in row)])
        for i, row in enumerate(zip(*columns, strict=True), 1)
    ]
    return {"demo-ranks.tsv": "\n".join(lines) + "\n"}


def mean_ranks(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ranks by falling score, from 1; tied ones have the mean of their ranks."""
    _, place, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]

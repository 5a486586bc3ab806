"""The result of an ablation of judgments: its numbers, by level and by measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.text import pluralise
from rankscope.kernels.rounding_ties import at_most
from rankscope.typing import Floats

__all__ = [
    "CLOSE_TAU",
    "Ablation",
    "AblationLevels",
    "AblationRow",
]


#: From this tau on two orders of systems are mostly called equivalent (Voorhees 2001).
CLOSE_TAU = 0.9


class AblationRow(NamedTuple):
    """A row of the tidy table.

    Those of kind "all" are by all judgments.

    Attributes
    ----------
    level
        The share, or the depth.
    lost
        Queries without a relevant document left.
    """

    kind: str
    measure: str
    level: float
    kept: float
    lost: float
    tau_b: float
    tau_b_low: float
    tau_b_high: float
    tau_ap: float
    value: float


@dataclass(frozen=True, eq=False, kw_only=True)
class AblationLevels:
    """One kind of ablation, "random" or "depth": level by level, shares falling, depths rising.

    NaN where there is none.

    Attributes
    ----------
    levels
        (levels) the shares asked for, or the depths.
    kept
        (levels) the share of all judgments that are left, the mean over the draws.
    lost
        (levels) queries that had a relevant document and have none left.
    tau, tau_ap
        (measures, levels) of the order of systems with that by all judgments, the mean over the draws, in [-1, 1],
        higher is more alike.
    tau_low, tau_high
        Its lowest and highest value in a draw.
    values
        (measures, levels) the mean over draws of the mean over systems.
    """

    kind: str
    levels: Floats
    kept: Floats
    lost: Floats
    tau: Floats
    tau_low: Floats
    tau_high: Floats
    tau_ap: Floats
    values: Floats

    def stable_levels(self) -> list[float | None]:
        """(measures) the level with the fewest judgments such that tau is at least `NEAR` in every draw, at this level
        and at all levels with more judgments; None where no level is.
        """
        order = slice(None) if self.kind == "random" else slice(None, None, -1)
        is_near = (at_most(CLOSE_TAU, self.tau_low))[:, order]
        n_unbroken = np.logical_and.accumulate(is_near, axis=1).sum(axis=1).tolist()
        return [float(self.levels[order][n_levels - 1]) if n_levels else None for n_levels in n_unbroken]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ablation(Result):
    """How alike systems are ordered with fewer judgments.

    Attributes
    ----------
    scores
        By all judgments.
    n_judgments
        How many these are.
    n_unlisted
        How many are of documents that no run lists.
    random, depth
        What was found with judgments dropped at random, and of shallower pools.
    """

    VIEW = "rankscope.stability.ablation_view:ablation_sections"
    COLUMNS = AblationRow._fields

    scores: Scores
    n_judgments: int
    n_unlisted: int
    iterations: int
    seed: int
    random: AblationLevels
    depth: AblationLevels
    notes: tuple[str, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.scores.measure_names

    @property
    def full(self) -> Floats:
        """(measures) the mean over systems by all judgments; NaN where one of them has no value."""
        return np.array([self.scores.summary(name).mean() for name in self.measures])

    def records(self) -> Iterator[AblationRow]:
        """A row for each measure and level, after one for all judgments."""
        for m, name in enumerate(self.measures):
            yield AblationRow("all", name, np.nan, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, float(self.full[m]))
            for levels in (self.random, self.depth):
                columns = (levels.tau[m], levels.tau_low[m], levels.tau_high[m], levels.tau_ap[m], levels.values[m])
                table = np.stack((levels.levels, levels.kept, levels.lost, *columns), axis=1)
                for row in table.tolist():
                    yield AblationRow(levels.kind, name, *row)

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        head = self.scores.signature().rpartition(" | rankscope ")[0]
        shares, depths = (
            ",".join(f"{level:g}" for level in levels.levels.tolist()) for levels in (self.random, self.depth)
        )
        settings = [
            f"systems:{len(self.scores.systems)}",
            f"shares:{shares}",
            f"iterations:{self.iterations}",
            f"depths:{depths}",
            f"rng:{self.seed}",
        ]
        return [head, *settings]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.measures), 'measure')}, {pluralise(self.n_judgments, 'judgment')}"

"""Weights refined from the best of a grid, one run after the other: of many runs a grid has few."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankscope.fusion.candidates import Candidate
from rankscope.fusion.crossfit import Folds
from rankscope.kernels.ties import NOISE
from rankscope.typing import Bools, Floats

__all__ = ["CoordinateAscent"]


#: Weights to try for a run, as shares of the greatest, and how often to go through all runs.
STEPS, PASSES = (0.0, 0.25, 0.5, 0.75, 1.0), 2


@dataclass(frozen=True, eq=False)
class CoordinateAscent:
    """sign: 1 where higher values are better, else -1. values: (queries) by name of what was tried, whoever asked."""

    folds: Folds
    sign: float
    values: dict[str, Floats] = field(default_factory=dict)

    def of(self, candidate: Candidate) -> Floats:
        """(queries) the values of a candidate that has nothing to learn but its setting."""
        name = str(candidate)
        if name not in self.values:
            measured, ready = self.folds.measured, self.folds.ready[candidate.normalise][0]
            parameters = candidate.learn(measured.pool, self.folds.known, ready)
            self.values[name] = measured.values(candidate.fuse(measured.pool, parameters, ready))
        return self.values[name]

    def mean(self, candidate: Candidate, counted: Bools) -> float:
        values = self.of(candidate)[counted]
        there = values[~np.isnan(values)]
        return self.sign * float(there.mean()) if there.size else -np.inf

    def search(self, start: Candidate, counted: Bools) -> list[Candidate]:
        """What was tried from there on, the best last; nothing where there are no weights to refine.

        counted: (queries) those whose judgments may be looked at, all but those of a fold. Values of other candidates
        are shared between searches, but which ones a search tries depends on these queries alone.
        """
        weights = start.setting.get("weights")
        if weights is None or len(weights) < 2:
            return []
        best = with_weights(start, [weight / max(weights) for weight in weights])
        highest = self.mean(best, counted)
        tried = {str(best): best}
        for _ in range(PASSES):
            before = best
            for i in range(len(weights)):
                for step in STEPS:
                    new = list(best.setting["weights"])
                    new[i] = step
                    one = with_weights(start, new)
                    if str(one) in tried or not any(new):
                        continue
                    tried[str(one)] = one
                    value = self.mean(one, counted)
                    if value > highest + NOISE * max(1.0, abs(highest)):
                        best, highest = one, value
            if best is before:
                break
        return [*(one for one in tried.values() if one is not best), best]


def with_weights(candidate: Candidate, weights: list[float]) -> Candidate:
    return Candidate(candidate.method, candidate.normalise, {**candidate.setting, "weights": weights})

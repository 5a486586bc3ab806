"""Weighted sums of scores: each run has a weight, chosen by judgments."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from rankscope.fusion.comb import Gains, combine_gains
from rankscope.fusion.judgments import PoolJudgments, check_judged_queries
from rankscope.fusion.methods import parse_weights
from rankscope.fusion.normalisation import NormalisedPool, normalise_pool
from rankscope.fusion.pool import RunPool
from rankscope.kernels.ties import join_ties_of_lists
from rankscope.typing import Floats

__all__ = [
    "WEIGHT_SETTINGS",
    "learn_weights",
    "weight_grid",
    "weighted_mixed",
    "weighted_mnz",
    "weighted_sum",
]


#: None: 1 for each run.
WEIGHT_SETTINGS: Mapping[str, Any] = {"weights": None}
#: Up to this many runs all weights of a grid are tried; of more there are too many.
FEW = 4
#: Steps of the grid from 0 to 1.
STEPS = 10


def weight_grid(runs: int) -> list[dict[str, Any]]:
    """Weights to choose among. Equal ones come first, so that they win where nothing is better.

    Of up to four runs, all weights in steps of .1 that add up to 1. Of more, weights of 1, and then for each run alone
    0, .5, or 1 where all others have .5: from the best of these one weight after the other can be tried further.
    """
    equal = [1.0] * runs
    if runs > FEW:
        found = [equal]
        for one, others in ((0.0, 1.0), (0.5, 1.0), (1.0, 0.5)):
            found += [[one if i == j else others for i in range(runs)] for j in range(runs)]
    else:
        # Weights are what lies between bars among STEPS stars.
        bars = combinations(range(STEPS + runs - 1), runs - 1)
        parts = [np.diff([-1, *bar, STEPS + runs - 1]) - 1 for bar in bars]
        found = [equal, *((part / STEPS).tolist() for part in parts if len(set(part.tolist())) > 1)]
    return [{"weights": weights} for weights in found]


def learn_weights(
    pool: RunPool, known: PoolJudgments, setting: Mapping[str, Any], normalise: str | NormalisedPool
) -> dict[str, Any]:
    """The weights as they were set: which ones are best is for a measure to say. Raises ParameterError."""
    check_judged_queries(known)
    runs, weights = len(pool.entries), setting.get("weights")
    return {"weights": [1.0] * runs if weights is None else parse_weights(weights, runs).tolist()}


def weighted_sum(pool: RunPool, parameters: Mapping[str, Any], normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of weight times score. Source: Bartell et al. 1994; as ranx's wsum."""
    gains = normalise_pool(pool, normalise).gains
    return combine_gains(pool, gains.__getitem__, "sum", weights_of(pool, parameters), None)


def weighted_mnz(pool: RunPool, parameters: Mapping[str, Any], normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of the scores, times the sum of the weights of the runs that have it. Source: Wu and Crestani
    2002; as ranx's wmnz.
    """
    gains = normalise_pool(pool, normalise).gains

    def ones(i: int) -> Gains:
        values, lacking = gains[i]
        return np.ones(values.size), None if lacking is None else np.ones(lacking.size)

    equal = np.ones(len(gains))
    found = combine_gains(pool, gains.__getitem__, "sum", equal, None)
    found = found * combine_gains(pool, ones, "sum", weights_of(pool, parameters), None)
    return found if len(gains) < 2 else join_ties_of_lists(found, pool.offsets)


def weighted_mixed(pool: RunPool, parameters: Mapping[str, Any], normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of weight times score, times the root of how many runs have it. Source: as ranx's mixed."""
    gains = normalise_pool(pool, normalise).gains
    return combine_gains(pool, gains.__getitem__, "sum", weights_of(pool, parameters), np.sqrt)


def weights_of(pool: RunPool, parameters: Mapping[str, Any]) -> Floats:
    return np.asarray(parameters["weights"], np.float64)

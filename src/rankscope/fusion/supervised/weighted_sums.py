"""Weighted sums of scores, whose weights are chosen by judgments."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from rankscope.fusion.comb import Gains, combine_gains
from rankscope.fusion.judgments import PoolJudgments, check_judged_queries
from rankscope.fusion.methods import weights_of_runs
from rankscope.fusion.normalisation import NormalisedPool
from rankscope.fusion.pool import RunPool
from rankscope.kernels.rounding_ties import join_ties_of_lists
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
#: Most runs for which all weights of a grid are tried.
FEW = 4
#: Steps of the grid from 0 to 1.
STEPS = 10


def weight_grid(n_runs: int) -> list[dict[str, Any]]:
    """Weights to choose among; equal weights come first, so that they win ties.

    Parameters
    ----------
    n_runs
        Number of runs.

    Returns
    -------
    list of dict
        For up to four runs, all weights in steps of 0.1 that add up to 1. For more runs, equal weights, and then each
        run in turn with the weight 0 or 0.5, or with 1 where all others have 0.5; `refine` continues from the best.
    """
    equal = [1.0] * n_runs
    if n_runs > FEW:
        weight_lists = [equal]
        for weight, other_weight in ((0.0, 1.0), (0.5, 1.0), (1.0, 0.5)):
            weight_lists += [[weight if i == j else other_weight for i in range(n_runs)] for j in range(n_runs)]
    else:
        # Weights are the numbers of stars between bars among STEPS stars.
        bars = combinations(range(STEPS + n_runs - 1), n_runs - 1)
        step_counts = [np.diff([-1, *bar, STEPS + n_runs - 1]) - 1 for bar in bars]
        weight_lists = [equal, *((counts / STEPS).tolist() for counts in step_counts if len(set(counts.tolist())) > 1)]
    return [{"weights": weights} for weights in weight_lists]


def learn_weights(pool: RunPool, judgments: PoolJudgments, setting: Mapping[str, Any]) -> dict[str, Any]:
    """The weights of the setting; tuning chooses the best setting by a measure. Raises ParameterError."""
    check_judged_queries(judgments)
    n_runs, weights = len(pool.entries), setting.get("weights")
    return {"weights": [1.0] * n_runs if weights is None else weights_of_runs(weights, n_runs).tolist()}


def weighted_sum(pool: RunPool, parameters: Mapping[str, Any], normalised: NormalisedPool) -> Floats:
    """(documents) sum of weight times score. Source: Bartell et al. 1994; as ranx's wsum."""
    gains = normalised.gains
    return combine_gains(pool, gains.__getitem__, "sum", weights_of(pool, parameters), None)


def weighted_mnz(pool: RunPool, parameters: Mapping[str, Any], normalised: NormalisedPool) -> Floats:
    """(documents) sum of the scores, times the sum of the weights of the runs that have it. Source: Wu and Crestani
    2002; as ranx's wmnz.
    """
    gains = normalised.gains

    def ones(i: int) -> Gains:
        values, lacking = gains[i]
        return np.ones(values.size), None if lacking is None else np.ones(lacking.size)

    equal = np.ones(len(gains))
    scores = combine_gains(pool, gains.__getitem__, "sum", equal, None)
    scores = scores * combine_gains(pool, ones, "sum", weights_of(pool, parameters), None)
    return scores if len(gains) < 2 else join_ties_of_lists(scores, pool.offsets)


def weighted_mixed(pool: RunPool, parameters: Mapping[str, Any], normalised: NormalisedPool) -> Floats:
    """(documents) sum of weight times score, times the root of how many runs have it. Source: as ranx's mixed."""
    gains = normalised.gains
    return combine_gains(pool, gains.__getitem__, "sum", weights_of(pool, parameters), np.sqrt)


def weights_of(pool: RunPool, parameters: Mapping[str, Any]) -> Floats:
    return np.asarray(parameters["weights"], np.float64)

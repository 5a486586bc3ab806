"""Fusion methods that learn from judgments, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rankscope.fusion.judgments import PoolJudgments
from rankscope.fusion.normalisation import NormalisedPool
from rankscope.fusion.pool import RunPool
from rankscope.fusion.supervised import bayesfuse as odds
from rankscope.fusion.supervised import probfuse as probabilities
from rankscope.fusion.supervised import slidefuse as windows
from rankscope.fusion.supervised import weighted_sums as weighted
from rankscope.typing import Floats

__all__ = [
    "TRAINED",
    "TrainedMethod",
]


#: What a method is told before it learns, and what it has learned; both can be written as JSON.
Setting = Mapping[str, Any]
Parameters = dict[str, Any]


class TrainedMethod(NamedTuple):
    """A method that learns.

    meaning: its formula in words. scores: whether it looks at scores, and not at ranks alone. takes: its settings and
    what they are by default, before runs are known. grid: of the number of runs, the settings among which to choose.
    learn(pool, judged, setting, normalise): what was learned, from the queries that `judged` lets it see. apply(pool,
    parameters, normalise): (documents) the fused scores.

    normalise: a name of NORMALISATIONS, or what `scaled` made of the pool once for many calls. Methods that look at
    ranks ignore it.
    """

    meaning: str
    scores: bool
    takes: Mapping[str, Any]
    grid: Callable[[int], list[dict[str, Any]]]
    learn: Callable[[RunPool, PoolJudgments, Setting, str | NormalisedPool], Parameters]
    apply: Callable[[RunPool, Parameters, str | NormalisedPool], Floats]


def single_setting(runs: int) -> list[dict[str, Any]]:
    """Nothing to choose."""
    return [{}]


#: Every method that learns, in the order in which they are listed.
TRAINED = {
    "weighted-sum": TrainedMethod(
        "sum of weight times score",
        True,
        weighted.WEIGHT_SETTINGS,
        weighted.weight_grid,
        weighted.learn_weights,
        weighted.weighted_sum,
    ),
    "weighted-mnz": TrainedMethod(
        "sum of its scores, times the weights of the runs that have it",
        True,
        weighted.WEIGHT_SETTINGS,
        weighted.weight_grid,
        weighted.learn_weights,
        weighted.weighted_mnz,
    ),
    "mixed": TrainedMethod(
        "sum of weight times score, times the root of the number of runs that have it",
        True,
        weighted.WEIGHT_SETTINGS,
        weighted.weight_grid,
        weighted.learn_weights,
        weighted.weighted_mixed,
    ),
    "map-fuse": TrainedMethod(
        "sum of MAP / rank", False, {}, single_setting, probabilities.learn_map, probabilities.map_fuse
    ),
    "pos-fuse": TrainedMethod(
        "sum of how often the rank was relevant",
        False,
        {},
        single_setting,
        probabilities.learn_pos,
        probabilities.pos_fuse,
    ),
    "prob-fuse": TrainedMethod(
        "sum of the share of relevant documents of the segment / its number",
        False,
        probabilities.PROB_SETTINGS,
        probabilities.prob_grid,
        probabilities.learn_prob,
        probabilities.prob_fuse,
    ),
    "seg-fuse": TrainedMethod(
        "sum of (1 + score) times the share of relevant documents of the segment, segments growing with depth",
        True,
        {},
        single_setting,
        probabilities.learn_seg,
        probabilities.seg_fuse,
    ),
    "slide-fuse": TrainedMethod(
        "sum of how often ranks of a window around the rank were relevant",
        False,
        windows.SLIDE_SETTINGS,
        windows.slide_grid,
        windows.learn_slide,
        windows.slide_fuse,
    ),
    "bayes-fuse": TrainedMethod(
        "sum of the logarithm of the odds that a document of the rank is relevant",
        False,
        odds.BAYES_SETTINGS,
        odds.bayes_grid,
        odds.learn_bayes,
        odds.bayes_fuse,
    ),
}

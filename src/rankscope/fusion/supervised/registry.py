"""Fusion methods that learn from judgments, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rankscope.fusion.judgments import PoolJudgments
from rankscope.fusion.normalisation import NormalisedPool
from rankscope.fusion.pool import RunPool
from rankscope.fusion.supervised import bayesfuse, probfuse, slidefuse, weighted_sums
from rankscope.typing import Floats

__all__ = [
    "TRAINED",
    "TrainedMethod",
]


#: Settings before learning, and learned parameters; both can be written as JSON.
Setting = Mapping[str, Any]
Parameters = dict[str, Any]


class TrainedMethod(NamedTuple):
    """A fusion method that learns parameters from judgments.

    Attributes
    ----------
    meaning
        Its formula in words.
    uses_scores
        Whether it uses scores, and not only ranks.
    default_setting
        Its settings with their defaults before the runs are known.
    grid
        Function from the number of runs to the settings to choose among.
    learn
        learn(pool, judgments, setting): the parameters learned from the used queries of the judgments.
    apply
        apply(pool, parameters, normalised): (documents) the fused scores, from the scores that `normalise_pool` made
        comparable; methods that use ranks ignore these.
    """

    meaning: str
    uses_scores: bool
    default_setting: Mapping[str, Any]
    grid: Callable[[int], list[dict[str, Any]]]
    learn: Callable[[RunPool, PoolJudgments, Setting], Parameters]
    apply: Callable[[RunPool, Parameters, NormalisedPool], Floats]


def single_setting(n_runs: int) -> list[dict[str, Any]]:
    """A single setting: nothing to choose."""
    return [{}]


#: Every method that learns, in the order in which they are listed.
TRAINED = {
    "weighted-sum": TrainedMethod(
        "sum of weight times score",
        True,
        weighted_sums.WEIGHT_SETTINGS,
        weighted_sums.weight_grid,
        weighted_sums.learn_weights,
        weighted_sums.weighted_sum,
    ),
    "weighted-mnz": TrainedMethod(
        "sum of its scores, times the weights of the runs that have it",
        True,
        weighted_sums.WEIGHT_SETTINGS,
        weighted_sums.weight_grid,
        weighted_sums.learn_weights,
        weighted_sums.weighted_mnz,
    ),
    "mixed": TrainedMethod(
        "sum of weight times score, times the root of the number of runs that have it",
        True,
        weighted_sums.WEIGHT_SETTINGS,
        weighted_sums.weight_grid,
        weighted_sums.learn_weights,
        weighted_sums.weighted_mixed,
    ),
    "map-fuse": TrainedMethod("sum of MAP / rank", False, {}, single_setting, probfuse.learn_map, probfuse.map_fuse),
    "pos-fuse": TrainedMethod(
        "sum of how often the rank was relevant",
        False,
        {},
        single_setting,
        probfuse.learn_pos,
        probfuse.pos_fuse,
    ),
    "prob-fuse": TrainedMethod(
        "sum of the share of relevant documents of the segment / its number",
        False,
        probfuse.PROB_SETTINGS,
        probfuse.prob_grid,
        probfuse.learn_prob,
        probfuse.prob_fuse,
    ),
    "seg-fuse": TrainedMethod(
        "sum of (1 + score) times the share of relevant documents of the segment, segments growing with depth",
        True,
        {},
        single_setting,
        probfuse.learn_seg,
        probfuse.seg_fuse,
    ),
    "slide-fuse": TrainedMethod(
        "sum of how often ranks of a window around the rank were relevant",
        False,
        slidefuse.SLIDE_SETTINGS,
        slidefuse.slide_grid,
        slidefuse.learn_slide,
        slidefuse.slide_fuse,
    ),
    "bayes-fuse": TrainedMethod(
        "sum of the logarithm of the odds that a document of the rank is relevant",
        False,
        bayesfuse.BAYES_SETTINGS,
        bayesfuse.bayes_grid,
        bayesfuse.learn_bayes,
        bayesfuse.bayes_fuse,
    ),
}

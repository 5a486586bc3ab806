"""How much a ranker rests on each feature: what a measure loses when its values are shuffled among the documents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.evaluation.lists import JudgedLists
from rankscope.learning.network import scores_of
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure

__all__ = ["REPEATS", "permutation_drops"]

Floats = npt.NDArray[np.float64]

#: How often each feature is shuffled.
REPEATS = 3


def permutation_drops(
    ranker: Ranker,
    features: Features,
    lists: JudgedLists,
    measure: Measure,
    *,
    repeats: int = REPEATS,
    rng: np.random.Generator,
) -> Floats:
    """(features) by how much the mean of a measure falls (rises, where lower is better) when a feature says nothing.

    Above 0: the ranker is better with it. About 0: it does not use it, or has the same from another feature. The values
    of a feature are dealt out anew among all documents of all queries, `repeats` times. One that never varies has 0.
    Raises what the measure raises.

    Source: Breiman (2001), section 10, with the measure in the place of the error; shuffled features are scaled once,
    since scaling looks at each value by itself.
    """
    values = ranker.scaling_(features.values)
    sign = -1.0 if measure.higher_is_better is False else 1.0

    def mean() -> float:
        scores = sum(scores_of(model.weights, values).astype(np.float64) for model in ranker.models_)
        return float(np.nanmean(measure(lists.hits(np.asarray(scores)))))

    whole, drops = mean(), np.zeros(values.shape[1])
    for j in np.flatnonzero((values != values[0]).any(axis=0)).tolist():
        kept = values[:, j].copy()
        shuffled = []
        for _ in range(repeats):
            values[:, j] = rng.permutation(kept)
            shuffled.append(mean())
        values[:, j] = kept
        drops[j] = sign * (whole - float(np.mean(shuffled)))
    return drops

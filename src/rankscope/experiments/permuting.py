"""How much a ranker rests on each feature: what a measure loses when its values are shuffled among the documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.scores import summarise
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.lists import FullyJudgedLists
from rankscope.typing import Floats, Reals

__all__ = ["REPEATS", "permutation_drops"]


#: How often each feature is shuffled.
REPEATS = 3


def permutation_drops(
    ranker: Any,
    features: Features,
    lists: FullyJudgedLists,
    plan: Plan,
    *,
    repeats: int = REPEATS,
    rng: np.random.Generator,
) -> Floats:
    """(features) by how much a measure falls (rises, where lower is better) when a feature says nothing.

    Above 0: the ranker is better with it. About 0: it does not use it, or has the same from another feature. The values
    of a feature are dealt out anew among all documents of all queries, `repeats` times. One that never varies has 0.
    Raises what the measure raises. plan: its first measure is taken, and its conventions; of all queries the measure's
    own summary, mostly a mean.

    Source: Breiman (2001), section 10, with the measure in the place of the error; shuffled features are scaled once,
    since scaling looks at each value by itself.
    """
    scored, values = prepared_scorer(ranker, features)
    plan = replace(plan, measures=plan.measures[:1], _settings={})
    measure = plan.measures[0]
    sign = -1.0 if measure.higher_is_better is False else 1.0

    def value() -> float:
        each, _ = plan.values(lists.hits(scored(values)), features.name)
        return float(summarise(each[None], [measure.summary])[0, 0])

    whole, drops = value(), np.zeros(values.shape[1])
    for j in np.flatnonzero((values != values[0]).any(axis=0)).tolist():
        kept = values[:, j].copy()
        shuffled = []
        for _ in range(repeats):
            values[:, j] = rng.permutation(kept)
            shuffled.append(value())
        values[:, j] = kept
        drops[j] = sign * (whole - float(np.mean(shuffled)))
    return drops


def prepared_scorer(ranker: Any, features: Features) -> tuple[Callable[[Reals], Floats], Reals]:
    """What scores the documents once their values were changed, and the values: of networks, scaled once for all."""
    if ranker.kind == "torch" or ranker.lists:  # which may look at whole lists
        return lambda values: ranker.predict(
            replace(features, values=values, order=None, where=None)
        ), features.values.copy()
    scaling = ranker.scaling_
    values = features.values.copy() if scaling is None else scaling(features.values)
    return lambda values: np.asarray(sum(model.scores(values) for model in ranker.models_)), values

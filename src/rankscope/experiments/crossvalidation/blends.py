"""The blend of all rankers of a cross-validation, fold by fold."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.experiments.crossvalidation.fold_task import FoldResult
from rankscope.experiments.crossvalidation.folds import Fold
from rankscope.experiments.crossvalidation.models import RankerModels
from rankscope.learning.blend import Blend, BlendSettings, learn_combination
from rankscope.typing import Floats

__all__ = [
    "BLEND_NAME",
    "BlendComposition",
    "FoldBlends",
    "blend_folds",
    "check_blend",
    "describe_blend",
    "untrained_blend",
]


#: Seed, model, fold.
TaskKey = tuple[int, int, int]
#: The name of the blend among the models.
BLEND_NAME = "blend"


@dataclass(frozen=True, eq=False, kw_only=True)
class BlendComposition:
    """What a blend is made of.

    Attributes
    ----------
    parts
        The model and the seed of each part (None if all seeds give the same ranker).
    weights
        (folds, parts) with sum 1.
    how, normalise
        As in `Blend`.
    """

    parts: tuple[tuple[str, int | None], ...]
    weights: Floats
    how: str
    normalise: str


class FoldBlends(NamedTuple):
    """The blends of all folds.

    Attributes
    ----------
    full_blends
        By fold: the blend of all rankers from all seeds.
    seed_blends
        By seed and fold: the blend of the rankers from this seed alone, for the variation between seeds.
    composition
        The parts and weights of the full blends.
    """

    full_blends: dict[int, FoldResult]
    seed_blends: dict[tuple[int, int], FoldResult]
    composition: BlendComposition


def check_blend(names: Sequence[str], fixed: Sequence[bool], seeds: int) -> None:
    """Raise ParameterError for fewer than two rankers to blend, and if one is called "blend"."""
    if BLEND_NAME in names:
        raise ParameterError(f"a ranker is called {BLEND_NAME!r}, which is the name of the blend; give it another name")
    if sum(1 if same else seeds for same in fixed) < 2:
        raise ParameterError(
            f"a blend needs at least two rankers, and there is one, {names[0]}, from {pluralise(seeds, 'seed')}"
            f"{', all of which give the same' if fixed[0] and seeds > 1 else ''}; add another loss"
            f"{'' if fixed[0] else ', or more seeds'}"
        )


def describe_blend(settings: BlendSettings) -> str:
    """The settings of a blend, for the signature."""
    loss_text = f",{settings.parsed_loss},l2={settings.l2:g}" if settings.how == "stacked" else ""
    return f"{settings.how},{settings.normalise}{loss_text}"


def blend_parts(fixed: Sequence[bool], seeds: int) -> list[tuple[int, int]]:
    """Seed and model of each part. A ranker that does not depend on the seed is trained once."""
    return [(s, m) for m in range(len(fixed)) for s in range(1 if fixed[m] else seeds)]


def untrained_blend(models: RankerModels, settings: BlendSettings, seeds: int, seed: int) -> Blend:
    """A blend of all rankers from all seeds, the first of which is `seed`, as `blend_folds` makes one of each fold.

    Raises as `check_blend`.

    >>> from rankscope.experiments.crossvalidation.models import parse_rankers
    >>> untrained_blend(parse_rankers(["listnet", "linear:ranknet"]), BlendSettings(), seeds=2, seed=5)
    Blend([listnet, seed 5, listnet, seed 6, linear:ranknet], how='average', normalise='z-score')
    """
    check_blend(models.names, models.seed_independent, seeds)
    rankers = {}
    for s, m in blend_parts(models.seed_independent, seeds):
        name = models.names[m] if models.seed_independent[m] or seeds == 1 else f"{models.names[m]}, seed {seed + s}"
        rankers[name] = models.ranker(m, seed + s)
    return Blend(rankers, **settings.arguments())


def blend_folds(
    results: Mapping[TaskKey, FoldResult],
    folds: Sequence[Fold],
    models: Sequence[str],
    fixed: Sequence[bool],
    seeds: int,
    blending: BlendSettings,
    max_grade: float | None,
) -> FoldBlends:
    """The blends of each fold."""
    parts = blend_parts(fixed, seeds)
    full_blends: dict[int, FoldResult] = {}
    seed_blends: dict[tuple[int, int], FoldResult] = {}
    weights = np.empty((len(folds), len(parts)))
    for k, fold in enumerate(folds):
        full_blends[k], weights[k] = blend_fold([results[s, m, k] for s, m in parts], fold, blending, max_grade)
        for s in range(seeds):
            seed_results = [results[0 if fixed[m] else s, m, k] for m in range(len(models))]
            seed_blends[s, k] = blend_fold(seed_results, fold, blending, max_grade)[0]
    composition = BlendComposition(
        parts=tuple((models[m], None if fixed[m] else s) for s, m in parts),
        weights=weights,
        how=blending.how,
        normalise=blending.normalise,
    )
    return FoldBlends(full_blends, seed_blends, composition)


def blend_fold(
    results: Sequence[FoldResult], fold: Fold, blending: BlendSettings, max_grade: float | None
) -> tuple[FoldResult, Floats]:
    """The result of the blend, and its weights, learned on the validation lists. Its time includes all parts."""
    start_time = time.process_time()
    try:
        combination = learn_combination(
            [result.valid for result in results],
            fold.valid.offsets,
            fold.valid.relevance,
            settings=blending,
            max_grade=max_grade,
        )
    except InputError as error:
        raise InputError(f"{BLEND_NAME}, {fold.name}: {error}") from None
    blend = FoldResult(
        test=combination([result.test for result in results], fold.test.offsets),
        valid=combination([result.valid for result in results], fold.valid.offsets),
        seconds=sum(result.seconds for result in results) + time.process_time() - start_time,
    )
    return blend, combination.weights

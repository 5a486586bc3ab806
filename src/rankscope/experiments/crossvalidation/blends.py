"""A blend of all rankers of a cross-validation, fold by fold."""

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
from rankscope.learning.blend import Blend, check_combination, learn_combination
from rankscope.learning.losses.registry import Loss
from rankscope.typing import Floats

__all__ = [
    "BLEND_NAME",
    "BlendComposition",
    "BlendSettings",
    "FoldBlends",
    "blend_folds",
    "untrained_blend",
    "validate_blend",
]


#: Seed, model, fold.
TaskPlace = tuple[int, int, int]
#: What the blend is called among the models.
BLEND_NAME = "blend"


@dataclass(frozen=True, kw_only=True)
class BlendSettings:
    """How scores are blended; see `Blend`."""

    how: str
    normalise: str
    loss: Loss
    l2: float

    def __str__(self) -> str:
        own = f",{self.loss},l2={self.l2:g}" if self.how == "stacked" else ""
        return f"{self.how},{self.normalise}{own}"


@dataclass(frozen=True, eq=False, kw_only=True)
class BlendComposition:
    """What the blend was made of. parts: of each, model and seed (None where all seeds give the same ranker).

    weights: (folds, parts) with sum 1. how, normalise: as in `Blend`.
    """

    parts: tuple[tuple[str, int | None], ...]
    weights: Floats
    how: str
    normalise: str


class FoldBlends(NamedTuple):
    """whole: of each fold, the blend of all rankers from all seeds. by_seed: of each seed and fold, that of the rankers
    from this seed alone, which say how much seeds matter. about: what the whole one is made of.
    """

    whole: dict[int, FoldResult]
    by_seed: dict[tuple[int, int], FoldResult]
    about: BlendComposition


def validate_blend(
    how: str | bool | None, names: Sequence[str], fixed: Sequence[bool], seeds: int
) -> BlendSettings | None:
    """How to blend; None where it is not asked for. how: as in `Blend`, True for its default.

    Raises ParameterError for a way that is none, for fewer than two rankers, and where one is called "blend".
    """
    if how is None or how is False:
        return None
    default = Blend([]) if how is True else Blend([], how=how)
    loss = check_combination(default.how, default.normalise, default.loss, default.l2)
    if BLEND_NAME in names:
        raise ParameterError(f"a ranker is called {BLEND_NAME!r}, as the blend of all is; give it another name")
    if sum(1 if same else seeds for same in fixed) < 2:
        raise ParameterError(
            f"a blend takes two rankers or more, and there is one, {names[0]}, from {pluralise(seeds, 'seed')}"
            f"{', all of which give the same' if fixed[0] and seeds > 1 else ''}; name another loss"
            f"{'' if fixed[0] else ', or more seeds'}"
        )
    return BlendSettings(how=default.how, normalise=default.normalise, loss=loss, l2=default.l2)


def parts_from(fixed: Sequence[bool], seeds: int) -> list[tuple[int, int]]:
    """Seed and model of each part. A ranker that all seeds give is trained once."""
    return [(s, m) for m in range(len(fixed)) for s in range(1 if fixed[m] else seeds)]


def untrained_blend(models: RankerModels, how: str | bool, seeds: int, seed: int) -> Blend:
    """A blend of all rankers from all seeds, the first of which is `seed`, as `blend_folds` makes one of each fold.

    how: as in `validate_blend`, which raises.

    >>> from rankscope.experiments.crossvalidation.models import parse_rankers
    >>> untrained_blend(parse_rankers(["listnet", "linear:ranknet"], {}), True, seeds=2, seed=5)
    Blend([listnet, seed 5, listnet, seed 6, linear:ranknet], how='average', normalise='zscore')
    """
    blending = validate_blend(how, models.names, models.fixed, seeds)
    assert blending is not None
    rankers = {}
    for s, m in parts_from(models.fixed, seeds):
        name = models.names[m] if models.fixed[m] or seeds == 1 else f"{models.names[m]}, seed {seed + s}"
        rankers[name] = models.ranker(m, seed + s)
    return Blend(rankers, how=blending.how, normalise=blending.normalise, loss=str(blending.loss), l2=blending.l2)


def blend_folds(
    tried: Mapping[TaskPlace, FoldResult],
    folds: Sequence[Fold],
    models: Sequence[str],
    fixed: Sequence[bool],
    seeds: int,
    blending: BlendSettings,
    max_grade: int | None,
) -> FoldBlends:
    """Each fold's blends."""
    every = parts_from(fixed, seeds)
    whole: dict[int, FoldResult] = {}
    single: dict[tuple[int, int], FoldResult] = {}
    weights = np.empty((len(folds), len(every)))
    for k, fold in enumerate(folds):
        whole[k], weights[k] = blend_fold([tried[s, m, k] for s, m in every], fold, blending, max_grade)
        for s in range(seeds):
            parts = [tried[0 if fixed[m] else s, m, k] for m in range(len(models))]
            single[s, k] = blend_fold(parts, fold, blending, max_grade)[0]
    about = BlendComposition(
        parts=tuple((models[m], None if fixed[m] else s) for s, m in every),
        weights=weights,
        how=blending.how,
        normalise=blending.normalise,
    )
    return FoldBlends(whole, single, about)


def blend_fold(
    parts: Sequence[FoldResult], fold: Fold, blending: BlendSettings, max_grade: int | None
) -> tuple[FoldResult, Floats]:
    """The blend as a ranker, and its weights: learned on the validation lists. Its time is that of all parts, too."""
    begin = time.process_time()
    try:
        found = learn_combination(
            [one.valid for one in parts],
            fold.valid.offsets,
            fold.valid.relevance,
            how=blending.how,
            normalise=blending.normalise,
            loss=blending.loss,
            l2=blending.l2,
            max_grade=max_grade,
        )
    except InputError as error:
        raise InputError(f"{BLEND_NAME}, {fold.name}: {error}") from None
    made = FoldResult(
        test=found([one.test for one in parts], fold.test.offsets),
        valid=found([one.valid for one in parts], fold.valid.offsets),
        course=(),
        best_epoch=float("nan"),
        at_end=False,
        seconds=sum(one.seconds for one in parts) + time.process_time() - begin,
        importance=None,
    )
    return made, found.weights

"""A blend of all rankers of a cross-validation, seeds included: fold by fold, from the scores that they gave."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.data.wording import counted
from rankscope.errors import InputError, ParameterError
from rankscope.experiments.fold_data import Fold
from rankscope.experiments.fold_unit import Tried
from rankscope.experiments.models import Models
from rankscope.learning.blend_scores import learn_combination
from rankscope.learning.blending import Blend, check_combination
from rankscope.learning.losses.named import Loss
from rankscope.typing import Floats

__all__ = ["BLEND", "Blended", "Blending", "Blends", "blend_of", "blends_of", "untrained_blend"]

#: Seed, model, fold.
Place = tuple[int, int, int]

#: What the blend is called among the models.
BLEND = "blend"


@dataclass(frozen=True, kw_only=True)
class Blending:
    """How scores are blended; see `Blend`."""

    how: str
    normalise: str
    loss: Loss
    l2: float

    def __str__(self) -> str:
        own = f",{self.loss},l2={self.l2:g}" if self.how == "stacked" else ""
        return f"{self.how},{self.normalise}{own}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Blended:
    """What the blend was made of. parts: of each, model and seed (None where all seeds give the same ranker).

    weights: (folds, parts) with sum 1. how, normalise: as in `Blend`.
    """

    parts: tuple[tuple[str, int | None], ...]
    weights: Floats
    how: str
    normalise: str


class Blends(NamedTuple):
    """whole: of each fold, the blend of all rankers from all seeds. by_seed: of each seed and fold, that of the rankers
    from this seed alone, which say how much seeds matter. about: what the whole one is made of.
    """

    whole: dict[int, Tried]
    by_seed: dict[tuple[int, int], Tried]
    about: Blended


def blend_of(how: str | bool | None, names: Sequence[str], fixed: Sequence[bool], seeds: int) -> Blending | None:
    """How to blend; None where it is not asked for. how: as in `Blend`, True for its default.

    Raises ParameterError for a way that is none, for fewer than two rankers, and where one is called "blend".
    """
    if how is None or how is False:
        return None
    default = Blend([]) if how is True else Blend([], how=how)
    loss = check_combination(default.how, default.normalise, default.loss, default.l2)
    if BLEND in names:
        raise ParameterError(f"a ranker is called {BLEND!r}, as the blend of all is; give it another name")
    if sum(1 if same else seeds for same in fixed) < 2:
        raise ParameterError(
            f"a blend takes two rankers or more, and there is one, {names[0]}, from {counted(seeds, 'seed')}"
            f"{', all of which give the same' if fixed[0] and seeds > 1 else ''}; name another loss"
            f"{'' if fixed[0] else ', or more seeds'}"
        )
    return Blending(how=default.how, normalise=default.normalise, loss=loss, l2=default.l2)


def parts_from(fixed: Sequence[bool], seeds: int) -> list[tuple[int, int]]:
    """Seed and model of each part. A ranker that all seeds give is trained once."""
    return [(s, m) for m in range(len(fixed)) for s in range(1 if fixed[m] else seeds)]


def untrained_blend(models: Models, how: str | bool, seeds: int, seed: int) -> Blend:
    """A blend of all rankers from all seeds, the first of which is `seed`, as `blends_of` makes one of each fold.

    how: as in `blend_of`, which raises.

    >>> from rankscope.experiments.models import rankers_of
    >>> untrained_blend(rankers_of(["listnet", "linear:ranknet"], {}), True, seeds=2, seed=5)
    Blend([listnet, seed 5, listnet, seed 6, linear:ranknet], how='average', normalise='zscore')
    """
    blending = blend_of(how, models.names, models.fixed, seeds)
    assert blending is not None
    rankers = {}
    for s, m in parts_from(models.fixed, seeds):
        name = models.names[m] if models.fixed[m] or seeds == 1 else f"{models.names[m]}, seed {seed + s}"
        rankers[name] = models.ranker(m, seed + s)
    return Blend(rankers, how=blending.how, normalise=blending.normalise, loss=str(blending.loss), l2=blending.l2)


def blends_of(
    tried: Mapping[Place, Tried],
    folds: Sequence[Fold],
    models: Sequence[str],
    fixed: Sequence[bool],
    seeds: int,
    blending: Blending,
    max_grade: int | None,
) -> Blends:
    """Each fold's blends."""
    every = parts_from(fixed, seeds)
    whole: dict[int, Tried] = {}
    single: dict[tuple[int, int], Tried] = {}
    weights = np.empty((len(folds), len(every)))
    for k, fold in enumerate(folds):
        whole[k], weights[k] = one_blend([tried[s, m, k] for s, m in every], fold, blending, max_grade)
        for s in range(seeds):
            parts = [tried[0 if fixed[m] else s, m, k] for m in range(len(models))]
            single[s, k] = one_blend(parts, fold, blending, max_grade)[0]
    about = Blended(
        parts=tuple((models[m], None if fixed[m] else s) for s, m in every),
        weights=weights,
        how=blending.how,
        normalise=blending.normalise,
    )
    return Blends(whole, single, about)


def one_blend(parts: Sequence[Tried], fold: Fold, blending: Blending, max_grade: int | None) -> tuple[Tried, Floats]:
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
        raise InputError(f"{BLEND}, {fold.name}: {error}") from None
    made = Tried(
        test=found([one.test for one in parts], fold.test.offsets),
        valid=found([one.valid for one in parts], fold.valid.offsets),
        course=(),
        best_epoch=float("nan"),
        at_end=False,
        seconds=sum(one.seconds for one in parts) + time.process_time() - begin,
        importance=None,
    )
    return made, found.weights

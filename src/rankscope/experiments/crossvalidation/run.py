"""Cross-validation: settings validated, rankers trained and tested on all folds from several seeds, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.comparison.compare import Comparison, ComparisonSettings, check_settings, compare
from rankscope.data.features import Features
from rankscope.data.scores import Scores
from rankscope.errors import UnknownName
from rankscope.evaluation.conventions import Plan
from rankscope.experiments.crossvalidation.blends import (
    BLEND_NAME,
    BlendComposition,
    BlendSettings,
    blend_folds,
    validate_blend,
)
from rankscope.experiments.crossvalidation.fold_task import FoldResult, FoldTask, run_fold_task
from rankscope.experiments.crossvalidation.fold_values import RANK_RANGES, FoldLists, count_ranks, plan_measures
from rankscope.experiments.crossvalidation.folds import FoldSet, read_folds, without_features
from rankscope.experiments.crossvalidation.models import RankerModels, parse_rankers
from rankscope.experiments.crossvalidation.result import CrossValidation
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.parallel import run_units
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import PathLike

__all__ = [
    "CrossValidationSettings",
    "cross_validate",
    "cross_validate_folds",
    "task_places",
    "validate_settings",
]


@dataclass(frozen=True, kw_only=True)
class CrossValidationSettings:
    """Parameters of `cross_validate`, checked. seed: the first of `seeds`. plan: measures and conventions."""

    plan: Plan
    seeds: int
    seed: int
    baseline: str | None
    test: str
    importance: bool
    blending: BlendSettings | None


def validate_settings(
    models: RankerModels,
    measures: str | Measure | Sequence[str | Measure] | None,
    *,
    seeds: int,
    rng: Any,
    baseline: str | None = None,
    test: str = "t",
    importance: bool = False,
    blend: str | bool | None = None,
    rel: int = 1,
    no_relevant: str | None = None,
    workers: int = 1,
) -> CrossValidationSettings:
    """Raises ParameterError and UnknownName as `cross_validate` does."""
    check_count("seeds", seeds)
    seed = seed_of(rng)
    blending = validate_blend(blend, models.names, models.fixed, seeds)
    named = (*models.names, *([BLEND_NAME] if blending is not None else []))
    if baseline is not None and baseline not in named:
        raise UnknownName("ranker", str(baseline), named, "; it was asked for as the baseline")
    if workers != 1:
        models.check_sending()
    check_settings(ComparisonSettings(test=test, seed=seed), baseline)
    plan = plan_measures(measures, rel, no_relevant)
    return CrossValidationSettings(
        plan=plan, seeds=seeds, seed=seed, baseline=baseline, test=test, importance=importance, blending=blending
    )


def cross_validate(
    source: PathLike | Features,
    losses: str | Sequence[str] | Mapping[str, Ranker] = "listnet",
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    folds: int | None = None,
    seeds: int = 3,
    baseline: str | None = None,
    test: str = "t",
    importance: bool = False,
    blend: str | bool | None = None,
    rel: int = 1,
    no_relevant: str | None = None,
    cache: bool = False,
    workers: int = 1,
    rng: Any = 0,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> CrossValidation:
    """Train rankers on some folds, stop by another, test on the one that is left, until each was tested on; compare.

    source: a folder with Fold1, Fold2, ... (each with train.txt, vali.txt, test.txt) or S1.txt, S2.txt, ..., of which
    fold k tests on the last before its own, validates on the one before that and trains on the others, in a ring; or
    one file, or Features, whose queries are cut at random into `folds` (default 5). losses: a ranker for each, named by
    it; "linear:listnet" is a linear scorer; or rankers by name, whose parameters are taken, all but rng: seeds come
    from rng here, and are the same for all. measures: default nDCG@10 and AP; the first is the one that sentences are
    about. seeds: how many times each is trained, from the seeds rng, rng + 1, ...; a query's value is the mean over
    them. baseline, test: of `compare`, on all test queries; where all pairs are compared p-values are corrected for
    their number (Holm). importance: what the first measure loses when a feature is shuffled. blend: one more ranker,
    "blend", of all the others from all seeds ("average" or "stacked", as in `rankscope.learning.Blend`; True: average),
    made fold by fold on the validation lists; its value for a query is its own, and no mean over seeds. rel,
    no_relevant: as in `evaluate`; rel is that of stop_on, too. cache: as in `read_features`. workers: processes; the
    result is the same.
    reading, progress: told of bytes read, and of the share of the work just done. parameters: of all rankers, as
    hidden=() or epochs=50.

    Documents of one score are put in an order by lot, one and the same for all rankers, seeds and measures, so that a
    file whose documents come by grade makes no value too high; queries without relevant documents count 0 in most
    measures. Raises InputError for files that are missing, malformed or do not fit, and where there is nothing to learn
    from; ParameterError and UnknownName for arguments, before anything is read.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 2))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> found = cross_validate(features, "linear:listnet", "RR", folds=4, seeds=1)
    >>> bool(found.test.overall[0, 0] > 0.9), found.folds
    (True, ('Fold1', 'Fold2', 'Fold3', 'Fold4'))
    """
    models = parse_rankers(losses, parameters)
    asked = validate_settings(
        models,
        measures,
        seeds=seeds,
        rng=rng,
        baseline=baseline,
        test=test,
        importance=importance,
        blend=blend,
        rel=rel,
        no_relevant=no_relevant,
        workers=workers,
    )
    data = read_folds(source, folds=folds, rng=asked.seed, cache=cache, progress=reading)
    return cross_validate_folds(data, models, asked, workers=workers, progress=progress)


def cross_validate_folds(
    data: FoldSet,
    models: RankerModels,
    asked: CrossValidationSettings,
    *,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> CrossValidation:
    """The same of folds that are read, and rankers and parameters that are checked."""
    places = task_places(data, models, asked)
    tell = None if progress is None else lambda n: progress(n / len(places))
    units = fold_tasks(places, data, models, asked)
    tried = dict(zip(places, run_units(run_fold_task, units, workers=workers, progress=tell), strict=True))
    return collect_results(data, models, tried, asked)


def task_places(data: FoldSet, models: RankerModels, asked: CrossValidationSettings) -> list[tuple[int, int, int]]:
    """Seed, model and fold of all that is trained."""
    return [
        (s, m, k)
        for k in range(len(data.folds))
        for m in range(len(models.names))
        for s in range(1 if models.fixed[m] else asked.seeds)
    ]


def fold_tasks(
    places: Sequence[tuple[int, int, int]], data: FoldSet, models: RankerModels, asked: CrossValidationSettings
) -> Iterator[FoldTask]:
    """One for each seed, model and fold."""
    for s, m, k in places:
        yield FoldTask(
            fold=without_features(data.folds[k], models.without[m]) if models.without else data.folds[k],
            model=models.names[m],
            parameters={**models.parameters[m], "rng": asked.seed + s},
            drop=asked.plan if asked.importance else None,
            rel=asked.plan.convention.rel,
            max_grade=data.max_grade,
            maker=models.makers[m],
        )


def collect_results(
    data: FoldSet,
    models: RankerModels,
    tried: Mapping[tuple[int, int, int], FoldResult],
    asked: CrossValidationSettings,
) -> CrossValidation:
    """All units together. A ranker whose seeds all give the same was trained once, and counts as each of them."""
    plan, seeds, n_models, n_folds = asked.plan, asked.seeds, len(models.names), len(data.folds)
    every = {
        (s, m, k): tried[(0 if models.fixed[m] else s), m, k]
        for s in range(seeds)
        for m in range(n_models)
        for k in range(n_folds)
    }
    names, called, fixed = tuple(fold.name for fold in data.folds), models.names, models.fixed
    settings = {"data": data.name, "folds": data.how, "seeds": str(seeds), "rng": str(asked.seed), **models.settings()}
    whole: dict[tuple[int, int], FoldResult] = {}
    blended: BlendComposition | None = None
    if asked.blending is not None:
        made = blend_folds(tried, data.folds, called, fixed, seeds, asked.blending, None)
        every |= {(s, n_models, k): one for (s, k), one in made.by_seed.items()}
        whole, blended = {(n_models, k): one for k, one in made.whole.items()}, made.about
        called, fixed, n_models = (*called, BLEND_NAME), (*fixed, all(fixed)), n_models + 1
        settings["blend"] = str(asked.blending)
    of_test = FoldLists([fold.test for fold in data.folds], names, plan, data.max_grade)
    of_valid = FoldLists([fold.valid for fold in data.folds], names, plan, data.max_grade)
    shape = (seeds, n_models)
    tests = {at: one.test for at, one in every.items()}, {at: one.test for at, one in whole.items()}
    on_test = of_test.measured(tests[0], shape, settings, called, tests[1])
    valids = {at: one.valid for at, one in every.items()}, {at: one.valid for at, one in whole.items()}
    on_valid = of_valid.measured(valids[0], shape, settings, called, valids[1])
    every |= {(s, m, k): one for (m, k), one in whole.items() for s in range(seeds)}  # all that follows is of the whole
    grades = np.unique(np.concatenate([fold.test.relevance for fold in data.folds]))
    counts = np.zeros((n_models, grades.size, len(RANK_RANGES)))
    for (_, m, k), one in every.items():
        counts[m] += count_ranks(of_test.lists[k], one.test, grades)
    stops = [str(models.ranker(m).stop_on) for m in range(len(models.names))]
    return CrossValidation(
        models=called,
        folds=names,
        test=on_test,
        valid=on_valid,
        fixed=fixed,
        comparison=compare_rankers(on_test.scores, asked),
        courses=tuple(tuple(every[0, m, k].course for k in range(n_folds)) for m in range(n_models)),
        stop_on=(*stops, *([""] if blended is not None else [])),
        best_epochs=by_seed_model_fold(every, shape, n_folds, lambda one: one.best_epoch),
        seconds=by_seed_model_fold(every, shape, n_folds, lambda one: one.seconds),
        at_end=by_seed_model_fold(every, shape, n_folds, lambda one: one.at_end).max(axis=(0, 2)) > 0,
        feature_names=data.feature_names,
        importance=importance_table(every, shape, n_folds),
        grades=tuple(grades.tolist()),
        places=counts / seeds,
        data_notes=data.notes,
        blended=blended,
    )


def by_seed_model_fold(
    every: Mapping[tuple[int, int, int], FoldResult],
    shape: tuple[int, int],
    folds: int,
    what: Callable[[FoldResult], float],
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(seeds, models, folds) one number of each unit."""
    found = np.empty((*shape, folds))
    for at, one in every.items():
        found[at] = what(one)
    return found


def importance_table(
    every: Mapping[tuple[int, int, int], FoldResult], shape: tuple[int, int], folds: int
) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """(units, models, features) what shuffling costs, NaN of a blend, which is not told; None where nobody asked."""
    tables = [[every[s, m, k].importance for m in range(shape[1])] for s in range(shape[0]) for k in range(folds)]
    first = tables[0][0]
    if first is None:
        return None
    return np.array([[np.full(first.shape, np.nan) if one is None else one for one in row] for row in tables])


def compare_rankers(scores: Scores, asked: CrossValidationSettings) -> Comparison | None:
    """The rankers against each other on all test queries; None where there is one only."""
    if len(scores.systems) < 2:
        return None
    return compare(scores, baseline=asked.baseline, test=asked.test, rng=asked.seed)

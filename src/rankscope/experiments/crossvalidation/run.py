"""Cross-validation: validates settings, trains and tests rankers on all folds from several seeds, compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.comparison.compare import Comparison, ComparisonSettings, compare
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
    "task_keys",
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
    blending = validate_blend(blend, models.names, models.seed_independent, seeds)
    ranker_names = (*models.names, *([BLEND_NAME] if blending is not None else []))
    if baseline is not None and baseline not in ranker_names:
        raise UnknownName("ranker", str(baseline), ranker_names, "; it was asked for as the baseline")
    if workers != 1:
        models.check_sending()
    ComparisonSettings(test=test, baseline=baseline, seed=seed)  # raises for a wrong one
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
    settings = validate_settings(
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
    fold_set = read_folds(source, folds=folds, rng=settings.seed, cache=cache, progress=reading)
    return cross_validate_folds(fold_set, models, settings, workers=workers, progress=progress)


def cross_validate_folds(
    fold_set: FoldSet,
    models: RankerModels,
    settings: CrossValidationSettings,
    *,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> CrossValidation:
    """As `cross_validate`, for folds that were read, and validated rankers and settings."""
    keys = task_keys(fold_set, models, settings)
    report_progress = None if progress is None else lambda n_done: progress(n_done / len(keys))
    units = fold_tasks(keys, fold_set, models, settings)
    results = dict(zip(keys, run_units(run_fold_task, units, workers=workers, progress=report_progress), strict=True))
    return collect_results(fold_set, models, results, settings)


def task_keys(fold_set: FoldSet, models: RankerModels, settings: CrossValidationSettings) -> list[tuple[int, int, int]]:
    """Seed, model and fold of each task."""
    return [
        (s, m, k)
        for k in range(len(fold_set.folds))
        for m in range(len(models.names))
        for s in range(1 if models.seed_independent[m] else settings.seeds)
    ]


def fold_tasks(
    task_keys: Sequence[tuple[int, int, int]],
    fold_set: FoldSet,
    models: RankerModels,
    settings: CrossValidationSettings,
) -> Iterator[FoldTask]:
    """A task for each seed, model and fold."""
    for s, m, k in task_keys:
        yield FoldTask(
            fold=without_features(fold_set.folds[k], models.excluded_features[m])
            if models.excluded_features
            else fold_set.folds[k],
            model=models.names[m],
            parameters={**models.parameters[m], "rng": settings.seed + s},
            importance_plan=settings.plan if settings.importance else None,
            rel=settings.plan.convention.rel,
            max_grade=fold_set.max_grade,
            maker=models.classes[m],
        )


def collect_results(
    fold_set: FoldSet,
    models: RankerModels,
    results: Mapping[tuple[int, int, int], FoldResult],
    settings: CrossValidationSettings,
) -> CrossValidation:
    """The result of all tasks. A ranker that does not depend on the seed was trained once and counts for each seed."""
    plan, seeds, n_models, n_folds = settings.plan, settings.seeds, len(models.names), len(fold_set.folds)
    all_results = {
        (s, m, k): results[(0 if models.seed_independent[m] else s), m, k]
        for s in range(seeds)
        for m in range(n_models)
        for k in range(n_folds)
    }
    fold_names, ranker_names, fixed = tuple(fold.name for fold in fold_set.folds), models.names, models.seed_independent
    signature_settings = {"data": fold_set.name, "folds": fold_set.how, "seeds": str(seeds), "rng": str(settings.seed)}
    signature_settings |= models.settings()
    blend_results: dict[tuple[int, int], FoldResult] = {}
    blended: BlendComposition | None = None
    if settings.blending is not None:
        fold_blends = blend_folds(results, fold_set.folds, ranker_names, fixed, seeds, settings.blending, None)
        all_results |= {(s, n_models, k): result for (s, k), result in fold_blends.seed_blends.items()}
        blend_results = {(n_models, k): result for k, result in fold_blends.full_blends.items()}
        blended = fold_blends.composition
        ranker_names, fixed, n_models = (*ranker_names, BLEND_NAME), (*fixed, all(fixed)), n_models + 1
        signature_settings["blend"] = str(settings.blending)
    test_lists = FoldLists([fold.test for fold in fold_set.folds], fold_names, plan, fold_set.max_grade)
    valid_lists = FoldLists([fold.valid for fold in fold_set.folds], fold_names, plan, fold_set.max_grade)
    shape = (seeds, n_models)
    test_scores = {key: result.test for key, result in all_results.items()}
    blend_scores = {key: result.test for key, result in blend_results.items()}
    test_values = test_lists.measure(test_scores, shape, signature_settings, ranker_names, blend_scores)
    valid_scores = {key: result.valid for key, result in all_results.items()}
    blend_scores = {key: result.valid for key, result in blend_results.items()}
    valid_values = valid_lists.measure(valid_scores, shape, signature_settings, ranker_names, blend_scores)
    # From here on, the blend of all seeds replaces the blends of single seeds.
    all_results |= {(s, m, k): result for (m, k), result in blend_results.items() for s in range(seeds)}
    grades = np.unique(np.concatenate([fold.test.relevance for fold in fold_set.folds]))
    counts = np.zeros((n_models, grades.size, len(RANK_RANGES)))
    for (_, m, k), result in all_results.items():
        counts[m] += count_ranks(test_lists.lists[k], result.test, grades)
    stop_measures = [str(models.ranker(m).stop_on) for m in range(len(models.names))]
    return CrossValidation(
        models=ranker_names,
        folds=fold_names,
        test=test_values,
        valid=valid_values,
        fixed=fixed,
        comparison=compare_rankers(test_values.scores, settings),
        curves=tuple(tuple(all_results[0, m, k].curve for k in range(n_folds)) for m in range(n_models)),
        stop_on=(*stop_measures, *([""] if blended is not None else [])),
        best_epochs=by_seed_model_fold(all_results, shape, n_folds, lambda result: result.best_epoch),
        seconds=by_seed_model_fold(all_results, shape, n_folds, lambda result: result.seconds),
        at_end=by_seed_model_fold(all_results, shape, n_folds, lambda result: result.at_end).max(axis=(0, 2)) > 0,
        feature_names=fold_set.feature_names,
        importance=importance_table(all_results, shape, n_folds),
        grades=tuple(grades.tolist()),
        rank_counts=counts / seeds,
        data_notes=fold_set.notes,
        blend=blended,
    )


def by_seed_model_fold(
    results: Mapping[tuple[int, int, int], FoldResult],
    shape: tuple[int, int],
    n_folds: int,
    value_of: Callable[[FoldResult], float],
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(seeds, models, folds) one number of each result."""
    table = np.empty((*shape, n_folds))
    for key, result in results.items():
        table[key] = value_of(result)
    return table


def importance_table(
    results: Mapping[tuple[int, int, int], FoldResult], shape: tuple[int, int], n_folds: int
) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """(seeds times folds, models, features) importance, NaN of a blend; None where it was not computed."""
    tables = [[results[s, m, k].importance for m in range(shape[1])] for s in range(shape[0]) for k in range(n_folds)]
    first = tables[0][0]
    if first is None:
        return None
    return np.array([[np.full(first.shape, np.nan) if drops is None else drops for drops in row] for row in tables])


def compare_rankers(scores: Scores, settings: CrossValidationSettings) -> Comparison | None:
    """The comparison of the rankers on all test queries; None for a single one."""
    if len(scores.systems) < 2:
        return None
    return compare(scores, baseline=settings.baseline, test=settings.test, rng=settings.seed)

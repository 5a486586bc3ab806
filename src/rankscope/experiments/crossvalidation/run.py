"""Cross-validation: validates settings, trains and tests rankers on all folds from several seeds, compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.comparison.compare import Comparison, ComparisonSettings, compare_systems
from rankscope.data.features import Features
from rankscope.data.scores import Scores
from rankscope.experiments.crossvalidation.blends import (
    BLEND_NAME,
    BlendComposition,
    blend_folds,
    describe_blend,
)
from rankscope.experiments.crossvalidation.fold_task import FoldResult, FoldTask, run_fold_task
from rankscope.experiments.crossvalidation.fold_values import RANK_RANGES, FoldLists, count_ranks, grade_rows
from rankscope.experiments.crossvalidation.folds import FoldSet, read_folds, without_features
from rankscope.experiments.crossvalidation.models import parse_rankers
from rankscope.experiments.crossvalidation.result import CrossValidation
from rankscope.experiments.crossvalidation.settings import (
    AnalysisSettings,
    CrossValidationSettings,
    Experiment,
    blend_choice,
    prepare_experiment,
)
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.parallel import run_units
from rankscope.settings import plain_number
from rankscope.stats.inputs import seed_of
from rankscope.typing import PathLike

__all__ = [
    "cross_validate",
    "cross_validate_experiment",
    "cross_validate_folds",
    "task_keys",
]


def cross_validate(
    source: PathLike | Features,
    rankers: str | Ranker | Sequence[str | Ranker] | Mapping[str, Ranker] = "listnet",
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    folds: int | None = None,
    seeds: int = 3,
    baseline: str | None = None,
    test: str = "t",
    importance: bool = False,
    blend: str | bool | None = None,
    rel: float = 1,
    no_relevant: str | None = None,
    rng: Any = 0,
    cache: bool = False,
    workers: int = 1,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> CrossValidation:
    """Train rankers on some folds, stop by another, test on the remaining one, in turn for all folds; compare them.

    Parameters
    ----------
    source
        A folder of folds, a file, or `Features`; see the notes.
    rankers
        A loss, a `Ranker` or `TorchRanker`, or a list of these, each named by its loss; "linear:listnet" is a linear
        scorer, "torch:listnet" a `TorchRanker`. Or a mapping from names to rankers. Their rng is not used.
    measures
        A measure or a list of measures; the first is the one that sentences are about. Default: nDCG@10 and AP.
    folds
        Number of folds into which the queries of a single file are split at random. Default: 5.
    seeds
        Number of times that each ranker is trained, each time from another random seed. Default: 3.
    baseline
        Compare each of the other rankers with this one. Default: compare all pairs.
    test
        Significance test of the differences between rankers. One of 't', 'permutation', 'bootstrap', 'wilcoxon',
        'sign', 'mcnemar', 'tukey', 'randomised-tukey', 'max-t', 'max-t-bootstrap', 'nemenyi', 'bayes-t',
        'bayes-signed-rank'. Default: 't'.
    importance
        Compute the permutation importance of each feature. Default: False.
    blend
        Add a ranker 'blend' that combines all rankers from all seeds, as `rankscope.learning.Blend` does: 'average',
        'stacked', or True for 'average'. Default: no blend.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    no_relevant
        Queries without relevant documents: give them the value that the measure defines (zero), skip them (drop), or
        give them 1 (one). One of 'zero', 'drop', 'one'. Default: zero.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    cache
        Keep binary copies of the files beside them, and read these next time.
    workers
        Number of processes; the results do not depend on it.
    reading
        Called with the number of bytes read.
    progress
        Called with the share of the work just done.

    Returns
    -------
    CrossValidation
        Values of each ranker on the test and validation lists, significance tests between rankers, and the size of
        noise.

    Raises
    ------
    InputError
        Files are missing, malformed or do not fit, or there is nothing to learn from.
    ParameterError
        An argument is out of range, or does not fit another one. Nothing was read then.
    UnknownName
        A loss, a measure, a test or the baseline does not exist. Nothing was read then.

    Notes
    -----
    A folder has either subfolders Fold1, Fold2, ... with train.txt, vali.txt and test.txt each, or files S1.txt,
    S2.txt, ...: fold k is tested on the file before its own k-th, validated on the one before that, and trained on the
    others, in a ring. The queries of a single file, or of `Features`, are split at random.

    Each ranker is trained from the seeds rng, rng + 1, ..., and the value of a query is the mean over them. The
    comparison is on all test queries; if all pairs are compared, p-values are corrected for their number (Holm). A
    blend is made fold by fold on the validation lists; its value for a query is its own, not a mean over seeds.
    Importance is the loss of the first measure when the values of a feature are shuffled. rel applies to stop_on as
    well.

    Ties between documents are broken at random, in the same way for all rankers, seeds and measures, so that a file
    sorted by grade does not give values that are too high. Queries without relevant documents have the value 0 by most
    measures.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 2))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> result = cross_validate(features, "linear:listnet", "RR", folds=4, seeds=1)
    >>> bool(result.test.overall[0, 0] > 0.9), result.folds
    (True, ('Fold1', 'Fold2', 'Fold3', 'Fold4'))
    """
    settings = CrossValidationSettings(
        folds=folds, seeds=seeds, test=test, rel=rel, no_relevant=no_relevant, seed=seed_of(rng)
    )
    analysis = AnalysisSettings(baseline=baseline, importance=importance, blend=blend_choice(blend))
    experiment = prepare_experiment(parse_rankers(rankers), measures, settings, analysis)
    return cross_validate_experiment(
        source, experiment, cache=cache, workers=workers, reading=reading, progress=progress
    )


def cross_validate_experiment(
    source: PathLike | Features,
    experiment: Experiment,
    *,
    cache: bool = False,
    workers: int = 1,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> CrossValidation:
    """As `cross_validate`, with rankers, measures and settings as one object."""
    if workers != 1:
        experiment.models.check_sending()
    settings = experiment.settings
    fold_set = read_folds(source, folds=settings.folds, rng=settings.seed, cache=cache, progress=reading)
    return cross_validate_folds(fold_set, experiment, workers=workers, progress=progress)


def cross_validate_folds(
    fold_set: FoldSet,
    experiment: Experiment,
    *,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> CrossValidation:
    """As `cross_validate_experiment`, for folds that were read."""
    keys = task_keys(fold_set, experiment)
    report_progress = None if progress is None else lambda n_done: progress(n_done / len(keys))
    units = fold_tasks(keys, fold_set, experiment)
    results = dict(zip(keys, run_units(run_fold_task, units, workers=workers, progress=report_progress), strict=True))
    return collect_results(fold_set, results, experiment)


def task_keys(fold_set: FoldSet, experiment: Experiment) -> list[tuple[int, int, int]]:
    """Seed, model and fold of each task."""
    models = experiment.models
    return [
        (s, m, k)
        for k in range(len(fold_set.folds))
        for m in range(len(models.names))
        for s in range(1 if models.seed_independent[m] else experiment.settings.seeds)
    ]


def fold_tasks(
    task_keys: Sequence[tuple[int, int, int]],
    fold_set: FoldSet,
    experiment: Experiment,
) -> Iterator[FoldTask]:
    """A task for each seed, model and fold."""
    models, plan = experiment.models, experiment.plan
    for s, m, k in task_keys:
        fold = fold_set.folds[k]
        if models.excluded_features:
            fold = without_features(fold, models.excluded_features[m])
        yield FoldTask(
            fold=fold.name,
            train=fold.train,
            valid=fold.valid,
            test=fold.test,
            model=models.names[m],
            ranker=models.ranker(m, experiment.seed + s),
            rel=plan.convention.rel,
            max_grade=fold_set.max_grade,
            importance_plan=plan if experiment.importance else None,
        )


def collect_results(
    fold_set: FoldSet,
    results: Mapping[tuple[int, int, int], FoldResult],
    experiment: Experiment,
) -> CrossValidation:
    """The result of all tasks. A ranker that does not depend on the seed was trained once and counts for each seed."""
    models, plan, seeds, blending = experiment.models, experiment.plan, experiment.settings.seeds, experiment.blending
    n_models, n_folds = len(models.names), len(fold_set.folds)
    all_results = {
        (s, m, k): results[(0 if models.seed_independent[m] else s), m, k]
        for s in range(seeds)
        for m in range(n_models)
        for k in range(n_folds)
    }
    fold_names, ranker_names, fixed = tuple(fold.name for fold in fold_set.folds), models.names, models.seed_independent
    settings = signature_settings(fold_set, experiment)
    blend_results: dict[tuple[int, int], FoldResult] = {}
    blended: BlendComposition | None = None
    if blending is not None:
        fold_blends = blend_folds(results, fold_set.folds, ranker_names, fixed, seeds, blending, None)
        all_results |= {(s, n_models, k): result for (s, k), result in fold_blends.seed_blends.items()}
        blend_results = {(n_models, k): result for k, result in fold_blends.full_blends.items()}
        blended = fold_blends.composition
        ranker_names, fixed, n_models = (*ranker_names, BLEND_NAME), (*fixed, all(fixed)), n_models + 1
    test_lists = FoldLists([fold.test for fold in fold_set.folds], fold_names, plan, fold_set.max_grade)
    valid_lists = FoldLists([fold.valid for fold in fold_set.folds], fold_names, plan, fold_set.max_grade)
    shape = (seeds, n_models)
    test_scores = {key: result.test for key, result in all_results.items()}
    blend_scores = {key: result.test for key, result in blend_results.items()}
    test_values = test_lists.measure(test_scores, shape, settings, ranker_names, blend_scores)
    valid_scores = {key: result.valid for key, result in all_results.items()}
    blend_scores = {key: result.valid for key, result in blend_results.items()}
    valid_values = valid_lists.measure(valid_scores, shape, settings, ranker_names, blend_scores)
    # From here on, the blend of all seeds replaces the blends of single seeds.
    all_results |= {(s, m, k): result for (m, k), result in blend_results.items() for s in range(seeds)}
    grades, are_bins = grade_rows(np.unique(np.concatenate([fold.test.relevance for fold in fold_set.folds])))
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
        comparison=compare_rankers(test_values.scores, experiment.comparison),
        curves=tuple(tuple(all_results[0, m, k].curve for k in range(n_folds)) for m in range(n_models)),
        stop_on=(*stop_measures, *([""] if blended is not None else [])),
        best_epochs=by_seed_model_fold(all_results, shape, n_folds, lambda result: result.best_epoch),
        seconds=by_seed_model_fold(all_results, shape, n_folds, lambda result: result.seconds),
        at_end=by_seed_model_fold(all_results, shape, n_folds, lambda result: result.at_end).max(axis=(0, 2)) > 0,
        feature_names=fold_set.feature_names,
        importance=importance_table(all_results, shape, n_folds),
        grades=tuple(map(plain_number, grades.tolist())),
        grades_are_bins=are_bins,
        rank_counts=counts / seeds,
        data_notes=fold_set.notes,
        blend=blended,
    )


def signature_settings(fold_set: FoldSet, experiment: Experiment) -> dict[str, str]:
    """All settings for the signature, those of the measures excepted."""
    settings = {
        "data": fold_set.name,
        "folds": fold_set.how,
        "seeds": str(experiment.settings.seeds),
        "rng": str(experiment.seed),
        **experiment.models.settings(),
    }
    if experiment.blending is not None:
        settings["blend"] = describe_blend(experiment.blending)
    return settings


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


def compare_rankers(scores: Scores, settings: ComparisonSettings) -> Comparison | None:
    """The comparison of the rankers on all test queries; None for a single one."""
    return None if len(scores.systems) < 2 else compare_systems(scores, None, settings)

"""Random search: settings are sampled by kind of ranker and compared on validation lists; the best are tested."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.data.scores import summarise
from rankscope.evaluation.conventions import Plan
from rankscope.experiments.crossvalidation import (
    AnalysisSettings,
    CrossValidationSettings,
    Experiment,
    Fold,
    FoldLists,
    FoldResult,
    FoldSet,
    FoldTask,
    RankerModels,
    blend_choice,
    cross_validate_folds,
    parse_rankers,
    prepare_experiment,
    ranker_models,
    read_folds,
    run_fold_task,
    task_keys,
)
from rankscope.experiments.random_search.result import Search
from rankscope.experiments.random_search.spaces import draw_setting, with_changes
from rankscope.experiments.random_search.trial_log import SearchLog, Trial
from rankscope.kernels.rounding_ties import best_places
from rankscope.learning.ranker import Ranker
from rankscope.learning.training import ranker_signature
from rankscope.measures.base import Measure
from rankscope.parallel import run_units
from rankscope.settings import Settings, count
from rankscope.stats.inputs import seed_of
from rankscope.typing import PathLike

__all__ = [
    "SearchSettings",
    "search",
    "search_experiment",
]


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """How many settings a search tries; see `search`."""

    FUNCTIONS = ("rankscope.experiments:search",)

    trials: int = count(20, flag="--search", metavar="N", help="Number of settings tried for each ranker.")


def search(
    source: PathLike | Features,
    rankers: str | Ranker | Sequence[str | Ranker] | Mapping[str, Ranker] = "listnet",
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    trials: int = 20,
    log: PathLike | None = None,
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
) -> Search:
    """Try settings of each ranker on the validation lists of all folds, then `cross_validate` the best of each.

    Parameters
    ----------
    source
        A folder of folds, a file, or `Features`, as in `cross_validate`.
    rankers
        A loss, a `Ranker` or `TorchRanker`, or a list of these, each named by its loss; "linear:listnet" is a linear
        scorer, "torch:listnet" a `TorchRanker`. Or a mapping from names to rankers. Their rng is not used.
    measures
        A measure or a list of measures; the first is the one that sentences are about. Default: nDCG@10 and AP.
    trials
        Number of settings tried for each ranker. Default: 20.
    log
        A file with a line of JSON for each trial, written as soon as the trial is done. Trials in it are not repeated,
        so an interrupted search continues to the same result.
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
    Search
        The trials, the best of each ranker, and their cross-validation.

    Raises
    ------
    InputError
        As `cross_validate`, and for the log of another search, which is left as it is.
    ParameterError, UnknownName
        As `cross_validate`.

    Notes
    -----
    The first trial of each ranker has the parameters as given; in the others some are drawn at random, from
    `rankscope.experiments.random_search.SPACES`. A parameter that differs from its default is never changed. Each
    setting is trained on the training lists of every fold from the seed rng, and its value is that of the first measure
    over all validation lists; the test lists are not looked at until the end. Trial i depends only on the ranker's
    name, rng and i, so a search with more trials continues one with fewer.

    **The best of many is too good on the lists that it was chosen by**; the test lists, looked at once, say what it is
    worth.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 2))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> result = search(features, "linear:listnet", "RR", trials=3, folds=4, seeds=1)
    >>> [setting.number for setting in result.trials], result.best[0].model
    ([1, 2, 3], 'linear:listnet')
    """
    search_settings = SearchSettings(trials=trials)
    settings = CrossValidationSettings(
        folds=folds, seeds=seeds, test=test, rel=rel, no_relevant=no_relevant, seed=seed_of(rng)
    )
    analysis = AnalysisSettings(baseline=baseline, importance=importance, blend=blend_choice(blend))
    experiment = prepare_experiment(parse_rankers(rankers), measures, settings, analysis)
    options: dict[str, Any] = {"cache": cache, "workers": workers, "reading": reading, "progress": progress}
    return search_experiment(source, experiment, search_settings, log=log, **options)


def search_experiment(
    source: PathLike | Features,
    experiment: Experiment,
    search_settings: SearchSettings,
    *,
    log: PathLike | None = None,
    cache: bool = False,
    workers: int = 1,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Search:
    """As `search`, with rankers, measures and settings as objects."""
    models, settings, trials = experiment.models, experiment.settings, search_settings.trials
    if workers != 1:
        models.check_sending()
    fold_set = read_folds(source, folds=settings.folds, rng=settings.seed, cache=cache, progress=reading)
    trial_log = SearchLog(log, log_header(fold_set, experiment))
    n_steps = trials * len(models.names) * len(fold_set.folds) + len(task_keys(fold_set, experiment))
    report_trials = None if progress is None else lambda n: progress(n / n_steps)
    n_logged = len(trial_log.trials)
    all_trials = tuple(run_trials(fold_set, experiment, trial_log, trials, workers, report_trials))
    best = tuple(
        best_trial([trial for trial in all_trials if trial.model == name], experiment.plan) for name in models.names
    )
    best_experiment = replace(experiment, models=models_with_changes(models, best))
    test_share = len(task_keys(fold_set, best_experiment)) / n_steps
    report_test = None if progress is None else lambda n: progress(n * test_share)
    test_result = cross_validate_folds(fold_set, best_experiment, workers=workers, progress=report_test)
    return Search(
        cross_validation=test_result,
        trials=all_trials,
        best=best,
        measure=experiment.plan.names[0],
        log=trial_log.path,
        n_logged=min(n_logged, len(all_trials)),
    )


def models_with_changes(models: RankerModels, trials: Sequence[Trial]) -> RankerModels:
    """The rankers with the changes of one trial each."""
    rankers = zip(models.names, models.classes, models.parameters, trials, strict=True)
    return ranker_models(
        {name: (maker, with_changes(parameters, trial.changed)) for name, maker, parameters, trial in rankers}
    )


def log_header(fold_set: FoldSet, experiment: Experiment) -> dict[str, Any]:
    """All that the value of a trial depends on; for the data, a digest of training and validation lists."""
    models, plan = experiment.models, experiment.plan
    return {
        "version": __version__,
        "rng": experiment.seed,
        "measure": plan.names[0],
        "rel": plan.convention.rel,
        "no_relevant": plan.no_relevant,
        "rankers": {name: ranker_signature(models.ranker(m)) for m, name in enumerate(models.names)},
        "data": fold_set.name,
        "digest": data_digest(fold_set),
    }


def data_digest(fold_set: FoldSet) -> str:
    """A digest of the numbers of all training and validation lists."""
    digest_of_part: dict[int, bytes] = {}
    digest = hashlib.sha256()
    for fold in fold_set.folds:
        for part in (*fold.train, fold.valid):
            if id(part) not in digest_of_part:
                arrays = (part.values, part.relevance, part.offsets)
                digest_of_part[id(part)] = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).digest()
            digest.update(digest_of_part[id(part)])
    return digest.hexdigest()[:16]


def run_trials(
    fold_set: FoldSet,
    experiment: Experiment,
    trial_log: SearchLog,
    trials: int,
    workers: int,
    report_progress: Callable[[int], Any] | None,
) -> Iterator[Trial]:
    """All trials in order, from the log where it has them; each is in the log before it is yielded."""
    models = experiment.models
    trial_keys = [(m, number) for number in range(1, trials + 1) for m in range(len(models.names))]
    missing_keys = [(m, number) for m, number in trial_keys if (models.names[m], number) not in trial_log.trials]
    if report_progress is not None and len(missing_keys) < len(trial_keys):
        report_progress((len(trial_keys) - len(missing_keys)) * len(fold_set.folds))
    max_grade = max(highest_grade(part.relevance) for fold in fold_set.folds for part in (*fold.train, fold.valid))
    lists = FoldLists(
        [fold.valid for fold in fold_set.folds], [fold.name for fold in fold_set.folds], experiment.plan, max_grade
    )
    changes_by_key = {
        key: draw_setting(models.names[key[0]], models.ranker(key[0]), key[1], experiment.seed) for key in missing_keys
    }
    units = (
        trial_task(fold, experiment, m, changes_by_key[m, number], number)
        for m, number in missing_keys
        for fold in fold_set.folds
    )
    results = run_units(run_fold_task, units, workers=workers, progress=report_progress)
    for m, number in trial_keys:
        name = models.names[m]
        if (name, number) not in trial_log.trials:
            fold_results = [next(results) for _ in fold_set.folds]
            trial_log.add(trial_of_results(name, number, changes_by_key[m, number], fold_results, lists))
        yield trial_log.trials[name, number]


def trial_task(fold: Fold, experiment: Experiment, m: int, changed: Mapping[str, Any], number: int) -> FoldTask:
    """A trial on one fold, without its test lists. Only the given parameters, of trial 1, must fit the data."""
    models = experiment.models
    return FoldTask(
        fold=fold.name,
        train=fold.train,
        valid=fold.valid,
        test=None,
        model=models.names[m],
        ranker=models.classes[m](**with_changes(models.parameters[m], changed), rng=experiment.seed),
        rel=experiment.plan.convention.rel,
        tolerant=number > 1,
    )


def trial_of_results(
    name: str, number: int, changed: Mapping[str, Any], fold_results: Sequence[FoldResult], lists: FoldLists
) -> Trial:
    """A trial from the results of its folds."""
    kind = lists.plan.measures[0].summary
    error = next((result.error for result in fold_results if result.error), "")
    value, fold_values = float("nan"), [float("nan")] * len(fold_results)
    if not error:
        values = [lists.values(k, result.valid)[0][0] for k, result in enumerate(fold_results)]
        fold_values = [float(summarise(query_values[None, None], [kind])[0, 0]) for query_values in values]
        value = float(summarise(np.concatenate(values)[None, None], [kind])[0, 0])
    return Trial(
        model=name,
        number=number,
        changed=changed,
        value=value,
        by_fold=tuple(fold_values),
        best_epoch=float(np.mean([result.best_epoch for result in fold_results])),
        seconds=float(np.mean([result.seconds for result in fold_results])),
        error=error,
    )


def best_trial(trials: Sequence[Trial], plan: Plan) -> Trial:
    """The first trial with the best value; the first of all where none has a value."""
    sign = -1.0 if plan.measures[0].higher_is_better is False else 1.0
    valued_trials = [trial for trial in trials if not np.isnan(trial.value)]
    if not valued_trials:
        return replace(trials[0])
    return valued_trials[int(best_places(sign * np.array([trial.value for trial in valued_trials])).argmax())]

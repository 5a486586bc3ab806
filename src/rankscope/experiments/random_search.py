"""Random search: settings are sampled by kind of ranker and compared on validation lists; the best are tested."""

from __future__ import annotations

import hashlib
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.columns import column, digits, table_of
from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.data.result import Result
from rankscope.data.scores import summarise
from rankscope.data.section import Section
from rankscope.data.text import format_number, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan
from rankscope.experiments.crossvalidation import (
    AnalysisSettings,
    CrossValidation,
    CrossValidationSettings,
    Experiment,
    Fold,
    FoldLists,
    FoldSet,
    RankerModels,
    blend_choice,
    cross_validate_folds,
    join_features,
    parse_rankers,
    prepare_experiment,
    read_folds,
    task_keys,
    validate_rankers,
)
from rankscope.experiments.search_log import SearchLog, Trial
from rankscope.kernels.rounding_ties import best_places, order_of
from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.ranker import Ranker, differ
from rankscope.learning.settings import RankerSettings, TorchSettings, as_sizes
from rankscope.learning.training import ranker_signature
from rankscope.measures.base import Measure
from rankscope.parallel import run_units
from rankscope.settings import Settings, count
from rankscope.stats.inputs import seed_of
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "SPACES",
    "Search",
    "SearchSettings",
    "draw_setting",
    "ranker_kind",
    "search",
    "search_experiment",
    "with_changes",
]


Distribution = Callable[[np.random.Generator], Any]


def uniform_choice(*values: Any) -> Distribution:
    """Each value has the same probability."""
    return lambda rng: values[int(rng.integers(len(values)))]


def log_uniform(low: float, high: float, zero: float = 0.0) -> Distribution:
    """Uniform in the logarithm, two digits. zero: the probability of 0."""

    def draw(rng: np.random.Generator) -> float:
        fraction, zero_draw = rng.random(2).tolist()
        return 0.0 if zero_draw < zero else float(f"{low * (high / low) ** fraction:.2g}")

    return draw


def uniform(low: float, high: float) -> Distribution:
    """Uniform between low and high, rounded to two decimals."""
    return lambda rng: round(float(rng.uniform(low, high)), 2)


#: By kind of ranker, its parameters and their distributions, in the order of sampling; docs/crossvalidation.md
#: describes them. New parameters go to the end, so that the settings of earlier logs do not change.
SPACES: dict[str, dict[str, Distribution]] = {
    "network": {
        "hidden": uniform_choice((32,), (64,), (128,), (256,), (64, 32), (128, 64)),
        "learning_rate": log_uniform(0.0005, 0.01),
        "batch_lists": uniform_choice(4, 8, 16, 32),
        "dropout": uniform(0.0, 0.6),
        "weight_decay": log_uniform(0.001, 1.0, zero=0.5),
        "transform": uniform_choice("standard", "log", "auto"),
    },
    "linear": {
        "weight_decay": log_uniform(1e-5, 1.0, zero=0.2),
        "transform": uniform_choice("standard", "log", "auto"),
    },
    "linear by steps": {
        "learning_rate": log_uniform(0.0005, 0.05),
        "batch_lists": uniform_choice(4, 8, 16, 32),
        "weight_decay": log_uniform(0.001, 1.0, zero=0.5),
        "transform": uniform_choice("standard", "log", "auto"),
    },
    "trees": {
        "leaves": uniform_choice(3, 5, 7, 11, 15, 31, 63),
        "rate": log_uniform(0.01, 0.2),
        "min_documents": uniform_choice(10, 20, 50, 100, 200, 400),
        "features": uniform(0.1, 1.0),
        "documents": uniform(0.3, 1.0),
        "l2": log_uniform(0.01, 100.0, zero=0.5),
        "truncation": uniform_choice(5, 10, 20, 30, 50),
        "ranks": uniform_choice(False, True),
    },
    "torch": {
        "hidden": uniform_choice((64,), (128,), (256,), (128, 64), (256, 128), (128, 128, 64)),
        "attention": uniform_choice(0, 0, 1, 2),
        "learning_rate": log_uniform(0.0002, 0.005),
        "batch_lists": uniform_choice(8, 16, 32, 64),
        "dropout": uniform(0.0, 0.6),
        "weight_decay": log_uniform(0.001, 1.0, zero=0.5),
        "transform": uniform_choice("standard", "log", "auto"),
    },
}


def ranker_kind(ranker: Ranker) -> str:
    """The key of `SPACES` of an untrained ranker."""
    if type(ranker) is not Ranker:
        return "torch"
    loss = parse_objective(ranker.loss)
    if isinstance(loss, LambdaMART):
        return "trees"
    if ranker.hidden:
        return "network"
    return "linear" if loss.has_exact_gradient else "linear by steps"


def draw_setting(name: str, ranker: Ranker, trial: int, seed: int) -> dict[str, Any]:
    """The changed parameters of trial number `trial`, from 1; the first trial changes none.

    They depend only on the name, the trial and the seed. A parameter that differs from its default stays as it is. For
    trees, the text of the loss changes, without an objective that is a function.
    """
    if trial == 1:
        return {}
    rng = np.random.default_rng([seed, zlib.crc32(name.encode(errors="surrogateescape")), trial])
    kind = ranker_kind(ranker)
    # All parameters are sampled, also those that were set, so that the others do not depend on them.
    changes = {key: distribution(rng) for key, distribution in SPACES[kind].items()}
    if kind == "trees":
        loss = parse_objective(ranker.loss)
        assert isinstance(loss, LambdaMART)
        loss_defaults = {field.name: field.default for field in fields(loss)}
        free_changes = {key: value for key, value in changes.items() if getattr(loss, key) == loss_defaults[key]}
        if loss.objective is not None:
            free_changes.pop("truncation", None)
        objective = None if callable(loss.objective) else loss.objective
        return {"loss": str(replace(loss, objective=objective, **free_changes))}
    ranker_defaults: Mapping[str, Any] = type(ranker)().get_params()
    return {
        key: value for key, value in changes.items() if not differ(as_tuple(getattr(ranker, key)), ranker_defaults[key])
    }


def with_changes(parameters: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """A ranker's parameters with the changes. Trees keep an objective that is a function."""
    merged = {**parameters, **changed}
    loss = parameters.get("loss")
    if "loss" in changed and isinstance(loss, LambdaMART) and callable(loss.objective):
        changed_loss = parse_objective(changed["loss"])
        assert isinstance(changed_loss, LambdaMART)
        merged["loss"] = replace(changed_loss, objective=loss.objective)
    return merged


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """How many settings a search tries; see `search`."""

    FUNCTIONS = ("rankscope.experiments:search",)

    trials: int = count(20, flag="--search", metavar="N", help="Number of settings tried for each ranker.")


#: Number of settings in a table.
TRIALS_LISTED = 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Search(Result):
    """Settings of rankers that were tried, and the test of the best, as `search` returns it.

    The tidy table is that of `cross_validation`; `trial_frame` has the trials.

    Attributes
    ----------
    cross_validation
        The cross-validation of the best settings.
    trials
        All trials, in their order.
    best
        The best trial of each ranker.
    measure
        The measure whose value over the validation lists chose the best.
    log
        The file that keeps the trials; None if there is none.
    n_logged
        The number of trials that were in the log before.
    """

    cross_validation: CrossValidation
    trials: tuple[Trial, ...]
    best: tuple[Trial, ...]
    measure: str
    log: str | None
    n_logged: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.cross_validation.columns

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the test."""
        return self.cross_validation.records()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        notes = [*self.cross_validation.notes]
        if failed_trials := [trial for trial in self.trials if np.isnan(trial.value)]:
            failed_text = f"{pluralise(len(failed_trials), 'setting')} could not be trained"
            first = failed_trials[0]
            notes.append(f"{failed_text}; {first.model}, trial {first.number}: {first.error or 'no value'}")
        if self.log is None:
            notes.append("no log was kept; with --log FILE an interrupted search continues where it stopped")
        return tuple(notes)

    def signature_parts(self) -> list[str]:
        n_trials = len(self.trials) // len(self.best)
        best_text = " ".join(f"{trial.model}[{trial.number}]" for trial in self.best)
        return [
            *self.cross_validation.signature_parts(),
            f"search:{n_trials} by validation {self.measure}",
            f"chosen:{best_text}",
        ]

    def sections(self) -> Sequence[Section]:
        """The settings of each ranker, the best first; then the test."""
        return [*(self.settings(best) for best in self.best), *self.cross_validation.sections()]

    def settings(self, best: Trial) -> Section:
        """The best settings of a ranker, and the given one.

        Parameters
        ----------
        best
            The best trial of the ranker.
        """
        trials = [trial for trial in self.trials if trial.model == best.model]
        sign = self.cross_validation.test.scores.sign(self.measure)
        trials.sort(key=lambda trial: trial.number)
        ranked_trials = [trials[i] for i in order_of(np.array([-sign * trial.value for trial in trials])).tolist()]
        listed_trials = ranked_trials[:TRIALS_LISTED]
        first_trial = trials[0]
        names = list(dict.fromkeys(key for trial in listed_trials for key in trial.changed))
        if first_trial not in listed_trials:
            listed_trials.append(first_trial)
        gain = abs(best.value - first_trial.value)
        is_unchanged = best.number == first_trial.number
        if is_unchanged:
            outcome = (
                f"none has a better {self.measure} on the validation lists than the given one (trial 1), "
                f"{format_number(best.value)}"
            )
        else:
            outcome = (
                f"trial {best.number} has the best {self.measure} on the validation lists, "
                f"{format_number(best.value)}, {format_number(gain)} better than the given setting (trial 1), "
                f"{format_number(first_trial.value)}"
            )
        sentence = (
            f"Of {pluralise(len(trials), 'setting')} of {best.model}, {outcome}. The best of many is too good on the "
            "lists that it was chosen by; the test lists show what it is worth."
        )
        n_more = len(trials) - len(listed_trials)
        return Section(
            title=f"{best.model}: settings tried",
            sentence=sentence,
            table=table_of(
                column("trial", [trial.number for trial in listed_trials], name=True),
                column(
                    f"validation {self.measure}",
                    [trial.value for trial in listed_trials],
                    digits(),
                    bold=[trial is ranked_trials[0] for trial in listed_trials],
                ),
                column("best epoch", [trial.best_epoch for trial in listed_trials], digits(0)),
                *(
                    column(name, [trial.changed.get(name, "-") for trial in listed_trials], format_parameter)
                    for name in names
                ),
            ),
            notes=(f"{pluralise(n_more, 'setting')} with worse values are not shown",) if n_more > 0 else (),
        )

    def trial_frame(self) -> pl.DataFrame:
        """The trials as a polars frame: model, trial, measure, value, best_epoch, seconds and what was changed."""
        import polars as pl

        rows = [
            {
                "model": trial.model,
                "trial": trial.number,
                "measure": self.measure,
                "value": None if np.isnan(trial.value) else trial.value,
                "best_epoch": None if np.isnan(trial.best_epoch) else trial.best_epoch,
                "seconds": trial.seconds,
                "changed": ", ".join(format_changes(trial.changed)),
            }
            for trial in self.trials
        ]
        return pl.DataFrame(rows)

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.trials), 'trial')} of {pluralise(len(self.best), 'ranker')}"


def format_changes(changed: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in changed.items()]


def format_parameter(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def search(
    source: PathLike | Features,
    losses: str | Sequence[str] | Mapping[str, Ranker] = "listnet",
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
    hidden: Sequence[int] = (64,),
    epochs: int = 100,
    patience: int = 15,
    stop_on: str | Measure = "nDCG(gain='exp')@10",
    learning_rate: float = 0.002,
    batch_lists: int = 8,
    dropout: float = 0.3,
    weight_decay: float = 0.0,
    transform: str = "auto",
    models: int = 1,
    attention: int = 0,
    heads: int = 2,
    device: str = "auto",
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
    losses
        A loss or a list of losses, one for each ranker, which is named by it: "linear:listnet" is a linear scorer,
        "torch:listnet" a `TorchRanker`. Or a mapping from names to rankers, whose parameters are used, except rng.
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
        'sign', 'mcnemar', 'tukey', 'randomised-tukey', 'nemenyi', 'bayes-t', 'bayes-signed-rank'. Default: 't'.
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
    hidden
        Sizes of the hidden layers of a network; () means a linear scorer. Default: (64,).
    epochs
        Maximum number of passes over the training lists. Default: 100.
    patience
        Stop after this number of epochs without improvement on the validation lists. Default: 15.
    stop_on
        Measure that chooses the best epoch on the validation lists. Default: "nDCG(gain='exp')@10".
    learning_rate
        Learning rate of Adam; linear scorers use it only with lambdarank and lambdaloss. Default: 0.002.
    batch_lists
        Number of lists in each step of Adam; linear scorers use it only with lambdarank and lambdaloss. Default: 8.
    dropout
        Dropout: the share of hidden units that are dropped at random in each step. Default: 0.3.
    weight_decay
        Strength of weight decay; for linear scorers, of L2 regularisation. Default: 0.0.
    transform
        Transformation of the features, learned on the training lists. One of 'standard', 'log', 'auto', 'none'.
        Default: 'auto'.
    models
        Number of networks or tree ensembles that make up one ranker, trained from different seeds; their scores are
        averaged. Default: 1.
    attention
        Number of attention layers over the documents of a list (networks of PyTorch only). Default: 0.
    heads
        Number of attention heads in each layer (networks of PyTorch only). Default: 2.
    device
        Device for training; auto uses a GPU if there is one (networks of PyTorch only). One of 'auto', 'cpu', 'cuda'.
        Default: 'auto'.
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
    ranker_settings = RankerSettings(
        hidden=as_sizes(hidden),
        epochs=epochs,
        patience=patience,
        stop_on=stop_on,
        learning_rate=learning_rate,
        batch_lists=batch_lists,
        dropout=dropout,
        weight_decay=weight_decay,
        transform=transform,
        models=models,
        seed=settings.seed,
    )
    rankers = parse_rankers(losses, ranker_settings, TorchSettings(attention=attention, heads=heads, device=device))
    analysis = AnalysisSettings(baseline=baseline, importance=importance, blend=blend_choice(blend))
    experiment = prepare_experiment(rankers, measures, settings, analysis)
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
        best_setting([trial for trial in all_trials if trial.model == name], experiment.plan) for name in models.names
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
    return validate_rankers(
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


@dataclass(frozen=True, eq=False, kw_only=True)
class SettingTask:
    """A setting on one fold, without its test lists. tolerant: whether errors are returned instead of raised."""

    name: str
    train: tuple[Features, ...]
    valid: Features
    model: str
    ranker: Ranker
    rel: float
    tolerant: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class SettingResult:
    """valid: (documents) scores, None where training failed."""

    valid: Floats | None
    best_epoch: float
    seconds: float
    error: str = ""


def run_setting_task(task: SettingTask) -> SettingResult:
    """Train, and score the validation lists. Raises InputError for the given setting, of which tolerant is False."""
    start_time = time.process_time()
    try:
        train = join_features(task.train, f"training data of {task.name}")
        ranker = task.ranker.fit(train, eval_set=task.valid, rel=task.rel)
    except (InputError, ParameterError, MemoryError) as error:  # sampled values may not fit together, or be too large
        if task.tolerant:
            error_text = str(error) or type(error).__name__
            return SettingResult(
                valid=None, best_epoch=np.nan, seconds=time.process_time() - start_time, error=error_text
            )
        if isinstance(error, InputError):
            raise InputError(f"{task.model}, {task.name}: {error}") from None
        raise
    seconds = time.process_time() - start_time
    epoch = float(np.mean([model.best_epoch + 1 for model in ranker.models_]))
    return SettingResult(valid=ranker.predict(task.valid), best_epoch=epoch, seconds=seconds)


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
        setting_task(fold, experiment, m, changes_by_key[m, number], number)
        for m, number in missing_keys
        for fold in fold_set.folds
    )
    results = run_units(run_setting_task, units, workers=workers, progress=report_progress)
    for m, number in trial_keys:
        name = models.names[m]
        if (name, number) not in trial_log.trials:
            fold_results = [next(results) for _ in fold_set.folds]
            trial_log.add(setting_from_results(name, number, changes_by_key[m, number], fold_results, lists))
        yield trial_log.trials[name, number]


def setting_task(fold: Fold, experiment: Experiment, m: int, changed: Mapping[str, Any], number: int) -> SettingTask:
    models = experiment.models
    parameters = with_changes(models.parameters[m], changed)
    return SettingTask(
        name=fold.name,
        train=fold.train,
        valid=fold.valid,
        model=models.names[m],
        ranker=models.classes[m](**parameters, rng=experiment.seed),
        rel=experiment.plan.convention.rel,
        tolerant=number > 1,
    )


def setting_from_results(
    name: str, number: int, changed: Mapping[str, Any], fold_results: Sequence[SettingResult], lists: FoldLists
) -> Trial:
    """A trial from the results of its folds."""
    plan = lists.plan
    kind = plan.measures[0].summary
    values = []
    for k, result in enumerate(fold_results):
        if result.valid is not None:
            values.append(lists.values(k, result.valid)[0][0])
    complete = len(values) == len(fold_results)
    fold_values = (
        [float(summarise(query_values[None, None], [kind])[0, 0]) for query_values in values]
        if complete
        else [np.nan] * len(fold_results)
    )
    value = float(summarise(np.concatenate(values)[None, None], [kind])[0, 0]) if complete else float("nan")
    return Trial(
        model=name,
        number=number,
        changed=changed,
        value=value,
        by_fold=tuple(fold_values),
        best_epoch=float(np.mean([result.best_epoch for result in fold_results])),
        seconds=float(np.mean([result.seconds for result in fold_results])),
        error=next((result.error for result in fold_results if result.error), ""),
    )


def best_setting(trials: Sequence[Trial], plan: Plan) -> Trial:
    """The first trial with the best value; the first of all where none has a value."""
    sign = -1.0 if plan.measures[0].higher_is_better is False else 1.0
    valued_trials = [trial for trial in trials if not np.isnan(trial.value)]
    if not valued_trials:
        return replace(trials[0])
    return valued_trials[int(best_places(sign * np.array([trial.value for trial in valued_trials])).argmax())]

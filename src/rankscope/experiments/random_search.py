"""Random search: settings drawn by kind of ranker, judged by validation lists alone; the best of each is tested."""

from __future__ import annotations

import hashlib
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.features import Features
from rankscope.data.result import as_text, tidy_frame
from rankscope.data.scores import summarise
from rankscope.data.section import Cell, Marked, Section, Table
from rankscope.data.text import format_number, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.experiments.crossvalidation import (
    CrossValidation,
    CrossValidationSettings,
    Fold,
    FoldLists,
    FoldSet,
    RankerModels,
    cross_validate_folds,
    join_features,
    parse_rankers,
    read_folds,
    task_places,
    validate_rankers,
    validate_settings,
)
from rankscope.experiments.search_log import SearchLog, Setting
from rankscope.kernels.ties import best_places, order_of
from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.ranker import Ranker, differ
from rankscope.learning.training import ranker_signature
from rankscope.measures.base import Measure
from rankscope.parallel import run_units
from rankscope.stats.inputs import check_count
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "SPACES",
    "Search",
    "draw_setting",
    "ranker_kind",
    "search",
    "with_changes",
]


Distribution = Callable[[np.random.Generator], Any]


def uniform_choice(*values: Any) -> Distribution:
    """Each as likely."""
    return lambda rng: values[int(rng.integers(len(values)))]


def log_uniform(low: float, high: float, zero: float = 0.0) -> Distribution:
    """Each order of magnitude as likely, two digits; 0 with a probability of its own."""

    def draw(rng: np.random.Generator) -> float:
        share, lot = rng.random(2).tolist()
        return 0.0 if lot < zero else float(f"{low * (high / low) ** share:.2g}")

    return draw


def uniform(low: float, high: float) -> Distribution:
    """Two digits behind the point."""
    return lambda rng: round(float(rng.uniform(low, high)), 2)


#: By kind of ranker, its parameters and their laws, in the order in which they are drawn; docs/crossvalidation.md has
#: them in words. A parameter that is added goes to the end, so that the settings of earlier logs stay what they were.
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
    """Which of `SPACES` a ranker that learned nothing yet is drawn from."""
    if type(ranker) is not Ranker:
        return "torch"
    loss = parse_objective(ranker.loss)
    if isinstance(loss, LambdaMART):
        return "trees"
    if ranker.hidden:
        return "network"
    return "linear" if loss.exact else "linear by steps"


def draw_setting(name: str, ranker: Ranker, trial: int, seed: int) -> dict[str, Any]:
    """What trial number `trial`, from 1, changes of a ranker: the first nothing.

    It depends on nothing but the name, the trial and the seed. A parameter that somebody set, so that it is not the
    default, stays as it is. Of trees, what changes is the text of the loss, without an objective that is a function.
    """
    if trial == 1:
        return {}
    rng = np.random.default_rng([seed, zlib.crc32(name.encode(errors="surrogateescape")), trial])
    kind = ranker_kind(ranker)
    drawn = {key: law(rng) for key, law in SPACES[kind].items()}  # all, whatever was set: the others stay the same
    if kind == "trees":
        loss = parse_objective(ranker.loss)
        assert isinstance(loss, LambdaMART)
        default = {one.name: one.default for one in fields(loss)}
        free = {key: value for key, value in drawn.items() if getattr(loss, key) == default[key]}
        if loss.objective is not None:
            free.pop("truncation", None)
        objective = None if callable(loss.objective) else loss.objective
        return {"loss": str(replace(loss, objective=objective, **free))}
    plain: Mapping[str, Any] = type(ranker)().get_params()
    return {key: value for key, value in drawn.items() if not differ(as_tuple(getattr(ranker, key)), plain[key])}


def with_changes(parameters: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """A ranker's parameters with what was drawn. Trees that are grown by a function are grown by it still."""
    found = {**parameters, **changed}
    given = parameters.get("loss")
    if "loss" in changed and isinstance(given, LambdaMART) and callable(given.objective):
        drawn = parse_objective(changed["loss"])
        assert isinstance(drawn, LambdaMART)
        found["loss"] = replace(drawn, objective=given.objective)
    return found


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


#: So many of the best settings stand in a table.
TRIALS_LISTED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Search:
    """tested: the cross-validation of the best settings. trials: all, in the order in which they were tried. best: of
    each ranker. measure: by whose value over the validation lists they were chosen. log: the file that has them; None:
    none. known: how many were in it before.

    columns: those of `tested`, whose tidy table this one's is; `trial_frame` has the trials.
    """

    tested: CrossValidation
    trials: tuple[Setting, ...]
    best: tuple[Setting, ...]
    measure: str
    log: str | None
    known: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.tested.columns

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the test."""
        return self.tested.records()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        found = [*self.tested.notes]
        if failed := [one for one in self.trials if np.isnan(one.value)]:
            what = f"{pluralise(len(failed), 'setting')} could not be trained"
            found.append(f"{what}; of {failed[0].model}, trial {failed[0].number}: {failed[0].error or 'no value'}")
        if self.log is None:
            found.append("no log was kept; with one (--log FILE) a search that is interrupted goes on where it was")
        return tuple(found)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        each = len(self.trials) // len(self.best)
        chosen = " ".join(f"{one.model}[{one.number}]" for one in self.best)
        return self.tested.signature(search=f"{each} by validation {self.measure}", chosen=chosen)

    def sections(self) -> Sequence[Section]:
        """The settings of each ranker, the best first; then the test."""
        return [*(self.settings(one) for one in self.best), *self.tested.sections()]

    def settings(self, best: Setting) -> Section:
        """The best ones of a ranker, and that as given."""
        mine = [one for one in self.trials if one.model == best.model]
        sign = self.tested.test.scores.sign(self.measure)
        mine.sort(key=lambda one: one.number)
        ranked = [mine[i] for i in order_of(np.array([-sign * one.value for one in mine])).tolist()]
        shown = ranked[:TRIALS_LISTED]
        given = mine[0]
        names = list(dict.fromkeys(key for one in shown for key in one.changed))
        rows: list[tuple[Cell, ...]] = [trial_row(one, names, one is ranked[0]) for one in shown]
        if given not in shown:
            rows.append(trial_row(given, names, False))
        gain = abs(best.value - given.value)
        same = best.number == given.number
        sentence = (
            f"Of {pluralise(len(mine), 'setting')} of {best.model}, by validation lists alone, "
            + ("none was better than the one that was given" if same else f"that of trial {best.number} was best")
            + f": {self.measure} {format_number(best.value)}"
            + ("." if same else f", and {format_number(given.value)} as given (trial 1), {format_number(gain)} apart.")
            + " The best of many is too good on the lists that it was chosen by; what it is worth, the test says."
        )
        left = len(mine) - len(rows)
        return Section(
            title=f"{best.model}: settings that were tried",
            sentence=sentence,
            table=Table(columns=("trial", f"validation {self.measure}", "best epoch", *names), rows=tuple(rows)),
            notes=(f"{pluralise(left, 'setting')} with lower values are not shown",) if left > 0 else (),
        )

    def trial_frame(self) -> pl.DataFrame:
        """The trials as a polars frame: model, trial, measure, value, best_epoch, seconds and what was changed."""
        import polars as pl

        rows = [
            {
                "model": one.model,
                "trial": one.number,
                "measure": self.measure,
                "value": None if np.isnan(one.value) else one.value,
                "best_epoch": None if np.isnan(one.best_epoch) else one.best_epoch,
                "seconds": one.seconds,
                "changed": ", ".join(format_changes(one.changed)),
            }
            for one in self.trials
        ]
        return pl.DataFrame(rows)

    def frame(self) -> pl.DataFrame:
        """The tidy table of the test as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"Search({pluralise(len(self.trials), 'trial')} of {pluralise(len(self.best), 'ranker')})"


def format_changes(changed: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in changed.items()]


def trial_row(one: Setting, names: Sequence[str], best: bool) -> tuple[Cell, ...]:
    """A trial; a dash where a parameter is as it was given."""
    changed = [format_parameter(one.changed[name]) if name in one.changed else "-" for name in names]
    value = Marked(format_number(one.value), bold=best)
    return (str(one.number), value, format_number(one.best_epoch, 0), *changed)


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
    rel: int = 1,
    no_relevant: str | None = None,
    cache: bool = False,
    workers: int = 1,
    rng: Any = 0,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> Search:
    """Try settings of each ranker on the validation lists of all folds, then `cross_validate` the best of each.

    trials: of each ranker, the first with the parameters as given, the others with some drawn at random, from
    `rankscope.experiments.random_search.SPACES`; a parameter that was set stays as it was set. A setting is trained on
    the training lists of every fold, from the seed rng, and its value is that of the first measure over all validation
    lists; the lists that folds are tested on are not looked at until the end. Which setting trial i has depends on
    nothing but the ranker's name, rng and i, so that more trials go on where fewer ended. log: a file of lines of JSON,
    one for each trial as soon as it is done; trials that are there are not done again, and a search that was
    interrupted goes on to the same result. All else is of `cross_validate`.

    **The best of many is too good on the lists that it was chosen by**; the test lists, looked at once, say what it is
    worth. Raises what `cross_validate` raises; ParameterError for trials below 1; InputError for a log of another
    search, which is left as it is.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 2))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> found = search(features, "linear:listnet", "RR", trials=3, folds=4, seeds=1)
    >>> [setting.number for setting in found.trials], found.best[0].model
    ([1, 2, 3], 'linear:listnet')
    """
    check_count("trials", trials)
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
    kept = SearchLog(log, about_search(data, models, asked))
    steps = trials * len(models.names) * len(data.folds) + len(task_places(data, models, asked))
    tell = None if progress is None else lambda n: progress(n / steps)
    known = len(kept.found)
    every = tuple(run_trials(data, models, asked, kept, trials, workers, tell))
    best = tuple(best_setting([one for one in every if one.model == name], asked) for name in models.names)
    found = {
        name: (maker, with_changes(given, one.changed))
        for name, maker, given, one in zip(models.names, models.makers, models.parameters, best, strict=True)
    }
    chosen = validate_rankers(found)
    share = len(task_places(data, chosen, asked)) / steps
    ahead = None if progress is None else lambda n: progress(n * share)
    final = cross_validate_folds(data, chosen, asked, workers=workers, progress=ahead)
    return Search(
        tested=final,
        trials=every,
        best=best,
        measure=asked.plan.names[0],
        log=kept.path,
        known=min(known, len(every)),
    )


def about_search(data: FoldSet, models: RankerModels, asked: CrossValidationSettings) -> dict[str, Any]:
    """All that the value of a trial depends on; of the data a digest of what is trained and validated on."""
    return {
        "version": __version__,
        "rng": asked.seed,
        "measure": asked.plan.names[0],
        "rel": asked.plan.convention.rel,
        "no_relevant": asked.plan.no_relevant,
        "rankers": {name: ranker_signature(models.ranker(m)) for m, name in enumerate(models.names)},
        "data": data.name,
        "digest": data_digest(data),
    }


def data_digest(data: FoldSet) -> str:
    """Of the numbers of all lists but those of the tests."""
    of_parts: dict[int, bytes] = {}
    whole = hashlib.sha256()
    for fold in data.folds:
        for part in (*fold.train, fold.valid):
            if id(part) not in of_parts:
                arrays = (part.values, part.relevance, part.offsets)
                of_parts[id(part)] = hashlib.sha256(b"".join(one.tobytes() for one in arrays)).digest()
            whole.update(of_parts[id(part)])
    return whole.hexdigest()[:16]


@dataclass(frozen=True, eq=False, kw_only=True)
class SettingTask:
    """A setting on one fold, whose test lists are not among it. tolerant: whether what fails is told, not raised."""

    name: str
    train: tuple[Features, ...]
    valid: Features
    model: str
    ranker: Ranker
    rel: int
    tolerant: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class SettingResult:
    """valid: (documents) scores, None where training failed."""

    valid: Floats | None
    best_epoch: float
    seconds: float
    error: str = ""


def run_setting_task(unit: SettingTask) -> SettingResult:
    """Train, and score the validation lists. Raises InputError where the setting is the one that was given."""
    begin = time.process_time()
    try:
        train = join_features(unit.train, f"training data of {unit.name}")
        ranker = unit.ranker.fit(train, eval_set=unit.valid, rel=unit.rel)
    except (InputError, ParameterError, MemoryError) as error:  # what was drawn may not go together, or be too large
        if unit.tolerant:
            why = str(error) or type(error).__name__
            return SettingResult(valid=None, best_epoch=np.nan, seconds=time.process_time() - begin, error=why)
        if isinstance(error, InputError):
            raise InputError(f"{unit.model}, {unit.name}: {error}") from None
        raise
    seconds = time.process_time() - begin
    epoch = float(np.mean([one.best_epoch + 1 for one in ranker.models_]))
    return SettingResult(valid=ranker.predict(unit.valid), best_epoch=epoch, seconds=seconds)


def run_trials(
    data: FoldSet,
    models: RankerModels,
    asked: CrossValidationSettings,
    kept: SearchLog,
    trials: int,
    workers: int,
    tell: Callable[[int], Any] | None,
) -> Iterator[Setting]:
    """All trials in order, those of the log as it has them; each is in the log before it is given."""
    places = [(m, number) for number in range(1, trials + 1) for m in range(len(models.names))]
    open_ = [(m, number) for m, number in places if (models.names[m], number) not in kept.found]
    if tell is not None and len(open_) < len(places):
        tell((len(places) - len(open_)) * len(data.folds))
    grade = max(int(part.relevance.max()) for fold in data.folds for part in (*fold.train, fold.valid))
    lists = FoldLists([fold.valid for fold in data.folds], [fold.name for fold in data.folds], asked.plan, grade)
    changed = {at: draw_setting(models.names[at[0]], models.ranker(at[0]), at[1], asked.seed) for at in open_}
    units = (
        setting_task(fold, models, m, changed[m, number], asked, number) for m, number in open_ for fold in data.folds
    )
    results = run_units(run_setting_task, units, workers=workers, progress=tell)
    for m, number in places:
        name = models.names[m]
        if (name, number) not in kept.found:
            done = [next(results) for _ in data.folds]
            kept.add(setting_from_results(name, number, changed[m, number], done, lists))
        yield kept.found[name, number]


def setting_task(
    fold: Fold, models: RankerModels, m: int, changed: Mapping[str, Any], asked: CrossValidationSettings, number: int
) -> SettingTask:
    parameters = with_changes(models.parameters[m], changed)
    return SettingTask(
        name=fold.name,
        train=fold.train,
        valid=fold.valid,
        model=models.names[m],
        ranker=models.makers[m](**parameters, rng=asked.seed),
        rel=asked.plan.convention.rel,
        tolerant=number > 1,
    )


def setting_from_results(
    name: str, number: int, changed: Mapping[str, Any], done: Sequence[SettingResult], lists: FoldLists
) -> Setting:
    """A trial from what came of its folds."""
    plan = lists.plan
    kind = plan.measures[0].summary
    values = []
    for k, one in enumerate(done):
        if one.valid is not None:
            values.append(lists.values(k, one.valid)[0][0])
    whole = len(values) == len(done)
    ends = [float(summarise(one[None, None], [kind])[0, 0]) for one in values] if whole else [np.nan] * len(done)
    value = float(summarise(np.concatenate(values)[None, None], [kind])[0, 0]) if whole else float("nan")
    return Setting(
        model=name,
        number=number,
        changed=changed,
        value=value,
        by_fold=tuple(ends),
        best_epoch=float(np.mean([one.best_epoch for one in done])),
        seconds=float(np.mean([one.seconds for one in done])),
        error=next((one.error for one in done if one.error), ""),
    )


def best_setting(settings: Sequence[Setting], asked: CrossValidationSettings) -> Setting:
    """The first of those with the best value; that as given where none has one."""
    sign = -1.0 if asked.plan.measures[0].higher_is_better is False else 1.0
    known = [one for one in settings if not np.isnan(one.value)]
    if not known:
        return replace(settings[0])
    return known[int(best_places(sign * np.array([one.value for one in known])).argmax())]

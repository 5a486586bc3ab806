"""search: settings of rankers drawn at random, judged by validation lists alone; the best one of each is tested."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.features import Features
from rankscope.data.scores import summarise
from rankscope.errors import InputError, ParameterError
from rankscope.experiments.asked import CrossValidationSettings, validate_settings
from rankscope.experiments.crossvalidation import cross_validate_folds, task_places
from rankscope.experiments.fold_data import Fold, FoldSet, join_features, read_folds
from rankscope.experiments.measured_folds import FoldLists
from rankscope.experiments.models import RankerModels, parse_rankers, validate_rankers
from rankscope.experiments.search_log import SearchLog, Setting
from rankscope.experiments.search_space import draw_setting, with_changes
from rankscope.experiments.searched import Search
from rankscope.kernels.ties import best_places
from rankscope.learning.learned import ranker_signature
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.parallel import run_units
from rankscope.stats.inputs import check_count
from rankscope.typing import Floats, PathLike

__all__ = ["search"]


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
    `rankscope.experiments.search_space.SPACES`; a parameter that was set stays as it was set. A setting is trained on
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

"""The unit of work of all experiments: training a ranker on one fold from one seed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments.crossvalidation.folds import join_features
from rankscope.experiments.permutation_importance import REPEATS, permutation_drops
from rankscope.learning.ranker import Ranker
from rankscope.typing import Floats

__all__ = [
    "FoldResult",
    "FoldTask",
    "run_fold_task",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldTask:
    """A ranker and the fold that it is trained and tested on.

    Attributes
    ----------
    fold
        The name of the fold.
    train, valid
        The lists to train on, in one or more parts, and those to stop by.
    test
        The lists to test on; None for settings that are compared on the validation lists only.
    model
        The name of the ranker.
    ranker
        The ranker, untrained, with its seed.
    rel, max_grade
        Of the lists that are measured. Training does not use the grades of the test lists, not even the highest.
    importance_plan
        The plan whose first measure gives the importance of features; None for no importance.
    tolerant
        Whether a ranker that cannot be trained is a result, and no error.
    """

    fold: str
    train: tuple[Features, ...]
    valid: Features
    test: Features | None
    model: str
    ranker: Ranker
    rel: float = 1
    max_grade: float | None = None
    importance_plan: Plan | None = None
    tolerant: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldResult:
    """What a ranker gives on one fold.

    Attributes
    ----------
    test, valid
        (documents) scores; none where there are no test lists, or the ranker could not be trained.
    seconds
        CPU time.
    curve
        The measure of early stopping by epoch, of the first network.
    best_epoch
        The mean over the networks, from 1.
    at_end
        Whether the last epoch was the best of any network.
    importance
        (features) the loss of the measure when a feature is shuffled; None if it was not computed.
    error
        Why the ranker could not be trained; else empty.
    """

    test: Floats
    valid: Floats
    seconds: float
    curve: tuple[float, ...] = ()
    best_epoch: float = float("nan")
    at_end: bool = False
    importance: Floats | None = None
    error: str = ""


NO_SCORES = np.empty(0)


def run_fold_task(task: FoldTask) -> FoldResult:
    """Train and score. Raises InputError, with model and fold, where there is nothing to learn from."""
    start_time = time.process_time()
    try:
        train = join_features(task.train, f"training data of {task.fold}")
        ranker = task.ranker.fit(train, eval_set=task.valid, rel=task.rel)  # the highest grade is that of these lists
    except (InputError, ParameterError, MemoryError) as error:  # sampled values may not fit together, or be too large
        if task.tolerant:
            seconds = time.process_time() - start_time
            return FoldResult(
                test=NO_SCORES, valid=NO_SCORES, seconds=seconds, error=str(error) or type(error).__name__
            )
        if isinstance(error, InputError):
            raise InputError(f"{task.model}, {task.fold}: {error}") from None
        raise
    seconds = time.process_time() - start_time
    models = ranker.models_
    return FoldResult(
        test=NO_SCORES if task.test is None else ranker.predict(task.test),
        valid=ranker.predict(task.valid),
        seconds=seconds,
        curve=models[0].values,
        best_epoch=float(np.mean([model.best_epoch + 1 for model in models])),
        at_end=any(model.best_epoch + 1 == ranker.rounds for model in models),
        importance=importance_of(ranker, task),
    )


def importance_of(ranker: Ranker, task: FoldTask) -> Floats | None:
    if task.importance_plan is None or task.test is None:
        return None
    lists = FullyJudgedLists(
        task.test.relevance, task.test.offsets, max_grade=task.max_grade, rel=task.rel, by_lot=True
    )
    assert ranker.rng is not None  # each task has its seed
    rng = np.random.default_rng([int(ranker.rng), 1])  # a stream of its own
    return permutation_drops(ranker, task.test, lists, task.importance_plan, repeats=REPEATS, rng=rng)

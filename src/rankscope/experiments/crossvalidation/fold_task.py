"""The unit of work: training a ranker on one fold from one seed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments.crossvalidation.folds import Fold
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
        The lists.
    model
        The name of the ranker.
    parameters
        The parameters of the ranker, its seed among them.
    importance_plan
        The plan whose first measure gives the importance of features; None for no importance.
    rel, max_grade
        Of the lists that are measured. Training does not use the grades of the test lists, not even the highest.
    maker
        The class of the ranker.
    """

    fold: Fold
    model: str
    parameters: Mapping[str, Any]
    importance_plan: Plan | None = None
    rel: float = 1
    max_grade: float | None = None
    maker: type[Ranker] = Ranker


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldResult:
    """What a ranker gives on one fold.

    Attributes
    ----------
    test, valid
        (documents) scores.
    curve
        The measure of early stopping by epoch, of the first network.
    best_epoch
        The mean over the networks, from 1.
    at_end
        Whether the last epoch was the best of any network.
    seconds
        CPU time.
    importance
        (features) the loss of the measure when a feature is shuffled; None if it was not computed.
    """

    test: Floats
    valid: Floats
    curve: tuple[float, ...]
    best_epoch: float
    at_end: bool
    seconds: float
    importance: Floats | None


def run_fold_task(task: FoldTask) -> FoldResult:
    """Train and score. Raises InputError, with model and fold, where there is nothing to learn from."""
    fold = task.fold
    start_time = time.process_time()
    ranker = task.maker(**task.parameters)
    try:
        ranker.fit(
            fold.training_data(), eval_set=fold.valid, rel=task.rel
        )  # without max_grade: that of the training lists
    except InputError as error:
        raise InputError(f"{task.model}, {fold.name}: {error}") from None
    seconds = time.process_time() - start_time
    importance = None
    if task.importance_plan is not None:
        lists = FullyJudgedLists(
            fold.test.relevance, fold.test.offsets, max_grade=task.max_grade, rel=task.rel, by_lot=True
        )
        rng = np.random.default_rng([int(task.parameters["rng"]), 1])  # a stream of its own
        importance = permutation_drops(ranker, fold.test, lists, task.importance_plan, repeats=REPEATS, rng=rng)
    models = ranker.models_
    return FoldResult(
        test=ranker.predict(fold.test),
        valid=ranker.predict(fold.valid),
        curve=models[0].values,
        best_epoch=float(np.mean([model.best_epoch + 1 for model in models])),
        at_end=any(model.best_epoch + 1 == ranker.rounds for model in models),
        seconds=seconds,
        importance=importance,
    )

"""Early stopping: the best epoch by a measure on validation lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.scores import summarise
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import level_fault
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.kernels.rounding_ties import at_most
from rankscope.measures.base import Measure

__all__ = [
    "EarlyStopping",
]


class EarlyStopping:
    """Measures the scores of validation lists after each epoch and remembers the best epoch.

    The value of an epoch is the summary of the measure over queries, usually the mean; queries without a value are
    skipped. Documents with equal scores are in a random order.

    Parameters
    ----------
    features
        The validation lists.
    measure
        The measure that chooses the best epoch.
    patience
        Stop after this number of epochs without improvement.
    max_grade
        The highest grade, for measures that need it.
    rel
        Lowest relevance that counts as relevant.

    Raises
    ------
    InputError
        No query has a value; raised by `add_epoch`.
    ParameterError
        All grades are below rel, on which the measure depends.
    """

    def __init__(
        self, features: Features, measure: Measure, patience: int, *, max_grade: float | None = None, rel: float = 1
    ) -> None:
        self.lists = FullyJudgedLists(features.relevance, features.offsets, max_grade=max_grade, rel=rel, by_lot=True)
        fault = level_fault(measure, self.lists.hits(np.zeros(len(features))))
        if fault:
            raise ParameterError(f"stop_on: {fault}")
        self.measure, self.patience, self.summary = measure, patience, measure.summary
        self.name = features.name
        self.sign = -1.0 if measure.higher_is_better is False else 1.0
        self.values: list[float] = []
        self.best_epoch = -1

    def add_epoch(self, scores: npt.NDArray[np.floating[Any]]) -> bool:
        """Add the scores of the next epoch; whether they are the best so far."""
        query_values = self.measure(self.lists.hits(scores))
        if np.isnan(query_values).all():
            raise InputError(
                f"{self.name}: {self.measure} has no value on any query, so it cannot stop training; use other "
                "lists or another measure"
            )
        value = float(summarise(query_values[None, None], [self.summary])[0, 0])
        self.values.append(value)
        if self.best_epoch >= 0 and at_most(self.sign * value, self.sign * self.values[self.best_epoch]):
            return False
        self.best_epoch = len(self.values) - 1
        return True

    @property
    def should_stop(self) -> bool:
        """Whether training should stop."""
        return len(self.values) - 1 - self.best_epoch >= self.patience

"""Early stopping: the best epoch by a measure on validation lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.scores import summarise
from rankscope.errors import InputError
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.kernels.ties import at_most
from rankscope.measures.base import Measure

__all__ = [
    "EarlyStopping",
]


class EarlyStopping:
    """Measures scores of validation lists again and again and remembers the best.

    patience: how many epochs in a row may be no better than the best one before it is time to stop. max_grade, rel: of
    `FullyJudgedLists`, whose documents of one score are put in an order by lot. The value for all queries is made as
    the measure has it, mostly a mean; queries for which it has no value are left out. Raises InputError where it has
    one for none of them.
    """

    def __init__(
        self, features: Features, measure: Measure, patience: int, *, max_grade: int | None = None, rel: int = 1
    ) -> None:
        self.lists = FullyJudgedLists(features.relevance, features.offsets, max_grade=max_grade, rel=rel, by_lot=True)
        self.measure, self.patience, self.kind = measure, patience, measure.summary
        self.name = features.name
        self.sign = -1.0 if measure.higher_is_better is False else 1.0
        self.values: list[float] = []
        self.best_epoch = -1

    def better(self, scores: npt.NDArray[np.floating[Any]]) -> bool:
        """Whether these scores, of the next epoch, are the best so far."""
        each = self.measure(self.lists.hits(scores))
        if np.isnan(each).all():
            raise InputError(
                f"{self.name}: {self.measure} has no value on any query, expected one to stop training by; give other "
                "lists or another measure"
            )
        value = float(summarise(each[None, None], [self.kind])[0, 0])
        self.values.append(value)
        if self.best_epoch >= 0 and at_most(self.sign * value, self.sign * self.values[self.best_epoch]):
            return False
        self.best_epoch = len(self.values) - 1
        return True

    @property
    def over(self) -> bool:
        """Whether it is time to stop."""
        return len(self.values) - 1 - self.best_epoch >= self.patience

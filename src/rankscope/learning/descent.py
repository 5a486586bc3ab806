"""Training of a network by mini-batches of whole lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.learning.adam import Adam
from rankscope.learning.losses.named import Loss
from rankscope.learning.network import Weights, backward, forward, initial_weights, score_documents
from rankscope.learning.stopping import EarlyStopping
from rankscope.typing import Floats32, Ints

__all__ = ["MinibatchTraining", "TrainedNetwork", "informative_lists", "refuse_diverged"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedNetwork:
    """weights: those of the best epoch. losses, values: (epochs) the mean loss of training, the measure in validation.

    best_epoch: the place of the one that was kept; the last where there was nothing to validate on.
    """

    weights: Weights
    losses: tuple[float, ...]
    values: tuple[float, ...]
    best_epoch: int

    def scores(self, values: Floats32) -> npt.NDArray[np.float64]:
        """(documents) scores of scaled features."""
        return score_documents(self.weights, values).astype(np.float64)

    @property
    def epochs(self) -> int:
        """How many there were."""
        return len(self.losses)


@dataclass(frozen=True, kw_only=True)
class MinibatchTraining:
    """How a network is trained: a `Ranker` says what these mean."""

    loss: Loss
    hidden: tuple[int, ...]
    epochs: int
    learning_rate: float
    batch_lists: int
    dropout: float
    weight_decay: float

    def train(
        self,
        values: Floats32,
        features: Features,
        watch: EarlyStopping | None,
        validation: Floats32 | None,
        rng: np.random.Generator,
        progress: Callable[[int], Any] | None = None,
    ) -> TrainedNetwork:
        """values, validation: the scaled features of `features` and of the lists that are watched."""
        weights = initial_weights((values.shape[1], *self.hidden, 1), rng)
        adam = Adam(weights, decay=self.weight_decay)
        lists = informative_lists(features)
        best, losses = [one.copy() for one in weights], []
        for epoch in range(self.epochs):
            losses.append(self.epoch(weights, adam, values, features, rng.permutation(lists), rng))
            self.check(losses[-1], epoch)
            if progress is not None:
                progress(1)
            if watch is None or validation is None:
                best = weights
                continue
            scores = score_documents(weights, validation)
            self.check(scores, epoch)
            if watch.better(scores):
                best = [one.copy() for one in weights]
            if watch.over:
                break
        if watch is None:  # the last step has had no loss yet that would tell
            self.check(score_documents(best, values), self.epochs - 1)
        found = () if watch is None else tuple(watch.values)
        kept = len(losses) - 1 if watch is None else watch.best_epoch
        return TrainedNetwork(weights=best, losses=tuple(losses), values=found, best_epoch=kept)

    def check(self, numbers: float | Floats32, epoch: int) -> None:
        refuse_diverged(numbers, epoch, self.loss, self.learning_rate)

    def epoch(
        self,
        weights: Weights,
        adam: Adam,
        values: Floats32,
        features: Features,
        lists: Ints,
        rng: np.random.Generator,
    ) -> float:
        """One pass over the lists in this order; the mean loss of a list."""
        offsets, highest = features.offsets, int(features.relevance.max())
        total = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # a loss that diverges is told by its value
            for start in range(0, lists.size, self.batch_lists):
                chosen = lists[start : start + self.batch_lists]
                lengths = offsets[chosen + 1] - offsets[chosen]
                rows = ranges(offsets[chosen], lengths)
                found = forward(weights, values.take(rows, axis=0), self.dropout, rng)
                value, gradient = self.loss(
                    found.scores, features.relevance[rows], bounds(lengths), rng=rng, max_grade=highest
                )
                total += value * chosen.size
                adam.step(backward(weights, found, gradient), self.learning_rate)
        return total / lists.size


def refuse_diverged(numbers: float | Floats32, epoch: int, loss: Loss, rate: float) -> None:
    """Raise InputError where the loss or scores are no numbers any more. rate: what a step is multiplied with."""
    if not np.isfinite(numbers).all():
        raise InputError(
            f"the loss {loss} diverged in epoch {epoch + 1} with learning_rate={rate:g}; try a smaller one, as "
            f"{rate / 10:g}"
        )


def informative_lists(features: Features) -> Ints:
    """The lists whose documents are not all of one grade. Raises InputError where there is none."""
    starts = features.offsets[:-1]
    apart = np.maximum.reduceat(features.relevance, starts) > np.minimum.reduceat(features.relevance, starts)
    if not apart.any():
        raise InputError(
            f"{features.name}: the documents of every query have one grade, expected two or more in some; there is "
            "nothing to learn from"
        )
    return np.flatnonzero(apart)

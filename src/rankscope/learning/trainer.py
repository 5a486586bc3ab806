"""Training on whole lists: the loop over epochs, networks by Adam on mini-batches, linear scorers by L-BFGS."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses import Loss, NonFiniteLoss
from rankscope.learning.network import (
    TrainedNetwork,
    Weights,
    backward,
    forward,
    initial_weights,
    score_documents,
)
from rankscope.learning.settings import RankerSettings
from rankscope.typing import Floats, Floats32

__all__ = [
    "Adam",
    "EpochTraining",
    "TrainingData",
    "train_epochs",
    "train_linear",
    "train_network",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingData:
    """What one model is trained on.

    Attributes
    ----------
    features
        The training lists.
    valid
        The validation lists; None without them.
    values, valid_values
        The scaled features of both; None for trees.
    stopping
        When to stop, by the validation lists; None without them.
    rng
        The random generator of the model.
    progress
        Called with 1 after each epoch or tree.
    """

    features: Features
    valid: Features | None = None
    values: Floats32 | None
    valid_values: Floats32 | None = None
    stopping: EarlyStopping | None = None
    rng: np.random.Generator
    progress: Callable[[int], Any] | None = None

    def report_epoch(self) -> None:
        """Tell `progress` that an epoch is over."""
        if self.progress is not None:
            self.progress(1)


class EpochTraining(ABC):
    """A network in training, in NumPy or PyTorch."""

    @abstractmethod
    def epoch(self) -> float:
        """One pass over the lists; the mean loss of a list, which may be NaN or infinite."""

    @abstractmethod
    def scores(self, *, valid: bool) -> Floats32:
        """(documents) the scores of the validation or the training lists."""

    @abstractmethod
    def copy_weights(self) -> Weights:
        """Copies of the current weights."""


def train_epochs(network: EpochTraining, data: TrainingData, loss: Loss, settings: RankerSettings) -> TrainedNetwork:
    """Train for some epochs, and keep the best one on the validation lists, else the last.

    Raises InputError where the loss or the scores are no finite numbers.
    """

    def check(numbers: float | Floats32) -> None:
        if not np.isfinite(numbers).all():
            raise InputError(
                f"the loss {loss} diverged in epoch {len(losses)} with learning_rate={settings.learning_rate:g}; try a "
                f"smaller one, as {settings.learning_rate / 10:g}"
            )

    stopping = data.stopping
    losses: list[float] = []
    best_weights: Weights | None = None
    for _ in range(settings.epochs):
        try:
            losses.append(network.epoch())
        except NonFiniteLoss:
            losses.append(np.nan)
        check(losses[-1])
        data.report_epoch()
        if stopping is None:
            continue
        scores = network.scores(valid=True)
        check(scores)
        if stopping.add_epoch(scores):
            best_weights = network.copy_weights()
        if stopping.should_stop:
            break
    if stopping is None:  # no loss was computed after the last step
        check(network.scores(valid=False))
    return TrainedNetwork(
        weights=network.copy_weights() if best_weights is None else best_weights,
        losses=tuple(losses),
        values=() if stopping is None else tuple(stopping.values),
        best_epoch=len(losses) - 1 if stopping is None else stopping.best_epoch,
    )


def train_network(data: TrainingData, loss: Loss, settings: RankerSettings) -> TrainedNetwork:
    """Train a network by Adam on batches of lists."""
    return train_epochs(MinibatchTraining(data, loss, settings), data, loss, settings)


class MinibatchTraining(EpochTraining):
    """A network with the state of Adam."""

    def __init__(self, data: TrainingData, loss: Loss, settings: RankerSettings) -> None:
        assert data.values is not None  # as for trees only
        self.data, self.loss, self.settings, self.values = data, loss, settings, data.values
        self.weights = initial_weights((data.values.shape[1], *settings.hidden, 1), data.rng)
        self.adam = Adam(self.weights, decay=settings.weight_decay)
        self.lists, self.max_grade = informative_lists(data.features), highest_grade(data.features.relevance)

    def epoch(self) -> float:
        settings, features, rng = self.settings, self.data.features, self.data.rng
        order, offsets, total = rng.permutation(self.lists), features.offsets, 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the loss
            for start in range(0, order.size, settings.batch_lists):
                batch = order[start : start + settings.batch_lists]
                lengths = offsets[batch + 1] - offsets[batch]
                rows = ranges(offsets[batch], lengths)
                forward_pass = forward(self.weights, self.values.take(rows, axis=0), settings.dropout, rng)
                value, gradient = self.loss(
                    forward_pass.scores, features.relevance[rows], bounds(lengths), rng=rng, max_grade=self.max_grade
                )
                total += value * batch.size
                self.adam.step(backward(self.weights, forward_pass, gradient), settings.learning_rate)
        return total / order.size

    def scores(self, *, valid: bool) -> Floats32:
        values = self.data.valid_values if valid else self.values
        assert values is not None
        return score_documents(self.weights, values)

    def copy_weights(self) -> Weights:
        return [weight.copy() for weight in self.weights]


class Adam:
    """The optimiser Adam, in place. decay: the share of the matrices that a step of rate 1 removes (AdamW).

    Source: Kingma and Ba (2015), algorithm 1; decay: Loshchilov and Hutter (2019).
    """

    def __init__(self, weights: Weights, *, decay: float = 0.0, first: float = 0.9, second: float = 0.999) -> None:
        self.weights, self.decay, self.mean_decay, self.square_decay = weights, decay, first, second
        size = sum(weight.size for weight in weights)
        self.mean, self.square = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.steps = 0

    def step(self, gradient: Weights, rate: float) -> None:
        """One step. All weights are treated as one vector, since each call of NumPy costs time."""
        self.steps += 1
        step_rate = rate * np.sqrt(1 - self.square_decay**self.steps) / (1 - self.mean_decay**self.steps)
        update = np.concatenate([layer_gradient.ravel() for layer_gradient in gradient])
        self.mean *= self.mean_decay
        self.mean += (1 - self.mean_decay) * update
        update *= update
        update *= 1 - self.square_decay
        self.square *= self.square_decay
        self.square += update
        np.sqrt(self.square, out=update)
        update += 1e-8
        np.divide(self.mean, update, out=update)
        update *= step_rate
        start = 0
        for weight in self.weights:
            if self.decay and weight.ndim > 1:
                weight *= 1 - rate * self.decay
            weight -= update[start : start + weight.size].reshape(weight.shape)
            start += weight.size


def train_linear(data: TrainingData, loss: Loss, settings: RankerSettings) -> TrainedNetwork:
    """The weights that minimise the loss plus L2 regularisation, by L-BFGS; an iteration counts as an epoch.

    A loss that draws random numbers draws the same ones in every call, since the minimiser needs a fixed function.
    Raises InputError where the loss is no number.
    """
    from scipy.optimize import minimize

    assert data.values is not None  # as for trees only
    values, features, stopping, l2 = data.values, data.features, data.stopping, settings.weight_decay
    max_grade = highest_grade(features.relevance)
    lists = informative_lists(features)
    if lists.size < len(features.query_ids):
        values, features = values[np.isin(features.group, lists)], features.select(lists)
    seed = int(data.rng.integers(2**63))
    table = values.astype(np.float64)
    losses: list[float] = []
    best_weights = np.zeros(table.shape[1])
    last_trial: list[tuple[Floats, float]] = []  # the last weights that were tried, and their loss

    def objective(weights: Floats) -> tuple[float, Floats]:
        loss_rng = np.random.default_rng(seed)
        try:
            value, slope = loss(
                table @ weights, features.relevance, features.offsets, rng=loss_rng, max_grade=max_grade
            )
        except NonFiniteLoss:
            value, slope = np.nan, weights
        if not np.isfinite(value):
            raise InputError(f"the loss {loss} is {value}, expected a number; scale the features")
        last_trial[:] = [(weights.copy(), value)]
        return value + l2 / 2 * float(weights @ weights), slope @ table + l2 * weights

    def record_iteration(weights: Floats) -> None:
        nonlocal best_weights
        if not np.array_equal(last_trial[0][0], weights):  # a search ends with the weights that it tried last
            objective(weights)
        losses.append(last_trial[0][1])
        data.report_epoch()
        if stopping is None or data.valid_values is None:
            best_weights = weights.copy()
            return
        if stopping.add_epoch(score_documents(as_layer(weights), data.valid_values)):  # by the weights as they are kept
            best_weights = weights.copy()
        if stopping.should_stop:
            raise StopIteration  # ends the search

    minimize(
        objective,
        best_weights,
        jac=True,
        method="L-BFGS-B",
        callback=record_iteration,
        options={"maxiter": settings.epochs},
    )
    if not losses:  # no iteration: no feature varies, or no step made the loss smaller
        record_iteration(best_weights)
    return TrainedNetwork(
        weights=as_layer(best_weights),
        losses=tuple(losses),
        values=() if stopping is None else tuple(stopping.values),
        best_epoch=len(losses) - 1 if stopping is None else stopping.best_epoch,
    )


def as_layer(weights: Floats) -> Weights:
    """The last layer of a network without hidden ones."""
    return [weights[:, None].astype(np.float32), np.zeros(1, np.float32)]

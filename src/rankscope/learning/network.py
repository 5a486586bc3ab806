"""A multi-layer perceptron that scores each document by itself, trained by Adam on mini-batches of whole lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.kernels.exact import round_columns, round_rows
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses.registry import Loss
from rankscope.typing import Floats, Floats32, Ints

__all__ = [
    "Adam",
    "MinibatchTraining",
    "Pass",
    "TrainedNetwork",
    "Weights",
    "backward",
    "exact_layers",
    "forward",
    "initial_weights",
    "refuse_diverged",
    "score_documents",
]


#: For each layer a matrix (inputs, outputs) and what is added, (outputs).
Weights = list[Floats32]
#: Documents that are scored at once: few enough for them to stay in the cache.
DOCUMENTS_AT_ONCE = 1 << 9
#: Whether a unit is dropped is drawn from so many numbers.
RANDOM_RANGE = 1 << 16


class Pass(NamedTuple):
    """scores: (documents). inputs: of each layer, after what was dropped. growth: what hidden units were multiplied by
    that were not dropped.
    """

    scores: Floats32
    inputs: list[Floats32]
    growth: np.float32


def initial_weights(sizes: Sequence[int], rng: np.random.Generator) -> Weights:
    """For layers of these sizes, the first that of the features, the last 1: He et al. (2015)."""
    weights: Weights = []
    for inputs, outputs in pairwise(sizes):
        scale = np.sqrt(2.0 / inputs)
        weights += [(scale * rng.standard_normal((inputs, outputs))).astype(np.float32), np.zeros(outputs, np.float32)]
    return weights


def forward(weights: Weights, values: Floats32, dropout: float, rng: np.random.Generator) -> Pass:
    """The scores of documents, (documents, features), and what `backward` asks for.

    dropout: the share of hidden units that are set to 0, in steps of 1 / 65,536, the others growing as much.
    """
    inputs = [values]
    least = min(round(dropout * RANDOM_RANGE), RANDOM_RANGE - 1)
    growth = np.float32(RANDOM_RANGE / (RANDOM_RANGE - least))
    for layer in range(0, len(weights) - 2, 2):
        values = values @ weights[layer]
        values += weights[layer + 1]
        np.maximum(values, 0.0, out=values)
        if least:
            values *= np.multiply(
                random_integers(values.size, rng).reshape(values.shape) >= least, growth, dtype=np.float32
            )
        inputs.append(values)
    return Pass((values @ weights[-2] + weights[-1])[:, 0], inputs, growth)


def random_integers(n: int, rng: np.random.Generator) -> npt.NDArray[np.uint16]:
    """So many whole numbers below LOTS, four from each number that is drawn."""
    drawn = rng.integers(0, np.iinfo(np.uint64).max, -(-n // 4), np.uint64, endpoint=True)
    return drawn.view(np.uint16)[:n]


def backward(weights: Weights, found: Pass, gradient: Floats32) -> Weights:
    """The gradient by each weight from that by the scores."""
    changes: Weights = []
    slope, ones = gradient[:, None], np.ones(gradient.size, gradient.dtype)
    for layer in range(len(weights) - 2, -1, -2):
        values = found.inputs[layer // 2]
        changes[:0] = [values.T @ slope, ones @ slope]  # a product is quicker than a sum
        if layer:
            back = weights[layer].T * found.growth
            slope = slope @ back if len(back) > 1 else slope * back
            slope *= values > 0  # neither cut nor dropped
    return changes


def exact_layers(weights: Sequence[Floats32]) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    """What features are multiplied by first, (features), and of each layer a matrix and what is added, as `exact` asks.

    What a number is worth to the next layer decides how finely it is rounded: each is multiplied by a power of two, its
    greatest weight or a little more, and the weights are divided by it. Powers of two round nothing, and the maximum
    with 0 between two layers does not mind them.
    """
    matrices = [one.astype(np.float64) for one in weights[::2]]
    worth = [powers(np.abs(one).max(axis=1)) for one in matrices]
    after = [*worth[1:], np.ones(matrices[-1].shape[1])]
    inverse = [np.divide(1.0, one, out=np.zeros_like(one), where=one > 0) for one in worth]
    layers = [
        (round_columns(matrix * before[:, None] * then), added * then)
        for matrix, added, before, then in zip(matrices, weights[1::2], inverse, after, strict=True)
    ]
    return worth[0], layers


def powers(values: Floats) -> Floats:
    """The least power of two above each number of at least 0; 0 of 0."""
    return np.where(values > 0, np.ldexp(1.0, np.frexp(values)[1]), 0.0)


def score_documents(weights: Weights, values: Floats32) -> Floats32:
    """(documents) scores, each of its own row alone: equal rows have equal scores, whatever stands beside them.

    Products are exact, as `rankscope.kernels.exact` has them; all else is done to single elements. So the scores are
    also those of any block, any number of threads and any processor.
    """
    found = np.empty(len(values), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # what diverged is told by its scores
        worth, layers = exact_layers(weights)
        work = np.empty((min(DOCUMENTS_AT_ONCE, len(values)), values.shape[1]))
        for start in range(0, len(values), DOCUMENTS_AT_ONCE):
            hidden = values[start : start + DOCUMENTS_AT_ONCE] * worth
            round_rows(hidden, work[: len(hidden)])
            for matrix, added in layers[:-1]:
                hidden = hidden @ matrix
                hidden += added
                np.maximum(hidden, 0.0, out=hidden)
                round_rows(hidden)
            matrix, added = layers[-1]
            found[start : start + DOCUMENTS_AT_ONCE] = (hidden @ matrix + added)[:, 0]
    return found


class Adam:
    """Changes weights in place. decay: what share of the weights a step of rate 1 takes away (AdamW), matrices only.

    Source: Kingma and Ba (2015), algorithm 1; decay: Loshchilov and Hutter (2019).
    """

    def __init__(self, weights: Weights, *, decay: float = 0.0, first: float = 0.9, second: float = 0.999) -> None:
        self.weights, self.decay, self.first, self.second = weights, decay, first, second
        size = sum(one.size for one in weights)
        self.mean, self.square = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.steps = 0

    def step(self, gradient: Weights, rate: float) -> None:
        """All weights as one vector: a network has few, and each call of NumPy costs."""
        self.steps += 1
        scaled = rate * np.sqrt(1 - self.second**self.steps) / (1 - self.first**self.steps)
        slope = np.concatenate([one.ravel() for one in gradient])
        self.mean *= self.first
        self.mean += (1 - self.first) * slope
        slope *= slope
        slope *= 1 - self.second
        self.square *= self.second
        self.square += slope
        np.sqrt(self.square, out=slope)
        slope += 1e-8
        np.divide(self.mean, slope, out=slope)
        slope *= scaled
        start = 0
        for weight in self.weights:
            if self.decay and weight.ndim > 1:
                weight *= 1 - rate * self.decay
            weight -= slope[start : start + weight.size].reshape(weight.shape)
            start += weight.size


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

"""A multi-layer perceptron that scores each document by itself: its passes, and scores by exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.exact import round_columns, round_rows
from rankscope.typing import Floats, Floats32

__all__ = [
    "Pass",
    "TrainedNetwork",
    "Weights",
    "backward",
    "exact_layers",
    "forward",
    "initial_weights",
    "score_documents",
]


#: For each layer a matrix (inputs, outputs) and a bias (outputs).
Weights = list[Floats32]
#: Documents that are scored at once, few enough to stay in the cache.
DOCUMENTS_AT_ONCE = 1 << 9
#: The number of values of the random number that decides whether a unit is dropped.
RANDOM_RANGE = 1 << 16


class Pass(NamedTuple):
    """scores: (documents). inputs: of each layer, after dropout. growth: the factor of hidden units that were kept."""

    scores: Floats32
    inputs: list[Floats32]
    growth: np.float32


def initial_weights(sizes: Sequence[int], rng: np.random.Generator) -> Weights:
    """Random weights for layers of these sizes, from the number of features to 1: He et al. (2015)."""
    weights: Weights = []
    for inputs, outputs in pairwise(sizes):
        scale = np.sqrt(2.0 / inputs)
        weights += [(scale * rng.standard_normal((inputs, outputs))).astype(np.float32), np.zeros(outputs, np.float32)]
    return weights


def forward(weights: Weights, values: Floats32, dropout: float, rng: np.random.Generator) -> Pass:
    """The scores of documents, (documents, features), and what `backward` needs.

    dropout: the share of hidden units that are set to 0, in steps of 1 / 65,536; the others are scaled up.
    """
    inputs = [values]
    drop_below = min(round(dropout * RANDOM_RANGE), RANDOM_RANGE - 1)
    growth = np.float32(RANDOM_RANGE / (RANDOM_RANGE - drop_below))
    for layer in range(0, len(weights) - 2, 2):
        values = values @ weights[layer]
        values += weights[layer + 1]
        np.maximum(values, 0.0, out=values)
        if drop_below:
            values *= np.multiply(
                random_integers(values.size, rng).reshape(values.shape) >= drop_below, growth, dtype=np.float32
            )
        inputs.append(values)
    return Pass((values @ weights[-2] + weights[-1])[:, 0], inputs, growth)


def random_integers(n: int, rng: np.random.Generator) -> npt.NDArray[np.uint16]:
    """Random whole numbers below RANDOM_RANGE, four from each 64-bit random number."""
    random_words = rng.integers(0, np.iinfo(np.uint64).max, -(-n // 4), np.uint64, endpoint=True)
    return random_words.view(np.uint16)[:n]


def backward(weights: Weights, forward_pass: Pass, gradient: Floats32) -> Weights:
    """The gradient by each weight from the gradient by the scores."""
    gradients: Weights = []
    slope, ones = gradient[:, None], np.ones(gradient.size, gradient.dtype)
    for layer in range(len(weights) - 2, -1, -2):
        values = forward_pass.inputs[layer // 2]
        gradients[:0] = [values.T @ slope, ones @ slope]  # a product is faster than a sum
        if layer:
            transposed = weights[layer].T * forward_pass.growth
            slope = slope @ transposed if len(transposed) > 1 else slope * transposed
            slope *= values > 0  # 0 for units that were cut off or dropped
    return gradients


def exact_layers(weights: Sequence[Floats32]) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    """Scales of the features, (features), and for each layer a matrix and a bias, for `rankscope.kernels.exact`.

    The weights of a number in the next layer decide how finely it is rounded: it is multiplied by a power of two, its
    greatest weight or a little more, and its weights are divided by it. Powers of two cause no rounding, and they
    commute with the maximum with 0 between two layers.
    """
    matrices = [weight.astype(np.float64) for weight in weights[::2]]
    input_scales = [powers(np.abs(matrix).max(axis=1)) for matrix in matrices]
    output_scales = [*input_scales[1:], np.ones(matrices[-1].shape[1])]
    inverse_scales = [np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0) for scale in input_scales]
    layers = [
        (round_columns(matrix * inverse_scale[:, None] * output_scale), bias * output_scale)
        for matrix, bias, inverse_scale, output_scale in zip(
            matrices, weights[1::2], inverse_scales, output_scales, strict=True
        )
    ]
    return input_scales[0], layers


def powers(values: Floats) -> Floats:
    """The least power of two above each number of at least 0; 0 for 0."""
    return np.where(values > 0, np.ldexp(1.0, np.frexp(values)[1]), 0.0)


def score_documents(weights: Weights, values: Floats32) -> Floats32:
    """(documents) scores, each from its own row alone: equal rows have equal scores, whatever stands beside them.

    Products are exact, by `rankscope.kernels.exact`; all else is done element by element. So the scores do not depend
    on blocks, threads or the processor.
    """
    scores = np.empty(len(values), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the scores
        input_scale, layers = exact_layers(weights)
        buffer = np.empty((min(DOCUMENTS_AT_ONCE, len(values)), values.shape[1]))
        for start in range(0, len(values), DOCUMENTS_AT_ONCE):
            hidden = values[start : start + DOCUMENTS_AT_ONCE] * input_scale
            round_rows(hidden, buffer[: len(hidden)])
            for matrix, bias in layers[:-1]:
                hidden = hidden @ matrix
                hidden += bias
                np.maximum(hidden, 0.0, out=hidden)
                round_rows(hidden)
            matrix, bias = layers[-1]
            scores[start : start + DOCUMENTS_AT_ONCE] = (hidden @ matrix + bias)[:, 0]
    return scores


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedNetwork:
    """A trained network, or linear scorer.

    Attributes
    ----------
    weights
        The weights of the best epoch.
    losses, values
        (epochs) the mean training loss, and the validation measure.
    best_epoch
        The index of the epoch that was kept; the last without validation data.
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
        """The number of epochs."""
        return len(self.losses)

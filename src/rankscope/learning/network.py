"""A multi-layer perceptron that scores each document by itself: weights, scores, gradients."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.exact import round_columns, round_rows
from rankscope.typing import Floats, Floats32

__all__ = ["Pass", "Weights", "backward", "exact_layers", "forward", "initial_weights", "score_documents"]

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

"""A multi-layer perceptron that scores each document by itself: weights, scores, gradients."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Pass", "Weights", "backward", "forward", "initial_weights", "scores_of"]

Floats32 = npt.NDArray[np.float32]
#: For each layer a matrix (inputs, outputs) and what is added, (outputs).
Weights = list[Floats32]

#: Documents that are scored at once.
AT_ONCE = 1 << 12
#: Whether a unit is dropped is drawn from so many numbers.
LOTS = 1 << 16


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
    least = min(round(dropout * LOTS), LOTS - 1)
    growth = np.float32(LOTS / (LOTS - least))
    for layer in range(0, len(weights) - 2, 2):
        values = values @ weights[layer]
        values += weights[layer + 1]
        np.maximum(values, 0.0, out=values)
        if least:
            values *= np.multiply(lots(values.size, rng).reshape(values.shape) >= least, growth, dtype=np.float32)
        inputs.append(values)
    return Pass((values @ weights[-2] + weights[-1])[:, 0], inputs, growth)


def lots(n: int, rng: np.random.Generator) -> npt.NDArray[np.uint16]:
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


def scores_of(weights: Weights, values: Floats32) -> Floats32:
    """(documents) scores, some documents at a time."""
    found = np.empty(len(values), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # what diverged is told by its scores
        for start in range(0, len(values), AT_ONCE):
            hidden = values[start : start + AT_ONCE]
            for layer in range(0, len(weights) - 2, 2):
                hidden = hidden @ weights[layer]
                hidden += weights[layer + 1]
                np.maximum(hidden, 0.0, out=hidden)
            found[start : start + AT_ONCE] = (hidden @ weights[-2] + weights[-1])[:, 0]
    return found

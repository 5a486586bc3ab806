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
AT_ONCE = 1 << 15


class Pass(NamedTuple):
    """scores: (documents). inputs: of each layer, after what was dropped. masks: what it was multiplied with."""

    scores: Floats32
    inputs: list[Floats32]
    masks: list[Floats32]


def initial_weights(sizes: Sequence[int], rng: np.random.Generator) -> Weights:
    """For layers of these sizes, the first that of the features, the last 1: He et al. (2015)."""
    weights: Weights = []
    for inputs, outputs in pairwise(sizes):
        scale = np.sqrt(2.0 / inputs)
        weights += [(scale * rng.standard_normal((inputs, outputs))).astype(np.float32), np.zeros(outputs, np.float32)]
    return weights


def forward(weights: Weights, values: Floats32, dropout: float, rng: np.random.Generator) -> Pass:
    """The scores of documents, (documents, features), and what `backward` asks for.

    dropout: the share of hidden units that are set to 0, the others growing as much.
    """
    inputs, masks = [values], []
    for layer in range(0, len(weights) - 2, 2):
        values = values @ weights[layer]
        values += weights[layer + 1]
        np.maximum(values, 0.0, out=values)
        if dropout:
            mask = (rng.random(values.shape, np.float32) >= dropout).astype(np.float32)
            mask *= np.float32(1.0 / (1.0 - dropout))
            values *= mask
            masks.append(mask)
        inputs.append(values)
    return Pass((values @ weights[-2] + weights[-1])[:, 0], inputs, masks)


def backward(weights: Weights, found: Pass, gradient: Floats32) -> Weights:
    """The gradient by each weight from that by the scores."""
    changes: Weights = []
    slope = gradient[:, None]
    for layer in range(len(weights) - 2, -1, -2):
        values = found.inputs[layer // 2]
        changes[:0] = [values.T @ slope, slope.sum(axis=0)]
        if layer:
            slope = slope @ weights[layer].T
            slope *= found.masks[layer // 2 - 1] if found.masks else 1
            slope *= values > 0
    return changes


def scores_of(weights: Weights, values: Floats32) -> Floats32:
    """(documents) scores, some documents at a time."""
    found = np.empty(len(values), np.float32)
    for start in range(0, len(values), AT_ONCE):
        hidden = values[start : start + AT_ONCE]
        for layer in range(0, len(weights) - 2, 2):
            hidden = hidden @ weights[layer]
            hidden += weights[layer + 1]
            np.maximum(hidden, 0.0, out=hidden)
        found[start : start + AT_ONCE] = (hidden @ weights[-2] + weights[-1])[:, 0]
    return found

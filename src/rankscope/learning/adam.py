"""Adam: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

import numpy as np

from rankscope.learning.network import Weights

__all__ = ["Adam"]


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

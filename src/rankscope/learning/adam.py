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
        self.means = [np.zeros_like(one) for one in weights]
        self.squares = [np.zeros_like(one) for one in weights]
        self.steps = 0

    def step(self, gradient: Weights, rate: float) -> None:
        self.steps += 1
        scaled = rate * np.sqrt(1 - self.second**self.steps) / (1 - self.first**self.steps)
        for weight, slope, mean, square in zip(self.weights, gradient, self.means, self.squares, strict=True):
            mean *= self.first
            mean += (1 - self.first) * slope
            square *= self.second
            square += (1 - self.second) * (slope * slope)
            if self.decay and weight.ndim > 1:
                weight *= 1 - rate * self.decay
            weight -= np.float32(scaled) * mean / (np.sqrt(square) + np.float32(1e-8))

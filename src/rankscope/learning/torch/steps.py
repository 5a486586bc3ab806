"""Steps of Adam on all weights at once, which lie in one vector: few calls, wherever they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.learning.torch.installed import load_pytorch
from rankscope.typing import Floats32

__all__ = ["VectorAdam"]

Tensor = Any


class VectorAdam:
    """Weights that change by steps; the same as of `rankscope.learning.adam.Adam`, which the tests hold it against.

    decay: what share of the weights a step of rate 1 takes away, matrices only. PyTorch's own optimisers load its
    compiler when they are made, which takes seconds.

    Source: Kingma and Ba (2015), algorithm 1; decay: Loshchilov and Hutter (2019).
    """

    def __init__(
        self, weights: Sequence[Floats32], device: str, decay: float = 0.0, first: float = 0.9, second: float = 0.999
    ) -> None:
        torch = load_pytorch()
        self.first, self.second, self.steps = first, second, 0
        self.shapes = [one.shape for one in weights]
        self.all = torch.from_numpy(np.concatenate([one.ravel() for one in weights])).to(device).requires_grad_()
        self.mean, self.square = torch.zeros_like(self.all), torch.zeros_like(self.all)
        shares = np.concatenate([np.full(one.size, decay * (one.ndim > 1), np.float32) for one in weights])
        self.decay = torch.from_numpy(shares).to(device) if decay else None

    def weights(self) -> list[Tensor]:
        """As they are now, in their shapes, so that what is computed of them has a gradient."""
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        return [part.view(shape) for part, shape in zip(self.all.split(sizes), self.shapes, strict=True)]

    def copied(self) -> list[Floats32]:
        """As they are now, as arrays."""
        return [np.array(one.detach().cpu().numpy()) for one in self.weights()]

    def step(self, value: Tensor, rate: float) -> None:
        """Down from a value that was computed of the weights."""
        torch = load_pytorch()
        (slope,) = torch.autograd.grad(value, self.all)
        self.steps += 1
        scaled = rate * float(np.sqrt(1 - self.second**self.steps)) / (1 - self.first**self.steps)
        with torch.no_grad():
            self.mean.mul_(self.first).add_(slope, alpha=1 - self.first)
            self.square.mul_(self.second).addcmul_(slope, slope, value=1 - self.second)
            if self.decay is not None:
                self.all.mul_(1 - rate * self.decay)
            self.all.addcdiv_(self.mean, self.square.sqrt().add_(1e-8), value=-scaled)

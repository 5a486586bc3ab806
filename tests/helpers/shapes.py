"""Differences of two systems of equal means, in the shapes that comparisons meet, to test promises on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["EASY", "SHAPES", "SKEWED", "equal_differences"]

Shape = Callable[[np.random.Generator, tuple[int, int]], npt.NDArray[np.float64]]


def copied(share: float) -> Shape:
    """Reciprocal ranks among the first ten, or 0, of two systems that have the same on a share of the queries."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> npt.NDArray[np.float64]:
        ranks = rng.integers(1, 16, (2, *size))
        one, other = np.where(ranks <= 10, 1 / ranks, 0.0)
        return np.where(rng.random(size) < share, 0.0, one - other)

    return draw


def two_values(gain: float, loss: float, share: float, noise: float = 0.0) -> Shape:
    """A small gain on most queries, a large loss on a share of them."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> npt.NDArray[np.float64]:
        return np.where(rng.random(size) < share, -loss, gain) + noise * rng.normal(size=size)

    return draw


#: Where t is to keep its level; then where differences are skewed, and a note says that it does not.
EASY: dict[str, Shape] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "ties": copied(0.6),
    "zeros": copied(0.9),
    "heteroscedastic": lambda rng, size: rng.normal(size=size) * rng.lognormal(size=size),
}
SKEWED: dict[str, Shape] = {
    "exponential": lambda rng, size: rng.exponential(size=size) - 1,
    "lognormal": lambda rng, size: rng.lognormal(size=size) - np.exp(0.5),
    "gains and losses": two_values(0.05, 0.45, 0.1),
    "rare losses": two_values(0.02 / 0.98, 1.0, 0.02),
}
SHAPES = EASY | SKEWED


def equal_differences(shape: str, runs: int, n: int, seed: int = 0) -> npt.NDArray[np.float64]:
    """(runs, n) differences whose true mean is 0: each row is an experiment."""
    return SHAPES[shape](np.random.default_rng([seed, n]), (runs, n))

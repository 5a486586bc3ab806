"""Mallows' law: how many pairs of a ranking are ordered against the centre, if each costs the same factor."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.ties import at_most
from rankscope.typing import Floats

__all__ = ["law_of_distance", "log_normaliser", "moments_of_distance", "theta_of_mean"]


#: Below, a few terms of a series stand for a difference of large terms.
SMALL = 0.05
#: Bisections: each adds a bit.
HALVINGS = 200


def law_of_distance(items: int, theta: float) -> Floats:
    """(items (items - 1) / 2 + 1) the chance of each number of pairs; proportional to Mahonian numbers exp(-theta d).

    The distance is a sum: the j-th item passes 0 to j - 1 of those before it, independently of the others.
    """
    law = np.ones(1)
    for j in range(2, items + 1):
        chances = np.exp(-theta * np.arange(1, j))
        law = np.convolve(law, np.concatenate([[1.0], chances]) / (1 + chances.sum()))
    return law


def moments_of_distance(items: int, theta: float) -> tuple[float, float]:
    """The mean and variance of the distance, in closed form.

    The j-th item passes h(theta) - j h(j theta) others in the mean, h(x) = 1 / (exp(x) - 1); where theta is small, the
    pole 1/x of each h is left out, which cancels.
    """
    if theta == np.inf:
        return 0.0, 0.0
    j = np.arange(1.0, items + 1)
    (first, slope), (each, slopes) = (passing_moments(x, pole=theta > 1) for x in (np.array([theta]), j * theta))
    return float((first - j * each).sum()), float((j**2 * slopes - slope).sum())


def passing_moments(x: Floats, *, pole: bool) -> tuple[Floats, Floats]:
    """1 / (exp(x) - 1) and its derivative, for x of at least 0; without the pole: less 1/x."""
    small = x < SMALL
    y = np.where(small, x, 0.0)
    series = -0.5 + y / 12 - y**3 / 720 + y**5 / 30240
    slope = 1 / 12 - y**2 / 240 + y**4 / 6048 - y**6 / 172800
    z = np.where(small, 1.0, x)
    below, share = -np.expm1(-z), np.exp(-z)
    if pole:  # never with a small x
        return share / below, -share / below**2
    return np.where(small, series, share / below - 1 / z), np.where(small, slope, 1 / z**2 - share / below**2)


def log_normaliser(items: int, theta: float) -> float:
    """The log of the sum of exp(-theta distance) over all orders."""
    j = np.arange(1.0, items + 1)
    return float(np.log(j).sum() + (log_mean(j * theta) - log_mean(np.array([theta]))).sum())


def log_mean(x: Floats) -> Floats:
    """The log of (1 - exp(-x)) / x; 0 at 0."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.log(-np.expm1(-safe) / safe), 0.0)


def theta_of_mean(items: int, mean: float) -> float:
    """The theta of which `mean` is the mean distance: infinite for 0, 0 for what random orders have, or more."""
    if mean <= 0:
        return float("inf")
    low, high = 0.0, 1.0
    if at_most(moments_of_distance(items, 0.0)[0], mean):
        return 0.0
    while moments_of_distance(items, high)[0] > mean:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if moments_of_distance(items, middle)[0] > mean else (low, middle)
    return (low + high) / 2

"""Softmax over ragged groups."""

from __future__ import annotations

import numpy as np

from rankscope.typing import Ints, Reals

__all__ = [
    "log_softmax",
    "softmax",
]


def log_softmax(values: Reals, offsets: Ints) -> Reals:
    """The logarithm of each value's share of exp(values) in its group; groups are not empty."""
    lengths, starts = np.diff(offsets), offsets[:-1]
    shifted = values - np.repeat(np.maximum.reduceat(values, starts), lengths)
    sums = np.add.reduceat(np.exp(shifted), starts)
    return np.asarray(shifted - np.repeat(np.log(sums), lengths))


def softmax(values: Reals, offsets: Ints) -> Reals:
    """exp(values), scaled so that each group sums to 1; groups are not empty.

    >>> softmax(np.log([1.0, 3.0, 5.0]), np.array([0, 2, 3])).round(6).tolist()
    [0.25, 0.75, 1.0]
    """
    lengths, starts = np.diff(offsets), offsets[:-1]
    powers = np.exp(values - np.repeat(np.maximum.reduceat(values, starts), lengths))
    return np.asarray(powers / np.repeat(np.add.reduceat(powers, starts), lengths))

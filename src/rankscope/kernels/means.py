"""Quotients and means that skip NaN; NaN where nothing is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats

__all__ = [
    "mean_of",
    "mean_or_nan",
    "ratio_or_nan",
]


def ratio_or_nan(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Floats:
    """A / b, of one shape; NaN where b is 0."""
    return np.asarray(np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0))


def mean_of(values: Floats, axis: int = 0) -> Floats:
    """The mean along an axis of what is not NaN; NaN where nothing is."""
    there = ~np.isnan(values)
    return ratio_or_nan(np.where(there, values, 0.0).sum(axis=axis), there.sum(axis=axis))


def mean_or_nan(values: Floats) -> float:
    """The mean of those of one list that are not NaN; NaN where none is."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")

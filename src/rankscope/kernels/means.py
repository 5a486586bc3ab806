"""Quotients and means that skip NaN; NaN where no value remains."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats

__all__ = [
    "nan_mean",
    "nan_mean_of_list",
    "ratio_or_nan",
]


def ratio_or_nan(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Floats:
    """The quotient a / b of two arrays of one shape; NaN where b is 0."""
    return np.asarray(np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0))


def nan_mean(values: Floats, axis: int = 0) -> Floats:
    """The mean of the values along an axis, skipping NaN; NaN where all values are NaN."""
    present = ~np.isnan(values)
    return ratio_or_nan(np.where(present, values, 0.0).sum(axis=axis), present.sum(axis=axis))


def nan_mean_of_list(values: Floats) -> float:
    """The mean of a list, skipping NaN; NaN where all values are NaN."""
    present = values[~np.isnan(values)]
    return float(present.mean()) if present.size else float("nan")

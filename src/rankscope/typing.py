"""Types that signatures name: arrays by what they hold, and paths."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Bytes", "Floats", "Floats32", "Grades", "Indices", "Ints", "Ints32", "PathLike", "Reals", "Words"]

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
#: Of any precision, as learning takes them.
Reals = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]
Ints32 = npt.NDArray[np.int32]
#: Of judged documents: int64 where all are whole numbers, else float64.
Grades = npt.NDArray[Any]
#: Places in an array.
Indices = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
#: Eight bytes of text each.
Words = npt.NDArray[np.uint64]
PathLike = str | os.PathLike[str]

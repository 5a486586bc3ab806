"""Gains of grades for losses that add and divide them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.kernels.gain import HIGHEST, gain_exponential, gain_linear

__all__ = ["finite_gains"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def finite_gains(grades: npt.NDArray[Any], gain: Callable[[Ints], Floats] = gain_exponential) -> Floats:
    """The gains, for whoever adds and divides them. Raises InputError for grades whose powers are too large for that.

    >>> finite_gains(np.array([2, 1, -1])).tolist()
    [3.0, 1.0, 0.0]
    """
    highest = int(grades.max(initial=0))
    if highest > HIGHEST and gain is not gain_linear:
        raise InputError(
            f"a document is judged {highest}, and 2^{highest} is beyond float64; expected grades up to {HIGHEST}; map "
            "the grades to lower ones"
        )
    return gain(np.asarray(grades, np.int64))

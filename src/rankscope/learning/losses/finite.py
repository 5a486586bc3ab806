"""Losses of scores that are not finite, or too large: one error for all losses."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import Any, TypeVar, cast

import numpy as np

from rankscope.errors import InputError
from rankscope.typing import Reals

__all__ = [
    "NonFiniteLoss",
    "finite_loss",
]


LossFunction = TypeVar("LossFunction", bound=Callable[..., tuple[float, Reals]])


class NonFiniteLoss(InputError):
    """A loss has no finite value; to trainers, a sign that training diverged."""


def finite_loss(loss: LossFunction) -> LossFunction:
    """A loss that raises NonFiniteLoss for scores that are NaN or infinite, or so large that it has no finite value."""

    @wraps(loss)
    def checked_loss(scores: Reals, *args: Any, **parameters: Any) -> tuple[float, Reals]:
        with np.errstate(over="ignore", invalid="ignore"):  # raised below
            if not all_finite(scores):
                index = int(np.argmin(np.isfinite(scores)))
                raise NonFiniteLoss(
                    f"{loss.__name__}: the score of document {index + 1} is {scores[index]:g}, expected finite numbers"
                )
            value, gradient = loss(scores, *args, **parameters)
            if not isfinite(value) or not all_finite(gradient):
                raise NonFiniteLoss(
                    f"{loss.__name__}: scores up to {np.abs(scores).max():g} are too large for a finite loss and "
                    f"gradient in {scores.dtype}; scale them down"
                )
        return value, gradient

    return cast(LossFunction, checked_loss)


def all_finite(numbers: Reals) -> bool:
    """Whether all are finite. Their sum tells it faster, unless it overflows."""
    return isfinite(np.add.reduce(numbers)) or bool(np.isfinite(numbers).all())

"""Losses of scores that are not finite, or too large: one error for all losses."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
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
        is_finite = np.isfinite(scores)
        if not is_finite.all():
            index = int(np.argmin(is_finite))
            raise NonFiniteLoss(
                f"{loss.__name__}: the score of document {index + 1} is {scores[index]:g}, expected finite numbers"
            )
        with np.errstate(over="ignore", invalid="ignore"):  # raised below
            value, gradient = loss(scores, *args, **parameters)
        if not np.isfinite(value) or not np.isfinite(gradient).all():
            raise NonFiniteLoss(
                f"{loss.__name__}: scores up to {np.abs(scores).max():g} are too large for a finite loss and gradient "
                f"in {scores.dtype}; scale them down"
            )
        return value, gradient

    return cast(LossFunction, checked_loss)

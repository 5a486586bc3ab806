"""What is done to features before a ranker sees them; learned on training data, kept with the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.typing import Bools, Floats, Reals

__all__ = ["TRANSFORMS", "Scaling", "learn_scaling"]


#: "standard": mean 0 and deviation 1; "log": logarithms first; "auto": those where they make a feature less skewed.
TRANSFORMS = ("standard", "log", "auto", "none")
#: Rows that are worked on at once.
ROWS_AT_ONCE = 1 << 14
#: The same of those that are scaled, each by itself: few enough for them to stay in the cache.
SCALED_AT_ONCE = 1 << 9


@dataclass(frozen=True, eq=False, kw_only=True)
class Scaling:
    """mean, deviation: (features) what is taken away, and what is divided by. logged: (features) whether sign(x)
    log(1 + |x|) comes first. Features that never varied have deviation 0: they are 0 whatever their value is later,
    since nothing was learned of them, and a network would score by the weights that it began with.
    """

    mean: Floats
    deviation: Floats
    logged: Bools

    def __call__(self, values: Reals) -> npt.NDArray[np.float32]:
        """(documents, features) scaled, as float32. Raises InputError for what has no such number."""
        found = np.empty(values.shape, np.float32)
        same = self.deviation == 0
        divisor = np.where(same, 1.0, self.deviation)
        any_same = bool(same.any())
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            for start in range(0, len(values), SCALED_AT_ONCE):
                part = slice(start, start + SCALED_AT_ONCE)
                scaled = logarithms(values[part], self.logged)
                scaled -= self.mean
                scaled /= divisor
                if any_same:
                    scaled[:, same] = 0.0
                found[part] = scaled
        if not np.isfinite(found).all():
            row, column = np.argwhere(~np.isfinite(found))[0]
            raise InputError(
                f"document {row + 1}: feature {column + 1} is {values[row, column]:g}, too large to be scaled; "
                "take transform='log'"
            )
        return found


def learn_scaling(values: Reals, transform: str = "standard") -> Scaling:
    """From training data, (documents, features). Raises ParameterError for a transform that is none of these,
    InputError for numbers whose squares are too large.
    """
    if transform not in TRANSFORMS:
        raise ParameterError(f"transform is {transform!r}, expected one of {', '.join(map(repr, TRANSFORMS))}")
    width = values.shape[1]
    logged = np.full(width, transform == "log")
    if transform == "none":
        varies = (values != values[0]).any(axis=0)
        return Scaling(mean=np.zeros(width), deviation=varies.astype(np.float64), logged=logged)
    mean, deviation, skew = moments(values, logged)
    if transform == "auto":
        every = np.ones(width, np.bool_)
        mean_, deviation_, skew_ = moments(values, every)
        logged = (np.abs(skew_) < np.abs(skew)) | ~np.isfinite(skew)
        mean, deviation = np.where(logged, mean_, mean), np.where(logged, deviation_, deviation)
    if not np.isfinite(deviation).all():
        column = int(np.argmax(~np.isfinite(deviation)))
        raise InputError(f"feature {column + 1} has numbers that are too large to be scaled; take transform='log'")
    return Scaling(mean=mean, deviation=deviation, logged=logged)


def logarithms(values: Reals, logged: Bools) -> Floats:
    found = values.astype(np.float64)
    if logged.any():
        chosen = found[:, logged]
        found[:, logged] = np.sign(chosen) * np.log1p(np.abs(chosen))
    return found


def moments(values: Reals, logged: Bools) -> tuple[Floats, Floats, Floats]:
    """(features) mean, standard deviation and skewness; the last is 0 where a feature never varies."""
    n = len(values)
    parts = [slice(start, start + ROWS_AT_ONCE) for start in range(0, n, ROWS_AT_ONCE)]
    mean = sum((logarithms(values[part], logged).sum(axis=0) for part in parts), np.zeros(values.shape[1])) / n
    square, cube = np.zeros_like(mean), np.zeros_like(mean)
    with np.errstate(over="ignore", invalid="ignore"):  # `learn_scaling` refuses what is no number
        for part in parts:
            apart = logarithms(values[part], logged) - mean
            square += (apart * apart).sum(axis=0)
            cube += (apart * apart * apart).sum(axis=0)
    deviation = np.sqrt(square / n)
    least = np.abs(mean) * 1e-9  # what rounding makes of a feature that never varies
    deviation = np.where(deviation > least, deviation, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        skew = np.divide(cube / n, deviation**3, out=np.zeros_like(mean), where=deviation > 0)
    return mean, deviation, skew

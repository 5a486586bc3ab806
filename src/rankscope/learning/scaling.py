"""Scaling of features, learned on training data, and normalisation and ranks within lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.exact import exact_group_sums
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import group_of
from rankscope.typing import Bools, Floats, Ints, Reals

__all__ = [
    "TRANSFORMS",
    "WITHIN_LISTS",
    "Scaling",
    "column_count",
    "learn_scaling",
    "with_list_ranks",
]


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


def within_deviation(scores: Floats, offsets: Ints) -> float:
    """The standard deviation of scores from the mean of their list: what is the same for a whole list orders nothing.

    0 where it is no more than rounding.
    """
    apart = from_mean(scores, offsets)
    found = float(np.sqrt(np.mean(apart**2)))
    return found if found > 1e-12 * float(np.abs(scores).max()) else 0.0


def list_means(scores: Floats, offsets: Ints) -> Floats:
    """Of each list; the same whatever the order of its documents."""
    return exact_group_sums(scores, offsets) / np.diff(offsets)


def from_mean(scores: Floats, offsets: Ints) -> Floats:
    """Less the mean of the list; exactly 0 in a list of equal scores."""
    lists = group_of(offsets)
    apart = scores - np.maximum.reduceat(scores, offsets[:-1])[lists]
    return np.asarray(apart - list_means(apart, offsets)[lists])


def zscore(scores: Floats, offsets: Ints) -> Floats:
    """Less the mean of the list, by its standard deviation; 0 in a list of equal scores."""
    lists = group_of(offsets)
    apart = from_mean(scores, offsets)
    deviation = np.sqrt(list_means(apart**2, offsets))
    least = 1e-12 * np.maximum.reduceat(np.abs(scores), offsets[:-1])  # what rounding makes of equal scores
    return np.asarray(np.where(deviation > least, 1 / np.where(deviation > least, deviation, 1.0), 0.0)[lists] * apart)


def minmax(scores: Floats, offsets: Ints) -> Floats:
    """From 0, the lowest of the list, to 1; 0 in a list of equal scores."""
    lists, starts = group_of(offsets), offsets[:-1]
    low, high = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
    return np.asarray((scores - low[lists]) / np.where(high > low, high - low, 1.0)[lists])


def fractional_rank(scores: Floats, offsets: Ints) -> Floats:
    """The share of the list's other documents that stand below, ties as halves; 0 of a document alone."""
    lists, n = group_of(offsets), scores.size
    order = order_falling(scores, np.diff(offsets))
    found = scores[order]
    new = np.ones(n, np.bool_)  # where another list or a lower score begins
    new[1:] = (found[1:] != found[:-1]) | (lists[1:] != lists[:-1])
    firsts = np.flatnonzero(new)
    lasts = np.append(firsts[1:], n) - 1
    middle = ((firsts + lasts) / 2)[np.cumsum(new) - 1]
    below = (offsets[1:] - 1)[lists] - middle
    shares = np.empty(n)
    shares[order] = below / np.maximum(np.diff(offsets) - 1, 1)[lists]
    return shares


#: Scales that a list makes of its own scores, so that a document's score depends on those beside it.
WITHIN_LISTS: dict[str, Callable[[Floats, Ints], Floats]] = {
    "zscore": zscore,
    "minmax": minmax,
    "rank": fractional_rank,
}
#: What the rank by a feature is called, after the feature's name.
SUFFIX = " (rank)"


def with_list_ranks(features: Features) -> Features:
    """The features and, behind them, of each the rank within the list: in [0, 1], the share of the list's other
    documents whose value is lower, ties as halves; 0 of a document alone.

    >>> found = with_list_ranks(Features.of([[5.0], [9.0], [5.0], [1.0]], sizes=[3, 1]))
    >>> found.values.tolist(), found.names
    ([[5.0, 0.25], [9.0, 1.0], [5.0, 0.25], [1.0, 0.0]], ('1', '1 (rank)'))
    """
    values = features.values
    columns = [fractional_rank(values[:, j].astype(np.float64), features.offsets) for j in range(values.shape[1])]
    table = np.column_stack([values, *(one.astype(values.dtype) for one in columns)])
    return replace(features, values=table, names=(*features.names, *rank_names(features.names)), where=None)


def column_count(features: int, ranks: bool) -> int:
    """How many columns a model sees of so many features."""
    return 2 * features if ranks else features


def rank_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of ranks, none of which is that of a feature."""
    known, found = {*names}, []
    for name in names:
        own = name + SUFFIX
        while own in known:
            own += SUFFIX
        known.add(own)
        found.append(own)
    return tuple(found)

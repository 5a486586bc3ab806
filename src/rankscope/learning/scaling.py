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
#: Rows in one block.
ROWS_AT_ONCE = 1 << 14
#: Rows in one block of scaling, few enough to stay in the cache.
SCALED_AT_ONCE = 1 << 9


@dataclass(frozen=True, eq=False, kw_only=True)
class Scaling:
    """A scaling of features, learned on training data.

    Attributes
    ----------
    mean, deviation
        (features) the subtracted mean, and the divisor. A feature that never varied has deviation 0 and is 0 after
        scaling, whatever its value: nothing was learned of it, and a network would score by its initial weights.
    logged
        (features) whether sign(x) log(1 + |x|) comes first.
    """

    mean: Floats
    deviation: Floats
    logged: Bools

    def __call__(self, values: Reals) -> npt.NDArray[np.float32]:
        """(documents, features) scaled, as float32. Raises InputError for numbers that are not finite then."""
        scaled_values = np.empty(values.shape, np.float32)
        is_constant = self.deviation == 0
        divisor = np.where(is_constant, 1.0, self.deviation)
        any_constant = bool(is_constant.any())
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            for start in range(0, len(values), SCALED_AT_ONCE):
                rows = slice(start, start + SCALED_AT_ONCE)
                block = logarithms(values[rows], self.logged)
                block -= self.mean
                block /= divisor
                if any_constant:
                    block[:, is_constant] = 0.0
                scaled_values[rows] = block
        if not np.isfinite(scaled_values).all():
            row, column = np.argwhere(~np.isfinite(scaled_values))[0]
            raise InputError(
                f"document {row + 1}: feature {column + 1} is {values[row, column]:g}, too large to be scaled; "
                "use transform='log'"
            )
        return scaled_values


def learn_scaling(values: Reals, transform: str = "standard") -> Scaling:
    """From training data, (documents, features). Raises ParameterError for an unknown transform,
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
        all_logged = np.ones(width, np.bool_)
        log_mean, log_deviation, log_skew = moments(values, all_logged)
        logged = (np.abs(log_skew) < np.abs(skew)) | ~np.isfinite(skew)
        mean, deviation = np.where(logged, log_mean, mean), np.where(logged, log_deviation, deviation)
    if not np.isfinite(deviation).all():
        column = int(np.argmax(~np.isfinite(deviation)))
        raise InputError(f"feature {column + 1} has numbers that are too large to be scaled; use transform='log'")
    return Scaling(mean=mean, deviation=deviation, logged=logged)


def logarithms(values: Reals, logged: Bools) -> Floats:
    floats = values.astype(np.float64)
    if logged.any():
        columns = floats[:, logged]
        floats[:, logged] = np.sign(columns) * np.log1p(np.abs(columns))
    return floats


def moments(values: Reals, logged: Bools) -> tuple[Floats, Floats, Floats]:
    """(features) mean, standard deviation and skewness; the last is 0 where a feature never varies."""
    n = len(values)
    row_blocks = [slice(start, start + ROWS_AT_ONCE) for start in range(0, n, ROWS_AT_ONCE)]
    mean = sum((logarithms(values[rows], logged).sum(axis=0) for rows in row_blocks), np.zeros(values.shape[1])) / n
    square, cube = np.zeros_like(mean), np.zeros_like(mean)
    with np.errstate(over="ignore", invalid="ignore"):  # `learn_scaling` refuses numbers that are not finite
        for rows in row_blocks:
            differences = logarithms(values[rows], logged) - mean
            square += (differences * differences).sum(axis=0)
            cube += (differences * differences * differences).sum(axis=0)
    deviation = np.sqrt(square / n)
    rounding_error = np.abs(mean) * 1e-9  # of a feature that never varies
    deviation = np.where(deviation > rounding_error, deviation, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        skew = np.divide(cube / n, deviation**3, out=np.zeros_like(mean), where=deviation > 0)
    return mean, deviation, skew


def within_deviation(scores: Floats, offsets: Ints) -> float:
    """The standard deviation of scores from the mean of their list, which does not matter for the order.

    0 where it is no more than rounding.
    """
    differences = from_mean(scores, offsets)
    deviation = float(np.sqrt(np.mean(differences**2)))
    return deviation if deviation > 1e-12 * float(np.abs(scores).max()) else 0.0


def list_means(scores: Floats, offsets: Ints) -> Floats:
    """(lists) the mean of each list; the same whatever the order of its documents."""
    return exact_group_sums(scores, offsets) / np.diff(offsets)


def from_mean(scores: Floats, offsets: Ints) -> Floats:
    """Scores less the mean of their list; exactly 0 in a list of equal scores."""
    list_index = group_of(offsets)
    differences = scores - np.maximum.reduceat(scores, offsets[:-1])[list_index]
    return np.asarray(differences - list_means(differences, offsets)[list_index])


def zscore(scores: Floats, offsets: Ints) -> Floats:
    """Scores less the mean of their list, divided by its standard deviation; 0 in a list of equal scores."""
    list_index = group_of(offsets)
    differences = from_mean(scores, offsets)
    deviation = np.sqrt(list_means(differences**2, offsets))
    rounding_error = 1e-12 * np.maximum.reduceat(np.abs(scores), offsets[:-1])  # of equal scores
    return np.asarray(
        np.where(deviation > rounding_error, 1 / np.where(deviation > rounding_error, deviation, 1.0), 0.0)[list_index]
        * differences
    )


def minmax(scores: Floats, offsets: Ints) -> Floats:
    """Scores scaled from 0, the lowest of the list, to 1; 0 in a list of equal scores."""
    list_index, starts = group_of(offsets), offsets[:-1]
    low, high = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
    return np.asarray((scores - low[list_index]) / np.where(high > low, high - low, 1.0)[list_index])


def fractional_rank(scores: Floats, offsets: Ints) -> Floats:
    """The share of the list's other documents that rank below, ties as halves; 0 for a single document."""
    list_index, n = group_of(offsets), scores.size
    order = order_falling(scores, np.diff(offsets))
    sorted_scores = scores[order]
    starts_group = np.ones(n, np.bool_)  # where another list or a lower score begins
    starts_group[1:] = (sorted_scores[1:] != sorted_scores[:-1]) | (list_index[1:] != list_index[:-1])
    group_firsts = np.flatnonzero(starts_group)
    group_lasts = np.append(group_firsts[1:], n) - 1
    mean_positions = ((group_firsts + group_lasts) / 2)[np.cumsum(starts_group) - 1]
    n_below = (offsets[1:] - 1)[list_index] - mean_positions
    shares = np.empty(n)
    shares[order] = n_below / np.maximum(np.diff(offsets) - 1, 1)[list_index]
    return shares


#: Normalisations within a list, so that a document's score depends on those beside it.
WITHIN_LISTS: dict[str, Callable[[Floats, Ints], Floats]] = {
    "zscore": zscore,
    "minmax": minmax,
    "rank": fractional_rank,
}
#: What follows the feature's name in the name of the rank by it.
SUFFIX = " (rank)"


def with_list_ranks(features: Features) -> Features:
    """The features and, behind them, the rank by each within the list: in [0, 1], the share of the list's other
    documents whose value is lower, ties as halves; 0 for a single document.

    >>> ranked = with_list_ranks(Features.of([[5.0], [9.0], [5.0], [1.0]], sizes=[3, 1]))
    >>> ranked.values.tolist(), ranked.names
    ([[5.0, 0.25], [9.0, 1.0], [5.0, 0.25], [1.0, 0.0]], ('1', '1 (rank)'))
    """
    values = features.values
    columns = [fractional_rank(values[:, j].astype(np.float64), features.offsets) for j in range(values.shape[1])]
    table = np.column_stack([values, *(column.astype(values.dtype) for column in columns)])
    return replace(features, values=table, names=(*features.names, *rank_names(features.names)), where=None)


def column_count(n_features: int, ranks: bool) -> int:
    """How many columns a model sees for this number of features."""
    return 2 * n_features if ranks else n_features


def rank_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of the ranks by features, none of which is the name of a feature."""
    used_names, new_names = {*names}, []
    for name in names:
        new_name = name + SUFFIX
        while new_name in used_names:
            new_name += SUFFIX
        used_names.add(new_name)
        new_names.append(new_name)
    return tuple(new_names)

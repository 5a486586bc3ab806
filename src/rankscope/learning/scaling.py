"""Scaling of features, learned on training data, and ranks within lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import group_of
from rankscope.typing import Bools, Floats, Ints, Reals

__all__ = [
    "TRANSFORMS",
    "Scaling",
    "column_count",
    "differences_from_training",
    "fractional_rank",
    "handful_of",
    "learn_scaling",
    "usual_values",
    "with_list_ranks",
]


#: "standard": mean 0 and deviation 1; "log": logarithms first; "auto": those where they make a feature less skewed.
TRANSFORMS = ("standard", "log", "auto", "none")
#: Nothing is learned of a feature that has another value than usual in so many training documents at most, or in this
#: share of them where that is less.
HANDFUL, HANDFUL_SHARE = 10, 0.01
#: Scaled features lie within so many deviations from their mean.
MOST_DEVIATIONS = 5.0
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
        (features) the subtracted mean, and the divisor. A feature that varied in a handful of documents at most has its
        usual value and the deviation 0, and is 0 after scaling, whatever its value: nothing can be learned of it.
    logged
        (features) whether sign(x) log(1 + |x|) comes first.
    low, high
        (features) the lowest and highest value in training.
    bound
        Scaled values beyond it, on either side of 0, count as the bound; infinite for no bound.
    """

    mean: Floats
    deviation: Floats
    logged: Bools
    low: Floats
    high: Floats
    bound: float

    def __call__(self, values: Reals) -> npt.NDArray[np.float32]:
        """(documents, features) scaled, as float32. Raises InputError for numbers that are not finite then."""
        scaled_values = np.empty(values.shape, np.float32)
        is_unused = self.deviation == 0
        divisor = np.where(is_unused, 1.0, self.deviation)
        any_unused = bool(is_unused.any())
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            for start in range(0, len(values), SCALED_AT_ONCE):
                rows = slice(start, start + SCALED_AT_ONCE)
                block = logarithms(values[rows], self.logged)
                block -= self.mean
                block /= divisor
                if any_unused:
                    block[:, is_unused] = 0.0
                scaled_values[rows] = block
                if self.bound < np.inf:
                    np.clip(scaled_values[rows], -self.bound, self.bound, out=scaled_values[rows])
        if not np.isfinite(scaled_values).all():
            row, column = np.argwhere(~np.isfinite(scaled_values))[0]
            raise InputError(
                f"document {row + 1}: feature {column + 1} is {values[row, column]:g}, too large to be used unscaled; "
                "use transform='log'"
            )
        return scaled_values


def learn_scaling(values: Reals, transform: str = "standard", *, ranks: bool = False) -> Scaling:
    """From training data, (documents, features). Raises ParameterError for an unknown transform,
    InputError for numbers whose squares are too large.

    ranks: whether the columns of the second half are ranks by those of the first, of which no more is known.
    """
    if transform not in TRANSFORMS:
        raise ParameterError(f"transform is {transform!r}, expected one of {', '.join(map(repr, TRANSFORMS))}")
    width = values.shape[1]
    logged = np.full(width, transform == "log")
    if transform == "none":
        mean, deviation, bound = np.zeros(width), np.ones(width), np.inf
    else:
        mean, deviation, skew = moments(values, logged)
        bound = MOST_DEVIATIONS
    if transform == "auto":
        all_logged = np.ones(width, np.bool_)
        log_mean, log_deviation, log_skew = moments(values, all_logged)
        logged = (np.abs(log_skew) < np.abs(skew)) | ~np.isfinite(skew)
        mean, deviation = np.where(logged, log_mean, mean), np.where(logged, log_deviation, deviation)
    if not np.isfinite(deviation).all():
        column = int(np.argmax(~np.isfinite(deviation)))
        raise InputError(f"feature {column + 1} has numbers that are too large to be scaled; use transform='log'")
    usual, n_unusual = usual_values(values)
    is_unused = (n_unusual <= handful_of(len(values))) | (deviation == 0)
    if ranks:
        is_unused |= np.tile(is_unused[: width // 2], 2)
    usual = logarithms(usual[None], logged)[0]
    return Scaling(
        mean=np.where(is_unused, usual, mean),
        deviation=np.where(is_unused, 0.0, deviation),
        logged=logged,
        low=values.min(axis=0).astype(np.float64),
        high=values.max(axis=0).astype(np.float64),
        bound=bound,
    )


def handful_of(n_documents: int) -> int:
    """How many of so many documents are a handful, too few to learn from."""
    return min(HANDFUL, int(n_documents * HANDFUL_SHARE))


def usual_values(values: Reals) -> tuple[Reals, Ints]:
    """(features) a value of each, and in how many documents it has another one.

    It is the most frequent value where all but a handful of documents have that: then it is also the median of the
    first documents, of which most have it.
    """
    usual = np.median(values[: 2 * handful_of(len(values)) + 1], axis=0)
    n_unusual = np.zeros(values.shape[1], np.int64)
    for start in range(0, len(values), ROWS_AT_ONCE):
        n_unusual += (values[start : start + ROWS_AT_ONCE] != usual).sum(axis=0)
    return usual, n_unusual


def differences_from_training(scaling: Scaling, features: Features) -> tuple[str, ...]:
    """Notes on features that are far outside of their range in training, and on those that vary only here.

    Far outside is what lies beyond the range by more than its width.
    """
    names = features.names  # ranks within lists, which may follow in the scaling, are between 0 and 1
    low, high, mean = (values[: len(names)] for values in (scaling.low, scaling.high, scaling.mean))
    is_used, logged = scaling.deviation[: len(names)] > 0, scaling.logged[: len(names)]
    least, greatest = features.values.min(axis=0), features.values.max(axis=0)
    from_low, to_high, here_low, here_high = logarithms(np.stack([low, high, least, greatest]), logged)
    with np.errstate(over="ignore"):
        width = to_high - from_low
        is_far = is_used & ((from_low - here_low > width) | (here_high - to_high > width))
        rounding_error = 1e-6 * np.maximum(np.abs(mean), 1.0)
        may_vary = np.flatnonzero(~is_used & ((np.abs(here_low - mean) > rounding_error) | (here_high > here_low)))
    notes = []
    if is_far.any():
        first = int(np.argmax(is_far))
        effect = f"; such values count as {scaling.bound:g} deviations from the mean" if scaling.bound < np.inf else ""
        notes.append(
            f"{features.name}: {pluralise(int(is_far.sum()), 'feature')} far outside of the range in training "
            f"({join_names(repr(names[j]) for j in np.flatnonzero(is_far))}): {names[first]!r} is from "
            f"{least[first]:g} to {greatest[first]:g}, and was from {low[first]:g} to {high[first]:g}{effect}"
        )
    n_unusual = (
        np.abs(logarithms(features.values[:, may_vary], logged[may_vary]) - mean[may_vary]) > rounding_error[may_vary]
    ).sum(axis=0)
    varies = n_unusual > handful_of(len(features))
    if varies.any():
        unused_names = [repr(names[j]) for j in may_vary[varies]]
        where = "it varies in" if len(unused_names) == 1 else "each varies in up to"
        notes.append(
            f"{features.name}: {pluralise(len(unused_names), 'feature')} not used, having varied in no training "
            f"document or too few ({join_names(unused_names)}); here {where} {n_unusual.max():,} of "
            f"{pluralise(len(features), 'document')}"
        )
    return tuple(notes)


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

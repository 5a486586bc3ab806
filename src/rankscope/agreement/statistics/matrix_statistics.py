"""Statistics of agreement between metrics and people on matrices (systems, segments): one number per metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.statistics.kendall import CONVENTIONS, count_by_judgment, pair_indices
from rankscope.agreement.statistics.segment_statistics import correlate_rows, divide_or_nan
from rankscope.agreement.statistics.soft_pairwise_accuracy import soft_pairwise_accuracies
from rankscope.agreement.statistics.system_statistics import TAU_AP, system_statistic
from rankscope.agreement.statistics.tie_calibration import calibrate
from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, draw
from rankscope.kernels.rounding_ties import join_ties
from rankscope.stats.inputs import as_generator, check_choice, check_count, check_positive
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "MATRIX_CORRELATIONS",
    "MATRIX_GROUPINGS",
    "MATRIX_STATISTICS",
    "CommonCells",
    "MetricValues",
    "check_statistic",
    "common_cells",
    "epsilons_of",
    "metric_statistics_of",
    "metric_values",
    "values_of_stack",
]


MATRIX_CORRELATIONS = ("pearson", "spearman", "kendall_b")
#: "means": of the systems' mean scores; the others as in agreement on segments.
MATRIX_GROUPINGS = ("none", "segment", "system", "means")
#: Every statistic, and the groupings it has.
MATRIX_STATISTICS = {
    **dict.fromkeys(MATRIX_CORRELATIONS, MATRIX_GROUPINGS),
    TAU_AP: ("means",),
    "acc_eq": ("segment", "none"),
    "pairwise_accuracy": ("means",),
    "soft_pairwise_accuracy": ("means",),
}


class CommonCells(NamedTuple):
    """The cells in which gold and every metric have a score; systems and segments without such a cell are removed.

    Attributes
    ----------
    gold
        Human scores, (systems, segments); NaN in other cells.
    metrics
        Scores of the metrics, (metrics, systems, segments); NaN in other cells.
    n_unscored
        Number of cells of gold without a score of some metric.
    kept_systems, kept_segments
        Which of the original systems and segments remain.
    """

    gold: Floats
    metrics: Floats
    n_unscored: int
    kept_systems: Bools
    kept_segments: Bools

    @property
    def present(self) -> Bools:
        """(systems, segments) where they are."""
        return np.asarray(~np.isnan(self.gold))

    @property
    def n_cells(self) -> int:
        return int(np.count_nonzero(self.present))


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricValues:
    """A statistic of each metric; arrays have the shape (metrics), or () if one metric was given.

    Attributes
    ----------
    statistic, grouping
        Which statistic, and how cells are grouped.
    value
        The values; higher is better, NaN if there is none.
    n
        With grouping "segment" or "system", the number of segments or systems with a value; with "means", of systems
        (for pairwise accuracies, of pairs of systems); with "none", of cells (for "acc_eq", of pairs).
    epsilon
        Largest difference that is a tie of the metric; NaN if the statistic has none.
    cells
        Number of cells in which gold and every metric have a score.
    lost
        Number of cells of gold that are skipped because a metric has no score.
    """

    statistic: str
    grouping: str
    value: Floats
    n: Ints
    epsilon: Floats
    cells: int
    lost: int


def metric_values(
    gold: npt.ArrayLike,
    metrics: npt.ArrayLike,
    *,
    statistic: str = "pearson",
    grouping: str = "segment",
    epsilon: float | None = None,
    n_resamples: int = 1000,
    rng: Any = None,
) -> MetricValues:
    """How well each metric agrees with people; higher is better.

    Parameters
    ----------
    gold
        Human scores, (systems, segments), where higher is better; NaN if there is no score.
    metrics
        Scores of one metric, in the same shape, or of several, (metrics, systems, segments), where higher is better. A
        cell without a score in gold or in any metric is skipped for all of them.
    statistic
        "pearson", "spearman", "kendall_b": correlations in [-1, 1]; "tau_ap": the AP correlation, with people as the
        truth, in [-1, 1]. "acc_eq": share of the pairs of systems on a segment that the metric orders, or ties, as
        people do. "pairwise_accuracy": the same for pairs of systems by their means. "soft_pairwise_accuracy": 1 minus
        the mean difference between the p-values of both sides. The last three are in [0, 1].
    grouping
        "none": all cells, or for acc_eq all pairs, at once. "segment": over systems in each segment, then the mean over
        segments with a value. "system": over segments for each system, then the mean over systems. "means": over the
        means of the systems.
    epsilon
        For acc_eq: largest difference that is a tie of the metric. Default: calibrated for each metric on these scores.
    n_resamples
        Number of sign swaps for soft pairwise accuracy.
    rng
        Random seed or generator for the swaps, which are the same for people and all metrics.

    Returns
    -------
    MetricValues
        The values. Fewer than two systems (or segments), and lists of equal values, have no correlation; the value is
        NaN if no list has one.

    Raises
    ------
    ParameterError
        A name or a shape is wrong, a score is infinite, or no cell has scores of all.

    References
    ----------
    Deutsch, Foster and Freitag (2023); Kocmi et al. (2021); Thompson et al. (2024).

    Examples
    --------
    >>> gold = [[3.0, 1.0, 2.0], [2.0, 2.0, 2.0], [1.0, 3.0, 5.0]]
    >>> metric = [[0.9, 0.2, 0.1], [0.5, 0.4, 0.3], [0.4, 0.6, 0.2]]
    >>> found = metric_values(gold, metric, statistic="kendall_b")  # 1, 1, and (1 - 1) / sqrt(2 x 3)
    >>> round(float(found.value), 4), int(found.n)
    (0.6667, 3)
    """
    check_statistic(statistic, grouping, epsilon)
    check_count("n_resamples", n_resamples)
    generator = as_generator(rng)
    common = common_cells(gold, metrics)
    single_metric = np.ndim(metrics) == 2
    epsilons = epsilons_of(common, statistic, grouping, epsilon)
    draws = draw(generator, n_resamples)
    value, n = metric_statistics_of(common, statistic, grouping, epsilons, draws)
    shape = () if single_metric else value.shape
    return MetricValues(
        statistic=statistic,
        grouping=grouping,
        value=value.reshape(shape),
        n=n.reshape(shape),
        epsilon=epsilons.reshape(shape),
        cells=common.n_cells,
        lost=common.n_unscored,
    )


def check_statistic(statistic: str, grouping: str, epsilon: float | None) -> None:
    """Raise ParameterError for what does not go together."""
    check_choice("statistic", statistic, tuple(MATRIX_STATISTICS))
    check_choice("grouping", grouping, MATRIX_GROUPINGS)
    if grouping not in MATRIX_STATISTICS[statistic]:
        raise ParameterError(
            f"{statistic} has no grouping {grouping!r}, expected {' or '.join(map(repr, MATRIX_STATISTICS[statistic]))}"
        )
    if epsilon is not None:
        check_positive("epsilon", epsilon, zero=True)
        if statistic != "acc_eq":
            raise ParameterError(f"epsilon applies to acc_eq, and {statistic} has none; leave it out")


def common_cells(gold: npt.ArrayLike, metrics: npt.ArrayLike) -> CommonCells:
    """See `CommonCells`. Raises ParameterError for other shapes, infinite scores, and where nothing is in common."""
    gold_scores, metric_scores = (np.array(values, np.float64) for values in (gold, metrics))
    if metric_scores.ndim == 2:
        metric_scores = metric_scores[None]
    if (
        gold_scores.ndim != 2
        or metric_scores.ndim != 3
        or metric_scores.shape[1:] != gold_scores.shape
        or not len(metric_scores)
    ):
        raise ParameterError(
            f"gold has shape {gold_scores.shape} and the metrics {metric_scores.shape}, expected (systems, segments) "
            "and (metrics, systems, segments)"
        )
    if np.isinf(gold_scores).any() or np.isinf(metric_scores).any():
        raise ParameterError("scores are infinite, expected finite numbers, or NaN where there is no score")
    judged = ~np.isnan(gold_scores)
    present = judged & ~np.isnan(metric_scores).any(axis=0)
    if not present.any():
        raise ParameterError("no translation has scores of people and all metrics")
    gold_scores[~present] = np.nan
    metric_scores[:, ~present] = np.nan
    kept_systems, kept_segments = np.asarray(present.any(axis=1)), np.asarray(present.any(axis=0))
    return CommonCells(
        gold_scores[kept_systems][:, kept_segments],
        np.ascontiguousarray(metric_scores[:, kept_systems][:, :, kept_segments]),
        int(judged.sum() - present.sum()),
        kept_systems,
        kept_segments,
    )


def epsilons_of(common: CommonCells, statistic: str, grouping: str, epsilon: float | None) -> Floats:
    """(metrics) the epsilon of each; NaN where the statistic has none, 0 where there is no pair."""
    if statistic != "acc_eq":
        return np.full(len(common.metrics), np.nan)
    if epsilon is not None:
        return np.full(len(common.metrics), float(epsilon))
    epsilons = [
        calibrate(common.gold.T, metric.T, convention=CONVENTIONS["acc_eq"], grouping=grouping).epsilon
        for metric in common.metrics
    ]
    return np.asarray(np.nan_to_num(epsilons))


def metric_statistics_of(
    common: CommonCells, statistic: str, grouping: str, epsilons: Floats, soft: Draws
) -> tuple[Floats, Ints]:
    """(metrics) the statistic of each, and how many values it is over."""
    values_and_counts = [
        values_of_stack(common.gold, metric[None], statistic, grouping, epsilon, soft)
        for metric, epsilon in zip(common.metrics, epsilons.tolist(), strict=True)
    ]
    value, n = (np.concatenate(arrays) for arrays in zip(*values_and_counts, strict=True))
    return value, n


def values_of_stack(
    gold: Floats, stack: Floats, statistic: str, grouping: str, epsilon: float = np.nan, draws: Draws | None = None
) -> tuple[Floats, Ints]:
    """The statistic of each matrix of a stack, (matrices), and how many values it is computed from.

    Parameters
    ----------
    gold
        Human scores, (systems, segments), or a stack of them.
    stack
        Scores of metrics, (matrices, systems, segments); NaN at the same cells.
    statistic, grouping
        As in `metric_values`.
    epsilon
        Largest difference that is a tie of the metric.
    draws
        Swaps for soft pairwise accuracy.
    """
    gold_stack = np.broadcast_to(gold, stack.shape)
    if statistic == "acc_eq":
        return accuracies(gold_stack, stack, grouping, epsilon)
    if statistic == "soft_pairwise_accuracy":
        assert draws is not None
        return soft_pairwise_accuracies(gold, stack, draws), np.full(len(stack), pairs_in(stack))
    if grouping == "means":
        values = values_of_means(system_means(gold_stack), system_means(stack), statistic)
        return values, np.full(len(stack), pairs_in(stack) if statistic == "pairwise_accuracy" else stack.shape[1])
    if grouping == "none":
        flat_shape = (len(stack), -1)
        value = correlate_rows(gold_stack.reshape(flat_shape), stack.reshape(flat_shape), statistic)
        return value, np.count_nonzero(~np.isnan(stack.reshape(flat_shape)), axis=1)
    if grouping == "segment":
        gold_stack, stack = gold_stack.swapaxes(1, 2), stack.swapaxes(1, 2)
    list_shape = (-1, stack.shape[2])
    return mean_and_count(
        correlate_rows(gold_stack.reshape(list_shape), stack.reshape(list_shape), statistic).reshape(stack.shape[:2])
    )


def pairs_in(stack: Floats) -> int:
    """The number of pairs of systems in a stack."""
    return int(stack.shape[1] * (stack.shape[1] - 1) // 2)


def mean_and_count(values: Floats) -> tuple[Floats, Ints]:
    """Mean and count over the last axis, without NaN; the mean of no value is NaN."""
    present = ~np.isnan(values)
    n = np.count_nonzero(present, axis=-1).astype(np.int64)
    return divide_or_nan(np.where(present, values, 0.0).sum(axis=-1), n), n


def values_of_means(gold: Floats, means: Floats, statistic: str) -> Floats:
    """(matrices) the statistic of systems' means; gold, means: (matrices, systems), gold possibly 1 for all.

    Means that differ by rounding only (a trillionth of the greatest) are ties.
    """
    gold_means, metric_means = np.broadcast_to(join_ties(gold), means.shape), join_ties(means)
    if statistic == TAU_AP:
        return system_statistic(gold_means, metric_means, TAU_AP)
    if statistic != "pairwise_accuracy":
        return correlate_rows(gold_means, metric_means, statistic)
    first, second = pair_indices(means.shape[1])
    gold_differences, metric_differences = (
        scores[:, first] - scores[:, second] for scores in (gold_means, metric_means)
    )
    present = ~(np.isnan(gold_differences) | np.isnan(metric_differences))
    n_concordant = np.count_nonzero(present & (np.sign(gold_differences) == np.sign(metric_differences)), axis=1)
    return divide_or_nan(n_concordant.astype(np.float64), np.count_nonzero(present, axis=1))


def system_means(stack: Floats) -> Floats:
    """(..., systems) the mean over the segments that a system has."""
    present = ~np.isnan(stack)
    return divide_or_nan(np.where(present, stack, 0.0).sum(axis=-1), present.sum(axis=-1))


def accuracies(gold: Floats, stack: Floats, grouping: str, epsilon: float) -> tuple[Floats, Ints]:
    """acc_eq of each matrix; gold: a stack too."""
    rows = [np.ascontiguousarray(scores.swapaxes(1, 2)).reshape(-1, stack.shape[1]) for scores in (gold, stack)]
    convention = CONVENTIONS["acc_eq"]
    numerator, denominator = (
        sums.reshape(len(stack), -1) for sums in convention.sums(count_by_judgment(*rows, epsilon=epsilon))
    )
    if grouping == "none":
        n_pairs = denominator.sum(axis=1)
        return divide_or_nan(numerator.sum(axis=1), n_pairs), n_pairs.astype(np.int64)
    return mean_and_count(divide_or_nan(numerator, denominator))

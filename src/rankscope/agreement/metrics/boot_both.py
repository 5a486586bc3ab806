"""BOOT-BOTH: statistics of metrics on bootstrap samples of systems and segments, the same samples for all metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rankscope.agreement.metrics.perm_both import ZERO_SQUARES, gold_signs, signs_of
from rankscope.agreement.statistics import divide_or_nan, pair_indices, values_of_means, values_of_stack
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.typing import Floats, Ints

__all__ = [
    "accuracy_of_samples",
    "bootstrap_values",
    "means_of_samples",
    "pearson_of_samples",
    "tau_of_samples",
    "values_by_matrix",
    "weighted_mean",
]


SampleStatistic = Callable[[Floats, Floats], Floats]


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """(resamples) the mean over (resamples, groups), without groups that have no value; NaN where no group has one."""
    present = ~np.isnan(values)
    weighted_sums = np.einsum("rg,rg->r", np.where(present, values, 0.0), weights)
    return divide_or_nan(weighted_sums, np.einsum("rg,rg->r", present.astype(np.float64), weights))


def centre_and_scale(values: Floats, axis: int | None) -> Floats:
    """Deviations from the mean, the greatest of them 1; 0 where there is no value, and for constants."""
    present = ~np.isnan(values)
    n_present = np.maximum(present.sum(axis=axis, keepdims=True), 1)
    filled = np.where(present, values, 0.0)
    max_value = np.abs(filled).max(axis=axis, keepdims=True)
    centred = np.where(present, filled - filled.sum(axis=axis, keepdims=True) / n_present, 0.0)
    max_deviation = np.abs(centred).max(axis=axis, keepdims=True)
    constant = max_deviation <= 1e-10 * max_value
    return np.asarray(np.where(constant, 0.0, centred / np.where(constant, 1.0, max_deviation)))


def pearson_of_samples(gold: Floats, metric: Floats, grouping: str) -> SampleStatistic:
    """A function of how often each system and each segment counts, (resamples, systems) and (resamples, segments).

    The correlation of a group follows from six sums over its cells, each a matrix product with the counts.
    """
    axis = {"none": None, "segment": 0, "system": 1}[grouping]
    x, y = centre_and_scale(gold, axis), centre_and_scale(metric, axis)
    terms = np.stack((~np.isnan(gold), x, y, x * x, y * y, x * y))  # (sums, systems, segments)
    n_systems, n_segments = gold.shape
    by_segment = np.ascontiguousarray(terms.transpose(1, 0, 2)).reshape(n_systems, -1)
    by_system = np.ascontiguousarray(terms.transpose(2, 0, 1)).reshape(n_segments, -1)

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        if grouping == "segment":
            sums = (system_counts @ by_segment).reshape(-1, 6, n_segments)
            return weighted_mean(correlation_from_sums(sums), segment_counts)
        sums = (segment_counts @ by_system).reshape(-1, 6, n_systems)
        if grouping == "system":
            return weighted_mean(correlation_from_sums(sums), system_counts)
        return correlation_from_sums(np.einsum("rks,rs->rk", sums, system_counts)[:, :, None])[:, 0]

    return values


def correlation_from_sums(sums: Floats) -> Floats:
    """(resamples, groups) Pearson's correlation from (resamples, 6, groups): counts and sums of x, y, xx, yy, xy."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, 1, 0)
    n_or_1 = np.maximum(n, 1)
    squares_x, squares_y = xx - x * x / n_or_1, yy - y * y / n_or_1
    spread = np.where(
        (squares_x > ZERO_SQUARES * n_or_1) & (squares_y > ZERO_SQUARES * n_or_1), squares_x * squares_y, 0.0
    )
    return np.clip(divide_or_nan(xy - x * y / n_or_1, np.sqrt(np.maximum(spread, 0.0))), -1.0, 1.0)


def means_of_samples(gold: Floats, metric: Floats, statistic: str) -> SampleStatistic:
    """As `pearson_of_samples`: the statistic of the drawn systems' means, over the drawn segments that each has."""
    present = (~np.isnan(gold)).T.astype(np.float64)
    score_tables = [np.nan_to_num(scores).T for scores in (gold, metric)]

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        n_resamples, n_systems = system_counts.shape
        drawn_systems = np.repeat(
            np.tile(np.arange(n_systems), n_resamples), system_counts.ravel().astype(np.int64)
        ).reshape(n_resamples, -1)
        n_segments = segment_counts @ present
        gold_means, metric_means = (
            np.take_along_axis(divide_or_nan(segment_counts @ scores, n_segments), drawn_systems, axis=1)
            for scores in score_tables
        )
        return values_of_means(gold_means, metric_means, statistic)

    return values


def metric_signs(metric: Floats, epsilon: float) -> npt.NDArray[np.int8]:
    """(segments, pairs) the signs of the metric's differences."""
    first, second = pair_indices(len(metric))
    return signs_of(metric.T[:, first] - metric.T[:, second], epsilon)


def accuracy_of_samples(gold: Floats, metric: Floats, epsilon: float, grouping: str) -> SampleStatistic:
    """acc_eq as a function of how often each system and segment counts; copies of one system tie on both sides."""
    human_signs, paired = gold_signs(gold)
    correct = ((metric_signs(metric, epsilon) == human_signs) & paired).astype(np.float64)
    is_counted = paired.astype(np.float64)
    present = (~np.isnan(gold)).astype(np.float64)
    first, second = pair_indices(len(gold))

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        pair_counts = system_counts[:, first] * system_counts[:, second]
        copies = (system_counts * (system_counts - 1) / 2) @ present
        numerator, denominator = (pair_counts @ table.T + copies for table in (correct, is_counted))
        if grouping == "segment":
            return weighted_mean(divide_or_nan(numerator, denominator), segment_counts)
        numerator, denominator = (np.einsum("rn,rn->r", sums, segment_counts) for sums in (numerator, denominator))
        return divide_or_nan(numerator, denominator)

    return values


def tau_of_samples(gold: Floats, metric: Floats) -> SampleStatistic:
    """Kendall's tau-b of each segment, the mean of those that have one; as `accuracy_of_samples`."""
    human_signs, paired = gold_signs(gold)
    machine_signs = metric_signs(metric, 0.0)
    tables = [
        table.astype(np.float64)
        for table in (machine_signs * human_signs, (human_signs != 0), (machine_signs != 0) & paired)
    ]
    first, second = pair_indices(len(gold))

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        pair_counts = system_counts[:, first] * system_counts[:, second]
        surplus, untied_gold, untied = (pair_counts @ table.T for table in tables)
        return weighted_mean(divide_or_nan(surplus, np.sqrt(untied_gold * untied)), segment_counts)

    return values


def bootstrap_values(
    gold: Floats,
    metrics: Floats,
    statistic: str,
    grouping: str,
    epsilons: Floats,
    system_draws: Draws | None,
    segment_draws: Draws,
    soft: Draws,
) -> Floats:
    """The statistic of each metric on each resample, (metrics, resamples); NaN if it has no value.

    A system that is drawn twice counts as two systems, which tie on both sides; for acc_eq and pairwise accuracy such a
    pair is right.

    Parameters
    ----------
    gold
        Human scores, (systems, segments).
    metrics
        Scores of the metrics, (metrics, systems, segments); NaN at the same cells.
    statistic, grouping
        As in `metric_values`.
    epsilons
        The epsilon of each metric, calibrated on all cells, (metrics).
    system_draws
        Resamples of the systems; None keeps all systems.
    segment_draws
        Resamples of the segments.
    soft
        Swaps for soft pairwise accuracy.
    """
    functions = [
        statistic_by_counts(gold, metric, statistic, grouping, epsilon, soft)
        for metric, epsilon in zip(metrics, epsilons.tolist(), strict=True)
    ]
    values = np.empty((len(metrics), segment_draws.n_resamples))
    start = 0
    for system_counts, segment_counts in sample_counts(gold.shape, system_draws, segment_draws):
        chunk = slice(start, start + len(segment_counts))
        for row, function in zip(values, functions, strict=True):
            row[chunk] = function(system_counts, segment_counts)
        start += len(segment_counts)
    return values


def statistic_by_counts(
    gold: Floats, metric: Floats, statistic: str, grouping: str, epsilon: float, soft: Draws
) -> SampleStatistic:
    """The statistic as a function of counts, fast where there is a fast way, else by building every sample."""
    if statistic == "acc_eq":
        return accuracy_of_samples(gold, metric, epsilon, grouping)
    if statistic == "kendall_b" and grouping == "segment":
        return tau_of_samples(gold, metric)
    if grouping == "means" and statistic != "soft_pairwise_accuracy":
        return means_of_samples(gold, metric, statistic)
    if statistic == "pearson":
        return pearson_of_samples(gold, metric, grouping)
    return values_by_matrix(gold, metric, statistic, grouping, epsilon, soft)


def values_by_matrix(
    gold: Floats, metric: Floats, statistic: str, grouping: str, epsilon: float, soft: Draws
) -> SampleStatistic:
    """The statistic of every sample as a matrix of its own: slow, and for all statistics."""

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        indices = sampled_items(system_counts)[:, :, None], sampled_items(segment_counts)[:, None, :]
        return values_of_stack(gold[indices], metric[indices], statistic, grouping, epsilon, soft)[0]

    return values


def sample_counts(
    shape: tuple[int, ...], system_draws: Draws | None, segment_draws: Draws
) -> Iterator[tuple[Floats, Floats]]:
    """(resamples, systems) and (resamples, segments), chunk by chunk: how often each is in the sample."""
    n_cells = shape[0] * shape[1]
    segment_counts = bootstrap_counts(segment_draws, shape[1], n_cells)
    if system_draws is None:
        for counts in segment_counts:
            yield np.ones((len(counts), shape[0])), counts
    else:
        yield from zip(bootstrap_counts(system_draws, shape[0], n_cells), segment_counts, strict=True)


def sampled_items(counts: Floats) -> Ints:
    """(resamples, items) the items of each sample, each as often as it was drawn."""
    n_resamples, n = counts.shape
    items = np.broadcast_to(np.arange(n), (n_resamples, n)).ravel()
    return np.repeat(items, counts.ravel().astype(np.int64)).reshape(n_resamples, n)

"""BOOT-BOTH: the statistics of metrics on systems and segments drawn with replacement, the same for all metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rankscope.agreement.metrics.perm_both import FLAT, gold_signs, signs_of
from rankscope.agreement.statistics import divide_or_nan, pair_places, values_of_means, values_of_stack
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.typing import Floats, Ints

__all__ = [
    "accuracy_of_samples",
    "bootstrap_values",
    "means_of_samples",
    "pearson_of_samples",
    "plain_values",
    "tau_of_samples",
    "weighted_mean",
]


SampleStatistic = Callable[[Floats, Floats], Floats]


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """(resamples) of (resamples, groups), without groups that have no value; NaN where no group has one."""
    there = ~np.isnan(values)
    above = np.einsum("rg,rg->r", np.where(there, values, 0.0), weights)
    return divide_or_nan(above, np.einsum("rg,rg->r", there.astype(np.float64), weights))


def centre_and_scale(values: Floats, axis: int | None) -> Floats:
    """About the mean, the greatest 1 from it; 0 where there is no value, and of constants."""
    there = ~np.isnan(values)
    many = np.maximum(there.sum(axis=axis, keepdims=True), 1)
    filled = np.where(there, values, 0.0)
    most = np.abs(filled).max(axis=axis, keepdims=True)
    centred = np.where(there, filled - filled.sum(axis=axis, keepdims=True) / many, 0.0)
    reach = np.abs(centred).max(axis=axis, keepdims=True)
    flat = reach <= 1e-10 * most
    return np.asarray(np.where(flat, 0.0, centred / np.where(flat, 1.0, reach)))


def pearson_of_samples(gold: Floats, metric: Floats, grouping: str) -> SampleStatistic:
    """A function of how often each system and each segment counts, (resamples, systems) and (resamples, segments).

    The correlation of a group follows from six sums over its cells, each a matrix product with the counts.
    """
    axis = {"none": None, "segment": 0, "system": 1}[grouping]
    x, y = centre_and_scale(gold, axis), centre_and_scale(metric, axis)
    cells = np.stack((~np.isnan(gold), x, y, x * x, y * y, x * y))  # (sums, systems, segments)
    systems, segments = gold.shape
    by_segment = np.ascontiguousarray(cells.transpose(1, 0, 2)).reshape(systems, -1)
    by_system = np.ascontiguousarray(cells.transpose(2, 0, 1)).reshape(segments, -1)

    def values(of_systems: Floats, of_segments: Floats) -> Floats:
        if grouping == "segment":
            sums = (of_systems @ by_segment).reshape(-1, 6, segments)
            return weighted_mean(correlation_from_sums(sums), of_segments)
        sums = (of_segments @ by_system).reshape(-1, 6, systems)
        if grouping == "system":
            return weighted_mean(correlation_from_sums(sums), of_systems)
        return correlation_from_sums(np.einsum("rks,rs->rk", sums, of_systems)[:, :, None])[:, 0]

    return values


def correlation_from_sums(sums: Floats) -> Floats:
    """(resamples, groups) of (resamples, 6, groups): cells, x, y, their squares and products."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, 1, 0)
    some = np.maximum(n, 1)
    own_x, own_y = xx - x * x / some, yy - y * y / some
    spread = np.where((own_x > FLAT * some) & (own_y > FLAT * some), own_x * own_y, 0.0)
    return np.clip(divide_or_nan(xy - x * y / some, np.sqrt(np.maximum(spread, 0.0))), -1.0, 1.0)


def means_of_samples(gold: Floats, metric: Floats, statistic: str) -> SampleStatistic:
    """As `pearson_of_samples`: of the means of the systems drawn, over the segments drawn that each has."""
    there = (~np.isnan(gold)).T.astype(np.float64)
    sides = [np.nan_to_num(side).T for side in (gold, metric)]

    def values(of_systems: Floats, of_segments: Floats) -> Floats:
        rows, systems = of_systems.shape
        drawn = np.repeat(np.tile(np.arange(systems), rows), of_systems.ravel().astype(np.int64)).reshape(rows, -1)
        many = of_segments @ there
        people, machine = (np.take_along_axis(divide_or_nan(of_segments @ side, many), drawn, axis=1) for side in sides)
        return values_of_means(people, machine, statistic)

    return values


def metric_signs(metric: Floats, epsilon: float) -> npt.NDArray[np.int8]:
    """(segments, pairs) the sign of the metric's differences."""
    first, second = pair_places(len(metric))
    return signs_of(metric.T[:, first] - metric.T[:, second], epsilon)


def accuracy_of_samples(gold: Floats, metric: Floats, epsilon: float, grouping: str) -> SampleStatistic:
    """acc_eq as a function of how often each system and segment counts; copies of one system tie on both sides."""
    people, there = gold_signs(gold)
    right = ((metric_signs(metric, epsilon) == people) & there).astype(np.float64)
    counted = there.astype(np.float64)
    present = (~np.isnan(gold)).astype(np.float64)
    first, second = pair_places(len(gold))

    def values(of_systems: Floats, of_segments: Floats) -> Floats:
        both = of_systems[:, first] * of_systems[:, second]
        copies = (of_systems * (of_systems - 1) / 2) @ present
        above, below = (both @ table.T + copies for table in (right, counted))
        if grouping == "segment":
            return weighted_mean(divide_or_nan(above, below), of_segments)
        above, below = (np.einsum("rn,rn->r", side, of_segments) for side in (above, below))
        return divide_or_nan(above, below)

    return values


def tau_of_samples(gold: Floats, metric: Floats) -> SampleStatistic:
    """Kendall's tau-b of each segment, the mean of those that have one; as `accuracy_of_samples`."""
    people, there = gold_signs(gold)
    signs = metric_signs(metric, 0.0)
    tables = [table.astype(np.float64) for table in (signs * people, (people != 0), (signs != 0) & there)]
    first, second = pair_places(len(gold))

    def values(of_systems: Floats, of_segments: Floats) -> Floats:
        both = of_systems[:, first] * of_systems[:, second]
        surplus, untied_gold, untied = (both @ table.T for table in tables)
        return weighted_mean(divide_or_nan(surplus, np.sqrt(untied_gold * untied)), of_segments)

    return values


def bootstrap_values(
    gold: Floats,
    metrics: Floats,
    statistic: str,
    grouping: str,
    epsilons: Floats,
    systems: Draws | None,
    segments: Draws,
    soft: Draws,
) -> Floats:
    """(metrics, resamples) the statistic on each sample, NaN where it has no value.

    gold: (systems, segments), metrics: (metrics, systems, segments), NaN alike. systems: the draws of systems, None to
    keep all; segments: those of segments. A system that is drawn twice is two systems, which tie with each other; of
    acc_eq and pairwise accuracy both sides do, so such a pair is right. epsilons: as they were found on all.
    """
    functions = [
        function_of(gold, metric, statistic, grouping, epsilon, soft)
        for metric, epsilon in zip(metrics, epsilons.tolist(), strict=True)
    ]
    found = np.empty((len(metrics), segments.n_resamples))
    done = 0
    for of_systems, of_segments in sample_counts(gold.shape, systems, segments):
        part = slice(done, done + len(of_segments))
        for row, function in zip(found, functions, strict=True):
            row[part] = function(of_systems, of_segments)
        done += len(of_segments)
    return found


def function_of(
    gold: Floats, metric: Floats, statistic: str, grouping: str, epsilon: float, soft: Draws
) -> SampleStatistic:
    """The statistic by counts where there is a fast way, else in the plain one."""
    if statistic == "acc_eq":
        return accuracy_of_samples(gold, metric, epsilon, grouping)
    if statistic == "kendall_b" and grouping == "segment":
        return tau_of_samples(gold, metric)
    if grouping == "means" and statistic != "soft_pairwise_accuracy":
        return means_of_samples(gold, metric, statistic)
    if statistic == "pearson":
        return pearson_of_samples(gold, metric, grouping)
    return plain_values(gold, metric, statistic, grouping, epsilon, soft)


def plain_values(
    gold: Floats, metric: Floats, statistic: str, grouping: str, epsilon: float, soft: Draws
) -> SampleStatistic:
    """Every sample is put together, and its statistic taken; for all statistics, and slow."""

    def values(systems: Floats, segments: Floats) -> Floats:
        at = sampled_items(systems)[:, :, None], sampled_items(segments)[:, None, :]
        return values_of_stack(gold[at], metric[at], statistic, grouping, epsilon, soft)[0]

    return values


def sample_counts(shape: tuple[int, ...], systems: Draws | None, segments: Draws) -> Iterator[tuple[Floats, Floats]]:
    """(resamples, systems) and (resamples, segments), chunk by chunk: how often each is in the sample."""
    width = shape[0] * shape[1]
    of_segments = bootstrap_counts(segments, shape[1], width)
    if systems is None:
        for counts in of_segments:
            yield np.ones((len(counts), shape[0])), counts
    else:
        yield from zip(bootstrap_counts(systems, shape[0], width), of_segments, strict=True)


def sampled_items(counts: Floats) -> Ints:
    """(resamples, items) the items of each sample, each as often as it counts."""
    rows, n = counts.shape
    items = np.broadcast_to(np.arange(n), (rows, n)).ravel()
    return np.repeat(items, counts.ravel().astype(np.int64)).reshape(rows, n)

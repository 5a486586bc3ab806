"""The statistics of metrics on systems and segments drawn with replacement, the same for all metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankscope.agreement.drawn_cells import means_of_samples, pearson_of_samples
from rankscope.agreement.drawn_pairs import accuracy_of_samples, tau_of_samples
from rankscope.agreement.metric_statistics import values_of_stack
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.typing import Floats, Ints

__all__ = ["bootstrap_values", "plain_values"]

#: How often each system and each segment is in each sample, (resamples, systems) and (resamples, segments) -> values.
SampleStatistic = Callable[[Floats, Floats], Floats]


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

"""BOOT-BOTH: statistics of metrics on bootstrap samples of systems and segments, the same samples for all metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankscope.agreement.metrics.perm_both import ZERO_SQUARES, gold_signs, signs_of
from rankscope.agreement.statistics import (
    AgreementStatistic,
    AlignedScores,
    KendallConvention,
    correlate_rows,
    divide_or_nan,
    kinds_of,
    mean_by_segment,
    pair_indices,
    sampled_items,
    soft_pairwise_accuracies,
    sum_by_code,
    values_of_cells,
    values_of_means,
)
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.typing import Floats

__all__ = [
    "bootstrap_values",
    "means_of_samples",
    "pairs_of_samples",
    "pearson_of_samples",
    "tau_of_samples",
    "values_by_sample",
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


def pearson_of_samples(scores: AlignedScores, metric: Floats, grouping: str) -> SampleStatistic:
    """A function of how often each system and each segment counts, (resamples, systems) and (resamples, segments).

    The correlation of a group follows from six sums over its cells, each a matrix product with the counts.
    """
    axis = {"none": None, "segment": 0, "system": 1}[grouping]
    gold = scores.by_system(scores.people)
    x, y = centre_and_scale(gold, axis), centre_and_scale(scores.by_system(metric), axis)
    terms = np.stack((~np.isnan(gold), x, y, x * x, y * y, x * y))  # (sums, systems, lists)
    n_systems, n_lists = gold.shape
    n_segments = len(scores.segments)
    by_list = np.ascontiguousarray(terms.transpose(1, 0, 2)).reshape(n_systems, -1)
    if not scores.is_grid:
        by_segment = sum_by_code(terms.reshape(-1, n_lists), scores.segment, n_segments)
        terms = by_segment.reshape(-1, n_systems, n_segments)
    by_system = np.ascontiguousarray(terms.transpose(2, 0, 1)).reshape(n_segments, -1)

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        if grouping == "segment":
            sums = (system_counts @ by_list).reshape(-1, 6, n_lists)
            return weighted_mean(mean_by_segment(scores, correlation_from_sums(sums)), segment_counts)
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


def means_of_samples(scores: AlignedScores, metric: Floats, statistic: str) -> SampleStatistic:
    """As `pearson_of_samples`: the statistic of the drawn systems' means, over the drawn segments that each has."""
    gold, metric = scores.gold_matrix, metric.T
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


def pairs_of_samples(
    scores: AlignedScores, metric: Floats, convention: KendallConvention, epsilon: float, grouping: str
) -> SampleStatistic:
    """As `pearson_of_samples`: the value of a convention; copies of one system tie on both sides."""
    n_systems, n_segments = len(scores.systems), len(scores.segments)
    first, second = pair_indices(scores.people.shape[1])
    kinds = kinds_of(scores.people, metric, epsilon=epsilon, least=convention.min_difference)
    systems = np.maximum(scores.system, 0)
    pair_of_systems = np.zeros((n_systems, n_systems), np.int64)
    i, j = pair_indices(n_systems)
    pair_of_systems[i, j] = pair_of_systems[j, i] = np.arange(i.size)
    codes = pair_of_systems[systems[:, first], systems[:, second]] * n_segments + scores.segment[:, None]
    tables = [
        sum_by_code(np.append(cells, 0.0)[kinds].reshape(1, -1), codes.ravel(), i.size * n_segments).reshape(
            i.size, n_segments
        )
        for cells in (convention.numerator, convention.denominator)
    ]
    present = ~np.isnan(scores.people)
    n_present = sum_by_code(present.astype(np.float64).reshape(1, -1), scores.cell.ravel(), n_segments * n_systems)
    tie = convention.tied_both if convention.min_difference == 0 else None
    copies = [
        credit * np.ascontiguousarray(n_present.reshape(n_segments, n_systems).T)
        for credit in ((0.0, 0.0) if tie is None else (tie, 1.0))
    ]

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        if grouping == "system":
            return weighted_mean(by_system(system_counts, segment_counts), system_counts)
        pair_counts = system_counts[:, i] * system_counts[:, j]
        copy_counts = system_counts * (system_counts - 1) / 2
        sums = [
            pair_counts @ table + copy_counts @ copy_table for table, copy_table in zip(tables, copies, strict=True)
        ]
        if grouping == "segment":
            return weighted_mean(divide_or_nan(*sums), segment_counts)
        return divide_or_nan(*(np.einsum("rn,rn->r", by_segment, segment_counts) for by_segment in sums))

    def by_system(system_counts: Floats, segment_counts: Floats) -> Floats:
        """(resamples, systems) the value of each copy of a system: of its pairs with others, and with its copies."""
        sums = []
        for table, copy_table in zip(tables, copies, strict=True):
            of_pairs = segment_counts @ table.T
            square = np.zeros((len(of_pairs), n_systems, n_systems))
            square[:, i, j] = square[:, j, i] = of_pairs
            with_others = np.einsum("rab,rb->ra", square, system_counts)
            sums.append(with_others + (system_counts - 1) * (segment_counts @ copy_table.T))
        return divide_or_nan(*sums)

    return values


def tau_of_samples(scores: AlignedScores, metric: Floats) -> SampleStatistic:
    """As `pearson_of_samples`: Kendall's tau-b of each list, the mean of those that have one; copies tie."""
    human_signs, paired = gold_signs(scores.by_system(scores.people))
    first, second = pair_indices(len(scores.systems))
    by_list = scores.by_system(metric).T
    machine_signs = signs_of(by_list[:, first] - by_list[:, second], 0.0)
    tables = [
        table.astype(np.float64)
        for table in (machine_signs * human_signs, (human_signs != 0), (machine_signs != 0) & paired)
    ]

    def values(system_counts: Floats, segment_counts: Floats) -> Floats:
        pair_counts = system_counts[:, first] * system_counts[:, second]
        surplus, untied_gold, untied = (pair_counts @ table.T for table in tables)
        taus = divide_or_nan(surplus, np.sqrt(untied_gold * untied))
        return weighted_mean(mean_by_segment(scores, taus), segment_counts)

    return values


def bootstrap_values(
    scores: AlignedScores,
    statistic: AgreementStatistic,
    grouping: str,
    epsilons: Floats,
    system_draws: Draws | None,
    segment_draws: Draws,
    soft: Draws,
) -> Floats:
    """The statistic of each metric on each resample, (metrics, resamples); NaN if it has no value.

    A system that is drawn twice counts as two systems, which tie on both sides; where such ties count as right, as for
    acc_eq and pairwise accuracy, such a pair is right.

    Parameters
    ----------
    scores
        The scores; NaN where people or any metric have none.
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
        statistic_by_counts(scores, metric, statistic, grouping, epsilon, soft)
        for metric, epsilon in zip(scores.metrics, epsilons.tolist(), strict=True)
    ]
    values = np.empty((len(functions), segment_draws.n_resamples))
    start = 0
    for system_counts, segment_counts in sample_counts(scores, system_draws, segment_draws):
        chunk = slice(start, start + len(segment_counts))
        for row, function in zip(values, functions, strict=True):
            row[chunk] = function(system_counts, segment_counts)
        start += len(segment_counts)
    return values


def statistic_by_counts(
    scores: AlignedScores, metric: Floats, statistic: AgreementStatistic, grouping: str, epsilon: float, soft: Draws
) -> SampleStatistic:
    """The statistic as a function of counts, fast where there is a fast way, else by building every sample."""
    if statistic.convention is not None:
        return pairs_of_samples(scores, metric, statistic.convention, epsilon, grouping)
    if statistic.name == "kendall_b" and grouping == "segment":
        return tau_of_samples(scores, metric)
    if grouping == "means" and statistic.name != "soft_pairwise_accuracy":
        return means_of_samples(scores, metric, statistic.name)
    if statistic.name == "pearson":
        return pearson_of_samples(scores, metric, grouping)
    return values_by_sample(scores, metric, statistic, grouping, soft)


def values_by_sample(
    scores: AlignedScores, metric: Floats, statistic: AgreementStatistic, grouping: str, soft: Draws
) -> SampleStatistic:
    """The statistic of every sample, put together: slow."""
    gold, by_system = (scores.by_system(values) for values in (scores.people, metric))
    n_systems, n_lists = gold.shape

    def by_list(system_counts: Floats, segment_counts: Floats) -> Floats:
        systems = sampled_items(system_counts)
        rows = [matrix[systems].swapaxes(1, 2).reshape(-1, n_systems) for matrix in (gold, by_system)]
        values = correlate_rows(rows[0], rows[1], statistic.name).reshape(len(systems), n_lists)
        return weighted_mean(mean_by_segment(scores, values), segment_counts)

    def at_once(system_counts: Floats, segment_counts: Floats) -> Floats:
        return of_cells(sampled_items(system_counts), sampled_items(segment_counts))

    def soft_accuracy(system_counts: Floats, segment_counts: Floats) -> Floats:
        indices = sampled_items(system_counts)[:, :, None], sampled_items(segment_counts)[:, None, :]
        return soft_pairwise_accuracies(gold[indices], by_system[indices], soft)

    if grouping == "means":
        return soft_accuracy
    of_cells = values_of_cells(scores, metric, statistic.name, grouping)
    return by_list if grouping == "segment" else at_once


def sample_counts(
    scores: AlignedScores, system_draws: Draws | None, segment_draws: Draws
) -> Iterator[tuple[Floats, Floats]]:
    """(resamples, systems) and (resamples, segments), chunk by chunk: how often each is in the sample."""
    n_systems, n_segments = len(scores.systems), len(scores.segments)
    n_cells = n_systems * max(n_segments, len(scores.segment))
    segment_counts = bootstrap_counts(segment_draws, n_segments, n_cells)
    if system_draws is None:
        for counts in segment_counts:
            yield np.ones((len(counts), n_systems)), counts
    else:
        yield from zip(bootstrap_counts(system_draws, n_systems, n_cells), segment_counts, strict=True)

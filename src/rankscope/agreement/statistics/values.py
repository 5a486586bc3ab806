"""Values of the statistics on aligned scores: of each metric, of each matrix of a stack, and on drawn segments.

What can is a sum over segments, so that a bootstrap over segments is one matrix product; the rest is computed on each
sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.statistics.aligned import AlignedScores, cell_table, from_matrices, sum_by_code
from rankscope.agreement.statistics.kendall import (
    KendallConvention,
    calibrate,
    count_by_item,
    count_by_judgment,
    pair_indices,
)
from rankscope.agreement.statistics.registry import AgreementStatistic, check_statistic
from rankscope.agreement.statistics.system_statistics import TAU_AP, soft_pairwise_accuracies, system_statistic
from rankscope.errors import ParameterError
from rankscope.kernels.order import stable_order
from rankscope.kernels.resample import Draws, bootstrap_counts, draw
from rankscope.kernels.rounding_ties import join_ties
from rankscope.stats.correlation_values import make_list_pairs
from rankscope.stats.inputs import as_generator, check_count
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "StatisticValues",
    "bootstrap_segments",
    "correlate_rows",
    "divide_or_nan",
    "epsilons_of",
    "evaluate_scores",
    "mean_and_count",
    "mean_by_segment",
    "mean_over_segments",
    "metric_values",
    "sampled_items",
    "system_means",
    "values_of_cells",
    "values_of_means",
    "values_of_stack",
]


#: How many sums a ratio has (numerator, denominator), and a correlation (n, x, y, xx, yy, xy).
RATIO, MOMENTS = 2, 6


class StatisticValues(NamedTuple):
    """A statistic of each metric.

    Attributes
    ----------
    value
        (metrics) higher is better; NaN if there is none.
    n
        (metrics) with grouping "segment" or "system", the number of segments or systems with a value; with "means", of
        systems (for pairwise accuracies, of pairs of systems); with "none", of translations (for statistics of pairs,
        of pairs).
    epsilon
        (metrics) largest difference that is a tie of the metric; NaN if there is none.
    sums
        For each metric the sums from which the value follows, (segments, groups, RATIO or MOMENTS); None where it does
        not follow from sums over segments.
    """

    value: Floats
    n: Ints
    epsilon: Floats
    sums: tuple[Floats | None, ...]


def metric_values(
    gold: npt.ArrayLike,
    metrics: npt.ArrayLike,
    *,
    statistic: str = "pearson",
    grouping: str = "segment",
    epsilon: float | None = None,
    n_resamples: int = 1000,
    rng: Any = None,
) -> StatisticValues:
    """How well each metric agrees with people; higher is better.

    Parameters
    ----------
    gold
        Human scores, (systems, segments), where higher is better; NaN if there is no score.
    metrics
        Scores of one metric, in the same shape, or of several, (metrics, systems, segments), where higher is better. A
        cell without a score in gold or in any metric is skipped for all of them.
    statistic
        "pearson", "spearman", "kendall_b", "kendall_c": correlations in [-1, 1]. "acc_eq": share of the pairs of
        systems on a segment that the metric orders, or ties, as people do; also the other statistics of pairs, as
        "wmt14". "pairwise_accuracy": the share of pairs of systems by their means. "soft_pairwise_accuracy": 1 minus
        the mean difference between the p-values of both sides. The accuracies are in [0, 1].
    grouping
        "none": all cells, or for statistics of pairs all pairs, at once. "segment": over systems in each segment, then
        the mean over segments with a value. "system": over segments for each system, then the mean over systems.
        "means": over the means of the systems.
    epsilon
        For statistics of pairs: largest difference that is a tie of the metric. Default: for acc_eq calibrated for each
        metric on these scores (0 by system), else 0.
    n_resamples
        Number of sign swaps for soft pairwise accuracy.
    rng
        Random seed or generator for the swaps, which are the same for people and all metrics.

    Returns
    -------
    StatisticValues
        The values; arrays have the shape (metrics). Fewer than two systems (or segments), and lists of equal values,
        have no correlation; the value is NaN if no list has one.

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
    >>> found.value.round(4).tolist(), found.n.tolist()
    ([0.6667], [3])
    """
    entry = check_statistic(statistic, grouping, epsilon)
    check_count("n_resamples", n_resamples)
    generator = as_generator(rng)
    scores = from_matrices(gold, metrics).common(drop_empty=True)
    epsilons = epsilons_of(scores, entry, grouping, epsilon)
    return evaluate_scores(scores, entry, grouping, epsilons, draw(generator, n_resamples))


def epsilons_of(
    scores: AlignedScores, statistic: AgreementStatistic, grouping: str, epsilon: float | str | None = None
) -> Floats:
    """(metrics) the epsilon of each; NaN where the statistic has none, or where there is no pair to calibrate it on.

    Parameters
    ----------
    scores
        The scores.
    statistic, grouping
        What is computed.
    epsilon
        The epsilon; "calibrated" for the one with the highest value. None: calibrated for acc_eq, unless by system,
        else 0.
    """
    n_metrics = len(scores.metrics)
    if statistic.convention is None:
        return np.full(n_metrics, np.nan)
    if not statistic.is_calibrated(grouping, epsilon):
        return np.full(n_metrics, float(epsilon or 0.0))
    if scores.weight is not None:
        raise ParameterError("epsilon cannot be calibrated on weighted judgments; give it as a number")
    return np.array(
        [
            calibrate(
                scores.people, metric, convention=statistic.convention, grouping=grouping, segment=scores.segment
            ).epsilon
            for metric in scores.metrics
        ]
    )


def evaluate_scores(
    scores: AlignedScores, statistic: AgreementStatistic, grouping: str, epsilons: Floats, soft: Draws | None = None
) -> StatisticValues:
    """The statistic of each metric, on the translations that people and this metric have a score of.

    Parameters
    ----------
    scores
        The scores.
    statistic, grouping
        What is computed.
    epsilons
        (metrics) largest difference that is a tie of the metric.
    soft
        Swaps for soft pairwise accuracy.
    """
    values, counts = [], []
    sums: list[Floats | None] = []
    for metric, epsilon in zip(scores.metrics, epsilons.tolist(), strict=True):
        value, n, metric_sums = values_and_sums(scores, metric[None], statistic, grouping, epsilon, soft)
        values.append(value[0])
        counts.append(n[0])
        if metric_sums is None and statistic.name == "pearson" and grouping in ("none", "system"):
            sums.append(moments(scores, metric, grouping))
        else:
            sums.append(None if metric_sums is None else metric_sums[0])
    return StatisticValues(np.array(values), np.array(counts, np.int64), epsilons, tuple(sums))


def values_of_stack(
    scores: AlignedScores,
    stack: Floats,
    statistic: AgreementStatistic,
    grouping: str,
    epsilon: float = np.nan,
    soft: Draws | None = None,
) -> Floats:
    """(matrices) the statistic of each matrix of a stack.

    Parameters
    ----------
    scores
        The scores of people.
    stack
        Scores of metrics, (matrices, lists, items); NaN at the same cells.
    statistic, grouping
        What is computed.
    epsilon
        Largest difference that is a tie of the metric.
    soft
        Swaps for soft pairwise accuracy.
    """
    return values_and_sums(scores, stack, statistic, grouping, epsilon, soft)[0]


def values_and_sums(
    scores: AlignedScores,
    stack: Floats,
    statistic: AgreementStatistic,
    grouping: str,
    epsilon: float,
    soft: Draws | None,
) -> tuple[Floats, Ints, Floats | None]:
    """(matrices) the values and what they are over, and their sums, (matrices, segments, groups, RATIO), if any."""
    n = len(stack)
    if grouping == "means":
        gold, matrices = scores.gold_matrix, stack.swapaxes(1, 2)
        n_systems = len(gold)
        n_pairs = n_systems * (n_systems - 1) // 2
        if statistic.name == "soft_pairwise_accuracy":
            assert soft is not None
            return soft_pairwise_accuracies(gold, matrices, soft), np.full(n, n_pairs), None
        values = values_of_means(system_means(gold[None]), system_means(matrices), statistic.name)
        return values, np.full(n, n_pairs if statistic.name == "pairwise_accuracy" else n_systems), None
    if statistic.convention is not None:
        sums, n_of = pair_sums(scores, stack, statistic.convention, grouping, 0.0 if np.isnan(epsilon) else epsilon)
    elif grouping == "segment":
        sums, n_of = correlation_sums(scores, stack, statistic.name)
    else:
        return *flat_correlations(scores, stack, statistic.name, grouping), None
    if grouping == "segment" and scores.weight is None:
        return mean_and_count(np.where(sums[:, :, 0, 1] > 0, sums[:, :, 0, 0], np.nan))[0], n_of, sums
    return values_from_sums(sums.sum(axis=1)), n_of, sums


def pair_sums(
    scores: AlignedScores, stack: Floats, convention: KendallConvention, grouping: str, epsilon: float
) -> tuple[Floats, Ints]:
    """The sums of a convention's values, (matrices, segments, groups, RATIO), and (matrices) what they are over.

    A system's pairs are those of its translations with others of the same list.
    """
    n, (n_lists, n_items) = len(stack), scores.people.shape
    rows = np.broadcast_to(scores.people, stack.shape).reshape(-1, n_items), stack.reshape(-1, n_items)
    n_segments, n_groups = len(scores.segments), 1
    least = convention.min_difference
    if grouping == "system":
        n_groups = len(scores.systems)
        tables = convention.sums(count_by_item(*rows, epsilon=epsilon, least=least))
        codes, weights = scores.cell, scores.weights[:, None]
    else:
        tables = convention.sums(count_by_judgment(*rows, epsilon=epsilon, least=least))
        codes, weights = scores.segment, scores.weights
    by_list = [table.reshape(n, n_lists, -1) * weights.reshape(n_lists, -1) for table in tables]
    numerators, denominators = (
        sum_by_code(table.reshape(n, -1), codes.ravel(), n_segments * n_groups) for table in by_list
    )
    if grouping == "segment":
        counted = (by_list[1] > 0)[:, :, 0]
        return mean_sums(scores, divide_or_nan(numerators, denominators), counted), np.count_nonzero(
            denominators, axis=1
        )
    sums = np.stack((numerators, denominators), axis=-1).reshape(n, n_segments, n_groups, RATIO)
    if grouping == "system":
        return sums, np.count_nonzero(sums[..., 1].sum(axis=1), axis=1)
    return sums, tables[1].reshape(n, -1).sum(axis=1).astype(np.int64)


def correlation_sums(scores: AlignedScores, stack: Floats, statistic: str) -> tuple[Floats, Ints]:
    """As `pair_sums`: of each list's correlation, the mean over the lists of a segment, then over segments."""
    n, (n_lists, n_items) = len(stack), scores.people.shape
    people = np.broadcast_to(scores.people, stack.shape).reshape(-1, n_items)
    values = correlate_rows(people, stack.reshape(-1, n_items), statistic).reshape(n, n_lists)
    present = ~np.isnan(values)
    by_segment = mean_by_segment(scores, values)
    return mean_sums(scores, by_segment, present), np.count_nonzero(~np.isnan(by_segment), axis=1)


def mean_by_segment(scores: AlignedScores, values: Floats) -> Floats:
    """(rows, segments) the mean of each segment's lists that have a value; values: (rows, lists)."""
    if scores.is_grid:
        return values
    present = ~np.isnan(values)
    weighted = [
        sum_by_code(table * scores.weights, scores.segment, len(scores.segments))
        for table in (np.where(present, values, 0.0), present)
    ]
    return divide_or_nan(*weighted)


def mean_over_segments(scores: AlignedScores, values: Floats) -> Floats:
    """(rows) the mean over segments of the means of their lists that have a value; values: (rows, lists)."""
    if scores.weight is None:
        return mean_and_count(mean_by_segment(scores, values))[0]
    return values_from_sums(mean_sums(scores, mean_by_segment(scores, values), ~np.isnan(values)).sum(axis=1))


def mean_sums(scores: AlignedScores, values: Floats, counted: Bools) -> Floats:
    """(rows, segments, 1, RATIO) sums of segments' values, (rows, segments), each weighing as one however often it was
    judged, or as much as its lists do on average; counted: (rows, lists) those that it has its value from.
    """
    share = (~np.isnan(values)).astype(np.float64)
    if scores.weight is not None:
        n_segments = len(scores.segments)
        weights = sum_by_code(counted * scores.weight, scores.segment, n_segments)
        n_counted = sum_by_code(counted.astype(np.float64), scores.segment, n_segments)
        share *= np.nan_to_num(divide_or_nan(weights, n_counted))
    return np.stack((np.nan_to_num(values) * share, share), axis=-1)[:, :, None, :]


def flat_correlations(scores: AlignedScores, stack: Floats, statistic: str, grouping: str) -> tuple[Floats, Ints]:
    """(matrices) the correlation of all translations at once, or the mean of those of each system."""
    present = ~(np.isnan(scores.people) | np.isnan(stack[0]))
    if scores.is_grid and scores.weight is None:
        n_groups = 1 if grouping == "none" else len(scores.systems)
        sides = [side.swapaxes(1, 2).reshape(len(side), n_groups, -1) for side in (scores.people[None], stack)]
        by_group = correlate_tables(sides[0], sides[1], statistic)
    else:
        by_group = grouped_correlations(scores, stack, present, statistic, grouping)
    if grouping == "none":
        return by_group[:, 0], np.full(len(stack), np.count_nonzero(present))
    return mean_and_count(by_group)


def grouped_correlations(scores: AlignedScores, stack: Floats, present: Bools, statistic: str, grouping: str) -> Floats:
    """(matrices, groups) the correlation of each group's translations; present: (lists, items) where both sides have a
    score.
    """
    people, values = scores.people[present], stack[:, present]
    if grouping == "none":
        table = np.arange(people.size)[None]
    else:
        table = cell_table(scores.system[present], len(scores.systems))
    if scores.weight is None:
        return correlate_tables(gather(people, table)[None], gather(values, table), statistic)
    weights = np.append(np.broadcast_to(scores.weight[:, None], present.shape)[present], 0.0)[table]
    return np.stack([weighted_pearson(gather(people, table), gather(row, table), weights) for row in values])


def gather(values: Floats, table: Ints) -> Floats:
    """(..., groups, places) the values, (..., n), of a table of places; NaN where it has -1."""
    if table.size and table.min() >= 0:
        return values[..., table]
    padded = np.concatenate((values, np.full((*values.shape[:-1], 1), np.nan)), axis=-1)
    return padded[..., table]


def correlate_tables(people: Floats, values: Floats, statistic: str) -> Floats:
    """(matrices, groups) the correlation of each row; both (matrices, groups, items), people possibly 1 for all."""
    n_items = values.shape[-1]
    if not n_items:
        return np.full(values.shape[:-1], np.nan)
    rows = np.broadcast_to(people, values.shape).reshape(-1, n_items), values.reshape(-1, n_items)
    return correlate_rows(*rows, statistic).reshape(values.shape[:-1])


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """(groups) Pearson's correlation of weighted items, (groups, items); NaN where an item is missing."""
    weights = np.where(np.isnan(x) | np.isnan(y), 0.0, weights)
    total = weights.sum(axis=1, keepdims=True)
    means = (divide_or_nan((weights * np.nan_to_num(side)).sum(axis=1, keepdims=True), total) for side in (x, y))
    x, y = (np.where(weights > 0, side - mean, 0.0) for side, mean in zip((x, y), means, strict=True))
    sums = [total[:, 0], *((weights * terms).sum(axis=1) for terms in (x, y, x * x, y * y, x * y))]
    return correlations_from_moments(np.stack(sums, axis=-1))


def moments(scores: AlignedScores, metric: Floats, grouping: str) -> Floats:
    """(segments, groups, MOMENTS) the sums from which Pearson's correlation follows, of values on one scale."""
    present = ~(np.isnan(scores.people) | np.isnan(metric))
    segments = np.broadcast_to(scores.segment[:, None], present.shape)[present]
    weights = np.broadcast_to(scores.weights[:, None], present.shape)[present]
    n_groups = 1 if grouping == "none" else len(scores.systems)
    group = np.zeros_like(segments) if grouping == "none" else scores.system[present]
    # Centred by group: sums of squares then lose no digits to the mean.
    x, y = (centre_and_scale(values[present], group, n_groups) for values in (scores.people, metric))
    cells = segments * n_groups + group
    terms = np.stack((np.ones_like(x), x, y, x * x, y * y, x * y))
    columns = sum_by_code(terms if scores.weight is None else terms * weights, cells, len(scores.segments) * n_groups)
    return np.ascontiguousarray(columns.T).reshape(len(scores.segments), n_groups, MOMENTS)


def centre_and_scale(values: Floats, group: Ints, n_groups: int) -> Floats:
    group_sizes = np.maximum(np.bincount(group, minlength=n_groups), 1)
    deviations = values - (np.bincount(group, values, n_groups) / group_sizes)[group]
    scale = float(np.abs(deviations).max(initial=0))
    return deviations / scale if scale else deviations


def values_from_sums(sums: Floats) -> Floats:
    """(..., groups, sums) the mean over the groups that have a value; NaN where none has."""
    of_ratios = sums.shape[-1] == RATIO
    values = divide_or_nan(sums[..., 0], sums[..., 1]) if of_ratios else correlations_from_moments(sums)
    present = ~np.isnan(values)
    return divide_or_nan(np.where(present, values, 0.0).sum(axis=-1), present.sum(axis=-1))


def correlations_from_moments(sums: Floats) -> Floats:
    """Pearson's correlation from (..., MOMENTS); NaN where a side is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = (n * xx - x * x) * (n * yy - y * y)
    constant = (n * xx - x * x <= 1e-12 * n * xx) | (n * yy - y * y <= 1e-12 * n * yy)
    values = divide_or_nan(n * xy - x * y, np.sqrt(np.where(constant, 0.0, np.maximum(spread, 0.0))))
    return np.asarray(np.clip(values, -1.0, 1.0))


def divide_or_nan(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """The ratio, NaN where the denominator is not above 0."""
    divisor = np.asarray(denominator, np.float64)
    return np.asarray(np.divide(numerator, divisor, out=np.full(divisor.shape, np.nan), where=divisor > 0))


def mean_and_count(values: Floats) -> tuple[Floats, Ints]:
    """Mean and count over the last axis, without NaN; the mean of no value is NaN."""
    present = ~np.isnan(values)
    n = np.count_nonzero(present, axis=-1).astype(np.int64)
    return divide_or_nan(np.where(present, values, 0.0).sum(axis=-1), n), n


def correlate_rows(x: Floats, y: Floats, statistic: str) -> Floats:
    """(lists) the correlation of the items that have a value in both; NaN of fewer than two, or of one value only."""
    present = ~(np.isnan(x) | np.isnan(y))
    lengths = np.count_nonzero(present, axis=1)
    correlations = np.full(len(x), np.nan)
    for n in np.unique(lengths[lengths > 1]).tolist():  # lists of one length together
        rows = lengths == n
        a, b = (values[rows][present[rows]].reshape(-1, n) for values in (x, y))
        correlations[rows] = make_list_pairs(a, b, statistic).value
    return correlations


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


# Bootstrap over segments


def bootstrap_segments(
    scores: AlignedScores, statistic: AgreementStatistic, grouping: str, values: StatisticValues, draws: Draws
) -> Floats:
    """(metrics, resamples) the values of each metric on segments drawn with replacement, the same for all metrics.

    Parameters
    ----------
    scores
        The scores.
    statistic, grouping
        What is computed; any grouping of segments.
    values
        Its values.
    draws
        Resamples of the segments.
    """
    resampled = np.full((len(values.value), draws.n_resamples), np.nan)
    with_value = np.flatnonzero(~np.isnan(values.value)).tolist()
    tables = {m: sums for m in with_value if (sums := values.sums[m]) is not None}
    if tables:
        resampled[list(tables)] = resample_sums(list(tables.values()), draws)
    for m in with_value:
        if m not in tables:
            resampled[m] = resample_cells(scores, scores.metrics[m], statistic.name, grouping, draws)
    return resampled


def resample_sums(tables: list[Floats], draws: Draws) -> Floats:
    """(metrics, resamples) values from sums over the drawn segments: one matrix product for all metrics."""
    n_segments, n_groups, n_sums = tables[0].shape
    flat = np.concatenate([table.reshape(n_segments, n_groups * n_sums) for table in tables], axis=1)
    values = np.empty((len(tables), draws.n_resamples))
    start = 0
    for counts in bootstrap_counts(draws, n_segments, flat.shape[1]):
        resampled_sums = (counts @ flat).reshape(len(counts), len(tables), n_groups, n_sums)
        values[:, start : start + len(counts)] = values_from_sums(resampled_sums).T
        start += len(counts)
    return values


def resample_cells(scores: AlignedScores, metric: Floats, statistic: str, grouping: str, draws: Draws) -> Floats:
    """(resamples) a rank correlation of all translations of the drawn segments, or the mean of those of each system."""
    present = ~(np.isnan(scores.people) | np.isnan(metric))
    segments = np.broadcast_to(scores.segment[:, None], present.shape)[present]
    people, values = scores.people[present], metric[present]
    n_segments = len(scores.segments)
    groups = [np.arange(people.size)]
    if grouping == "system":
        groups = [np.flatnonzero(scores.system[present] == system) for system in range(len(scores.systems))]
    functions = [
        counted_correlation(people[cells], values[cells], segments[cells], statistic, n_segments)
        for cells in groups
        if cells.size > 1
    ]
    resampled = np.empty(draws.n_resamples)
    start = 0
    for counts in bootstrap_counts(draws, n_segments, max(cells.size for cells in groups)):
        by_group = np.stack([function(counts) for function in functions], axis=1)
        resampled[start : start + len(counts)] = mean_and_count(by_group)[0]
        start += len(counts)
    return resampled


def counted_correlation(
    x: Floats, y: Floats, segments: Ints, statistic: str, n_segments: int
) -> Callable[[Floats], Floats]:
    """A rank correlation of items as a function of how often each segment counts, (resamples, segments).

    The order of the items is that of all of them, whichever are drawn, so nothing is sorted again: a sample changes how
    often each value occurs, and with it the ranks and the ties.

    Parameters
    ----------
    x, y
        (items) the values of both sides.
    segments
        (items) the segment of each.
    statistic
        "spearman", or the name of a variant of Kendall's tau.
    n_segments
        Number of segments.
    """
    sides = [np.unique(values, return_inverse=True)[1] for values in (x, y)]
    surplus_of = None if statistic == "spearman" else counted_surplus(sides[0], sides[1], segments, n_segments)

    def value_of(counts: Floats) -> Floats:
        item_counts = counts[:, segments]
        n = item_counts.sum(axis=1)
        by_value = [counts_by_value(item_counts, codes) for codes in sides]
        if surplus_of is None:
            ranks = [
                (np.cumsum(table, axis=1) - table / 2 - (n / 2)[:, None])[:, codes]
                for table, codes in zip(by_value, sides, strict=True)
            ]
            squares = [np.einsum("ri,ri,ri->r", item_counts, side, side) for side in ranks]
            return clipped_ratio(np.einsum("ri,ri,ri->r", item_counts, *ranks), np.sqrt(squares[0] * squares[1]))
        surplus = surplus_of(counts)
        if statistic == "kendall_c":
            n_values = np.minimum(*((table > 0).sum(axis=1) for table in by_value))
            return clipped_ratio(surplus, n * n * (n_values - 1) / np.maximum(n_values, 1) / 2)
        untied = [(n * n - np.einsum("rv,rv->r", table, table)) / 2 for table in by_value]
        return clipped_ratio(surplus, np.sqrt(untied[0] * untied[1]))

    return value_of


def clipped_ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.asarray(np.clip(divide_or_nan(numerator, denominator), -1.0, 1.0))


def counts_by_value(item_counts: Floats, codes: Ints) -> Floats:
    """(resamples, values) how often each value occurs; item_counts: (resamples, items), codes: (items) from 0."""
    order = stable_order(codes)
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.add.reduceat(item_counts[:, order], starts, axis=1)


#: How many pairs of items are compared at once.
PAIRS_AT_ONCE = 1 << 22


def counted_surplus(x: Ints, y: Ints, segments: Ints, n_segments: int) -> Callable[[Floats], Floats]:
    """Concordant less discordant pairs as a function of how often each segment counts: half a quadratic form of the
    surplus between any two segments.
    """
    order = stable_order(segments)
    x, y, segments = x[order].astype(np.int32), y[order].astype(np.int32), segments[order]
    starts = np.flatnonzero(np.diff(segments, prepend=-1))
    places = segments[starts]
    place = np.searchsorted(places, segments)
    by_segment = np.zeros((places.size, places.size), np.int64)
    step = max(1, PAIRS_AT_ONCE // x.size)
    for start in range(0, x.size, step):
        rows = slice(start, start + step)
        signs = [
            (values[rows, None] > values).view(np.int8) - (values[rows, None] < values).view(np.int8)
            for values in (x, y)
        ]
        np.add.at(by_segment, place[rows], np.add.reduceat(signs[0] * signs[1], starts, axis=1, dtype=np.int64))
    # Whole numbers: exact in single precision, where no sum is above 2^24.
    widest = int(np.bincount(segments).max())
    is_small = n_segments * widest * widest < 1 << 24
    surplus: npt.NDArray[Any] = by_segment.astype(np.float32 if is_small else np.float64)

    def value_of(counts: Floats) -> Floats:
        place_counts = counts[:, places]
        products: Floats = np.asarray(place_counts.astype(surplus.dtype) @ surplus, np.float64)
        return np.asarray(np.einsum("rs,rs->r", products, place_counts) / 2)

    return value_of


def values_of_cells(
    scores: AlignedScores, metric: Floats, statistic: str, grouping: str
) -> Callable[[Ints, Ints], Floats]:
    """A function of drawn systems, (resamples, systems), and segments, (resamples, segments): the correlation of their
    translations, or the mean of the correlations of each drawn system; (resamples).
    """
    present = ~(np.isnan(scores.people) | np.isnan(metric))
    people, values = scores.people[present], metric[present]
    n_segments, n_systems = len(scores.segments), len(scores.systems)
    segments = np.broadcast_to(scores.segment[:, None], present.shape)[present]
    systems = scores.system[present]

    by_cell = cell_table(segments + n_segments * systems, n_segments * n_systems).reshape(n_systems, n_segments, -1)

    def value_of(drawn_systems: Ints, drawn_segments: Ints) -> Floats:
        n_groups = 1 if grouping == "none" else n_systems
        places = by_cell[drawn_systems[:, :, None], drawn_segments[:, None, :]].reshape(
            len(drawn_systems), n_groups, -1
        )
        return mean_and_count(correlate_tables(gather(people, places), gather(values, places), statistic))[0]

    return value_of


def sampled_items(counts: Floats) -> Ints:
    """(resamples, items) the items of each sample, each as often as it was drawn."""
    n_resamples, n = counts.shape
    items = np.broadcast_to(np.arange(n), (n_resamples, n)).ravel()
    return np.repeat(items, counts.ravel().astype(np.int64)).reshape(n_resamples, n)

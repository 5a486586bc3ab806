"""Statistics on segments: the judgments of one language pair as tables, and statistics as sums over segments, so that a
bootstrap over segments is one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.statistics.kendall import KendallConvention, count_by_item, count_by_judgment
from rankscope.data.rankings import Rankings
from rankscope.kernels.order import stable_order
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.stats.correlation_values import make_list_pairs
from rankscope.typing import Floats, Ints

__all__ = [
    "SEGMENT_CORRELATIONS",
    "SEGMENT_GROUPINGS",
    "JudgmentTables",
    "SegmentStatistic",
    "bootstrap_segments",
    "correlation_statistic",
    "pair_statistic",
    "tables_by_metric",
]


@dataclass(frozen=True, eq=False)
class JudgmentTables:
    """The values of people and of one metric for each translation of one language pair; lower is better on both sides.

    Attributes
    ----------
    gold, metric
        Values, (judgments, items); NaN if there is none.
    segment
        The segment of each judgment, (judgments), as whole numbers from 0.
    system
        The system of each item, (judgments, items), as whole numbers from 0; -1 if the list has no such item.
    n_segments, n_systems
        Numbers of segments and systems.
    """

    gold: Floats
    metric: Floats
    segment: Ints
    system: Ints
    n_segments: int
    n_systems: int

    @cached_property
    def has_both(self) -> npt.NDArray[np.bool_]:
        """(judgments, items) where there are both values."""
        return ~(np.isnan(self.gold) | np.isnan(self.metric))

    @property
    def n_missing(self) -> int:
        """Translations that people judged and the metric has no score of."""
        return int(np.count_nonzero(~np.isnan(self.gold) & np.isnan(self.metric)))

    def flat(self) -> tuple[Floats, Floats, Ints, Ints]:
        """(items with both values) gold, metric, segment, system."""
        segments = np.broadcast_to(self.segment[:, None], self.has_both.shape)
        return self.gold[self.has_both], self.metric[self.has_both], segments[self.has_both], self.system[self.has_both]

    def by_segment(self, values: Floats) -> Floats:
        """Sums of the judgments of each segment; values: (judgments) or (judgments, columns)."""
        sums = np.zeros((self.n_segments, *values.shape[1:]))
        np.add.at(sums, self.segment, values)
        return sums

    def by_system(self) -> tuple[Floats, Floats]:
        """(systems, most items of one) gold and metric, a row a system, filled up with NaN."""
        gold, metric, _, system = self.flat()
        order = stable_order(system)
        offsets = bounds(np.bincount(system, minlength=self.n_systems))
        tables = np.full((2, self.n_systems, int(np.diff(offsets).max(initial=0))), np.nan)
        tables[:, system[order], place_in_group(offsets)] = np.stack((gold, metric))[:, order]
        return tables[0], tables[1]


def tables_by_metric(rankings: Rankings, gold: str, metrics: tuple[str, ...]) -> list[JudgmentTables]:
    """The tables of judgments of one language pair, for each metric."""
    _, segment = np.unique(rankings.segment.codes, return_inverse=True)
    human_table = rankings.table(gold)
    system = np.full(human_table.shape, -1, np.int64)
    _, codes = np.unique(rankings.system.codes, return_inverse=True)
    system[rankings.judgment, place_in_group(rankings.offsets)] = codes
    n_segments_and_systems = int(segment.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    return [
        JudgmentTables(human_table, rankings.table(name), segment.astype(np.int64), system, *n_segments_and_systems)
        for name in metrics
    ]


#: What a value is computed on: all at once, each segment, each system; for the last two, the mean of the values.
SEGMENT_GROUPINGS = ("none", "segment", "system")
#: Statistics of lists, not of pairs within a judgment.
SEGMENT_CORRELATIONS = ("kendall_b", "kendall_c", "pearson", "spearman")
#: How many sums a ratio has (numerator, denominator), and a correlation (n, x, y, xx, yy, xy).
RATIO, MOMENTS = 2, 6


class SegmentStatistic(NamedTuple):
    """A value, and the sums for its bootstrap.

    Attributes
    ----------
    value
        The value.
    n
        With grouping "none" the number of pairs that count (for a correlation, of translations), else of segments or
        systems with a value.
    sums
        Sums, (segments, groups, RATIO or MOMENTS); None if there are none.
    """

    value: float
    n: int
    sums: Floats | None


def values_from_sums(sums: Floats) -> Floats:
    """(..., groups, sums) the mean over the groups that have a value; NaN where none has."""
    if sums.shape[-1] == RATIO:
        values = divide_or_nan(sums[..., 0], sums[..., 1])
    else:
        n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
        spread = (n * xx - x * x) * (n * yy - y * y)
        constant = (n * xx - x * x <= 1e-12 * n * xx) | (n * yy - y * y <= 1e-12 * n * yy)
        values = divide_or_nan(n * xy - x * y, np.sqrt(np.where(constant, 0.0, np.maximum(spread, 0.0))))
        values = np.clip(values, -1.0, 1.0)
    present = ~np.isnan(values)
    return divide_or_nan(np.where(present, values, 0.0).sum(axis=-1), present.sum(axis=-1))


def divide_or_nan(numerator: Floats, denominator: npt.NDArray[np.generic]) -> Floats:
    """The ratio, NaN where the denominator is not above 0."""
    divisor = np.asarray(denominator, np.float64)
    return np.asarray(np.divide(numerator, divisor, out=np.full(divisor.shape, np.nan), where=divisor > 0))


def pair_statistic(
    tables: JudgmentTables, convention: KendallConvention, grouping: str, epsilon: float
) -> SegmentStatistic:
    """A convention's value: of all pairs, or the mean of the segments or the systems, over the pairs of each.

    A system's pairs are those of its translations with others of the same judgment.
    """
    options = {"epsilon": epsilon, "least": convention.min_difference}
    if grouping == "system":
        numerators, denominators = convention.sums(count_by_item(tables.gold, tables.metric, **options))
        cells = np.maximum(tables.system, 0) + tables.segment[:, None] * tables.n_systems
        shape = tables.n_segments, tables.n_systems
        flat_cells = cells.ravel()
        sums_by_cell = [
            np.bincount(flat_cells, values.ravel(), shape[0] * shape[1]).reshape(shape)
            for values in (numerators, denominators)
        ]
        sums: Floats = np.stack(sums_by_cell, axis=-1).astype(np.float64)
    else:
        ratios = convention.sums(count_by_judgment(tables.gold, tables.metric, **options))
        numerators, denominators = tables.by_segment(np.stack(ratios, axis=-1)).T
        if grouping == "segment":
            return mean_over_segments(numerators, denominators)
        sums = np.stack((numerators, denominators), axis=-1)[:, None, :]
    totals = sums.sum(axis=0)
    n = np.count_nonzero(totals[:, 1]) if grouping == "system" else totals[:, 1].sum()
    return SegmentStatistic(float(values_from_sums(totals)), int(n), sums)


def correlation_statistic(tables: JudgmentTables, statistic: str, grouping: str) -> SegmentStatistic:
    """A correlation between the values of people and those of the metric.

    Parameters
    ----------
    tables
        The values of both.
    statistic
        Name of the correlation.
    grouping
        "none": over all translations at once. "segment": over the systems of each judgment, averaged over the judgments
        of a segment that have a value, then over segments. "system": over the segments of each system, averaged over
        systems.
    """
    if grouping == "segment":
        values = correlate_rows(tables.gold, tables.metric, statistic)
        present = ~np.isnan(values)
        segment_sums = tables.by_segment(
            np.stack((np.where(present, values, 0.0), present.astype(np.float64)), axis=-1)
        )
        return mean_over_segments(segment_sums[:, 0], segment_sums[:, 1])
    if grouping == "none":
        gold, metric, _, _ = tables.flat()
        values = correlate_rows(gold[None, :], metric[None, :], statistic)
        n = gold.size
    else:
        values = correlate_rows(*tables.by_system(), statistic)
        n = int(np.count_nonzero(~np.isnan(values)))
    finite = values[~np.isnan(values)]
    value = float(finite.mean()) if finite.size else float("nan")
    return SegmentStatistic(value, n, moments(tables, grouping) if statistic == "pearson" else None)


def mean_over_segments(numerators: Floats, denominators: Floats) -> SegmentStatistic:
    """The mean of the segments' ratios, each weighing as one however often it was judged."""
    sums = np.stack(
        (np.nan_to_num(divide_or_nan(numerators, denominators)), (denominators > 0).astype(np.float64)), axis=-1
    )[:, None, :]
    totals = sums.sum(axis=0)
    return SegmentStatistic(float(values_from_sums(totals)), int(totals[0, 1]), sums)


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


def moments(tables: JudgmentTables, grouping: str) -> Floats:
    """(segments, groups, MOMENTS) the sums from which Pearson's correlation follows, of values on one scale."""
    gold, metric, segment, system = tables.flat()
    n_groups = 1 if grouping == "none" else tables.n_systems
    group = np.zeros_like(system) if grouping == "none" else system
    # Centred by group: sums of squares then lose no digits to the mean.
    x, y = (centre_and_scale(values, group, n_groups) for values in (gold, metric))
    cells = segment * n_groups + group
    n_cells = tables.n_segments * n_groups
    columns = [np.bincount(cells, values, n_cells) for values in (np.ones_like(x), x, y, x * x, y * y, x * y)]
    return np.stack(columns, axis=-1).reshape(tables.n_segments, n_groups, MOMENTS).astype(np.float64)


def centre_and_scale(values: Floats, group: Ints, n_groups: int) -> Floats:
    group_sizes = np.maximum(np.bincount(group, minlength=n_groups), 1)
    deviations = values - (np.bincount(group, values, n_groups) / group_sizes)[group]
    scale = float(np.abs(deviations).max(initial=0))
    return deviations / scale if scale else deviations


def bootstrap_segments(tables: list[Floats], draws: Draws) -> Floats:
    """(metrics, resamples) the values of each metric on segments drawn with replacement, the same for all metrics."""
    n_segments, n_groups, n_sums = tables[0].shape
    flat = np.concatenate([table.reshape(n_segments, n_groups * n_sums) for table in tables], axis=1)
    values = np.empty((len(tables), draws.n_resamples))
    start = 0
    for counts in bootstrap_counts(draws, n_segments, flat.shape[1]):
        resampled_sums = (counts @ flat).reshape(len(counts), len(tables), n_groups, n_sums)
        values[:, start : start + len(counts)] = values_from_sums(resampled_sums).T
        start += len(counts)
    return values

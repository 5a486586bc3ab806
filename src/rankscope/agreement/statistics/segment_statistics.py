"""The judgments of one language pair as tables, and statistics on segments as sums over them, so that a bootstrap over
segments is one matrix product.
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
from rankscope.stats.correlation_values import pairs_of
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
    """One language pair: what people and one metric say of each translation; lower is better on both sides.

    gold, metric: (judgments, items), NaN where there is no value. segment, system: (judgments) and (judgments, items)
    whole numbers from 0; a system is -1 where the list has no item. segments, systems: how many there are.
    """

    gold: Floats
    metric: Floats
    segment: Ints
    system: Ints
    segments: int
    systems: int

    @cached_property
    def both(self) -> npt.NDArray[np.bool_]:
        """(judgments, items) where there are both values."""
        return ~(np.isnan(self.gold) | np.isnan(self.metric))

    @property
    def missing(self) -> int:
        """Translations that people judged and the metric has no score of."""
        return int(np.count_nonzero(~np.isnan(self.gold) & np.isnan(self.metric)))

    def flat(self) -> tuple[Floats, Floats, Ints, Ints]:
        """(items with both values) gold, metric, segment, system."""
        of = np.broadcast_to(self.segment[:, None], self.both.shape)
        return self.gold[self.both], self.metric[self.both], of[self.both], self.system[self.both]

    def by_segment(self, values: Floats) -> Floats:
        """Sums of the judgments of each segment; values: (judgments) or (judgments, columns)."""
        found = np.zeros((self.segments, *values.shape[1:]))
        np.add.at(found, self.segment, values)
        return found

    def by_system(self) -> tuple[Floats, Floats]:
        """(systems, most items of one) gold and metric, a row a system, filled up with NaN."""
        gold, metric, _, system = self.flat()
        order = stable_order(system)
        offsets = bounds(np.bincount(system, minlength=self.systems))
        found = np.full((2, self.systems, int(np.diff(offsets).max(initial=0))), np.nan)
        found[:, system[order], place_in_group(offsets)] = np.stack((gold, metric))[:, order]
        return found[0], found[1]


def tables_by_metric(rankings: Rankings, gold: str, metrics: tuple[str, ...]) -> list[JudgmentTables]:
    """The tables of judgments of one language pair, for each metric."""
    _, segment = np.unique(rankings.segment.codes, return_inverse=True)
    people = rankings.table(gold)
    system = np.full(people.shape, -1, np.int64)
    _, codes = np.unique(rankings.system.codes, return_inverse=True)
    system[rankings.judgment, place_in_group(rankings.offsets)] = codes
    counts = int(segment.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    return [JudgmentTables(people, rankings.table(name), segment.astype(np.int64), system, *counts) for name in metrics]


#: What a value is taken of: all at once, each segment, each system; of several the mean.
SEGMENT_GROUPINGS = ("none", "segment", "system")
#: Statistics of lists, and not of pairs of a judgment.
SEGMENT_CORRELATIONS = ("kendall_b", "kendall_c", "pearson", "spearman")
#: Sums of a ratio: above the line, below it. Those of a correlation: n, x, y, xx, yy, xy.
RATIO, MOMENTS = 2, 6


class SegmentStatistic(NamedTuple):
    """A value, what it is over, and its sums, (segments, groups, RATIO or MOMENTS); None where there are none.

    n: with grouping "none" pairs that count (or translations, of a correlation), else segments or systems with a value.
    """

    value: float
    n: int
    sums: Floats | None


def values_from_sums(sums: Floats) -> Floats:
    """(..., groups, sums) the mean over the groups that have a value; NaN where none has."""
    if sums.shape[-1] == RATIO:
        found = divide_or_nan(sums[..., 0], sums[..., 1])
    else:
        n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
        spread = (n * xx - x * x) * (n * yy - y * y)
        flat = (n * xx - x * x <= 1e-12 * n * xx) | (n * yy - y * y <= 1e-12 * n * yy)
        found = divide_or_nan(n * xy - x * y, np.sqrt(np.where(flat, 0.0, np.maximum(spread, 0.0))))
        found = np.clip(found, -1.0, 1.0)
    there = ~np.isnan(found)
    return divide_or_nan(np.where(there, found, 0.0).sum(axis=-1), there.sum(axis=-1))


def divide_or_nan(above: Floats, below: npt.NDArray[np.generic]) -> Floats:
    """NaN where there is nothing below the line."""
    line = np.asarray(below, np.float64)
    return np.asarray(np.divide(above, line, out=np.full(line.shape, np.nan), where=line > 0))


def pair_statistic(
    lists: JudgmentTables, convention: KendallConvention, grouping: str, epsilon: float
) -> SegmentStatistic:
    """A convention's value: of all pairs, or the mean of the segments or the systems, over the pairs of each.

    A system's pairs are those of its translations with others of the same judgment.
    """
    options = {"epsilon": epsilon, "least": convention.least}
    if grouping == "system":
        above, below = convention.sums(count_by_item(lists.gold, lists.metric, **options))
        cells = np.maximum(lists.system, 0) + lists.segment[:, None] * lists.systems
        shape = lists.segments, lists.systems
        of = cells.ravel()
        tables = [np.bincount(of, part.ravel(), shape[0] * shape[1]).reshape(shape) for part in (above, below)]
        sums: Floats = np.stack(tables, axis=-1).astype(np.float64)
    else:
        parts = convention.sums(count_by_judgment(lists.gold, lists.metric, **options))
        above, below = lists.by_segment(np.stack(parts, axis=-1)).T
        if grouping == "segment":
            return mean_over_segments(above, below)
        sums = np.stack((above, below), axis=-1)[:, None, :]
    whole = sums.sum(axis=0)
    n = np.count_nonzero(whole[:, 1]) if grouping == "system" else whole[:, 1].sum()
    return SegmentStatistic(float(values_from_sums(whole)), int(n), sums)


def correlation_statistic(lists: JudgmentTables, statistic: str, grouping: str) -> SegmentStatistic:
    """A correlation of the values of people with those of the metric.

    grouping: "none", over all translations at once; "segment", over each judgment's systems, in each segment the mean
    of its judgments that have a value, and the mean of the segments; "system", over each system's segments, the mean of
    the systems.
    """
    if grouping == "segment":
        values = correlate_rows(lists.gold, lists.metric, statistic)
        there = ~np.isnan(values)
        summed = lists.by_segment(np.stack((np.where(there, values, 0.0), there.astype(np.float64)), axis=-1))
        return mean_over_segments(summed[:, 0], summed[:, 1])
    if grouping == "none":
        gold, metric, _, _ = lists.flat()
        values = correlate_rows(gold[None, :], metric[None, :], statistic)
        n = gold.size
    else:
        values = correlate_rows(*lists.by_system(), statistic)
        n = int(np.count_nonzero(~np.isnan(values)))
    there = values[~np.isnan(values)]
    value = float(there.mean()) if there.size else float("nan")
    return SegmentStatistic(value, n, moments(lists, grouping) if statistic == "pearson" else None)


def mean_over_segments(above: Floats, below: Floats) -> SegmentStatistic:
    """The mean of the segments' ratios, each weighing as one however often it was judged."""
    sums = np.stack((np.nan_to_num(divide_or_nan(above, below)), (below > 0).astype(np.float64)), axis=-1)[:, None, :]
    whole = sums.sum(axis=0)
    return SegmentStatistic(float(values_from_sums(whole)), int(whole[0, 1]), sums)


def correlate_rows(x: Floats, y: Floats, statistic: str) -> Floats:
    """(lists) the correlation of the items that have a value in both; NaN of fewer than two, or of one value only."""
    both = ~(np.isnan(x) | np.isnan(y))
    lengths = np.count_nonzero(both, axis=1)
    found = np.full(len(x), np.nan)
    for n in np.unique(lengths[lengths > 1]).tolist():  # lists of one length together
        rows = lengths == n
        a, b = (side[rows][both[rows]].reshape(-1, n) for side in (x, y))
        found[rows] = pairs_of(a, b, statistic).value
    return found


def moments(lists: JudgmentTables, grouping: str) -> Floats:
    """(segments, groups, MOMENTS) of which Pearson's correlation follows, of values in units of their spread."""
    gold, metric, segment, system = lists.flat()
    groups = 1 if grouping == "none" else lists.systems
    group = np.zeros_like(system) if grouping == "none" else system
    # Centred by group: sums of squares then lose nothing to the mean.
    x, y = (centred(side, group, groups) for side in (gold, metric))
    cells = segment * groups + group
    size = lists.segments * groups
    columns = [np.bincount(cells, part, size) for part in (np.ones_like(x), x, y, x * x, y * y, x * y)]
    return np.stack(columns, axis=-1).reshape(lists.segments, groups, MOMENTS).astype(np.float64)


def centred(values: Floats, group: Ints, groups: int) -> Floats:
    many = np.maximum(np.bincount(group, minlength=groups), 1)
    found = values - (np.bincount(group, values, groups) / many)[group]
    scale = float(np.abs(found).max(initial=0))
    return found / scale if scale else found


def bootstrap_segments(tables: list[Floats], draws: Draws) -> Floats:
    """(metrics, resamples) the values of each metric on segments drawn with replacement, the same for all metrics."""
    segments, groups, sums = tables[0].shape
    flat = np.concatenate([table.reshape(segments, groups * sums) for table in tables], axis=1)
    found = np.empty((len(tables), draws.n_resamples))
    done = 0
    for counts in bootstrap_counts(draws, segments, flat.shape[1]):
        drawn = (counts @ flat).reshape(len(counts), len(tables), groups, sums)
        found[:, done : done + len(counts)] = values_from_sums(drawn).T
        done += len(counts)
    return found

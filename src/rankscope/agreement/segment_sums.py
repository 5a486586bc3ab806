"""Statistics as sums over segments, so that a bootstrap over segments is one matrix product for all metrics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.conventions import Convention
from rankscope.agreement.judged_lists import JudgedLists
from rankscope.agreement.pair_counts import count_by_item, count_by_judgment
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.stats.correlation_values import pairs_of
from rankscope.typing import Floats, Ints

__all__ = ["CORRELATIONS", "GROUPINGS", "Found", "bootstrap", "correlation_found", "pairs_found"]


#: What a value is taken of: all at once, each segment, each system; of several the mean.
GROUPINGS = ("none", "segment", "system")
#: Statistics of lists, and not of pairs of a judgment.
CORRELATIONS = ("kendall_b", "kendall_c", "pearson", "spearman")
#: Sums of a ratio: above the line, below it. Those of a correlation: n, x, y, xx, yy, xy.
RATIO, MOMENTS = 2, 6


class Found(NamedTuple):
    """A value, what it is over, and its sums, (segments, groups, RATIO or MOMENTS); None where there are none.

    n: with grouping "none" pairs that count (or translations, of a correlation), else segments or systems with a value.
    """

    value: float
    n: int
    sums: Floats | None


def values_of(sums: Floats) -> Floats:
    """(..., groups, sums) the mean over the groups that have a value; NaN where none has."""
    if sums.shape[-1] == RATIO:
        found = divided(sums[..., 0], sums[..., 1])
    else:
        n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
        spread = (n * xx - x * x) * (n * yy - y * y)
        flat = (n * xx - x * x <= 1e-12 * n * xx) | (n * yy - y * y <= 1e-12 * n * yy)
        found = divided(n * xy - x * y, np.sqrt(np.where(flat, 0.0, np.maximum(spread, 0.0))))
        found = np.clip(found, -1.0, 1.0)
    there = ~np.isnan(found)
    return divided(np.where(there, found, 0.0).sum(axis=-1), there.sum(axis=-1))


def divided(above: Floats, below: npt.NDArray[np.generic]) -> Floats:
    """NaN where there is nothing below the line."""
    line = np.asarray(below, np.float64)
    return np.asarray(np.divide(above, line, out=np.full(line.shape, np.nan), where=line > 0))


def pairs_found(lists: JudgedLists, convention: Convention, grouping: str, epsilon: float) -> Found:
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
            return of_segments(above, below)
        sums = np.stack((above, below), axis=-1)[:, None, :]
    whole = sums.sum(axis=0)
    n = np.count_nonzero(whole[:, 1]) if grouping == "system" else whole[:, 1].sum()
    return Found(float(values_of(whole)), int(n), sums)


def correlation_found(lists: JudgedLists, statistic: str, grouping: str) -> Found:
    """A correlation of the values of people with those of the metric.

    grouping: "none", over all translations at once; "segment", over each judgment's systems, in each segment the mean
    of its judgments that have a value, and the mean of the segments; "system", over each system's segments, the mean of
    the systems.
    """
    if grouping == "segment":
        values = by_row(lists.gold, lists.metric, statistic)
        there = ~np.isnan(values)
        summed = lists.by_segment(np.stack((np.where(there, values, 0.0), there.astype(np.float64)), axis=-1))
        return of_segments(summed[:, 0], summed[:, 1])
    if grouping == "none":
        gold, metric, _, _ = lists.flat()
        values = by_row(gold[None, :], metric[None, :], statistic)
        n = gold.size
    else:
        values = by_row(*lists.by_system(), statistic)
        n = int(np.count_nonzero(~np.isnan(values)))
    there = values[~np.isnan(values)]
    value = float(there.mean()) if there.size else float("nan")
    return Found(value, n, moments(lists, grouping) if statistic == "pearson" else None)


def of_segments(above: Floats, below: Floats) -> Found:
    """The mean of the segments' ratios, each weighing as one however often it was judged."""
    sums = np.stack((np.nan_to_num(divided(above, below)), (below > 0).astype(np.float64)), axis=-1)[:, None, :]
    whole = sums.sum(axis=0)
    return Found(float(values_of(whole)), int(whole[0, 1]), sums)


def by_row(x: Floats, y: Floats, statistic: str) -> Floats:
    """(lists) the correlation of the items that have a value in both; NaN of fewer than two, or of one value only."""
    both = ~(np.isnan(x) | np.isnan(y))
    lengths = np.count_nonzero(both, axis=1)
    found = np.full(len(x), np.nan)
    for n in np.unique(lengths[lengths > 1]).tolist():  # lists of one length together
        rows = lengths == n
        a, b = (side[rows][both[rows]].reshape(-1, n) for side in (x, y))
        found[rows] = pairs_of(a, b, statistic).value
    return found


def moments(lists: JudgedLists, grouping: str) -> Floats:
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


def bootstrap(tables: list[Floats], draws: Draws) -> Floats:
    """(metrics, resamples) the values of each metric on segments drawn with replacement, the same for all metrics."""
    segments, groups, sums = tables[0].shape
    flat = np.concatenate([table.reshape(segments, groups * sums) for table in tables], axis=1)
    found = np.empty((len(tables), draws.n_resamples))
    done = 0
    for counts in bootstrap_counts(draws, segments, flat.shape[1]):
        drawn = (counts @ flat).reshape(len(counts), len(tables), groups, sums)
        found[:, done : done + len(counts)] = values_of(drawn).T
        done += len(counts)
    return found

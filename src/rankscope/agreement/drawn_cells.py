"""Pearson's correlation, and statistics of systems' means, of samples given as counts of systems and segments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankscope.agreement.metric_statistics import values_of_means
from rankscope.agreement.segment_sums import divide_or_nan
from rankscope.agreement.swapped_cells import FLAT
from rankscope.typing import Floats

__all__ = ["means_of_samples", "pearson_of_samples", "weighted_mean"]

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

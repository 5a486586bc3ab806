"""Statistics of permuted metrics that follow from sums over cells: Pearson's correlation, and the systems' means."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankscope.agreement.metric_statistics import mean_and_count, system_means, values_of_means
from rankscope.kernels.resample import Draws
from rankscope.kernels.swaps import grouped_bits, linear_values, swap_bits
from rankscope.typing import Bools, Floats

__all__ = ["FLAT", "mean_differences", "pearson_differences"]


#: Sums of squares this small, in units of the greatest, are 0 but for rounding.
FLAT = 1e-14


def by_group(matrices: Floats, grouping: str) -> Floats:
    """(groups, ..., cells of a group) of (..., systems, segments), in the order of `grouped_bits`."""
    if grouping == "none":
        return matrices.swapaxes(-1, -2).reshape(1, *matrices.shape[:-2], -1)
    return np.moveaxis(matrices, -1 if grouping == "segment" else -2, 0)


def pearson_differences(gold: Floats, pair: Floats, grouping: str, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the mean over groups of Pearson's correlation, first metric less second.

    A swapped cell changes a group's sums of scores, squares and products with gold by what the two metrics differ in;
    so each sum is linear in the bits. gold: (systems, segments), pair: (2, systems, segments), NaN alike.
    """
    people, first, second = (by_group(side, grouping) for side in (gold, *pair))
    there = ~np.isnan(people)
    n = np.count_nonzero(there, axis=1)
    people = centre_and_scale(
        people, np.nanmean(np.where(there, people, 0.0), axis=1, keepdims=True, where=there), there
    )
    # One shift and one unit for both metrics, so that a swap changes neither.
    middle = np.nanmean(np.where(there, (first + second) / 2, 0.0), axis=1, keepdims=True, where=there)
    most = greatest(np.maximum(np.abs(first - middle), np.abs(second - middle)), there)
    first, second = (np.where(there, (side - middle) / most, 0.0) for side in (first, second))
    terms = [np.stack((side, side * side, side * people), axis=-1) for side in (first, second)]
    start, other = (side.sum(axis=1)[:, None] for side in terms)
    change = terms[1] - terms[0]
    spread = (people * people).sum(axis=1)
    for bits in swap_bits(draws, (gold.shape[0], gold.shape[1]), swap):
        moved = linear_values(grouped_bits(bits, grouping), change)
        values = [correlations(sums, n, spread) for sums in (start + moved, other - moved)]
        yield mean_and_count(values[0].T)[0] - mean_and_count(values[1].T)[0]


def greatest(values: Floats, there: Bools) -> Floats:
    """(groups, 1) of each group, 1 where it is 0."""
    most = np.max(values, axis=1, keepdims=True, initial=0.0, where=there)
    return np.where(most > 0, most, 1.0)


def centre_and_scale(values: Floats, middle: Floats, there: Bools) -> Floats:
    """About their mean, the greatest 1 from it; 0 where there is none."""
    centred = values - middle
    reach, most = (np.max(np.abs(v), axis=1, keepdims=True, initial=0.0, where=there) for v in (centred, values))
    flat = reach <= 1e-10 * most  # a constant is its mean, but for rounding
    return np.where(there & ~flat, centred / np.where(flat, 1.0, reach), 0.0)


def correlations(sums: Floats, n: npt.NDArray[np.int_], spread: Floats) -> Floats:
    """(groups, resamples) from sums (groups, resamples, 3) of the metric, its squares, its products with gold."""
    total, square, product = np.moveaxis(sums, -1, 0)
    own = square - total * total / n[:, None]
    below = np.sqrt(np.where(own > FLAT * n[:, None], own, 0.0) * spread[:, None])
    found = np.divide(product, below, out=np.full(product.shape, np.nan), where=below > 0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def mean_differences(gold: Floats, pair: Floats, statistic: str, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: a statistic of the systems' means, first metric less second."""
    people = system_means(gold[None])
    many = np.count_nonzero(~np.isnan(gold), axis=1)
    first, second = np.nan_to_num(pair)
    change = by_group((second - first) / many[:, None], "system")[..., None]
    start, other = (side.sum(axis=1) / many for side in (first, second))
    for bits in swap_bits(draws, (gold.shape[0], gold.shape[1]), swap):
        moved = linear_values(grouped_bits(bits, "system"), change)[:, :, 0].T
        values = [values_of_means(people, means, statistic) for means in (start + moved, other - moved)]
        yield values[0] - values[1]

"""The swap method: how often two sets of queries order two systems in two ways, by how far apart one put them."""

from __future__ import annotations

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = ["BINS", "coded_swap_difference", "difference_needed", "swap_counts", "widths_of"]


#: Bins of differences; the last one has no upper end.
BINS = 100
#: What is added to this is rounded to 2^-30.
ROUNDING = 1.5 * 2.0**22
#: Bins of Dunaiski's tool, and by how many of their widths it divides the range of differences.
CODED_BINS, CODED_WIDTHS = 21, 105


def widths_of(values: Floats, ranges: list[tuple[float, float]]) -> Floats:
    """(measures) how wide a bin is: .01 for a measure in [0, 1], else 1/100 of the range of the values observed.

    values: (measures, ...). 1/100 where all values are one.
    """
    found = np.full(len(values), 1 / BINS)
    for m, limits in enumerate(ranges):
        there = values[m][~np.isnan(values[m])]
        if limits != (0.0, 1.0) and there.size and np.ptp(there) > 0:
            found[m] = np.ptp(there) / BINS
    return found


def swap_counts(first: Floats, second: Floats, widths: Floats) -> Ints:
    """(2, measures, bins) how many differences fall in each bin, and how many of them the second set turns round.

    first, second: (measures, differences) of the same pairs of systems on two sets of queries; those without a value
    are not counted. Source: Voorhees and Buckley (2002); Sakai (2006).
    """
    measures = len(first)
    counted = np.empty((measures, 2, BINS), np.int64)
    for m, width in enumerate(widths):
        one, other = in_bins(first[m], width), in_bins(second[m], width)
        if np.isnan(one.sum() + other.sum()):
            there = ~(np.isnan(one) | np.isnan(other))
            one, other = one[there], other[there]
        other *= one
        turned = other < 0
        np.abs(one, out=one)
        place = np.minimum(one, BINS - 1, out=one).astype(np.int32)
        place += np.multiply(turned, BINS, dtype=np.int32)
        counted[m] = np.bincount(place, minlength=2 * BINS).reshape(2, BINS)
    counted[:, 0] += counted[:, 1]
    return counted.transpose(1, 0, 2)


def in_bins(differences: Floats, width: float) -> Floats:
    """Differences in bins, rounded to 2^-30 bins: one on an edge is in the bin above it, and one that is nothing but
    rounding is 0 and turns no order round.
    """
    found = differences / width
    found += ROUNDING
    found -= ROUNDING
    return found


def difference_needed(counts: Ints, widths: Floats, level: float) -> Floats:
    """(2, measures) lower and upper edge of the first bin from which on the rate stays at or under the level.

    Bins without a difference say nothing. NaN where the last bin that has any is above the level; the upper edge is
    infinite for the last bin. counts: (2, measures, bins) of `swap_counts`.
    """
    seen, turned = counts
    over = turned > level * seen
    last = np.where(over.any(axis=1), BINS - 1 - np.argmax(over[:, ::-1], axis=1), -1)
    later = (seen > 0) & (np.arange(BINS) > last[:, None])
    first = np.argmax(later, axis=1)
    found = np.where(later.any(axis=1), first.astype(np.float64), np.nan)
    upper = np.where(found == BINS - 1, np.inf, found + 1)
    return np.array([found * widths, upper * widths])


def coded_swap_difference(differences: Floats, drawn: Ints, levels: tuple[float, ...]) -> tuple[Floats, Floats]:
    """(levels, 2) the difference needed by the swap method of Dunaiski's tool, and (levels) the lower edge of its bin.

    differences: (pairs, queries) of one measure; drawn: (queries, queries) how often a query of the first sample
    met one of the second. Single queries are compared; bins reach from the least difference over a fifth of the range;
    equal signs count in all bins from theirs on: as coded. (-inf, inf), and -1, where no bin has a rate under the
    level.
    """
    weight = drawn.sum(axis=1, dtype=np.float64)
    size = np.abs(differences)
    seen_sizes = size[:, (weight > 0) | (drawn.sum(axis=0) > 0)]
    low, high = seen_sizes.min(), seen_sizes.max()
    width = (high - low) / CODED_WIDTHS
    edges = low + width * np.arange(CODED_BINS)
    place = np.clip(np.searchsorted(edges, size, side="right") - 1, 0, CODED_BINS - 1).ravel()
    # How often each difference met one of its own sign.
    met = drawn.T.astype(np.float64)
    alike = np.where(differences > 0, (differences > 0) @ met, np.where(differences < 0, (differences < 0) @ met, 0.0))
    swaps = np.bincount(place, (weight - alike).ravel(), CODED_BINS)
    kept = np.bincount(place, alike.ravel(), CODED_BINS)
    seen = swaps + np.cumsum(kept)
    with np.errstate(invalid="ignore"):
        rate = np.where(seen > 0, swaps / seen, -1.0)
    found, lower = np.empty((len(levels), 2)), np.full(len(levels), -1.0)
    for i, level in enumerate(levels):
        good = np.flatnonzero((rate >= 0) & (rate <= level))
        if not good.size:
            found[i] = -np.inf, np.inf
            continue
        step = (edges[-1] - edges[0]) / CODED_BINS
        found[i] = edges[0] + step * good[0], edges[0] + step * (good[0] + 1)
        lower[i] = edges[good[0]]
    return found, lower

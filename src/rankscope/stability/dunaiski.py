"""Dunaiski's tool as coded (preset `dunaiski`): bootstrap levels, swap method, error and tie rates."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.ties import NOISE
from rankscope.stability.discriminative_power import at_levels, chunk_rows
from rankscope.typing import Floats, Ints

__all__ = [
    "coded_error_and_ties",
    "coded_levels",
    "coded_swap_difference",
]


def coded_levels(differences: Floats, counts: Floats, levels: tuple[float, ...]) -> tuple[Floats, Floats]:
    """As `significance_levels`, by the rules of Dunaiski's tool (preset `dunaiski`).

    A resample whose values are all one has t = 0, and one with t = 0 counts as none; the level is a count over all
    resamples, which can be 0; the place level * resamples - 1 counts from the end where it is -1. Mended: differences
    that are all 0 are not significant (1 instead of 0), and pairs without values have no level (NaN instead of 0).
    """
    n = differences.shape[1]
    n_resamples = len(counts)
    places = [int(level * n_resamples) - 1 for level in levels]
    places = [place if place >= 0 else n_resamples - 1 for place in places]
    asl = np.full(len(differences), np.nan)
    needed = np.full((len(differences), len(places)), np.nan)
    rows = np.flatnonzero(np.isfinite(differences).all(axis=1))
    for part in chunk_rows(rows.size, n_resamples):
        some = differences[rows[part]]
        mean = some.mean(axis=1)
        shifted = some - mean[:, None]
        scale = np.abs(shifted).max(axis=1, keepdims=True)
        unit = np.where(scale > 0, scale, 1.0)
        scaled = shifted / unit
        deviation = scaled.std(axis=1)
        averages = scaled @ counts.T
        averages /= n
        scaled *= scaled
        squares = scaled @ counts.T
        squares /= n
        t = averages * averages  # t^2 / n, which takes no root
        variance = squares - t
        alone = variance <= NOISE * np.maximum(squares, NOISE, out=squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            t /= variance
        np.copyto(t, 0.0, where=alone)
        observed = np.divide(np.abs(mean), unit[:, 0] * deviation, out=np.zeros_like(mean), where=deviation > 0)
        least = (observed * (1 - NOISE))[:, None] ** 2
        count = np.count_nonzero((t > 0) & (t >= least), axis=1)
        asl[rows[part]] = np.where((some == 0).all(axis=1), 1.0, count / n_resamples)
        needed[rows[part]] = at_levels(t, averages, places) * unit
    return asl, needed


#: Bins of Dunaiski's tool, and by how many of their widths it divides the range of differences.
CODED_BINS, CODED_WIDTHS = 21, 105


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


def coded_error_and_ties(values: Floats, fuzz: float) -> tuple[Floats, Floats]:
    """(measures) error and tie rate of one draw by Dunaiski's tool, in percent: each query is a comparison.

    values: (measures, systems, queries), better is greater. Two systems tie on a query where their difference is at
    most fuzz times the mean of all systems there, or one has no value.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    difference = values[:, first] - values[:, second]
    margin = fuzz * np.abs(values.mean(axis=1, keepdims=True))
    with np.errstate(invalid="ignore"):
        better = (difference > margin).sum(axis=2)
        worse = (difference < -margin).sum(axis=2)
    n = first.size * values.shape[2]
    errors = np.minimum(better, worse).sum(axis=1)
    ties = n - better.sum(axis=1) - worse.sum(axis=1)
    return 100.0 * errors / n, 100.0 * ties / n

"""Statistics as Dunaiski's tool computes them (preset `dunaiski`): bootstrap levels, swap method, error rates."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.rounding_ties import NOISE
from rankscope.stability.discriminative_power import at_levels, chunk_rows
from rankscope.typing import Floats, Ints

__all__ = [
    "dunaiski_error_and_ties",
    "dunaiski_levels",
    "dunaiski_swap_difference",
]


def dunaiski_levels(differences: Floats, counts: Floats, levels: tuple[float, ...]) -> tuple[Floats, Floats]:
    """As `significance_levels`, by the rules of Dunaiski's tool (preset `dunaiski`).

    Parameters
    ----------
    differences
        Of each pair, (rows, queries).
    counts
        How often each query is in each resample, (resamples, queries).
    levels
        The significance levels.

    Notes
    -----
    A resample of equal values has t = 0, and resamples with t = 0 do not count. The level is a count over all
    resamples, which can be 0. The place level * resamples - 1 counts from the end if it is -1.

    There are two differences from the tool: differences that are all 0 are not significant (1 instead of 0), and pairs
    without values have no level (NaN instead of 0).
    """
    n = differences.shape[1]
    n_resamples = len(counts)
    kth = [int(level * n_resamples) - 1 for level in levels]
    kth = [k if k >= 0 else n_resamples - 1 for k in kth]
    asl = np.full(len(differences), np.nan)
    needed = np.full((len(differences), len(kth)), np.nan)
    rows = np.flatnonzero(np.isfinite(differences).all(axis=1))
    for chunk in chunk_rows(rows.size, n_resamples):
        chunk_differences = differences[rows[chunk]]
        mean = chunk_differences.mean(axis=1)
        shifted = chunk_differences - mean[:, None]
        scale = np.abs(shifted).max(axis=1, keepdims=True)
        unit = np.where(scale > 0, scale, 1.0)
        scaled = shifted / unit
        deviation = scaled.std(axis=1)
        averages = scaled @ counts.T
        averages /= n
        scaled *= scaled
        squares = scaled @ counts.T
        squares /= n
        t = averages * averages  # t^2 / n, without a square root
        variance = squares - t
        has_one_value = variance <= NOISE * np.maximum(squares, NOISE, out=squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            t /= variance
        np.copyto(t, 0.0, where=has_one_value)
        observed = np.divide(np.abs(mean), unit[:, 0] * deviation, out=np.zeros_like(mean), where=deviation > 0)
        min_t_squared = (observed * (1 - NOISE))[:, None] ** 2
        n_extreme = np.count_nonzero((t > 0) & (t >= min_t_squared), axis=1)
        asl[rows[chunk]] = np.where((chunk_differences == 0).all(axis=1), 1.0, n_extreme / n_resamples)
        needed[rows[chunk]] = at_levels(t, averages, kth) * unit
    return asl, needed


#: Bins of Dunaiski's tool, and the number by which it divides the range of differences for their width.
CODED_BINS, CODED_WIDTHS = 21, 105


def dunaiski_swap_difference(
    differences: Floats, pair_counts: Ints, levels: tuple[float, ...]
) -> tuple[Floats, Floats]:
    """(levels, 2) the difference needed by the swap method of Dunaiski's tool, and (levels) the lower edge of its bin.

    As in the tool, single queries are compared, bins reach from the least difference over a fifth of the range, and
    equal signs count in all bins from theirs on. (-inf, inf), and -1, where no bin has a rate under the level.

    Parameters
    ----------
    differences
        (pairs, queries) of one measure.
    pair_counts
        (queries, queries) how often a query of the first sample met one of the second.
    levels
        The swap rates.
    """
    weight = pair_counts.sum(axis=1, dtype=np.float64)
    magnitudes = np.abs(differences)
    seen_magnitudes = magnitudes[:, (weight > 0) | (pair_counts.sum(axis=0) > 0)]
    low, high = seen_magnitudes.min(), seen_magnitudes.max()
    width = (high - low) / CODED_WIDTHS
    edges = low + width * np.arange(CODED_BINS)
    bin_index = np.clip(np.searchsorted(edges, magnitudes, side="right") - 1, 0, CODED_BINS - 1).ravel()
    # How often each difference met one of its own sign.
    counts_by_second = pair_counts.T.astype(np.float64)
    n_same_sign = np.where(
        differences > 0,
        (differences > 0) @ counts_by_second,
        np.where(differences < 0, (differences < 0) @ counts_by_second, 0.0),
    )
    n_swaps = np.bincount(bin_index, (weight - n_same_sign).ravel(), CODED_BINS)
    n_kept = np.bincount(bin_index, n_same_sign.ravel(), CODED_BINS)
    n_seen = n_swaps + np.cumsum(n_kept)
    with np.errstate(invalid="ignore"):
        rate = np.where(n_seen > 0, n_swaps / n_seen, -1.0)
    needed, lower_edges = np.empty((len(levels), 2)), np.full(len(levels), -1.0)
    for i, level in enumerate(levels):
        allowed_bins = np.flatnonzero((rate >= 0) & (rate <= level))
        if not allowed_bins.size:
            needed[i] = -np.inf, np.inf
            continue
        step = (edges[-1] - edges[0]) / CODED_BINS
        needed[i] = edges[0] + step * allowed_bins[0], edges[0] + step * (allowed_bins[0] + 1)
        lower_edges[i] = edges[allowed_bins[0]]
    return needed, lower_edges


def dunaiski_error_and_ties(values: Floats, fuzz: float) -> tuple[Floats, Floats]:
    """(measures) error and tie rate of one draw by Dunaiski's tool, in percent: each query is a comparison.

    Two systems tie on a query where their difference is at most fuzz times the mean of all systems there, or one has no
    value.

    Parameters
    ----------
    values
        (measures, systems, queries), better is greater.
    fuzz
        The fuzziness.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    difference = values[:, first] - values[:, second]
    margin = fuzz * np.abs(values.mean(axis=1, keepdims=True))
    with np.errstate(invalid="ignore"):
        n_better = (difference > margin).sum(axis=2)
        n_worse = (difference < -margin).sum(axis=2)
    n_comparisons = first.size * values.shape[2]
    errors = np.minimum(n_better, n_worse).sum(axis=1)
    ties = n_comparisons - n_better.sum(axis=1) - n_worse.sum(axis=1)
    return 100.0 * errors / n_comparisons, 100.0 * ties / n_comparisons

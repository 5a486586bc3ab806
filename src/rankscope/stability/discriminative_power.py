"""Discriminative power: error and tie rates, the swap method, the bootstrap test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.kernels.means import ratio_or_nan
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import ClusterSums
from rankscope.stats.inputs import scale_rows
from rankscope.typing import Floats, Ints

__all__ = [
    "BINS",
    "ErrorTieRates",
    "difference_needed",
    "error_and_ties",
    "kth_resamples",
    "pairs_of_draws",
    "significance_levels",
    "swap_counts",
    "widths_of",
]


@dataclass(frozen=True, eq=False)
class ErrorTieRates:
    """(measures) error and tie rates in percent, each with its standard deviation."""

    error: Floats
    error_sd: Floats
    tie: Floats
    tie_sd: Floats


def pairs_of_draws(systems: Ints, n_systems: int) -> tuple[Ints, Ints, Ints]:
    """Both places of each pair of drawn systems, and (iterations, pairs) its index among the pairs of all systems.

    Parameters
    ----------
    systems
        (iterations, drawn), each row rising.
    n_systems
        Number of all systems.
    """
    first, second = np.triu_indices(systems.shape[1], 1)
    a, b = systems[:, first], systems[:, second]
    return first, second, a * n_systems - a * (a + 1) // 2 + b - a - 1


def error_and_ties(means: Floats, systems: Ints, n_systems: int, fuzz: float) -> ErrorTieRates:
    """Error and tie rates over all draws: every draw gives each pair of systems one comparison.

    Two systems tie where |a - b| <= fuzz max(|a|, |b|), up to rounding. The right order of a pair is the one found more
    often: errors are min(better, worse), and both rates are over all comparisons. The deviations are those of the
    jackknife over iterations, NaN with one. NaN where nothing could be compared.

    Source: Buckley and Voorhees (2000).

    Parameters
    ----------
    means
        (measures, iterations, systems) of the drawn sets, better is greater, NaN where there is none.
    systems
        (iterations, drawn) the drawn systems.
    n_systems
        Number of all systems.
    fuzz
        The fuzziness.
    """
    n_measures = len(means)
    first, second, pair = pairs_of_draws(systems, n_systems)
    a, b = means[:, :, first], means[:, :, second]
    is_comparable = ~(np.isnan(a) | np.isnan(b))
    with np.errstate(invalid="ignore"):
        is_tie = is_comparable & (np.abs(a - b) <= (fuzz + NOISE) * np.maximum(np.abs(a), np.abs(b)))
        is_better = (a > b) & ~is_tie
        is_worse = (a < b) & ~is_tie
    n_pairs = n_systems * (n_systems - 1) // 2
    pair_index = pair[None] + n_pairs * np.arange(n_measures)[:, None, None]

    def by_pair(mask: npt.NDArray[np.bool_]) -> Ints:
        return np.bincount(pair_index[mask], minlength=n_measures * n_pairs).reshape(n_measures, n_pairs)

    wins, losses = by_pair(is_better), by_pair(is_worse)
    errors = np.minimum(wins, losses)
    counts_without_draw = (wins.ravel()[pair_index] - is_better, losses.ravel()[pair_index] - is_worse)
    error_changes = (
        np.minimum(*counts_without_draw) - errors.ravel()[pair_index]
    )  # the change of errors without the draw
    n_compared, n_ties = is_comparable.sum(axis=2), is_tie.sum(axis=2)
    return ErrorTieRates(
        *jackknife(errors.sum(axis=1), errors.sum(axis=1)[:, None] + error_changes.sum(axis=2), n_compared),
        *jackknife(n_ties.sum(axis=1), n_ties.sum(axis=1)[:, None] - n_ties, n_compared),
    )


def jackknife(count: Ints, counts_without: Ints, n_compared: Ints) -> tuple[Floats, Floats]:
    """(measures) a rate in percent and its jackknife deviation.

    count: (measures). counts_without: (measures, draws) the count without each draw. n_compared: (measures, draws).
    """
    n_all = n_compared.sum(axis=1)
    rate = ratio_or_nan(100.0 * count, n_all)
    n_draws = n_compared.shape[1]
    if n_draws < 2:
        return rate, np.full(n_all.shape, np.nan)
    n_without = n_all[:, None] - n_compared
    rates_without = ratio_or_nan(100.0 * counts_without, n_without)
    centre = rates_without.mean(axis=1, keepdims=True)
    return rate, np.sqrt((n_draws - 1) / n_draws * ((rates_without - centre) ** 2).sum(axis=1))


#: Bins of differences; the last one has no upper end.
BINS = 100
#: Adding and subtracting this rounds a number to 2^-30.
ROUNDING = 1.5 * 2.0**22


def widths_of(values: Floats, ranges: list[tuple[float, float]]) -> Floats:
    """(measures) the width of a bin: .01 for a measure in [0, 1], else 1/100 of the range of the observed values.

    Parameters
    ----------
    values
        (measures, ...). The width is 1/100 where all values are equal.
    ranges
        Lowest and highest possible value of each measure.
    """
    widths = np.full(len(values), 1 / BINS)
    for m, limits in enumerate(ranges):
        present = values[m][~np.isnan(values[m])]
        if limits != (0.0, 1.0) and present.size and np.ptp(present) > 0:
            widths[m] = np.ptp(present) / BINS
    return widths


def swap_counts(first: Floats, second: Floats, widths: Floats) -> Ints:
    """(2, measures, bins) how many differences fall in each bin, and how many of them the second set reverses.

    Source: Voorhees and Buckley (2002); Sakai (2006).

    Parameters
    ----------
    first, second
        (measures, differences) of the same pairs of systems on two sets of queries; those without a value are not
        counted.
    widths
        (measures) of the bins.
    """
    n_measures = len(first)
    counts = np.empty((n_measures, 2, BINS), np.int64)
    for m, width in enumerate(widths):
        first_bins, second_bins = in_bins(first[m], width), in_bins(second[m], width)
        if np.isnan(first_bins.sum() + second_bins.sum()):
            present = ~(np.isnan(first_bins) | np.isnan(second_bins))
            first_bins, second_bins = first_bins[present], second_bins[present]
        second_bins *= first_bins
        is_swapped = second_bins < 0
        np.abs(first_bins, out=first_bins)
        bin_index = np.minimum(first_bins, BINS - 1, out=first_bins).astype(np.int32)
        bin_index += np.multiply(is_swapped, BINS, dtype=np.int32)
        counts[m] = np.bincount(bin_index, minlength=2 * BINS).reshape(2, BINS)
    counts[:, 0] += counts[:, 1]
    return counts.transpose(1, 0, 2)


def in_bins(differences: Floats, width: float) -> Floats:
    """Differences in units of bins, rounded to 2^-30 bins: one on an edge is in the bin above it, and one that is only
    rounding error is 0 and reverses no order.
    """
    bins = differences / width
    bins += ROUNDING
    bins -= ROUNDING
    return bins


def difference_needed(counts: Ints, widths: Floats, level: float) -> Floats:
    """(2, measures) lower and upper edge of the first bin from which on the rate stays at or under the level.

    Bins without a difference are ignored. NaN where the last bin with a difference is above the level; the upper edge
    is infinite for the last bin.

    Parameters
    ----------
    counts
        (2, measures, bins) of `swap_counts`.
    widths
        (measures) of the bins.
    level
        The swap rate.
    """
    n_differences, n_swapped = counts
    is_over = n_swapped > level * n_differences
    last_over = np.where(is_over.any(axis=1), BINS - 1 - np.argmax(is_over[:, ::-1], axis=1), -1)
    is_later = (n_differences > 0) & (np.arange(BINS) > last_over[:, None])
    first_later = np.argmax(is_later, axis=1)
    lower = np.where(is_later.any(axis=1), first_later.astype(np.float64), np.nan)
    upper = np.where(lower == BINS - 1, np.inf, lower + 1)
    return np.array([lower * widths, upper * widths])


#: Numbers in one array of a chunk, so that it stays in the processor's cache.
CHUNK_NUMBERS = 1 << 16


def kth_resamples(levels: tuple[float, ...], n_resamples: int) -> list[int]:
    """For each level the place, from 0, of the level * n_resamples-th resample; -1 where that is below 1."""
    return [int(level * n_resamples + 1e-9) - 1 for level in levels]


def chunk_rows(rows: int, n_resamples: int) -> list[slice]:
    step = max(1, CHUNK_NUMBERS // n_resamples)
    return [slice(start, start + step) for start in range(0, rows, step)]


def at_levels(t: Floats, averages: Floats, kth: list[int]) -> Floats:
    """The size of the average in the resample whose t is the k-th largest.

    Parameters
    ----------
    t
        The statistics without sign, in any unit, (rows, resamples).
    averages
        The averages, (rows, resamples).
    kth
        The places k from 0, one for each level; -1 for none.

    Returns
    -------
    array of shape (rows, levels)
        The sizes; NaN for k = -1. If several resamples have the k-th largest t, up to rounding, the largest of their
        averages counts, so that the result depends neither on the order of the resamples nor on the machine.
    """
    needed = np.full((len(t), len(kth)), np.nan)
    n_top = min(max(kth, default=-1) + 2, t.shape[1])  # one more, to see whether it ties
    top = np.partition(t, t.shape[1] - n_top, axis=1)[:, -n_top:]
    top.sort(axis=1)
    top = top[:, ::-1]
    ties_previous = np.zeros((len(t), n_top + 1), np.bool_)  # whether a t ties with the one before
    ties_previous[:, 1:-1] = top[:, 1:] >= top[:, :-1] * (1 - NOISE)
    rows = np.arange(len(t))
    for level_index, k in enumerate(kth):
        if k < 0:
            continue
        previous_k = kth[level_index - 1] if level_index else -1
        if previous_k >= 0 and np.array_equal(top[:, previous_k], top[:, k]):  # as when nearly all resamples tie
            needed[:, level_index] = needed[:, level_index - 1]
            continue
        kth_t = top[:, k, None]
        needed[:, level_index] = np.abs(averages[rows, (t == kth_t).argmax(axis=1)])
        tied_rows = np.flatnonzero(ties_previous[:, k] | ties_previous[:, k + 1])
        if tied_rows.size:
            tied_t, tied_kth_t = t[tied_rows], kth_t[tied_rows]
            row, column = np.nonzero((tied_t >= tied_kth_t * (1 - NOISE)) & (tied_t <= tied_kth_t * (1 + NOISE)))
            row_starts = np.searchsorted(row, np.arange(tied_rows.size))  # every row has at least its own t
            needed[tied_rows, level_index] = np.maximum.reduceat(np.abs(averages[tied_rows[row], column]), row_starts)
    return needed


def squared_t(averages: Floats, squares: Floats) -> Floats:
    """t^2 / (n - 1) of each resample from its mean and mean square, without a square root; overwrites `squares`.

    A resample of equal values has no deviation: infinite, or 0 where the value is 0, as in
    `rankscope.stats.bootstrap_test`.
    """
    mean_squared = averages * averages
    squares -= mean_squared
    with np.errstate(divide="ignore", invalid="ignore"):
        t_squared = np.divide(mean_squared, squares, out=squares)
    if not (t_squared.min() >= 0 and t_squared.max() < 1 / NOISE):  # NaN is neither
        has_one_value = ~((t_squared >= 0) & (t_squared < 1 / NOISE))
        t_squared[has_one_value] = np.where(np.abs(averages[has_one_value]) > NOISE, np.inf, 0.0)
    return t_squared


def significance_levels(
    differences: Floats, counts: Floats, levels: tuple[float, ...], weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """(rows) the achieved significance level of each pair, and (rows, levels) the difference needed for each level.

    The test is that of `rankscope.stats.bootstrap_test`: t of the differences less their mean, p = (1 + resamples with
    a t at least as far from 0) / (1 + resamples); 1 where all differences are 0, NaN where all are another number. The
    difference needed is the mean of the shifted differences in the resample whose t is the level * resamples-th
    largest; NaN where that is less than the first. Source: Sakai (2006).

    Parameters
    ----------
    differences
        (rows, queries), finite. With weights (rows, clusters): sums by cluster.
    counts
        (resamples, queries or clusters) of one bootstrap for all.
    levels
        The significance levels.
    weights
        (clusters) how many queries each has. None: all queries are independent.
    """
    if weights is not None:
        return cluster_levels(differences, weights, counts, levels)
    differences, exponent = scale_rows(differences)
    n = differences.shape[1]
    n_resamples = len(counts)
    kth = kth_resamples(levels, n_resamples)
    mean = differences.mean(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    scale = np.abs(differences).max(axis=1)
    is_constant = np.ptp(differences, axis=1) <= 100 * NOISE * scale
    asl = np.where(scale == 0, 1.0, np.nan)
    needed = np.where((scale == 0)[:, None], 0.0, np.full((len(differences), len(kth)), np.nan))
    rows = np.flatnonzero(~is_constant)
    for chunk in chunk_rows(rows.size, n_resamples):
        row_index = rows[chunk]
        unit = deviation[row_index][:, None]
        shifted = (differences[row_index] - mean[row_index][:, None]) / unit
        averages = shifted @ counts.T
        averages /= n
        shifted *= shifted
        squares = shifted @ counts.T
        squares /= n
        t = squared_t(averages, squares)
        observed = np.abs(mean[row_index]) / (deviation[row_index] / np.sqrt(n))
        min_t_squared = np.maximum(observed - NOISE * (observed + np.sqrt(n)), 0.0) ** 2 / (n - 1)
        asl[row_index] = (1.0 + np.count_nonzero(t >= min_t_squared[:, None], axis=1)) / (1.0 + n_resamples)
        needed[row_index] = at_levels(t, averages, kth) * unit
    needed[:, [k < 0 for k in kth]] = np.nan
    return asl, np.ldexp(needed, exponent[:, None])


def cluster_levels(sums: Floats, weights: Floats, counts: Floats, levels: tuple[float, ...]) -> tuple[Floats, Floats]:
    """As `significance_levels`, for sums by cluster (rows, clusters): t has the cluster-robust error (CR1)."""
    sums, exponent = scale_rows(sums)
    n, n_resamples = weights.size, len(counts)
    kth = kth_resamples(levels, n_resamples)
    units = ClusterSums(sums=sums, weights=weights)
    is_zero = (sums == 0).all(axis=1)
    asl = np.where(is_zero, 1.0, np.nan)
    needed = np.where(is_zero[:, None], 0.0, np.full((len(sums), len(kth)), np.nan))
    rows = np.flatnonzero(~units.degenerate)
    total_weights = counts @ weights
    for chunk in chunk_rows(rows.size, n_resamples):
        row_index = rows[chunk]
        residuals = sums[row_index] - units.means[row_index][:, None] * weights
        root = np.sqrt((residuals**2).sum(axis=1))
        residuals /= root[:, None]
        totals = residuals @ counts.T
        averages = totals / total_weights
        # The sum of squares of residuals about the mean of the resample.
        squares = (residuals**2) @ counts.T
        errors = squares + averages * (averages * (counts @ weights**2) - 2 * ((residuals * weights) @ counts.T))
        has_one_mean = errors <= NOISE * squares
        with np.errstate(divide="ignore", invalid="ignore"):
            t = totals**2 / errors
        t[has_one_mean] = np.where(np.abs(totals[has_one_mean]) > NOISE, np.inf, 0.0)
        observed = np.abs(units.means[row_index]) * units.total / root
        min_t_squared = np.maximum(observed - NOISE * (observed + np.sqrt(n)), 0.0) ** 2
        asl[row_index] = (1.0 + np.count_nonzero(t >= min_t_squared[:, None], axis=1)) / (1.0 + n_resamples)
        needed[row_index] = at_levels(t, averages, kth) * root[:, None]
    needed[:, [k < 0 for k in kth]] = np.nan
    return asl, np.ldexp(needed, exponent[:, None])

"""Discriminative power: error and tie rates, the swap method, the bootstrap test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.kernels.means import ratio_or_nan
from rankscope.kernels.ties import NOISE
from rankscope.stats.inputs import levelled
from rankscope.typing import Floats, Ints

__all__ = [
    "BINS",
    "ErrorTieRates",
    "count_draws",
    "counts_of",
    "difference_needed",
    "error_and_ties",
    "kth_places",
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
    """Both places of each pair of drawn systems, and (iterations, pairs) which pair of all systems it is.

    systems: (iterations, drawn), each row rising.
    """
    first, second = np.triu_indices(systems.shape[1], 1)
    a, b = systems[:, first], systems[:, second]
    return first, second, a * n_systems - a * (a + 1) // 2 + b - a - 1


def error_and_ties(means: Floats, systems: Ints, n_systems: int, fuzz: float) -> ErrorTieRates:
    """Error and tie rates over all draws: every draw gives each pair of systems one comparison.

    means: (measures, iterations, systems) of the drawn sets, better is greater, NaN where there is none. Two systems
    tie where |a - b| <= fuzz max(|a|, |b|), up to rounding. The right order of a pair is the one found more
    often: errors are min(better, worse), and both rates are over all comparisons. The deviations are those of the
    jackknife over iterations, NaN with one. NaN where nothing could be compared.

    Source: Buckley and Voorhees (2000).
    """
    measures = len(means)
    first, second, pair = pairs_of_draws(systems, n_systems)
    a, b = means[:, :, first], means[:, :, second]
    there = ~(np.isnan(a) | np.isnan(b))
    with np.errstate(invalid="ignore"):
        tie = there & (np.abs(a - b) <= (fuzz + NOISE) * np.maximum(np.abs(a), np.abs(b)))
        better = (a > b) & ~tie
        worse = (a < b) & ~tie
    n_pairs = n_systems * (n_systems - 1) // 2
    place = pair[None] + n_pairs * np.arange(measures)[:, None, None]

    def by_pair(which: npt.NDArray[np.bool_]) -> Ints:
        return np.bincount(place[which], minlength=measures * n_pairs).reshape(measures, n_pairs)

    wins, losses = by_pair(better), by_pair(worse)
    errors = np.minimum(wins, losses)
    own = (wins.ravel()[place] - better, losses.ravel()[place] - worse)
    without = np.minimum(*own) - errors.ravel()[place]  # what one draw less changes
    n, ties = there.sum(axis=2), tie.sum(axis=2)
    return ErrorTieRates(
        *jackknife(errors.sum(axis=1), errors.sum(axis=1)[:, None] + without.sum(axis=2), n),
        *jackknife(ties.sum(axis=1), ties.sum(axis=1)[:, None] - ties, n),
    )


def jackknife(total: Ints, without: Ints, n: Ints) -> tuple[Floats, Floats]:
    """(measures) a rate in percent and its jackknife deviation. total: (measures); without, n: (measures, draws)."""
    whole = n.sum(axis=1)
    rate = ratio_or_nan(100.0 * total, whole)
    draws = n.shape[1]
    if draws < 2:
        return rate, np.full(whole.shape, np.nan)
    rest = whole[:, None] - n
    left = ratio_or_nan(100.0 * without, rest)
    centre = left.mean(axis=1, keepdims=True)
    return rate, np.sqrt((draws - 1) / draws * ((left - centre) ** 2).sum(axis=1))


#: Bins of differences; the last one has no upper end.
BINS = 100
#: What is added to this is rounded to 2^-30.
ROUNDING = 1.5 * 2.0**22


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


#: Numbers of one array of a chunk: it stays in the processor's cache.
CHUNK_NUMBERS = 1 << 16


def count_draws(rng: np.random.Generator, n_resamples: int, n: int) -> Floats:
    """(resamples, n) how often each of n queries is in samples of n with replacement."""
    return counts_of(rng.integers(0, n, size=(n_resamples, n)), n)


def counts_of(drawn: Ints, n: int) -> Floats:
    """(resamples, n) how often each query was drawn. drawn: (resamples, draws) their places."""
    flat = drawn + n * np.arange(len(drawn))[:, None]
    return np.bincount(flat.ravel(), minlength=len(drawn) * n).reshape(len(drawn), n).astype(np.float64)


def kth_places(levels: tuple[float, ...], n_resamples: int) -> list[int]:
    """For each level the place, from 0, of the level * n_resamples-th resample; -1 where that is below 1."""
    return [int(level * n_resamples + 1e-9) - 1 for level in levels]


def chunk_rows(rows: int, n_resamples: int) -> list[slice]:
    step = max(1, CHUNK_NUMBERS // n_resamples)
    return [slice(start, start + step) for start in range(0, rows, step)]


def at_levels(t: Floats, averages: Floats, places: list[int]) -> Floats:
    """(rows, levels) the size of the average in the resample whose t is the k-th largest; NaN for place -1.

    t, averages: (rows, resamples), t without sign and in any unit. Where several resamples have that t, up to rounding,
    the largest of their averages counts: so neither the order of the resamples nor the machine decides.
    """
    found = np.full((len(t), len(places)), np.nan)
    size = min(max(places, default=-1) + 2, t.shape[1])  # one more than asked for, to see whether it ties with the last
    top = np.partition(t, t.shape[1] - size, axis=1)[:, -size:]
    top.sort(axis=1)
    top = top[:, ::-1]
    ties = np.zeros((len(t), size + 1), np.bool_)  # with the one before
    ties[:, 1:-1] = top[:, 1:] >= top[:, :-1] * (1 - NOISE)
    rows = np.arange(len(t))
    for level, place in enumerate(places):
        if place < 0:
            continue
        before = places[level - 1] if level else -1
        if before >= 0 and np.array_equal(top[:, before], top[:, place]):  # as where nearly all resamples tie
            found[:, level] = found[:, level - 1]
            continue
        at = top[:, place, None]
        found[:, level] = np.abs(averages[rows, (t == at).argmax(axis=1)])
        several = np.flatnonzero(ties[:, place] | ties[:, place + 1])
        if several.size:
            some, that = t[several], at[several]
            row, column = np.nonzero((some >= that * (1 - NOISE)) & (some <= that * (1 + NOISE)))
            begin = np.searchsorted(row, np.arange(several.size))  # every row has its own t at least
            found[several, level] = np.maximum.reduceat(np.abs(averages[several[row], column]), begin)
    return found


def squared_t(averages: Floats, squares: Floats) -> Floats:
    """T^2 / (n - 1) of each resample from its mean and mean square, which takes no root; written over `squares`.

    A resample of one value alone has no deviation: infinite, or 0 where that value is 0, as in
    `rankscope.stats.bootstrap_test`.
    """
    mean_squared = averages * averages
    squares -= mean_squared
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.divide(mean_squared, squares, out=squares)
    if not (found.min() >= 0 and found.max() < 1 / NOISE):  # not a number is neither
        alone = ~((found >= 0) & (found < 1 / NOISE))
        found[alone] = np.where(np.abs(averages[alone]) > NOISE, np.inf, 0.0)
    return found


def significance_levels(differences: Floats, counts: Floats, levels: tuple[float, ...]) -> tuple[Floats, Floats]:
    """(rows) the achieved significance level of each pair, and (rows, levels) the difference needed for each level.

    differences: (rows, queries), finite; counts: (resamples, queries) of one bootstrap for all. The test is that of
    `rankscope.stats.bootstrap_test`: t of the differences less their mean, p = (1 + resamples with a t at least as far
    from 0) / (1 + resamples); 1 where all differences are 0, NaN where all are another number. The difference needed is
    the mean of the shifted differences in the resample whose t is the level * resamples-th largest; NaN where that is
    less than the first. Source: Sakai (2006).
    """
    differences, power = levelled(differences)
    n = differences.shape[1]
    n_resamples = len(counts)
    places = kth_places(levels, n_resamples)
    mean = differences.mean(axis=1)
    spread = differences.std(axis=1, ddof=1)
    scale = np.abs(differences).max(axis=1)
    flat = np.ptp(differences, axis=1) <= 100 * NOISE * scale
    asl = np.where(scale == 0, 1.0, np.nan)
    needed = np.where((scale == 0)[:, None], 0.0, np.full((len(differences), len(places)), np.nan))
    rows = np.flatnonzero(~flat)
    for part in chunk_rows(rows.size, n_resamples):
        at = rows[part]
        unit = spread[at][:, None]
        shifted = (differences[at] - mean[at][:, None]) / unit
        averages = shifted @ counts.T
        averages /= n
        shifted *= shifted
        squares = shifted @ counts.T
        squares /= n
        t = squared_t(averages, squares)
        observed = np.abs(mean[at]) / (spread[at] / np.sqrt(n))
        least = np.maximum(observed - NOISE * (observed + np.sqrt(n)), 0.0) ** 2 / (n - 1)
        asl[at] = (1.0 + np.count_nonzero(t >= least[:, None], axis=1)) / (1.0 + n_resamples)
        needed[at] = at_levels(t, averages, places) * unit
    needed[:, [place < 0 for place in places]] = np.nan
    return asl, np.ldexp(needed, power[:, None])

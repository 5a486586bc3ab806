"""The paired bootstrap hypothesis test: achieved significance levels, and the difference that is needed."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.ties import NOISE
from rankscope.stats.inputs import levelled
from rankscope.typing import Floats, Ints

__all__ = ["coded_levels", "count_draws", "counts_of", "kth_places", "significance_levels"]


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

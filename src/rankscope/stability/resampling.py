"""The paired bootstrap hypothesis test: achieved significance levels, and the difference that is needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.stats.inputs import NOISE
from rankscope.stats.resampled import studentised

__all__ = ["coded_levels", "count_draws", "counts_of", "kth_places", "significance_levels"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Numbers of one array of a chunk: it stays in the processor's cache.
NUMBERS = 1 << 17


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
    step = max(1, NUMBERS // n_resamples)
    return [slice(start, start + step) for start in range(0, rows, step)]


def at_levels(t: Floats, shifted: Floats, places: list[int]) -> Floats:
    """(rows, levels) the mean of the shifted differences in the resample whose t is the k-th largest; NaN for place -1.

    t, shifted: (rows, resamples), without sign.
    """
    found = np.full((len(t), len(places)), np.nan)
    asked = sorted({place for place in places if place >= 0})
    if not asked:
        return found
    order = np.argpartition(-t, asked, axis=1)
    for level, place in enumerate(places):
        if place >= 0:
            found[:, level] = np.take_along_axis(shifted, order[:, place : place + 1], axis=1)[:, 0]
    return found


def significance_levels(differences: Floats, counts: Floats, levels: tuple[float, ...]) -> tuple[Floats, Floats]:
    """(rows) the achieved significance level of each pair, and (rows, levels) the difference needed for each level.

    differences: (rows, queries), finite; counts: (resamples, queries) of one bootstrap for all. The test is that of
    `rankscope.stats.bootstrap_test`: t of the differences less their mean, p = (1 + resamples with a t at least as far
    from 0) / (1 + resamples); 1 where all differences are 0, NaN where all are another number. The difference needed is
    the mean of the shifted differences in the resample whose t is the level * resamples-th largest; NaN where that is
    less than the first. Source: Sakai (2006).
    """
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
        squares = (shifted * shifted) @ counts.T
        squares /= n
        t = np.abs(studentised(averages, squares, n))
        observed = np.abs(mean[at]) / (spread[at] / np.sqrt(n))
        count = (t >= (observed * (1 - NOISE))[:, None]).sum(axis=1)
        asl[at] = (1.0 + count) / (1.0 + n_resamples)
        np.abs(averages, out=averages)
        needed[at] = at_levels(t, averages, places) * unit
    needed[:, [place < 0 for place in places]] = np.nan
    return asl, needed


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
        averages = (shifted / unit) @ counts.T / n
        squares = (shifted / unit) ** 2 @ counts.T / n
        variance = squares - averages * averages
        there = variance > NOISE * np.maximum(squares, NOISE)
        t = np.divide(
            np.abs(averages), np.sqrt(np.where(there, variance, 1.0) / n), out=np.zeros_like(averages), where=there
        )
        deviation = (shifted / unit).std(axis=1)
        observed = np.divide(
            np.abs(mean), unit[:, 0] * deviation / np.sqrt(n), out=np.zeros_like(mean), where=(scale > 0)[:, 0]
        )
        count = ((t > 0) & (t >= (observed * (1 - NOISE))[:, None])).sum(axis=1)
        asl[rows[part]] = np.where((some == 0).all(axis=1), 1.0, count / n_resamples)
        needed[rows[part]] = at_levels(t, np.abs(averages) * unit, places)
    return asl, needed

"""Intervals of correlations: by Fisher's z, and from bootstrap samples."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import draw
from rankscope.kernels.ties import NOISE
from rankscope.stats.correlation_resamples import bootstrap_values, leave_one_out, weighted_correlation
from rankscope.stats.correlation_values import ListPairs
from rankscope.stats.distributions import special
from rankscope.stats.inputs import counted
from rankscope.stats.intervals import quantiles
from rankscope.typing import Floats

__all__ = ["FAR", "FEW", "bca_ends", "ends"]

#: Of fewer items, what a bootstrap interval comes with.
FEW = 25
#: A tau or rho beyond has no good interval by Fisher's z.
FAR = 0.8
TWO_ITEMS = "2 items: their correlation is 1 or -1 whatever they are"
FULL = (
    "full agreement (or full disagreement): nothing in these items says how far from it others could be, "
    "so there is no interval"
)


def ends(
    pairs: ListPairs, confidence_level: float, interval: str, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, tuple[str, ...]]:
    """(lists) the ends of the intervals, and notes on all that has been found."""
    one = "a list has one value only: nothing rises or falls, there is no correlation"
    notes = list(counted(pairs.flat, one, "have a list of one value only: no correlation"))
    low, high = np.full((2, pairs.flat.size), np.nan)
    if pairs.n == 2:
        return low, high, (*notes, TWO_ITEMS)
    full = np.abs(pairs.value) == 1
    good = ~pairs.flat & ~full
    if interval == "fisher":
        least = 5 if pairs.statistic.startswith("kendall") else 4
        if pairs.n < least:
            return low, high, (*notes, f"{pairs.n} items: an interval by Fisher's z takes at least {least}")
        low[good], high[good] = fisher_ends(pairs.value[good], pairs.n, pairs.statistic, confidence_level)
        far = good & (np.abs(pairs.value) > FAR) & (pairs.statistic != "pearson")
        notes += counted(
            far,
            f"beyond {FAR} Fisher's interval of ranks is rough; the bootstrap's is another view",
            f"are beyond {FAR}, where Fisher's interval of ranks is rough; the bootstrap's is another view",
        )
    else:
        some = np.flatnonzero(good)
        low[good], high[good], lost = bootstrap_ends(pairs, some, confidence_level, n_resamples, rng)
        if lost:
            notes.append(f"up to {lost} of {n_resamples} bootstrap samples had a list of one value and were left out")
        if pairs.n < FEW:
            notes.append(f"fewer than {FEW} items: bootstrap intervals are too narrow")
    return low, high, (*notes, *counted(full, FULL, "agree fully, up or down: they have no interval"))


def fisher_ends(value: Floats, n: int, statistic: str, confidence_level: float) -> Floats:
    """(2, lists). Bonett and Wright (2000)."""
    if statistic == "pearson":
        variance = np.full(value.shape, 1 / (n - 3))
    elif statistic == "spearman":
        variance = (1 + value**2 / 2) / (n - 3)
    else:
        variance = np.full(value.shape, 0.437 / (n - 4))
    half = special().ndtri((1 + confidence_level) / 2) * np.sqrt(variance)
    return np.asarray(np.tanh(np.arctanh(value) + np.array([[-1.0], [1.0]]) * half))


def bootstrap_ends(
    pairs: ListPairs, which: npt.NDArray[np.intp], confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, int]:
    """Of some of the lists, the BCa interval, and in how many samples one was undefined."""
    low, high, lost = np.empty(which.size), np.empty(which.size), 0
    draws = draw(rng, n_resamples)
    for place, i in enumerate(which.tolist()):
        ways = [weighted_correlation(pairs.statistic, pairs.x[i], pairs.y[i])]
        samples, jackknife = bootstrap_values(ways, pairs.n, draws)[0], leave_one_out(ways, pairs.n)[0]
        low[place], high[place] = bca_ends(float(pairs.value[i]), samples, jackknife, confidence_level)
        lost = max(lost, int(np.isnan(samples).sum()))
    return low, high, lost


def bca_ends(value: float, samples: Floats, jackknife: Floats, confidence_level: float) -> tuple[float, float]:
    """The BCa interval of one value, from what it is in bootstrap samples and without each item; NaN are left out.

    Quantiles of the samples, moved for their bias (the share below the value, equal ones half) and for the skewness of
    the jackknife. NaN where all samples are one.

    Source: Efron (1987); Efron and Tibshirani (1993), chapter 14.
    """
    rising = np.sort(samples[~np.isnan(samples)])
    if rising.size < 2 or rising[-1] - rising[0] <= NOISE:
        return float("nan"), float("nan")
    functions = special()
    below = (np.count_nonzero(rising < value - NOISE) + np.count_nonzero(rising <= value + NOISE)) / (2 * rising.size)
    least = 0.5 / rising.size
    bias = float(functions.ndtri(min(max(below, least), 1 - least)))
    there = jackknife[~np.isnan(jackknife)]
    off = there.mean() - there if there.size else np.zeros(1)
    spread = float((off**2).sum())
    skew = float((off**3).sum()) / (6 * spread**1.5) if spread > NOISE**2 else 0.0
    z = bias + functions.ndtri(np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]))
    room = 1 - skew * z
    moved = np.where(room > 0, z / np.where(room > 0, room, 1.0), np.copysign(np.inf, z))
    low, high = quantiles(rising[None], functions.ndtr(bias + moved)[:, None])[:, 0].tolist()
    return low, high

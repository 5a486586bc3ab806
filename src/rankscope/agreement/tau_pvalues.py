"""How likely chance is to give such taus: of one list, of one segment, and of many segments together."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rankscope.agreement.rank_taus import TauCounts
from rankscope.stats.distributions import special
from rankscope.typing import Floats

__all__ = ["erfc", "combine_by_fisher", "segment_statistics", "combine_by_stouffer", "tau_pvalues"]


def tau_deviations(n: npt.ArrayLike) -> Floats:
    """The standard deviation of tau by chance, sqrt((4n + 10) / (9n(n - 1))), of n items; NaN for fewer than two."""
    items = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.sqrt((4 * items + 10) / (9 * items * (items - 1)))
    return np.where(items >= 2, found, np.nan)


def tau_statistics(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """Tau over its standard deviation by chance, of n items; NaN for fewer than two."""
    return np.asarray(np.asarray(tau, np.float64) / tau_deviations(n), np.float64)


def segment_statistics(taus: TauCounts, lengths: npt.ArrayLike, segments: npt.ArrayLike) -> Floats:
    """(segments) tau of the pairs of all a segment's judgments together over its standard deviation; NaN without any.

    Judgments of one segment share the machine's ranks. Their taus are taken to vary wholly together, so that the
    deviation of their mean, which is weighted by pairs, is the mean of theirs: it is never more in truth. Of a single
    judgment this is `tau_statistics`.
    """
    pairs = taus.valid.astype(np.float64)
    at = np.unique(np.asarray(segments), return_inverse=True)[1]
    k = int(at.max(initial=-1)) + 1
    above = np.bincount(at, taus.concordant - taus.discordant, k)
    below = np.bincount(at, np.where(pairs > 0, pairs * tau_deviations(lengths), 0.0), k)
    found = np.full(k, np.nan)
    np.divide(above, below, out=found, where=np.asarray(below > 0))
    return found


def tau_pvalues(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """erfc(|z| / sqrt 2): two-sided."""
    return erfc(np.abs(tau_statistics(tau, n)) / math.sqrt(2.0))


def erfc(values: Floats) -> Floats:
    """The complementary error function: Python's own, since SciPy takes a quarter of a second to load."""
    return np.array([math.erfc(value) for value in values.ravel().tolist()]).reshape(values.shape)


def combine_by_fisher(pvalues: Floats) -> float:
    """Fisher's combination: -2 sum of ln p has a chi-square of 2k degrees of freedom. NaN are left out; of none NaN."""
    there = pvalues[~np.isnan(pvalues)]
    if not there.size:
        return float("nan")
    with np.errstate(divide="ignore"):  # a p-value of 0 makes it infinite, and the result 0
        return float(special().chdtrc(2 * there.size, -2.0 * np.log(there).sum()))


def combine_by_stouffer(statistics: Floats) -> float:
    """Stouffer's combination of signed statistics: their sum over sqrt(k) is normal; two-sided."""
    there = statistics[~np.isnan(statistics)]
    if not there.size:
        return float("nan")
    return math.erfc(abs(float(there.sum())) / math.sqrt(2.0 * there.size))

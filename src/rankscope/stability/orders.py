"""How often a measure orders two systems wrongly, and how often it cannot order them: error and tie rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.kernels.means import ratio_or_nan
from rankscope.kernels.ties import NOISE
from rankscope.typing import Floats, Ints

__all__ = ["ErrorTieRates", "coded_error_and_ties", "error_and_ties", "pairs_of_draws"]


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

"""The discriminative power of measures in resamples of the queries: what other queries would say of their order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import count_draws
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stability.conditions import Condition
from rankscope.stability.sampling import complete_queries, complete_sums, stream
from rankscope.stats.cluster_sums import ClusterSums
from rankscope.stats.distributions import special
from rankscope.typing import Floats, Ints

__all__ = [
    "RESAMPLES",
    "leads_of",
    "resampled_power",
]


#: Resamples of the queries.
RESAMPLES = 100
#: Of more pairs of systems, as many evenly spaced ones stand for all.
MAX_PAIRS = 300
#: Measures whose rates, in percent, differ by less than this are level.
LEVEL_RATES = 0.05


def resampled_power(
    pool: Floats, size: int, alpha: tuple[float, ...], seed: int, condition: Condition, clusters: Ints | None = None
) -> Floats:
    """(measures, levels, resamples) percent of pairs of systems that a t-test on a set is expected to tell apart.

    All measures have the same resamples of the queries. In each, the difference and the deviation of a pair are those
    of the resample, and the test has a set of `size` queries. A measure that lacks values has those of its complete
    queries. NaN with fewer than 2 queries in a set or in all.

    Parameters
    ----------
    pool
        (measures, systems, queries) values of all queries, NaN where there is none.
    size
        Number of queries, or of clusters, in a set.
    alpha
        The levels of the test.
    seed, condition
        The source of random numbers.
    clusters
        (queries) the cluster of each query, which are then what is drawn; None if all are independent.
    """
    rates = np.full((len(pool), len(alpha), RESAMPLES), np.nan)
    if size < 2:
        return rates
    critical = special().stdtrit(size - 1, 1 - np.array(alpha) / 2)[:, None, None]
    for m, values in enumerate(pool):
        rng = stream(seed, condition, 0, 4)  # the same for each measure
        units = units_of_pool(values, clusters)
        if units.weights.size < 2:
            continue
        t = np.abs(resampled_effects(units, count_draws(rng, RESAMPLES, units.weights.size))) * np.sqrt(size)
        power = special().ndtr(t - critical) + special().ndtr(-t - critical)  # (levels, resamples, pairs)
        rates[m] = 100 * np.where(t > 0, power, 0.0).mean(axis=2)
    return rates


def units_of_pool(values: Floats, clusters: Ints | None) -> ClusterSums:
    """The values of complete queries, or the sums of clusters over theirs. values: (systems, queries)."""
    if clusters is not None:
        return complete_sums(values, clusters)
    complete = complete_queries(values)
    return ClusterSums(sums=complete, weights=np.ones(complete.shape[1]))


def resampled_effects(units: ClusterSums, counts: Floats) -> Floats:
    """(resamples, pairs) the mean difference over the deviation of a unit, in each resample; infinite if none varies.

    counts: (resamples, units) how often each is drawn.
    """
    first, second = np.triu_indices(len(units.sums), 1)
    if first.size > MAX_PAIRS:
        places = np.linspace(0, first.size - 1, MAX_PAIRS).astype(np.int64)
        first, second = first[places], second[places]
    d, w = units.sums[first] - units.sums[second], units.weights
    total = (counts @ w)[:, None]
    mean = counts @ d.T / total
    squares = counts @ (d * d).T
    # Residuals of the ratio of sums: sum (d - mean w)^2 = sum d^2 - 2 mean sum d w + mean^2 sum w^2.
    residuals = squares - 2 * mean * (counts @ (d * w).T) + mean**2 * (counts @ (w * w))[:, None]
    residuals = np.where(residuals > NOISE * squares, residuals, 0.0)
    n = w.size
    deviation = np.sqrt(residuals / (n - 1)) * n / total
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(mean == 0, 0.0, mean / deviation))


def leads_of(rates: Floats) -> Floats:
    """(measures) in what share of the resamples each measure has the highest rate; level ones share it.

    >>> import numpy as np
    >>> leads_of(np.array([[60.0, 70.0, 50.0, 40.0], [50.0, 70.0, 60.0, 30.0]])).tolist()
    [0.625, 0.375]
    """
    is_highest: npt.NDArray[np.bool_] = rates >= rates.max(axis=0) - LEVEL_RATES
    return np.asarray((is_highest / is_highest.sum(axis=0)).mean(axis=1))

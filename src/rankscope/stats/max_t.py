"""Max-t: all pairs of systems tested at once by the largest t of resamples of whole queries (Westfall and Young)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import Draws, bootstrap_counts, draw, sign_vectors
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.anova import AllPairs, all_pairs
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
from rankscope.stats.inputs import as_generator, as_scores, check_choice, check_count, check_share, scale_table
from rankscope.stats.paired_tests import monte_carlo
from rankscope.typing import Bools, Floats

__all__ = [
    "max_t_test",
]


#: How queries are resampled.
RESAMPLINGS = ("signs", "bootstrap")


def max_t_test(
    scores: npt.ArrayLike,
    *,
    resampling: str = "signs",
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: Any = None,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> AllPairs:
    """Test all pairs of systems at once, by how large the largest t of all pairs is in resamples of the queries.

    Parameters
    ----------
    scores
        Scores, (systems, queries), at least 2 of each.
    resampling
        "signs": differences of a query have a random sign, the same for all pairs; right if differences are symmetric.
        "bootstrap": queries are drawn with replacement; right for many queries, also if differences are skewed.
    n_resamples
        Number of resamples, at least 1.
    confidence_level
        Level of the simultaneous intervals, in (0, 1).
    rng
        Seed or `numpy.random.Generator`; the same seed gives the same p-values.
    clusters
        The cluster of each query, whose values are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    AllPairs
        The statistic is |t|, p is corrected for all pairs, and the intervals hold all true differences at once. A pair
        with the same difference on every query has no t: its statistic and p are NaN, or 0 and 1 if the systems are
        equal. `critical_difference` is NaN, since each pair has its own.

    Raises
    ------
    ParameterError
        A score is NaN, the shape is wrong, or an argument is out of range.

    Notes
    -----
    p of a pair = (1 + number of resamples whose largest |t| is at least as large as its |t|) / (1 + n_resamples). No
    pair borrows the spread of others, so the systems may differ in kind, unlike in Tukey's test. Intervals are
    difference -+ c times its standard error, with c the quantile of the largest |t| of differences less their means.

    References
    ----------
    Westfall and Young (1993), "Resampling-based multiple testing", single-step max T; Romano and Wolf (2005).

    Examples
    --------
    >>> rng = np.random.default_rng(3)
    >>> x = rng.normal(size=(3, 30)) + [[0.0], [0.1], [1.0]]
    >>> result = max_t_test(x, n_resamples=999, rng=1)
    >>> [bool(p < 0.05) for p in result.pvalue]
    [False, False, True]
    """
    x = as_scores(scores)
    check_choice("resampling", resampling, RESAMPLINGS)
    check_share("confidence_level", confidence_level)
    check_count("n_resamples", n_resamples)
    draws = draw(as_generator(rng), n_resamples)
    n_queries = x.shape[1]
    x, exponent = scale_table(x)
    first, second = all_pairs(len(x))
    units = cluster_sums(x, clusters, weights)
    pairs = PairSums(units, first, second)
    count, largest = np.zeros(first.size), np.empty(n_resamples)
    n_done = 0
    resampled = sign_t(pairs, draws) if resampling == "signs" else bootstrap_t(pairs, draws)
    for for_test, for_interval in resampled:
        threshold = pairs.t * (1 - NOISE) - NOISE * np.sqrt(n_queries)
        count += (for_test[:, None] >= threshold).sum(axis=0)
        largest[n_done : n_done + for_interval.size] = for_interval
        n_done += for_interval.size
    pvalue, error = monte_carlo(count, n_resamples)
    critical = float(np.quantile(largest, confidence_level, method="higher"))
    half_width = critical * pairs.errors
    is_equal = ~pairs.varies & (np.abs(pairs.difference) <= NOISE * np.abs(x).max())
    is_undefined = ~pairs.varies & ~is_equal
    return AllPairs(
        test="max-t",
        first=first,
        second=second,
        difference=np.ldexp(pairs.difference, exponent),
        statistic=np.where(is_undefined, np.nan, np.where(is_equal, 0.0, pairs.t)),
        pvalue=np.where(is_undefined, np.nan, np.where(is_equal, 1.0, pvalue)),
        low=np.where(is_undefined, np.nan, np.ldexp(pairs.difference - half_width, exponent)),
        high=np.where(is_undefined, np.nan, np.ldexp(pairs.difference + half_width, exponent)),
        confidence_level=confidence_level,
        critical_difference=float("nan"),
        error=np.where(pairs.varies, error, 0.0),
        n=n_queries,
        n_resamples=n_resamples,
        notes=() if pairs.varies.any() else ("no query tells the systems apart",),
    )


class PairSums:
    """Differences of all pairs by cluster, and their t.

    Sums of differences are differences of sums, so that resamples are summed for systems, of which there are fewer.

    Parameters
    ----------
    units
        Sums of the systems by cluster.
    first, second
        (pairs) indices of the systems.
    """

    def __init__(self, units: ClusterSums, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> None:
        self.first, self.second, self.weights = first, second, units.weights
        n = units.n
        self.factor = n / (n - 1) if n > 1 else np.nan
        #: (systems, clusters) sums, and those less the mean.
        self.sums: Floats = units.sums - units.means.mean() * units.weights
        self.residuals: Floats = units.sums - units.means[:, None] * units.weights
        self.difference: Floats = units.means[first] - units.means[second]
        self.sum_squares: Floats = self.squares_of(self.sums)
        self.residual_squares: Floats = self.squares_of(self.residuals)
        pairs = ClusterSums(sums=units.sums[first] - units.sums[second], weights=units.weights)
        self.varies: Bools = ~pairs.degenerate
        #: (pairs) cluster-robust standard errors (CR1), for clusters of one query s / sqrt(n).
        self.errors: Floats = np.sqrt(self.factor * self.residual_squares) / pairs.total
        self.t: Floats = np.divide(
            np.abs(self.difference), self.errors, out=np.zeros(first.size), where=self.varies & (self.errors > 0)
        )

    def squares_of(self, values: Floats) -> Floats:
        """(pairs) sums of squares of differences; values: (systems, clusters)."""
        return np.asarray(((values[self.first] - values[self.second]) ** 2).sum(axis=1))

    def pairwise(self, of_systems: Floats) -> Floats:
        """(resamples, pairs) differences of the systems; of_systems: (resamples, systems)."""
        return of_systems[:, self.first] - of_systems[:, self.second]

    def largest(
        self, sums: Floats, total: Floats | float, squares: Floats, products: Floats, weight_square: Any
    ) -> Floats:
        """(resamples) the largest |t| of the pairs that vary.

        Parameters
        ----------
        sums
            (resamples, pairs) sums of the resampled differences.
        total
            Sums of the weights.
        squares, products
            Sums of their squares, and of their products with the weights.
        weight_square
            Sums of the squares of the weights.
        """
        mean = sums / total
        spread = squares + mean * (mean * weight_square - 2 * products)
        has_spread = (spread > NOISE * squares) & self.varies
        t_square = np.divide(sums * sums, self.factor * spread, out=np.zeros(sums.shape), where=has_spread)
        return np.asarray(np.sqrt(t_square.max(axis=1, initial=0.0)))


def sign_t(pairs: PairSums, draws: Draws) -> Iterator[tuple[Floats, Floats]]:
    """The largest |t| of each resample of signs, of the differences and of these less their means; chunk by chunk."""
    total, weight_square = float(pairs.weights.sum()), float((pairs.weights**2).sum())
    has_weights = bool((pairs.weights != 1).any())
    for signs in sign_vectors(draws, pairs.weights.size, pairs.first.size):
        largest = []
        for values, squares in ((pairs.sums, pairs.sum_squares), (pairs.residuals, pairs.residual_squares)):
            sums = pairs.pairwise(signs @ values.T)
            products = pairs.pairwise(signs @ (values * pairs.weights).T) if has_weights else sums
            largest.append(pairs.largest(sums, total, squares, products, weight_square))
        yield largest[0], largest[1]


def bootstrap_t(pairs: PairSums, draws: Draws) -> Iterator[tuple[Floats, Floats]]:
    """The same of samples of clusters with replacement, whose differences are less the means; for both uses."""
    values, weights = pairs.residuals, pairs.weights
    has_weights = bool((weights != 1).any())
    squares_of_pairs = ((values[pairs.first] - values[pairs.second]) ** 2).T
    for counts in bootstrap_counts(draws, weights.size, pairs.first.size):
        sums = pairs.pairwise(counts @ values.T)
        products = pairs.pairwise(counts @ (values * weights).T) if has_weights else sums
        largest = pairs.largest(
            sums,
            (counts @ weights)[:, None],
            counts @ squares_of_pairs,
            products,
            (counts @ weights**2)[:, None],
        )
        yield largest, largest

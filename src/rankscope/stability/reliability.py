"""Reliability of measures: generalisability coefficients and how many queries they need; how similarly two sets without
a common query rank the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import disjoint_sets, seed_root
from rankscope.stability.conditions import Condition
from rankscope.stability.sampling import complete_queries, complete_sums, stream
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.correlation_values import rank_rows, surplus_by_row, tau_ap_by_row, taus
from rankscope.stats.inputs import as_generator, check_count, numbers
from rankscope.stats.reliability import from_squares, mean_squares
from rankscope.typing import Floats, Ints

__all__ = [
    "RELIABILITY",
    "HalfAgreement",
    "half_agreement",
    "halves_of",
    "reliability_of",
    "usual_sizes",
]


#: The numbers of each measure's generalisability, in this order.
RELIABILITY = (
    "relative",
    "relative_low",
    "relative_high",
    "absolute",
    "absolute_low",
    "absolute_high",
    "needed_relative",
    "needed_relative_low",
    "needed_relative_high",
    "needed_absolute",
    "needed_absolute_low",
    "needed_absolute_high",
)
#: How many draws mean squares are averaged over.
MAX_DRAWS = 50
#: The coefficient that the needed number of queries reaches.
TARGET = 0.95


def reliability_of(pools: Sequence[Floats], size: int, clusters: Ints | None = None) -> Floats:
    """(measures, 12) the numbers of `RELIABILITY`, for means over `size` queries; NaN with fewer than 2 queries.

    For each measure, only the draws with the most complete queries count. Clusters are analysed as queries are, each by
    the means of its queries: the coefficients are those of means in which all clusters weigh the same.

    Parameters
    ----------
    pools
        Values (measures, systems, queries) of some draws, whose mean squares are averaged, so that no single draw
        decides.
    size
        Number of queries, or of clusters, in a set.
    clusters
        (queries) the cluster of each query; None if all are independent.
    """
    table = np.full((len(pools[0]), len(RELIABILITY)), np.nan)
    for m in range(len(table)):
        usable = [
            values
            for values in (values_of_units(pool[m], clusters) for pool in pools[:MAX_DRAWS])
            if values.shape[1] >= 2
        ]
        if usable:
            max_queries = max(values.shape[1] for values in usable)
            squares = [mean_squares(values) for values in usable if values.shape[1] == max_queries]
            coefficients = from_squares(squares, 0.95, TARGET, size)
            table[m] = [getattr(coefficients, name) for name in RELIABILITY]
    return table


def values_of_units(values: Floats, clusters: Ints | None) -> Floats:
    """(systems, units) the values of complete queries, or the means of clusters over theirs.

    values: (systems, queries). clusters: (queries) the cluster of each query.
    """
    if clusters is None:
        return complete_queries(values)
    units = complete_sums(values, clusters)
    return np.asarray(units.sums / units.weights)


def halves_of(
    pool: Floats, iterations: int, seed: int, condition: Condition, clusters: Ints | None = None
) -> tuple[Floats, Floats]:
    """Sizes (k) and (6, measures, k) tau, tau_AP and their percentiles, of two disjoint sets of each size.

    A measure without values on some queries uses the others; sizes that are then too large for it are NaN. With
    clusters, (queries), these are what sets are made of.
    """
    sizes = usual_sizes(pool.shape[2] if clusters is None else np.unique(clusters).size)
    correlations = np.full((6, len(pool), len(sizes)), np.nan)
    halves_seed = int(stream(seed, condition, 0, 3).integers(1 << 62))
    has_value = ~np.isnan(pool).any(axis=1)
    patterns, pattern_of = np.unique(has_value, axis=0, return_inverse=True)
    for pattern, mask in enumerate(patterns):
        measure_index = np.flatnonzero(pattern_of.ravel() == pattern)
        codes = None if clusters is None else clusters[mask]
        n_units = int(mask.sum()) if codes is None else np.unique(codes).size
        fitting_sizes = [size for size in sizes if 2 * size <= n_units]
        if fitting_sizes:
            agreement = half_agreement(
                pool[measure_index][:, :, mask],
                fitting_sizes,
                iterations=iterations,
                rng=halves_seed,
                clusters=codes,
            )
            for k, name in enumerate(("tau", "tau_low", "tau_high", "tau_ap", "tau_ap_low", "tau_ap_high")):
                correlations[k][measure_index, : len(fitting_sizes)] = getattr(agreement, name)
    return np.array(sizes, np.float64), correlations


#: Numbers in the largest array of a chunk: 4 MB of float64; about ten such arrays are held at once.
CHUNK_NUMBERS = 1 << 19
#: The percentiles that enclose 95 of 100 iterations.
PERCENTILES = (2.5, 97.5)
#: The first sizes; then multiples of the smallest round step that needs at most MAX_MULTIPLES of them.
FIRST_SIZES, MAX_MULTIPLES = (5, 10, 20), 5


@dataclass(frozen=True, eq=False, kw_only=True)
class HalfAgreement:
    """How alike two sets of queries, without a query in common, rank the systems.

    Attributes
    ----------
    sizes
        The numbers of queries, or of clusters, in each of the two sets.
    iterations
        How often two sets were drawn.
    tau, tau_ap
        (measures, sizes) the mean over the iterations of Kendall's tau-b and of the AP correlation, both in [-1,
        1], higher is more alike.
    tau_low, tau_high, tau_ap_low, tau_ap_high
        (measures, sizes) the 2.5th and the 97.5th percentile of the iterations: what single pairs of sets give, no
        interval of the mean.
    counted
        (measures, sizes) iterations that have a value; the others, in which a set ties all systems, are left out.
    """

    sizes: tuple[int, ...]
    iterations: int
    tau: Floats
    tau_low: Floats
    tau_high: Floats
    tau_ap: Floats
    tau_ap_low: Floats
    tau_ap_high: Floats
    counted: Ints


def usual_sizes(n_queries: int) -> tuple[int, ...]:
    """Up to 8 sizes of sets to try, rising: 5, 10, 20, then round steps up to half of the queries.

    Fewer than 10 queries: their half alone; fewer than 2: none.

    >>> usual_sizes(50), usual_sizes(249)
    ((5, 10, 20, 25), (5, 10, 20, 40, 60, 80, 100, 120))
    """
    half = n_queries // 2
    if half < FIRST_SIZES[0]:
        return (half,) if half else ()
    unit = 1
    while True:
        for step in (5 * unit, 10 * unit, 20 * unit):
            if half // step - FIRST_SIZES[-1] // step <= MAX_MULTIPLES:
                first_sizes = [size for size in FIRST_SIZES if size <= half]
                return (*first_sizes, *(size for size in range(step, half + 1, step) if size > FIRST_SIZES[-1]))
        unit *= 10


def half_agreement(
    values: npt.ArrayLike,
    sizes: Sequence[int],
    *,
    iterations: int,
    rng: Any,
    clusters: npt.ArrayLike | None = None,
) -> HalfAgreement:
    """Compare the orders of systems by their means over two random sets of queries without common queries.

    For each size, each iteration draws two sets, the same for all measures, and compares the two orders by Kendall's
    tau-b and by the AP correlation, which gives more weight to differences near the top (mean of both directions).
    Both are in [-1, 1]; higher means more similar. Means that agree to twelve digits are tied. If an order ties all
    systems, the value is NaN, and means skip it.

    Each size has its own random stream, so its draws do not depend on the other sizes or on the number of measures.

    Source: two sets without a query in common: Voorhees and Buckley (2002); their correlations by size: Urbano, Marrero
    and Martin (2013); tau-b: Kendall (1945); AP correlation: Yilmaz, Aslam and Robertson (2008), its ties: Urbano and
    Marrero (2017), agrees with `tau_ap(ties="b")` of `rankscope.measures.rank_similarity.by_query`.

    Parameters
    ----------
    values
        (measures, systems, queries), larger is better, without NaN.
    sizes
        Numbers of queries in a set, each at most half of the queries; with clusters, numbers of clusters.
    iterations
        Number of draws for each size.
    rng
        Seed or `numpy.random.Generator`.
    clusters
        (queries) the cluster of each query, so that sets are made of whole clusters. None: all are independent.

    Raises
    ------
    ParameterError
        The shape is wrong, there are fewer than 2 systems, NaN or no sizes, a size is below 1 or above half of the
        queries, or iterations is below 1.

    Examples
    --------
    >>> agreement = half_agreement([[[3, 4, 5, 4], [2, 3, 3, 2], [0, 1, 2, 1]]], [1, 2], iterations=10, rng=1)
    >>> agreement.tau.tolist(), agreement.tau_ap.tolist()  # every query ranks alike
    ([[1.0, 1.0]], [[1.0, 1.0]])
    """
    table = numbers(values, "values")
    if table.ndim != 3 or not table.shape[0] or table.shape[1] < 2 or table.shape[2] < 2:
        raise ParameterError(
            f"the values have shape {table.shape}, expected (measures, systems, queries) with at least 1 measure, "
            "2 systems and 2 queries"
        )
    check_count("iterations", iterations)
    weights = np.ones(table.shape[2])
    if clusters is not None:
        units = cluster_sums(table.reshape(-1, table.shape[2]), clusters, None)
        table, weights = units.sums.reshape(*table.shape[:2], -1), units.weights
    set_sizes = checked_sizes(sizes, table.shape[2])
    root = seed_root(as_generator(rng))
    correlations = np.empty((len(set_sizes), 2, len(table), iterations))
    for i, size in enumerate(set_sizes):
        stream = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(size,)))
        correlations[i] = agreements(table, weights, size, iterations, stream)
    mean, low, high = (np.moveaxis(statistic, 0, -1) for statistic in mean_and_percentiles(correlations))
    return HalfAgreement(
        sizes=set_sizes,
        iterations=int(iterations),
        tau=mean[0],
        tau_low=low[0],
        tau_high=high[0],
        tau_ap=mean[1],
        tau_ap_low=low[1],
        tau_ap_high=high[1],
        counted=np.asarray((~np.isnan(correlations[:, 0])).sum(axis=-1).T, np.int64),
    )


def checked_sizes(sizes: Sequence[int], n_queries: int) -> tuple[int, ...]:
    if not len(sizes):
        raise ParameterError("no size of a set of queries, expected at least 1, as usual_sizes(n_queries) gives them")
    for size in sizes:
        check_count("a size of a set of queries", size)
        if 2 * size > n_queries:
            raise ParameterError(
                f"two sets of {size} queries without one in common, of {n_queries} queries; expected sizes of at most "
                f"{n_queries // 2}, half of the queries"
            )
    return tuple(int(size) for size in sizes)


def agreements(table: Floats, weights: Floats, size: int, iterations: int, stream: np.random.Generator) -> Floats:
    """(2, measures, iterations) tau-b and tau_AP of sets of one size.

    table: (measures, systems, units) values of queries, or sums over those of clusters. weights: (units) how many
    queries each is.
    """
    n_measures, n_systems, n_queries = table.shape
    correlations = np.empty((2, n_measures, iterations))
    columns = table.reshape(-1, n_queries).T
    n_at_once = max(1, CHUNK_NUMBERS // max(n_queries, n_measures * n_systems))
    n_done = 0
    for halves in disjoint_sets(stream, iterations, n_queries, size, n_at_once):
        n_rows = len(halves)
        # One list of systems for each iteration and measure, in this order.
        means = (set_means(columns, weights, halves[:, side]).reshape(-1, n_systems) for side in (0, 1))
        x, y = (rank_rows(lists, computed=True) for lists in means)
        chunk = slice(n_done, n_done + n_rows)
        correlations[0, :, chunk] = taus(surplus_by_row(x, y), x, y, "kendall_b").reshape(n_rows, n_measures).T
        correlations[1, :, chunk] = tau_ap_by_row(x, y).reshape(n_rows, n_measures).T
        n_done += n_rows
    return correlations


def set_means(columns: Floats, weights: Floats, units: Ints) -> Floats:
    """(iterations, lists) the mean of each list over the queries of each set; columns: (all units, lists)."""
    set_weights = np.zeros((len(units), len(columns)))
    np.put_along_axis(set_weights, units, 1.0 / weights[units].sum(axis=1, keepdims=True), axis=1)
    return np.asarray(set_weights @ columns)


def mean_and_percentiles(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean and both percentiles along the last axis, without NaN; percentiles as numpy.percentile computes them."""
    sorted_values = np.sort(values, axis=-1)  # NaN comes last
    n_values = (~np.isnan(sorted_values)).sum(axis=-1, keepdims=True)
    mean = np.divide(
        np.nansum(sorted_values, axis=-1, keepdims=True),
        n_values,
        out=np.full(n_values.shape, np.nan),
        where=n_values > 0,
    )
    percentiles = []
    for percent in PERCENTILES:
        last = np.maximum(n_values - 1, 0)
        position = last * (percent / 100)
        lower_index = np.floor(position).astype(np.int64)
        lower, upper = (
            np.take_along_axis(sorted_values, np.minimum(index, last), axis=-1)
            for index in (lower_index, lower_index + 1)
        )
        percentiles.append((lower + (upper - lower) * (position - lower_index))[..., 0])
    return mean[..., 0], percentiles[0], percentiles[1]

"""The outcome of one condition: the statistics of each unit of its iterations, and their combination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from rankscope.kernels.means import nan_mean, ratio_or_nan
from rankscope.kernels.resample import count_draws
from rankscope.kernels.rounding_ties import at_most
from rankscope.stability.conditions import Condition
from rankscope.stability.discriminative_power import (
    BINS,
    CHUNK_NUMBERS,
    difference_needed,
    error_and_ties,
    pairs_of_draws,
    significance_levels,
    swap_counts,
    widths_of,
)
from rankscope.stability.dunaiski import dunaiski_error_and_ties, dunaiski_levels, dunaiski_swap_difference
from rankscope.stability.reliability import halves_of, reliability_of
from rankscope.stability.resampled_power import resampled_power
from rankscope.stability.sampling import Population, Sample, complete_queries, complete_sums, means, stream
from rankscope.stability.settings import StudySettings
from rankscope.stats.anova import randomised_tukey_hsd
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.correlation_values import normed, rank_rows
from rankscope.stats.paired_tests import t_test
from rankscope.typing import Floats, Ints

__all__ = [
    "ITERATIONS",
    "Outcome",
    "StudyUnit",
    "UnitStatistics",
    "measure_unit",
    "outcome_of",
    "tukey_rates",
    "units_of",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyUnit:
    """Some iterations of a condition.

    Attributes
    ----------
    values
        (measures, iterations, systems, queries), greater is better.
    start
        The first of the iterations, whose random numbers depend on their index alone.
    widths
        (measures) of the bins of the swap method.
    clusters
        (iterations, queries) the cluster of each query, numbered within its set; None if all are independent.
    """

    condition: Condition
    values: Floats
    start: int
    widths: Floats
    settings: StudySettings
    clusters: Ints | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitStatistics:
    """The statistics of a unit with i iterations, m measures, p pairs of systems, l levels and f fuzzinesses.

    Attributes
    ----------
    asl
        (i, m, p) achieved significance levels: p-values of the bootstrap.
    t
        (i, m, p) p-values of the t-test.
    needed
        (i, m, l) difference needed by the bootstrap, the largest of all pairs.
    swapped
        (2, m, bins) counts of the swap method with bootstrap sets.
    correlation
        (3, i, m) mean and deviation of Spearman's rho between systems, and its mean between queries.
    swap_needed
        (i, m, l, 2) difference needed by the swap method under the preset `dunaiski`, otherwise NaN.
    error, tie
        (i, m, f) error and tie rates under the preset `dunaiski`, otherwise NaN.
    """

    asl: Floats
    t: Floats
    needed: Floats
    swapped: Ints
    correlation: Floats
    swap_needed: Floats
    error: Floats
    tie: Floats


def measure_unit(unit: StudyUnit) -> UnitStatistics:
    """All statistics of these iterations. Seeds depend on the iteration, so the result does not depend on workers."""
    n_measures, n_iterations, n_systems, _ = unit.values.shape
    n_pairs, n_levels = n_systems * (n_systems - 1) // 2, len(unit.settings.tested_alpha)
    statistics = UnitStatistics(
        asl=np.full((n_iterations, n_measures, n_pairs), np.nan),
        t=np.full((n_iterations, n_measures, n_pairs), np.nan),
        needed=np.full((n_iterations, n_measures, n_levels), np.nan),
        swapped=np.zeros((2, n_measures, BINS), np.int64),
        correlation=np.full((3, n_iterations, n_measures), np.nan),
        swap_needed=np.full((n_iterations, n_measures, n_levels, 2), np.nan),
        error=np.full((n_iterations, n_measures, len(unit.settings.fuzz)), np.nan),
        tie=np.full((n_iterations, n_measures, len(unit.settings.fuzz)), np.nan),
    )
    for iteration in range(n_iterations):
        clusters = None if unit.clusters is None else unit.clusters[iteration]
        for measure_index, values, codes in complete_groups(unit.values[:, iteration], clusters):
            if (values.shape[2] if codes is None else np.unique(codes).size) >= 2:
                compute_as_in_papers(unit, statistics, iteration, measure_index, values, codes)
        if unit.settings.as_dunaiski:
            compute_as_dunaiski(unit, statistics, iteration)
    return statistics


def complete_groups(values: Floats, clusters: Ints | None) -> Iterator[tuple[Ints, Floats, Ints | None]]:
    """Groups of measures with values on the same queries, these values, and the clusters of these queries.

    Parameters
    ----------
    values
        (measures, systems, queries), NaN where there is none.
    clusters
        (queries) the cluster of each query; None if all are independent.
    """
    has_value = ~np.isnan(values).any(axis=1)
    if has_value.all():
        yield np.arange(len(values)), values, clusters
        return
    patterns, pattern_of = np.unique(has_value, axis=0, return_inverse=True)
    for pattern, mask in enumerate(patterns):
        measure_index = np.flatnonzero(pattern_of.ravel() == pattern)
        yield measure_index, values[measure_index][:, :, mask], None if clusters is None else clusters[mask]


def compute_as_in_papers(
    unit: StudyUnit,
    statistics: UnitStatistics,
    iteration: int,
    measure_index: Ints,
    values: Floats,
    clusters: Ints | None,
) -> None:
    """Tests, swaps and correlations of an iteration.

    Parameters
    ----------
    unit
        The unit that the iteration belongs to.
    statistics
        Where its statistics are kept.
    iteration
        The index of the iteration in the unit.
    measure_index
        The measures.
    values
        (measures, systems, queries) without NaN.
    clusters
        (queries) the cluster of each query; None if all are independent.
    """
    n_measures, n_systems, n_queries = values.shape
    first, second = np.triu_indices(n_systems, 1)
    differences = (values[:, first] - values[:, second]).reshape(-1, n_queries)
    statistics.t[iteration, measure_index] = t_test(differences, clusters=clusters).pvalue.reshape(n_measures, -1)
    statistics.correlation[:, iteration, measure_index] = correlations(values)
    if unit.settings.as_dunaiski:
        return
    weights = None
    if clusters is not None:  # each cluster is a query, with the sum of its values and the number of its queries
        differences = cluster_sums(differences, clusters, None).sums
        units = cluster_sums(values.reshape(-1, n_queries), clusters, None)
        values, weights = units.sums.reshape(n_measures, n_systems, -1), units.weights
    rng = stream(unit.settings.root_seed, unit.condition, unit.start + iteration, 1)
    counts = count_draws(rng, unit.settings.n_resamples, values.shape[2])
    asl, needed = significance_levels(differences, counts, unit.settings.tested_alpha, weights)
    statistics.asl[iteration, measure_index] = asl.reshape(n_measures, -1)
    # The largest of the pairs that have one: a pair with the same difference on every query has none.
    statistics.needed[iteration, measure_index] = np.fmax.reduce(needed.reshape(n_measures, first.size, -1), axis=1)
    other_counts = count_draws(rng, unit.settings.n_resamples, values.shape[2])
    statistics.swapped[:, measure_index] += bootstrap_swaps(
        values, (counts, other_counts), unit.widths[measure_index], weights
    )


def bootstrap_swaps(
    values: Floats, draws: tuple[Floats, Floats], widths: Floats, weights: Floats | None = None
) -> Ints:
    """(2, measures, bins) `swap_counts` of all pairs of systems on two series of bootstrap sets.

    values: (measures, systems, queries), or sums by cluster. draws: two of (resamples, queries). weights: (clusters)
    how many queries each has. The means of the systems on a set are computed once for all pairs.
    """
    n_measures, n_systems, n_queries = values.shape
    counts = np.zeros((2, n_measures, BINS), np.int64)
    n_at_once = max(1, CHUNK_NUMBERS // (n_measures * n_systems))
    for start in range(0, len(draws[0]), n_at_once):
        # Two arrays of (measures, systems, resamples).
        set_counts = [draw_counts[start : start + n_at_once] for draw_counts in draws]
        set_means = [
            values @ draw_counts.T / (n_queries if weights is None else draw_counts @ weights)
            for draw_counts in set_counts
        ]
        for system in range(n_systems - 1):
            first_differences, second_differences = (
                (system_means[:, system + 1 :] - system_means[:, system, None]).reshape(n_measures, -1)
                for system_means in set_means
            )
            counts += swap_counts(first_differences, second_differences, widths)
    return counts


def compute_as_dunaiski(unit: StudyUnit, statistics: UnitStatistics, iteration: int) -> None:
    """Tests, swaps, errors and ties of an iteration by the rules of Dunaiski's tool."""
    values = unit.values[:, iteration]
    n_measures, n_systems, n_queries = values.shape
    first, second = np.triu_indices(n_systems, 1)
    differences = values[:, first] - values[:, second]
    rng = stream(unit.settings.root_seed, unit.condition, unit.start + iteration, 1)
    counts = count_draws(rng, unit.settings.n_resamples, n_queries)
    asl, needed = dunaiski_levels(differences.reshape(-1, n_queries), counts, unit.settings.tested_alpha)
    statistics.asl[iteration] = asl.reshape(n_measures, -1)
    is_complete = ~np.isnan(differences).any(axis=2)  # a query without a value: no test, as in the tool
    statistics.t[iteration] = np.nan
    statistics.t[iteration, is_complete] = t_test(differences[is_complete]).pvalue
    # NaN where a pair has none, as in the tool.
    statistics.needed[iteration] = needed.reshape(n_measures, first.size, -1).max(axis=1)
    # Only the counts of pairs of queries matter: draws from the n^2 pairs, all equally likely.
    n_query_pairs = n_queries * n_queries
    pair_counts = rng.multinomial(unit.settings.n_resamples * n_queries, np.full(n_query_pairs, 1 / n_query_pairs))
    pair_counts = pair_counts.reshape(n_queries, n_queries)
    for m in range(n_measures):
        if not np.isnan(differences[m]).any():
            statistics.swap_needed[iteration, m] = dunaiski_swap_difference(
                differences[m], pair_counts, unit.settings.tested_alpha
            )[0]
    for f, fuzz in enumerate(unit.settings.fuzz):
        statistics.error[iteration, :, f], statistics.tie[iteration, :, f] = dunaiski_error_and_ties(values, fuzz)


def correlations(values: Floats) -> Floats:
    """(3, measures) mean and deviation over pairs of systems of Spearman's rho of their values, and mean over queries.

    Systems or queries whose values are all equal are skipped.
    """
    between_systems = spearman_of_pairs(values)
    between_queries = spearman_of_pairs(values.transpose(0, 2, 1))
    return np.array([*mean_and_deviation(between_systems), mean_and_deviation(between_queries)[0]])


def spearman_of_pairs(lists: Floats) -> Floats:
    """(measures, pairs) Spearman's rho of all pairs of lists. lists: (measures, lists, items)."""
    n_measures, n_lists, n_items = lists.shape
    rows = normed(rank_rows(np.ascontiguousarray(lists).reshape(-1, n_items)).doubled_ranks)
    normed_ranks = rows.reshape(n_measures, n_lists, n_items)
    first, second = np.triu_indices(n_lists, 1)
    return np.asarray((normed_ranks @ normed_ranks.transpose(0, 2, 1))[:, first, second])


def mean_and_deviation(values: Floats) -> tuple[Floats, Floats]:
    present = ~np.isnan(values)
    n_values = present.sum(axis=1)
    divisor = np.maximum(n_values, 1)
    mean = np.where(present, values, 0.0).sum(axis=1) / divisor
    variance = np.where(present, (values - mean[:, None]) ** 2, 0.0).sum(axis=1) / divisor
    return np.where(n_values > 0, mean, np.nan), np.where(n_values > 0, np.sqrt(variance), np.nan)


#: Iterations of a unit of work. Random numbers depend on the iteration, so this changes no result.
ITERATIONS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """The numbers of one condition, for m measures, l levels, f fuzzinesses, b bins, s systems and p pairs of these.

    Attributes
    ----------
    error, error_sd, tie, tie_sd
        (m, f) error and tie rates in percent, with their standard deviations.
    t_rate, asl_rate
        (m, l) percent of pairs that the t-test, and the bootstrap, tells apart.
    asl_low, asl_high
        (m, l) the 2.5 and 97.5 percentiles of `asl_rate` over iterations.
    est_diff
        (m, l) the difference needed by the bootstrap.
    swapped
        (2, 2, m, b) counts of the swap method, from bootstrap sets and from disjoint sets.
    widths
        (m) the widths of the bins.
    swap_diff
        (2, 2, m, l) lower and upper ends of the difference needed by the swap method, from bootstrap sets and from
        disjoint sets.
    used
        (m) percent of the relevant items that values depend on.
    correlation
        (3, m) mean and deviation of Spearman's rho between systems, and its mean between queries.
    asl
        (m, p) mean p-value of each pair of all systems.
    means
        (m, s) mean value of each system over sets; greater is better.
    tukey
        (m, l) percent of pairs that randomised Tukey HSD tells apart.
    reliability
        (m, 12) see `reliability.RELIABILITY`.
    half_sizes, halves
        (k) sizes of sets, and (6, m, k) tau, tau_AP and their percentiles of two disjoint sets of each size.
    resampled
        (m, l, resamples) see `resampled_power`; NaN for groups of entities, and for a single measure.
    """

    error: Floats
    error_sd: Floats
    tie: Floats
    tie_sd: Floats
    t_rate: Floats
    asl_rate: Floats
    asl_low: Floats
    asl_high: Floats
    est_diff: Floats
    swapped: Floats
    widths: Floats
    swap_diff: Floats
    used: Floats
    correlation: Floats
    asl: Floats
    means: Floats
    tukey: Floats
    reliability: Floats
    half_sizes: Floats
    halves: Floats
    resampled: Floats

    def arrays(self) -> dict[str, Floats]:
        """All arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def units_of(sample: Sample, widths: Floats, condition: Condition, settings: StudySettings) -> Iterator[StudyUnit]:
    """The units of work of a sample."""
    for start in range(0, settings.iterations, ITERATIONS):
        yield StudyUnit(
            condition=condition,
            values=np.ascontiguousarray(sample.values[:, start : start + ITERATIONS]),
            start=start,
            widths=widths,
            settings=settings,
            clusters=None if sample.clusters is None else sample.clusters[start : start + ITERATIONS],
        )


def sample_widths(sample: Sample, population: Population) -> Floats:
    """The widths of bins; for geometric means, whose values are logarithms, from the observed range."""
    log_range = (-np.inf, 0.0)
    return widths_of(
        sample.values,
        [log_range if measure.summary == "geometric" else measure.range for measure in population.measures],
    )


def outcome_of(
    sample: Sample,
    widths: Floats,
    statistics: Iterable[UnitStatistics],
    population: Population,
    condition: Condition,
    settings: StudySettings,
) -> Outcome:
    """The outcome of a condition from the statistics of its units, in the order of their iterations."""
    unit_statistics = list(statistics)
    n_units = sample.values.shape[3] if sample.clusters is None else condition.size
    lowest = lowest_level(n_units, settings)
    unreachable = [not settings.as_dunaiski and level < lowest for level in settings.tested_alpha]
    asl, t = (np.concatenate([getattr(unit, name) for unit in unit_statistics]) for name in ("asl", "t"))  # (i, m, p)
    rates = percent_below(asl, settings.tested_alpha, strictly=settings.as_dunaiski)
    t_rates = percent_below(t, settings.tested_alpha)
    if not settings.as_dunaiski:  # an untested iteration has no rate, not a rate of 0
        rates[untested(sample)] = t_rates[untested(sample)] = np.nan
        rates[..., unreachable] = np.nan
    set_means = means(sample.values)
    n_systems = len(population.systems)
    bootstrap_counts = np.sum([unit.swapped for unit in unit_statistics], axis=0)
    disjoint_counts = swap_counts(*disjoint_differences(sample), widths) if sample.disjoint else 0 * bootstrap_counts
    swapped = np.array([bootstrap_counts, disjoint_counts], np.float64)
    if settings.as_dunaiski:
        order_rates = dunaiski_orders(unit_statistics)
        # (m, l, 2); infinite if one is
        swap_needed = np.concatenate([unit.swap_needed for unit in unit_statistics]).mean(axis=0)
        swap_diff = np.stack([np.moveaxis(swap_needed, -1, 0)] * 2, axis=1)
        swap_diff[:, 1] = np.nan
    else:
        order_rates = paper_orders(displayed_means(set_means, population), sample, n_systems, settings)
        needed = [[difference_needed(counts, widths, level) for level in settings.tested_alpha] for counts in swapped]
        swap_diff = np.array(needed).transpose(2, 0, 3, 1)  # (2 ends, 2 kinds of sets, m, l)
    correlation = nan_mean(np.concatenate([unit.correlation for unit in unit_statistics], axis=1), axis=1)
    needed_of_draws = np.concatenate([unit.needed for unit in unit_statistics])
    with np.errstate(invalid="ignore"):
        est_diff = needed_of_draws.mean(axis=0) if settings.as_dunaiski else nan_mean(needed_of_draws)
    est_diff[:, unreachable] = np.nan
    low, high = percentiles_of_rates(rates)
    return Outcome(
        **order_rates,
        t_rate=nan_mean(t_rates),
        asl_rate=nan_mean(rates),
        asl_low=low,
        asl_high=high,
        est_diff=est_diff,
        swapped=swapped,
        widths=widths,
        swap_diff=swap_diff,
        used=nan_mean(sample.used, axis=1),
        correlation=correlation,
        asl=mean_by_pair(asl, sample, n_systems),
        means=mean_by_system(set_means, sample, n_systems),
        **statistics_of_pools(population.pools(sample), n_units, population.clusters, condition, settings),
    )


def statistics_of_pools(
    pools: Sequence[Floats], n_units: int, clusters: Ints | None, condition: Condition, settings: StudySettings
) -> dict[str, Floats]:
    """The fields of an Outcome that depend on all queries, or on the groups of the draws: see `Population.pools`."""
    half_sizes, halves = halves_of(pools[0], settings.iterations, settings.root_seed, condition, clusters)
    return {
        "tukey": tukey_rates(
            pools[0], settings.tested_alpha, settings.n_resamples, settings.root_seed, condition, clusters
        ),
        "reliability": reliability_of(pools, n_units, clusters),
        "half_sizes": half_sizes,
        "halves": halves,
        "resampled": resampled_power(pools[0], n_units, settings.tested_alpha, settings.root_seed, condition, clusters)
        if len(pools) == 1 and len(pools[0]) > 1
        else np.full((len(pools[0]), len(settings.tested_alpha), 1), np.nan),
    }


def lowest_level(n_queries: int, settings: StudySettings) -> float:
    """The lowest achieved significance level that is possible with sets of n queries, or clusters.

    1 / (1 + resamples), or n^(1 - n), the share of resamples of a single query, which have no variance and count as
    extreme.
    """
    return max(1 / (1 + settings.n_resamples), float(n_queries) ** (1 - n_queries))


def displayed_means(set_means: Floats, population: Population) -> Floats:
    """Means on the displayed scale, which decides ties: the geometric mean in place of logarithms."""
    is_geometric = np.array([measure.summary == "geometric" for measure in population.measures])[:, None, None]
    return np.where(is_geometric, np.exp(np.where(is_geometric, set_means, 0.0)), set_means)


def paper_orders(set_means: Floats, sample: Sample, n_systems: int, settings: StudySettings) -> dict[str, Floats]:
    rates = [error_and_ties(set_means, sample.systems, n_systems, fuzz) for fuzz in settings.fuzz]
    return {
        name: np.array([getattr(rate, name) for rate in rates]).T for name in ("error", "error_sd", "tie", "tie_sd")
    }


def dunaiski_orders(unit_statistics: list[UnitStatistics]) -> dict[str, Floats]:
    error, tie = (np.concatenate([getattr(unit, name) for unit in unit_statistics]) for name in ("error", "tie"))
    return {
        "error": error.mean(axis=0),
        "error_sd": error.std(axis=0),
        "tie": tie.mean(axis=0),
        "tie_sd": tie.std(axis=0),
    }


def percent_below(pvalues: Floats, levels: tuple[float, ...], *, strictly: bool = False) -> Floats:
    """(iterations, measures, levels) the percentage of pairs with a p of at most each level; NaN does not count."""
    with np.errstate(invalid="ignore"):
        shares = [((pvalues < level) if strictly else at_most(pvalues, level)).mean(axis=2) for level in levels]
    return np.asarray(100.0 * np.stack(shares, axis=2))


def untested(sample: Sample) -> npt.NDArray[np.bool_]:
    """(iterations, measures) where fewer than 2 queries, or clusters, have a value of every system."""
    is_complete = ~np.isnan(sample.values).any(axis=2)
    if sample.clusters is None:
        return np.asarray(is_complete.sum(axis=2).T < 2)
    clusters = np.broadcast_to(sample.clusters, is_complete.shape)
    lowest = np.where(is_complete, clusters, clusters.max() + 1).min(axis=2)
    return np.asarray((np.where(is_complete, clusters, -1).max(axis=2) <= lowest).T)


def percentiles_of_rates(rates: Floats) -> Floats:
    """(2, measures, levels) the 2.5 and 97.5 percentiles over the iterations that have a rate; NaN where none has."""
    percentiles = np.full((2, *rates.shape[1:]), np.nan)
    for m in range(rates.shape[1]):
        is_tested = ~np.isnan(rates[:, m]).all(axis=1)
        if is_tested.any():  # an unreachable level has no rate in any iteration
            percentiles[:, m] = np.percentile(rates[is_tested, m], [2.5, 97.5], axis=0)
    return percentiles


def disjoint_differences(sample: Sample) -> tuple[Floats, Floats]:
    """(measures, iterations x pairs) the differences of all pairs on both of two disjoint sets."""
    first, second = np.triu_indices(sample.systems.shape[1], 1)
    first_differences, second_differences = (table[:, :, first] - table[:, :, second] for table in sample.disjoint)
    n_measures = len(first_differences)
    return first_differences.reshape(n_measures, -1), second_differences.reshape(n_measures, -1)


def mean_by_pair(pvalues: Floats, sample: Sample, n_systems: int) -> Floats:
    """(measures, pairs of all systems) the mean over the iterations that drew both systems; NaN where none did."""
    if sample.systems.shape[1] == n_systems:
        return nan_mean(pvalues)
    _, _, pair = pairs_of_draws(sample.systems, n_systems)
    return mean_by_place(pvalues.transpose(1, 0, 2), pair, n_systems * (n_systems - 1) // 2)


def mean_by_system(set_means: Floats, sample: Sample, n_systems: int) -> Floats:
    """(measures, systems) the mean over the sets for which each system was drawn."""
    return mean_by_place(set_means, sample.systems, n_systems)


def mean_by_place(values: Floats, places: npt.NDArray[np.int64], n: int) -> Floats:
    """(measures, n) means of values (measures, iterations, k) by their places (iterations, k), without NaN."""
    present = ~np.isnan(values)
    flat_places = places[None] + n * np.arange(len(values))[:, None, None]
    n_cells = len(values) * n
    total = np.bincount(flat_places[present], values[present], n_cells)
    count = np.bincount(flat_places[present], minlength=n_cells)
    return ratio_or_nan(total, count).reshape(len(values), n)


def tukey_rates(
    pool: Floats,
    levels: tuple[float, ...],
    n_resamples: int,
    seed: int,
    condition: Condition,
    clusters: Ints | None = None,
) -> Floats:
    """(measures, levels) percent of pairs that randomised Tukey HSD tells apart, corrected for all pairs.

    NaN where a measure has fewer than 2 queries or clusters. Of a cluster the sums of the systems are permuted, so that
    all its queries are permuted alike.

    Parameters
    ----------
    pool
        (measures, systems, queries), NaN where there is no value.
    levels
        The significance levels.
    n_resamples
        Number of permutations.
    seed
        The root of the random numbers.
    condition
        The combination of the ranges.
    clusters
        (queries) the cluster of each query; None if all are independent.
    """
    rates = np.full((len(pool), len(levels)), np.nan)
    for m, all_values in enumerate(pool):
        values = complete_queries(all_values) if clusters is None else complete_sums(all_values, clusters).sums
        if values.shape[1] >= 2:
            rng = stream(seed, condition, 0, 2)
            pvalue = randomised_tukey_hsd(values, n_resamples=n_resamples, rng=rng).pvalue
            rates[m] = [100 * float(at_most(pvalue, level).mean()) for level in levels]
    return rates

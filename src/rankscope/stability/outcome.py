"""The outcome of one condition: the statistics of each unit of its iterations, and all units put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from rankscope.kernels.means import mean_of, ratio_or_nan
from rankscope.kernels.ties import at_most
from rankscope.stability.conditions import Condition
from rankscope.stability.discriminative_power import (
    BINS,
    CHUNK_NUMBERS,
    count_draws,
    difference_needed,
    error_and_ties,
    pairs_of_draws,
    significance_levels,
    swap_counts,
    widths_of,
)
from rankscope.stability.dunaiski import coded_error_and_ties, coded_levels, coded_swap_difference
from rankscope.stability.reliability import halves_of, reliability_of
from rankscope.stability.sampling import Population, Sample, complete_queries, means, stream
from rankscope.stats.anova import randomised_tukey_hsd
from rankscope.stats.correlation_values import normed, rank_rows
from rankscope.stats.paired_tests import t_test
from rankscope.typing import Floats, Ints

__all__ = [
    "ITERATIONS",
    "Outcome",
    "StudySettings",
    "StudyUnit",
    "UnitStatistics",
    "measure_unit",
    "outcome_of",
    "tukey_rates",
    "units_of",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyUnit:
    """Some iterations of a condition. values: (measures, iterations, systems, queries), better is greater.

    widths: (measures) of the bins of the swap method. coded: by the rules of Dunaiski's tool. start: the first of the
    iterations, whose random numbers hang on its place alone.
    """

    condition: Condition
    values: Floats
    start: int
    widths: Floats
    levels: tuple[float, ...]
    fuzz: tuple[float, ...]
    n_resamples: int
    seed: int
    coded: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitStatistics:
    """What a unit gives, with i iterations, m measures, p pairs, l levels and f fuzzinesses.

    asl, t: (i, m, p) p-values of bootstrap and t-test. needed: (i, m, l) difference needed by the bootstrap, the most
    of all pairs. swapped: (2, m, bins) counts of the swap method with bootstrap sets. correlation: (3, i, m) mean and
    deviation of Spearman's rho between systems, and its mean between queries. swap_needed: (i, m, l, 2) and error, tie:
    (i, m, f) as coded, NaN where the papers are followed.
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
    """All statistics of these iterations. Seeds hang on the iteration, so it does not matter who does which."""
    measures, iterations, systems, _ = unit.values.shape
    pairs, n_levels = systems * (systems - 1) // 2, len(unit.levels)
    part = UnitStatistics(
        asl=np.full((iterations, measures, pairs), np.nan),
        t=np.full((iterations, measures, pairs), np.nan),
        needed=np.full((iterations, measures, n_levels), np.nan),
        swapped=np.zeros((2, measures, BINS), np.int64),
        correlation=np.full((3, iterations, measures), np.nan),
        swap_needed=np.full((iterations, measures, n_levels, 2), np.nan),
        error=np.full((iterations, measures, len(unit.fuzz)), np.nan),
        tie=np.full((iterations, measures, len(unit.fuzz)), np.nan),
    )
    for i in range(iterations):
        for which, values in complete_groups(unit.values[:, i]):
            if values.shape[2] >= 2:
                compute_as_in_papers(unit, part, i, which, values)
        if unit.coded:
            compute_as_dunaiski(unit, part, i)
    return part


def complete_groups(values: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Measures that have values on the same queries, and their values there. values: (measures, systems, queries)."""
    there = ~np.isnan(values).any(axis=1)
    if there.all():
        yield np.arange(len(values)), values
        return
    kinds, kind_of = np.unique(there, axis=0, return_inverse=True)
    for kind, mask in enumerate(kinds):
        which = np.flatnonzero(kind_of.ravel() == kind)
        yield which, values[which][:, :, mask]


def compute_as_in_papers(unit: StudyUnit, part: UnitStatistics, i: int, which: Ints, values: Floats) -> None:
    """Tests, swaps and correlations of iteration i. values: (measures, systems, queries), all of them there."""
    measures, systems, n = values.shape
    first, second = np.triu_indices(systems, 1)
    differences = (values[:, first] - values[:, second]).reshape(-1, n)
    part.t[i, which] = t_test(differences).pvalue.reshape(measures, -1)
    part.correlation[:, i, which] = correlations(values)
    if unit.coded:
        return
    rng = stream(unit.seed, unit.condition, unit.start + i, 1)
    counts = count_draws(rng, unit.n_resamples, n)
    asl, needed = significance_levels(differences, counts, unit.levels)
    part.asl[i, which] = asl.reshape(measures, -1)
    # The most of all pairs that have one: a difference that is the same on every query has none.
    part.needed[i, which] = np.fmax.reduce(needed.reshape(measures, first.size, -1), axis=1)
    others = count_draws(rng, unit.n_resamples, n)
    part.swapped[:, which] += bootstrap_swaps(values, (counts, others), unit.widths[which])


def bootstrap_swaps(values: Floats, draws: tuple[Floats, Floats], widths: Floats) -> Ints:
    """(2, measures, bins) `swap_counts` of all pairs of systems on two series of bootstrap sets.

    values: (measures, systems, queries). draws: two of (resamples, queries). The means of the systems on a set are
    computed once for all pairs.
    """
    measures, systems, n = values.shape
    found = np.zeros((2, measures, BINS), np.int64)
    step = max(1, CHUNK_NUMBERS // (measures * systems))
    for start in range(0, len(draws[0]), step):
        sets = [values @ drawn[start : start + step].T / n for drawn in draws]  # (measures, systems, resamples)
        for s in range(systems - 1):
            one, other = ((means[:, s + 1 :] - means[:, s, None]).reshape(measures, -1) for means in sets)
            found += swap_counts(one, other, widths)
    return found


def compute_as_dunaiski(unit: StudyUnit, part: UnitStatistics, i: int) -> None:
    """Tests, swaps, errors and ties of iteration i by the rules of Dunaiski's tool."""
    values = unit.values[:, i]
    measures, systems, n = values.shape
    first, second = np.triu_indices(systems, 1)
    differences = values[:, first] - values[:, second]
    rng = stream(unit.seed, unit.condition, unit.start + i, 1)
    counts = count_draws(rng, unit.n_resamples, n)
    asl, needed = coded_levels(differences.reshape(-1, n), counts, unit.levels)
    part.asl[i] = asl.reshape(measures, -1)
    whole = ~np.isnan(differences).any(axis=2)  # a query without a value takes the whole test, as there
    part.t[i] = np.nan
    part.t[i, whole] = t_test(differences[whole]).pvalue
    part.needed[i] = needed.reshape(measures, first.size, -1).max(axis=1)  # NaN where a pair has none, as there
    # Of the pairs of queries only their number matters: so many draws of n^2 pairs of queries, all as likely.
    met = rng.multinomial(unit.n_resamples * n, np.full(n * n, 1 / (n * n))).reshape(n, n)
    for m in range(measures):
        if not np.isnan(differences[m]).any():
            part.swap_needed[i, m] = coded_swap_difference(differences[m], met, unit.levels)[0]
    for f, fuzz in enumerate(unit.fuzz):
        part.error[i, :, f], part.tie[i, :, f] = coded_error_and_ties(values, fuzz)


def correlations(values: Floats) -> Floats:
    """(3, measures) mean and deviation over pairs of systems of Spearman's rho of their values, and mean over queries.

    Systems or queries whose values are all one are left out.
    """
    between_systems = spearman_of_pairs(values)
    between_queries = spearman_of_pairs(values.transpose(0, 2, 1))
    return np.array([*mean_and_deviation(between_systems), mean_and_deviation(between_queries)[0]])


def spearman_of_pairs(lists: Floats) -> Floats:
    """(measures, pairs) Spearman's rho of all pairs of lists. lists: (measures, lists, items)."""
    measures, n, items = lists.shape
    rows = normed(rank_rows(np.ascontiguousarray(lists).reshape(-1, items)).doubled_ranks)
    table = rows.reshape(measures, n, items)
    first, second = np.triu_indices(n, 1)
    return np.asarray((table @ table.transpose(0, 2, 1))[:, first, second])


def mean_and_deviation(values: Floats) -> tuple[Floats, Floats]:
    there = ~np.isnan(values)
    n = there.sum(axis=1)
    safe = np.maximum(n, 1)
    mean = np.where(there, values, 0.0).sum(axis=1) / safe
    square = np.where(there, (values - mean[:, None]) ** 2, 0.0).sum(axis=1) / safe
    return np.where(n > 0, mean, np.nan), np.where(n > 0, np.sqrt(square), np.nan)


#: Iterations of a unit of work. Random numbers hang on the iteration, so this changes no result.
ITERATIONS = 5


@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """What a study was asked for, whatever the condition. coded: by the rules of Dunaiski's tool."""

    levels: tuple[float, ...]
    fuzz: tuple[float, ...]
    iterations: int
    n_resamples: int
    seed: int
    coded: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """Numbers of one condition, for m measures, l levels, f fuzzinesses, b bins, s systems and p pairs of these.

    error, error_sd, tie, tie_sd: (m, f) percent. t_rate: (m, l), asl_rate, asl_low, asl_high: (m, l) percent of pairs,
    the latter two the 2.5 and 97.5 percentiles over iterations. est_diff: (m, l). swapped: (2, 2, m, b) counts of
    bootstrap sets and of disjoint sets. widths: (m) of the bins. swap_diff: (2, 2, m, l) lower and upper ends,
    from bootstrap sets and from disjoint ones. used: (m) percent. correlation: (3, m) mean and deviation between
    systems, mean between queries. asl: (m, p) mean p of each pair of all systems. means: (m, s) mean value of each
    system over sets,
    better is greater. tukey: (m, l) percent of pairs that randomised Tukey HSD tells apart. reliability: (m, 12), see
    `pooled.RELIABILITY`. half_sizes: (k), halves: (6, m, k) tau and tau_AP of two sets of that size.
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

    def arrays(self) -> dict[str, Floats]:
        """All of it, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def units_of(sample: Sample, widths: Floats, condition: Condition, asked: StudySettings) -> Iterator[StudyUnit]:
    """The work that several can share."""
    for start in range(0, asked.iterations, ITERATIONS):
        yield StudyUnit(
            condition=condition,
            values=np.ascontiguousarray(sample.values[:, start : start + ITERATIONS]),
            start=start,
            widths=widths,
            levels=asked.levels,
            fuzz=asked.fuzz,
            n_resamples=asked.n_resamples,
            seed=asked.seed,
            coded=asked.coded,
        )


def sample_widths(sample: Sample, material: Population) -> Floats:
    """Of logarithms, which a geometric mean is made of, the range is that of the values observed."""
    logs = (-np.inf, 0.0)
    return widths_of(sample.values, [logs if m.summary == "geometric" else m.range for m in material.measures])


def outcome_of(
    sample: Sample,
    widths: Floats,
    parts: Iterable[UnitStatistics],
    material: Population,
    condition: Condition,
    asked: StudySettings,
) -> Outcome:
    """All parts, in the order of their iterations, as one."""
    found = list(parts)
    beyond = [not asked.coded and level < lowest_level(sample.values.shape[3], asked) for level in asked.levels]
    asl, t = (np.concatenate([getattr(part, name) for part in found]) for name in ("asl", "t"))  # (i, m, p)
    rates, t_rates = percent_below(asl, asked.levels, strictly=asked.coded), percent_below(t, asked.levels)
    if not asked.coded:  # what nothing could be tested on says nothing, and not that no pair is told apart
        rates[untested(sample)] = t_rates[untested(sample)] = np.nan
        rates[..., beyond] = np.nan
    sets = means(sample.values)
    n_systems = len(material.systems)
    with_sets = np.sum([part.swapped for part in found], axis=0)
    without = swap_counts(*disjoint_differences(sample), widths) if sample.disjoint else np.zeros_like(with_sets)
    swapped = np.array([with_sets, without], np.float64)
    if asked.coded:
        orders = coded_orders(found)
        swap_needed = np.concatenate([part.swap_needed for part in found]).mean(axis=0)  # (m, l, 2); infinite if one is
        swap_diff = np.stack([np.moveaxis(swap_needed, -1, 0)] * 2, axis=1)
        swap_diff[:, 1] = np.nan
    else:
        orders = paper_orders(displayed_means(sets, material), sample, n_systems, asked)
        needed = [[difference_needed(counts, widths, level) for level in asked.levels] for counts in swapped]
        swap_diff = np.array(needed).transpose(2, 0, 3, 1)  # (2 ends, 2 kinds of sets, m, l)
    correlation = mean_of(np.concatenate([part.correlation for part in found], axis=1), axis=1)
    needed_by = np.concatenate([part.needed for part in found])
    with np.errstate(invalid="ignore"):
        est_diff = needed_by.mean(axis=0) if asked.coded else mean_of(needed_by)
    est_diff[:, beyond] = np.nan
    pools = material.pools(sample)
    half_sizes, halves = halves_of(pools[0], asked.iterations, asked.seed, condition)
    low, high = ends_of(rates)
    return Outcome(
        **orders,
        t_rate=mean_of(t_rates),
        asl_rate=mean_of(rates),
        asl_low=low,
        asl_high=high,
        est_diff=est_diff,
        swapped=swapped,
        widths=widths,
        swap_diff=swap_diff,
        used=mean_of(sample.used, axis=1),
        correlation=correlation,
        asl=by_all_pairs(asl, sample, n_systems),
        means=by_all_systems(sets, sample, n_systems),
        tukey=tukey_rates(pools[0], asked.levels, asked.n_resamples, asked.seed, condition),
        reliability=reliability_of(pools, sample.values.shape[3]),
        half_sizes=half_sizes,
        halves=halves,
    )


def lowest_level(n: int, asked: StudySettings) -> float:
    """Below which no achieved significance level falls, with sets of n queries.

    1 / (1 + resamples); and a resample of one query only, as n^(1 - n) of them are, has no variance and counts as
    extreme.
    """
    return max(1 / (1 + asked.n_resamples), float(n) ** (1 - n))


def displayed_means(sets: Floats, material: Population) -> Floats:
    """Means as people read them, by which systems tie: of logarithms the geometric mean."""
    logs = np.array([measure.summary == "geometric" for measure in material.measures])[:, None, None]
    return np.where(logs, np.exp(np.where(logs, sets, 0.0)), sets)


def paper_orders(sets: Floats, sample: Sample, n_systems: int, asked: StudySettings) -> dict[str, Floats]:
    rates = [error_and_ties(sets, sample.systems, n_systems, fuzz) for fuzz in asked.fuzz]
    return {
        name: np.array([getattr(rate, name) for rate in rates]).T for name in ("error", "error_sd", "tie", "tie_sd")
    }


def coded_orders(parts: list[UnitStatistics]) -> dict[str, Floats]:
    error, tie = (np.concatenate([getattr(part, name) for part in parts]) for name in ("error", "tie"))
    return {
        "error": error.mean(axis=0),
        "error_sd": error.std(axis=0),
        "tie": tie.mean(axis=0),
        "tie_sd": tie.std(axis=0),
    }


def percent_below(pvalues: Floats, levels: tuple[float, ...], *, strictly: bool = False) -> Floats:
    """(iterations, measures, levels) the percentage of pairs with a p of at most each level; NaN is no such p."""
    with np.errstate(invalid="ignore"):
        shares = [((pvalues < level) if strictly else at_most(pvalues, level)).mean(axis=2) for level in levels]
    return np.asarray(100.0 * np.stack(shares, axis=2))


def untested(sample: Sample) -> npt.NDArray[np.bool_]:
    """(iterations, measures) where fewer than 2 queries have a value of every system."""
    return np.asarray((~np.isnan(sample.values).any(axis=2)).sum(axis=2).T < 2)


def ends_of(rates: Floats) -> Floats:
    """(2, measures, levels) the 2.5 and 97.5 percentiles over the iterations that have a rate; NaN where none has."""
    found = np.full((2, *rates.shape[1:]), np.nan)
    for m in range(rates.shape[1]):
        tested = ~np.isnan(rates[:, m]).all(axis=1)
        if tested.any():  # a level that cannot be reached has no rate in any of them
            found[:, m] = np.percentile(rates[tested, m], [2.5, 97.5], axis=0)
    return found


def disjoint_differences(sample: Sample) -> tuple[Floats, Floats]:
    """(measures, iterations x pairs) the differences of all pairs on both of two disjoint sets."""
    first, second = np.triu_indices(sample.systems.shape[1], 1)
    one, other = (table[:, :, first] - table[:, :, second] for table in sample.disjoint)
    return one.reshape(len(one), -1), other.reshape(len(other), -1)


def by_all_pairs(pvalues: Floats, sample: Sample, n_systems: int) -> Floats:
    """(measures, pairs of all systems) the mean over the iterations that drew both; NaN where none did."""
    if sample.systems.shape[1] == n_systems:
        return mean_of(pvalues)
    _, _, pair = pairs_of_draws(sample.systems, n_systems)
    return mean_by_place(pvalues.transpose(1, 0, 2), pair, n_systems * (n_systems - 1) // 2)


def by_all_systems(sets: Floats, sample: Sample, n_systems: int) -> Floats:
    """(measures, systems) the mean over the sets that each was drawn for."""
    return mean_by_place(sets, sample.systems, n_systems)


def mean_by_place(values: Floats, places: npt.NDArray[np.int64], n: int) -> Floats:
    """(measures, n) means of values (measures, iterations, k) by their places (iterations, k), without NaN."""
    there = ~np.isnan(values)
    at = places[None] + n * np.arange(len(values))[:, None, None]
    size = len(values) * n
    total = np.bincount(at[there], values[there], size)
    count = np.bincount(at[there], minlength=size)
    return ratio_or_nan(total, count).reshape(len(values), n)


def tukey_rates(pool: Floats, levels: tuple[float, ...], n_resamples: int, seed: int, condition: Condition) -> Floats:
    """(measures, levels) percent of pairs that randomised Tukey HSD tells apart, corrected for all pairs.

    pool: (measures, systems, queries), NaN where there is no value. NaN where a measure has fewer than 2 queries.
    """
    found = np.full((len(pool), len(levels)), np.nan)
    for m, values in enumerate(map(complete_queries, pool)):
        if values.shape[1] >= 2:
            rng = stream(seed, condition, 0, 2)
            pvalue = randomised_tukey_hsd(values, n_resamples=n_resamples, rng=rng).pvalue
            found[m] = [100 * float(at_most(pvalue, level).mean()) for level in levels]
    return found

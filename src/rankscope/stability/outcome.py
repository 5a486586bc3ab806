"""What was found under one condition: the units of all iterations put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from rankscope.kernels.means import mean_of, ratio_or_nan
from rankscope.kernels.ties import at_most
from rankscope.stability.conditions import Condition
from rankscope.stability.orders import error_and_ties, pairs_of_draws
from rankscope.stability.pooled import halves_of, reliability_of, tukey_rates
from rankscope.stability.sampling import Population, Sample, means
from rankscope.stability.swaps import difference_needed, swap_counts, widths_of
from rankscope.stability.unit import StudyUnit, UnitStatistics
from rankscope.typing import Floats

__all__ = ["ITERATIONS", "StudySettings", "Outcome", "outcome_of", "units_of"]


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

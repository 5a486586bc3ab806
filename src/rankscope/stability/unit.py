"""What one worker does: every statistic of some iterations that needs the values of single queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.stability.conditions import Condition
from rankscope.stability.orders import coded_error_and_ties
from rankscope.stability.resampling import CHUNK_NUMBERS, coded_levels, count_draws, significance_levels
from rankscope.stability.sampling import stream
from rankscope.stability.swaps import BINS, coded_swap_difference, swap_counts
from rankscope.stats.correlation_values import normed
from rankscope.stats.paired import t_test
from rankscope.stats.rank_rows import rank_rows
from rankscope.typing import Floats, Ints

__all__ = ["UnitStatistics", "StudyUnit", "measure_unit"]


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

"""Tests of pairs of systems, run in slices of bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues
from rankscope.comparison.compare.significance_tests import RESAMPLED_INTERVALS, ComparisonSettings
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE, at_most, signs_of
from rankscope.stats.effects import Effects, effect_sizes
from rankscope.stats.inputs import all_zero, count_outcomes
from rankscope.stats.intervals import bootstrap_interval, t_interval, tango_interval
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "PairTestJob",
    "PairTestResults",
    "decide_pairs",
    "pair_slices",
    "run_tests",
    "significant_pairs",
    "withhold",
]


#: Numbers in the matrix of differences of one slice of pairs: 8 MB. From as many numbers in all, several workers are
#: faster than one.
AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, kw_only=True)
class PairTestResults:
    """The results of a test for each pair; arrays of shape (pairs), NaN where there is no such number.

    Attributes
    ----------
    difference, low, high
        The mean difference, and the ends of its interval.
    statistic, pvalue
        The statistic of the test, and the p-value before correction.
    error
        Standard error of a p-value, or of a probability, from resampling; else 0.
    degenerate
        Whether all differences of the pair are equal.
    direction
        1 where the test has the values of the first system higher, -1 lower; tests of ranks and signs may differ in
        that from the means.
    effects
        Effect sizes.
    pvalue_corrected
        P-values that the test itself corrects for all pairs; else None.
    posterior
        (3, pairs) the probabilities of a Bayesian test that the first system is worse, equal, better; else None.
    equal
        Whether both systems have the same value on every query.
    notes
        What a reader should know of the test.
    """

    difference: Floats
    low: Floats
    high: Floats
    statistic: Floats
    pvalue: Floats
    error: Floats
    degenerate: Bools
    direction: Floats
    effects: Effects
    pvalue_corrected: Floats | None
    posterior: npt.NDArray[np.float64] | None  # (3, pairs)
    equal: Bools  # both have the same value on every query
    notes: tuple[str, ...]


class PairTestJob(NamedTuple):
    """What all slices of a test share.

    Attributes
    ----------
    values_by_measure
        The values of each measure.
    first, second
        (pairs) indices of the systems of each pair.
    settings
        How systems are compared.
    """

    values_by_measure: Sequence[MeasureValues]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    settings: ComparisonSettings


def run_tests(
    job: PairTestJob, workers: int | None = None, progress: Callable[[int], Any] | None = None
) -> list[PairTestResults]:
    """Test all pairs by each measure, in slices of pairs, so that memory is bounded.

    workers: processes that share the slices; None: all cores if that is faster. The result is the same.
    """
    units = [
        (measure_index, pair_slice)
        for measure_index, measure_values in enumerate(job.values_by_measure)
        for pair_slice in pair_slices(job.first.size, measure_values.n)
    ]
    results_by_measure: list[list[PairTestResults]] = [[] for _ in job.values_by_measure]
    for (measure_index, pair_slice), result in zip(units, run_slices(job, units, workers), strict=True):
        results_by_measure[measure_index].append(result)
        if progress is not None:
            progress(pair_slice.stop - pair_slice.start)
    results = [
        slice_results[0] if len(slice_results) == 1 else concatenate_results(slice_results)
        for slice_results in results_by_measure
    ]
    if not job.settings.tests_all_systems:
        return results
    return [
        add_simultaneous_test(result, measure_values, job.settings)
        for result, measure_values in zip(results, job.values_by_measure, strict=True)
    ]


def withhold(result: PairTestResults, withheld: Bools) -> PairTestResults:
    """The results without the numbers of tests and intervals of some pairs, of which nothing can be concluded.

    withheld: (pairs) which pairs.
    """
    if not withheld.any():
        return result
    fields = ("low", "high", "statistic", "pvalue", "error")
    blanked: dict[str, Any] = {name: np.where(withheld, np.nan, getattr(result, name)) for name in fields}
    corrected, posterior = result.pvalue_corrected, result.posterior
    return replace(
        result,
        **blanked,
        pvalue_corrected=None if corrected is None else np.where(withheld, np.nan, corrected),
        posterior=None if posterior is None else np.where(withheld, np.nan, posterior),
    )


def run_slices(job: PairTestJob, units: Sequence[tuple[int, slice]], workers: int | None) -> Iterator[PairTestResults]:
    uses_resampling = job.settings.method.uses_resampling or job.settings.interval in RESAMPLED_INTERVALS
    if workers is None and len(units) == 1 and not uses_resampling:
        return iter([run_slice(job, units[0])])
    from rankscope.parallel import run_units, workers_for

    n_values = job.first.size * sum(measure_values.n for measure_values in job.values_by_measure)
    return run_units(run_slice, units, workers=workers_for(workers, n_values >= AT_ONCE), shared=job)


def run_slice(job: PairTestJob, unit: tuple[int, slice]) -> PairTestResults:
    """Test one slice of pairs by one measure. unit: the index of the measure, and the slice."""
    measure_values, pair_slice = job.values_by_measure[unit[0]], unit[1]
    differences = measure_values.differences(job.first[pair_slice], job.second[pair_slice])
    interval = job.settings.interval_of(measure_values)
    result = compute_slice(differences, measure_values.sign, job.settings, interval, measure_values.sample)
    is_noise = np.abs(result.difference) <= NOISE * measure_values.scale  # the means are equal
    return replace(result, difference=np.where(is_noise, 0.0, result.difference))


def pair_slices(n_pairs: int, n_queries: int) -> Iterator[slice]:
    slice_size = max(1, AT_ONCE // n_queries)
    for start in range(0, n_pairs, slice_size):
        yield slice(start, min(start + slice_size, n_pairs))


def compute_slice(
    differences: Floats, sign: int, settings: ComparisonSettings, interval: str, sample: Mapping[str, Any]
) -> PairTestResults:
    """Test pairs by their differences (pairs, queries).

    sign: -1 if lower is better, which swaps wins and losses. interval: its name. sample: clusters and weights.
    """
    interval_ends = interval_ends_of(differences, settings, interval, sample)
    effects = effect_sizes(differences, confidence_level=1 - settings.alpha, zone=settings.rope, **sample)
    if sign < 0:
        effects = replace(effects, wins=effects.losses, losses=effects.wins, superiority=1 - effects.superiority)
    missing = np.full(len(differences), np.nan)
    equal = all_zero(differences)
    posterior = None
    statistic = pvalue = error = missing
    degenerate = np.zeros(len(differences), np.bool_)
    mean = np.average(differences, axis=1, weights=sample["weights"])
    direction = signs_of(mean, np.abs(differences).max(axis=1))
    notes: tuple[str, ...] = ()
    if settings.is_bayesian:
        posterior_result = settings.method.run(sign * differences, settings, sample)
        posterior = np.array([posterior_result.worse, posterior_result.equal, posterior_result.better])
        if settings.method.assumes_normality:  # such a test is certain of constant differences, even on two queries
            posterior[:, posterior_result.degenerate & ~equal] = np.nan
        error, degenerate, notes = posterior_result.error, posterior_result.degenerate, posterior_result.notes
        direction = sign * signs_of(posterior_result.better - posterior_result.worse, 1.0)
    elif not settings.tests_all_systems:
        test_result = settings.method.run(differences, settings, sample)
        statistic, pvalue, error = test_result.statistic, test_result.pvalue, test_result.error
        degenerate, notes = test_result.degenerate, test_result.notes
        if settings.method.compares in ("ranks", "signs"):
            by_signs = settings.method.compares == "signs"
            n_won, n_lost = count_outcomes(differences, settings.rope if by_signs else 0.0)
            n_untied = (n_won + n_lost).astype(np.float64)
            # With as many wins as losses, or equal rank sums, the statistic is half of its total.
            null_statistic = n_untied / 2 if by_signs else n_untied * (n_untied + 1) / 4
            direction = np.sign(test_result.statistic - null_statistic)  # exact: multiples of 1/2
    return PairTestResults(
        difference=np.asarray(mean),
        low=interval_ends[0],
        high=interval_ends[1],
        statistic=statistic,
        pvalue=pvalue,
        error=error,
        degenerate=degenerate,
        direction=direction,
        effects=effects,
        pvalue_corrected=None,
        posterior=posterior,
        equal=equal,
        notes=tuple(dict.fromkeys((*notes, *effects.notes))),
    )


def interval_ends_of(
    differences: Floats, settings: ComparisonSettings, method: str, sample: Mapping[str, Any]
) -> Floats:
    """(2, pairs) the ends of the interval of each mean difference; NaN for constant differences other than 0.

    For a one-sided test, the end that it is about has the whole alpha beyond it, and the other is infinite.
    """
    side = settings.alternative
    confidence_level = 1 - settings.alpha if side == "two-sided" else 1 - 2 * settings.alpha
    if method == "t":
        interval = t_interval(differences, confidence_level=confidence_level, **sample)
    elif method == "tango":
        interval = tango_interval(differences, confidence_level=confidence_level)
    else:
        interval = bootstrap_interval(
            differences,
            method=method,
            confidence_level=confidence_level,
            n_resamples=settings.n_resamples,
            rng=settings.seed,
            **sample,
        )
    is_undefined = interval.degenerate & ~all_zero(differences)
    low = np.full_like(interval.low, -np.inf) if side == "less" else interval.low
    high = np.full_like(interval.high, np.inf) if side == "greater" else interval.high
    return np.where(is_undefined | np.isnan(interval.low), np.nan, np.array([low, high]))


def concatenate_results(results: list[PairTestResults]) -> PairTestResults:
    """Concatenate the results of all slices of pairs."""
    field_names = ("difference", "low", "high", "statistic", "pvalue", "error", "degenerate", "direction", "equal")
    fields: dict[str, Any] = {
        name: np.concatenate([getattr(result, name) for result in results]) for name in field_names
    }
    effects = results[0].effects
    effect_names = (
        *("mean", "cohens_d", "hedges_g", "low", "high", "superiority"),
        *("wins", "ties", "losses", "degenerate"),
    )
    effect_fields: dict[str, Any] = {
        name: np.concatenate([getattr(result.effects, name) for result in results]) for name in effect_names
    }
    posteriors = [result.posterior for result in results if result.posterior is not None]
    return replace(
        results[0],
        **fields,
        effects=replace(effects, **effect_fields),
        posterior=np.concatenate(posteriors, axis=1) if posteriors else None,
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
    )


def add_simultaneous_test(
    result: PairTestResults, measure_values: MeasureValues, settings: ComparisonSettings
) -> PairTestResults:
    """Set the p-values and intervals of a test of all systems at once; its pairs are in the order of `all_pairs`."""
    if measure_values.n < 2:
        raise ParameterError(
            f"test {settings.test!r} needs at least 2 queries, and {measure_values.n} has values; choose t"
        )
    test_result = settings.method.run(measure_values.values, settings, measure_values.sample)
    has_own_intervals = settings.method.has_intervals  # Nemenyi's are of mean ranks
    return replace(
        result,
        statistic=test_result.statistic,
        pvalue_corrected=test_result.pvalue,
        error=test_result.error,
        direction=result.direction
        if settings.method.compares == "means"
        else -signs_of(test_result.difference, len(measure_values.values)),  # of mean ranks, 1 the highest
        low=np.where(np.isnan(result.low), np.nan, test_result.low) if has_own_intervals else result.low,
        high=np.where(np.isnan(result.high), np.nan, test_result.high) if has_own_intervals else result.high,
        notes=tuple(dict.fromkeys((*test_result.notes, *result.notes))),
    )


def decide_pairs(results: PairTestResults, corrected_pvalues: Floats, sign: int, settings: ComparisonSettings) -> Ints:
    """(pairs) 1 where the first system is significantly better, -1 where it is worse, else 0. sign: of the measure."""
    significant = significant_pairs(results, corrected_pvalues, settings)
    agrees_with_means = results.direction == np.sign(results.difference)
    return np.where(significant & agrees_with_means, results.direction * sign, 0).astype(np.int64)


def significant_pairs(results: PairTestResults, corrected_pvalues: Floats, settings: ComparisonSettings) -> Bools:
    """(pairs) whether the test shows a difference, in the direction of the alternative."""
    if results.posterior is not None:
        return np.asarray(at_most(1 - settings.alpha, results.posterior[[0, 2]].max(axis=0)), np.bool_)
    side = {"two-sided": 0, "greater": 1, "less": -1}[settings.alternative]
    return np.asarray(
        at_most(corrected_pvalues, settings.alpha) & ((results.direction == side) | (side == 0)), np.bool_
    )

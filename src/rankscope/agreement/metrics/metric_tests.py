"""Tests between metrics: p-values, exact and by resampling, of whether one metric agrees better with people than
another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.metrics.boot_both import bootstrap_values
from rankscope.agreement.metrics.perm_both import permuted_differences
from rankscope.agreement.statistics import (
    AgreementStatistic,
    AlignedScores,
    CalibrationCurve,
    KendallConvention,
    StatisticValues,
    bootstrap_segments,
    check_scores,
    check_statistic,
    correlate_rows,
    epsilons_of,
    evaluate_scores,
    from_matrices,
    kinds_of,
    pair_indices,
    pair_pvalues,
    sum_by_code,
    system_means,
)
from rankscope.data.text import pluralise
from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, draw, flip_sums
from rankscope.kernels.rounding_ties import join_ties
from rankscope.kernels.swaps import SWAPS
from rankscope.parallel.threads import one_thread
from rankscope.stats.inputs import as_generator, check_choice, check_count
from rankscope.stats.paired_tests import monte_carlo
from rankscope.stats.williams import MIN_ITEMS, williams_test
from rankscope.typing import Floats, Ints

__all__ = [
    "ALTERNATIVES",
    "PROCEDURES",
    "TESTS",
    "MetricTestSettings",
    "MetricTests",
    "Resamples",
    "check_has_test",
    "compare_matrices",
    "compare_scores",
    "pvalues_of_differences",
]


#: Every test, and what its resamples estimate: the difference under the null hypothesis ("null"), or the difference
#: itself ("values"); "" for a test without resamples.
TESTS = {"perm_both": "null", "boot_both": "values", "bootstrap": "values", "pair_swaps": "null", "williams": ""}
#: Differences of statistics in [-1, 1] that are this close are equal up to rounding.
CLOSE = 1e-10


class MetricTestSettings(NamedTuple):
    """A test and its resamples.

    Attributes
    ----------
    statistic, grouping, alternative, swap
        As in `compare_matrices`.
    recalibrate
        Whether epsilon is calibrated again for each permuted metric.
    draws
        Resamples of swaps, or of segments.
    system_draws
        Resamples of systems.
    sign_draws
        Swaps for soft pairwise accuracy.
    resampled
        (metrics, resamples) values on drawn segments, where these scores are made from segments that they do not show;
        None if the bootstrap is to draw the segments of the scores.
    kept_differences
        The resampled differences of each pair of metrics, (resamples), filled by `store_differences`; None if they are
        only counted.
    """

    statistic: AgreementStatistic
    grouping: str
    alternative: str
    swap: str
    recalibrate: bool
    draws: Draws
    system_draws: Draws
    sign_draws: Draws
    resampled: Floats | None = None
    kept_differences: dict[tuple[int, int], Floats] | None = None

    def store_differences(self, i: int, j: int, chunks: Iterable[Floats]) -> Iterable[Floats]:
        """The same chunks, stored in `kept_differences` if it is not None."""
        if self.kept_differences is None:
            return chunks
        self.kept_differences[i, j] = np.concatenate(list(chunks))
        return [self.kept_differences[i, j]]


class ExtremeCounts(NamedTuple):
    """How many resamples speak against the first of two metrics being better, against the second, and against either.

    A resample without a value counts in all three, so that it never makes a difference significant.
    """

    against_first: int
    against_second: int
    against_either: int


def count_extremes(kind: str, observed: float, chunks: Iterable[Floats]) -> ExtremeCounts:
    """The counts for the difference of two metrics.

    Parameters
    ----------
    kind
        "null" if the resamples are drawn as if the metrics were equal: those at least as high as the observed
        difference count, as low, and as far from 0. "values" if they estimate the difference: those not above 0, not
        below it, and twice the smaller of both.
    observed
        The observed difference.
    chunks
        The differences of the resamples.
    """
    n_above = n_below = n_far = n_resamples = 0
    level = observed if kind == "null" else 0.0
    for differences in chunks:
        undefined = np.isnan(differences)
        n_above += int(np.count_nonzero(undefined | (differences >= level - CLOSE)))
        n_below += int(np.count_nonzero(undefined | (differences <= level + CLOSE)))
        n_far += int(np.count_nonzero(undefined | (np.abs(differences) >= abs(observed) - CLOSE)))
        n_resamples += differences.size
    if kind == "null":
        return ExtremeCounts(n_above, n_below, n_far)
    # Two-sided p: twice the smaller of both shares, (1 + c) / (1 + B) each, and at most 1.
    return ExtremeCounts(n_below, n_above, min(n_resamples, 2 * min(n_above, n_below) + 1))


PvaluesAndErrors = tuple[Floats, Floats]


def empty_pvalues(n_metrics: int) -> PvaluesAndErrors:
    return np.full((n_metrics, n_metrics), np.nan), np.zeros((n_metrics, n_metrics))


def fill_pvalues(
    n_metrics: int, alternative: str, n_resamples: int, counts: Iterable[tuple[int, int, ExtremeCounts]]
) -> PvaluesAndErrors:
    """The matrices of p-values and errors from the counts of each pair of metrics."""
    pvalue, error = empty_pvalues(n_metrics)
    for i, j, extremes in counts:
        n_extreme = (extremes.against_either,) * 2 if alternative == "two-sided" else extremes[:2]
        pvalues_and_errors = monte_carlo(np.array(n_extreme, np.float64), n_resamples)
        (pvalue[i, j], pvalue[j, i]), (error[i, j], error[j, i]) = pvalues_and_errors
    return pvalue, error


def pvalues_of_differences(
    value: Floats, differences: Mapping[tuple[int, int], Floats], kind: str, alternative: str
) -> Floats:
    """(metrics, metrics) p-values, row against column, from the differences of all resamples; NaN without any.

    value: (metrics). kind: as in `count_extremes`.
    """
    n_resamples = next((resampled.size for resampled in differences.values()), 1)
    counts = (
        (i, j, count_extremes(kind, float(value[i] - value[j]), [resampled]))
        for (i, j), resampled in differences.items()
    )
    return fill_pvalues(value.size, alternative, n_resamples, counts)[0]


def check_has_test(test: str, statistic: AgreementStatistic, grouping: str, *, weighted: bool = False) -> None:
    """Raise ParameterError where the statistic has no such test.

    Parameters
    ----------
    test
        The test.
    statistic, grouping
        What is computed.
    weighted
        Whether judgments have weights.
    """
    if test == "williams" and statistic.name != "pearson":
        raise ParameterError(
            f"Williams' test is for pearson; for {statistic.name} its p-values are not reliable; use perm_both"
        )
    if test == "williams" and grouping not in ("means", "none"):
        raise ParameterError(
            f"Williams' test is for one correlation over all items (systems, or segments with grouping none), not "
            f"for a mean of correlations with grouping {grouping}; use perm_both"
        )
    if test == "pair_swaps" and not statistic.counts_fixed_pairs:
        reason = "is not a mean over pairs" if statistic.convention is None else "skips pairs by what the metric says"
        raise ParameterError(
            "pair_swaps is for means over the same pairs for all metrics, as acc_eq and the accuracies of systems, but "
            f"{statistic.name} {reason}; use perm_both"
        )
    if weighted and test in ("boot_both", "pair_swaps", "williams"):
        raise ParameterError(f"{test} has no form for judgments with weights; use perm_both or bootstrap")


# Permutation of scores


def standardised(metric: Floats) -> tuple[Floats, float]:
    """The scores less their mean, in units of their standard deviation, and that unit; a constant metric becomes 0."""
    centred = metric - np.nanmean(metric)
    spread = float(np.nanstd(metric))
    if np.nanmax(np.abs(centred)) <= 1e-12 * np.nanmax(np.abs(metric)):
        return np.where(np.isnan(metric), np.nan, 0.0), 1.0
    return centred / spread, spread


def by_permutation(scores: AlignedScores, values: StatisticValues, settings: MetricTestSettings) -> PvaluesAndErrors:
    value, epsilons = values.value, values.epsilon
    scaled = [standardised(metric) for metric in scores.metrics]

    def counts() -> Iterator[tuple[int, int, ExtremeCounts]]:
        for i, j in comparable_pairs(value):
            pair = np.stack((scaled[i][0], scaled[j][0]))
            observed = float(value[i] - value[j])
            scaled_epsilons = np.array([epsilons[i] / scaled[i][1], epsilons[j] / scaled[j][1]])
            differences = permuted_differences(
                scores,
                pair,
                settings.statistic,
                settings.grouping,
                None if settings.recalibrate else scaled_epsilons,
                settings.draws,
                settings.swap,
                settings.sign_draws,
                observed if settings.kept_differences is None else None,
            )
            yield i, j, count_extremes("null", observed, settings.store_differences(i, j, differences))

    return fill_pvalues(len(value), settings.alternative, settings.draws.n_resamples, counts())


def comparable_pairs(value: Floats) -> Iterator[tuple[int, int]]:
    """The pairs of metrics of which both have a value."""
    return ((i, j) for i, j in combinations(range(value.size), 2) if not np.isnan(value[i] - value[j]))


# Bootstrap


def by_bootstrap(
    scores: AlignedScores, values: StatisticValues, settings: MetricTestSettings, draw_systems: bool
) -> PvaluesAndErrors:
    value = values.value
    if settings.resampled is not None and not draw_systems:
        resampled = settings.resampled
    elif draw_systems or settings.grouping == "means":
        with_value = np.flatnonzero(~np.isnan(value))
        resampled = np.full((value.size, settings.draws.n_resamples), np.nan)
        if with_value.size:
            resampled[with_value] = bootstrap_values(
                replace(scores, metrics=scores.metrics[with_value]),
                settings.statistic,
                settings.grouping,
                values.epsilon[with_value],
                settings.system_draws if draw_systems else None,
                settings.draws,
                settings.sign_draws,
            )
    else:
        resampled = bootstrap_segments(scores, settings.statistic, settings.grouping, values, settings.draws)

    def counts() -> Iterator[tuple[int, int, ExtremeCounts]]:
        for i, j in comparable_pairs(value):
            differences = settings.store_differences(i, j, [resampled[i] - resampled[j]])
            yield i, j, count_extremes("values", float(value[i] - value[j]), differences)

    return fill_pvalues(value.size, settings.alternative, settings.draws.n_resamples, counts())


# Swaps of pairs


def by_pair_swaps(scores: AlignedScores, values: StatisticValues, settings: MetricTestSettings) -> PvaluesAndErrors:
    value = values.value
    shares = shares_of_pairs(scores, values.epsilon, settings)

    def counts() -> Iterator[tuple[int, int, ExtremeCounts]]:
        for i, j in comparable_pairs(value):
            differences = shares[i] - shares[j]
            differences = differences[np.abs(differences) > 1e-15]
            if not differences.size:
                settings.store_differences(i, j, [np.zeros(settings.draws.n_resamples)])
                yield i, j, ExtremeCounts(*(settings.draws.n_resamples,) * 3)
                continue
            chunks = (sums[:, 0] for sums in flip_sums(differences[None], settings.draws))
            yield i, j, count_extremes("null", float(differences.sum()), settings.store_differences(i, j, chunks))

    return fill_pvalues(value.size, settings.alternative, settings.draws.n_resamples, counts())


def shares_of_pairs(scores: AlignedScores, epsilons: Floats, settings: MetricTestSettings) -> Floats:
    """(metrics, pairs) how much each pair adds to the statistic of each metric."""
    if settings.statistic.convention is not None:
        return np.array(
            [
                convention_shares(scores, metric, settings.statistic.convention, settings.grouping, epsilon)
                for metric, epsilon in zip(scores.metrics, epsilons.tolist(), strict=True)
            ]
        )
    first, second = pair_indices(len(scores.systems))
    sides = scores.gold_matrix[None], scores.metric_matrices
    if settings.statistic.name == "soft_pairwise_accuracy":
        gold_pvalues, metric_pvalues = (pair_pvalues(matrices, settings.sign_draws) for matrices in sides)
        return np.asarray((1 - np.abs(gold_pvalues - metric_pvalues)) / first.size)
    means = [join_ties(system_means(matrices)) for matrices in sides]
    signs = [np.sign(system_scores[:, first] - system_scores[:, second]) for system_scores in means]
    return np.asarray((signs[0] == signs[1]) / first.size)


def convention_shares(
    scores: AlignedScores, metric: Floats, convention: KendallConvention, grouping: str, epsilon: float
) -> Floats:
    """(lists x pairs) how much each pair adds to the value of a convention."""
    kinds = kinds_of(scores.people, metric, epsilon=epsilon, least=convention.min_difference)
    counted = np.append(convention.denominator, 0.0)[kinds]
    credits_of_pairs = np.append(convention.numerator, 0.0)[kinds]
    if grouping == "system":
        first, second = pair_indices(scores.people.shape[1])
        systems = [np.maximum(scores.system[:, places], 0) for places in (first, second)]
        n_systems = len(scores.systems)
        items = np.concatenate([codes.ravel() for codes in systems])
        n_pairs = sum_by_code(np.tile(counted.ravel(), 2)[None], items, n_systems)[0]
        per_pair = reciprocal(n_pairs) / max(1, int(np.count_nonzero(n_pairs)))
        return np.asarray(credits_of_pairs * counted * (per_pair[systems[0]] + per_pair[systems[1]])).ravel()
    if grouping == "segment":
        n_pairs = sum_by_code(counted.sum(axis=1)[None], scores.segment, len(scores.segments))[0]
        weight = counted * reciprocal(n_pairs)[scores.segment][:, None]
        return np.asarray((credits_of_pairs * weight).ravel() / max(1, int(np.count_nonzero(n_pairs))))
    return np.asarray((credits_of_pairs * (counted * reciprocal(np.array([counted.sum()])))).ravel())


def reciprocal(counts: Floats) -> Floats:
    return np.divide(1.0, counts, out=np.zeros(counts.shape), where=counts > 0)


# Williams


def by_williams(scores: AlignedScores, values: StatisticValues, settings: MetricTestSettings) -> PvaluesAndErrors:
    value = values.value
    of_means = settings.grouping == "means"
    items = system_means(scores.metric_matrices) if of_means else scores.metrics[:, scores.present]
    n = items.shape[1]
    if n < MIN_ITEMS:
        noun = "system" if of_means else "cell"
        raise ParameterError(
            f"Williams' test needs {MIN_ITEMS} {noun}s or more, and {n} have scores of people and of every metric; "
            "give more, or use another test"
        )
    pvalue, error = empty_pvalues(value.size)
    pairs = list(comparable_pairs(value))
    if pairs:
        i, j = np.array(pairs).T
        metric_correlations = correlate_rows(items[i], items[j], settings.statistic.name)
        for row, column in ((i, j), (j, i)):
            williams = williams_test(
                value[row], value[column], metric_correlations, n=n, alternative=settings.alternative
            )
            # Metrics with equal values and perfect correlation are not distinguished.
            pvalue[row, column] = np.where(
                williams.degenerate & (np.abs(value[row] - value[column]) <= CLOSE), 1.0, williams.pvalue
            )
    return pvalue, error


Procedure = Callable[[AlignedScores, StatisticValues, MetricTestSettings], PvaluesAndErrors]
PROCEDURES: dict[str, Procedure] = {
    "perm_both": by_permutation,
    "boot_both": partial(by_bootstrap, draw_systems=True),
    "bootstrap": partial(by_bootstrap, draw_systems=False),
    "pair_swaps": by_pair_swaps,
    "williams": by_williams,
}
ALTERNATIVES = ("greater", "two-sided")
#: With fewer systems, a note warns that they are too few to resample.
FEW_SYSTEMS = 6


class Resamples(NamedTuple):
    """The draws of segments (or of swaps), of systems, and of signs for the soft pairwise accuracy."""

    segments: Draws
    systems: Draws
    soft: Draws


def usual_swap(grouping: str) -> str:
    """What perm_both swaps as one by default: for means whole systems, since a metric that favours a system does so in
    all of its cells, and swaps of single cells would hide that.
    """
    return "systems" if grouping == "means" else "cells"


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricTests:
    """Every metric against every other; arrays (metrics) and (metrics, metrics), row against column.

    Attributes
    ----------
    test, statistic, grouping, alternative
        What was computed.
    swap
        What perm_both swapped as one; "" for other tests.
    value
        (metrics) the statistic, on the cells that people and all metrics have; higher is better.
    pvalue
        (metrics, metrics) the p-value of the difference: one-sided, of the row above the column, with the alternative
        "greater". NaN on the diagonal and where there is no value.
    error
        (metrics, metrics) the standard error of a p-value from resampling, else 0.
    epsilon
        (metrics) the largest difference of scores that is a tie; NaN where the statistic has none.
    n
        (metrics) what a value is over, see `StatisticValues`.
    n_resamples
        How many resamples the test has; 0 for Williams' test.
    cells
        How many scores of translations people and every metric have.
    lost
        How many scores of people are skipped.
    systems, segments
        How many systems and segments there are.
    resampled_differences
        The differences of all resamples by (row, column), row below column, if they were to be kept.
    notes
        What a reader should know.
    curves
        (metrics) how the statistic depends on epsilon, if it was calibrated; filled for tasks.
    resampled_names
        Language pair -> its segments (and systems, where a test swaps or draws these) in the order in which they are
        resampled; filled for tasks.
    """

    test: str
    statistic: str
    grouping: str
    alternative: str
    swap: str
    value: Floats
    pvalue: Floats
    error: Floats
    epsilon: Floats
    n: Ints
    n_resamples: int
    cells: int
    lost: int
    systems: int
    segments: int
    resampled_differences: Mapping[tuple[int, int], Floats]
    notes: tuple[str, ...]
    curves: tuple[CalibrationCurve, ...] = ()
    resampled_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def difference(self) -> Floats:
        """(metrics, metrics) the value of the row minus that of the column."""
        return self.value[:, None] - self.value

    @property
    def pvalue_of_higher(self) -> Floats:
        """(metrics, metrics) the p-value of the higher of two metrics (of equal ones the first), on both sides."""
        above = np.triu(np.where(self.difference >= -CLOSE, self.pvalue, self.pvalue.T), 1)
        return np.asarray(np.where(np.eye(self.value.size, dtype=np.bool_), np.nan, above + above.T))


def compare_matrices(
    gold: npt.ArrayLike,
    metrics: npt.ArrayLike,
    *,
    test: str = "perm_both",
    statistic: str = "pearson",
    grouping: str = "segment",
    alternative: str = "greater",
    swap: str | None = None,
    epsilon: float | None = None,
    recalibrate: bool = True,
    n_resamples: int = 1000,
    soft_resamples: int = 1000,
    keep_differences: bool = False,
    resamples: Resamples | None = None,
    rng: Any = None,
) -> MetricTests:
    """Whether each metric agrees better with people than each other one, or ("two-sided") not equally well.

    Parameters
    ----------
    gold
        (systems, segments) the scores of people; higher is better, NaN where there is no score.
    metrics
        (metrics, systems, segments) the scores of at least two metrics; higher is better, NaN where there is no score.
        Cells that gold or any of the metrics lacks are skipped for all.
    test
        "perm_both", "boot_both", "bootstrap", "pair_swaps" or "williams"; see Notes. Default: "perm_both".
    statistic, grouping, epsilon
        See `metric_values`.
    alternative
        "greater" for the row above the column, or "two-sided". Default: "greater".
    swap
        What perm_both swaps as one: "systems", "segments" or "cells". Default: "systems" with the grouping "means",
        else "cells".
    recalibrate
        With perm_both and a calibrated epsilon: calibrate it again for each permuted metric, as it was for the metric
        itself. False keeps it, which is faster and gives p-values that are too small. A bootstrap always keeps it.
    n_resamples
        Number of resamples of the test.
    soft_resamples
        Number of resamples of the soft pairwise accuracy; `n_resamples` of `metric_values`.
    keep_differences
        Keep the differences of all resamples in the result, for tests of several statistics together.
    resamples
        The resamples themselves, in the place of `n_resamples`, `soft_resamples` and `rng`.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    MetricTests
        The statistic of each metric, and p-values of all pairs, which share their resamples. Equal metrics have p = 1.

    Raises
    ------
    ParameterError
        As `metric_values`; and for fewer than two metrics, a test that the statistic does not have, and fewer than four
        systems with Williams' test.

    Notes
    -----
    - "perm_both": the scores of each metric are standardised; then the scores of the two metrics are swapped with
      probability 1/2, and p = (1 + the resamples whose difference is at least as large) / (1 + n_resamples). Swaps of
      cells treat errors as independent from cell to cell: if a metric favours a system, they find differences between
      equally good metrics far too often, so their claims are about these systems only.
    - "boot_both": systems and segments are resampled with replacement. "bootstrap": segments only, for claims about
      these systems. p = (1 + the resamples in which the row is not better) / (1 + n_resamples), two-sided twice the
      smaller of the two.
    - "pair_swaps": the decisions of the two metrics on each pair of systems are swapped; for statistics of pairs that
      count the same pairs for all metrics, as acc_eq, and the two pairwise accuracies. It treats pairs as independent,
      which they are not, so it finds differences too often.
    - "williams": by formula; for "pearson" with the grouping "means" or "none".

    References
    ----------
    Deutsch, Dror and Roth (2021), PERM-BOTH and BOOT-BOTH; Koehn (2004); Williams (1959), Graham and Baldwin (2014);
    Phipson and Smyth (2010) for (1 + c) / (1 + B).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gold = rng.normal(size=(6, 40))
    >>> near, far = gold + rng.normal(size=(6, 40)), gold + 3 * rng.normal(size=(6, 40))
    >>> found = compare_matrices(gold, [near, far], n_resamples=99, rng=1)
    >>> float(found.pvalue[0, 1]), float(found.pvalue[1, 0])
    (0.01, 1.0)
    """
    entry = check_statistic(statistic, grouping, epsilon)
    check_count("n_resamples", n_resamples)
    check_count("soft_resamples", soft_resamples)
    generator = as_generator(rng)
    return compare_scores(
        from_matrices(gold, metrics),
        entry,
        grouping,
        resamples or draw_resamples(generator, n_resamples, soft_resamples),
        test=test,
        alternative=alternative,
        swap=swap,
        epsilon=epsilon,
        recalibrate=recalibrate,
        keep_differences=keep_differences,
        drop_empty=True,
    )


def compare_scores(
    scores: AlignedScores,
    statistic: AgreementStatistic,
    grouping: str,
    resamples: Resamples,
    *,
    test: str,
    alternative: str,
    swap: str | None = None,
    epsilon: float | None = None,
    recalibrate: bool = True,
    keep_differences: bool = False,
    drop_empty: bool = False,
    resampled: Floats | None = None,
) -> MetricTests:
    """As `compare_matrices`, on aligned scores.

    Parameters
    ----------
    scores
        The scores; those of translations that people or any of the metrics lack are skipped for all.
    statistic, grouping
        What is computed.
    resamples
        The resamples.
    test, alternative, swap, epsilon, recalibrate, keep_differences
        As in `compare_matrices`.
    drop_empty
        Leave out systems and segments without any translation that all have a score of; they are not drawn then.
    resampled
        As in `MetricTestSettings`.
    """
    check_choice("test", test, tuple(TESTS))
    check_choice("alternative", alternative, ALTERNATIVES)
    swap = swap or usual_swap(grouping)
    check_choice("swap", swap, SWAPS)
    check_has_test(test, statistic, grouping, weighted=scores.weight is not None)
    check_scores(scores, statistic, grouping)
    common = scores.common(drop_empty=drop_empty)
    if len(common.metrics) < 2:
        raise ParameterError("one metric was given, expected two or more to compare")
    is_calibrated = statistic.is_calibrated(grouping, epsilon)
    values = evaluate_scores(
        common, statistic, grouping, epsilons_of(common, statistic, grouping, epsilon), resamples.soft
    )
    draws, others, soft = resamples
    settings = MetricTestSettings(
        statistic, grouping, alternative, swap, is_calibrated and recalibrate, draws, others, soft, resampled
    )
    settings = settings._replace(kept_differences={} if keep_differences else None)
    with one_thread():
        pvalue, error = PROCEDURES[test](common, values, settings)
    np.fill_diagonal(pvalue, np.nan)
    np.fill_diagonal(error, 0.0)
    return MetricTests(
        test=test,
        statistic=statistic.name,
        grouping=grouping,
        alternative=alternative,
        swap=swap if test == "perm_both" else "",
        value=values.value,
        pvalue=pvalue,
        error=error,
        epsilon=values.epsilon,
        n=values.n,
        n_resamples=0 if test == "williams" else draws.n_resamples,
        cells=int(np.count_nonzero(common.present)),
        lost=scores.n_unscored,
        systems=len(common.systems),
        segments=len(common.segments),
        resampled_differences=settings.kept_differences or {},
        notes=notes_of(common, scores.n_unscored, values.value, settings, test, is_calibrated, pvalue),
    )


def draw_resamples(rng: np.random.Generator, n_resamples: int, soft_resamples: int) -> Resamples:
    soft = draw(rng, soft_resamples)  # first, as in `metric_values`, so that one rng gives one value
    return Resamples(draw(rng, n_resamples), draw(rng, n_resamples), soft)


def notes_of(
    common: AlignedScores,
    n_unscored: int,
    value: Floats,
    settings: MetricTestSettings,
    test: str,
    is_calibrated: bool,
    pvalue: Floats,
) -> tuple[str, ...]:
    """The notes of the result: what to know before relying on it."""
    notes = []
    if n_unscored:
        lost_cells = pluralise(n_unscored, "translation")
        notes.append(f"{lost_cells} that people judged skipped for all metrics, because one of them has no score there")
    n_undefined = int(np.count_nonzero(np.isnan(value)))
    if n_undefined:
        notes.append(
            f"{n_undefined} of {pluralise(value.size, 'metric')} without a value: all scores are equal, or too few"
        )
    n_untested = int(np.count_nonzero(np.isnan(pvalue[np.triu_indices(value.size, 1)])))
    if test == "williams" and n_untested and not n_undefined:
        untested_pairs = pluralise(n_untested, "pair of metrics has", "pairs of metrics have")
        notes.append(f"{untested_pairs} no p-value of Williams' test: their correlations leave no variation")
    notes += scope_notes(common, settings, test)
    if test == "pair_swaps":
        notes.append("pair_swaps treats pairs of systems as independent, so it finds differences too often")
    if test == "boot_both" and len(common.systems) < FEW_SYSTEMS:
        notes.append(f"{pluralise(len(common.systems), 'system')} resampled: resamples repeat few systems")
    if test in ("bootstrap", "boot_both") and is_calibrated:
        notes.append("the bootstrap keeps the epsilon that was calibrated on all segments")
    if test == "perm_both" and is_calibrated and not settings.recalibrate:
        notes.append("epsilon was found on these scores and kept for all permuted metrics: p-values are too small")
    return tuple(notes)


def scope_notes(common: AlignedScores, settings: MetricTestSettings, test: str) -> list[str]:
    """Notes on whether p-values hold for other systems or for these only, and whether there are enough systems."""
    systems, segments = len(common.systems), len(common.segments)
    of_means = settings.grouping == "means" and segments > 1
    if of_means and test == "perm_both" and settings.swap == "cells":
        return [
            "swaps of cells make a claim about these systems only: they treat a metric's errors as independent from "
            "segment to segment, and if it favours a system they find differences far too often; swap systems instead"
        ]
    if of_means and test == "bootstrap":
        return ["the bootstrap resamples segments: its p-values are claims about these systems only"]
    if test == "perm_both" and settings.swap == "systems" and systems < FEW_SYSTEMS:
        least_p = 2 / 2**systems if settings.alternative == "two-sided" else 1 / 2**systems
        return [f"{pluralise(systems, 'system')} can swap in {2**systems} ways only: p is about {least_p:.2g} or more"]
    return []

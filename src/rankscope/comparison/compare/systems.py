"""The function `compare`: which system is better, and how sure that is, with notes on the data and the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues, check_systems, match_queries, measure_names_of
from rankscope.comparison.compare.groups import compare_groups
from rankscope.comparison.compare.pair_tests import (
    PairTestJob,
    PairTestResults,
    decide_pairs,
    pair_slices,
    run_tests,
    significant_pairs,
    withhold,
)
from rankscope.comparison.compare.result import Comparison, MeasureComparison
from rankscope.comparison.compare.significance_tests import RESAMPLED_INTERVALS, ComparisonSettings
from rankscope.data.scores import Scores
from rankscope.data.text import format_p_value, pluralise, pluralise_queries
from rankscope.errors import InputError
from rankscope.evaluation.cluster_notes import cluster_notes, weight_notes
from rankscope.stats.anova import Anova, all_pairs, two_way_anova
from rankscope.stats.cluster_sums import cluster_sums, intraclass_correlation
from rankscope.stats.friedman import friedman_test
from rankscope.stats.inputs import scale_rows, seed_of
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.typing import Bools, Floats

__all__ = [
    "compare",
    "compare_systems",
    "measure_notes",
]


#: Fewer queries get a note.
FEW = 25
#: Where Huynh and Feldt's epsilon is below this, tests that take all pairs to vary alike get a note.
UNLIKE = 0.75
#: The probability with which a share of queries is missed.
UNSEEN = 0.05
#: Above this share of ties there is a note.
MANY_TIES = 0.5
#: A t-test of skewed differences needs this times the square of their skewness as queries (Cochran, 1977, section
#: 2.15, on means and their intervals).
COCHRAN = 25
#: Skewness counts from this many of its standard errors on, sqrt(6 / n) of normal differences.
SKEWNESS_ERRORS = 2


def measure_notes(
    comparison: MeasureComparison, settings: ComparisonSettings, significant: Bools, family: int
) -> tuple[str, ...]:
    """Notes on one measure: few queries, ties, equal or constant differences, skewness, and on the test.

    significant: (pairs) whether the test shows a difference. family: how many tests are corrected together.
    """
    notes = [
        *query_notes(comparison),
        *data_notes(comparison),
        *test_notes(comparison, settings),
        *resolution_notes(comparison, settings, family),
    ]
    notes += [*direction_notes(comparison, settings, significant), *omnibus_notes(comparison, settings)]
    return tuple(f"{comparison.measure}: {note}" for note in notes)


def query_notes(comparison: MeasureComparison) -> list[str]:
    """What clusters and weights of the queries are worth; else whether the queries are few."""
    values = comparison.measure_values
    if values.clusters is None:
        return [*weight_notes(values.weights), *few_notes(comparison)]
    return [*weight_notes(values.weights), *cluster_notes(values.clusters, pair_correlations(comparison))]


def few_notes(comparison: MeasureComparison) -> list[str]:
    if comparison.n == 1:
        return ["with one query the variation between queries is unknown: no test or interval can be trusted"]
    if comparison.n < FEW:
        return [
            f"{comparison.n} queries are few: only large differences can be significant, and p and intervals are rough "
            "if differences are skewed"
        ]
    return []


def pair_correlations(comparison: MeasureComparison) -> Floats:
    """(pairs) how far differences within a cluster correlate; NaN where that is unknown."""
    clusters = comparison.measure_values.clusters
    assert clusters is not None
    slices = pair_slices(comparison.first.size, comparison.n)
    parts = [
        intraclass_correlation(
            comparison.measure_values.differences(comparison.first[x], comparison.second[x]), clusters
        )
        for x in slices
    ]
    return np.where(comparison.withheld | comparison.equal, np.nan, np.concatenate(parts))


def data_notes(comparison: MeasureComparison) -> list[str]:
    notes = []
    if comparison.equal.any():
        consequence = "p is 1 and " if comparison.test_results.posterior is None else ""
        notes.append(
            name_pairs(comparison, comparison.equal, f"the same values on every query: {consequence}nothing differs")
        )
    constant = comparison.test_results.effects.degenerate & ~comparison.equal & (comparison.n > 1)
    if constant.any():
        kind = "queries" if comparison.measure_values.clusters is None else "clusters"
        notes.append(
            name_pairs(
                comparison,
                constant,
                "the same difference on every query: its variance is unknown, so tests that need one (t, bootstrap, "
                f"bayes-t) say nothing; permutation and sign count signs only, and up to "
                f"{100 * unseen_share(comparison.measure_values.n_clusters):.2g} % of {kind} like these may differ "
                "otherwise (95 % confidence)",
            )
        )
    tied = are_tied(comparison)
    if tied.any():
        notes.append(name_pairs(comparison, tied, "ties on more than half of the queries: only the others decide"))
    return notes


def are_tied(comparison: MeasureComparison) -> Bools:
    """(pairs) whether the systems tie on more than half of the queries, and differ on some."""
    return (comparison.test_results.effects.ties > MANY_TIES * comparison.n) & ~comparison.equal


def unseen_share(n: int) -> float:
    """The largest share of all queries that n queries may miss altogether, with a confidence of 95 %: 1 - .05^(1/n)."""
    return float(1 - UNSEEN ** (1 / n))


def test_notes(comparison: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    notes = []
    if settings.method.if_skewed and comparison.n > 1:
        is_skewed = are_too_skewed(skewness(comparison), comparison.measure_values.n_clusters)
        if is_skewed.any():
            rough = "probabilities" if settings.is_bayesian else "p and intervals"
            notes.append(
                name_pairs(
                    comparison,
                    is_skewed,
                    f"differences too skewed for {settings.test} on {units_text(comparison)}: {rough} are rough; check "
                    f"with test {settings.method.if_skewed}",
                )
            )
    if settings.interval in RESAMPLED_INTERVALS:
        notes += interval_notes(comparison)
    if comparison.measure_values.are_binary:
        notes += binary_notes(comparison, settings)
    if settings.method.compares in ("ranks", "signs") and not (
        settings.method.compares == "signs" and comparison.measure_values.are_binary
    ):
        notes.append(
            f"the test {settings.test} is about medians, not means; studies disagree on whether it finds too much on "
            "many queries (Parapar et al. 2020; Urbano et al. 2019), so t or permutation is the safer choice"
        )
    return notes


def interval_notes(comparison: MeasureComparison) -> list[str]:
    """Whether intervals by resampling are too narrow: where queries are few, or many differences are 0."""
    notes = []
    if 1 < comparison.measure_values.n_clusters < FEW:
        notes.append(
            f"bootstrap intervals of so few as {units_text(comparison)} are too narrow: those of 95 % hold the true "
            "difference in 80 to 95 % of cases; prefer the interval t"
        )
    tied = are_tied(comparison)
    if tied.any():
        observation = (
            "ties on so many queries that bootstrap intervals are too narrow, however many queries there are: those "
            "of 95 % hold the true difference in as few as 75 % of cases; prefer the interval t"
        )
        notes.append(name_pairs(comparison, tied, observation))
    return notes


def binary_notes(comparison: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    """What is special about outcomes 0 and 1."""
    if comparison.equal.all() and not comparison.measure_values.are_foreign:
        return []
    test = {
        "sign": ", so that the test sign is McNemar's exact test",
        "mcnemar": ", and the test is McNemar's exact test: the sign test of queries that only one has right",
    }.get(settings.test, "; the exact test of such outcomes is McNemar's (test mcnemar)")
    interval = settings.interval_of(comparison.measure_values)
    if settings.method.has_intervals:
        return [f"all values are 0 or 1{test}"]
    if interval == "tango":
        return [f"all values are 0 or 1{test}; intervals are Jeffreys' of a mean and Tango's of a difference"]
    return [f"all values are 0 or 1{test}; near 0 and 1 the interval {interval} is too narrow: use interval tango"]


def resolution_notes(comparison: MeasureComparison, settings: ComparisonSettings, family: int) -> list[str]:
    """How exact p is, and whether it can be small enough at all."""
    notes = []
    family = 1 if settings.tests_all_systems or settings.correction not in ("holm", "bonferroni") else family
    finding = f"find a significant difference{'' if family == 1 else f' in any of {family:,} tests'}"
    is_resampled = settings.method.uses_resampling and bool(np.nan_to_num(comparison.test_results.error).any())
    if is_resampled:
        subject = "probabilities are" if settings.is_bayesian else "p is"
        notes.append(f"{subject} from {settings.n_resamples:,} resamples, with a standard error of up to "
                     f"{np.nanmax(comparison.test_results.error):.4f}")  # fmt: skip
        if not settings.is_bayesian and family / (settings.n_resamples + 1) > settings.alpha:
            notes.append(
                f"{settings.n_resamples:,} resamples cannot {finding} at level {settings.alpha:g}; "
                f"use {int(np.ceil(family / settings.alpha)):,} or more"
            )
    elif settings.method.is_counting and comparison.measure_values.n_clusters < 60:
        smallest_p = (2.0 if settings.alternative == "two-sided" else 1.0) / 2.0**comparison.measure_values.n_clusters
        if smallest_p * family > settings.alpha:
            correction = "" if family == 1 else f", times {family:,} for the correction,"
            notes.append(
                f"on {units_text(comparison)} the {settings.test} test cannot {finding}: "
                f"its smallest possible p-value{correction} is {min(smallest_p * family, 1.0):.4g}, above the level "
                f"{settings.alpha:g}"
            )
    return notes


def direction_notes(comparison: MeasureComparison, settings: ComparisonSettings, significant: Bools) -> list[str]:
    """Pairs that ranks or signs order otherwise than means do; and that a one-sided test has one direction."""
    notes = []
    contradictory = significant & (comparison.decisions == 0)
    if contradictory.any():
        contradiction = name_pairs(
            comparison, contradictory, f"means in one order and the test {settings.test} in the other"
        )
        notes.append(f"{contradiction}: neither is called better")
    if settings.alternative != "two-sided" and comparison.first.size > 1:
        subject = (
            "of each pair, that the first in the order given"
            if len(set(comparison.second.tolist())) > 1
            else "that each"
        )
        reference = (
            ""
            if len(set(comparison.second.tolist())) > 1
            else f" than those of {comparison.systems[comparison.second[0]]}"
        )
        direction = "higher" if settings.alternative == "greater" else "lower"
        notes.append(
            f"only one direction was tested: {subject} has {direction} values{reference}; the other cannot be shown"
        )
    return notes


def omnibus_notes(comparison: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    """A test of all systems at once, if all pairs were compared."""
    n_systems, values = len(comparison.systems), comparison.measure_values
    if comparison.withheld.any() or values.clusters is not None or values.weights is not None:
        return []
    if n_systems < 3 or comparison.n < 2 or comparison.first.size != n_systems * (n_systems - 1) // 2:
        return []
    anova = two_way_anova(values.values)
    if settings.method.compares == "mean ranks":
        friedman = friedman_test(values.values)
        return [
            f"Friedman's test of all {n_systems} systems at once: chi-square {friedman.statistic:.2f} with "
            f"{n_systems - 1} degrees of freedom, p {format_p_value(friedman.pvalue)}",
            *spread_notes(settings, anova),
        ]
    if np.isnan(anova.pvalue):
        return []
    return [
        f"all {n_systems} systems at once (two-way ANOVA): F = {anova.statistic:.2f} with {anova.df_systems} and "
        f"{anova.df_error} degrees of freedom, p {format_p_value(anova.pvalue)}; with Greenhouse and Geisser's "
        f"correction (epsilon {anova.epsilon:.2f}) p {format_p_value(anova.pvalue_corrected)}",
        *spread_notes(settings, anova),
    ]


def spread_notes(settings: ComparisonSettings, anova: Anova) -> list[str]:
    """That differences of pairs do not vary alike, where the test takes them to."""
    epsilon = anova.epsilon_unbiased
    if not settings.method.pools_spread or epsilon >= UNLIKE:
        return []
    return [
        f"some pairs of systems differ far more evenly than others (epsilon {epsilon:.2f}, 1 if all vary alike), and "
        f"the test {settings.test} takes one spread for all: it finds too many differences; max-t does not"
    ]


def units_text(comparison: MeasureComparison) -> str:
    """How many queries, or clusters of queries."""
    values = comparison.measure_values
    return pluralise_queries(values.n) if values.clusters is None else pluralise(values.n_clusters, "cluster")


def are_too_skewed(skews: Floats, n: int) -> Bools:
    """Whether differences are too skewed for a mean of n of them to be about normal, and more than chance makes them.

    skews: (pairs) their skewness. Few queries can look skewed by chance alone.
    """
    return np.asarray((COCHRAN * skews**2 > n) & (np.abs(skews) > SKEWNESS_ERRORS * np.sqrt(6 / n)), np.bool_)


def skewness(comparison: MeasureComparison) -> Floats:
    """(pairs) the skewness of the differences, or of their means by cluster; 0 where they are constant."""
    skews = np.zeros(comparison.first.size)
    for pair_slice in pair_slices(comparison.first.size, comparison.n):
        d, _ = scale_rows(
            comparison.measure_values.differences(comparison.first[pair_slice], comparison.second[pair_slice])
        )
        if comparison.measure_values.clusters is not None:
            units = cluster_sums(d, **comparison.measure_values.sample)
            d = units.sums / units.weights
        d = d - d.mean(axis=1, keepdims=True)
        squares = d * d
        variance = squares.mean(axis=1)
        has_no_shape = comparison.test_results.effects.degenerate | comparison.equal | comparison.withheld
        is_constant = has_no_shape[pair_slice] | (variance == 0)
        skews[pair_slice] = np.where(
            is_constant, 0.0, (squares * d).mean(axis=1) / np.where(is_constant, 1.0, variance) ** 1.5
        )
    return skews


def name_pairs(comparison: MeasureComparison, mask: Bools, observation: str) -> str:
    """The names of the pairs, or how many if there are more than two, with what was observed."""
    pair_indices = np.flatnonzero(mask).tolist()
    if len(pair_indices) > 2:
        return f"{len(pair_indices)} of {mask.size} pairs have {observation}"
    names = [
        f"{comparison.systems[comparison.first[i]]} and {comparison.systems[comparison.second[i]]}"
        for i in pair_indices
    ]
    return f"{' and '.join(names) if len(names) == 1 else '; '.join(names)} have {observation}"


#: All pairs of at most so many systems are compared; a pair takes some 300 bytes.
MAX_SYSTEMS = 3_000


def compare(
    scores: Scores,
    measures: object = None,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    family: str | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    rope: float = 0.0,
    n_resamples: int = 10_000,
    rng: Any = None,
    workers: int | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Comparison:
    """Compare systems by the values that they have on the same queries.

    Parameters
    ----------
    scores
        Scores of at least two systems.
    measures
        A measure, a list of measures, or None for all measures of the scores.
    baseline
        Compare each of the other systems with this one. Default: compare all pairs.
    test
        Significance test: of two systems at a time; of all systems at once (max-t, max-t-bootstrap, tukey,
        randomised-tukey, nemenyi); or a Bayesian test instead (bayes-t, bayes-signed-rank). One of 't', 'permutation',
        'bootstrap', 'wilcoxon', 'sign', 'mcnemar', 'tukey', 'randomised-tukey', 'max-t', 'max-t-bootstrap', 'nemenyi',
        'bayes-t', 'bayes-signed-rank'. Default: 't'.
    correction
        Correction of p-values for multiple comparisons. One of 'holm', 'bonferroni', 'hochberg', 'hommel', 'bh', 'by',
        'none'. Default: 'holm'.
    family
        Which p-values are corrected together: those of all pairs of systems for one measure (pairs), or for all
        measures (all). One of 'pairs', 'all'. Default: all if no measure is named, else pairs.
    alternative
        Alternative hypothesis: the values of the first system of a pair differ from those of the second (two-sided),
        are greater, or are less. With a baseline, the baseline is the second. One of 'two-sided', 'greater', 'less'.
        Default: 'two-sided'.
    alpha
        Significance level A; confidence intervals have the level 1 - A. Default: 0.05.
    interval
        Confidence interval of the mean difference: Student's t, a bootstrap (bca, percentile), or, for outcomes 0 and
        1, Tango's score interval (tango). One of 't', 'bca', 'percentile', 'tango'. Default: tango for outcomes 0 and 1
        from a file of scores, else t.
    rope
        Region of practical equivalence, in units of the measure: Bayesian tests, the sign test and the counts of wins
        treat a difference of at most X as a tie. Default: 0.0.
    n_resamples
        Number of resamples of a permutation test or bootstrap. Default: 10000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    workers
        Number of processes. None uses all cores if that is faster. The result does not depend on it.
    progress
        Called with the number of pairs just tested.

    Returns
    -------
    Comparison
        The comparison by each measure: `result["AP"]`. `print` shows sentences and tables, `frame()` is the tidy table.

    Raises
    ------
    ParameterError
        An argument is out of range, or there are fewer than two systems.
    UnknownName
        A system, measure or test does not exist.
    InputError
        No query has a value for every system, or all pairs of more than 3,000 systems were requested.

    Notes
    -----
    Only queries with a value for every system are used; a note counts the others. There is no verdict on a system none
    of whose documents is judged: its pairs have no p-value, and the sentence says so first. Equal systems have p = 1.
    Constant differences have no p-value by t and bootstrap, and a note. All pairs and measures share the same
    resamples. Tests of all systems at once (max-t, tukey, randomised-tukey, nemenyi) correct for multiple comparisons
    by themselves.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(5)}
    >>> good = rs.Run({f"q{i}": {"d1": 2.0, f"x{i}": 1.0} for i in range(5)}, name="good")
    >>> poor = rs.Run({f"q{i}": {"d1": 1.0, "x1": 2.0 * (i > 0)} for i in range(5)}, name="poor")
    >>> result = compare(rs.evaluate(qrels, [good, poor], "RR"), test="permutation")
    >>> result["RR"].difference.tolist(), result["RR"].pvalue.tolist()  # 4 of 5 queries won: 2 / 2^4
    ([0.4], [0.125])
    """
    settings = ComparisonSettings(
        baseline=baseline,
        test=test,
        correction=correction,
        family=family,
        alternative=alternative,
        alpha=alpha,
        interval=interval,
        rope=rope,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return compare_systems(scores, measures, settings, workers=workers, progress=progress)


def compare_systems(
    scores: Scores,
    measures: object,
    settings: ComparisonSettings,
    *,
    workers: int | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Comparison:
    """As `compare`, with its settings as one object."""
    check_systems(scores, settings.baseline)
    settings = settings.with_family(measures)
    if measures is None:
        scores = scores.with_direction()
    first, second = compared_pairs(scores, settings.baseline)
    values_by_measure = [match_queries(scores, name) for name in measure_names_of(scores, measures)]
    for measure_values in values_by_measure:
        settings.check_values(measure_values)
    results_by_measure = [
        withhold(result, np.isin(first, values.unjudged) | np.isin(second, values.unjudged))
        for result, values in zip(
            run_tests(PairTestJob(values_by_measure, first, second, settings), workers, progress),
            values_by_measure,
            strict=True,
        )
    ]
    corrected_pvalues = correct_pvalues(results_by_measure, settings)
    comparisons = [
        measure_comparison(measure_values, results, pvalues, first, second, settings, len(values_by_measure))
        for measure_values, results, pvalues in zip(
            values_by_measure, results_by_measure, corrected_pvalues, strict=True
        )
    ]
    comparisons = compare_groups(comparisons, scores.queries, settings, workers)
    result = Comparison(scores=scores, comparisons=tuple(comparisons), settings=settings, notes=())
    notes = (
        *scores.notes,
        *result.general_notes,
        *(note for comparison in comparisons for note in comparison.notes),
        *scores.queries.clustering_notes(),
    )
    return replace(result, notes=tuple(dict.fromkeys(notes)))


def compared_pairs(scores: Scores, baseline: str | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Indices of the systems of each pair: the others against the baseline, or all i < j."""
    n_systems = len(scores.systems)
    if baseline is None:
        if n_systems > MAX_SYSTEMS:
            raise InputError(
                f"{n_systems:,} systems, and all pairs of at most {MAX_SYSTEMS:,} are compared; name a baseline, "
                "with which each of them is compared, or compare fewer"
            )
        return all_pairs(n_systems)
    baseline_index = scores.systems.index(baseline)
    other_systems = np.delete(np.arange(n_systems), baseline_index)
    return other_systems, np.full(n_systems - 1, baseline_index)


def correct_pvalues(results: list[PairTestResults], settings: ComparisonSettings) -> list[Floats]:
    """The p-values of each measure, corrected for the number of tests in their family."""
    if settings.tests_all_systems:
        return [result.pvalue_corrected for result in results if result.pvalue_corrected is not None]
    if settings.family != "all":
        return [adjust_pvalues(result.pvalue, method=settings.correction).pvalue for result in results]
    all_pvalues = np.concatenate([result.pvalue for result in results])
    split_points = np.cumsum([result.pvalue.size for result in results])[:-1]
    return np.split(adjust_pvalues(all_pvalues, method=settings.correction).pvalue, split_points)


def measure_comparison(
    measure_values: MeasureValues,
    results: PairTestResults,
    corrected_pvalues: Floats,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    settings: ComparisonSettings,
    n_measures: int = 1,
) -> MeasureComparison:
    """The comparison by one measure. n_measures: how many measures were compared."""
    significant = significant_pairs(results, corrected_pvalues, settings)
    comparison = MeasureComparison(
        measure_values=measure_values,
        means=measure_values.means,
        first=first,
        second=second,
        test_results=results,
        pvalue_corrected=corrected_pvalues,
        decisions=decide_pairs(results, corrected_pvalues, measure_values.sign, settings),
        alpha=settings.alpha,
        notes=(),
    )
    family_size = first.size * (n_measures if settings.family == "all" else 1)
    return replace(
        comparison, notes=(*measure_values.notes, *measure_notes(comparison, settings, significant, family_size))
    )

"""Comparison of metrics: which agree best with people, how they rank, and which do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.agreement.direction import directions
from rankscope.agreement.load import JudgmentSource, PeopleAndMetrics, ScoreSource, load
from rankscope.agreement.match import have_segment_scores, match_pairs
from rankscope.agreement.metrics.metric_tests import TESTS
from rankscope.agreement.metrics.tasks import (
    MetricComparisonSettings,
    Task,
    average_tasks,
    rerun_with_system_swaps,
    run_task,
    spread_tasks,
    tasks_of,
)
from rankscope.agreement.segment_level import AVERAGE
from rankscope.agreement.settings import (
    JudgmentSettings,
    MetricSettings,
    Names,
    judgment_settings_of,
    metric_settings_of,
)
from rankscope.agreement.statistics import CONVENTIONS, CalibrationCurve
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import at_most
from rankscope.stats.anova import all_pairs
from rankscope.stats.inputs import seed_of
from rankscope.stats.multiple_comparisons import Clusters, adjust_pvalues, find_clusters
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "MetricComparison",
    "cluster_ranks",
    "compare_judged_metrics",
    "compare_metrics",
    "few_resamples",
]


def cluster_ranks(order: Sequence[int], pvalues: Floats, alpha: float) -> Ints:
    """Ranks of metrics: down the order, a new one begins at a metric that is worse than one of the current rank.

    So no metric differs significantly from another one of its rank.

    Parameters
    ----------
    order
        The metrics by falling value.
    pvalues
        (metrics, metrics) p-values, symmetric; NaN is no difference.
    alpha
        Significance level.

    Returns
    -------
    array
        The ranks, from 1.

    References
    ----------
    The metrics task since 2022, in mt-metrics-eval; there p must be below the level, here at or below it.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.3, 0.01], [0.3, np.nan, 0.2], [0.01, 0.2, np.nan]])
    >>> cluster_ranks([0, 1, 2], p, 0.05).tolist()  # the second is like the first, the third is worse than that
    [1, 1, 2]
    """
    ranks = np.ones(len(order), np.int64)
    rank, start = 1, 0
    for position, m in enumerate(order):
        if at_most(pvalues[list(order[start:position]), m], alpha).any():
            rank, start = rank + 1, position
        ranks[m] = rank
    return ranks


def few_resamples(tests: Sequence[str], n_metrics: int, settings: MetricComparisonSettings) -> list[str]:
    """A note where even the smallest possible p-value is not significant after correction."""
    n_tests = n_metrics * (n_metrics - 1) // 2
    if settings.correction not in ("holm", "bonferroni") or not any(TESTS[test] for test in tests):
        return []
    doubled = settings.alternative == "two-sided" and any(TESTS[test] == "values" for test in tests)
    factor = n_tests * (2 if doubled else 1)
    if at_most(factor / (1 + settings.n_resamples), settings.alpha):
        return []
    criterion = f"the correction of {n_tests} tests" if n_tests > 1 else f"level {settings.alpha:g}"
    needed = int(np.ceil(factor / settings.alpha))
    return [
        f"with {settings.n_resamples:,} resamples no p-value is low enough for {criterion}; use "
        f"{needed:,} or more (--resamples){', or another correction' if n_tests > 1 else ''}"
    ]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MetricComparison(Result):
    """Every two metrics on every task; the last entry of each array is the weighted average over several tasks.

    `frame()` is the tidy table: a row for each pair of metrics and task, and for the language pair "average" if there
    are several tasks; its n is then the number of tasks.

    Attributes
    ----------
    metrics
        The names of the metrics.
    tasks
        The tasks, with their weights.
    value
        (tasks, metrics) the statistic; higher is better.
    n
        (tasks, metrics) how many items the statistic is computed on.
    epsilon
        (tasks, metrics) the largest difference of scores that is a tie; NaN where the statistic has none.
    pvalue, pvalue_corrected
        (tasks, metrics, metrics) p-values of each pair, symmetric; NaN on the diagonal and where there is no test. They
        are corrected for all pairs of metrics of a task.
    clusters
        What the corrected p-values of each task leave: `rank_low` is 1 + the number of metrics that are significantly
        better, `rank_high` the number of metrics less those that are significantly worse, `groups` the longest runs of
        metrics, in the order of their values, of which no two differ.
    tests
        The test of each task.
    systems, segments
        How many systems and segments each task compares; 0 segments if the scores are of whole systems.
    curves
        By task and metric, the statistic as a function of epsilon if epsilon was calibrated.
    settings
        How the metrics were compared.
    gold
        The column of people.
    rule
        How human judgments became scores of systems.
    higher
        Those of the column of people and the metrics in which higher is better.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.agreement.metrics.view:sections_of"
    COLUMNS = (
        "metric_a",
        "metric_b",
        "pair",
        "statistic",
        "value_a",
        "value_b",
        "difference",
        "pvalue",
        "pvalue_corrected",
        "n",
    )

    metrics: tuple[str, ...]
    tasks: tuple[Task, ...]
    value: Floats
    n: Ints
    epsilon: Floats
    pvalue: Floats
    pvalue_corrected: Floats
    clusters: tuple[Clusters, ...]
    tests: tuple[str, ...]
    systems: tuple[int, ...]
    segments: tuple[int, ...]
    curves: tuple[tuple[CalibrationCurve, ...], ...]
    settings: MetricComparisonSettings
    gold: str
    rule: str
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def pairs_and_statistics(self) -> tuple[tuple[str, str], ...]:
        """Language pair and statistic of each first axis's entry."""
        pairs_and_statistics = [(task.pair, task.level_and_statistic) for task in self.tasks]
        if len(pairs_and_statistics) == 1:
            return tuple(pairs_and_statistics)
        statistics = {statistic for _, statistic in pairs_and_statistics}
        return (*pairs_and_statistics, (AVERAGE, statistics.pop() if len(statistics) == 1 else "weighted"))

    @property
    def rank(self) -> Ints:
        """(tasks, metrics) from 1; those of one rank are a cluster, as the metrics task forms them."""
        return np.array(
            [
                cluster_ranks(clusters.order, corrected, self.settings.alpha)
                for clusters, corrected in zip(self.clusters, self.pvalue_corrected, strict=True)
            ]
        )

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for c, (pair, statistic) in enumerate(self.pairs_and_statistics):
            for i, j in zip(*all_pairs(len(self.metrics)), strict=True):
                a, b = float(self.value[c, i]), float(self.value[c, j])
                p = float(self.pvalue[c, i, j]), float(self.pvalue_corrected[c, i, j])
                n = int(min(self.n[c, i], self.n[c, j]))
                yield self.metrics[i], self.metrics[j], pair, statistic, a, b, a - b, *p, n

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        equal_weights = len({task.weight for task in self.tasks}) == 1
        tasks = [task._replace(weight=None) for task in self.tasks] if equal_weights else self.tasks
        resampled = any(TESTS[test] for test in self.tests)
        swaps = [
            settings.swap or ("systems" if task.level == "system" else "cells")
            for task, test in zip(self.tasks, self.tests, strict=True)
            if test == "perm_both"
        ]
        swap_text = f",swap {'+'.join(dict.fromkeys(swaps))}" if swaps else ""
        draws_text = f",{settings.n_resamples}{swap_text}" if resampled else ""
        human_rule = [f"human:{self.rule}"] if any(task.level == "system" for task in self.tasks) else []
        metric_rule = f"metrics:{settings.from_segments}({settings.over})"
        family = pluralise(len(self.metrics) * (len(self.metrics) - 1) // 2, "pair")
        return [
            "metrics against each other",
            f"tasks:{' '.join(map(str, tasks))}",
            f"gold:{self.gold}",
            *directions(self.gold, self.metrics, self.higher),
            *human_rule,
            *([metric_rule] if human_rule and 0 in self.segments else []),
            *(["common"] if settings.common else []),
            *([] if settings.judgment_weight is None else settings.parts("judgment_weight")),
            *([] if settings.epsilon is None else [f"epsilon:{settings.epsilon:g}"]),
            f"test:{'+'.join(dict.fromkeys(self.tests))}{draws_text}",
            f"alternative:{settings.alternative}",
            f"correction:{settings.correction} ({family} of a task)",
            f"alpha:{settings.alpha:g}",
            *([f"rng:{settings.seed}"] if resampled else []),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.tasks), 'task')}"


def compare_metrics(
    judgments: JudgmentSource,
    scores: ScoreSource = (),
    *,
    level: str | None = None,
    statistic: str | None = None,
    grouping: str | None = None,
    tasks: str | Task | Sequence[str | Task] | None = None,
    weights: Mapping[str, float] | None = None,
    test: str | None = None,
    alternative: str = "two-sided",
    swap: str | None = None,
    epsilon: float | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    human: str | None = None,
    from_segments: str = "mean",
    over: str = "common",
    common: bool = False,
    judgment_weight: str | None = None,
    gold: str | None = None,
    pairs: Names | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    ranks: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    test_set: str | None = None,
    rng: Any = None,
) -> MetricComparison:
    """Which metrics agree best with people, and which of them do not differ significantly?

    Parameters
    ----------
    judgments, scores
        As `segments` and `systems` take them, with at least two metrics.
    level
        Level of the tasks: whole systems, or segments. One of 'system', 'segment'. Default: system if there are scores
        of systems only, else segment.
    statistic
        Statistic of the tasks. At level system: pearson, spearman, kendall_b, tau_ap, pairwise_accuracy,
        soft_pairwise_accuracy; at level segment: acc_eq, pearson, spearman, kendall_b, or one of `agree segments`.
        Default: pairwise_accuracy for systems; for segments wmt12 if people ranked, else acc_eq.
    grouping
        Pool all segment scores (none), or average over segments or systems. One of 'none', 'segment', 'system'.
        Default: none for statistics of rankings, else segment.
    tasks
        The columns of the table: texts PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT] or `Task` objects. Default: one for
        each language pair.
    weights
        Weights of the language pairs in the average, adding up to 1. Default: equal weights.
    test
        Significance test between two metrics. One of 'perm_both', 'boot_both', 'bootstrap', 'pair_swaps', 'williams'.
        Default: bootstrap if people ranked segments and for statistics of rankings, else perm_both.
    alternative
        Alternative hypothesis: the metrics differ (two-sided), or the one with the higher value is better (greater), as
        in WMT's metrics task. One of 'greater', 'two-sided'. Default: 'two-sided'.
    swap
        Unit that perm_both swaps: all scores of a system, all scores of a segment, or single cells. One of 'cells',
        'systems', 'segments'. Default: systems at level system, else cells.
    epsilon
        Largest difference between two metric scores that counts as a tie. Default: calibrated for each metric with
        acc_eq, else 0.
    correction
        Correction of p-values for multiple comparisons, over all pairs of metrics of a task. WMT's metrics shared task
        uses none. One of 'holm', 'bonferroni', 'hochberg', 'hommel', 'bh', 'by', 'none'. Default: 'holm'.
    alpha
        Significance level A: the difference between two metrics is significant if its corrected p-value is at most A.
        Default: 0.05.
    n_resamples
        Number of resamples of the test. Default: 1000.
    human
        How human judgments become scores of systems. One of 'wins', 'expected_wins', 'better_or_equal',
        'bradley_terry', 'mean'. Default: wins for rankings, the mean for scores of segments.
    from_segments
        How a metric's scores of segments become a system's score: their mean, or the share of comparisons with other
        systems in which its translation is better or equal. One of 'mean', 'share'. Default: 'mean'.
    over
        Segments in a system's mean: those with scores for all systems (common), or all with a score for this system
        (own). One of 'common', 'own'. Default: 'common'.
    common
        Skip systems, segments and language pairs that are missing from a metric, instead of stopping. Default: False.
    judgment_weight
        Column with the weight of each judgment, 1 / its chance to be drawn, if judgments were sampled with unequal
        chances. Default: equal weights.
    gold
        Column with the human ranks or scores. Default: the column named "rank", "gold" or "human".
    pairs
        Language pairs to include, in this order. Default: all.
    metrics
        Metrics to include, in this order. Default: all.
    higher
        Columns in which higher is better, such as scores; other columns of judgments hold ranks.
    lower
        Metrics, or human scores, in which lower is better, such as TER and HTER.
    ranks
        Columns of ranks, 1 for the best, whose values or names do not say so, such as means of ranks.
    duplicates
        What to do with judgments that repeat an earlier one in all fields. One of 'keep', 'drop', 'refuse'. Default:
        keep, as WMT does.
    reference
        What to do with the reference if a ranking CSV of WMT ranks it as a system. One of 'keep', 'drop'. Default:
        keep.
    lines
        For WMT11: a file whose line i names segment i of the ranking CSV.
    columns
        Column names in a table, where NAME is segment, system, pair, judge or judgment: system=engine. Default: found
        by their usual names.
    test_set
        Test set to use from score files that hold several.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    MetricComparison
        The statistic of every metric on every task, p-values of every two metrics, and ranks.

    Raises
    ------
    InputError
        A metric lacks systems, segments or language pairs (without `common`), fewer than two systems or segments are in
        common, scores do not differ, or a metric has no value.
    UnknownName
        A metric, column, language pair or statistic does not exist.
    ParameterError
        A setting is out of range, there are fewer than two metrics, weights do not add up to 1, the statistic or the
        data do not have the test, or Williams' test has fewer than four systems.

    Notes
    -----
    If the statistics of tasks differ in their range, [-1, 1] and [0, 1], the average is of (1 + value) / 2 of the
    former. Segments are usually grouped by "segment", the mean over segments; "wmt12" and the like by "none".

    `rankscope.agreement.metrics.compare_matrices` says what each test assumes. Where people ranked, and for statistics
    that only rankings have, the bootstrap over segments is the default. If people or a metric score whole systems only,
    all are compared on whole systems, and the test draws or swaps systems. At level system, the bootstrap of rankings
    computes wins and means anew on the drawn segments. `alternative="greater"` gives half the p-value, and twice the
    false findings. Swaps of cells take errors as independent from cell to cell. The average over tasks is tested by the
    average of their resamples, which tasks on one language pair share; if these are at both levels, all of them swap
    systems for the average.

    Scores that one side lacks are skipped for all metrics, and counted in notes.

    References
    ----------
    Freitag et al. (2023), the metrics task of WMT, for table, average and ranks; Deutsch, Dror and Roth (2021) for the
    tests; Holm (1979) for the correction.

    Examples
    --------
    >>> from rankscope import MetricScores, PairScores
    >>> rng = np.random.default_rng(1)
    >>> good = rng.normal(size=(5, 40))
    >>> def scored(name, noise):
    ...     values = good + noise * rng.normal(size=good.shape)
    ...     return MetricScores(name, {"": PairScores(tuple("ABCDE"), tuple(map(str, range(40))), values)})
    >>> found = compare_metrics(scored("people", 0.5), [scored("near", 0.5), scored("far", 3)], rng=1)
    >>> found.value.round(2).tolist(), float(found.pvalue[0, 0, 1]) < 0.01, found.rank.tolist()
    ([[0.76, 0.58]], True, [[1, 2]])
    """
    settings = MetricComparisonSettings(
        tasks=tasks_of(tasks),
        level=level,
        statistic=statistic,
        grouping=grouping,
        weights=weights,
        test=test,
        alternative=alternative,
        swap=swap,
        epsilon=epsilon,
        correction=correction,
        alpha=alpha,
        human=human,
        from_segments=from_segments,
        over=over,
        common=common,
        judgment_weight=judgment_weight,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    metric_settings = metric_settings_of(metrics=metrics, lower=lower, ranks=ranks, test_set=test_set)
    return compare_judged_metrics(judgments, scores, judgment_settings, metric_settings, settings)


def compare_judged_metrics(
    judgments: JudgmentSource,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    settings: MetricComparisonSettings,
) -> MetricComparison:
    """As `compare_metrics`, with its settings as objects."""
    inputs = load(
        judgments, scores, judgment_settings, metric_settings, level="any", judgment_weight=settings.judgment_weight
    ).for_systems(settings.human)
    tasks = settings.requested_tasks
    if tasks is None or (settings.tasks is None and settings.statistic is None):
        level = settings.level or inputs.people.level
        tasks = settings.tasks_at(level, people_ranked=inputs.people.is_of_lists)
    return compare_on_tasks(inputs, settings, tasks)


def refuse_unused_options(inputs: PeopleAndMetrics, tasks: Sequence[Task], settings: MetricComparisonSettings) -> None:
    """Raise ParameterError for a setting that none of the tasks uses."""
    system_tasks = [task for task in tasks if task.level == "system"]
    if settings.epsilon is not None and not any(task.statistic in CONVENTIONS for task in tasks):
        raise ParameterError(
            f"epsilon is for statistics of pairs at level segment, as acc_eq, and not for {tasks[0].statistic}; leave "
            "it out"
        )
    if settings.human is not None and not system_tasks:
        raise ParameterError("human is for scores of systems, but no task is at level system; leave it out")
    usual_options = {
        "from_segments": (settings.from_segments, "mean"),
        "over": (settings.over, "common"),
    }
    unused = next((name for name, (value, usual) in usual_options.items() if value != usual), None)
    if unused is None:
        return
    has_segment_scores = any(scores.level == "segment" for scores in inputs.metrics) or (
        inputs.people.level == "segment" and not inputs.people.is_of_lists
    )
    if has_segment_scores and system_tasks and unused == "over":
        return
    if not has_segment_scores or all(have_segment_scores(inputs, pair) for task in system_tasks for pair in task.pairs):
        raise ParameterError(
            f"{unused} is for system scores from a metric's segments; these are computed only at level system, if "
            "people ranked or scores are of systems only; leave it out"
        )


def compare_on_tasks(
    inputs: PeopleAndMetrics,
    settings: MetricComparisonSettings,
    requested: Sequence[Task],
) -> MetricComparison:
    """The results of all tasks and of their average. Raises as `compare_metrics`."""
    if len(inputs.metrics) < 2:
        only = inputs.metrics[0].metric
        raise ParameterError(f"{only} is the only metric, expected two or more to compare with each other")
    pair_names, notes = match_pairs(inputs, "skip" if settings.common else "keep")
    tasks = spread_tasks(requested, pair_names, settings.weights)
    refuse_unused_options(inputs, tasks, settings)
    results = [run_task(inputs, task, settings, keep_differences=len(tasks) > 1) for task in tasks]
    if len(results) > 1:
        averaged = rerun_with_system_swaps(inputs, tasks, settings, results)
        rerun = any(comparable is not result for comparable, result in zip(averaged, results, strict=True))
        results.append(average_tasks(tasks, averaged, settings.alternative))
        if rerun:
            notes.append(
                "tasks of one language pair are at both levels, so for their average all of them swap whole systems"
            )
    names = tuple(scores.metric for scores in inputs.metrics)
    metric_pairs = all_pairs(len(names))
    corrected = np.full((len(results), len(names), len(names)), np.nan)
    clusters = []
    for c, result in enumerate(results):
        adjusted = adjust_pvalues(result.pvalue_of_higher[metric_pairs], method=settings.correction).pvalue
        corrected[c][metric_pairs] = corrected[c].T[metric_pairs] = adjusted
        clusters.append(find_clusters(result.value, adjusted, alpha=settings.alpha))
    task_notes = [note for result in results for note in result.notes]
    tests = tuple(result.test for result in results[: len(tasks)])
    resample_notes = few_resamples(tests, len(names), settings)
    return MetricComparison(
        metrics=names,
        tasks=tasks,
        value=np.array([result.value for result in results]),
        n=np.array([result.n for result in results]),
        epsilon=np.array([result.epsilon for result in results]),
        pvalue=np.array([result.pvalue_of_higher for result in results]),
        pvalue_corrected=corrected,
        clusters=tuple(clusters),
        tests=tests,
        systems=tuple(result.systems for result in results[: len(tasks)]),
        segments=tuple(result.segments for result in results[: len(tasks)]),
        curves=tuple(result.curves for result in results[: len(tasks)]),
        settings=settings,
        gold=inputs.gold,
        rule=inputs.rule,
        higher=inputs.higher,
        notes=tuple(dict.fromkeys([*inputs.notes, *notes, *task_notes, *resample_notes])),
    )

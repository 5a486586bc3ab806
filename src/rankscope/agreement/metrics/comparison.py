"""Comparison of metrics: which agree best with people, how they rank, and which cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.agreement.load import (
    Names,
    PeopleAndMetrics,
    SystemJudgments,
    SystemMetrics,
    directions,
    load_system_scores,
    read_metric_scores,
)
from rankscope.agreement.match import by_language_pair, common_language_pairs, have_segment_scores, language_pairs
from rankscope.agreement.metrics.matrix_tests import TESTS
from rankscope.agreement.metrics.settings import (
    MetricComparisonSettings,
    Task,
    default_statistic,
    spread_tasks,
    validate_comparison_settings,
    validate_tasks,
)
from rankscope.agreement.metrics.task_tests import average_tasks, rerun_with_system_swaps, run_task
from rankscope.agreement.segment_level import AVERAGE
from rankscope.agreement.statistics import CONVENTIONS, CalibrationCurve
from rankscope.data.rankings import Rankings
from rankscope.data.result import Result
from rankscope.data.segment_scores import SegmentScores, SystemScores
from rankscope.data.text import pluralise
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import at_most
from rankscope.stats.anova import all_pairs
from rankscope.stats.multiple_comparisons import Clusters, adjust_pvalues, find_clusters
from rankscope.typing import Floats, Ints, PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "MetricComparison",
    "cluster_ranks",
    "compare_metrics",
    "few_resamples",
]


def cluster_ranks(order: Sequence[int], pvalues: Floats, level: float) -> Ints:
    """(metrics) the rank of each: down the order a new one begins where a metric of the present one is better.

    order: metrics by falling value. pvalues: (metrics, metrics), symmetric; NaN is no difference. So no metric differs
    significantly from another one of its rank.

    Source: the metrics task since 2022, in mt-metrics-eval; there p must be below the level, here at or below it.

    >>> p = np.array([[np.nan, 0.3, 0.01], [0.3, np.nan, 0.2], [0.01, 0.2, np.nan]])
    >>> cluster_ranks([0, 1, 2], p, 0.05).tolist()  # the second is like the first, the third is worse than that
    [1, 1, 2]
    """
    ranks = np.ones(len(order), np.int64)
    rank, start = 1, 0
    for position, m in enumerate(order):
        if at_most(pvalues[list(order[start:position]), m], level).any():
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
    if at_most(factor / (1 + settings.n_resamples), settings.significance):
        return []
    criterion = f"the correction of {n_tests} tests" if n_tests > 1 else f"significance {settings.significance:g}"
    needed = int(np.ceil(factor / settings.significance))
    return [
        f"with {settings.n_resamples:,} resamples no p-value is low enough for {criterion}; take "
        f"{needed:,} or more (--resamples){', or another correction' if n_tests > 1 else ''}"
    ]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MetricComparison(Result):
    """Every two metrics on every task; arrays begin with the tasks, in their order, and where there are several the
    last one is the weighted average over them (`columns_shown` names them).

    value, n, epsilon: (tasks, metrics) the statistic, higher is better, what it is over, and up to which difference
    the metric ties (NaN where there is no such). pvalue, pvalue_corrected: (tasks, metrics, metrics) of each two,
    symmetric; NaN on the diagonal and where there is no test; the pairs of metrics of one task are the family that is
    corrected for. clusters: by task, what corrected p-values leave: rank_low is 1 + the metrics significantly better,
    rank_high the number of metrics less those that are significantly worse, groups the longest runs of metrics in the
    order of their values of which no two differ. tests: by task. systems, segments: by task, how many were compared; 0
    segments where scores are of whole systems. curves: by task and metric, the statistic by epsilon where that was
    looked for. higher: of people (gold) and the metrics those in which higher is better.
    `frame()` is the tidy table: a row for each two metrics and task, and for the pair "average" where there are several
    tasks; n is then the number of tasks.
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
                cluster_ranks(clusters.order, corrected, self.settings.significance)
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
        metric_rule = f"metrics:{settings.systems.from_segments}({settings.systems.over})"
        family = pluralise(len(self.metrics) * (len(self.metrics) - 1) // 2, "pair")
        return [
            "metrics against each other",
            f"tasks:{' '.join(map(str, tasks))}",
            f"gold:{self.gold}",
            *directions(self.gold, self.metrics, self.higher),
            *human_rule,
            *([metric_rule] if human_rule and 0 in self.segments else []),
            *(["common"] if settings.systems.common else []),
            *([] if settings.epsilon is None else [f"epsilon:{settings.epsilon:g}"]),
            f"test:{'+'.join(dict.fromkeys(self.tests))}{draws_text}",
            f"alternative:{settings.alternative}",
            f"correction:{settings.correction} ({family} of a task)",
            f"significance:{settings.significance:g}",
            *([f"rng:{settings.seed}"] if resampled else []),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.tasks), 'task')}"


def compare_metrics(
    judgments: SystemJudgments,
    scores: SystemMetrics = (),
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
    significance: float = 0.05,
    n_resamples: int = 1000,
    human: str | None = None,
    from_segments: str = "mean",
    over: str = "common",
    common: bool = False,
    gold: str | None = None,
    pairs: Names | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    test_set: str | None = None,
    rng: Any = None,
) -> MetricComparison:
    """Which metrics agree best with people, and which of them cannot be told apart?

    judgments, scores, gold, pairs, metrics, higher, lower, duplicates, reference, lines, test_set, human,
    from_segments, over: as in `rankscope.agreement.systems`; two metrics or more.

    tasks: on what they are compared, texts PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT] or `Task`s; weights of the average
    add up to 1, and are alike where none is given. Where statistics differ in their range, [-1, 1] and [0, 1], the
    average is of (1 + value) / 2 of the former. Else level, statistic and grouping are those of a task for each
    language pair, and weights a mapping of language pairs. level: "segment" (the default, but of scores of systems) or
    "system". statistic, at level "system": "pairwise_accuracy" (default), "soft_pairwise_accuracy", "pearson",
    "spearman", "kendall_b"; at level "segment": "acc_eq" (default), "pearson", "spearman", "kendall_b", or any of
    `rankscope.agreement.segments` ("wmt12" is the default where people ranked). grouping: "segment", the mean over
    segments, usual of scores; "none", all at once, usual of "wmt12" and the like; "system". epsilon: differences up to
    which metrics tie; None: what suits each best, of acc_eq.

    test: "perm_both" (default), "boot_both", "bootstrap" (over segments; the default, and the only one, where people
    ranked, and of statistics that scores do not have otherwise), "pair_swaps", "williams"; what each takes as given is
    told by `rankscope.agreement.metrics.matrix_tests.compare_matrices`. Where people or a metric score whole systems
    only, all are compared as such, and the test draws or swaps systems. alternative: "two-sided", or "greater", that of
    each two the one with the higher value is better, as the metrics task asks (half the p-value, and twice the false
    findings). swap: of "perm_both", what changes places as one: "systems" (default at level system), "cells" (default
    at level segment: errors are taken as independent from cell to cell) or "segments". correction: of p-values, for all
    pairs of metrics of a task: "holm", "bonferroni", "hochberg", "bh", "none". significance: the corrected p-value
    below or at which metrics differ. The average over tasks is tested by the average of their resamples, which tasks on
    one language pair share; where these are of both levels, all of them swap systems for that. n_resamples, rng: of the
    test; the same rng gives the same p.

    Scores that one side lacks are left out for all, and counted in notes. common: leave out whole systems, segments and
    language pairs that a metric lacks, too; else they are refused.
    Raises InputError for these, for fewer than two systems or segments in common, scores that do not differ, a metric
    without value; UnknownName for names; ParameterError for other values, fewer than two metrics, weights that do not
    add up to 1, a test that statistic or data do not have, and fewer than four systems with Williams' test.

    Source: Freitag et al. (2023), the metrics task, for table, average and ranks; Deutsch, Dror and Roth (2021) for
    tests; Holm (1979).

    >>> from rankscope.data.segment_scores import PairScores, SegmentScores
    >>> rng = np.random.default_rng(1)
    >>> good = rng.normal(size=(5, 40))
    >>> def scored(name, noise):
    ...     values = good + noise * rng.normal(size=good.shape)
    ...     return SegmentScores(name, {"": PairScores(tuple("ABCDE"), tuple(map(str, range(40))), values)})
    >>> found = compare_metrics(scored("people", 0.5), [scored("near", 0.5), scored("far", 3)], rng=1)
    >>> found.value.round(2).tolist(), float(found.pvalue[0, 0, 1]) < 0.01, found.rank.tolist()
    ([[0.76, 0.58]], True, [[1, 2]])
    """
    score_options = human, from_segments, over, common
    settings = validate_comparison_settings(
        test, alternative, swap, epsilon, correction, significance, n_resamples, rng, *score_options
    )
    requested = validate_tasks(tasks, level=level, statistic=statistic, grouping=grouping, weights=weights)
    metric_scores = read_metric_scores(scores, test_set, judgments)
    inputs = load_system_scores(
        judgments,
        metric_scores,
        human=human,
        gold=gold,
        pairs=pairs,
        metrics=metrics,
        higher=higher,
        lower=lower,
        duplicates=duplicates,
        reference=reference,
        lines=lines,
        test_set=None,
    )
    if requested is None or (tasks is None and statistic is None):
        requested = default_tasks(inputs, level, statistic, grouping)
    return compare_on_tasks(inputs, settings, requested, weights, own_columns=not metric_scores)


def default_tasks(
    inputs: PeopleAndMetrics, level: str | None, statistic: str | None, grouping: str | None
) -> tuple[Task, ...]:
    """The tasks, one per language pair, where level, statistic or tasks are missing: the judgments decide."""
    task_level = level or ("system" if isinstance(inputs.people, SystemScores) else "segment")
    task_statistic = statistic or default_statistic(task_level, isinstance(inputs.people, Rankings))
    tasks = validate_tasks(None, level=task_level, statistic=task_statistic, grouping=grouping, weights=None)
    assert tasks is not None
    return tasks


def task_pairs(inputs: PeopleAndMetrics, common: bool) -> tuple[list[str], list[str]]:
    """The language pairs of the judgments, with `common` only those that all metrics have; and notes on the others."""
    if not common:
        return language_pairs(inputs), []
    people = by_language_pair(inputs.people)
    return common_language_pairs(people, inputs, [by_language_pair(scores) for scores in inputs.metrics], common)


def refuse_unused_options(inputs: PeopleAndMetrics, tasks: Sequence[Task], settings: MetricComparisonSettings) -> None:
    """Raise ParameterError for a setting that none of the tasks uses."""
    system_tasks = [task for task in tasks if task.level == "system"]
    if settings.epsilon is not None and not any(task.statistic in CONVENTIONS for task in tasks):
        raise ParameterError(
            f"epsilon is for statistics of pairs at level segment, as acc_eq, and not for {tasks[0].statistic}; leave "
            "it out"
        )
    if settings.systems.human is not None and not system_tasks:
        raise ParameterError("human says what makes scores of systems, and no task is of level system; leave it out")
    usual_options = {
        "from_segments": (settings.systems.from_segments, "mean"),
        "over": (settings.systems.over, "common"),
    }
    unused = next((name for name, (value, usual) in usual_options.items() if value != usual), None)
    if unused is None:
        return
    has_segment_scores = any(isinstance(scores, SegmentScores) for scores in (inputs.people, *inputs.metrics))
    if has_segment_scores and system_tasks and unused == "over":
        return
    if not has_segment_scores or all(have_segment_scores(inputs, pair) for task in system_tasks for pair in task.pairs):
        raise ParameterError(
            f"{unused} says how scores of systems are made of a metric's segments, which is done at level system where "
            "people ranked, or scores are of systems only; leave it out"
        )


def compare_on_tasks(
    inputs: PeopleAndMetrics,
    settings: MetricComparisonSettings,
    requested: Sequence[Task],
    weights: Mapping[str, float] | None,
    *,
    own_columns: bool,
) -> MetricComparison:
    """The results of all tasks and of their average. Raises as `compare_metrics`."""
    if len(inputs.metrics) < 2:
        only = inputs.metrics[0].metric
        raise ParameterError(f"{only} is the only metric, expected two or more to compare with each other")
    pair_names, notes = task_pairs(inputs, settings.systems.common)
    tasks = spread_tasks(requested, pair_names, weights)
    refuse_unused_options(inputs, tasks, settings)
    results = [run_task(inputs, task, settings, own_columns=own_columns, keep_draws=len(tasks) > 1) for task in tasks]
    if len(results) > 1:
        averaged = rerun_with_system_swaps(inputs, tasks, settings, results, own_columns=own_columns)
        rerun = any(comparable is not result for comparable, result in zip(averaged, results, strict=True))
        results.append(average_tasks(tasks, averaged, settings.alternative))
        if rerun:
            notes.append(
                "tasks of one language pair are of both levels: for their average all of them swap whole systems"
            )
    names = tuple(scores.metric for scores in inputs.metrics)
    metric_pairs = all_pairs(len(names))
    corrected = np.full((len(results), len(names), len(names)), np.nan)
    clusters = []
    for c, result in enumerate(results):
        adjusted = adjust_pvalues(result.pvalue[metric_pairs], method=settings.correction).pvalue
        corrected[c][metric_pairs] = corrected[c].T[metric_pairs] = adjusted
        clusters.append(find_clusters(result.value, adjusted, level=settings.significance))
    higher_gold = (
        [inputs.gold]
        if getattr(inputs.people, "higher_is_better", inputs.gold in getattr(inputs.people, "score_columns", ()))
        else []
    )
    task_notes = [note for result in results for note in result.notes]
    tests = tuple(result.test for result in results[: len(tasks)])
    resample_notes = few_resamples(tests, len(names), settings)
    return MetricComparison(
        metrics=names,
        tasks=tasks,
        value=np.array([result.value for result in results]),
        n=np.array([result.n for result in results]),
        epsilon=np.array([result.epsilon for result in results]),
        pvalue=np.array([result.pvalue for result in results]),
        pvalue_corrected=corrected,
        clusters=tuple(clusters),
        tests=tests,
        systems=tuple(result.systems for result in results[: len(tasks)]),
        segments=tuple(result.segments for result in results[: len(tasks)]),
        curves=tuple(result.curves for result in results[: len(tasks)]),
        settings=settings,
        gold=inputs.gold,
        rule=inputs.rule,
        higher=(*higher_gold, *(scores.metric for scores in inputs.metrics if scores.higher_is_better)),
        notes=tuple(dict.fromkeys([*inputs.notes, *notes, *task_notes, *resample_notes])),
    )

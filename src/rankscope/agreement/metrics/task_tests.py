"""Tests of metrics on one task, for all statistics and all tests, and of the average over tasks."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load import PeopleAndMetrics
from rankscope.agreement.match import Matrices, attach_metric_columns, have_segment_scores, match_matrices
from rankscope.agreement.metrics.matrix_tests import CLOSE, TESTS, Resamples, compare_matrices
from rankscope.agreement.metrics.settings import MetricComparisonSettings, Task
from rankscope.agreement.segment_level import agreement_on_pair, check_comparable, refuse_unordered
from rankscope.agreement.settings import SegmentSettings
from rankscope.agreement.statistics import (
    CONVENTIONS,
    MATRIX_STATISTICS,
    CalibrationCurve,
    JudgmentTables,
    calibration_curve,
    soft_draws,
    tables_by_metric,
)
from rankscope.data.rankings import Rankings
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.resample import draw
from rankscope.typing import Floats, Ints

__all__ = [
    "TaskResult",
    "average_tasks",
    "run_task",
]


DrawnDifferences = Mapping[tuple[int, int], Floats]
#: No draws were kept.
NO_DRAWS: DrawnDifferences = MappingProxyType({})


class TaskResult(NamedTuple):
    """The results of one task, or of the average of several.

    Attributes
    ----------
    value
        The value of each metric, (metrics).
    n
        What each value is computed from, (metrics).
    epsilon
        Largest difference that is a tie of each metric, (metrics).
    pvalue
        p-values, (metrics, metrics): one-sided of the higher metric against the lower one, or two-sided; symmetric.
    test
        The test.
    systems, segments
        How many were compared; 0 if there are none.
    n_unscored
        How many judged translations are skipped.
    drawn_differences
        The resampled differences by pair of metrics.
    curves
        For acc_eq the calibration curve of each metric, (metrics); else empty.
    notes
        What a reader should know.
    segment_names
        Language pair -> its segments, in the order in which they are resampled.
    """

    value: Floats
    n: Ints
    epsilon: Floats
    pvalue: Floats
    test: str
    systems: int = 0
    segments: int = 0
    n_unscored: int = 0
    drawn_differences: DrawnDifferences = NO_DRAWS
    curves: tuple[CalibrationCurve, ...] = ()
    notes: tuple[str, ...] = ()
    segment_names: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def run_task(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_draws: bool
) -> TaskResult:
    """The results of one task.

    Parameters
    ----------
    inputs
        Human scores and metrics.
    task
        The task.
    settings
        How metrics are compared.
    keep_draws
        Whether the result includes the resampled differences.

    Raises
    ------
    InputError
        As `match_matrices`; or a metric has no value.
    ParameterError
        The statistic or the data do not allow the test.
    """
    if len(task.pairs) > 1:
        return pool_language_pairs(inputs, task, settings, keep_draws=keep_draws)
    by_lists = task.level == "segment" and (inputs.people.is_of_lists or task.statistic not in MATRIX_STATISTICS)
    result = (compare_by_lists if by_lists else compare_by_matrices)(inputs, task, settings, keep_draws=keep_draws)
    if np.isnan(result.value).any():
        metric = inputs.metrics[int(np.isnan(result.value).argmax())].metric
        raise InputError(
            f"{metric} has no value of {task.level_and_statistic} on {task.pair or 'these data'}: its scores, or "
            "those of people, do "
            "not differ where they are compared; exclude it with --metrics, or choose another statistic"
        )
    return result


def rerun_with_system_swaps(
    inputs: PeopleAndMetrics,
    tasks: Sequence[Task],
    settings: MetricComparisonSettings,
    results: Sequence[TaskResult],
) -> list[TaskResult]:
    """The results for the average: where tasks of one language pair swap systems and cells, all of them swap systems.

    Swaps of systems and of cells are independent of each other: the average of both would vary too little by chance.
    """
    system_pairs = {pair for task in tasks if task.level == "system" for pair in task.pairs}
    comparable_results = []
    for task, result in zip(tasks, results, strict=True):
        swaps_cells = result.test == "perm_both" and task.level == "segment" and settings.swap is None
        if swaps_cells and system_pairs.intersection(task.pairs):
            result = run_task(
                inputs,
                task,
                replace(settings, swap="systems"),
                keep_draws=True,
            )
        comparable_results.append(result)
    return comparable_results


def pool_language_pairs(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_draws: bool
) -> TaskResult:
    """Pairs of systems of several language pairs pooled: the average weighted by the number of pairs of each."""
    results = [run_task(inputs, task._replace(pair=pair), settings, keep_draws=True) for pair in task.pairs]
    n_pairs = np.array([result.systems * (result.systems - 1) / 2 for result in results])
    weights = (n_pairs / n_pairs.sum()).tolist()
    value, drawn_differences = weighted_sum(results, weights)
    return TaskResult(
        value=value,
        n=np.sum([result.n for result in results], axis=0),
        epsilon=results[0].epsilon,
        pvalue=pvalues_of(value, drawn_differences, TESTS[results[0].test], settings.alternative),
        test=results[0].test,
        systems=sum(result.systems for result in results),
        segments=sum(result.segments for result in results) if all(result.segments for result in results) else 0,
        n_unscored=sum(result.n_unscored for result in results),
        drawn_differences=drawn_differences if keep_draws else NO_DRAWS,
        notes=tuple(note for result in results for note in result.notes),
        segment_names={pair: names for result in results for pair, names in result.segment_names.items()},
    )


def weighted_sum(results: Sequence[TaskResult], weights: Sequence[float]) -> tuple[Floats, DrawnDifferences]:
    """The weighted sums of values and of resampled differences."""
    value = np.array([result.value for result in results]).T @ np.array(weights)
    drawn_differences = {
        key: np.sum(
            [weight * result.drawn_differences[key] for weight, result in zip(weights, results, strict=True)], axis=0
        )
        for key in results[0].drawn_differences
    }
    return value, drawn_differences


def compare_by_matrices(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_draws: bool
) -> TaskResult:
    test = settings.test or "perm_both"
    if task.statistic == "soft_pairwise_accuracy" and not have_segment_scores(inputs, task.pair):
        raise ParameterError(
            "soft_pairwise_accuracy tests pairs of systems on their segments, so it needs scores of segments, of "
            "people and of all metrics; choose pairwise_accuracy"
        )
    tables = match_matrices(inputs, task.pair, settings.systems, level=task.level)
    check_test(tables, test, settings, task)
    grouping = task.grouping or "means"
    tested = compare_matrices(
        tables.gold,
        tables.metrics,
        test=test,
        statistic=task.statistic,
        grouping=grouping,
        alternative=settings.alternative,
        swap=settings.swap,
        epsilon=settings.epsilon if task.statistic == "acc_eq" else None,
        keep_drawn=keep_draws,
        resamples=resamples_of(settings, task.pair),
    )
    notes = [*tables.notes, *(prefix_pair(task.pair, note) for note in tested.notes)]
    if tables.of_systems and test != "williams":
        notes.append(prefix_pair(task.pair, "scores are of whole systems, so the test resamples or swaps systems only"))
    return TaskResult(
        value=tested.value,
        n=tested.n,
        epsilon=tested.epsilon,
        pvalue=higher_against_lower(tested.value, tested.pvalue)
        if settings.alternative == "greater"
        else tested.pvalue,
        test=test,
        systems=tested.systems,
        segments=0 if tables.of_systems else tested.segments,
        n_unscored=tested.lost,
        drawn_differences=tested.drawn,
        curves=curves_of(tables, grouping) if task.statistic == "acc_eq" and settings.epsilon is None else (),
        notes=tuple(notes),
        segment_names={task.pair: tables.segments},
    )


def check_test(tables: Matrices, test: str, settings: MetricComparisonSettings, task: Task) -> None:
    """Raise ParameterError for a test that needs segments where scores are of whole systems."""
    if not tables.of_systems:
        return
    if test == "bootstrap":
        raise ParameterError(
            "the bootstrap resamples segments, but scores are of whole systems; choose perm_both, boot_both or williams"
        )
    if test == "perm_both" and settings.swap == "segments":
        raise ParameterError("swap segments: scores are of whole systems; leave --swap out")


def curves_of(tables: Matrices, grouping: str) -> tuple[CalibrationCurve, ...]:
    present = ~(np.isnan(tables.gold) | np.isnan(tables.metrics).any(axis=0))
    gold = np.where(present, tables.gold, np.nan).T
    return tuple(
        calibration_curve(
            gold, np.where(present, metric, np.nan).T, convention=CONVENTIONS["acc_eq"], grouping=grouping
        )
        for metric in tables.metrics
    )


def prefix_pair(pair: str, note: str) -> str:
    return f"{pair}: {note}" if pair else note


def resamples_of(settings: MetricComparisonSettings, pair: str) -> Resamples:
    """The resamples of a language pair: tasks on one pair share them, and they do not depend on other tasks."""
    rng = np.random.default_rng([settings.seed, zlib.crc32(pair.encode("utf-8", "surrogateescape"))])
    segments, systems = (draw(rng, settings.n_resamples) for _ in range(2))
    return Resamples(segments, systems, soft_draws(settings.seed, pair))


def compare_by_lists(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_draws: bool
) -> TaskResult:
    """The results for statistics on pairs of translations within a judgment, tested by a paired bootstrap over
    segments.
    """
    test = settings.test or "bootstrap"
    if test != "bootstrap":
        reason = "people ranked" if inputs.people.is_of_lists else f"{task.statistic} is a statistic of pairs"
        raise ParameterError(
            f"{reason}, so metrics are tested by a bootstrap over segments alone; {test} is for scores that people "
            f"gave and {', '.join(MATRIX_STATISTICS)}; leave the test out"
        )
    judged, notes = attach_metric_columns(inputs, task.pair, settings.common)
    segment_settings = SegmentSettings(
        statistic=task.statistic,
        grouping=task.grouping,
        epsilon=task_epsilon(task, settings),
        n_resamples=settings.n_resamples,
        seed=settings.seed,
    )
    check_comparable(judged, segment_settings)
    refuse_unordered(judged, segment_settings.convention, segment_settings.grouping)
    tables = tables_by_metric(judged.rankings, judged.gold, judged.metrics)
    unscored = np.any([np.isnan(table.metric) for table in tables], axis=0)
    lost = int(np.count_nonzero(unscored & ~np.isnan(tables[0].gold)))
    tables = [replace(table, gold=np.where(unscored, np.nan, table.gold)) for table in tables]
    if lost:
        noun = "judged translations" if lost > 1 else "judged translation"
        notes.append(prefix_pair(task.pair, f"{lost:,} {noun} skipped because one of the metrics has no score there"))
    agreement, draws = agreement_on_pair(
        tables, segment_settings, task.pair, resamples_of(settings, task.pair).segments
    )
    value = np.array(agreement.value)
    if not np.isnan(value).any() and np.isnan(draws).all():
        raise ParameterError(
            f"{task.statistic} with grouping {task.grouping!r} has no bootstrap over segments; group by segment, or "
            "use another statistic"
        )
    differences = {(i, j): draws[i] - draws[j] for i in range(len(value)) for j in range(i + 1, len(value))}
    curves = calibration_curves(tables, segment_settings)
    if curves:
        notes.append(prefix_pair(task.pair, "the bootstrap keeps the epsilon that was calibrated on all segments"))
    return TaskResult(
        value=value,
        n=np.array(agreement.n),
        epsilon=np.array(agreement.epsilon),
        pvalue=pvalues_of(value, differences, "values", settings.alternative),
        test=test,
        systems=tables[0].n_systems,
        segments=tables[0].n_segments,
        n_unscored=lost,
        drawn_differences=differences if keep_draws else {},
        curves=curves,
        notes=tuple(notes),
        segment_names={task.pair: judged_segments(judged.rankings)},
    )


def calibration_curves(tables: Sequence[JudgmentTables], settings: SegmentSettings) -> tuple[CalibrationCurve, ...]:
    """The statistic of each metric by epsilon, if epsilon is calibrated."""
    if settings.convention is None or not settings.is_calibrated:
        return ()
    return tuple(
        calibration_curve(
            table.gold,
            table.metric,
            convention=settings.convention,
            grouping=settings.grouping,
            segment=table.segment,
        )
        for table in tables
    )


def judged_segments(rankings: Rankings) -> tuple[str, ...]:
    """The names of the judged segments, in the order of `tables_by_metric`."""
    return tuple(rankings.segment.names[code] for code in np.unique(rankings.segment.codes).tolist())


def task_epsilon(task: Task, settings: MetricComparisonSettings) -> float | None:
    convention = CONVENTIONS.get(task.statistic)
    return None if convention is None else settings.epsilon


def higher_against_lower(value: Floats, pvalue: Floats) -> Floats:
    """(metrics, metrics) for each pair the p-value of the higher metric, on both sides of the diagonal."""
    return np.asarray(np.where(value[:, None] >= value, pvalue, pvalue.T))


def pvalues_of(value: Floats, drawn_differences: DrawnDifferences, kind: str, alternative: str) -> Floats:
    """p-values from resampled differences.

    Parameters
    ----------
    value
        The value of each metric, (metrics).
    drawn_differences
        For pairs of metrics, the difference of their values in each resample.
    kind
        "null" if the resamples are drawn as if the metrics were equal; else "values".
    alternative
        "greater" or "two-sided".

    Returns
    -------
    array of shape (metrics, metrics)
        The p-values; NaN for pairs without differences.

    Notes
    -----
    p = (1 + c) / (1 + B). "greater": c counts resamples in which the higher metric is not better ("values"), or is
    better by at least as much ("null"); a resample without value counts. "two-sided": twice that, at most 1 ("values");
    or resamples in which the two are at least as far apart ("null").
    """
    pvalues = np.full((value.size, value.size), np.nan)
    for (i, j), differences in drawn_differences.items():
        observed = abs(float(value[i] - value[j]))
        higher_less_lower = differences if value[i] >= value[j] else -differences
        undefined, n_resamples = np.isnan(differences), differences.size
        if kind == "null":
            distances = np.abs(differences) if alternative == "two-sided" else higher_less_lower
            n_extreme = int(np.count_nonzero(undefined | (distances >= observed - CLOSE)))
        else:
            n_not_above = int(np.count_nonzero(undefined | (higher_less_lower <= CLOSE)))
            n_not_below = int(np.count_nonzero(undefined | (higher_less_lower >= -CLOSE)))
            n_extreme = (
                min(n_resamples, 2 * min(n_not_above, n_not_below) + 1) if alternative == "two-sided" else n_not_above
            )
        pvalues[i, j] = pvalues[j, i] = (1 + n_extreme) / (1 + n_resamples)
    return pvalues


def average_tasks(tasks: Sequence[Task], results: Sequence[TaskResult], alternative: str) -> TaskResult:
    """The weighted average over tasks, tested by the weighted average of their resamples where all are of one kind.

    Where statistics differ in their range, every value is first brought to [0, 1], as in the metrics task.
    """
    weights = [float(task.weight or 0.0) for task in tasks]
    shift = 0.0
    notes = []
    if len({task.range for task in tasks}) > 1:
        spans = [task.range[1] - task.range[0] for task in tasks]
        weights = [weight / span for weight, span in zip(weights, spans, strict=True)]
        shift = -sum(weight * task.range[0] for weight, task in zip(weights, tasks, strict=True))
        notes.append(
            "statistics from -1 to 1 are rescaled to 0 to 1 before they are averaged with others: (1 + value) / 2"
        )
    resample_kinds = {TESTS[result.test] for result in results}
    same_kind = len(resample_kinds) == 1 and "" not in resample_kinds
    unmatched_pair = (
        None if {result.test for result in results} <= {"williams"} else pair_with_different_segments(results)
    )
    tested = same_kind and unmatched_pair is None
    value, drawn_differences = weighted_sum(
        [result if tested else result._replace(drawn_differences=NO_DRAWS) for result in results], weights
    )
    if same_kind and unmatched_pair is not None:
        notes.append(
            f"the average over {pluralise(len(tasks), 'task')} is not tested: tasks"
            f"{f' of {unmatched_pair}' if unmatched_pair else ''} resample different segments, as some include "
            "segments for which a metric has no scores, and others do not"
        )
    if not same_kind:
        tests = " and ".join(dict.fromkeys(result.test for result in results))
        reason = f"{tests} does not resample" if resample_kinds == {""} else f"{tests} resample in different ways"
        notes.append(f"the average over {pluralise(len(tasks), 'task')} is not tested: {reason}")
    kind = resample_kinds.pop()
    return TaskResult(
        value=value + shift,
        n=np.full(value.size, len(tasks)),
        epsilon=np.full(value.size, np.nan),
        pvalue=pvalues_of(value, drawn_differences, kind, alternative),
        test="",
        notes=tuple(notes),
    )


def pair_with_different_segments(results: Sequence[TaskResult]) -> str | None:
    """The first language pair whose tasks resample different segments, so that their resamples do not match."""
    segments_by_pair = defaultdict(set)
    for result in results:
        for pair, names in result.segment_names.items():
            segments_by_pair[pair].add(names)
    return next((pair for pair, segment_lists in segments_by_pair.items() if len(segment_lists) > 1), None)

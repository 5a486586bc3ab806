"""Tests of metrics on one task, and of the average over tasks."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load import PeopleAndMetrics
from rankscope.agreement.match import have_segment_scores, match
from rankscope.agreement.metrics.metric_tests import CLOSE, TESTS, Resamples, compare_scores
from rankscope.agreement.metrics.settings import MetricComparisonSettings, Task
from rankscope.agreement.segment_level import refuse_unordered
from rankscope.agreement.statistics import (
    STATISTICS,
    AgreementStatistic,
    AlignedScores,
    CalibrationCurve,
    calibration_curve,
    check_scores,
    soft_draws,
)
from rankscope.agreement.system_scores import on_common_segments, score_systems
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
    resampled_names
        Language pair -> its segments (and systems, where a test swaps or draws these) in the order in which they are
        resampled.
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
    resampled_names: Mapping[str, tuple[str, ...]] = MappingProxyType({})


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
        As `match`; or a metric has no value.
    ParameterError
        The statistic or the data do not allow the test.
    """
    if len(task.pairs) > 1:
        return pool_language_pairs(inputs, task, settings, keep_draws=keep_draws)
    result = compare_on_pair(inputs, task, settings, keep_draws=keep_draws)
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
        resampled_names={pair: names for result in results for pair, names in result.resampled_names.items()},
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


class TaskScores(NamedTuple):
    """The scores of a task.

    Attributes
    ----------
    scores
        The scores.
    kind
        "lists" as people judged them, a "grid" of systems and segments, or a grid of whole "systems" with one segment.
    notes
        What was skipped.
    """

    scores: AlignedScores
    kind: str
    notes: list[str]

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments that a test draws: those of lists, and those of a grid with a cell that all sides have."""
        if self.kind != "grid":
            return self.scores.segments if self.kind == "lists" else ()
        has_scores = np.asarray(self.scores.present.any(axis=1))
        return tuple(compress(self.scores.segments, has_scores.tolist()))


def scores_of_task(inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings) -> TaskScores:
    """The aligned scores: lists as people judged them, or a grid. Raises InputError as `match`."""
    statistic, on_missing = STATISTICS[task.statistic], "skip" if settings.common else "refuse"
    if task.level == "segment" and (inputs.people.is_of_lists or statistic.usual_test == "bootstrap"):
        (matched,), notes = match(inputs, "list", on_missing, pairs=task.pairs)
        lists = matched.aligned()
        check_scores(lists, statistic, task.grouping)
        refuse_unordered([lists], matched.names[0], statistic, task.grouping)
        return TaskScores(lists, "lists", notes)
    (matched,), notes = match(inputs, task.level, on_missing, pairs=task.pairs)
    if not matched.of_segments or len(matched.segments) < 2:
        systems, mean_notes = score_systems(matched, inputs.rule, settings.systems)
        return TaskScores(systems.aligned(), "systems", [*notes, *mean_notes])
    if task.level == "system" and settings.over == "common":  # as in agreement on systems
        matched, mean_notes = on_common_segments(matched, replace(settings.systems, from_segments="mean"))
        notes += mean_notes
    return TaskScores(matched.aligned(), "grid", notes)


def compare_on_pair(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_draws: bool
) -> TaskResult:
    """The results of a task on one language pair."""
    statistic = STATISTICS[task.statistic]
    if task.statistic == "soft_pairwise_accuracy" and not have_segment_scores(inputs, task.pair):
        raise ParameterError(
            "soft_pairwise_accuracy tests pairs of systems on their segments, so it needs scores of segments, of "
            "people and of all metrics; choose pairwise_accuracy"
        )
    task_scores = scores_of_task(inputs, task, settings)
    scores, of_systems, of_lists = task_scores.scores, task_scores.kind == "systems", task_scores.kind == "lists"
    test = settings.test or ("bootstrap" if of_lists else "perm_both")
    grouping = task.grouping or "means"
    if of_systems:
        check_systems_test(test, settings)
    epsilon = None if statistic.convention is None else settings.epsilon
    tested = compare_scores(
        scores,
        statistic,
        grouping,
        resamples_of(settings, task.pair),
        test=test,
        alternative=settings.alternative,
        swap=settings.swap,
        epsilon=epsilon,
        keep_drawn=keep_draws,
        drop_empty=not of_lists,
    )
    names = task_scores.segments
    if test != "bootstrap":  # lists and grids may hold other systems, in another order
        names += scores.common(drop_empty=not of_lists).systems
    notes = [*task_scores.notes, *(prefix_pair(task.pair, note) for note in tested.notes)]
    if of_systems and test != "williams":
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
        segments=0 if of_systems else tested.segments,
        n_unscored=tested.lost,
        drawn_differences=tested.drawn,
        curves=curves_of(scores.common(), statistic, grouping) if statistic.is_calibrated(grouping, epsilon) else (),
        notes=tuple(notes),
        resampled_names={task.pair: names},
    )


def check_systems_test(test: str, settings: MetricComparisonSettings) -> None:
    """Raise ParameterError for a test that needs segments where scores are of whole systems."""
    if test == "bootstrap":
        raise ParameterError(
            "the bootstrap resamples segments, but scores are of whole systems; choose perm_both, boot_both or williams"
        )
    if test == "perm_both" and settings.swap == "segments":
        raise ParameterError("swap segments: scores are of whole systems; leave --swap out")


def curves_of(scores: AlignedScores, statistic: AgreementStatistic, grouping: str) -> tuple[CalibrationCurve, ...]:
    """The statistic of each metric by epsilon."""
    assert statistic.convention is not None
    return tuple(
        calibration_curve(
            scores.people, metric, convention=statistic.convention, grouping=grouping, segment=scores.segment
        )
        for metric in scores.metrics
    )


def prefix_pair(pair: str, note: str) -> str:
    return f"{pair}: {note}" if pair else note


def resamples_of(settings: MetricComparisonSettings, pair: str) -> Resamples:
    """The resamples of a language pair: tasks on one pair share them, and they do not depend on other tasks."""
    rng = np.random.default_rng([settings.seed, zlib.crc32(pair.encode("utf-8", "surrogateescape"))])
    segments, systems = (draw(rng, settings.n_resamples) for _ in range(2))
    return Resamples(segments, systems, soft_draws(settings.seed, pair))


def higher_against_lower(value: Floats, pvalue: Floats) -> Floats:
    """(metrics, metrics) for each pair the p-value of the higher metric (of equal ones the first), on both sides."""
    above = np.triu(np.where(value[:, None] >= value - CLOSE, pvalue, pvalue.T), 1)
    return np.asarray(np.where(np.eye(value.size, dtype=np.bool_), np.nan, above + above.T))


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
    unmatched_pair = None if {result.test for result in results} <= {"williams"} else pair_with_different_names(results)
    tested = same_kind and unmatched_pair is None
    value, drawn_differences = weighted_sum(
        [result if tested else result._replace(drawn_differences=NO_DRAWS) for result in results], weights
    )
    if same_kind and unmatched_pair is not None:
        notes.append(
            f"the average over {pluralise(len(tasks), 'task')} is not tested: tasks"
            f"{f' of {unmatched_pair}' if unmatched_pair else ''} resample different segments or systems, as "
            "some include those for which a metric has no scores, and others do not"
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


def pair_with_different_names(results: Sequence[TaskResult]) -> str | None:
    """The first language pair whose tasks resample different names, so that their resamples do not match."""
    names_by_pair = defaultdict(set)
    for result in results:
        for pair, names in result.resampled_names.items():
            names_by_pair[pair].add(names)
    return next((pair for pair, name_lists in names_by_pair.items() if len(name_lists) > 1), None)

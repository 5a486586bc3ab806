"""The tests of one task: all statistics, all tests between two metrics, and the average over tasks."""

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
from rankscope.agreement.settings import validate_segment_settings
from rankscope.agreement.statistics import (
    CONVENTIONS,
    MATRIX_STATISTICS,
    CalibrationCurve,
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
    """One task, or the average of several. value, n, epsilon: (metrics). pvalue: (metrics, metrics), of the higher
    against the lower, or of both; symmetric. drawn: differences by pair. systems, segments: compared; 0 where there
    are none. curves: (metrics) of acc_eq, else none. over: by language pair the segments, as they are drawn.
    """

    value: Floats
    n: Ints
    epsilon: Floats
    pvalue: Floats
    test: str
    systems: int = 0
    segments: int = 0
    lost: int = 0
    drawn: DrawnDifferences = NO_DRAWS
    curves: tuple[CalibrationCurve, ...] = ()
    notes: tuple[str, ...] = ()
    over: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def run_task(
    given: PeopleAndMetrics, task: Task, asked: MetricComparisonSettings, *, own: bool, keep: bool
) -> TaskResult:
    """One task on what was given. own: metrics are columns of the judgments. keep: the draws, too.

    Raises InputError as `match_matrices`, and where a metric has no value; ParameterError for a test that the statistic
    or the data do not have.
    """
    if len(task.pairs) > 1:
        return pool_language_pairs(given, task, asked, own=own, keep=keep)
    lists = task.level == "segment" and (isinstance(given.people, Rankings) or task.statistic not in MATRIX_STATISTICS)
    found = (compare_by_lists if lists else compare_by_matrices)(given, task, asked, own=own, keep=keep)
    if np.isnan(found.value).any():
        metric = given.metrics[int(np.isnan(found.value).argmax())].metric
        raise InputError(
            f"{metric} has no value of {task.what} on {task.pair or 'these data'}: its scores, or those of people, do "
            "not differ where they are compared; leave it out (--metrics), or take another statistic"
        )
    return found


def rerun_with_system_swaps(
    given: PeopleAndMetrics,
    tasks: Sequence[Task],
    asked: MetricComparisonSettings,
    found: Sequence[TaskResult],
    *,
    own: bool,
) -> list[TaskResult]:
    """As found, for the average: where tasks of one language pair swap systems and cells, all of them swap systems.

    Swaps of one kind are no more those of the other than any two: their average would vary too little by chance.
    """
    of_systems = {pair for task in tasks if task.level == "system" for pair in task.pairs}
    joined = []
    for task, one in zip(tasks, found, strict=True):
        cells = one.test == "perm_both" and task.level == "segment" and asked.swap is None
        if cells and of_systems.intersection(task.pairs):
            one = run_task(given, task, asked._replace(swap="systems"), own=own, keep=True)
        joined.append(one)
    return joined


def pool_language_pairs(
    given: PeopleAndMetrics, task: Task, asked: MetricComparisonSettings, *, own: bool, keep: bool
) -> TaskResult:
    """The pairs of systems of several language pairs in one pot: an average by how many pairs each has."""
    parts = [run_task(given, task._replace(pair=pair), asked, own=own, keep=True) for pair in task.pairs]
    pairs = np.array([one.systems * (one.systems - 1) / 2 for one in parts])
    share = (pairs / pairs.sum()).tolist()
    value, drawn = weighted_sum(parts, share)
    return TaskResult(
        value=value,
        n=np.sum([one.n for one in parts], axis=0),
        epsilon=parts[0].epsilon,
        pvalue=pvalues_of(value, drawn, TESTS[parts[0].test], asked.alternative),
        test=parts[0].test,
        systems=sum(one.systems for one in parts),
        segments=sum(one.segments for one in parts) if all(one.segments for one in parts) else 0,
        lost=sum(one.lost for one in parts),
        drawn=drawn if keep else NO_DRAWS,
        notes=tuple(note for one in parts for note in one.notes),
        over={pair: names for one in parts for pair, names in one.over.items()},
    )


def weighted_sum(found: Sequence[TaskResult], weights: Sequence[float]) -> tuple[Floats, DrawnDifferences]:
    """Values and draws, a weight for each."""
    value = np.array([one.value for one in found]).T @ np.array(weights)
    drawn = {
        key: np.sum([weight * one.drawn[key] for weight, one in zip(weights, found, strict=True)], axis=0)
        for key in found[0].drawn
    }
    return value, drawn


def compare_by_matrices(
    given: PeopleAndMetrics, task: Task, asked: MetricComparisonSettings, *, own: bool, keep: bool
) -> TaskResult:
    test = asked.test or "perm_both"
    if task.statistic == "soft_pairwise_accuracy" and not have_segment_scores(given, task.pair):
        raise ParameterError(
            "soft_pairwise_accuracy tests pairs of systems on their segments, so it needs scores of segments, of "
            "people and of all metrics; take pairwise_accuracy"
        )
    tables = match_matrices(given, task.pair, asked.systems, level=task.level)
    check_test(tables, test, asked, task)
    grouping = task.grouping or "means"
    found = compare_matrices(
        tables.gold,
        tables.metrics,
        test=test,
        statistic=task.statistic,
        grouping=grouping,
        alternative=asked.alternative,
        swap=asked.swap,
        epsilon=asked.epsilon if task.statistic == "acc_eq" else None,
        keep_drawn=keep,
        resamples=resamples_of(asked, task.pair),
    )
    notes = [*tables.notes, *(prefix_pair(task.pair, note) for note in found.notes)]
    if tables.whole and test != "williams":
        notes.append(prefix_pair(task.pair, "scores are of whole systems, so the test draws (or swaps) those alone"))
    return TaskResult(
        value=found.value,
        n=found.n,
        epsilon=found.epsilon,
        pvalue=higher_against_lower(found.value, found.pvalue) if asked.alternative == "greater" else found.pvalue,
        test=test,
        systems=found.systems,
        segments=0 if tables.whole else found.segments,
        lost=found.lost,
        drawn=found.drawn,
        curves=curves_of(tables, grouping) if task.statistic == "acc_eq" and asked.epsilon is None else (),
        notes=tuple(notes),
        over={task.pair: tables.used},
    )


def check_test(tables: Matrices, test: str, asked: MetricComparisonSettings, task: Task) -> None:
    """Raise ParameterError where scores of systems, or one pair of them, leave nothing to draw or to swap."""
    if not tables.whole:
        return
    if test == "bootstrap":
        raise ParameterError(
            "the bootstrap draws segments, and here scores are of whole systems; take perm_both, boot_both or williams"
        )
    if test == "perm_both" and asked.swap == "segments":
        raise ParameterError("swap segments: here scores are of whole systems; leave --swap out")


def curves_of(tables: Matrices, grouping: str) -> tuple[CalibrationCurve, ...]:
    there = ~(np.isnan(tables.gold) | np.isnan(tables.metrics).any(axis=0))
    gold = np.where(there, tables.gold, np.nan).T
    return tuple(
        calibration_curve(gold, np.where(there, metric, np.nan).T, convention=CONVENTIONS["acc_eq"], grouping=grouping)
        for metric in tables.metrics
    )


def prefix_pair(pair: str, note: str) -> str:
    return f"{pair}: {note}" if pair else note


def resamples_of(asked: MetricComparisonSettings, pair: str) -> Resamples:
    """By language pair: tasks on the same one share their resamples, and none depends on which others there are."""
    rng = np.random.default_rng([asked.seed, zlib.crc32(pair.encode("utf-8", "surrogateescape"))])
    segments, systems = (draw(rng, asked.n_resamples) for _ in range(2))
    return Resamples(segments, systems, soft_draws(asked.seed, pair))


def compare_by_lists(
    given: PeopleAndMetrics, task: Task, asked: MetricComparisonSettings, *, own: bool, keep: bool
) -> TaskResult:
    """Pairs of translations within a judgment, and a paired bootstrap over segments."""
    test = asked.test or "bootstrap"
    if test != "bootstrap":
        of = "people ranked" if isinstance(given.people, Rankings) else f"{task.statistic} is a statistic of pairs"
        raise ParameterError(
            f"{of}, so metrics are tested by a bootstrap over segments alone; {test} is for scores that people gave "
            f"and {', '.join(MATRIX_STATISTICS)}; leave the test out"
        )
    judged, notes = attach_metric_columns(given, task.pair, asked.systems.common, own=own)
    settled = validate_segment_settings(
        task.statistic, task.grouping, task_epsilon(task, asked), asked.n_resamples, 0.95, asked.seed
    )
    check_comparable(judged, settled)
    refuse_unordered(judged, settled.convention, settled.grouping)
    lists = tables_by_metric(judged.rankings, judged.gold, judged.metrics)
    lacking = np.any([np.isnan(one.metric) for one in lists], axis=0)
    lost = int(np.count_nonzero(lacking & ~np.isnan(lists[0].gold)))
    lists = [replace(one, gold=np.where(lacking, np.nan, one.gold)) for one in lists]
    if lost:
        words = "judged translations" if lost > 1 else "judged translation"
        notes.append(prefix_pair(task.pair, f"{lost:,} {words} left out, as one of the metrics has no score there"))
    cells, drawn = agreement_on_pair(lists, settled, task.pair, resamples_of(asked, task.pair).segments)
    value = np.array(cells.value)
    if not np.isnan(value).any() and np.isnan(drawn).all():
        raise ParameterError(
            f"{task.statistic} with grouping {task.grouping!r} has no bootstrap over segments; group by segment, or "
            "take another statistic"
        )
    apart = {(i, j): drawn[i] - drawn[j] for i in range(len(value)) for j in range(i + 1, len(value))}
    curves: tuple[CalibrationCurve, ...] = ()
    if settled.convention is not None and settled.epsilon is None:
        curves = tuple(
            calibration_curve(
                one.gold, one.metric, convention=settled.convention, grouping=task.grouping, segment=one.segment
            )
            for one in lists
        )
        notes.append(prefix_pair(task.pair, "the bootstrap keeps each epsilon as it was found on all segments"))
    return TaskResult(
        value=value,
        n=np.array(cells.n),
        epsilon=np.array(cells.epsilon),
        pvalue=pvalues_of(value, apart, "values", asked.alternative),
        test=test,
        systems=lists[0].systems,
        segments=lists[0].segments,
        lost=lost,
        drawn=apart if keep else {},
        curves=curves,
        notes=tuple(notes),
        over={task.pair: judged_segments(judged.rankings)},
    )


def judged_segments(rankings: Rankings) -> tuple[str, ...]:
    """In the order of `tables_by_metric`."""
    return tuple(rankings.segment.names[code] for code in np.unique(rankings.segment.codes).tolist())


def task_epsilon(task: Task, asked: MetricComparisonSettings) -> float | None:
    convention = CONVENTIONS.get(task.statistic)
    return None if convention is None else asked.epsilon


def higher_against_lower(value: Floats, pvalue: Floats) -> Floats:
    """(metrics, metrics) of each pair the p-value of the higher one, on both sides of the diagonal."""
    return np.asarray(np.where(value[:, None] >= value, pvalue, pvalue.T))


def pvalues_of(value: Floats, drawn: DrawnDifferences, kind: str, alternative: str) -> Floats:
    """(metrics, metrics) from differences drawn: "null", had there been none, or "values", as they might have been.

    p = (1 + c) / (1 + B). "greater": c of those in which the higher metric is not better ("values"), or better by as
    much ("null"); a resample without value counts. "two-sided": twice that, at most 1; or apart as far.
    """
    found = np.full((value.size, value.size), np.nan)
    for (i, j), apart in drawn.items():
        observed = abs(float(value[i] - value[j]))
        rising = apart if value[i] >= value[j] else -apart
        none, resamples = np.isnan(apart), apart.size
        if kind == "null":
            far = np.abs(apart) if alternative == "two-sided" else rising
            count = int(np.count_nonzero(none | (far >= observed - CLOSE)))
        else:
            below = int(np.count_nonzero(none | (rising <= CLOSE)))
            above = int(np.count_nonzero(none | (rising >= -CLOSE)))
            count = min(resamples, 2 * min(below, above) + 1) if alternative == "two-sided" else below
        found[i, j] = found[j, i] = (1 + count) / (1 + resamples)
    return found


def average_tasks(tasks: Sequence[Task], found: Sequence[TaskResult], alternative: str) -> TaskResult:
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
            "statistics from -1 to 1 are brought to 0 to 1 before they are averaged with others, as (1 + value) / 2"
        )
    kinds = {TESTS[one.test] for one in found}
    alike = len(kinds) == 1 and "" not in kinds
    apart = None if {one.test for one in found} <= {"williams"} else pair_with_different_segments(found)
    tested = alike and apart is None
    value, drawn = weighted_sum([one if tested else one._replace(drawn=NO_DRAWS) for one in found], weights)
    if alike and apart is not None:
        notes.append(
            f"the average over {pluralise(len(tasks), 'task')} is not tested: tasks{f' of {apart}' if apart else ''} "
            "draw from other segments, as some count segments of which a metric lacks all scores, and others do not"
        )
    if not alike:
        tests = " and ".join(dict.fromkeys(one.test for one in found))
        why = f"{tests} draws nothing" if kinds == {""} else f"{tests} do not draw alike"
        notes.append(f"the average over {pluralise(len(tasks), 'task')} is not tested: {why}")
    kind = kinds.pop()
    return TaskResult(
        value=value + shift,
        n=np.full(value.size, len(tasks)),
        epsilon=np.full(value.size, np.nan),
        pvalue=pvalues_of(value, drawn, kind, alternative),
        test="",
        notes=tuple(notes),
    )


def pair_with_different_segments(found: Sequence[TaskResult]) -> str | None:
    """The first language pair of which tasks draw from other segments: their resamples are then not the same."""
    of = defaultdict(set)
    for one in found:
        for pair, names in one.over.items():
            of[pair].add(names)
    return next((pair for pair, several in of.items() if len(several) > 1), None)

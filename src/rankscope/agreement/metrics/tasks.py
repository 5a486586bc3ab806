"""The tasks of a comparison of metrics: their settings, validated before anything is read, and their tests."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from rankscope.agreement.load import PeopleAndMetrics
from rankscope.agreement.match import have_segment_scores, match, prefix_of
from rankscope.agreement.metrics.metric_tests import (
    ALTERNATIVES,
    TESTS,
    MetricTests,
    Resamples,
    compare_scores,
    pvalues_of_differences,
)
from rankscope.agreement.segment_level import refuse_unordered
from rankscope.agreement.settings import (
    SEGMENT_STATISTICS,
    WEIGHTS,
    SystemSettings,
    common_field,
    from_segments_field,
    human_field,
    judgment_weight_field,
    over_field,
    weights_field,
    weights_of_pairs,
)
from rankscope.agreement.statistics import (
    SEGMENT_GROUPINGS,
    STATISTICS,
    SYSTEM_STATISTICS,
    AgreementStatistic,
    AlignedScores,
    CalibrationCurve,
    calibration_curve,
    check_scores,
    random_stream,
    soft_draws,
    system_statistic,
)
from rankscope.agreement.system_level import resample_scores
from rankscope.agreement.system_scores import (
    SystemScores,
    on_common_segments,
    score_systems,
    segments_of_systems,
)
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import draw
from rankscope.kernels.swaps import SWAPS
from rankscope.settings import (
    NONNEGATIVE,
    Names,
    Settings,
    choice,
    declare,
    excludes,
    number,
    resamples_field,
    seed_field,
    share,
    text,
)
from rankscope.stats.inputs import check_choice, is_real
from rankscope.stats.multiple_comparisons import CORRECTIONS
from rankscope.typing import Floats

__all__ = [
    "EVERY",
    "LEVELS",
    "STATISTICS_BY_LEVEL",
    "MetricComparisonSettings",
    "Task",
    "average_tasks",
    "parse_task",
    "rerun_with_system_swaps",
    "resamples_of",
    "run_task",
    "spread_tasks",
    "tasks_of",
]


LEVELS = ("system", "segment")
#: Stands for all language pairs, each in a task of its own.
EVERY = "*"
#: Every statistic of each level.
STATISTICS_BY_LEVEL = {
    "system": SYSTEM_STATISTICS,
    "segment": SEGMENT_STATISTICS,
}
GRAMMAR = "PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT], such as de-en:system:pearson:0.5 or de-en:segment:acc_eq/segment"


class Task(NamedTuple):
    """One column of the table: how far metrics agree with people on a language pair.

    Attributes
    ----------
    pair
        The language pair; "*" for every one, as a task of its own. Several, with commas between them, are pooled (with
        the statistic "pairwise_accuracy" only).
    level
        "system" or "segment".
    statistic
        The name of the statistic.
    grouping
        Grouping of segments: "none", "segment" or "system"; "" for the default of the statistic.
    weight
        The weight in the average over tasks; None if all tasks have the same weight.

    Examples
    --------
    >>> print(Task("de-en", "segment", "acc_eq", "segment", 0.5))
    de-en:segment:acc_eq/segment:0.5
    """

    pair: str
    level: str
    statistic: str
    grouping: str = ""
    weight: float | None = None

    @property
    def pairs(self) -> list[str]:
        """The language pairs that are in it."""
        return self.pair.split(",")

    @property
    def range(self) -> tuple[float, float]:
        """The least and the highest value there can be."""
        return STATISTICS[self.statistic].range

    @property
    def level_and_statistic(self) -> str:
        """Level, statistic and grouping in one word."""
        return f"{self.level}:{self.statistic}{f'/{self.grouping}' if self.grouping else ''}"

    def __str__(self) -> str:
        return f"{self.pair}:{self.level_and_statistic}{'' if self.weight is None else f':{self.weight:g}'}"


def parse_task(task_text: str) -> Task:
    """A task from its text, PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT].

    Parameters
    ----------
    task_text
        The text; PAIR is as in `Task`, and empty if the data name no language pair.

    Returns
    -------
    Task
        The task, with its grouping.

    Raises
    ------
    ParameterError
        The text has another form.
    UnknownName
        The level has no such statistic.

    Examples
    --------
    >>> parse_task("de-en:system:pearson:0.25")
    Task(pair='de-en', level='system', statistic='pearson', grouping='', weight=0.25)
    """
    fields = task_text.split(":")
    if len(fields) not in (3, 4):
        raise ParameterError(f"a task is {task_text!r}, expected {GRAMMAR}")
    statistic, _, grouping = fields[2].partition("/")
    weight = None
    if len(fields) == 4:
        try:
            weight = float(fields[3])
        except ValueError:
            raise ParameterError(
                f"task {task_text}: the weight is {fields[3]!r}, expected a number, such as 0.5"
            ) from None
    return validate_task(Task(fields[0], fields[1], statistic, grouping, weight))


def validate_task(task: Task) -> Task:
    """The task with its grouping. Raises as `parse_task`."""
    check_choice(f"task {task}: the level", task.level, LEVELS)
    if task.statistic not in STATISTICS_BY_LEVEL[task.level]:
        other_level = next(name for name in LEVELS if name != task.level)
        if task.statistic in STATISTICS_BY_LEVEL[other_level]:
            level = f"level is {task.level}" if task.pair == EVERY else f"task is {task}"
            raise ParameterError(f"{task.statistic} is a statistic of level {other_level}, and the {level}")
        raise UnknownName("statistic", task.statistic, STATISTICS_BY_LEVEL[task.level])
    if task.weight is not None and not (is_real(task.weight) and 0 <= float(task.weight) < math.inf):
        raise ParameterError(f"task {task}: the weight is {task.weight!r}, expected a number of at least 0")
    if len(task.pairs) > 1:
        if task.statistic != "pairwise_accuracy":
            raise ParameterError(
                f"task {task}: only pairwise_accuracy can pool several language pairs; give one task per language pair"
            )
        if len(set(task.pairs)) < len(task.pairs):
            raise ParameterError(f"task {task} names a language pair twice, expected each once")
    if task.level == "system":
        if task.grouping:
            raise ParameterError(f"task {task}: a grouping is for level segment; leave it out")
        return task
    if task.grouping:
        check_choice(f"task {task}: the grouping", task.grouping, tuple(SEGMENT_GROUPINGS))
        return task
    return task._replace(grouping=STATISTICS[task.statistic].usual_grouping)


def tasks_of(tasks: str | Task | Sequence[str | Task] | None) -> tuple[Task, ...] | None:
    """The tasks, from their texts. Raises as `parse_task`."""
    if tasks is None:
        return None
    entries = [tasks] if isinstance(tasks, (str, Task)) else list(tasks)
    if not entries:
        raise ParameterError("there is no task, expected at least one; or leave tasks out")
    return tuple(parse_task(entry) if isinstance(entry, str) else validate_task(entry) for entry in entries)


def default_statistic(level: str, people_ranked: bool = False) -> str:
    if level == "system":
        return "pairwise_accuracy"
    return "wmt12" if people_ranked else "acc_eq"


def check_tasks(tasks: Sequence[Task]) -> None:
    """Raise ParameterError for repeated tasks, and for weights that do not fit together."""
    names = [(task.pair, task.level_and_statistic) for task in tasks]
    if duplicate := next((task for task, name in zip(tasks, names, strict=True) if names.count(name) > 1), None):
        raise ParameterError(f"task {duplicate.pair}:{duplicate.level_and_statistic} is given twice, expected once")
    weights = [task.weight for task in tasks if task.weight is not None]
    if not weights:
        return
    if len(weights) < len(tasks):
        unweighted = next(task for task in tasks if task.weight is None)
        raise ParameterError(f"task {unweighted} has no weight, and others have; give all of them one, or none")
    WEIGHTS.check("the weights", {f"{task.pair}:{task.level_and_statistic}": task.weight or 0.0 for task in tasks})


class TasksRule(Names):
    """A tuple of tasks."""

    expected = f"tasks {GRAMMAR}"

    def accepts(self, value: object) -> bool:
        return isinstance(value, tuple) and all(isinstance(task, Task) for task in value)


#: What tasks say.
NOT_WITH_TASKS = excludes("tasks", reason="tasks say what is computed")


@dataclass(frozen=True, kw_only=True)
class MetricComparisonSettings(Settings):
    """On what metrics are compared, and how they are tested; see `compare_metrics`."""

    FUNCTIONS = ("rankscope.agreement:compare_metrics",)
    COMMANDS = ("agree metrics",)

    tasks: tuple[Task, ...] | None = declare(
        TasksRule(),
        None,
        "A column of the table, such as en-de:system:pearson:0.5. PAIR * stands for every language pair; LEVEL is "
        "system or segment. Weights add up to 1. Repeat the option for more columns.",
        flag="--task",
        metavar="PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT]",
        python_help="The columns of the table: texts PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT] or `Task` objects. "
        "Default: one for each language pair.",
    )
    level: str | None = choice(
        None,
        LEVELS,
        help="Level of the tasks: whole systems, or segments.",
        depends=NOT_WITH_TASKS,
        unset="system if there are scores of systems only, else segment",
    )
    statistic: str | None = text(
        None,
        help=f"Statistic of the tasks. At level system: {', '.join(STATISTICS_BY_LEVEL['system'])}; at level segment: "
        "acc_eq, pearson, spearman, kendall_b, or one of `agree segments`.",
        unset="pairwise_accuracy for systems; for segments wmt12 if people ranked, else acc_eq",
        metavar="NAME",
        depends=NOT_WITH_TASKS,
    )
    grouping: str | None = choice(
        None,
        SEGMENT_GROUPINGS,
        help="Pool all segment scores (none), or average over segments or systems.",
        unset="none for statistics of rankings, else segment",
        depends=NOT_WITH_TASKS,
    )
    weights: Mapping[str, float] | None = weights_field(depends=NOT_WITH_TASKS)
    test: str | None = choice(
        None,
        TESTS,
        help="Significance test between two metrics.",
        unset="bootstrap if people ranked segments and for statistics of rankings, else perm_both",
    )
    alternative: str = choice(
        "two-sided",
        ALTERNATIVES,
        help="Alternative hypothesis: the metrics differ (two-sided), or the one with the higher value is better "
        "(greater), as in WMT's metrics task.",
    )
    swap: str | None = choice(
        None,
        SWAPS,
        help="Unit that perm_both swaps: all scores of a system, all scores of a segment, or single cells.",
        unset="systems at level system, else cells",
        depends=excludes(test=[test for test in TESTS if test != "perm_both"], reason="only perm_both swaps"),
    )
    epsilon: float | None = number(
        None,
        rule=NONNEGATIVE,
        metavar="E",
        help="Largest difference between two metric scores that counts as a tie.",
        unset="calibrated for each metric with acc_eq, else 0",
    )
    correction: str = choice(
        "holm",
        CORRECTIONS,
        help="Correction of p-values for multiple comparisons, over all pairs of metrics of a task. WMT's "
        "metrics shared task uses none.",
    )
    alpha: float = share(
        0.05,
        help="Significance level A: the difference between two metrics is significant if its corrected p-value"
        " is at most A.",
        metavar="A",
    )
    human: str | None = human_field()
    from_segments: str = from_segments_field()
    over: str = over_field()
    common: bool = common_field()
    judgment_weight: str | None = judgment_weight_field()
    n_resamples: int = resamples_field(1000, "Number of resamples of the test.")
    seed: int = seed_field()

    @property
    def systems(self) -> SystemSettings:
        """How systems get their scores."""
        return SystemSettings(
            human=self.human,
            from_segments=self.from_segments,
            over=self.over,
            common=self.common,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )

    @property
    def requested_tasks(self) -> tuple[Task, ...] | None:
        """The tasks; None if the level depends on the judgments."""
        if self.tasks is not None or self.level is None:
            return self.tasks
        return self.tasks_at(self.level, people_ranked=False)

    def tasks_at(self, level: str, *, people_ranked: bool) -> tuple[Task, ...]:
        """A task for each language pair, at this level."""
        statistic = self.statistic or default_statistic(level, people_ranked)
        return (validate_task(Task(EVERY, level, statistic, self.grouping or "")),)

    def check(self) -> None:
        """Refuse tasks and weights that do not fit together."""
        if self.tasks is not None:
            check_tasks(self.tasks)
        if self.level is not None and self.tasks is None:
            self.tasks_at(self.level, people_ranked=False)


def spread_tasks(tasks: Sequence[Task], pairs: Sequence[str], weights: Mapping[str, float] | None) -> tuple[Task, ...]:
    """The tasks, with "*" replaced by one task per language pair, each with its weight; weights add up to 1.

    Parameters
    ----------
    tasks
        The tasks.
    pairs
        The language pairs of the data.
    weights
        Weights of the language pairs.

    Raises
    ------
    UnknownName
        A language pair does not exist.
    ParameterError
        As `check_tasks`.
    """
    expanded = []
    for task in tasks:
        if task.pair == EVERY:
            share = None if task.weight is None else task.weight / len(pairs)
            expanded += [task._replace(pair=pair, weight=share) for pair in pairs]
        elif set(task.pairs) <= set(pairs):
            expanded.append(task)
        elif not task.pair and len(pairs) == 1:
            expanded.append(task._replace(pair=pairs[0]))
        else:
            raise UnknownName("language pair", next(pair for pair in task.pairs if pair not in pairs), pairs)
    if weights is not None:
        weight_of_pair = dict(zip(pairs, weights_of_pairs(weights, pairs), strict=True))
        expanded = [task._replace(weight=weight_of_pair[task.pair]) for task in expanded]
    check_tasks(expanded)
    equal_weight = 1 / len(expanded)
    return tuple(task._replace(weight=equal_weight) if task.weight is None else task for task in expanded)


def run_task(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_differences: bool
) -> MetricTests:
    """The results of one task.

    Parameters
    ----------
    inputs
        Human scores and metrics.
    task
        The task.
    settings
        How metrics are compared.
    keep_differences
        Whether the result includes the resampled differences.

    Raises
    ------
    InputError
        As `match`; or a metric has no value.
    ParameterError
        The statistic or the data do not allow the test.
    """
    if len(task.pairs) > 1:
        return pool_language_pairs(inputs, task, settings, keep_differences=keep_differences)
    result = compare_on_pair(inputs, task, settings, keep_differences=keep_differences)
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
    results: Sequence[MetricTests],
) -> list[MetricTests]:
    """The results for the average: where tasks of one language pair swap systems and cells, all of them swap systems.

    Swaps of systems and of cells are independent of each other: the average of both would vary too little by chance.

    Parameters
    ----------
    inputs
        Human judgments and metrics.
    tasks, results
        The tasks, and the result of each.
    settings
        How metrics are compared.
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
                keep_differences=True,
            )
        comparable_results.append(result)
    return comparable_results


def pool_language_pairs(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_differences: bool
) -> MetricTests:
    """Pairs of systems of several language pairs pooled: the average weighted by the number of pairs of each."""
    results = [run_task(inputs, task._replace(pair=pair), settings, keep_differences=True) for pair in task.pairs]
    n_pairs = np.array([result.systems * (result.systems - 1) / 2 for result in results])
    value, differences = weighted_sum(results, (n_pairs / n_pairs.sum()).tolist())
    return replace(
        results[0],
        value=value,
        pvalue=pvalues_of_differences(value, differences, TESTS[results[0].test], settings.alternative),
        n=np.sum([result.n for result in results], axis=0),
        cells=sum(result.cells for result in results),
        lost=sum(result.lost for result in results),
        systems=sum(result.systems for result in results),
        segments=sum(result.segments for result in results) if all(result.segments for result in results) else 0,
        resampled_differences=differences if keep_differences else {},
        notes=tuple(note for result in results for note in result.notes),
        resampled_names={pair: names for result in results for pair, names in result.resampled_names.items()},
    )


def weighted_sum(
    results: Sequence[MetricTests], weights: Sequence[float], *, tested: bool = True
) -> tuple[Floats, dict[tuple[int, int], Floats]]:
    """The weighted sums of values, and where they are tested of resampled differences."""
    value = np.array([result.value for result in results]).T @ np.array(weights)
    differences = {
        key: np.sum(
            [weight * result.resampled_differences[key] for weight, result in zip(weights, results, strict=True)],
            axis=0,
        )
        for key in (results[0].resampled_differences if tested else ())
    }
    return value, differences


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
    systems
        How the scores of whole systems follow from segments; None for another kind.
    """

    scores: AlignedScores
    kind: str
    notes: list[str]
    systems: SystemScores | None = None

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
        (matched_scores,), notes = match(inputs, "list", on_missing, pairs=task.pairs)
        lists = matched_scores.aligned()
        check_scores(lists, statistic, task.grouping)
        refuse_unordered([lists], matched_scores.names[0], statistic, task.grouping)
        return TaskScores(lists, "lists", notes)
    (matched_scores,), notes = match(inputs, task.level, on_missing, pairs=task.pairs)
    if not matched_scores.of_segments or len(matched_scores.segments) < 2:
        systems, mean_notes = score_systems(matched_scores, inputs.rule, settings.systems)
        return TaskScores(systems.aligned(), "systems", [*notes, *mean_notes], systems)
    if task.level == "system" and settings.over == "common":  # as in agreement on systems
        matched_scores, mean_notes = on_common_segments(matched_scores, replace(settings.systems, from_segments="mean"))
        notes += mean_notes
    return TaskScores(matched_scores.aligned(), "grid", notes)


def compare_on_pair(
    inputs: PeopleAndMetrics, task: Task, settings: MetricComparisonSettings, *, keep_differences: bool
) -> MetricTests:
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
    resampled = None
    if task_scores.systems is not None:
        check_systems_test(test, settings)
        if test == "bootstrap":
            resampled = bootstrapped_values(task_scores.systems, inputs.rule, task.statistic, settings.systems)
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
        keep_differences=keep_differences,
        drop_empty=not of_lists,
        resampled=resampled,
    )
    prefix = prefix_of(task.pair)
    notes = [*task_scores.notes, *(prefix + note for note in tested.notes)]
    if resampled is not None:
        notes.append(f"{prefix}the bootstrap resamples segments: its p-values are claims about these systems only")
    elif of_systems and test != "williams":
        notes.append(f"{prefix}scores are of whole systems, so the test resamples or swaps systems only")
    return replace(
        tested,
        segments=0 if of_systems else tested.segments,
        curves=curves_of(scores.common(), statistic, grouping) if statistic.is_calibrated(grouping, epsilon) else (),
        notes=tuple(notes),
        resampled_names={task.pair: resampled_names(task_scores, test)},
    )


def resampled_names(task_scores: TaskScores, test: str) -> tuple[str, ...]:
    """The segments, and unless the test draws segments only the systems, in the order in which they are resampled."""
    if test != "bootstrap":  # lists and grids may hold other systems, in another order
        return task_scores.segments + task_scores.scores.common(drop_empty=task_scores.kind != "lists").systems
    return task_scores.segments if task_scores.systems is None else segments_of_systems(task_scores.systems.sums)


def check_systems_test(test: str, settings: MetricComparisonSettings) -> None:
    """Raise ParameterError for swaps of segments where scores are of whole systems."""
    if test == "perm_both" and settings.swap == "segments":
        raise ParameterError("swap segments: scores are of whole systems; leave --swap out")


def bootstrapped_values(scores: SystemScores, rule: str, statistic: str, settings: SystemSettings) -> Floats:
    """(metrics, resamples) the statistic of scores of systems that are made anew from drawn segments.

    The resamples are those of the intervals of `agree systems`. Raises ParameterError where a side has no segments.
    """
    advice = "choose perm_both, boot_both or williams"
    if rule == "bradley_terry":
        raise ParameterError(f"the bootstrap has no form for bradley_terry, which draws its own segments; {advice}")
    if any(sums.numerators is None for sums in scores.sums):
        raise ParameterError(f"the bootstrap resamples segments, but scores are of whole systems; {advice}")
    resampled = resample_scores(scores, settings)
    if resampled is None:
        raise ParameterError(f"the bootstrap resamples segments, but people judged only one; {advice}")
    people, *metrics = resampled
    return np.stack([system_statistic(people, metric, statistic) for metric in metrics])


def curves_of(scores: AlignedScores, statistic: AgreementStatistic, grouping: str) -> tuple[CalibrationCurve, ...]:
    """The statistic of each metric by epsilon."""
    assert statistic.convention is not None
    return tuple(
        calibration_curve(
            scores.people, metric, convention=statistic.convention, grouping=grouping, segment=scores.segment
        )
        for metric in scores.metrics
    )


def resamples_of(settings: MetricComparisonSettings, pair: str) -> Resamples:
    """The resamples of a language pair: tasks on one pair share them, and they do not depend on other tasks."""
    rng = random_stream(settings.seed, pair)
    segments, systems = (draw(rng, settings.n_resamples) for _ in range(2))
    return Resamples(segments, systems, soft_draws(settings.seed, pair))


def average_tasks(tasks: Sequence[Task], results: Sequence[MetricTests], alternative: str) -> MetricTests:
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
    value, differences = weighted_sum(results, weights, tested=tested)
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
    return replace(
        results[0],
        test="",
        statistic="",
        grouping="",
        value=value + shift,
        n=np.full(value.size, len(tasks)),
        epsilon=np.full(value.size, np.nan),
        pvalue=pvalues_of_differences(value, differences, kind, alternative),
        cells=sum(result.cells for result in results),
        lost=sum(result.lost for result in results),
        systems=0,
        segments=0,
        resampled_differences={},
        notes=tuple(notes),
        curves=(),
        resampled_names={},
    )


def pair_with_different_names(results: Sequence[MetricTests]) -> str | None:
    """The first language pair whose tasks resample different names, so that their resamples do not match."""
    names_by_pair = defaultdict(set)
    for result in results:
        for pair, names in result.resampled_names.items():
            names_by_pair[pair].add(names)
    return next((pair for pair, name_lists in names_by_pair.items() if len(name_lists) > 1), None)

"""How metrics are tested against each other: the settings and the tasks, validated before anything is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rankscope.agreement.metrics.metric_tests import ALTERNATIVES, TESTS
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
)
from rankscope.agreement.statistics import SEGMENT_GROUPINGS, STATISTICS, SYSTEM_STATISTICS
from rankscope.data.text import join_names
from rankscope.errors import ParameterError, UnknownName
from rankscope.kernels.swaps import SWAPS
from rankscope.settings import (
    NONNEGATIVE,
    Names,
    Settings,
    choice,
    declare,
    number,
    resamples_field,
    seed_field,
    share,
    text,
)
from rankscope.stats.inputs import check_choice, is_real
from rankscope.stats.multiple_comparisons import CORRECTIONS

__all__ = [
    "EVERY",
    "LEVELS",
    "STATISTICS_BY_LEVEL",
    "MetricComparisonSettings",
    "Task",
    "parse_task",
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
            raise ParameterError(f"task {task_text}: the weight is {fields[3]!r}, expected a number, as 0.5") from None
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
        unset="system if there are scores of systems only, else segment",
    )
    statistic: str | None = text(
        None,
        help=f"Statistic of the tasks. At level system: {', '.join(STATISTICS_BY_LEVEL['system'])}; at level segment: "
        "acc_eq, pearson, spearman, kendall_b, or one of `agree segments`.",
        unset="pairwise_accuracy for systems; for segments wmt12 if people ranked, else acc_eq",
        metavar="NAME",
    )
    grouping: str | None = choice(
        None,
        SEGMENT_GROUPINGS,
        help="Pool all segment scores (none), or average over segments or systems.",
        unset="none for statistics of rankings, else segment",
    )
    weights: Mapping[str, float] | None = weights_field()
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
        """Refuse settings that exclude each other, and tasks and weights that do not fit together."""
        if self.tasks is not None:
            self.refuse("level", "statistic", "grouping", "weights", since="tasks say what is computed")
            check_tasks(self.tasks)
        if self.test not in (None, "perm_both"):
            self.refuse("swap", since=f"it is for perm_both, not for {self.test}")
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
        if pairs == [""]:
            raise ParameterError("weights apply to language pairs, but these data have none; leave weights out")
        if unknown := [pair for pair in weights if pair not in pairs]:
            raise UnknownName("language pair", unknown[0], pairs)
        if missing := [pair for pair in pairs if pair not in weights]:
            raise ParameterError(
                f"weights have no entry for {join_names(missing)}; give every language pair a weight, 0 to ignore it"
            )
        expanded = [task._replace(weight=float(weights[task.pair])) for task in expanded]
    check_tasks(expanded)
    equal_weight = 1 / len(expanded)
    return tuple(task._replace(weight=equal_weight) if task.weight is None else task for task in expanded)

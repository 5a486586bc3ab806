"""How metrics are tested against each other: the settings and the tasks, validated before anything is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankscope.agreement.metrics.matrix_tests import ALTERNATIVES, TESTS
from rankscope.agreement.settings import SEGMENT_STATISTICS, SystemSettings, check_weights, validate_system_settings
from rankscope.agreement.statistics import CONVENTIONS, MATRIX_STATISTICS, SEGMENT_GROUPINGS
from rankscope.data.text import join_names
from rankscope.errors import ParameterError, UnknownName
from rankscope.kernels.swaps import SWAPS
from rankscope.stats.inputs import check_choice, check_count, check_positive, check_share, is_real
from rankscope.stats.multiple_comparisons import CORRECTIONS

__all__ = [
    "EVERY",
    "LEVELS",
    "STATISTICS_BY_LEVEL",
    "MetricComparisonSettings",
    "Task",
    "parse_task",
    "spread_tasks",
    "validate_comparison_settings",
    "validate_tasks",
]


class MetricComparisonSettings(NamedTuple):
    """How metrics are tested. test, swap: None for the default of the task. correction, significance: of p-values, and
    the level with which the corrected ones are compared. systems: how systems get their scores.
    """

    test: str | None
    alternative: str
    swap: str | None
    n_resamples: int
    seed: int
    epsilon: float | None
    correction: str
    significance: float
    systems: SystemSettings


def validate_comparison_settings(
    test: str | None = None,
    alternative: str = "two-sided",
    swap: str | None = None,
    epsilon: float | None = None,
    correction: str = "holm",
    significance: float = 0.05,
    n_resamples: int = 1000,
    rng: Any = None,
    human: str | None = None,
    from_segments: str = "mean",
    over: str = "common",
    common: bool = False,
) -> MetricComparisonSettings:
    """All settings but the tasks, checked before anything is read. Raises as `compare_metrics`."""
    if test is not None:
        check_choice("test", test, tuple(TESTS))
    check_choice("alternative", alternative, ALTERNATIVES)
    if swap is not None:
        check_choice("swap", swap, SWAPS)
        if test not in (None, "perm_both"):
            raise ParameterError(f"swap says what perm_both swaps, and the test is {test}; leave it out")
    check_choice("correction", correction, tuple(CORRECTIONS))
    check_share("significance", significance)
    check_count("n_resamples", n_resamples)
    if epsilon is not None:
        check_positive("epsilon", epsilon, zero=True)
    systems = validate_system_settings(
        statistic="pearson",
        absolute=False,
        human=human,
        prior=0.0,
        from_segments=from_segments,
        over=over,
        common=common,
        without_outliers=False,
        interval=None,
        n_resamples=n_resamples,
        confidence_level=0.95,
        rng=rng,
        weights=None,
    )
    return MetricComparisonSettings(
        test, alternative, swap, n_resamples, systems.seed, epsilon, correction, significance, systems
    )


LEVELS = ("system", "segment")
#: Stands for all language pairs, each in a task of its own.
EVERY = "*"
#: Every statistic of each level.
STATISTICS_BY_LEVEL = {
    "system": tuple(name for name, groups in MATRIX_STATISTICS.items() if "means" in groups),
    "segment": SEGMENT_STATISTICS,
}
GRAMMAR = "PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT], as de-en:system:pearson:0.5 or de-en:segment:acc_eq/segment"


class Task(NamedTuple):
    """One column of the table: how far metrics agree with people on a language pair.

    pair: "*" for each there is, as a task of its own; several, with commas between, are one pot (of
    "pairwise_accuracy" alone). level: "system" or "segment". grouping: of segments, "none",
    "segment" or "system"; "" for what the statistic usually has. weight: in the average over tasks; None where all
    weigh alike.

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
        if self.statistic in CONVENTIONS:
            return CONVENTIONS[self.statistic].range
        return (0.0, 1.0) if self.statistic.endswith("accuracy") else (-1.0, 1.0)

    @property
    def level_and_statistic(self) -> str:
        """Level, statistic and grouping in one word."""
        return f"{self.level}:{self.statistic}{f'/{self.grouping}' if self.grouping else ''}"

    def __str__(self) -> str:
        return f"{self.pair}:{self.level_and_statistic}{'' if self.weight is None else f':{self.weight:g}'}"


def parse_task(text: str) -> Task:
    """A task from its text, PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT]; PAIR as in `Task`, empty for an unnamed one.

    Raises ParameterError for a text of another form, UnknownName for a statistic that the level does not have.

    >>> parse_task("de-en:system:pearson:0.25")
    Task(pair='de-en', level='system', statistic='pearson', grouping='', weight=0.25)
    """
    fields = text.split(":")
    if len(fields) not in (3, 4):
        raise ParameterError(f"a task is {text!r}, expected {GRAMMAR}")
    statistic, _, grouping = fields[2].partition("/")
    weight = None
    if len(fields) == 4:
        try:
            weight = float(fields[3])
        except ValueError:
            raise ParameterError(f"task {text}: the weight is {fields[3]!r}, expected a number, as 0.5") from None
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
                f"task {task}: only pairwise_accuracy puts pairs of systems of several language pairs in one pot; name "
                "a task for each language pair"
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
    by_pairs = task.statistic in MATRIX_STATISTICS
    return task._replace(grouping="segment" if by_pairs or task.statistic == "kendall_c" else "none")


def validate_tasks(
    tasks: str | Task | Sequence[str | Task] | None,
    *,
    level: str | None,
    statistic: str | None,
    grouping: str | None,
    weights: Mapping[str, float] | None,
) -> tuple[Task, ...] | None:
    """The requested tasks, checked; None where the level depends on the judgments.

    Raises ParameterError and UnknownName as `parse_task`, and for a task that stands twice, for weights that do not add
    up to 1, that only some have, or that are in tasks and beside them.
    """
    if tasks is not None:
        for name, value in (
            ("level", level),
            ("statistic", statistic),
            ("grouping", grouping),
            ("weights", weights),
        ):
            if value is not None:
                raise ParameterError(f"{name} and tasks both say what is computed; leave one of the two out")
        entries = [tasks] if isinstance(tasks, (str, Task)) else list(tasks)
        if not entries:
            raise ParameterError("there is no task, expected at least one; or leave tasks out")
        validated = tuple(parse_task(entry) if isinstance(entry, str) else validate_task(entry) for entry in entries)
        check_tasks(validated)
        return validated
    if weights is not None:
        check_weights(weights)
    if level is None:
        return None
    return (validate_task(Task(EVERY, level, statistic or default_statistic(level), grouping or "")),)


def default_statistic(level: str, people_ranked: bool = False) -> str:
    if level == "system":
        return "pairwise_accuracy"
    return "wmt12" if people_ranked else "acc_eq"


def check_tasks(tasks: Sequence[Task]) -> None:
    """Raise ParameterError for repeated tasks, and for weights that do not fit together."""
    names = [(task.pair, task.level_and_statistic) for task in tasks]
    if duplicate := next((task for task, name in zip(tasks, names, strict=True) if names.count(name) > 1), None):
        raise ParameterError(f"task {duplicate.pair}:{duplicate.level_and_statistic} stands twice, expected each once")
    weights = [task.weight for task in tasks if task.weight is not None]
    if not weights:
        return
    if len(weights) < len(tasks):
        unweighted = next(task for task in tasks if task.weight is None)
        raise ParameterError(f"task {unweighted} has no weight, and others have; give all of them one, or none")
    check_weights({f"{task.pair}:{task.level_and_statistic}": task.weight or 0.0 for task in tasks})


def spread_tasks(tasks: Sequence[Task], pairs: Sequence[str], weights: Mapping[str, float] | None) -> tuple[Task, ...]:
    """The tasks with one for each language pair in the place of "*", every one with its weight; these add up to 1.

    weights: of the language pairs. Raises UnknownName for a language pair that is not there; ParameterError as
    `check_tasks`.
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
            raise ParameterError("weights are of language pairs, and these data name none; leave weights out")
        if unknown := [pair for pair in weights if pair not in pairs]:
            raise UnknownName("language pair", unknown[0], pairs)
        if missing := [pair for pair in pairs if pair not in weights]:
            raise ParameterError(
                f"weights say nothing of {join_names(missing)}; give each language pair one, 0 for none"
            )
        expanded = [task._replace(weight=float(weights[task.pair])) for task in expanded]
    check_tasks(expanded)
    equal_weight = 1 / len(expanded)
    return tuple(task._replace(weight=equal_weight) if task.weight is None else task for task in expanded)

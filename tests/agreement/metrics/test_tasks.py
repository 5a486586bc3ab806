"""Tasks of a comparison of metrics: how they are written, and which weights they get."""

from __future__ import annotations

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

from rankscope.agreement.metrics import STATISTICS_BY_LEVEL, MetricComparisonSettings, Task, tasks_of
from rankscope.agreement.metrics.tasks import parse_task, spread_tasks
from rankscope.errors import ParameterError, UnknownName


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("de-en:system:pearson", Task("de-en", "system", "pearson")),
        (":system:spearman:1", Task("", "system", "spearman", "", 1.0)),
        ("*:segment:acc_eq:.25", Task("*", "segment", "acc_eq", "segment", 0.25)),
        ("a-b:segment:pearson/none", Task("a-b", "segment", "pearson", "none")),
        ("a-b:segment:wmt12", Task("a-b", "segment", "wmt12", "none")),
        ("a-b:segment:kendall_c", Task("a-b", "segment", "kendall_c", "segment")),
    ],
)
def test_a_task_is_pair_level_statistic_grouping_and_weight(text: str, task: Task) -> None:
    assert parse_task(text) == task
    assert parse_task(str(task)) == task


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("de-en", ParameterError, "'de-en', ... PAIR:LEVEL:STATISTIC"),
        ("a:b:system:pearson:1", ParameterError, "'a:b:system:pearson:1', ... PAIR"),
        (
            "a:sys:pearson",
            ParameterError,
            "task a:sys:pearson: ... 'sys', ... 'system', 'segment'",
        ),
        ("a:system:wmt12", ParameterError, "wmt12 ... level segment, ... a:system:wmt12"),
        ("a:segment:soft_pairwise_accuracy", ParameterError, "soft_pairwise_accuracy ... level system"),
        ("a:system:pearso", UnknownName, "did you mean pearson"),
        ("a:system:pearson/none", ParameterError, "task a:system:pearson/none: ... grouping"),
        ("a:segment:pearson/items", ParameterError, "grouping is 'items', ... 'none', 'segment'"),
        ("a:system:pearson:half", ParameterError, "weight is 'half', ... 0.5"),
        ("a:system:pearson:-1", ParameterError, "weight is -1.0, ... 0"),
        ("a:system:pearson:nan", ParameterError, "the weight is nan"),
    ],
)
def test_what_is_no_task_is_refused_in_one_line(text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=r"^[^\n]*$") as caught:
        parse_task(text)
    assert mentions(caught.value, *said.split(" ... "))


def settled(*tasks: str) -> tuple[Task, ...]:
    found = MetricComparisonSettings(tasks=tasks_of(tasks)).tasks
    assert found is not None
    return found


def test_weights_add_up_to_one_and_are_alike_where_none_is_given() -> None:
    alike = spread_tasks(settled("*:system:pearson", "b:segment:acc_eq"), ["a", "b"], None)
    assert [(task.pair, task.weight) for task in alike] == [("a", 1 / 3), ("b", 1 / 3), ("b", 1 / 3)]
    # that of * is shared by its language pairs
    own = spread_tasks(settled("*:system:pearson:0.5", "b:segment:acc_eq:0.5"), ["a", "b"], None)
    assert [task.weight for task in own] == [0.25, 0.25, 0.5]
    by_pair = spread_tasks((Task("*", "system", "pearson"),), ["a", "b"], {"b": 0.9, "a": 0.1})
    assert_same_numbers([task.weight for task in by_pair], [0.1, 0.9])
    assert spread_tasks(settled(":system:pearson"), ["a"], None) == (Task("a", "system", "pearson", "", 1.0),)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (["a:system:pearson:0.5", "b:system:pearson:0.4"], "weights .*0.9, .*1"),
        (["a:system:pearson:0.5", "b:system:pearson"], "task b:system:pearson .*weight"),
        (["a:system:pearson", "a:system:pearson"], "task a:system:pearson is given twice"),
        ([], "there is no task"),
    ],
)
def test_weights_that_do_not_fit_together_are_refused(tasks: list[str], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        MetricComparisonSettings(tasks=tasks_of(tasks))


def test_a_task_that_two_texts_ask_for_is_found_out_once_pairs_are_known() -> None:
    with pytest.raises(ParameterError, match="task a:system:pearson is given twice"):
        spread_tasks(settled("*:system:pearson", "a:system:pearson"), ["a"], None)
    with pytest.raises(UnknownName, match="language pair 'c'"):
        spread_tasks(settled("c:system:pearson"), ["a", "b"], None)
    with pytest.raises(ParameterError, match=r"weights .*\bb\b"):
        spread_tasks(settled("*:system:pearson"), ["a", "b"], {"a": 1.0})


def test_tasks_and_what_stands_for_them_are_not_given_both() -> None:
    for name, value in {"level": "system", "statistic": "pearson", "grouping": "none", "weights": {"a": 1.0}}.items():
        with pytest.raises(ParameterError, match=rf"^{name} .* tasks"):
            MetricComparisonSettings(tasks=tasks_of("a:system:pearson"), **{name: value})
    with pytest.raises(ParameterError, match=r"weights .*0\.5"):
        MetricComparisonSettings(weights={"a": 0.5})


def test_every_statistic_of_a_level_is_a_task() -> None:
    for level, names in STATISTICS_BY_LEVEL.items():
        for name in names:
            assert parse_task(f"a:{level}:{name}").statistic == name

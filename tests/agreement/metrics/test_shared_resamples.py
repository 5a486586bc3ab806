"""Tasks of several kinds on one language pair share their resamples, and so their average has a right p-value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.metric_scores import FEW, given, matrices, scored
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.agreement.judgments import Judgments
from rankscope.agreement.load import PeopleAndMetrics, load
from rankscope.agreement.metrics import compare_matrices
from rankscope.agreement.metrics.tasks import parse_task, resamples_of, run_task
from rankscope.agreement.settings import JudgmentSettings, MetricSettings

compare = rs.agreement.compare_metrics


def test_the_average_is_weighted_and_tested_by_the_weighted_draws() -> None:
    people, metrics = given((1, 2), noises=(0.6, 0.75))
    found = compare(people, metrics, tasks=["x-1:segment:pearson:0.2", "x-2:segment:pearson:0.8"], **FEW)
    assert found.value[2] == pytest.approx(0.2 * found.value[0] + 0.8 * found.value[1])
    draws = []
    for seed, pair in ((1, "x-1"), (2, "x-2")):
        resamples = resamples_of(found.settings, pair)
        kept = compare_matrices(*matrices(seed, (0.6, 0.75)), resamples=resamples, keep_differences=True)
        draws.append(kept.resampled_differences[0, 1])
    drawn = 0.2 * draws[0] + 0.8 * draws[1]
    far = np.count_nonzero(np.abs(drawn) >= abs(found.value[2, 0] - found.value[2, 1]))
    assert found.pvalue[2, 0, 1] == pytest.approx((1 + far) / 50)


def test_tasks_on_one_language_pair_share_their_resamples() -> None:
    people, metrics = given(noises=(0.6, 0.75))
    once = compare(people, metrics, tasks="x-1:segment:pearson", **FEW)
    # pearson by segment and acc_eq of the same language pair: the first keeps its p, whatever stands beside it
    both = compare(people, metrics, tasks=["x-1:segment:pearson", "x-1:system:pearson"], **FEW)
    assert both.pvalue[0] == pytest.approx(once.pvalue[0], nan_ok=True)
    # a task with all the weight is the average; of both levels it is that by swaps of systems
    alone = compare(people, metrics, tasks=["x-1:segment:pearson:1", "x-1:segment:acc_eq:0"], **FEW)
    assert alone.pvalue[2] == pytest.approx(once.pvalue[0], nan_ok=True)
    systems = compare(people, metrics, tasks="x-1:segment:pearson", swap="systems", **FEW)
    assert systems.pvalue[0, 0, 1] != once.pvalue[0, 0, 1]
    mixed = compare(people, metrics, tasks=["x-1:segment:pearson:1", "x-1:system:pearson:0"], **FEW)
    assert mixed.pvalue[2] == pytest.approx(systems.pvalue[0], nan_ok=True)
    assert ",swap cells+systems |" in mixed.signature()
    assert mentions(mixed.notes, "average", "whole systems")
    assert not any("whole systems" in note for note in alone.notes)


def test_a_task_on_lists_and_one_on_matrices_draw_the_same_segments() -> None:
    # kendall_b is of matrices, tau23 of lists of pairs; without ties among the metrics one is nearly the other
    people, metrics = given(noises=(0.6, 0.75))
    tasks = ["x-1:segment:kendall_b", "x-1:segment:tau23/segment"]
    runs = []
    for task in tasks:
        found = compare(people, metrics, tasks=[f"{task}:1", "x-1:segment:wmt12:0"], test="bootstrap", **FEW)
        settled = parse_task(task)
        given_now = PeopleAndMetrics(Judgments("people", people), tuple(metrics), rule="given")
        runs.append(run_task(given_now, settled, found.settings, keep_differences=True).resampled_differences[0, 1])
    assert np.corrcoef(runs)[0, 1] > 0.9
    both = compare(people, metrics, tasks=tasks, test="bootstrap", **FEW)
    assert np.isfinite(both.pvalue[2, 0, 1])


def test_tasks_that_draw_from_other_segments_leave_the_average_untested() -> None:
    gold, tables = matrices(noises=(0.6, 0.75))
    tables[0][:3, 4] = np.nan
    tables[1][3:, 4] = np.nan  # no translation of segment 5 has a score of both
    metrics = [scored(f"m{m}", table) for m, table in enumerate(tables)]
    tasks = ["x-1:segment:kendall_b", "x-1:segment:tau23/segment"]
    found = compare(scored("people", gold), metrics, tasks=tasks, test="bootstrap", **FEW)
    assert np.isfinite(found.pvalue[:2, 0, 1]).all()
    assert np.isnan(found.pvalue[2, 0, 1])
    assert mentions(found.notes, "x-1", "different segments")


def test_swaps_of_lists_and_of_matrices_are_the_same_and_so_averaged() -> None:
    people, metrics = given(noises=(0.6, 0.75))
    tasks = ["x-1:segment:kendall_b", "x-1:segment:tau23/segment"]
    found = compare(people, metrics, tasks=tasks, test="perm_both", **FEW)
    assert np.isfinite(found.pvalue[:, 0, 1]).all()
    inputs = load(people, metrics, JudgmentSettings(), MetricSettings(), level="any").for_systems(None)
    drawn = [
        run_task(inputs, parse_task(task), found.settings, keep_differences=True).resampled_differences[0, 1]
        for task in tasks
    ]
    assert np.corrcoef(drawn)[0, 1] > 0.95  # two versions of tau on the same swaps


@pytest.mark.slow
def test_the_average_of_lists_and_matrices_rejects_as_often_as_its_tasks() -> None:
    tasks = ["x-1:segment:kendall_b", "x-1:segment:tau23/segment"]
    p = []
    for seed in range(200):
        people, metrics = given((seed,), noises=(1.0, 1.0))
        p.append(compare(people, metrics, tasks=tasks, test="bootstrap", n_resamples=99, rng=seed).pvalue[:, 0, 1])
    rates = (np.array(p) <= 0.05).mean(axis=0)
    assert rates[2] <= rates[:2].max() + 0.02, rates  # drawn apart it was 2.5 times theirs


def test_soft_accuracy_is_the_same_whichever_metrics_and_tests_are_asked_for() -> None:
    people, (a, b, c) = given()
    how: dict[str, Any] = {"level": "system", "statistic": "soft_pairwise_accuracy", **FEW}
    values = compare(people, [a, b, c], **how).value[0].tolist()
    assert_same_bits(compare(people, [c, a], **how).value[0].tolist(), [values[2], values[0]])
    assert_same_bits(compare(people, [b, a], test="bootstrap", **how).value[0].tolist(), [values[1], values[0]])
    of_systems = rs.agreement.systems(people, [b, c, a], statistic="soft_pairwise_accuracy", rng=1)
    assert of_systems.value[:, 0].tolist() == pytest.approx([values[1], values[2], values[0]])

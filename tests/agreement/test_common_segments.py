"""The segments that scores of systems are made of: the same for all, refused or noted where they differ, one alone."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement import compare_metrics, systems
from rankscope.data.rankings import Labels
from rankscope.errors import InputError

NAMES = ("A", "B", "C", "D", "E")


def scored(name, table, segments, score=True):
    return MetricScores(name, {"x-y": PairScores(NAMES[: len(table)], tuple(map(str, segments)), table)}, score)


def random_scores(seed, segments, noise=1.0, holes=0.0, name="m"):
    rng = np.random.default_rng(seed)
    table = np.arange(5)[:, None] * 0.3 + noise * rng.normal(size=(5, len(segments)))
    table[rng.random(table.shape) < holes] = np.nan
    return scored(name, table, segments)


@pytest.mark.parametrize("common", [False, True])
def test_a_metric_of_other_segments_than_people_judged_is_refused(common):
    human, metric = random_scores(1, range(1, 11), name="human"), random_scores(2, range(21, 31))
    with pytest.raises(InputError, match=r"x-y: 0 .*human 1, 2.*; m 21, 22.*same segment names"):
        systems(human, metric, common=common)
    judged = Rankings.of([dict(zip("ABCDE", (1, 2, 3, 4, 5), strict=True))] * 3, name="rank")
    with pytest.raises(InputError, match=r"same segment names"):
        systems(judged, MetricScores("m", {"": metric.pairs["x-y"]}), common=common)


def test_fewer_segments_than_people_judged_are_refused_or_compared_where_both_have_scores():
    human, metric = random_scores(1, range(1, 11), name="human"), random_scores(2, range(4, 31))
    said = r"x-y: m .*segments 1, 2 and 3, .*\b7\b"
    with pytest.raises(InputError, match=said):
        systems(human, metric)
    found = systems(human, metric, common=True, n_resamples=20)
    assert mentions(found.notes, "x-y: 3 segments skipped", "1, 2 and 3")
    assert mentions(found.notes, "x-y: means", 7, 10)
    assert found.human[0] == pytest.approx(human.pairs["x-y"].values[:, 3:].mean(axis=1))
    assert found.scores[0][0] == pytest.approx(metric.pairs["x-y"].values[:, :7].mean(axis=1))


def test_of_rankings_a_note_says_how_many_segments_a_metric_has():
    judged = Rankings.of([{"A": 1, "B": 2, "C": 3, "D": 4, "E": 5}, {"A": 2, "B": 1, "C": 3, "D": 4, "E": 5}], name="r")
    judged = Rankings(**{**vars(judged), "segment": Labels.of(["1", "2"])})
    metric = MetricScores("m", {"": random_scores(2, range(2, 8)).pairs["x-y"]})
    found = systems(judged, metric, n_resamples=10)
    assert mentions(found.notes, "m ", 1, 2, "segments")
    assert found.scores[0][0] == pytest.approx(metric.pairs[""].values.mean(axis=1))  # all that the metric has


@pytest.mark.parametrize("over", ["common", "own"])
@pytest.mark.parametrize("statistic", ["pearson", "pairwise_accuracy", "soft_pairwise_accuracy"])
def test_values_are_those_of_the_tests_between_metrics_also_with_missing_scores(over, statistic):
    human = random_scores(1, range(60), holes=0.1, name="human")
    metrics = [random_scores(seed, range(60), holes=0.05, name=f"m{seed}") for seed in (2, 3)]
    asked = {"statistic": statistic, "over": over, "rng": 3}
    found = systems(human, metrics, interval="none", **asked)
    tests = compare_metrics(human, metrics, level="system", n_resamples=20, test="perm_both", **asked)
    assert tests.value[0] == pytest.approx(found.value[:, 0])
    stack = np.array([one.pairs["x-y"].values for one in (human, *metrics)])
    there = ~np.isnan(stack).any(axis=0)
    if over == "common":
        there &= there.all(axis=0)
        assert mentions(found.notes, "x-y: means", int(there[0].sum()), 60)
        assert mentions(tests.notes, "x-y: means", int(there[0].sum()), 60)
    means = np.nanmean(np.where(there, stack, np.nan), axis=2)
    assert found.human[0] == pytest.approx(means[0])
    assert found.scores[0] == pytest.approx(means[1:])


def test_one_segment_has_no_interval_and_a_note_says_why():
    human, metric = random_scores(1, [1], name="human"), random_scores(2, [1])
    found = systems(human, metric, n_resamples=20)
    assert not np.isnan(found.value).any()
    assert np.isnan([found.low, found.high]).all()
    notes = found.sections()[0].notes
    assert mentions(notes, "no interval", "m (x-y)", "two segments")
    two = systems(random_scores(1, [1, 2], name="human"), random_scores(2, [1, 2]), n_resamples=20)
    assert not np.isnan(two.low).any()
    judged = Rankings.of([{"A": 1, "B": 2, "C": 3, "D": 4, "E": 5}], name="rank")
    whole = MetricScores("m", {"": random_scores(2, judged.segment.names).pairs["x-y"]})
    for rule, prior in (("wins", 0.0), ("bradley_terry", 0.5)):
        assert np.isnan(systems(judged, whole, human=rule, prior=prior, n_resamples=20).low).all()


def test_intervals_say_that_they_lie_too_low_where_systems_are_close():
    human, metric = random_scores(1, range(20), name="human"), random_scores(2, range(20))
    notes = systems(human, metric, n_resamples=20).sections()[0].notes
    assert any("intervals are too low" in note for note in notes)
    assert not any("too low" in note for note in systems(human, metric, interval="none").sections()[0].notes)


def test_soft_accuracy_of_a_metric_depends_on_no_other_metric_and_on_no_order():
    human = random_scores(1, range(30), name="human")
    metrics = [random_scores(seed, range(30), name=f"m{seed}") for seed in (2, 3, 4)]
    asked = {"statistic": "soft_pairwise_accuracy", "rng": 5}
    every = dict(zip(("m2", "m3", "m4"), systems(human, metrics, **asked).value[:, 0].tolist(), strict=True))
    for some in ([metrics[2], metrics[0]], [metrics[1]], metrics[::-1]):
        found = systems(human, some, **asked)
        assert_same_bits(found.value[:, 0].tolist(), [every[name] for name in found.metrics])


def test_weights_are_not_forgotten_in_the_sentence():
    human = MetricScores(
        "human", {"a-b": random_scores(1, range(9)).pairs["x-y"], "c-d": random_scores(2, range(9)).pairs["x-y"]}
    )
    metric = MetricScores(
        "m", {"a-b": random_scores(3, range(9)).pairs["x-y"], "c-d": random_scores(4, range(9)).pairs["x-y"]}
    )
    found = systems(human, metric, weights={"a-b": 1, "c-d": 0}, n_resamples=10)
    said = found.sections()[0].sentence
    assert mentions(said, "m against people", "weighted average", 2, f"pairwise accuracy {found.value[0, 0]:.4f}")
    plain = systems(human, metric, n_resamples=10).sections()[0].sentence
    assert mentions(plain, "m against people", 2, f"pairwise accuracy {found.pooled[0]:.4f}")
    assert "weighted" not in plain

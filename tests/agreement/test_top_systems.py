"""The best systems and several statistics at once: subsets and resamples by loops, ties at the border, refusals."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope import MetricScores, PairScores
from rankscope.agreement import systems
from rankscope.agreement.statistics import SYSTEM_STATISTICS, system_statistic
from rankscope.errors import ParameterError, UnknownName
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.stats import correlation_test

NAMES = tuple("ABCDEFG")


def given_scores(name, values, pair=""):
    return MetricScores.of(name, {pair: dict(zip(NAMES, values, strict=False))})


def scored(seed, name, noise, n_segments=12, pair="", higher=True):
    """Scores of segments around the same quality of seven systems."""
    rng = np.random.default_rng(seed)
    values = np.linspace(1, 0, 7)[:, None] + noise * rng.normal(size=(7, n_segments))
    segments = tuple(map(str, range(n_segments)))
    return MetricScores(name, {pair: PairScores(NAMES, segments, values if higher else -values)}, higher)


@given(st.integers(0, 10_000), st.integers(2, 7))
@examples(20)
def test_the_top_is_the_statistic_of_a_subset_and_its_interval_that_of_a_loop(seed, k):
    people, metric = scored(seed, "people", 1.0), scored(seed + 1, "metric", 1.0)
    names = ("kendall_b", "pairwise_accuracy", "tau_ap", "pearson")
    found = systems(people, metric, statistic=names, top=k, n_resamples=20, rng=seed)
    tables = [scores.pairs[""].values for scores in (people, metric)]
    means = np.array([table.mean(axis=1) for table in tables])
    best = sorted(sorted(range(7), key=lambda i: -means[0, i])[:k])
    assert found.top_systems == (tuple(NAMES[i] for i in best),)
    draws = draw(np.random.default_rng([seed, zlib.crc32(b"")]), 20)
    resampled = [
        [table[:, i].mean(axis=1) for table in tables] for i in np.concatenate([*bootstrap_indices(draws, 12)])
    ]
    for part, top, name in zip(found.statistics, found.top, names, strict=True):
        for values, rows in ((part, list(range(7))), (top, best)):
            alone = system_statistic(means[:1, rows], means[1:, rows], name)
            assert values.value[:, 0] == pytest.approx(alone, nan_ok=True)
            drawn = [float(system_statistic(x[None, rows], y[None, rows], name)[0]) for x, y in resampled]
            drawn = [value for value in drawn if not np.isnan(value)]
            expected = np.quantile(drawn, [0.025, 0.975]) if drawn else [np.nan] * 2
            if alone[0] < expected[0] - 1e-12 or alone[0] > expected[1] + 1e-12:
                expected = [np.nan] * 2  # an interval that misses the value is none
                assert values.missed[0, 0]
            assert [values.low[0, 0], values.high[0, 0]] == pytest.approx(expected, nan_ok=True)
            n = len(rows)
            assert values.n.tolist() == [[n * (n - 1) // 2 if name == "pairwise_accuracy" else n]]


def test_the_top_of_given_scores_has_the_interval_of_fisher():
    people, metric = given_scores("people", [9, 8, 7, 6, 5, 1, 2]), given_scores("metric", [8, 9, 5, 7, 4, 2, 1])
    found = systems(people, metric, statistic=["pearson", "tau_ap"], top=5)
    peer = correlation_test([9, 8, 7, 6, 5], [8, 9, 5, 7, 4], statistic="pearson")
    assert found.top[0].value[0, 0] == pytest.approx(stats.pearsonr([9, 8, 7, 6, 5], [8, 9, 5, 7, 4])[0])
    assert (found.top[0].low[0, 0], found.top[0].high[0, 0]) == pytest.approx((float(peer.low), float(peer.high)))
    # Down the metric B A D C E: 0 / 1, 2 / 2, 2 / 3, 4 / 4.
    assert found.top[1].value[0, 0] == pytest.approx(2 / 4 * (0 + 1 + 2 / 3 + 1) - 1)
    assert (found.statistics[0].interval, found.statistics[1].interval) == ("fisher", "none")
    rows = list(found.records())
    assert [row[2] for row in rows] == ["pearson", "tau_ap", "pearson@5", "tau_ap@5"]
    assert [row[6] for row in rows] == [7, 7, 5, 5]
    assert mentions(found.signature(), "statistic:pearson,tau_ap", "top:5", "interval:fisher,0.95+none")
    assert mentions(str(found), "Among the best 5 systems", "A, B, C, D and E")


def test_ties_at_the_border_are_in_and_a_short_list_is_all_of_them():
    people, metric = given_scores("people", [5, 4, 4, 4, 1, 0, 2]), given_scores("metric", [7, 6, 5, 4, 3, 2, 1])
    found = systems(people, metric, top=2, statistic="kendall_b")
    assert found.top_systems == (("A", "B", "C", "D"),)
    assert mentions(found.notes, "the best 2 systems are 4", "B, C and D are equal")
    few = systems(people, metric, top=9, statistic="kendall_b")
    assert few.top[0].value.tolist() == few.value.tolist()
    assert mentions(few.notes, "only 7 systems")
    assert mentions(str(few), "These are all systems")
    assert mentions(str(found), "differ less than all systems do")
    # Lower is better: the best are those with the least.
    lower = systems(people, metric, top=2, lower=["people"])
    assert lower.top_systems == (("E", "F"),)


def test_the_top_is_taken_from_what_is_left_without_outliers_and_averaged_over_pairs():
    values, metric_values = [90, 5, 4, 3, 2, 1, 0], [9, 5, 3, 4, 2, 1, 0]
    people = MetricScores.of("p", {pair: dict(zip(NAMES, values, strict=True)) for pair in ("x-y", "y-x")})
    metric = MetricScores.of(
        "m",
        {
            "x-y": dict(zip(NAMES, metric_values, strict=True)),
            "y-x": dict(zip(NAMES, reversed(metric_values), strict=True)),
        },
    )
    found = systems(people, metric, top=3, without_outliers=True, weights={"x-y": 0.25, "y-x": 0.75})
    assert found.top_systems == (tuple("BCD"),) * 2
    assert found.top[0].value.tolist() == [[2 / 3, 0.0]]
    assert found.top[0].average == pytest.approx([0.25 * 2 / 3])
    assert found.top[0].pooled == pytest.approx([2 / 6])
    assert [row[1:3] for row in found.records()][-2:] == [
        ("average", "pairwise_accuracy@3"),
        ("all", "pairwise_accuracy@3"),
    ]
    several = systems(people, metric, top=3, statistic=["tau_ap", "spearman"])
    assert mentions(str(several), "tau AP", "spearman", "average", "best 3")


def test_soft_pairwise_accuracy_among_the_top_is_that_of_their_scores_alone():
    people, metric = scored(1, "people", 1.0), scored(2, "metric", 1.0)
    found = systems(people, metric, statistic=["soft_pairwise_accuracy", "kendall_b"], top=3, n_resamples=50, rng=1)
    rows = [NAMES.index(name) for name in found.top_systems[0]]
    alone = [
        MetricScores(
            s.metric, {"": PairScores(tuple(NAMES[i] for i in rows), s.pairs[""].segments, s.pairs[""].values[rows])}
        )
        for s in (people, metric)
    ]
    peer = systems(alone[0], alone[1], statistic="soft_pairwise_accuracy", n_resamples=50, rng=1)
    assert found.top[0].value.tolist() == peer.value.tolist()
    assert mentions(found.signature(), "permutations:50", "interval:none+segments")


def test_each_of_several_statistics_is_what_it_is_alone():
    people, metrics = scored(3, "people", 1.0), [scored(4, "one", 0.5), scored(5, "two", 2.0, higher=False)]
    together = systems(people, metrics, statistic=SYSTEM_STATISTICS, n_resamples=30, rng=2, absolute=True)
    for values in together.statistics:
        options = {} if values.statistic.endswith("accuracy") else {"absolute": True}
        alone = systems(people, metrics, statistic=values.statistic, n_resamples=30, rng=2, **options)
        for name in ("value", "low", "high", "n", "average"):
            np.testing.assert_array_equal(getattr(values, name), getattr(alone, name))
    assert together.value.tolist() == together.statistics[0].value.tolist()
    assert mentions(str(together), "Agrees most with people on systems", "|tau AP|", "pairwise accuracy")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"top": 1}, ParameterError, ["top", "2"]),
        ({"top": 2.5}, ParameterError, ["top"]),
        ({"statistic": []}, ParameterError, ["no statistic"]),
        ({"statistic": ["pearson", "tau_app"]}, UnknownName, ["tau_app", "tau_ap"]),
        ({"statistic": ["tau_ap", "pairwise_accuracy"], "interval": "fisher"}, ParameterError, ["needs", "kendall_b"]),
        ({"statistic": ["pairwise_accuracy"], "absolute": True}, ParameterError, ["absolute", "no sign"]),
        ({"statistic": ["soft_pairwise_accuracy"], "interval": "segments"}, ParameterError, ["no interval"]),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused(options, error, words):
    with pytest.raises(error) as raised:
        systems(scored(1, "people", 1.0), scored(2, "metric", 1.0), **options)
    assert mentions(raised.value, *words)

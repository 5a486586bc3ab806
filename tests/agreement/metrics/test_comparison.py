"""Metrics against each other: values, tests, the weighted average, ranks, and what is left out or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.metric_scores import FEW, SEGMENTS, SYSTEMS, given, matrices, scored
from helpers.same import assert_same_numbers
from hypothesis import given as given_lists
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import rankscope as rs
from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement import MetricComparison
from rankscope.agreement.metrics import cluster_ranks, compare_matrices
from rankscope.agreement.metrics.metric_tests import pvalues_of_differences
from rankscope.agreement.metrics.tasks import resamples_of
from rankscope.agreement.statistics import CONVENTIONS, calibrate, calibration_curve, random_stream
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import bootstrap_indices, draw

compare = rs.agreement.compare_metrics


def test_one_task_is_what_the_numbers_on_matrices_are() -> None:
    gold, metrics = matrices()
    found = compare(*given(), statistic="pearson", correction="none", **FEW)
    resamples = resamples_of(found.settings, "x-1")  # a stream for each language pair
    plain = compare_matrices(gold, metrics, alternative="two-sided", resamples=resamples)
    assert found.value[0] == pytest.approx(plain.value)
    assert found.pvalue[0] == pytest.approx(plain.pvalue, nan_ok=True)
    assert found.pvalue_corrected[0] == pytest.approx(plain.pvalue, nan_ok=True)
    assert (found.systems, found.segments, found.tests) == ((6,), (30,), ("perm_both",))


def test_the_tidy_table_has_a_row_for_every_two_metrics_and_task() -> None:
    found = compare(*given((1, 2)), statistic="pearson", **FEW)
    rows = [dict(zip(MetricComparison.COLUMNS, row, strict=True)) for row in found.records()]
    assert [(row["metric_a"], row["metric_b"], row["pair"]) for row in rows[:4]] == [
        ("m0", "m1", "x-1"),
        ("m0", "m2", "x-1"),
        ("m1", "m2", "x-1"),
        ("m0", "m1", "x-2"),
    ]
    assert {row["statistic"] for row in rows} == {"segment:pearson/segment"}
    for row in rows:
        assert_same_numbers(row["difference"], row["value_a"] - row["value_b"])
    assert [row["n"] for row in rows[::3]] == [30, 30, 2]  # segments; tasks
    assert rows[6]["pair"] == "average"
    assert rows[6]["value_a"] == pytest.approx((rows[0]["value_a"] + rows[3]["value_a"]) / 2)
    assert found.frame().columns == list(MetricComparison.COLUMNS)


@pytest.mark.parametrize(
    ("test", "kind"), [("perm_both", "null"), ("boot_both", "values"), ("bootstrap", "values"), ("pair_swaps", "null")]
)
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_p_values_from_kept_draws_are_those_of_the_test(test: str, kind: str, alternative: str) -> None:
    gold, metrics = matrices(noises=(0.5, 0.55, 0.7))
    settings: dict[str, Any] = {"statistic": "acc_eq", "test": test, "alternative": alternative, "n_resamples": 99}
    kept = compare_matrices(gold, metrics, keep_differences=True, rng=3, **settings)
    plain = compare_matrices(gold, metrics, rng=3, **settings)
    assert plain.resampled_differences == {}
    assert kept.pvalue == pytest.approx(plain.pvalue, nan_ok=True)
    from_draws = pvalues_of_differences(kept.value, kept.resampled_differences, kind, alternative)
    assert from_draws == pytest.approx(plain.pvalue, nan_ok=True)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        high, low = (i, j) if kept.value[i] >= kept.value[j] else (j, i)
        assert plain.pvalue_of_higher[i, j] == plain.pvalue_of_higher[j, i] == plain.pvalue[high, low]


def test_flat_kendall_keeps_draws_that_are_exact() -> None:
    gold, metrics = matrices(noises=(0.5, 0.7))
    settings: dict[str, Any] = {"statistic": "kendall_b", "grouping": "none", "n_resamples": 29}
    kept = compare_matrices(gold, metrics, keep_differences=True, rng=3, **settings)
    assert kept.pvalue == pytest.approx(compare_matrices(gold, metrics, rng=3, **settings).pvalue, nan_ok=True)
    assert np.unique(kept.resampled_differences[0, 1]).size > 20


def test_metrics_of_one_rank_are_a_cluster_and_ranges_count_those_that_differ() -> None:
    found = compare(*given(noises=(0.5, 0.55, 3.0, 3.1)), statistic="pearson", n_resamples=499, rng=1)
    better = (found.pvalue_corrected[0] <= 0.05) & (found.value[0][:, None] > found.value[0])
    assert found.rank[0].tolist() == [1, 1, 2, 2]
    assert found.clusters[0].rank_low.tolist() == (1 + better.sum(axis=0)).tolist() == [1, 1, 3, 3]
    assert found.clusters[0].rank_high.tolist() == (4 - better.sum(axis=1)).tolist() == [2, 2, 4, 4]
    assert mentions(found.sections()[0].sentence, "m1 and m0", "best", "(pearson 0.")
    assert "no metric is significantly better" in found.sections()[0].sentence


@given_lists(
    st.integers(1, 7).flatmap(lambda m: arrays(np.float64, (m, m), elements=st.sampled_from([0.01, 0.05, 0.5])))
)
def test_a_new_rank_begins_where_a_metric_of_the_present_one_is_better(chances: np.ndarray) -> None:
    pvalues = np.minimum(chances, chances.T)
    m = len(pvalues)
    expected, start = [1], 0
    for i in range(1, m):  # metric i against each from `start` on, one by one
        fresh = False
        for j in range(start, i):
            fresh = fresh or pvalues[j, i] <= 0.05
        expected.append(expected[-1] + fresh)
        start = i if fresh else start
    assert cluster_ranks(range(m), pvalues, 0.05).tolist() == expected
    order = np.random.default_rng(m).permutation(m)
    shuffled = cluster_ranks(np.argsort(order).tolist(), pvalues[np.ix_(order, order)], 0.05)
    assert shuffled[np.argsort(order)].tolist() == expected


def test_several_language_pairs_in_one_pot_are_counted_by_their_pairs_of_systems() -> None:
    people, metrics = given((1, 2), noises=(1.5, 4.0))
    small = {"x-2": PairScores(SYSTEMS[:3], SEGMENTS, people.pairs["x-2"].values[:3])}
    people = MetricScores("people", {"x-1": people.pairs["x-1"], **small})
    metrics = [
        MetricScores(
            m.metric, {"x-1": m.pairs["x-1"], "x-2": PairScores(SYSTEMS[:3], SEGMENTS, m.pairs["x-2"].values[:3])}
        )
        for m in metrics
    ]
    found = compare(people, metrics, tasks=["x-1,x-2:system:pairwise_accuracy"], **FEW)
    plain = rs.agreement.systems(people, metrics, interval="none")
    assert found.value[0] == pytest.approx(plain.pooled)
    assert found.systems == (9,)
    single = compare(people, metrics, level="system", statistic="pairwise_accuracy", **FEW)
    assert found.value[0] == pytest.approx((15 * single.value[0] + 3 * single.value[1]) / 18)
    with pytest.raises(ParameterError, match=r"only pairwise_accuracy .*language pairs"):
        compare(people, metrics, tasks=["x-1,x-2:system:pearson"], **FEW)
    with pytest.raises(UnknownName, match="language pair 'x-3'"):
        compare(people, metrics, tasks=["x-1,x-3:system:pairwise_accuracy"], **FEW)


def test_statistics_of_other_ranges_are_brought_to_one_before_they_are_averaged() -> None:
    people, metrics = given()
    tasks = ["x-1:segment:acc_eq:0.25", "x-1:segment:pearson:0.75"]
    found = compare(people, metrics, tasks=tasks, **FEW)
    assert found.value[2] == pytest.approx(0.25 * found.value[0] + 0.75 * (1 + found.value[1]) / 2)
    assert mentions(found.notes, "0 to 1")
    # all the weight on the correlation: the test is that of the correlation
    alone = compare(people, metrics, tasks=["x-1:segment:acc_eq:0", "x-1:segment:pearson:1"], **FEW)
    assert alone.pvalue[2] == pytest.approx(alone.pvalue[1], nan_ok=True)


def test_each_task_is_a_family_of_its_own() -> None:
    found = compare(*given((1, 2)), statistic="pearson", n_resamples=99, rng=1)
    p = found.pvalue[1][np.triu_indices(3, 1)]
    low, middle, high = np.sort(p)
    holm = [min(1, 3 * low), min(1, max(3 * low, 2 * middle)), min(1, max(3 * low, 2 * middle, high))]
    assert np.sort(found.pvalue_corrected[1][np.triu_indices(3, 1)]) == pytest.approx(holm)


def test_greater_asks_of_the_higher_one_whether_it_is_better() -> None:
    people, metrics = given(noises=(0.75, 0.6))
    two = compare(people, metrics, statistic="pearson", n_resamples=199, rng=1)
    one = compare(people, metrics, statistic="pearson", alternative="greater", n_resamples=199, rng=1)
    assert one.value[0, 1] > one.value[0, 0]
    assert one.pvalue[0, 0, 1] == one.pvalue[0, 1, 0] < two.pvalue[0, 0, 1]


def test_lower_is_better_where_it_is_said_so() -> None:
    gold, metrics = matrices()
    people = scored("people", gold)
    turned = [scored("m0", metrics[0]), scored("ter", -metrics[1], score=False)]
    plain = compare(people, [scored("m0", metrics[0]), scored("ter", metrics[1])], statistic="pearson", **FEW)
    assert compare(people, turned, statistic="pearson", **FEW).pvalue == pytest.approx(plain.pvalue, nan_ok=True)
    raw = [scored("m0", metrics[0]), scored("ter", -metrics[1])]
    assert compare(people, raw, lower="ter", statistic="pearson", **FEW).value == pytest.approx(plain.value)


def test_what_a_metric_lacks_is_left_out_for_all_and_counted() -> None:
    gold, metrics = matrices()
    metrics[1, 0, :4] = np.nan
    found = compare(scored("people", gold), [scored(f"m{i}", m) for i, m in enumerate(metrics)], **FEW)
    assert mentions(found.notes, "x-1: ", 4, "all metrics")
    gold[0, :4] = np.nan
    same = compare(scored("people", gold), [scored(f"m{i}", m) for i, m in enumerate(metrics)], **FEW)
    assert found.value == pytest.approx(same.value)


def test_sets_that_differ_are_refused_and_named_or_compared_where_they_meet() -> None:
    gold, metrics = matrices()
    people, first = scored("people", gold), scored("m0", metrics[0])
    fewer = MetricScores("m1", {"x-1": PairScores(SYSTEMS[:-1], SEGMENTS, metrics[1][:-1])})
    with pytest.raises(InputError, match=r"x-1: m1 .*\bF\b"):
        compare(people, [first, fewer], **FEW)
    found = compare(people, [first, fewer], common=True, **FEW)
    assert found.systems == (5,)
    assert mentions(found.notes, "x-1: ", "1 system", "skipped", " F")
    short = MetricScores("m1", {"x-1": PairScores(SYSTEMS, SEGMENTS[2:], metrics[1][:, 2:])})
    with pytest.raises(InputError, match=r"x-1: m1 .*\b1 and 2\b"):
        compare(people, [first, short], **FEW)
    assert compare(people, [first, short], common=True, **FEW).segments == (28,)
    more = MetricScores("m1", {"x-1": PairScores((*SYSTEMS, "G"), SEGMENTS, np.vstack([metrics[1], metrics[1][:1]]))})
    assert mentions(compare(people, [first, more], **FEW).notes, "x-1: G ", "judge")
    elsewhere = scored("m1", metrics[1], metrics[1])
    both = scored("people", gold, gold)
    with pytest.raises(InputError, match=r"m0 .*'x-2', .*'x-1'"):
        compare(both, [first, elsewhere], **FEW)
    assert [task.pair for task in compare(both, [first, elsewhere], common=True, **FEW).tasks] == ["x-1"]


def systems_of(name: str, values: Sequence[float]) -> MetricScores:
    return MetricScores.of(name, {"x-1": dict(zip(SYSTEMS, values, strict=False))})


def test_scores_of_systems_are_compared_by_swaps_or_draws_of_systems_or_by_williams() -> None:
    people = systems_of("people", (1, 2, 3, 4, 5, 6))
    metrics = [systems_of("a", (1, 2, 3, 5, 4, 6)), systems_of("b", (3, 1, 2, 5, 4, 3))]
    found = compare(people, metrics, statistic="pearson", n_resamples=499, rng=1)
    assert (found.tasks[0].level, found.tests, found.systems, found.segments) == ("system", ("perm_both",), (6,), (0,))
    assert mentions(found.notes, "whole systems")
    r = [np.corrcoef(x, y)[0, 1] for x, y in ((range(6), (1, 2, 3, 5, 4, 6)), (range(6), (3, 1, 2, 5, 4, 3)))]
    assert found.value[0] == pytest.approx(r)
    between = np.corrcoef((1, 2, 3, 5, 4, 6), (3, 1, 2, 5, 4, 3))[0, 1]
    williams = compare(people, metrics, statistic="pearson", test="williams")
    expected = rs.stats.williams_test(r[0], r[1], between, n=6).pvalue
    assert williams.pvalue[0, 0, 1] == pytest.approx(float(expected))
    assert "rng" not in williams.signature()


def test_one_metric_of_systems_makes_all_of_them_so() -> None:
    people, metrics = given()
    whole = systems_of("bleu", (9, 8, 7, 3, 2, 1))
    found = compare(people, [metrics[0], whole], level="system", statistic="pearson", **FEW)
    gold, tables = matrices()
    assert found.value[0, 0] == pytest.approx(np.corrcoef(gold.mean(axis=1), tables[0].mean(axis=1))[0, 1])
    assert found.segments == (0,)
    with pytest.raises(InputError, match=r"bleu .*level system"):
        compare(people, [metrics[0], whole], level="segment", **FEW)


def ranked() -> Rankings:
    gold, metrics = matrices()
    found = Rankings.of([dict(zip(SYSTEMS, (20 - gold[:, i]).tolist(), strict=True)) for i in range(len(SEGMENTS))])
    for name, table in zip(("near", "far"), (metrics[0], metrics[2]), strict=True):
        found = found.with_column(name, table.T.ravel(), higher_is_better=True)
    return found


def test_rankings_of_segments_have_a_paired_bootstrap_over_segments() -> None:
    found = compare(ranked(), n_resamples=199, rng=1)
    assert (found.tasks[0].level_and_statistic, found.tests, found.metrics) == (
        "segment:wmt12/none",
        ("bootstrap",),
        ("near", "far"),
    )
    plain = rs.agreement.segments(ranked(), n_resamples=199, rng=1)
    assert found.value[0] == pytest.approx(plain.value[:, 0])
    # no resample of segments has far above near: p = 2 / 200
    assert found.pvalue[0, 0, 1] == pytest.approx((1 + 1) / 200)
    for test in ("perm_both", "boot_both", "pair_swaps"):
        other = compare(ranked(), test=test, **FEW)
        assert other.value[0] == pytest.approx(plain.value[:, 0])
        assert other.pvalue[0, 0, 1] <= 0.2
    with pytest.raises(ParameterError, match="Williams' test is for pearson"):
        compare(ranked(), test="williams")


def test_rankings_of_systems_become_wins() -> None:
    found = compare(ranked(), level="system", statistic="spearman", **FEW)
    plain = rs.agreement.systems(ranked(), statistic="spearman", interval="none")
    assert found.value[0] == pytest.approx(plain.value[:, 0])
    assert "| human:wins |" in found.signature()


@pytest.mark.parametrize("statistic", ["pearson", "kendall_b", "tau_ap", "pairwise_accuracy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_wins_are_made_anew_from_drawn_segments_in_a_bootstrap(statistic: str, weighted: bool) -> None:
    """By a loop over resamples: wins of people and means of metrics on the drawn segments."""
    people = ranked()
    n = len(people)
    weights = np.random.default_rng(5).uniform(0.5, 2, n) if weighted else np.ones(n)
    judged = replace(people, weight=weights) if weighted else people
    found = compare(judged, level="system", statistic=statistic, test="bootstrap", n_resamples=19, rng=4)
    assert found.tests == ("bootstrap",)
    assert mentions(found.notes, "claims about these systems only")

    ranks, tables = people.table("rank"), {name: -people.table(name) for name in ("near", "far")}

    def values(segments: np.ndarray) -> list[float]:
        wins, games = np.zeros(len(SYSTEMS)), np.zeros(len(SYSTEMS))
        for k in segments:
            for a, b in permutations(range(len(SYSTEMS)), 2):
                if ranks[k, a] < ranks[k, b]:
                    wins[a] += weights[k]
                    games[[a, b]] += weights[k]
        of_people = wins / games
        means = [sum(weights[k] * table[k] for k in segments) / weights[segments].sum() for table in tables.values()]
        if statistic == "pairwise_accuracy":
            first, second = np.triu_indices(len(SYSTEMS), 1)
            signs = [np.sign(x[first] - x[second]) for x in (of_people, *means)]
            return [float((signs[0] == signs[m]).mean()) for m in (1, 2)]
        function = {
            "pearson": lambda x, y: stats.pearsonr(x, y)[0],
            "kendall_b": lambda x, y: stats.kendalltau(x, y)[0],
            "tau_ap": rs.measures.rank_similarity.tau_ap,
        }[statistic]
        return [float(function(of_people, x)) for x in means]

    assert found.value[0] == pytest.approx(values(np.arange(n)))
    draws = draw(random_stream(4, people.pair.names[0]), 19)
    resampled = np.array([values(segments) for segments in np.concatenate(list(bootstrap_indices(draws, n)))])
    differences = resampled[:, 0] - resampled[:, 1]
    n_extreme = min(np.count_nonzero(sign * differences <= 1e-10) for sign in (1, -1))
    assert found.pvalue[0, 0, 1] == pytest.approx(min(1, (2 * n_extreme + 2) / 20))


def test_a_bootstrap_needs_segments_of_all_sides() -> None:
    people, metrics = given()
    whole = systems_of("bleu", (9, 8, 7, 3, 2, 1))
    for judged, scores, options, text in (
        (people, [metrics[0], whole], {}, "whole systems"),
        (systems_of("people", (1, 2, 3, 4, 5, 6)), [whole, systems_of("b", (3, 1, 2, 5, 4, 3))], {}, "whole systems"),
        (ranked(), (), {"human": "bradley_terry"}, "bradley_terry"),
    ):
        with pytest.raises(ParameterError, match=text):
            compare(judged, scores, level="system", statistic="pearson", test="bootstrap", n_resamples=9, **options)


def test_tasks_on_rankings_and_on_their_systems_share_a_bootstrap() -> None:
    found = compare(ranked(), tasks=[":segment:wmt12", ":system:pearson"], test="bootstrap", n_resamples=99, rng=1)
    assert found.tests == ("bootstrap", "bootstrap")
    assert not np.isnan(found.pvalue[2, 0, 1])
    assert mentions(found.notes, "average") is False


def test_tests_without_common_resamples_leave_the_average_untested() -> None:
    found = compare(ranked(), tasks=[":segment:wmt12", ":system:pearson"], **FEW)
    assert found.tests == ("bootstrap", "perm_both")
    assert np.isnan(found.pvalue[2]).all()
    assert mentions(found.notes, "2 tasks", "not tested", "bootstrap", "perm_both")
    assert "not tested" in found.sections()[0].sentence
    assert found.sections()[0].table is not None


@pytest.mark.slow
def test_metrics_of_one_worth_are_told_apart_by_the_average_as_often_as_the_level_says() -> None:
    tasks = ["x-1:segment:pearson", "x-1:system:pearson", "x-2:segment:pearson/none"]  # two share their resamples
    p = []
    for seed in range(0, 800, 2):
        people, metrics = given((seed, seed + 1), noises=(1.0, 1.0))
        p.append(compare(people, metrics, tasks=tasks, n_resamples=99, rng=seed).pvalue[:, 0, 1])
    rates = (np.array(p) <= 0.05).mean(axis=0)
    assert (rates < 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(p))).all(), rates


def test_a_correction_that_no_p_can_pass_is_said() -> None:
    people, metrics = given()
    assert any("use 60 or more" in note for note in compare(people, metrics, **FEW).notes)  # 3 / .05
    assert not any("or more" in note for note in compare(people, metrics, n_resamples=60, rng=1).notes)
    # a two-sided bootstrap has no p below 2 / (1 + B)
    drawn = compare(people, metrics, test="bootstrap", **FEW)
    assert any("use 120 or more" in note for note in drawn.notes)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"metrics": "m0"}, ParameterError, "m0 is the only metric"),
        ({"test": "t"}, ParameterError, "test is 't'"),
        ({"alpha": 0}, ParameterError, "alpha is 0"),
        ({"correction": "tukey"}, ParameterError, "correction is 'tukey'"),
        ({"statistic": "tau"}, UnknownName, "unknown statistic 'tau'"),
        ({"weights": {"x-1": 0.5}}, ParameterError, "weights add up to 0.5"),
        ({"level": "system", "statistic": "spearman", "test": "williams"}, ParameterError, "use perm_both"),
        ({"level": "system", "statistic": "acc_eq"}, ParameterError, "level segment, ... level is system"),
        ({"test": "bootstrap", "swap": "cells"}, ParameterError, "swap ... perm_both"),
        ({"over": "own"}, ParameterError, "over is for"),
        ({"from_segments": "share", "level": "system"}, ParameterError, "from_segments is for"),
        ({"statistic": "pearson", "epsilon": 0.1}, ParameterError, "epsilon is for"),
        ({"human": "wins"}, ParameterError, "human is for"),
        ({"weights": {"x-9": 1.0}}, UnknownName, "language pair among the weights 'x-9'"),
        ({"statistic": "pearson", "test": "williams"}, ParameterError, "Williams' test ... correlation"),
        ({"statistic": "wmt13", "test": "pair_swaps"}, ParameterError, "wmt13 skips pairs"),
        ({"statistic": "kendall_c", "test": "pair_swaps"}, ParameterError, "kendall_c is not a mean over pairs"),
        ({"statistic": "wmt14", "test": "williams"}, ParameterError, "Williams' test is for pearson"),
        ({"level": "system", "statistic": "pearson", "test": "pair_swaps"}, ParameterError, "pair_swaps is for"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        compare(*given(), **{**FEW, **options})
    assert mentions(caught.value, *said.split(" ... "))


def test_weights_need_language_pairs_with_names() -> None:
    gold, tables = matrices()
    unnamed = [
        MetricScores(name, {"": PairScores(SYSTEMS, SEGMENTS, table)})
        for name, table in (("people", gold), ("m0", tables[0]), ("m1", tables[1]))
    ]
    with pytest.raises(ParameterError, match=r"weights .*language pairs"):
        compare(unnamed[0], unnamed[1:], weights={"x-1": 1.0}, **FEW)


def test_pairwise_accuracies_are_over_pairs_of_systems_and_pearson_over_systems() -> None:
    for statistic, n in (("pairwise_accuracy", 6 * 5 / 2), ("soft_pairwise_accuracy", 6 * 5 / 2), ("pearson", 6)):
        assert (compare(*given(), level="system", statistic=statistic, **FEW).n == n).all()


def test_the_sentence_and_notes_say_one_number_once_and_correct_nothing_for_one_test() -> None:
    people, [first, *_] = given()
    copy = MetricScores("copy", first.pairs, first.higher_is_better)
    found = compare(people, [first, copy], statistic="pearson", n_resamples=9, rng=1)
    assert " each; p ≤ 0.05" in found.sections()[0].sentence
    assert " to " not in found.sections()[0].sentence.split("(")[1]
    [note] = [note for note in found.notes if "no p-value" in note]
    assert mentions(note, 0.05, 20, "--resamples")


def test_data_that_say_nothing_are_refused() -> None:
    gold, metrics = matrices()
    people, first = scored("people", gold), scored("m0", metrics[0])
    with pytest.raises(InputError, match=r"x-1: flat .*\b2\b"):
        compare(people, [first, scored("flat", np.full(gold.shape, 2))], **FEW)
    by_system = np.tile(np.arange(6.0)[:, None], 30)
    with pytest.raises(InputError, match=r"steady .*segment:pearson/system .*x-1"):
        compare(people, [first, scored("steady", by_system)], statistic="pearson", grouping="system", **FEW)
    one = [
        MetricScores(name, {"": PairScores(SYSTEMS, ("1",), table[:, :1])})
        for name, table in (("people", gold), ("m0", metrics[0]), ("m1", metrics[1]))
    ]
    with pytest.raises(InputError, match=r"1 is the only segment, expected at least two"):
        compare(one[0], one[1:], **FEW)
    few = systems_of("people", (1, 2, 3))
    with pytest.raises(ParameterError, match=r"Williams.*\b4 systems.*\b3\b"):
        compare(few, [systems_of("a", (1, 2, 4)), systems_of("b", (2, 1, 4))], statistic="pearson", test="williams")


def test_the_table_is_sorted_and_has_ranks_above_the_line_and_the_best_in_bold() -> None:
    found = compare(*given((1, 2), noises=(3.0, 0.5)), statistic="pearson", n_resamples=199, rng=1)
    table = found.sections()[0].table
    assert table is not None
    assert table.columns == ("metric", "x-1", "x-2", "average")
    assert [row[0] for row in table.rows] == ["m1", "m0"]
    best, other = table.rows[0][3], table.rows[1][3]
    assert not isinstance(best, str)
    assert not isinstance(other, str)
    assert (best.bold, best.raised, other.bold, other.raised) == (True, "1", False, "2")


def test_the_headings_tell_tasks_apart() -> None:
    people, metrics = given((1, 2))
    tasks = ["x-1:system:pearson", "x-1:segment:pearson", "x-2:segment:pearson", "x-2:segment:pearson/none"]
    table = compare(people, metrics, tasks=tasks, **FEW).sections()[0].table
    assert table is not None
    shown = ("x-1 system pearson", "x-1 segment pearson segment", "x-2 segment pearson segment")
    assert table.columns == ("metric", *shown, "x-2 segment pearson none", "average")
    few = compare(people, metrics, tasks=["x-1:system:pearson", "x-1:segment:acc_eq"], **FEW).sections()[0].table
    assert few is not None
    assert few.columns == ("metric", "system pearson", "segment acc_eq", "average")


def figures(result: MetricComparison) -> list[str]:
    return [section.figure.name for section in result.sections() if section.figure is not None]


def test_a_matrix_a_task_and_a_curve_where_ties_were_calibrated() -> None:
    people, metrics = given((1, 2))
    assert figures(compare(people, metrics, **FEW)) == ["significance_matrix"] * 3 + ["condition_lines"] * 2
    assert figures(compare(people, metrics, epsilon=0.1, **FEW)) == ["significance_matrix"] * 3
    assert figures(compare(people, metrics, statistic="pearson", **FEW)) == ["significance_matrix"] * 3


@pytest.mark.parametrize("grouping", ["none", "segment"])
@pytest.mark.parametrize("digits", [0, 2])
def test_the_curve_is_the_statistic_at_each_epsilon_and_its_top_the_calibrated_one(grouping: str, digits: int) -> None:
    gold, metrics = matrices()
    metric = np.round(metrics[0], digits).T[:8]
    people = gold.T[:8]
    curve = calibration_curve(people, metric, convention=CONVENTIONS["acc_eq"], grouping=grouping)
    best = calibrate(people, metric, convention=CONVENTIONS["acc_eq"], grouping=grouping)
    assert best.value == pytest.approx(curve.value.max())
    assert best.epsilon == pytest.approx(curve.epsilon[int(np.argmax(curve.value >= curve.value.max() - 1e-12))])
    first, second = np.triu_indices(people.shape[1], 1)
    apart = metric[:, first] - metric[:, second]
    human = np.sign(people[:, first] - people[:, second])
    for at in range(0, curve.epsilon.size, max(1, curve.epsilon.size // 10)):
        epsilon = curve.epsilon[at] * (1 + 1e-9)
        said = np.where(np.abs(apart) <= epsilon, 0, np.sign(apart))
        assert curve.value[at] == pytest.approx((said == human).mean())  # all segments have as many pairs
        assert curve.tied[at] == pytest.approx((said == 0).mean())
    assert curve.epsilon[0] == 0


def test_shares_of_comparisons_are_higher_for_better_systems_whatever_the_direction_of_a_metric() -> None:
    judged = Rankings.of([{"A": 1, "B": 2, "C": 3, "D": 4}, {"A": 2, "B": 1, "C": 3, "D": 4}], name="rank")
    up = MetricScores.of("up", {"": {"A": [4, 3], "B": [3, 4], "C": [2, 1], "D": [2, 2]}})
    down = MetricScores.of("down", {"": {"A": [1, 2], "B": [2, 1], "C": [3, 4], "D": [3, 3]}}, higher_is_better=False)
    found = compare(judged, [up, down], level="system", from_segments="share", **FEW)
    assert found.value[0, 0] == found.value[0, 1] > 0.5

"""Every statistic, grouping and test on judgments of other systems each, with ties and gaps, against plain loops."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from rankscope.agreement.metrics.metric_tests import (
    MetricTestSettings,
    Resamples,
    compare_scores,
    draw_resamples,
    shares_of_pairs,
)
from rankscope.agreement.statistics import (
    CONVENTIONS,
    SEGMENT_CORRELATIONS,
    SEGMENT_GROUPINGS,
    STATISTICS,
    AlignedScores,
    epsilons_of,
    evaluate_scores,
    from_matrices,
)
from rankscope.errors import ParameterError
from rankscope.kernels.resample import bootstrap_indices
from rankscope.kernels.swaps import swap_bits

N_SYSTEMS, N_SEGMENTS, N_RESAMPLES = 4, 5, 7
NAN = float("nan")


def judged(seed: int = 1, *, grid: bool = False) -> AlignedScores:
    """Twelve judgments of two to four systems on five segments, some judged several times; or each system on each
    segment. Metrics say the same of a translation wherever it is judged; a few scores are missing.
    """
    rng = np.random.default_rng(seed)
    good = rng.normal(size=(N_SYSTEMS, N_SEGMENTS))
    noise = np.array([0.5, 0.9, 1.2])[:, None, None]
    metrics = np.rint(1.5 * (good + noise * rng.normal(size=(3, N_SYSTEMS, N_SEGMENTS))))
    metrics[1, 0, 1] = np.nan
    if grid:
        return from_matrices(np.rint(2 * good), metrics)
    segment = np.sort(np.append(np.arange(N_SEGMENTS), rng.integers(0, N_SEGMENTS, 7)))
    system = np.array([rng.permutation(N_SYSTEMS) for _ in segment])
    system[np.arange(12) % 3 == 0, 3:] = -1
    system[4, 2:] = -1
    people = np.rint(2 * good[system, segment[:, None]] + rng.normal(0, 0.7, system.shape))
    scores = np.where(system < 0, np.nan, metrics[:, system, segment[:, None]])
    return AlignedScores(
        people=np.where(system < 0, np.nan, people),
        metrics=scores,
        segment=segment,
        system=system,
        segments=tuple(map(str, range(N_SEGMENTS))),
        systems=tuple("ABCD"),
    )


class Item(NamedTuple):
    """A translation in a judgment: its system, what people say, and what two metrics say."""

    system: Any
    gold: float
    scores: tuple[float, ...]


#: A segment, the weight of the judgment, and its translations.
Judgment = tuple[Any, float, list[Item]]


def judgments_of(scores: AlignedScores) -> list[Judgment]:
    found = []
    for k, segment in enumerate(scores.segment.tolist()):
        items = [
            Item(system, scores.people[k, i], tuple(scores.metrics[:, k, i].tolist()))
            for i, system in enumerate(scores.system[k].tolist())
            if system >= 0 and not np.isnan(scores.people[k, i] + scores.metrics[:, k, i].sum())
        ]
        found.append((segment, 1.0 if scores.weight is None else float(scores.weight[k]), items))
    return found


def mean(values: list[float], weights: list[float] | None = None) -> float:
    there = [i for i, value in enumerate(values) if not np.isnan(value)]
    if not there:
        return NAN
    weights = [1.0] * len(values) if weights is None else weights
    return sum(weights[i] * values[i] for i in there) / sum(weights[i] for i in there)


def correlation(pairs: list[tuple[float, float]], name: str, weights: list[float] | None = None) -> float:
    x, y = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    if len(pairs) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return NAN
    if name == "pearson":
        covariance = np.cov(x, y, aweights=weights)
        return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    if name == "spearman":
        return float(stats.spearmanr(x, y).statistic)
    return float(stats.kendalltau(x, y, variant=name[-1]).statistic)


def pair_table(judgments: list[Judgment], m: int, name: str, epsilon: float) -> list[tuple[int, Any, Any, float]]:
    """Judgment, both systems and coefficient of every pair that counts."""
    convention, counted = CONVENTIONS[name], []
    for k, (_, _, items) in enumerate(judgments):
        for one, other in combinations(items, 2):
            people, metric = one.gold - other.gold, one.scores[m] - other.scores[m]
            if abs(people) < convention.min_difference * (1 - 1e-9):
                continue
            metric = 0.0 if abs(metric) <= epsilon * (1 + 1e-9) else metric
            if people == 0:
                cell = convention.tied_both if metric == 0 else convention.tied_human
            elif metric == 0:
                cell = convention.tied_metric
            else:
                cell = convention.concordant if (people > 0) == (metric > 0) else convention.discordant
            if cell is not None:
                counted.append((k, one.system, other.system, cell))
    return counted


def pair_value(judgments: list[Judgment], m: int, name: str, grouping: str, epsilon: float) -> float:
    sums: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    judged_in: dict[Any, set[int]] = defaultdict(set)
    for k, one, other, cell in pair_table(judgments, m, name, epsilon):
        segment, weight, _ = judgments[k]
        for group in {"none": [None], "segment": [segment], "system": [one, other]}[grouping]:
            sums[group][0] += weight * cell
            sums[group][1] += weight
            judged_in[group].add(k)
    weights = [mean([judgments[k][1] for k in judged_in[group]]) if grouping == "segment" else 1.0 for group in sums]
    return mean([above / below for above, below in sums.values()], weights)


def correlation_value(judgments: list[Judgment], m: int, name: str, grouping: str) -> float:
    if grouping == "segment":
        by_segment = defaultdict(list)
        for segment, weight, items in judgments:
            value = correlation([(item.gold, item.scores[m]) for item in items], name)
            if not np.isnan(value):
                by_segment[segment].append((value, weight))
        lists = [([v for v, _ in found], [w for _, w in found]) for found in by_segment.values()]
        return mean([mean(*found) for found in lists], [mean(weights) for _, weights in lists])
    groups = defaultdict(list)
    for _, weight, items in judgments:
        for item in items:
            groups[None if grouping == "none" else item.system].append((item.gold, item.scores[m], weight))
    return mean([correlation([g[:2] for g in group], name, [g[2] for g in group]) for group in groups.values()])


def value_of(judgments: list[Judgment], m: int, name: str, grouping: str, epsilon: float | None = 0.0) -> float:
    if name not in CONVENTIONS:
        return correlation_value(judgments, m, name, grouping)
    if epsilon is not None:
        return pair_value(judgments, m, name, grouping, epsilon)
    distances = {abs(a.scores[m] - b.scores[m]) for _, _, items in judgments for a, b in combinations(items, 2)}
    return max((pair_value(judgments, m, name, grouping, e) for e in {0.0, *distances}), default=NAN)


def swapped_differences(
    judgments: list[Judgment], resamples: Resamples, swap: str, name: str, grouping: str, epsilon: float | None
) -> list[float]:
    """PERM-BOTH of metrics 0 and 1, a resample at a time."""
    tables = [np.array([item.scores[m] for _, _, items in judgments for item in items]) for m in (0, 1)]
    shift, unit = [table.mean() for table in tables], [table.std() for table in tables]
    found = []
    for bits in np.concatenate(list(swap_bits(resamples.segments, (N_SYSTEMS, N_SEGMENTS), swap))):
        permuted = []
        for segment, weight, items in judgments:
            scaled = [(item, tuple((item.scores[m] - shift[m]) / unit[m] for m in (0, 1))) for item in items]
            swapped = [
                item._replace(scores=pair[::-1] if bits[segment, item.system] else pair) for item, pair in scaled
            ]
            permuted.append((segment, weight, swapped))
        close = [None if epsilon is None else epsilon / unit[m] for m in (0, 1)]
        found.append(value_of(permuted, 0, name, grouping, close[0]) - value_of(permuted, 1, name, grouping, close[1]))
    return found


def drawn_differences(
    judgments: list[Judgment], resamples: Resamples, test: str, name: str, grouping: str, epsilon: float
) -> list[float]:
    """A bootstrap of segments, or of systems and segments, a resample at a time; copies have names of their own."""
    segments = np.concatenate(list(bootstrap_indices(resamples.segments, N_SEGMENTS)))
    systems = np.tile(np.arange(N_SYSTEMS), (N_RESAMPLES, 1))
    if test == "boot_both":
        systems = np.concatenate(list(bootstrap_indices(resamples.systems, N_SYSTEMS)))
    found = []
    for drawn_segments, drawn_systems in zip(segments.tolist(), systems.tolist(), strict=True):
        sample = [
            (
                (place, segment),
                weight,
                [
                    item._replace(system=(copy, system))
                    for copy, system in enumerate(drawn_systems)
                    for item in items
                    if item.system == system
                ],
            )
            for place, segment in enumerate(drawn_segments)
            for of, weight, items in judgments
            if of == segment
        ]
        found.append(value_of(sample, 0, name, grouping, epsilon) - value_of(sample, 1, name, grouping, epsilon))
    return found


NAMES = ("wmt13", "wmt14", "tau23", "acc_eq", "darr", *SEGMENT_CORRELATIONS)
HOW = (
    ("perm_both", "cells"),
    ("perm_both", "systems"),
    ("perm_both", "segments"),
    ("bootstrap", None),
    ("boot_both", None),
)


def resamples_for(seed: int) -> Resamples:
    return draw_resamples(np.random.default_rng(seed), N_RESAMPLES, N_RESAMPLES)


def scaled_for(scores: AlignedScores, name: str) -> AlignedScores:
    """Points of people as darr compares them: pairs below 25 do not count."""
    return replace(scores, people=15 * scores.people) if name == "darr" else scores


@pytest.mark.parametrize(
    ("name", "grouping", "weighted"),
    [
        (name, grouping, weighted)
        for name in NAMES
        for grouping in SEGMENT_GROUPINGS
        for weighted in (False, True)
        if not weighted or grouping == "segment" or name not in ("spearman", "kendall_b", "kendall_c")  # refused
    ],
)
def test_every_value_is_that_of_plain_loops(name: str, grouping: str, weighted: bool) -> None:
    for seed, grid in ((1, False), (2, False), (3, True)):
        scores = scaled_for(judged(seed, grid=grid), name).common()
        if weighted:
            scores = replace(scores, weight=np.random.default_rng(seed).uniform(0.5, 2, len(scores.segment)))
        found = evaluate_scores(scores, STATISTICS[name], grouping, np.full(3, 0.5))
        expected = [value_of(judgments_of(scores), m, name, grouping, 0.5) for m in range(3)]
        np.testing.assert_allclose(found.value, expected, atol=1e-9)


@pytest.mark.parametrize(("test", "swap"), HOW)
@pytest.mark.parametrize("grouping", SEGMENT_GROUPINGS)
@pytest.mark.parametrize("name", NAMES)
def test_every_test_is_that_of_plain_loops_over_resamples(
    name: str, grouping: str, test: str, swap: str | None
) -> None:
    for seed, grid in ((1, False), (3, True)) if swap in (None, "cells") else ((1, False),):
        scores, resamples = scaled_for(judged(seed, grid=grid), name), resamples_for(seed)
        scores = replace(scores, metrics=scores.metrics[:2])
        epsilon = 0.5 if name in CONVENTIONS else None
        how: dict[str, Any] = {"test": test, "swap": swap, "alternative": "greater", "epsilon": epsilon}
        found = compare_scores(scores, STATISTICS[name], grouping, resamples, keep_differences=True, **how)
        judgments = judgments_of(scores)
        if test == "perm_both":
            expected = swapped_differences(judgments, resamples, swap or "", name, grouping, epsilon)
            far = np.isnan(expected) | (np.array(expected) >= found.difference[0, 1] - 1e-10)
        else:
            expected = drawn_differences(judgments, resamples, test, name, grouping, epsilon or 0.0)
            far = np.isnan(expected) | (np.array(expected) <= 1e-10)
        np.testing.assert_allclose(found.resampled_differences[0, 1], expected, atol=1e-9)
        assert found.pvalue[0, 1] == (1 + np.count_nonzero(far)) / (1 + N_RESAMPLES)


@pytest.mark.parametrize("grouping", ["none", "segment"])
def test_epsilon_is_the_best_of_each_permuted_metric_in_judgments_too(grouping: str) -> None:
    scores, resamples = judged(5), resamples_for(5)
    scores = replace(scores, metrics=scores.metrics[:2])
    found = compare_scores(
        scores,
        STATISTICS["acc_eq"],
        grouping,
        resamples,
        test="perm_both",
        alternative="greater",
        keep_differences=True,
    )
    expected = swapped_differences(judgments_of(scores), resamples, "cells", "acc_eq", grouping, None)
    np.testing.assert_allclose(found.resampled_differences[0, 1], expected, atol=1e-9)


@pytest.mark.parametrize("test", ["perm_both", "bootstrap"])
@pytest.mark.parametrize(
    ("name", "grouping"), [("wmt14", "none"), ("tau23", "segment"), ("pearson", "system"), ("spearman", "segment")]
)
def test_weighted_judgments_have_the_tests_of_plain_loops(name: str, grouping: str, test: str) -> None:
    scores, resamples = judged(1), resamples_for(1)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(scores.segment))
    scores = replace(scores, metrics=scores.metrics[:2], weight=weight)
    found = compare_scores(
        scores, STATISTICS[name], grouping, resamples, test=test, alternative="greater", keep_differences=True
    )
    judgments = judgments_of(scores)
    if test == "perm_both":
        expected = swapped_differences(judgments, resamples, "cells", name, grouping, 0.0)
    else:
        expected = drawn_differences(judgments, resamples, test, name, grouping, 0.0)
    np.testing.assert_allclose(found.resampled_differences[0, 1], expected, atol=1e-9)


def test_judgments_of_weight_two_count_as_two() -> None:
    scores = judged(1)
    twice = replace(
        scores,
        people=np.concatenate((scores.people, scores.people[:4])),
        metrics=np.concatenate((scores.metrics, scores.metrics[:, :4]), axis=1),
        segment=np.append(scores.segment, scores.segment[:4]),
        system=np.concatenate((scores.system, scores.system[:4])),
    )
    weighted = replace(scores, weight=np.where(np.arange(12) < 4, 2.0, 1.0))
    for name, grouping in (("wmt12", "none"), ("wmt13", "system"), ("pearson", "none"), ("pearson", "system")):
        values = [evaluate_scores(given, STATISTICS[name], grouping, np.zeros(3)).value for given in (twice, weighted)]
        np.testing.assert_allclose(values[0], values[1])


@pytest.mark.parametrize("grouping", SEGMENT_GROUPINGS)
@pytest.mark.parametrize("name", ["wmt12", "wmt14", "tau23", "acc_eq", "darr"])
def test_what_pair_swaps_swap_adds_up_to_the_value(name: str, grouping: str) -> None:
    scores = scaled_for(judged(2), name).common()
    resamples = resamples_for(1)
    statistic, epsilons = STATISTICS[name], np.full(3, 0.5)
    settings = MetricTestSettings(statistic, grouping, "greater", "cells", False, *resamples)
    shares = shares_of_pairs(scores, epsilons, settings)
    np.testing.assert_allclose(shares.sum(axis=1), evaluate_scores(scores, statistic, grouping, epsilons).value)
    # Each pair adds as much as the loop says.
    counted = pair_table(judgments_of(scores), 0, name, 0.5)
    assert np.count_nonzero(shares[0]) == sum(cell != 0 for *_, cell in counted)


#: What is not possible: statistic, grouping, test, what of the scores, and the message.
REFUSED = [
    ("spearman", "segment", "williams", {}, "Williams' test is for pearson"),
    ("wmt14", "none", "williams", {}, "Williams' test is for pearson"),
    ("pearson", "segment", "williams", {}, "not for a mean of correlations"),
    ("kendall_c", "none", "pair_swaps", {}, "kendall_c is not a mean over pairs"),
    ("wmt13", "segment", "pair_swaps", {}, "wmt13 skips pairs by what the metric says"),
    ("pearson", "none", "perm_both", {"comparable": False}, "these are ranks"),
    ("kendall_b", "system", "boot_both", {"comparable": False}, "these are ranks"),
    ("darr", "none", "bootstrap", {"comparable": False}, "differ by at least 25"),
    ("spearman", "means", "perm_both", {}, "needs a score of each segment"),
    ("kendall_b", "none", "perm_both", {"weight": np.ones(12)}, "no weighted form"),
    ("wmt12", "none", "boot_both", {"weight": np.ones(12)}, "no form for judgments with weights"),
    ("acc_eq", "segment", "perm_both", {"weight": np.ones(12)}, "cannot be calibrated on weighted"),
]


@pytest.mark.parametrize(("name", "grouping", "test", "changed", "message"), REFUSED)
def test_what_makes_no_sense_is_refused_in_one_line(
    name: str, grouping: str, test: str, changed: dict[str, Any], message: str
) -> None:
    scores = replace(judged(), **changed)
    with pytest.raises(ParameterError, match=rf"^[^\n]*{message}[^\n]*$"):
        compare_scores(scores, STATISTICS[name], grouping, resamples_for(1), test=test, alternative="greater")


@pytest.mark.parametrize("weight", [np.zeros(12), np.full(12, NAN), np.ones(3)])
def test_weights_are_a_number_above_0_for_each_list(weight: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="weights of 12 lists"):
        replace(judged(), weight=weight)


# What the tests promise, in simulation: rankings, which had a bootstrap only


def ranked_by_chance(rng: np.random.Generator, *, judgments: int = 60) -> AlignedScores:
    """Ranks of four of six systems, and two metrics that are equally good."""
    good = rng.normal(size=(6, 40))
    metrics = good + rng.normal(size=(2, *good.shape))
    segment = np.sort(rng.integers(0, 40, judgments))
    system = np.array([rng.permutation(6)[:4] for _ in segment])
    return AlignedScores(
        people=np.rint(good[system, segment[:, None]] + rng.normal(0, 0.5, system.shape)),
        metrics=metrics[:, system, segment[:, None]],
        segment=segment,
        system=system,
        segments=tuple(map(str, range(40))),
        systems=tuple("ABCDEF"),
        comparable=False,
    )


def rejections(runs: int, name: str, grouping: str, test: str) -> float:
    rng = np.random.default_rng(7)
    p = [
        compare_scores(
            ranked_by_chance(rng),
            STATISTICS[name],
            grouping,
            draw_resamples(rng, 99, 1),
            test=test,
            alternative="greater",
            epsilon=0.0,
        ).pvalue[0, 1]
        for _ in range(runs)
    ]
    assert 0.3 < np.mean(p) < 0.7
    return float(np.mean(np.array(p) <= 0.1))


def test_equally_good_metrics_of_rankings_have_p_values_of_all_sizes() -> None:
    assert rejections(60, "wmt14", "none", "perm_both") <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "grouping"), [("wmt14", "none"), ("acc_eq", "segment"), ("kendall_b", "segment"), ("tau23", "system")]
)
def test_equally_good_metrics_of_rankings_differ_as_often_as_the_level_says(name: str, grouping: str) -> None:
    error = np.sqrt(0.1 * 0.9 / 1000)
    assert 0.1 - 4 * error <= rejections(1000, name, grouping, "perm_both") <= 0.1 + 3 * error


def test_defaults_of_epsilon_are_calibrated_for_acc_eq_alone() -> None:
    scores = judged()
    assert np.isnan(epsilons_of(scores, STATISTICS["pearson"], "none")).all()
    assert (epsilons_of(scores, STATISTICS["wmt14"], "none") == 0).all()
    assert (epsilons_of(scores, STATISTICS["acc_eq"], "system") == 0).all()
    assert (epsilons_of(scores, STATISTICS["acc_eq"], "none") >= 0).all()

"""Statistics of metrics on plain matrices and on counts: against SciPy and loops, list by list, pair by pair."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

from rankscope.agreement.statistics import (
    STATISTICS,
    correlate_rows,
    from_matrices,
    metric_values,
    pair_pvalues,
    soft_pairwise_accuracies,
)
from rankscope.agreement.statistics.values import counted_correlation
from rankscope.errors import ParameterError
from rankscope.kernels.resample import draw

OF_SCIPY = {"pearson": scipy_stats.pearsonr, "spearman": scipy_stats.spearmanr, "kendall_b": scipy_stats.kendalltau}
NAMES = ["pearson", "spearman", "kendall_b", "pairwise_accuracy", "soft_pairwise_accuracy"]
ASKED = [(name, grouping) for name in NAMES for grouping in STATISTICS[name].groupings]
ASKED += [("acc_eq", "none"), ("acc_eq", "segment")]
NAN = np.nan


@st.composite
def matrices(draw, metrics=2):
    """Gold and metrics of few different scores, some missing."""
    shape = draw(st.tuples(st.integers(2, 5), st.integers(1, 6)))
    scores = st.one_of(st.integers(0, 3).map(lambda k: k / 4), st.floats(0, 1, width=16), st.just(NAN))
    found = draw(arrays(np.float64, (metrics + 1, *shape), elements=scores))
    assume(not np.isnan(found).any(axis=0).all())
    return found[0], found[1:]


def correlation(x, y, statistic):
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = x[there], y[there]
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return NAN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(OF_SCIPY[statistic](x, y).statistic)


def mean_of(values):
    there = [value for value in values if not np.isnan(value)]
    return float(np.mean(there)) if there else NAN


def naive(gold, metric, statistic, grouping, epsilon=0.0):
    """One metric with loops; gold and metric have their NaN in the same places."""
    if statistic == "acc_eq":
        return naive_accuracy(gold, metric, grouping, epsilon)
    if grouping == "means":
        x, y = (np.array([mean_of(row) for row in side]).round(12) for side in (gold, metric))
        if statistic == "pairwise_accuracy":
            return mean_of(
                [
                    float(np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]))
                    for i, j in combinations(range(len(x)), 2)
                    if not np.isnan(x[i] + x[j])
                ]
            )
        return correlation(x, y, statistic)
    if grouping == "none":
        return correlation(gold.ravel(), metric.ravel(), statistic)
    lists = (gold, metric) if grouping == "system" else (gold.T, metric.T)
    return mean_of([correlation(x, y, statistic) for x, y in zip(*lists, strict=True)])


def naive_accuracy(gold, metric, grouping, epsilon):
    shares, right, pairs = [], 0, 0
    for x, y in zip(gold.T, metric.T, strict=True):
        found = [
            np.sign(x[i] - x[j]) == (0 if abs(y[i] - y[j]) <= epsilon * (1 + 1e-9) else np.sign(y[i] - y[j]))
            for i, j in combinations(range(len(x)), 2)
            if not np.isnan(x[i] + x[j])
        ]
        shares.append(np.mean(found) if found else NAN)
        right, pairs = right + sum(found), pairs + len(found)
    return mean_of(shares) if grouping == "segment" else right / pairs if pairs else NAN


@examples(40)
@given(matrices(), st.sampled_from([ask for ask in ASKED if ask[0] != "soft_pairwise_accuracy"]))
def test_every_statistic_is_that_of_loops_and_scipy(given_, asked):
    statistic, grouping = asked
    epsilon = 0.25 if statistic == "acc_eq" else None
    found = metric_values(*given_, statistic=statistic, grouping=grouping, epsilon=epsilon)
    common = from_matrices(*given_).common(drop_empty=True)
    expected = [naive(common.gold_matrix, metric, statistic, grouping, 0.25) for metric in common.metric_matrices]
    np.testing.assert_allclose(found.value, expected, atol=1e-9)


@examples(30)
@given(matrices(metrics=1), st.sampled_from(["segment", "none"]))
def test_the_calibrated_epsilon_is_the_best_of_all_differences(given_, grouping):
    gold, (metric,) = given_
    found = metric_values(gold, metric, statistic="acc_eq", grouping=grouping)
    there = ~np.isnan(gold + metric)
    gold, metric = np.where(there, gold, NAN), np.where(there, metric, NAN)
    tried = {0.0} | {abs(a - b) for row in metric.T for a, b in combinations(row[~np.isnan(row)], 2)}
    best = max(naive_accuracy(gold, metric, grouping, epsilon) for epsilon in tried)
    np.testing.assert_allclose(found.value[0], best, atol=1e-9)


def test_cells_that_one_metric_lacks_are_left_out_for_all():
    gold = np.array([[1.0, 2, 3], [3.0, 1, 2], [2.0, 3, 1]])
    one, other = gold.copy(), gold[::-1].copy()
    one[0, 0] = NAN
    found = metric_values(gold, [one, other], statistic="kendall_b", grouping="none")
    alone = metric_values(np.where(np.isnan(one), NAN, gold), other, statistic="kendall_b", grouping="none")
    assert found.n.tolist() == [8, 8]
    assert found.value[1] == alone.value[0]


def test_systems_and_segments_without_any_common_cell_are_gone():
    gold, metric = np.ones((3, 4)), np.ones((3, 4))
    gold[1], metric[:, 2] = NAN, NAN
    scores = from_matrices(gold, metric)
    common = scores.common(drop_empty=True)
    assert common.gold_matrix.shape == (2, 3)
    assert (common.systems, common.segments) == (("1", "3"), ("1", "2", "4"))
    assert scores.n_unscored == 2


# Soft pairwise accuracy


def naive_pvalues(matrix, signs):
    found = []
    for i, j in combinations(range(len(matrix)), 2):
        apart = np.nan_to_num(matrix[i] - matrix[j])
        observed = apart.sum()
        count = sum(row @ apart >= observed - 1e-12 for row in signs)
        found.append((1 + count) / (1 + len(signs)))
    return found


@pytest.mark.parametrize("missing", [False, True])
def test_p_values_of_pairs_are_those_of_loops_over_all_swaps(missing):
    rng = np.random.default_rng(2)
    stack = rng.integers(0, 4, (2, 4, 9)).astype(float)
    if missing:
        stack[:, 1, 3] = stack[:, 2, 5] = NAN
    draws = draw(np.random.default_rng(5), 40)
    (stream, rows), *_ = draws.streams()
    bits = stream.integers(0, 1 << 64, size=(rows, 1), dtype=np.uint64)
    signs = 1.0 - 2.0 * np.unpackbits(bits.astype("<u8").view(np.uint8), axis=1, count=9, bitorder="little")
    found = pair_pvalues(stack, draws)
    np.testing.assert_allclose(found, [naive_pvalues(matrix, signs) for matrix in stack])


def test_soft_pairwise_accuracy_is_one_of_a_metric_that_is_as_sure_as_people():
    gold = np.random.default_rng(1).normal(size=(4, 30)) + 2.0 * np.arange(4)[:, None]
    draws = draw(np.random.default_rng(1), 200)
    values = soft_pairwise_accuracies(gold, np.stack((gold, 3 * gold + 1, -gold)), draws)
    assert values[:2].tolist() == [1.0, 1.0]
    assert values[2] == pytest.approx(0, abs=2 / 201)  # people are sure of all pairs, and it is of the contrary


def test_a_metric_that_is_less_sure_loses_the_difference_of_the_p_values():
    # One segment: half of all swaps turn the only difference round, and p is about 1/2 or 1 as it is above 0 or below.
    gold, metric = np.array([[2.0], [1.0]]), np.array([[1.0], [2.0]])
    found = metric_values(gold, metric, statistic="soft_pairwise_accuracy", grouping="means", n_resamples=999, rng=1)
    assert float(found.value[0]) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(1000))


# What is refused


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"statistic": "tau"}, "statistic is 'tau'"),
        ({"grouping": "item"}, "grouping is 'item'"),
        ({"statistic": "acc_eq", "grouping": "means"}, "acc_eq has no grouping 'means'"),
        ({"epsilon": 0.1}, "epsilon applies to statistics of pairs"),
        ({"statistic": "acc_eq", "epsilon": -1.0}, "epsilon"),
        ({"metrics": np.ones((2, 2))}, "expected \\(systems, segments\\)"),
        ({"metrics": np.full((2, 3), np.inf)}, "infinite"),
        ({"metrics": np.full((2, 3), NAN)}, "no translation has scores"),
    ],
)
def test_what_does_not_go_together_is_refused(changed, message):
    given_ = {"metrics": np.ones((2, 3))} | changed
    with pytest.raises(ParameterError, match=message):
        metric_values(np.ones((2, 3)), given_.pop("metrics"), **given_)


@pytest.mark.parametrize(("statistic", "grouping"), ASKED)
def test_one_system_or_constant_scores_have_no_correlation_and_no_error(statistic, grouping):
    for shape in ((1, 4), (3, 1), (3, 4), (1, 1)):
        found = metric_values(np.ones(shape), np.ones(shape), statistic=statistic, grouping=grouping)
        pairs = statistic not in (*OF_SCIPY, "tau_ap") and shape[0] > 1
        assert float(found.value[0]) == 1.0 if pairs else np.isnan(found.value[0])


# Rank correlations of samples that are given as counts


@examples(60)
@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(
            arrays(np.float64, (2, n), elements=st.one_of(st.integers(0, 3).map(float), st.floats(0, 1, width=16))),
            arrays(np.int64, n, elements=st.integers(0, 3)),
        )
    ),
    arrays(np.int64, (3, 4), elements=st.integers(0, 3)),
    st.sampled_from(["spearman", "kendall_b", "kendall_c"]),
    st.sampled_from([4, 1 << 24]),  # in single precision, and in double precision
)
def test_counts_of_segments_give_what_repeated_items_give(items, drawn, statistic, n_segments):
    (x, y), segments = items
    counts = np.stack([np.bincount(row, minlength=4) for row in drawn]).astype(np.float64)
    found = counted_correlation(x, y, segments, statistic, n_segments)(counts)
    for value, count in zip(found, counts.astype(int), strict=True):
        places = np.repeat(np.arange(x.size), count[segments])
        expected = correlate_rows(x[places][None], y[places][None], statistic) if places.size else [NAN]
        np.testing.assert_allclose(value, expected[0], atol=1e-9)

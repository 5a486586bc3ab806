"""How alike two halves of the queries rank the systems: against loops, and on collections whose truth is known."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.kernels.resample import disjoint_sets
from rankscope.measures.rank_similarity import tau_ap
from rankscope.stability import reliability as halves
from rankscope.stability.reliability import HalfAgreement, half_agreement, usual_sizes
from rankscope.stats.correlation_values import rank_rows, tau_ap_by_row

NAMES = ("tau", "tau_low", "tau_high", "tau_ap", "tau_ap_low", "tau_ap_high")


def tables(most_systems=9, grades=3):
    """(measures, systems, queries) of whole numbers, so that sums are exact and ties are many."""
    return st.tuples(
        st.integers(1, 3),
        st.integers(2, most_systems),
        st.integers(2, 14),
        st.integers(1, grades),
        st.integers(0, 10**6),
    ).map(lambda a: np.random.default_rng(a[4]).integers(0, a[3] + 1, a[:3]).astype(float))


def naive_tau(x, y):
    return nan if len(set(x)) == 1 or len(set(y)) == 1 else stats.kendalltau(x, y).statistic


def naive_ap(truth, estimate):
    """One direction: for each item that has others above it, the share of them that the truth has above it too."""
    shares = []
    for i in range(len(truth)):
        above = [j for j in range(len(truth)) if estimate[j] > estimate[i]]
        if above:
            shares.append(sum(truth[j] > truth[i] for j in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1 if shares else nan


def naive(values, size, iterations, seed):
    """(measures) the values of each iteration, one by one."""
    root = np.random.default_rng(seed).integers(0, 1 << 32, size=4).tolist()
    stream = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(size,)))
    drawn = [pair for chunk in disjoint_sets(stream, iterations, values.shape[2], size) for pair in chunk]
    assert len(drawn) == iterations
    tau, ap = [], []
    for scores in values:
        pairs = [[sum(scores[:, q] for q in one).tolist() for one in pair] for pair in drawn]
        tau.append([naive_tau(x, y) for x, y in pairs])
        ap.append([(naive_ap(x, y) + naive_ap(y, x)) / 2 for x, y in pairs])
    return tau, ap


def summary(found):
    there = [v for v in found if not isnan(v)]
    if not there:
        return nan, nan, nan
    return np.mean(there), np.percentile(there, 2.5), np.percentile(there, 97.5)


# Against loops


@given(tables(), st.integers(0, 5))
def test_it_agrees_with_a_loop_over_iterations_and_pairs(values, seed):
    sizes = tuple(range(1, values.shape[2] // 2 + 1))[-3:]
    found = half_agreement(values, sizes, iterations=5, rng=seed)
    assert isinstance(found, HalfAgreement)
    assert (found.sizes, found.iterations) == (sizes, 5)
    for i, size in enumerate(sizes):
        for m, (tau, ap) in enumerate(zip(*naive(values, size, 5, seed), strict=True)):
            for name, expected in zip(NAMES, (*summary(tau), *summary(ap)), strict=True):
                assert getattr(found, name)[m, i] == pytest.approx(expected, abs=1e-12, nan_ok=True)
            assert found.counted[m, i] == sum(not isnan(v) for v in tau) == sum(not isnan(v) for v in ap)


def test_it_agrees_with_a_loop_on_many_systems():
    """More than 64 systems are counted by blocks."""
    values = np.random.default_rng(0).integers(0, 4, (1, 90, 12)).astype(float)
    found = half_agreement(values, [4], iterations=3, rng=9)
    tau, ap = naive(values, 4, 3, 9)
    assert found.tau[0, 0] == pytest.approx(np.mean(tau[0]), abs=1e-12)
    assert found.tau_ap[0, 0] == pytest.approx(np.mean(ap[0]), abs=1e-12)


@given(st.integers(2, 80), st.integers(1, 6), st.integers(0, 10**6))
def test_tau_ap_of_many_lists_is_that_of_each(items, grades, seed):
    x, y = np.random.default_rng(seed).integers(0, grades, (2, 4, items)).astype(float)
    found = tau_ap_by_row(rank_rows(x), rank_rows(y))
    for value, a, b in zip(found, x, y, strict=True):
        assert value == pytest.approx(tau_ap(a, b, ties="b"), abs=1e-12, nan_ok=True)
        assert value == pytest.approx((naive_ap(a, b) + naive_ap(b, a)) / 2, abs=1e-12, nan_ok=True)


def test_one_pair_of_rankings_by_hand():
    # Two queries, so either order of the two sets is the same comparison: 4 3 2 1 against 9 7 8 1.
    values = [[[4.0, 9.0], [3.0, 7.0], [2.0, 8.0], [1.0, 1.0]]]
    found = half_agreement(values, [1], iterations=4, rng=0)
    assert found.tau[0, 0] == pytest.approx((5 - 1) / 6)
    one = 2 / 3 * (1 / 1 + 1 / 2 + 3 / 3) - 1  # down 9 8 7 1; and down 4 3 2 1 the shares are the same
    assert found.tau_ap[0, 0] == pytest.approx(one)
    assert found.tau_low[0, 0] == found.tau_high[0, 0] == pytest.approx(4 / 6)


# What is drawn


def test_the_two_sets_have_no_query_in_common_and_every_query_is_drawn_alike():
    drawn = np.concatenate(list(disjoint_sets(np.random.default_rng(0), 4000, 11, 4, n_at_once=700)))
    assert drawn.shape == (4000, 2, 4)
    assert all(len(set(row.ravel().tolist())) == 8 for row in drawn)
    for side in (0, 1):
        counts = np.bincount(drawn[:, side].ravel(), minlength=11)
        assert stats.chisquare(counts).pvalue > 1e-4


def test_what_is_drawn_does_not_depend_on_how_much_is_drawn_at_once():
    one, many = (
        np.concatenate(list(disjoint_sets(np.random.default_rng(3), 50, 20, 5, n_at_once=step))) for step in (50, 7)
    )
    assert (one == many).all()


def test_small_chunks_give_the_same(monkeypatch):
    values = np.random.default_rng(1).random((2, 6, 30))
    expected = half_agreement(values, [3, 15], iterations=40, rng=2)
    monkeypatch.setattr(halves, "CHUNK_NUMBERS", 100)
    found = half_agreement(values, [3, 15], iterations=40, rng=2)
    for name in NAMES:
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-12)


def test_a_size_gives_the_same_whatever_other_sizes_and_measures_are_asked_for():
    values = np.random.default_rng(1).random((3, 6, 30))
    all_ = half_agreement(values, [3, 7, 15], iterations=30, rng=2)
    alone = half_agreement(values[1:2], [7], iterations=30, rng=2)
    for name in NAMES:
        assert getattr(all_, name)[1, 1] == pytest.approx(getattr(alone, name)[0, 0], abs=1e-12)


def test_measures_that_are_the_same_have_the_same_draws():
    scores = np.random.default_rng(1).random((6, 30))
    found = half_agreement([scores, scores, -scores], [5], iterations=20, rng=2)
    assert found.tau[0] == found.tau[1] == found.tau[2]
    assert found.tau_ap[0] == found.tau_ap[1] != found.tau_ap[2]


def test_a_seed_gives_one_result_and_a_generator_goes_on():
    values = np.random.default_rng(1).random((1, 6, 30))
    first, second = (half_agreement(values, [5], iterations=20, rng=2).tau for _ in range(2))
    assert_same_bits(first, second)
    rng = np.random.default_rng(2)
    third, fourth = (half_agreement(values, [5], iterations=20, rng=rng).tau for _ in range(2))
    assert first == third != fourth


# What it says of collections


def test_scores_without_noise_are_ranked_alike_by_any_two_sets():
    values = np.arange(8.0)[:, None] + np.random.default_rng(0).random(40)
    found = half_agreement([values], usual_sizes(40), iterations=50, rng=0)
    for name in NAMES:
        assert (getattr(found, name) == 1).all()


def test_scores_of_nothing_but_noise_are_ranked_alike_by_chance_only():
    """Each measure is a collection of its own: the mean over 60 of them is within 4 standard errors of 0."""
    values = np.random.default_rng(0).normal(size=(60, 12, 40))
    found = half_agreement(values, [5, 20], iterations=50, rng=0)
    for of_collections in (found.tau, found.tau_ap):
        error = of_collections.std(axis=0, ddof=1) / np.sqrt(60)
        assert (np.abs(of_collections.mean(axis=0)) < 4 * error).all()
        assert (error < 0.04).all()


def test_larger_sets_rank_more_alike():
    rng = np.random.default_rng(0)
    values = 0.4 * rng.normal(size=(20, 1)) + rng.normal(size=(20, 200)) + rng.normal(size=200)
    found = half_agreement([values], usual_sizes(200), iterations=200, rng=0)
    for name in ("tau", "tau_ap", "tau_low", "tau_ap_low"):
        rising = getattr(found, name)[0]
        assert (np.diff(rising) > 0).all()
    assert found.tau[0, -1] - found.tau[0, 0] > 0.2
    assert (found.tau_low < found.tau).all()
    assert (found.tau < found.tau_high).all()


def test_what_only_rounding_tells_apart_is_tied():
    noise = np.random.default_rng(0).permuted(np.tile([0.3, 0.1 + 0.2], (5, 20)), axis=1)
    assert len(np.unique(noise)) == 2
    assert half_agreement([noise], [1, 7, 20], iterations=20, rng=0).counted.tolist() == [[0, 0, 0]]


# Where there is nothing to compare


def test_rankings_that_tie_all_systems_are_left_out():
    values = np.zeros((2, 3, 8))
    values[0, 0, :4] = 1  # one query: half of the sets tie all systems
    found = half_agreement(values, [1, 4], iterations=300, rng=0)
    # Both sets draw one of the first 4 of 8 queries: 4/8 3/7 of the iterations.
    assert found.counted[0, 0] == pytest.approx(300 * 12 / 56, abs=3.5 * np.sqrt(300 * 12 / 56))
    assert found.tau[0, 0] == found.tau_ap[0, 0] == 1
    assert (found.counted[1] == 0).all()
    for name in NAMES:
        assert np.isnan(getattr(found, name)[1]).all()


@pytest.mark.parametrize(
    ("values", "sizes", "options", "said"),
    [
        (np.zeros((3, 8)), [2], {}, "shape \\(3, 8\\)"),
        (np.zeros((1, 1, 8)), [2], {}, "2 systems"),
        (np.full((1, 2, 8), nan), [2], {}, "NaN"),
        (np.zeros((1, 2, 8)), [], {}, "no size"),
        (np.zeros((1, 2, 8)), [0], {}, r"\b0\b.* 1\b"),
        (np.zeros((1, 2, 8)), [4, 5], {}, r"\b5 queries\b.*\bat most 4\b"),
        (np.zeros((1, 2, 8)), [2], {"iterations": 0}, "iterations is 0"),
        (np.zeros((1, 2, 8)), [2], {"rng": "seed"}, "rng is 'seed'"),
    ],
)
def test_what_cannot_be_compared_is_refused(values, sizes, options, said):
    with pytest.raises(ParameterError, match=said):
        half_agreement(values, sizes, **{"iterations": 5, "rng": 0, **options})


# Sizes


@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (0, ()),
        (1, ()),
        (2, (1,)),
        (9, (4,)),
        (10, (5,)),
        (50, (5, 10, 20, 25)),
        (100, (5, 10, 20, 30, 40, 50)),
        (249, (5, 10, 20, 40, 60, 80, 100, 120)),
        (1000, (5, 10, 20, 100, 200, 300, 400, 500)),
    ],
)
def test_usual_sizes_of_some_collections(n, sizes):
    assert usual_sizes(n) == sizes


@given(st.integers(10, 10**7))
def test_usual_sizes_rise_are_few_and_leave_two_sets(n):
    sizes = usual_sizes(n)
    assert 1 <= len(sizes) <= 8
    assert list(sizes) == sorted(set(sizes))
    assert 2 * sizes[-1] <= n
    assert 3 * sizes[-1] > n or n < 40  # the largest is near half of the queries

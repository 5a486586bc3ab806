"""Resampling, against loops over resamples, queries and systems; seeds, chunks, memory."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels import resample
from rankscope.kernels.resample import (
    BLOCK,
    Draws,
    bootstrap_counts,
    bootstrap_indices,
    bootstrap_means,
    bootstrap_moments,
    bootstrap_repeats,
    draw,
    exact_flip_sums,
    flip_sums,
    permuted_means,
    seed_root,
    share_of_sizes,
    shuffled_ranks,
)

TABLE = np.random.default_rng(3).standard_normal((4, 7))


def drawn(n_resamples: int, seed: int = 1) -> Draws:
    return draw(np.random.default_rng(seed), n_resamples)


def joined(chunks):
    return np.concatenate(list(chunks))


WAYS = {
    "flip_sums": lambda draws: joined(flip_sums(TABLE, draws)),
    "bootstrap_indices": lambda draws: joined(bootstrap_indices(draws, 7)),
    "bootstrap_counts": lambda draws: joined(bootstrap_counts(draws, 7)),
    "bootstrap_moments": lambda draws: np.concatenate([np.hstack(c) for c in bootstrap_moments(TABLE, draws)]),
    "bootstrap_means of one": lambda draws: bootstrap_means(TABLE[:1], draws).T,
    "bootstrap_means of several": lambda draws: bootstrap_means(TABLE, draws).T,
    "permuted_means": lambda draws: joined(permuted_means(TABLE, draws)),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("n_resamples", [1, 37, BLOCK, 2 * BLOCK + 5])
def test_there_are_as_many_resamples_as_asked_for(way, n_resamples):
    assert len(way(drawn(n_resamples))) == n_resamples


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_one_seed_gives_the_same_again_and_another_something_else(way):
    assert_same_bits(way(drawn(100)), way(drawn(100)))
    assert not np.array_equal(way(drawn(100)), way(drawn(100, seed=2)))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_size_of_a_chunk_changes_nothing(way, monkeypatch):
    whole = way(drawn(BLOCK + 100))
    monkeypatch.setattr(resample, "NUMBERS", 50)  # one to seven resamples at once
    np.testing.assert_allclose(way(drawn(BLOCK + 100)), whole, rtol=0, atol=1e-14)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_workers_that_share_the_blocks_find_the_same(way, parts):
    draws = drawn(4 * BLOCK + 3)
    np.testing.assert_allclose(
        np.concatenate([way(part) for part in draws.split(parts)]), way(draws), rtol=0, atol=1e-14
    )


@pytest.mark.parametrize(("parts", "sizes"), [(1, [3]), (2, [1, 2]), (3, [1, 1, 1]), (9, [1, 1, 1])])
def test_there_are_no_more_shares_than_workers_and_none_is_empty(parts, sizes):
    assert [len(share.seeds) for share in drawn(2 * BLOCK + 3).split(parts)] == sizes


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_resamples_of_different_blocks_differ(way):
    found = way(drawn(2 * BLOCK))
    assert not np.array_equal(found[:BLOCK], found[BLOCK:])


def test_a_generator_used_twice_goes_on():
    rng = np.random.default_rng(1)
    first, second = (joined(bootstrap_indices(draw(rng, 10), 7)) for _ in range(2))
    assert not np.array_equal(first, second)


def test_streams_grow_from_128_bits_of_the_generator():
    roots = [drawn(1, seed).seeds[0].entropy for seed in range(20)]
    assert {len(root) for root in roots} == {4}
    assert 2**31 <= max(map(max, roots)) < 2**32


def test_a_generator_of_any_kind_serves():
    draws = draw(np.random.Generator(np.random.MT19937(5)), 10)
    assert joined(bootstrap_indices(draws, 7)).shape == (10, 7)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_exact_flips_are_all_vectors_of_signs_once(n):
    differences = TABLE[:, :1] * np.arange(1, n + 1) + TABLE[:, 1:2]
    loop = [[sum(s * d for s, d in zip(signs, row, strict=True)) for row in differences] for signs in signs_of(n)]
    found = joined(exact_flip_sums(differences))
    assert found.shape == (2**n, 4)
    np.testing.assert_allclose(np.sort(found, axis=0), np.sort(loop, axis=0), atol=1e-12)


def test_all_vectors_of_signs_come_in_chunks_too(monkeypatch):
    whole = joined(exact_flip_sums(TABLE[:, :5]))
    monkeypatch.setattr(resample, "NUMBERS", 5 * 6)  # six vectors at once: 6 + 6 + 6 + 6 + 6 + 2
    chunks = list(exact_flip_sums(TABLE[:, :5]))
    assert [len(chunk) for chunk in chunks] == [6, 6, 6, 6, 6, 2]
    np.testing.assert_allclose(joined(chunks), whole, rtol=0, atol=1e-14)


def signs_of(n):
    return list(product((1, -1), repeat=n))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_random_signs_are_signs_and_even(n):
    powers = np.eye(n)  # each query alone is a pair: its sum is its sign
    signs = joined(flip_sums(powers, drawn(4000)))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(4000)
    if n > 1:
        together = signs.T @ signs / 4000 - np.eye(n)
        assert np.abs(together).max() < 5.5 / np.sqrt(4000)


def test_all_pairs_get_the_same_signs():
    both = joined(flip_sums(np.vstack([TABLE, TABLE]), drawn(50)))
    assert_same_bits(both[:, :4], both[:, 4:])


@given(n=st.integers(1, 30), seed=st.integers(0, 100))
def test_counts_are_those_of_the_indices(n, seed):
    indices, counts = joined(bootstrap_indices(drawn(20, seed), n)), joined(bootstrap_counts(drawn(20, seed), n))
    assert np.array_equal(counts, [[(row == i).sum() for i in range(n)] for row in indices])


def test_means_and_moments_are_those_of_the_sampled_values():
    indices = joined(bootstrap_indices(drawn(300), 7))
    sampled = TABLE[:, indices]  # (lists, resamples, n)
    for lists in (1, 2, 4):
        means = bootstrap_means(TABLE[:lists], drawn(300))
        np.testing.assert_allclose(means, sampled[:lists].mean(axis=2), atol=1e-14)
    mean, square = (np.concatenate(part) for part in zip(*bootstrap_moments(TABLE, drawn(300)), strict=True))
    np.testing.assert_allclose(mean.T, sampled.mean(axis=2), atol=1e-14)
    np.testing.assert_allclose(square.T, (sampled**2).mean(axis=2), atol=1e-14)


def test_each_item_is_drawn_as_often_as_any_other():
    counts = joined(bootstrap_counts(drawn(20_000), 5)).sum(axis=0)
    assert np.abs(counts - 20_000).max() < 5 * np.sqrt(20_000 * 5 * 0.2 * 0.8)


def test_permuted_means_deal_out_each_query_among_the_systems():
    one = np.arange(3.0)[:, None]  # three systems, one query: the means are the scores themselves
    dealt = joined(permuted_means(one, drawn(6000)))
    orders, counts = np.unique(dealt, axis=0, return_counts=True)
    assert len(orders) == 6
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(6000 / 6 * 5 / 6)
    assert np.array_equal(one.ravel(), np.arange(3.0))


def test_permuted_means_keep_the_mean_of_all():
    found = joined(permuted_means(TABLE, drawn(50)))
    np.testing.assert_allclose(found.mean(axis=1), TABLE.mean(), atol=1e-14)


def test_as_many_lists_as_there_are_bound_how_many_resamples_are_held_at_once(monkeypatch):
    monkeypatch.setattr(resample, "NUMBERS", 1000)
    values = np.random.default_rng(1).standard_normal((500, 3))
    assert {len(mean) for mean, _ in bootstrap_moments(values, drawn(10))} == {2}
    tracemalloc.start()
    means = bootstrap_means(values, drawn(BLOCK))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * means.nbytes


@pytest.mark.parametrize("shape", [(190, 100), (1, 20_000), (300, 20)])
def test_memory_stays_bounded(shape, monkeypatch):
    """With room for a tenth of the numbers; all signs of a stream at once would take 20 MB of the second table."""
    monkeypatch.setattr(resample, "NUMBERS", resample.NUMBERS // 10)
    table = np.zeros(shape)
    tracemalloc.start()
    for chunk in flip_sums(table, drawn(2000)):
        del chunk
    for chunk in bootstrap_moments(table, drawn(50)):
        del chunk
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12e6


def test_items_that_are_alike_are_drawn_together(monkeypatch):
    repeats = np.array([5, 1, 14])
    found = np.concatenate(list(bootstrap_repeats(draw(np.random.default_rng(1), 3000), repeats)))
    assert (found.sum(axis=1) == 20).all()
    # As sums of 20 draws: means n p, variances n p (1 - p).
    assert found.mean(axis=0) == pytest.approx(repeats, abs=0.2)
    assert found.var(axis=0) == pytest.approx(repeats * (1 - repeats / 20), rel=0.1)
    monkeypatch.setattr(resample, "NUMBERS", 30)  # many small chunks
    small = np.concatenate(list(bootstrap_repeats(draw(np.random.default_rng(1), 3000), repeats)))
    assert_same_bits(small, found)


def test_items_that_all_differ_are_counted_as_before():
    draws = draw(np.random.default_rng(1), 20)
    found, expected = (
        np.concatenate(list(chunks))
        for chunks in (bootstrap_repeats(draws, np.ones(6, np.int64)), bootstrap_counts(draws, 6))
    )
    assert_same_bits(found, expected)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6), st.floats(0, 1), st.floats(0, 1), st.integers(0, 99))
def test_a_share_of_each_group_is_its_size_and_a_larger_one_contains_it(sizes, one, other, seed):
    sizes = np.array(sizes)
    group = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    ranks = shuffled_ranks(np.random.default_rng(seed), group, sizes)
    small, large = (ranks < share_of_sizes(share, sizes)[group] for share in sorted((one, other)))
    assert not (small & ~large).any()
    counts = np.bincount(group[small], minlength=len(sizes))
    assert counts.tolist() == [int(min(one, other) * n + 0.5) for n in sizes.tolist()]


def test_each_item_of_a_group_comes_first_as_often_as_any_other():
    group, sizes = np.repeat(np.arange(400), 4), np.full(400, 4)
    first = np.flatnonzero(shuffled_ranks(np.random.default_rng(2), group, sizes) == 0) % 4
    assert np.bincount(first, minlength=4) == pytest.approx(100, abs=30)


def test_a_root_of_seeds_differs_from_call_to_call_and_comes_again_with_the_seed():
    rng = np.random.default_rng(5)
    roots = [seed_root(rng), seed_root(rng)]
    assert roots[0] != roots[1]
    assert roots[0] == seed_root(np.random.default_rng(5))

"""Which systems are told apart, the ranks that leaves them, and clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankscope.consensus.leaderboard.fit import cluster_ranks


def test_systems_that_are_always_above_are_told_apart() -> None:
    draws = np.array([[3.0, 1.0, 0.0], [4.0, 0.0, 1.0]] * 20)
    found = cluster_ranks(draws, 0.95)
    assert found.apart.tolist() == [[False, True, True], [True, False, False], [True, False, False]]
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([1, 2, 2], [1, 3, 3])
    assert found.cluster.tolist() == [1, 2, 2]


def test_an_interval_at_95_percent_leaves_out_one_draw_of_forty_at_an_end() -> None:
    def draws(above: int) -> np.ndarray:
        first = np.where(np.arange(1000) < above, 1.0, -1.0)
        return np.stack([first, np.zeros(1000)], axis=1)

    assert cluster_ranks(draws(975), 0.95).apart[0, 1]
    assert not cluster_ranks(draws(974), 0.95).apart[0, 1]


def test_systems_that_are_the_same_in_every_draw_are_not_told_apart() -> None:
    found = cluster_ranks(np.zeros((50, 3)), 0.95)
    assert not found.apart.any()
    assert found.cluster.tolist() == [1, 1, 1]


def test_a_chain_of_neighbours_that_are_not_apart_is_one_cluster() -> None:
    rng = np.random.default_rng(0)
    draws = np.array([0.9, 0.5, 0.0, -5.0]) + 0.2 * rng.normal(size=(4000, 4))
    found = cluster_ranks(draws, 0.95)
    assert found.apart[0, 2]
    assert not found.apart[0, 1]
    assert not found.apart[1, 2]
    assert found.cluster.tolist() == [1, 1, 1, 2]
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([1, 1, 2, 4], [2, 3, 3, 4])


@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([0.5, 0.9, 0.95]))
def test_clusters_are_cut_where_all_above_are_apart_from_all_below(n: int, seed: int, level: float) -> None:
    rng = np.random.default_rng(seed)
    draws = -np.arange(n) * rng.random() + rng.normal(size=(60, n))
    found = cluster_ranks(draws, level)
    expected, cluster = [], 1
    for i in range(n):
        if i and all(np.mean(draws[:, a] > draws[:, b]) >= 1 - (1 - level) / 2 for a in range(i) for b in range(i, n)):
            cluster += 1
        expected.append(cluster)
    assert found.cluster.tolist() == expected
    assert (found.rank_low <= found.rank_high).all()

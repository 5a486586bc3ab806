"""How alike comparisons of the same two systems come out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Preferences
from rankscope.consensus.leaderboard.result import consistency_of_repeats, share_upheld
from rankscope.data.rankings import Labels

comparison = st.tuples(st.integers(0, 2), st.integers(1, 2), st.sampled_from([-1, 0, 1]), st.sampled_from("xyz"))


def test_the_side_does_not_matter() -> None:
    seen = Preferences.of([("A", "B", "A"), ("B", "A", "A"), ("A", "B", "B"), ("A", "C", "tie")])
    assert consistency_of_repeats(seen) == (3, 1, 0, 0)  # of three comparisons of A and B, those two that A won


@given(st.lists(comparison, min_size=1, max_size=25))
def test_pairs_are_counted_as_by_a_loop(rows: list[tuple[int, int, int, str]]) -> None:
    left = [a for a, _, _, _ in rows]
    right = [(a + b) % 3 for a, b, _, _ in rows]
    outcome, cluster = [o for _, _, o, _ in rows], [u for _, _, _, u in rows]
    seen = Preferences(systems=("A", "B", "C"), left=left, right=right, outcome=outcome, cluster=Labels.of(cluster))
    winners = [{1: a, -1: b, 0: None}[o] for a, b, o in zip(left, right, outcome, strict=True)]
    same = [(i, j) for i, j in combinations(range(len(rows)), 2) if {left[i], right[i]} == {left[j], right[j]}]
    within = [(i, j) for i, j in same if cluster[i] == cluster[j]]
    expected = [
        count for some in (same, within) for count in (len(some), sum(winners[i] == winners[j] for i, j in some))
    ]
    assert list(consistency_of_repeats(seen)) == expected


def test_the_better_rated_one_wins_by_weight_and_equal_ones_share() -> None:
    rows = [("A", "B", "A"), ("B", "A", "B"), ("A", "B", "tie"), ("A", "C", "C")]
    seen = Preferences.of(rows, weight=np.array([3.0, 1.0, 5.0, 2.0]))
    # A is above B: 3 of 4; A and C are equal: half of 2; the tie does not count
    assert share_upheld(seen, np.array([1.0, 0.0, 1.0])) == pytest.approx((3 + 1) / (3 + 1 + 2))


def test_of_ties_alone_nothing_is_known() -> None:
    assert np.isnan(share_upheld(Preferences.of([("A", "B", "tie")]), np.array([1.0, 0.0])))

"""Strict orders where others are as good: shared ranks, what is said of them, and intervals that are not of width 0."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Votes
from rankscope.consensus import merge_rankings
from rankscope.consensus.optimal.footrule import has_free_cycle
from rankscope.consensus.optimal.held_karp import count_best_orders
from rankscope.consensus.optimal.local_search import count_free_moves

STRICT = ("kemeny", "footrule", "mallows")
CIRCLE = [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]]


@pytest.mark.parametrize("method", STRICT)
def test_items_that_all_voters_tie_share_the_first_place(method: str) -> None:
    found = merge_rankings([[["A", "B", "C"]]] * 2, method, rng=1)
    assert found.ordering.ranks.tolist() == [1, 1, 1]
    assert sorted(found.ordering.scores) == [0, 1, 2]
    assert mentions(found.sections()[0].sentence, "A, B and C", "share")
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1, 1], [3, 3, 3])


@pytest.mark.parametrize("method", ["kemeny", "mallows"])
def test_a_circle_has_one_of_several_best_orders(method: str) -> None:
    found = merge_rankings(CIRCLE, method, rng=1)
    assert mentions(found.sections()[0].sentence, "A ranks first in one of several")
    assert mentions(found.notes, "2 other orders")
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_in_a_circle_all_places_are_alike_to_footrule() -> None:
    """Each item has each place once: the first and the last place cost 0 + 1 + 2, the middle 1 + 0 + 1, whoever."""
    found = merge_rankings(CIRCLE, "footrule", rng=1)
    assert found.ordering.ranks.tolist() == [1, 1, 1]


@pytest.mark.parametrize("method", STRICT)
def test_ties_at_the_end_leave_the_winner_alone(method: str) -> None:
    found = merge_rankings([["A", ["B", "C"], "D"]] * 3, method, rng=1)
    assert found.ordering.ranks.tolist() == [1, 2, 2, 4]
    assert ("A ranks first of" in str(found)) == (method != "footrule")  # which does not know whether A is always first
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2, 2, 4], [1, 3, 3, 4])


@pytest.mark.parametrize("method", STRICT)
def test_a_single_best_order_is_said_without_reserve(method: str) -> None:
    found = merge_rankings([["A", "B", "C"]] * 3, method, rng=1)
    assert "A ranks first of" in str(found)
    assert not any("as good" in note for note in found.notes)


def test_of_many_items_one_that_could_stand_elsewhere_shows_that_others_are_as_good() -> None:
    names = [f"i{i:02d}" for i in range(20)]
    votes = [[*names[i:3], *names[:i], *names[3:]] for i in range(3)]
    found = merge_rankings(votes, "kemeny", n_resamples=0)
    assert mentions(found.notes, "items", "no cost")
    assert found.ordering.winner_open


def test_the_same_seed_breaks_the_same_ties() -> None:
    votes = Votes.of([[list("ABCDE")]] * 4)
    a, b = (merge_rankings(votes, "kemeny", n_resamples=40, rng=7) for _ in range(2))
    assert list(a.records()) == list(b.records())


def test_best_orders_are_counted() -> None:
    circle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert count_best_orders(circle) == 3
    assert count_best_orders(np.zeros((5, 5))) == 5 * 4 * 3 * 2
    assert count_best_orders(np.triu(np.ones((6, 6)), 1) - np.tril(np.ones((6, 6)), -1)) == 1


def test_free_moves_are_those_of_a_naive_search() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        upper = np.triu(rng.integers(-2, 3, (5, 5)), 1).astype(float)
        margins, order = upper - upper.T, rng.permutation(5)

        def cost(some: list[int], margins: np.ndarray = margins) -> float:
            return sum(max(-margins[a, b], 0) for i, a in enumerate(some) for b in some[i + 1 :])

        now, found = cost(order.tolist()), 0
        for item in order.tolist():
            rest = [other for other in order.tolist() if other != item]
            moved = [[*rest[:k], item, *rest[k:]] for k in range(5)]
            found += any(cost(one) == now for one in moved if one != order.tolist())
        assert count_free_moves(margins, order) == found


def test_circles_of_places_at_no_cost() -> None:
    """0 to 1 costs 2, 1 to 2 gains 1, 2 to 0 gains 1; two of them exchanged cost 4 or more."""
    gain = np.array([[0.0, 2, 5], [5, 0, -1], [-1, 5, 0]])
    assert has_free_cycle(gain)
    assert not has_free_cycle(gain + 1 - np.eye(3))

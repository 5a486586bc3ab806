"""Copeland, Condorcet and Smith against definitions written out."""

from itertools import combinations

import numpy as np
import pytest

from rankscope.consensus import Copeland, condorcet_loser, condorcet_winner, smith_set
from rankscope.consensus.pairwise import half_ties, majority_wins, strength_levels
from rankscope.consensus.voting.condorcet import condorcet_winners, smith_sets
from rankscope.errors import ParameterError


def random_wins(seed, draws=200, items=5):
    """Of each pair one wins, or neither."""
    rng = np.random.default_rng(seed)
    sign = np.triu(rng.choice([-1, 0, 1], (draws, items, items), p=[0.4, 0.2, 0.4]), 1)
    return (sign - sign.swapaxes(1, 2)) > 0


def smallest_dominant(wins):
    n = len(wins)
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            if all(wins[i, j] for i in chosen for j in set(range(n)) - set(chosen)):
                return set(chosen)
    raise AssertionError


def test_smith_sets_are_the_smallest_that_win_against_all_others():
    wins = random_wins(1)
    found = smith_sets(wins)
    assert [set(np.flatnonzero(row).tolist()) for row in found] == [smallest_dominant(one) for one in wins]
    assert len({row.sum() for row in found}) == 5, "of every size"


def test_a_condorcet_winner_is_who_wins_against_all():
    wins = random_wins(2)
    winners, losers = condorcet_winners(wins), condorcet_winners(wins.swapaxes(1, 2))
    for one, winner, loser in zip(wins, winners, losers, strict=True):
        beats = [all(one[i, j] for j in range(5) if j != i) for i in range(5)]
        beaten = [all(one[j, i] for j in range(5) if j != i) for i in range(5)]
        assert winner == (beats.index(True) if any(beats) else -1)
        assert loser == (beaten.index(True) if any(beaten) else -1)
    assert (smith_sets(wins).sum(axis=1) == 1).tolist() == (winners >= 0).tolist()


def test_copelands_points_sum_to_the_pairs():
    assert (half_ties(random_wins(3)).sum(axis=1) == 5 * 4 / 2).all()


def test_a_majority_that_is_only_rounding_is_none():
    votes = [["A", "B"], ["A", "B"], ["B", "A"]]
    found = Copeland().order(votes, weights=[0.1, 0.2, 0.3])  # 0.30000000000000004 to 0.3
    assert found.scores.tolist() == [0.5, 0.5]
    assert condorcet_winner(votes, weights=[0.1, 0.2, 0.3]) is None


@pytest.mark.parametrize(("unranked", "expected"), [("average", "A"), ("worst", "A"), ("ignore", "B")])
def test_unranked_items_are_behind_unless_ignored(unranked, expected):
    votes = [["A", "C"], ["A", "C"], ["B", "A", "C"]]
    assert condorcet_winner(votes, unranked=unranked) == expected
    assert smith_set(votes, unranked=unranked) == (expected,)
    assert Copeland(unranked=unranked).order(votes).order[0] == expected
    # C is behind A for all; B is behind C for two, or for nobody.
    assert condorcet_loser(votes, unranked=unranked) == ("C" if unranked == "ignore" else "B")


def test_levels_order_strengths():
    pairs = np.array([[[0, 7, 3], [6, 0, 9], [7, 7, 0.0]]])  # A over B 7 to 6, B over C 9 to 7, C over A 7 to 3
    assert strength_levels(pairs, "winning").tolist() == [[[0, 1, 0], [0, 0, 2], [1, 0, 0]]]
    assert strength_levels(pairs, "margins").tolist() == [[[0, 1, 0], [0, 0, 2], [3, 0, 0]]]
    assert majority_wins(pairs).tolist() == (strength_levels(pairs, "margins") > 0).tolist()


def test_without_a_majority_all_levels_are_0():
    assert not strength_levels(np.full((2, 3, 3), 4.0), "winning").any()


@pytest.mark.parametrize("function", [condorcet_winner, condorcet_loser, smith_set])
def test_another_rule_for_unranked_items_is_refused(function):
    with pytest.raises(ParameterError, match="unranked is 'none'"):
        function([["A", "B"], ["B", "A"]], unranked="none")

"""The Kemeny order: proved, searched for, stopped."""

import itertools

import numpy as np
import pytest
from helpers.consensus_methods import naive_preferences, some_votes
from helpers.messages import mentions
from helpers.naive_consensus import kemeny_distance, least, random_votes
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus import Kemeny, vote_distances
from rankscope.errors import InputError, ParameterError

UNRANKED = ("average", "worst", "optimistic", "ignore")


def order_of(found):
    return [found.items.index(name) for name in found.order]


@examples(50)
@given(votes=some_votes(), unranked=st.sampled_from(UNRANKED))
def test_it_is_as_near_as_the_best_of_all_orders(votes, unranked):
    found = Kemeny(unranked=unranked).order(votes)
    assert found.details["distance"] == kemeny_distance(order_of(found), votes, unranked)
    assert found.details["distance"] == least(kemeny_distance, votes, unranked)
    assert found.details["gap"] == 0
    assert found.details["bound"] == found.details["distance"]


@pytest.mark.parametrize("seed", range(4))
def test_so_it_is_of_seven_items_with_ties_gaps_and_odd_weights(seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 6, (5, 7)).astype(np.float64)
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    ranks[0] = np.arange(7)  # nobody is without a rank
    ranks[:, 0] = 1
    weights = rng.choice([1.0, 0.5, 1 / 3, np.pi, 2.0], 5)
    votes = Votes(ranks=ranks, items=tuple("ABCDEFG"), weights=weights)
    for unranked in ("average", "ignore"):
        found = Kemeny(unranked=unranked).order(votes)
        best = least(kemeny_distance, votes, unranked)
        assert found.details["distance"] == pytest.approx(best, rel=1e-9)
        distances = vote_distances(found, votes, unranked=unranked)
        assert votes.weights @ distances == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("n", [6, 16, 25])
@pytest.mark.parametrize("seed", range(2))
def test_whoever_wins_against_all_outside_a_group_stands_before_them(n, seed):
    """The extended Condorcet criterion: two halves, each in random orders, the first above the second for 3 of 5."""
    rng = np.random.default_rng(seed)
    half = n // 2
    orders = [[*rng.permutation(half), *(half + rng.permutation(n - half))] for _ in range(3)]
    orders += [[*(half + rng.permutation(n - half)), *rng.permutation(half)] for _ in range(2)]
    found = Kemeny().order([[f"{item:02}" for item in order] for order in orders])
    assert set(found.order[:half]) == {f"{item:02}" for item in range(half)}


def test_a_circle_is_opened_where_that_costs_the_least():
    """A > B by 1 (3 to 2 voters), B > C by 3 (4 to 1), C > A by 1: the two weak ones cost the same, B > C stays."""
    votes = [["A", "B", "C"], ["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["B", "C", "A"]]
    found = Kemeny().order(votes)
    above = naive_preferences(Votes.of(votes).places, np.ones(5))
    assert [above[0][1], above[1][2], above[2][0]] == [3, 4, 3]
    # The minority in each pair, 2 + 1 + 2, and one majority of 1 that is passed over.
    assert found.details["distance"] == 2 + 1 + 2 + 1
    assert found.order.index("B") < found.order.index("C")


def test_among_equals_it_is_nearest_to_borda():
    """Two voters against each other on A and B: either order costs 1; a third item makes A the better by Borda."""
    found = Kemeny().order([["B", "A", "C"], ["A", "C", "B"]])
    assert found.order[0] == "A"
    assert mentions(found.notes, "neighbours", "no cost")


@pytest.mark.parametrize("items", [10, 22])
def test_the_names_and_the_order_of_the_items_do_not_matter(items):
    votes = random_votes(9, items, 3).with_weights(np.arange(1.0, 10.0) ** 2)
    sums = votes.weights @ votes.ranks
    assert np.unique(sums).size == items  # else the order of the votes decides
    turn = np.random.default_rng(1).permutation(items)
    other = Votes(ranks=votes.ranks[:, turn], items=tuple(f"new {i}" for i in turn), weights=votes.weights)
    first, second = Kemeny().order(votes), Kemeny().order(other)
    assert first.details["distance"] == second.details["distance"]
    assert first.ranks[turn].tolist() == second.ranks.tolist()


@pytest.mark.parametrize(("voters", "items"), [(8, 30), (100, 40), (7, 40)])
def test_random_votes_are_solved_with_proof_and_the_search_comes_close(voters, items):
    votes = random_votes(voters, items, 1)
    exact, search = Kemeny().solve(votes), Kemeny(exact=False).solve(votes)
    order = np.argsort(-exact.scores)
    assert kemeny_distance(order, votes, "average") == exact.details["distance"] == exact.details["bound"]
    assert exact.details["distance"] <= search.details["distance"] <= 1.002 * exact.details["distance"]
    assert search.details["bound"] <= exact.details["distance"]
    assert any("proved" in note for note in exact.notes)
    assert any("without proof" in note for note in search.notes)
    assert Kemeny().solve(votes).scores.tolist() == exact.scores.tolist()


@pytest.mark.parametrize("limit", [1e-6, 0.05, 60.0])
def test_a_time_limit_leaves_an_honest_gap(limit):
    votes = random_votes(5, 30, 1)
    best = Kemeny().solve(votes).details["distance"]
    found = Kemeny(time_limit=limit).solve(votes)
    details = found.details
    assert details["bound"] <= best <= details["distance"]
    assert_same_numbers(details["gap"], (details["distance"] - details["bound"]) / details["distance"])
    assert any("time limit" in note for note in found.notes) == (details["gap"] > 0)
    assert (limit > 1e-6) or details["gap"] > 0


def test_a_time_limit_is_kept():
    import time

    votes = random_votes(7, 60, 1)  # takes seconds to prove
    begin = time.monotonic()
    found = Kemeny(time_limit=0.3).solve(votes)
    assert time.monotonic() - begin < 3
    assert found.details["bound"] <= found.details["distance"]


def test_draws_are_those_of_their_votes_alone():
    rng = np.random.default_rng(0)
    for items in (6, 16):
        votes = random_votes(10, items, 2)
        weights = np.vstack([votes.weights, rng.multinomial(10, np.full(10, 0.1), 4)])
        found = Kemeny().scores(votes, weights)
        for row, draw in zip(found, weights, strict=True):
            there = draw > 0
            alone = Votes(ranks=votes.ranks[there], items=votes.items, weights=draw[there])
            own = Kemeny().solve(alone)
            cost = kemeny_distance(np.argsort(-row), alone, "average")
            if items == 6:
                assert row.tolist() == own.scores.tolist()
            assert own.details["distance"] <= cost <= 1.05 * own.details["distance"]


def test_a_single_pair_and_votes_that_say_nothing():
    assert Kemeny().order([["A", "B"], ["A", "B"]]).details["distance"] == 0
    found = Kemeny().order([[["A", "B", "C"]], [["A", "B", "C"]]])
    assert found.order == ("A", "B", "C")
    assert dict(found.details) == {"distance": 0.0, "bound": 0.0, "gap": 0.0}
    assert mentions(found.notes, "2 pairs of neighbours")


def test_its_scores_are_how_many_stand_behind():
    found = Kemeny().order([["A", "B", "C", "D"]] * 2)
    assert found.scores.tolist() == [3.0, 2.0, 1.0, 0.0]
    assert found.ranks.tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"exact": "yes"}, "exact is 'yes'"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"restarts": 0}, "restarts is 0"),
        ({"rng": -1}, "rng is -1"),
        ({"unranked": "last"}, "unranked is 'last'"),
    ],
)
def test_bad_parameters_are_named(given, said):
    with pytest.raises(ParameterError, match=said):
        Kemeny(**given).order([["A", "B"], ["B", "A"]])


def test_one_voter_is_refused():
    with pytest.raises(InputError, match="1 voter"):
        Kemeny().order([["A", "B"]])


def test_every_order_of_three_is_found_from_votes_that_are_it():
    for order in itertools.permutations("ABC"):
        assert Kemeny().order([list(order)] * 3).order == order

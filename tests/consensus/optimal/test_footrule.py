"""The footrule order, and distances of orders to votes."""

from itertools import combinations, permutations

import numpy as np
import pytest
from helpers.consensus_methods import some_votes
from helpers.messages import mentions
from helpers.naive_consensus import footrule_distance, kemeny_distance, least, random_votes
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus import Footrule, Kemeny, vote_distances
from rankscope.errors import InputError, ParameterError

UNRANKED = ("average", "worst", "optimistic", "ignore")


@examples(40)
@given(votes=some_votes(), unranked=st.sampled_from(UNRANKED))
def test_its_places_are_as_near_as_those_of_the_best_of_all_orders(votes, unranked):
    found = Footrule(unranked=unranked).order(votes)
    order = [votes.items.index(name) for name in found.order]
    assert found.details["distance"] == footrule_distance(order, votes, unranked)
    assert found.details["distance"] == least(footrule_distance, votes, unranked)
    assert sorted(found.scores) == list(range(len(votes.items)))


@examples(40)
@given(votes=some_votes(ties=False, partial=False))
def test_places_are_at_most_twice_as_far_away_as_pairs(votes):
    """Diaconis and Graham 1977, theorem 2: K + I <= F <= 2 K, so F of the footrule order is at most 2 K of Kemeny's."""
    by_places, by_pairs = Footrule().order(votes), Kemeny().order(votes)
    assert by_places.details["distance"] <= 2 * by_pairs.details["distance"]
    pairs_apart = votes.weights @ vote_distances(by_places, votes)
    assert by_pairs.details["distance"] <= pairs_apart <= 2 * by_pairs.details["distance"]


def test_among_equals_it_is_nearest_to_the_order_by_mean_place():
    """B at places 1 and 2, A at 2 and 1, C at 3 twice: A and B are equal, so the votes' order decides."""
    found = Footrule().order([["A", "B", "C"], ["B", "A", "C"]])
    assert found.order == ("A", "B", "C")
    assert found.details["distance"] == 2
    assert mentions(found.notes, "1 pair of neighbours")


def test_draws_are_those_of_their_votes_alone():
    votes = random_votes(8, 9, 1)
    weights = np.random.default_rng(0).multinomial(8, np.full(8, 1 / 8), 5).astype(np.float64)
    found = Footrule().scores(votes, weights)
    for row, draw in zip(found, weights, strict=True):
        there = draw > 0
        alone = Votes(ranks=votes.ranks[there], items=votes.items, weights=draw[there])
        assert row.tolist() == Footrule().solve(alone).scores.tolist()


def test_a_wrong_rule_for_unranked_items_is_named():
    with pytest.raises(ParameterError, match="unranked is 'last'"):
        Footrule(unranked="last").order([["A", "B"], ["B", "A"]])


@examples(30)
@given(votes=some_votes(), unranked=st.sampled_from(UNRANKED), data=st.data())
def test_distances_are_those_counted_one_by_one(votes, unranked, data):
    order = data.draw(st.permutations(range(len(votes.items))))
    names = [votes.items[i] for i in order]
    pairs = votes.weights @ vote_distances(names, votes, unranked=unranked)
    assert pairs == kemeny_distance(order, votes, unranked)
    places = votes.weights @ vote_distances(names, votes, distance="footrule", unranked=unranked)
    assert places == footrule_distance(order, votes, unranked)


def test_a_pair_that_the_order_ties_is_half_a_disagreement():
    votes = [["A", "B", "C"], ["C", ["A", "B"]]]
    # A, B tied before C: the first voter orders A and B, 1/2; the second ties them, and has C before both, 2.
    assert vote_distances([["A", "B"], "C"], votes).tolist() == [1 / 2, 2.0]
    # Places 1.5, 1.5, 3 beside 1, 2, 3 and 2.5, 2.5, 1.
    assert vote_distances([["A", "B"], "C"], votes, distance="footrule").tolist() == [0.5 + 0.5, 1 + 1 + 2]


def test_of_all_orders_of_three_the_distances_to_each_other_are_known():
    """Pairs the other way round between the six orders of three: 0 once, 1 twice, 2 twice, 3 once, from each."""
    orders = [list(order) for order in permutations("ABC")]
    for order in orders:
        assert sorted(vote_distances(order, orders)) == [0, 1, 1, 2, 2, 3]
    assert len(list(combinations("ABC", 2))) == 3


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (["A", "B"], "'C' is not"),
        (["A", "B", "C", "D"], "'D' is .*nobody"),
        (["A", "B", "B", "C"], "twice"),
    ],
)
def test_an_order_of_other_items_is_refused(order, said):
    with pytest.raises(InputError, match=said):
        vote_distances(order, [["A", "B", "C"], ["C", "B", "A"]])


def test_another_distance_is_refused():
    with pytest.raises(ParameterError, match="distance is 'cosine'"):
        vote_distances(["A", "B"], [["A", "B"], ["B", "A"]], distance="cosine")

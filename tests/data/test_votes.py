"""Votes: lists of names and ranks by name against a loop, places of what was left out, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError

NAMES = ("A", "B", "C", "D", "é", "1")


@st.composite
def ballots(draw: st.DrawFn) -> list[list[list[str]]]:
    """Lists of groups of tied names, of which each ranks something and together at least two."""
    found = []
    for _ in range(draw(st.integers(2, 5))):
        order = draw(st.permutations(NAMES))[: draw(st.integers(1, len(NAMES)))]
        groups: list[list[str]] = []
        for name in order:
            if groups and draw(st.booleans()):
                groups[-1].append(name)
            else:
                groups.append([name])
        found.append(groups)
    if len({name for groups in found for tied in groups for name in tied}) < 2:
        found.append([["A"], ["B"]])
    return found


@given(ballots())
def test_a_list_of_names_gives_places_from_1_and_tied_ones_share_their_mean(lists):
    votes = rs.Votes.of([[tied[0] if len(tied) == 1 else tied for tied in groups] for groups in lists])
    for voter, groups in enumerate(lists):
        before = 0
        there = {}
        for tied in groups:
            there.update(dict.fromkeys(tied, before + (len(tied) + 1) / 2))
            before += len(tied)
        for item, rank in zip(votes.items, votes.places[voter].tolist(), strict=True):
            assert rank == there[item] if item in there else np.isnan(rank)
    np.testing.assert_array_equal(votes.ranks, votes.places)


@given(ballots())
def test_lists_and_ranks_by_name_say_the_same(lists):
    by_name = [{name: -10.0 + 3 * i for i, tied in enumerate(groups) for name in tied} for groups in lists]
    one, other = rs.Votes.of(lists), rs.Votes.of(by_name)
    assert one.items == other.items
    np.testing.assert_array_equal(one.places, other.places)


@given(ballots(), st.sampled_from(["average", "worst", "optimistic"]))
def test_items_that_were_left_out_stand_behind_all_others(lists, unranked):
    votes = rs.Votes.of(lists)
    n = len(votes.items)
    for row, places in zip(votes.fill_unranked(unranked), votes.places, strict=True):
        ranked = ~np.isnan(places)
        k = int(ranked.sum())
        expected = {"average": (k + 1 + n) / 2, "worst": n, "optimistic": k + 1}[unranked]
        assert row[ranked].tolist() == places[ranked].tolist()
        assert (row[~ranked] == expected).all()
        if unranked == "average":
            assert row.sum() == n * (n + 1) / 2  # the sum of 1 to n, whatever was left out
    np.testing.assert_array_equal(votes.fill_unranked("ignore"), votes.places)


def test_voters_are_named_by_the_keys_of_a_mapping_and_weighted_by_name():
    votes = rs.Votes.of({"Ann": ["A", "B"], "Bob": ["B", "A"]}, weights={"Bob": 3})
    assert (votes.voters, votes.weights.tolist()) == (("Ann", "Bob"), [1.0, 3.0])
    assert rs.Votes.of(votes) is votes
    assert rs.Votes.of(votes, weights=[2, 0.5]).weights.tolist() == [2.0, 0.5]
    assert rs.Votes.of([["A", "B"], ["B"]], items=["B", "A", "C"][:2]).items == ("B", "A")


def test_whole_numbers_are_names():
    votes = rs.Votes.of([[3, 1, [2, 4]], [1, 2, 3, 4]])
    assert votes.items == ("3", "1", "2", "4")
    assert votes.ranks.tolist() == [[1, 2, 3.5, 3.5], [3, 1, 2, 4]]


def test_what_was_given_is_not_changed_and_cannot_be():
    ranks = np.array([[1.0, 2.0], [2.0, 1.0]])
    votes = rs.Votes(ranks=ranks, items=("A", "B"))
    ranks[0, 0] = 5
    assert votes.ranks[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        votes.ranks[0, 0] = 5
    assert votes.complete
    assert not rs.Votes.of([["A", "B"], ["A"]]).complete


TWO = [["A", "B"], ["B", "A"]]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: rs.Votes.of([["A", "B"]]), "1 voter"),
        (lambda: rs.Votes.of([["A"], ["A"]]), "1 item"),
        (lambda: rs.Votes.of([]), "0 voters"),
        (lambda: rs.Votes.of([["A", "B", "A"], ["B"]]), "voter '1' .*'A' twice"),
        (lambda: rs.Votes.of([["A", ["B", "B"]], ["B"]]), "voter '1' .*'B' twice"),
        (
            lambda: rs.Votes.of({"Ann": ["A", "Z"], "Bob": ["A"]}, items=["A", "B"]),
            "voter 'Ann' .*'Z', .* 2 items",
        ),
        (lambda: rs.Votes.of(TWO, items=["A", "B", "A"]), "'A' .*twice .*items"),
        (lambda: rs.Votes.of(TWO, items=["A", "B", "C"]), "nobody ranked 'C'"),
        (lambda: rs.Votes.of([["A", "B"], []]), "voter '2' ranked nothing"),
        (
            lambda: rs.Votes.of(TWO, weights=[1, 0]),
            "the weight .*voter '2' is 0",
        ),
        (lambda: rs.Votes.of(TWO, weights=[1]), "1 weight .*2 voters"),
        (lambda: rs.Votes.of(TWO, weights={"Z": 1}), "a weight .*'Z', .*1 and 2"),
        (
            lambda: rs.Votes.of([{"A": float("inf"), "B": 1}, {"A": 1}]),
            "the rank of 'A' .*voter '1' is infinite",
        ),
        (
            lambda: rs.Votes.of([{"A": "first", "B": 1}, {"A": 1}]),
            "voter '1': .*rank .*{'A': 1, 'B': 2}",
        ),
        (lambda: rs.Votes.of(["AB", ["A"]]), "voter '1': 'AB', .*list"),
        (
            lambda: rs.Votes.of([["A", None], ["A"]]),
            "voter '1': None in a list",
        ),
        (lambda: rs.Votes.of([["A", ["B", 1.5]], ["A"]]), "voter '1': 1.5 among tied"),
        (
            lambda: rs.Votes(ranks=np.ones((2, 2)), items=("A", "A")),
            "two items .*'A'",
        ),
        (
            lambda: rs.Votes(ranks=np.ones((2, 2)), items=("A", "")),
            "an item without a name",
        ),
        (lambda: rs.Votes(ranks=np.ones((2, 2)), items=("A",)), "1 name .*2 items"),
        (lambda: rs.Votes(ranks=np.ones(2), items=("A", "B")), r"ranks .*shape \(2,\), .*\(voters, items\)"),
    ],
)
def test_what_are_no_votes_is_refused(make, said):
    with pytest.raises(InputError, match=f"^{said}"):
        make()


def test_wrong_arguments_are_told_from_wrong_data():
    with pytest.raises(ParameterError, match=r"rankings .*lists .*mappings"):
        rs.Votes.of("ABC")
    with pytest.raises(ParameterError, match=r"unranked is 'last', .*'average', 'worst', 'optimistic', "):
        rs.Votes.of(TWO).fill_unranked("last")

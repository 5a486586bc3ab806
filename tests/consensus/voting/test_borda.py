"""Points for places: ties, partial lists, medians, what is refused."""

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus import Borda, MeanRankAggregation, MedianRankAggregation
from rankscope.consensus.voting import median_rank
from rankscope.consensus.voting.median_rank import weighted_medians
from rankscope.errors import InputError, ParameterError

PARTIAL = Votes.of([["A", "B", "C", "D"], ["B", "A"]])


@pytest.mark.parametrize(
    ("unranked", "of_c"),
    [("average", 4 - (3 + 4) / 2), ("worst", 4 - 4), ("optimistic", 4 - 3)],
)
def test_borda_of_unranked_items(unranked, of_c):
    # A: 3 + 2, B: 2 + 3, C: 1 and what the second voter, who left it out, gives.
    assert Borda(unranked=unranked).order(PARTIAL).scores.tolist() == [5, 5, 1 + of_c, 0 + of_c]


@pytest.mark.parametrize(("unranked", "of_c"), [("average", (2 + 1) / 2), ("worst", 1), ("optimistic", 2)])
def test_points_of_unranked_items(unranked, of_c):
    found = Borda(points=(9, 5, 2, 1), unranked=unranked).order(PARTIAL)
    assert found.scores.tolist() == [9 + 5, 5 + 9, 2 + of_c, 1 + of_c]
    assert found.method.startswith("borda(")
    assert "points=(9.0, 5.0, 2.0, 1.0)" in found.method


def test_tied_items_share_points():
    votes = [[["A", "B"], "C"], ["A", ["B", "C"]]]
    assert Borda(points=(3, 1)).order(votes).scores.tolist() == [(3 + 1) / 2 + 3, (3 + 1) / 2 + 1 / 2, 0 + 1 / 2]
    assert Borda().order(votes).scores.tolist() == [1.5 + 2, 1.5 + 0.5, 0 + 0.5]


@examples(30)
@given(st.integers(2, 6), st.integers(2, 6), st.randoms(use_true_random=False))
def test_points_that_fall_by_one_are_borda(voters, items, random):
    ranks = np.array([[random.choice([1, 2, 3, np.nan]) for _ in range(items)] for _ in range(voters)])
    ranks[0], ranks[:, 0] = 2.0, 1.0
    votes = Votes(ranks=ranks, items=tuple(map(str, range(items))))
    points = tuple(range(items - 1, -1, -1))
    for unranked in ("average", "worst", "optimistic"):
        as_points = Borda(points=points, unranked=unranked).order(votes)
        assert as_points.scores.tolist() == Borda(unranked=unranked).order(votes).scores.tolist()


def test_the_mean_over_those_who_ranked_an_item():
    found = MeanRankAggregation(unranked="ignore").order(PARTIAL, weights=[1, 3])
    assert found.scores.tolist() == [(1 + 3 * 2) / 4, (2 + 3 * 1) / 4, 3, 4]
    assert found.order == ("B", "A", "C", "D")


def test_mean_rank_orders_as_borda():
    votes = Votes(ranks=np.random.default_rng(1).random((5, 6)), items=tuple("ABCDEF"))
    assert MeanRankAggregation().order(votes).ranks.tolist() == Borda().order(votes).ranks.tolist()


def test_an_item_that_nobody_in_a_resample_ranked_is_last():
    weights = np.array([[0.0, 1.0]])
    for method in (MeanRankAggregation(unranked="ignore"), MedianRankAggregation(unranked="ignore")):
        assert method.scores(PARTIAL, weights).tolist() == [[2, 1, 4, 4]]


def test_medians_of_an_even_number_of_voters_are_means():
    assert MedianRankAggregation().order([["A", "B"], ["B", "A"]]).scores.tolist() == [1.5, 1.5]
    assert MedianRankAggregation().order([["A", "B"], ["B", "A"]], weights=[2, 1]).scores.tolist() == [1, 2]


def test_half_of_the_weight_is_found_in_spite_of_rounding():
    # 0.1 + 0.2 is not quite 0.3.
    votes = [["A", "B", "C"], ["A", "B", "C"], ["C", "B", "A"]]
    assert MedianRankAggregation().order(votes, weights=[0.1, 0.2, 0.3]).scores.tolist() == [2, 2, 2]


@examples(50)
@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_a_weighted_median_is_the_median_of_repeated_values(n, random):
    values = np.array([random.choice([1.0, 1.5, 2.0, 7.0]) for _ in range(n)])
    weights = np.array([random.randint(0, 3) for _ in range(n)])
    weights[0] += 1
    found = weighted_medians(values[:, None], weights[None].astype(np.float64), 9.0)
    assert found.tolist() == [[np.median(np.repeat(values, weights))]]


def test_medians_in_blocks_of_any_size(monkeypatch):
    rng = np.random.default_rng(2)
    votes = Votes(ranks=rng.random((9, 7)), items=tuple("ABCDEFG"))
    weights = rng.integers(1, 5, (6, 9)).astype(np.float64)
    whole = MedianRankAggregation().scores(votes, weights)
    for size in (1, 70, 200):
        monkeypatch.setattr(median_rank, "AT_ONCE", size)
        assert (MedianRankAggregation().scores(votes, weights) == whole).all()


@pytest.mark.parametrize("points", [(), (1, 2), (np.inf, 1), (1, -1), "ab", 3])
def test_points_that_are_refused(points):
    with pytest.raises(ParameterError, match=r"points is .*expected numbers"):
        Borda(points=points).order(PARTIAL)


def test_what_is_refused():
    with pytest.raises(ParameterError, match=r"unranked.*'ignore'.*'average', 'worst', 'optimistic'"):
        Borda(unranked="ignore").order(PARTIAL)
    for method in (MeanRankAggregation, MedianRankAggregation):
        with pytest.raises(ParameterError, match="unranked is 'best'"):
            method(unranked="best")
    with pytest.raises(InputError, match="1 voter"):
        Borda().order([["A", "B"]])

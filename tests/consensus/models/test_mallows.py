"""Mallows' model: theta by hand, its error and test of fit by simulation, ties, and what is refused."""

import numpy as np
import pytest

from rankscope import Votes
from rankscope.consensus import Kemeny, Mallows, sample_mallows
from rankscope.consensus.models.mallows import pool_cells
from rankscope.errors import ParameterError


def test_theta_of_two_items_is_a_log_odds():
    found = Mallows(center=["A", "B"]).order([["A", "B"]] * 6 + [["B", "A"]] * 2).details
    assert found["theta"] == pytest.approx(np.log(3))  # 3/4 with the centre, 1/4 against it
    assert found["standard error of theta"] == pytest.approx(np.sqrt(1 / 6 + 1 / 2))
    assert found["log-likelihood"] == pytest.approx(6 * np.log(3 / 4) + 2 * np.log(1 / 4))
    assert found["mean distance"] == found["expected distance"] == pytest.approx(1 / 4)
    assert found["distance of random orders"] == 1 / 2


def test_the_centre_is_kemenys_and_the_likeliest():
    votes = sample_mallows("DBAC", 0.6, 15, rng=4)
    found = Mallows().order(votes)
    assert found.order == Kemeny().order(votes).order
    assert found.details["distance"] == pytest.approx(15 * found.details["mean distance"])
    assert found.scores.tolist() == Mallows().scores(votes, votes.weights[None])[0].tolist()
    other = Mallows(center=["A", "B", "C", "D"]).order(votes)
    assert other.details["log-likelihood"] <= found.details["log-likelihood"]
    assert other.order == ("A", "B", "C", "D")


def test_a_tie_is_half_against_the_centre_and_weights_count():
    tied = Mallows(center=["A", "B"]).order([["A", "B"], ["A", "B"], [["A", "B"]]]).details
    assert tied["mean distance"] == pytest.approx(0.5 / 3)
    assert tied["theta"] == pytest.approx(np.log(2.5 / 0.5))
    weighted = Mallows(center=["A", "B"]).order([["A", "B"], ["B", "A"]], weights=[5, 1]).details
    assert weighted["theta"] == pytest.approx(np.log(5))
    assert "chi-square" not in weighted
    partial = Mallows(center=["A", "B", "C"]).order([["A"], ["A", "B", "C"], ["C", "B", "A"]]).details
    assert partial["mean distance"] == pytest.approx((0.5 + 0 + 3) / 3)


def test_the_chi_square_of_two_counts_by_hand():
    # all against the centre: theta 0, so 5 expected each way, and (0 - 5)^2 / 5 + (10 - 5)^2 / 5 with 1
    against = Mallows(center=["A", "B"]).order([["B", "A"]] * 10).details
    assert (against["chi-square"], against["degrees of freedom"]) == (10, 1)
    # theta takes the one degree that two cells have
    assert "chi-square" not in Mallows(center=["A", "B"]).order([["A", "B"]] * 9 + [["B", "A"]] * 6).details
    expected, observed = pool_cells(np.array([3.0, 3.0, 7.0, 1.0, 1.0]), np.array([4, 1, 8, 1, 1]))
    assert expected.tolist() == [6, 9]
    assert observed.tolist() == [5, 10]


def test_votes_all_alike_and_votes_against_the_centre():
    alike = Mallows().order([["A", "B", "C"]] * 3)
    assert alike.details["theta"] == np.inf
    assert alike.details["log-likelihood"] == 0
    assert np.isnan(alike.details["standard error of theta"])
    assert any("theta is infinite" in note for note in alike.notes)
    against = Mallows(center=["A", "B", "C"]).order([["C", "B", "A"]] * 3)
    assert against.details["theta"] == 0
    assert against.details["log-likelihood"] == pytest.approx(-3 * np.log(6))
    assert any("theta is 0" in note for note in against.notes)


def test_votes_of_two_camps_do_not_fit():
    camps = [list("ABCDE")] * 60 + [list("EDCBA")] * 40
    found = Mallows(center=list("ABCDE")).order(camps)
    assert found.details["p-value of fit"] < 1e-6
    assert any("does not describe" in note for note in found.notes)


def test_a_wrong_centre_and_ignored_items_are_refused():
    lists = [["A", "B"], ["B", "A"]]
    for wrong in (["A"], ["A", "A"], ["A", "C"]):
        with pytest.raises(ParameterError, match=r"\bcentre\b.*\b2\b"):
            Mallows(center=wrong).order(lists)
    with pytest.raises(ParameterError, match="unranked is 'ignore'"):
        Mallows(unranked="ignore").order(lists)


def test_draws_have_orders_of_their_own():
    votes = Votes.of([["A", "B", "C"], ["C", "B", "A"], ["B", "A", "C"]])
    found = Mallows().scores(votes, np.array([[1.0, 0, 0], [0, 1, 0]]))
    assert found.tolist() == [[2, 1, 0], [0, 1, 2]]
    fixed = Mallows(center=("B", "A", "C")).scores(votes, np.ones((2, 3)))
    assert fixed.tolist() == [[1, 2, 0]] * 2


@pytest.mark.slow
def test_theta_is_found_again_its_error_is_right_and_true_models_pass():
    found = [Mallows(center="ABCDE").order(sample_mallows("ABCDE", 0.5, 100, rng=seed)).details for seed in range(300)]
    off = np.array([one["theta"] - 0.5 for one in found]) / [one["standard error of theta"] for one in found]
    assert np.abs(off.mean()) < 0.2
    assert off.std() == pytest.approx(1, abs=0.12)
    assert 0.04 < np.mean([one["p-value of fit"] < 0.1 for one in found]) < 0.16

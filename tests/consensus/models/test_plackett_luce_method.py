"""Plackett-Luce as a method: scores, what it says of the fit, and what it refuses."""

import numpy as np
import pytest

from rankscope import Votes
from rankscope.consensus import PlackettLuce
from rankscope.errors import InputError, ParameterError

LISTS = [["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"], ["C", "A", "B"]]


def test_the_likelihood_is_the_product_of_choices():
    found = PlackettLuce().order(LISTS)
    a = 1 + np.sqrt(5)  # worths a, 1, 1: see test_luce
    # A first twice, second twice (one left with it); B before C, or C before B, twice
    expected = 2 * np.log(a / (a + 2) / 2) + 2 * np.log(1 / (a + 2) * a / (a + 1))
    assert found.details["log-likelihood"] == pytest.approx(expected)
    assert found.details["log-likelihood of random orders"] == pytest.approx(-4 * np.log(6))
    assert found.details["pseudo R2"] == pytest.approx(1 - expected / (-4 * np.log(6)))
    gain = 2 * (expected + 4 * np.log(6))
    assert found.details["likelihood ratio"] == pytest.approx(gain)
    assert found.details["p-value of equal worths"] == pytest.approx(np.exp(-gain / 2))  # chi-square with 2
    assert found.ranks.tolist() == [1, 2, 2]


def test_weights_count_as_so_many_voters_and_then_there_is_no_p_value():
    weighted = PlackettLuce().order(LISTS, weights=[2, 1, 1, 3])
    repeated = PlackettLuce().order([LISTS[0], *LISTS, LISTS[3], LISTS[3]])
    np.testing.assert_allclose(weighted.scores, repeated.scores, atol=1e-9)
    assert "p-value of equal worths" not in weighted.details
    assert "p-value of equal worths" not in PlackettLuce(prior=0.5).order(LISTS).details


def test_ties_and_partial_lists_have_worths_in_both_ways():
    votes = Votes.of([["A", ["B", "C"]], ["B", "A"], ["C", "B"], ["C", "A", "B"]])
    top, subset = (PlackettLuce(unranked=one).order(votes) for one in ("worst", "ignore"))
    assert np.isfinite(top.scores).all()
    assert np.abs(top.scores - subset.scores).max() > 0.01
    assert top.method == "plackett-luce(unranked='worst')"


def test_bad_parameters_are_refused():
    with pytest.raises(ParameterError, match="prior is -1"):
        PlackettLuce(prior=-1)
    with pytest.raises(ParameterError, match="unranked"):
        PlackettLuce(unranked="last")
    with pytest.raises(ParameterError, match="n_resamples"):
        PlackettLuce().misfit(LISTS, n_resamples=0)
    with pytest.raises(InputError, match=r"\bprior\b"):
        PlackettLuce().order([["A", "B"], ["A", "B"]])

"""Equal choices brought together: the likelihood, its slope and its curvature are those of sums over all votes."""

import numpy as np
import pytest
from helpers.properties import examples
from helpers.voter_places import some_places
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus.models import LuceModel
from rankscope.consensus.models import plackett_luce_likelihood as choices_module
from rankscope.consensus.models.plackett_luce import fit_plackett_luce
from rankscope.consensus.models.plackett_luce_likelihood import choice_sets_of, curvature, slope, stages_of


@examples(40)
@given(st.integers(0, 10_000), st.booleans())
def test_value_slope_and_curvature_equal_those_of_sums_over_votes(seed, subsets):
    places, rng = some_places(seed, voters=6)
    stages = stages_of(places, subsets=subsets)
    found = choice_sets_of(stages)
    if found is None:
        assert not stages.is_choice.any()
        return
    logs, weights, prior = rng.normal(size=(3, 5)), rng.random((3, 6)), np.array([0.0, 0.7, 2.0])
    height = found.objective(weights, prior)
    for some in (np.arange(3), np.array([2, 0])):
        expected = slope(stages, logs[some], weights[some], prior[some])
        for one, other in zip(height(some, logs[some]), expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-10)
    expected = curvature(stages, logs[0], weights[0])
    np.testing.assert_allclose(found.curvature(logs[0], weights[0]), expected, atol=1e-10)


def test_equal_sets_to_choose_from_are_one_row():
    lists = [["A", "B", "C"], ["B", "A", "C"], ["C", "A", "B"], ["A", "C", "B"]] * 50
    found = choice_sets_of(stages_of(Votes.of(lists).places, subsets=False))
    # the first choice is from {A, B, C} always; the second from what is left: {B, C}, {A, C}, {A, B}
    assert found.sets.shape == (4, 3)
    assert found.set_counts.sum() == 2 * 200


def test_two_kinds_with_one_sum_are_kept_apart(monkeypatch):
    stages = stages_of(some_places(3, voters=6)[0], subsets=False)
    expected = choice_sets_of(stages)
    monkeypatch.setattr(choices_module, "mix_bits", lambda values: np.zeros_like(values))
    found = choice_sets_of(stages)
    logs, weights = np.linspace(-1, 1, 5)[None], np.ones((1, 6))
    assert found.sets.shape[0] > expected.sets.shape[0]
    for one, other in zip(
        found.objective(weights, np.zeros(1))(np.arange(1), logs),
        expected.objective(weights, np.zeros(1))(np.arange(1), logs),
        strict=True,
    ):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("unranked", ["average", "ignore"])
def test_fits_are_the_same_where_choices_are_too_many_to_be_held(monkeypatch, unranked):
    rng = np.random.default_rng(5)
    ranks = rng.random((40, 6))
    ranks[:, 4:][rng.random((40, 2)) < 0.5] = np.nan
    votes = Votes(ranks=ranks, items=tuple("ABCDEF"))
    weights = rng.multinomial(40, [1 / 40] * 40, 7).astype(np.float64)
    quick = fit_plackett_luce(votes, weights, unranked=unranked, prior=0.1)
    assert LuceModel.of(votes, unranked, 0.1).merges_choices
    monkeypatch.setattr("rankscope.consensus.models.plackett_luce_likelihood.MOST", 10)
    assert not LuceModel.of(votes, unranked, 0.1).merges_choices
    np.testing.assert_allclose(fit_plackett_luce(votes, weights, unranked=unranked, prior=0.1), quick, atol=1e-8)

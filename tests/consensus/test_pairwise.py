"""Comparisons of all pairs, counted in many ways, against one comparison after the other."""

import numpy as np
import pytest
from helpers.consensus_methods import naive_preferences
from helpers.voter_places import random_votes

from rankscope import Votes
from rankscope.consensus import pairwise
from rankscope.consensus.pairwise import preference_matrices, preference_matrix, preference_matrix_chunks

WEIGHTS = {
    "one each": lambda rng, n: np.ones(n),
    "some of weight 0": lambda rng, n: np.where(rng.random(n) < 0.5, 2.0, 0.0) + np.eye(n)[0] * 2,
    "whole": lambda rng, n: rng.integers(0, 5, n) + np.eye(n)[0],
    "any": lambda rng, n: rng.random(n) + 0.1,
}


@pytest.mark.parametrize("unranked", ["average", "worst", "optimistic", "ignore"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_a_matrix_is_what_comparisons_one_by_one_give(kind, unranked):
    votes = random_votes(3, 7, 6)
    rng = np.random.default_rng(4)
    weights = np.stack([WEIGHTS[kind](rng, 7) for _ in range(3)])
    expected = [naive_preferences(votes.fill_unranked(unranked), row) for row in weights]
    for many in (weights, weights[:1]):
        np.testing.assert_allclose(preference_matrices(votes, many, unranked), expected[: len(many)], rtol=1e-13)


def test_whole_weights_are_exact():
    votes = random_votes(5, 300, 5)
    for most in (3, 1 << 20, 1 << 40):  # in bytes, in float32, in float64
        weights = np.random.default_rng(6).integers(1, most, (2, 300)).astype(np.float64)
        expected = [naive_preferences(votes.fill_unranked(), row) for row in weights]
        assert preference_matrices(votes, weights).tolist() == expected


def test_more_voters_than_fit_in_a_byte():
    ranks = np.tile([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]], (300, 1))
    assert preference_matrix(Votes(ranks=ranks, items=("A", "B"))).tolist() == [[0, 600], [300, 0]]


@pytest.mark.parametrize("items", [126, 127, 200])  # the last that fits into bytes, and the first that does not
def test_places_beyond_a_byte(items):
    votes = Votes(ranks=np.tile(np.arange(items, 0.0, -1), (2, 1)), items=tuple(map(str, range(items))))
    assert (preference_matrix(votes) == 2 * np.tri(items, k=-1)).all()


def test_blocks_of_any_size_give_the_same(monkeypatch):
    votes = random_votes(8, 30, 9)
    weights = np.random.default_rng(9).random((4, 30)) + 0.5
    whole = preference_matrices(votes, weights)
    single = preference_matrix(votes)
    for size in (1, 20, 100, 1000):
        monkeypatch.setattr(pairwise, "AT_ONCE", size)
        np.testing.assert_allclose(preference_matrices(votes, weights), whole, rtol=1e-12)
        assert (preference_matrix(votes) == single).all()


def test_chunks_of_draws_are_all_draws():
    votes = random_votes(10, 6, 4)
    weights = np.random.default_rng(11).integers(1, 4, (7, 6)).astype(np.float64)
    found = np.empty((7, 4, 4))
    for draws, matrices in preference_matrix_chunks(votes, weights, max_numbers=3 * 16):
        assert len(matrices) <= 3
        found[draws] = matrices
    assert (found == preference_matrices(votes, weights)).all()

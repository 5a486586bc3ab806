"""Schulze's paths against all chains, tried one by one."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from helpers.voter_places import random_levels

from rankscope import Votes
from rankscope.consensus import Schulze
from rankscope.consensus.pairwise import half_ties
from rankscope.consensus.voting.schulze import widest_paths
from rankscope.errors import ParameterError


def widest(strengths, first, last):
    others = [i for i in range(len(strengths)) if i not in (first, last)]
    chains = [(first, *via, last) for k in range(len(others) + 1) for via in permutations(others, k)]
    return max(min(strengths[a][b] for a, b in pairwise(chain)) for chain in chains)


@pytest.mark.parametrize("most", [3, 400, 70_000])  # held in one, two and four bytes
def test_the_strongest_chain_is_found(most):
    levels = random_levels(1, 4, 5, most)
    found = widest_paths(levels)
    for one, paths in zip(levels, found, strict=True):
        for a, b in permutations(range(5), 2):
            assert paths[a, b] == widest(one, a, b)


def test_the_relation_has_no_circle_and_the_scores_follow_it():
    paths = widest_paths(random_levels(2, 100, 6, 4)).astype(np.int64)
    beats = paths > paths.swapaxes(1, 2)
    scores = half_ties(beats)
    assert (scores[:, :, None] > scores[:, None, :])[beats].all()


def test_draws_in_chunks_are_all_draws(monkeypatch):
    rng = np.random.default_rng(3)
    votes = Votes(ranks=rng.random((5, 6)), items=tuple("ABCDEF"))
    weights = rng.integers(1, 5, (9, 5)).astype(np.float64)
    whole = Schulze().scores(votes, weights)
    monkeypatch.setattr("rankscope.consensus.voting.schulze.AT_ONCE", 2 * 36)
    assert (Schulze().scores(votes, weights) == whole).all()


@pytest.mark.parametrize(
    ("options", "message"), [({"strength": "votes"}, "strength is"), ({"unranked": 1}, "unranked")]
)
def test_other_options_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        Schulze(**options).order([["A", "B"], ["B", "A"]])

"""The steps of MC1 to MC4 against their definitions, voter by voter, with ties and partial lists."""

import numpy as np
import pytest
from helpers.voter_places import random_votes

from rankscope import Votes
from rankscope.consensus import MC1, MC2, MC3, MC4
from rankscope.consensus.models.markov_chains import stationary_distribution
from rankscope.errors import ParameterError

CHAINS = (MC1, MC2, MC3, MC4)


def steps_of(chain, places, weights):
    """(items, items) by the words of Dwork et al. 2001, section 5."""
    n = places.shape[1]
    found = np.zeros((n, n))
    for i in range(n):
        who = [(row, w) for row, w in zip(places, weights, strict=True) if not np.isnan(row[i]) and w > 0]
        total = sum(w for _, w in who)
        if not who:
            found[i] = 1 / n
            continue
        multiset = sum(w for row, w in who for j in range(n) if row[j] <= row[i])
        for row, w in who:
            listed = [j for j in range(n) if not np.isnan(row[j])]
            as_good = [j for j in listed if row[j] <= row[i]]
            for j in as_good:
                if chain is MC1:  # one of all that some voter who ranked i did not put below it
                    found[i, j] += w / multiset
                elif chain is MC2:  # a voter, then one of those
                    found[i, j] += w / total / len(as_good)
                elif chain is MC3 and row[j] < row[i]:  # a voter, then one of his list, if that is better
                    found[i, j] += w / total / len(listed)
        if chain is MC4:  # any one, if more put it above than below
            for j in range(n):
                speak = [(row[i] - row[j], w) for row, w in who if not np.isnan(row[j])]
                found[i, j] += (sum(w for d, w in speak if d > 0) > sum(w for d, w in speak if d < 0)) / n
        found[i, i] += 1 - found[i].sum()
    return found


@pytest.mark.parametrize("unranked", ["ignore", "average", "worst", "optimistic"])
@pytest.mark.parametrize("chain", CHAINS)
def test_steps_are_those_of_the_definition(chain, unranked):
    votes = random_votes(1, 6, 5, lost=0.5)
    places = votes.fill_unranked(unranked)
    weights = np.array([np.ones(6), [0, 1, 2, 0, 3, 1], [0.5, 0.25, 1, 0, 0, 0.125]])
    method = chain(unranked=unranked)
    found = method.steps(votes, places, weights)
    for one, row in zip(found, weights, strict=True):
        np.testing.assert_allclose(one, steps_of(chain, places, row), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=2), 1)
    scores = method.scores(votes, weights)
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    for steps, shares in zip(found, scores, strict=True):
        np.testing.assert_allclose(0.95 * shares @ steps + 0.05 / 5, shares, atol=1e-12)


@pytest.mark.parametrize("chain", CHAINS)
def test_draws_in_chunks_are_all_draws(chain, monkeypatch):
    votes = random_votes(2, 6, 5)
    weights = np.random.default_rng(3).integers(0, 3, (7, 6)) + np.eye(7, 6) + 1.0
    whole = chain().scores(votes, weights)
    monkeypatch.setattr("rankscope.consensus.models.markov_chains.MATRIX_NUMBERS", 2 * 25)
    np.testing.assert_allclose(chain().scores(votes, weights), whole, rtol=1e-12)


def test_a_walk_that_only_jumps_is_everywhere():
    assert stationary_distribution(np.eye(4)[None], 0.3).tolist() == [pytest.approx([1 / 4] * 4)]


def test_mc4_puts_who_wins_against_the_rest_before_it():
    """The extended Condorcet criterion, which the paper shows for MC4 (here with few jumps)."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        first, second = rng.random((5, 3)), rng.random((5, 3)) + 0.7
        votes = Votes(ranks=np.concatenate([first, second], axis=1), items=tuple("ABCDEF"))
        wins = (votes.ranks[:, :3, None] < votes.ranks[:, None, 3:]).sum(axis=0) > 2
        if wins.all():
            ranks = MC4(teleport=0.001).order(votes).ranks
            assert ranks[:3].max() < ranks[3:].min()


@pytest.mark.parametrize("method", [MC1, MC2, MC3, MC4])
@pytest.mark.parametrize(
    ("options", "message"),
    [({"teleport": 0}, "teleport is 0,"), ({"teleport": 1}, "teleport"), ({"unranked": "last"}, "unranked is 'last'")],
)
def test_other_options_are_refused(method, options, message):
    with pytest.raises(ParameterError, match=message):
        method(**options)

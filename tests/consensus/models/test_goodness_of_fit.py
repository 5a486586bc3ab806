"""The check of Plackett and Luce's model by votes drawn from it."""

import numpy as np
import pytest

from rankscope import Votes
from rankscope.consensus import PlackettLuce, sample_plackett_luce
from rankscope.consensus.models.plackett_luce import pair_statistic, sample_places


def test_the_statistic_of_a_round_table_by_hand():
    # equal worths; each pair 40 to 20 of 60: three times (40 - 30)^2 / (60 / 4)
    lists = [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]] * 20
    found = PlackettLuce().misfit(lists, n_resamples=99, rng=1)
    assert found.statistic == pytest.approx(3 * 10**2 / 15)
    assert found.pvalue == 1 / 100
    assert "does not describe" in found.note
    assert "99 samples" in found.note
    worths = PlackettLuce().order(lists).scores
    assert PlackettLuce().misfit(lists, log_worths=worths, n_resamples=99, rng=1) == found


def test_the_statistic_equals_a_loop_with_ties_and_gaps():
    rng = np.random.default_rng(3)
    ranks = np.floor(rng.random((6, 4)) * 3)
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    votes = Votes(ranks=ranks, items=tuple("ABCD"), weights=rng.random(6))
    logs = rng.normal(size=4)
    for subsets in (True, False):
        expected = 0.0
        for i in range(4):
            for j in range(i + 1, 4):
                n = above = 0.0
                for row, weight in zip(votes.places, votes.weights, strict=True):
                    a, b = (np.inf if np.isnan(row[k]) and not subsets else row[k] for k in (i, j))
                    if np.isnan(a) or np.isnan(b) or a == b == np.inf:
                        continue
                    n, above = n + weight, above + weight * ((a < b) + (a == b) / 2)
                p = 1 / (1 + np.exp(logs[j] - logs[i]))
                expected += (above - n * p) ** 2 / (n * p * (1 - p)) if n else 0
        found = pair_statistic(votes.places[None], votes.weights, logs[None], subsets)
        assert found[0] == pytest.approx(expected)


def test_drawn_votes_rank_the_same_items_or_as_many():
    votes = Votes.of([["A", "B"], ["C", "B", "A"], ["D", "A"]])
    rng = np.random.default_rng(0)
    same = sample_places(votes, np.zeros(4), 5, True, rng)
    assert (np.isnan(same) == np.isnan(votes.places)).all()
    as_many = sample_places(votes, np.zeros(4), 5, False, rng)
    assert ((~np.isnan(as_many)).sum(axis=2) == [2, 3, 2]).all()
    for places in (same, as_many):
        assert (np.nanmin(places, axis=2) == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("length", [None, 2])
def test_votes_of_the_model_are_found_at_fault_as_often_as_the_level_says(length):
    pvalues = []
    for seed in range(120):
        votes = sample_plackett_luce({"A": 4.0, "B": 3.0, "C": 2.0, "D": 1.0}, 40, seed)
        if length:
            votes = Votes(ranks=np.where(votes.places > length, np.nan, votes.places), items=votes.items)
        pvalues.append(PlackettLuce(prior=0.01).misfit(votes, n_resamples=39, rng=seed).pvalue)
    assert 0.03 < np.mean(np.array(pvalues) <= 0.1) < 0.19

"""Which voter put which item above which, held once for all resamples: the same as counted anew."""

import numpy as np
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus.models.plackett_luce import connected, pairs_above, summed_wins


@examples(30)
@given(st.integers(0, 10_000), st.booleans())
def test_pairs_that_are_held_say_what_is_counted_anew(seed, subsets):
    rng = np.random.default_rng(seed)
    ranks = np.floor(rng.random((7, 4)) * 5)
    ranks[1:][rng.random((6, 4)) < 0.4] = np.nan
    ranks[:, 0] = np.where(np.isnan(ranks).all(axis=1), 1, ranks[:, 0])
    votes = Votes(ranks=ranks, items=tuple("ABCD"))
    weights = rng.multinomial(7, [1 / 7] * 7, 9).astype(np.float64)
    pairs = pairs_above(votes, subsets)
    expected = summed_wins(votes, weights, subsets)
    assert ((pairs @ (weights > 0).T).T.reshape(-1, 4, 4) == expected).all()
    assert (connected(votes, weights, subsets, pairs) == connected(votes, weights, subsets)).all()


def test_pairs_are_not_held_where_they_are_too_many(monkeypatch):
    votes = Votes.of([["A", "B", "C"], ["B", "C", "A"]])
    assert pairs_above(votes, False) is not None
    monkeypatch.setattr("rankscope.consensus.models.plackett_luce.MAX_PAIRS", 17)  # 2 voters, 3 x 3 pairs each
    assert pairs_above(votes, False) is None

"""Do intervals of ranks hold the rank that all voters of the kind would give, as often as they say?"""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.consensus import merge_rankings
from rankscope.data.votes import Votes


def coverage(method: str, voters: int, gap: float, draws: int) -> float:
    """The share of items whose interval holds the true rank; every voter sees the true order through noise."""
    items, held = 8, 0
    for seed in range(draws):
        seen = gap * np.arange(items) + np.random.default_rng(seed).normal(size=(voters, items))
        votes = Votes(ranks=seen, items=tuple(map(str, range(items))))
        found = merge_rankings(votes, method, n_resamples=200, rng=seed)
        held += int(((found.low <= np.arange(1, items + 1)) & (np.arange(1, items + 1) <= found.high)).sum())
    return held / (draws * items)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("method", ["borda", "copeland", "schulze"])
def test_intervals_hold_the_true_rank_at_least_as_often_as_they_say(method: str, gap: float) -> None:
    # 95 % intervals; of 150 sets of 8 items the share is known to about .015
    assert coverage(method, 30, gap, 150) > 0.92

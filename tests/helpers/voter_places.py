"""Places that voters give to items, with ties, and with items that are left out."""

from __future__ import annotations

import numpy as np

from rankscope import Votes


def some_places(seed, voters=4, items=5):
    """Places, (voters, items), NaN where an item is left out; and the generator that made them."""
    rng = np.random.default_rng(seed)
    places = np.floor(rng.random((voters, items)) * rng.choice([3, 100]))
    places[rng.random(places.shape) < rng.choice([0, 0.4])] = np.nan
    return places, rng


def random_votes(seed: int, voters: int, items: int, *, lost: float = 0.3, values: int = 4) -> Votes:
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, values, (voters, items)).astype(np.float64)
    ranks[rng.random(ranks.shape) < lost] = np.nan
    ranks[:, 0] = 1.0  # no voter without a rank
    ranks[0] = np.arange(items)  # no item without one
    return Votes(ranks=ranks, items=tuple(f"i{k}" for k in range(items)))


def random_levels(seed, draws, items, most):
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, most + 1, (draws, items, items))
    above = np.triu(rng.random((draws, items, items)) < 0.5, 1)
    return levels * (above | ~above.swapaxes(1, 2) & np.tri(items, k=-1, dtype=bool))

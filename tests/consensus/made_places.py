"""Places that voters give to items, with ties, and with items that are left out."""

from __future__ import annotations

import numpy as np


def some_places(seed, voters=4, items=5):
    """Places, (voters, items), NaN where an item is left out; and the generator that made them."""
    rng = np.random.default_rng(seed)
    places = np.floor(rng.random((voters, items)) * rng.choice([3, 100]))
    places[rng.random(places.shape) < rng.choice([0, 0.4])] = np.nan
    return places, rng

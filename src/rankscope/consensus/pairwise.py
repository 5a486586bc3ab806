"""How many voters put each item above each other one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.data.votes import Votes

__all__ = ["preference_matrices", "preference_matrix"]

Floats = npt.NDArray[np.float64]


def preference_matrix(votes: Votes, unranked: str = "average") -> Floats:
    """(items, items) the weight of the voters who put the item of the row above that of the column."""
    return np.asarray(preference_matrices(votes, votes.weights[None], unranked)[0])


def preference_matrices(votes: Votes, weights: Floats, unranked: str = "average") -> Floats:
    """(draws, items, items) the same for each row of weights, (draws, voters).

    unranked: by "ignore" only voters who ranked both count; else unranked items stand behind ranked ones, tied.
    """
    places = votes.filled(unranked)
    above = places[:, :, None] < places[:, None, :]
    n = len(votes.items)
    return np.asarray(weights @ above.reshape(len(places), -1).astype(np.float64)).reshape(-1, n, n)

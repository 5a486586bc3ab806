"""Schulze's method: the strongest chains of majorities from each item to each other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method
from rankscope.consensus.pairwise import half_ties, preference_matrix_chunks, strength_levels
from rankscope.consensus.parameters import strength_field, unranked_field
from rankscope.data.votes import Votes
from rankscope.typing import Floats

__all__ = [
    "Schulze",
    "widest_paths",
]


Codes = npt.NDArray[Any]
#: Numbers in the matrices of paths of a chunk of draws: few enough for the processor's cache.
AT_ONCE = 1 << 19


@dataclass(frozen=True, kw_only=True)
class Schulze(Method):
    """Schulze's method: an item beats another if its strongest chain of majorities is stronger than any back.

    Parameters
    ----------
    strength
        Strength of a majority: the weight of its supporters (winning), or that minus the weight of its opponents
        (margins). One of 'winning', 'margins'. Default: 'winning'.
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'average'.

    Raises
    ------
    ParameterError
        `strength` or `unranked` is unknown.

    Notes
    -----
    A chain is as strong as its weakest majority. A score is the number of items that an item beats in this way, plus
    half the number of ties: from 0 to items - 1, higher is better, always defined. This relation has no cycles, so
    that the scores follow it. Schulze recommends the strength "winning"; without ties and unranked items both give the
    same order. Unranked items are tied behind the ranked ones, or with "ignore" only voters who ranked both items of a
    pair count.

    References
    ----------
    Schulze (2011), A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
    election method.

    Examples
    --------
    >>> Schulze().order([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]]).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "schulze"
    work = "paths"
    meaning: ClassVar[str] = (
        "number of other items that an item beats by its strongest chain of majorities; a tie counts half"
    )
    FUNCTIONS = ("rankscope.consensus:Schulze",)

    strength: str = strength_field("winning")
    unranked: str = unranked_field("average")

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        scores = np.empty((len(weights), len(votes.items)))
        for draws, matrices in preference_matrix_chunks(votes, weights, self.unranked, AT_ONCE):
            paths = widest_paths(strength_levels(matrices, self.strength))
            scores[draws] = half_ties(paths > paths.swapaxes(1, 2))
        return scores


def widest_paths(strengths: npt.NDArray[np.int64]) -> Codes:
    """(draws, items, items) the strength of the strongest chain, by Floyd and Warshall; whole numbers from 0."""
    paths = strengths.astype(np.min_scalar_type(int(strengths.max(initial=0))))
    chains = np.empty_like(paths)
    for k in range(paths.shape[1]):
        # Chains by way of the item k, of all items to all others at once.
        np.minimum(paths[:, :, k, None], paths[:, k, None, :], out=chains)
        np.maximum(paths, chains, out=paths)
    return paths

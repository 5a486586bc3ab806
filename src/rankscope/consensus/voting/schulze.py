"""Schulze's method: the strongest chains of majorities from each item to each other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Order, VoterWeights
from rankscope.consensus.pairwise import STRENGTHS, check_strength, half_ties, in_chunks, strength_levels
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.typing import Floats

__all__ = [
    "Schulze",
    "schulze",
    "widest_paths",
]


Codes = npt.NDArray[Any]
#: Numbers in the matrices of paths of a chunk of draws: few enough for the processor's cache.
AT_ONCE = 1 << 19


@dataclass(frozen=True, kw_only=True)
class Schulze(Method):
    """Schulze: one item beats another if its strongest chain of majorities to the other is stronger than any back.

    A chain is as strong as its weakest majority. Scores are how many items each beats so, with ties as halves: from 0
    to items - 1, higher is better. That relation has no circles, so the scores follow it. Always defined.

    strength: of a majority: "winning", the weight of those for it, as Schulze recommends; "margins", that less the
    weight of those against. Without ties and unranked items both give the same. unranked: as for `Copeland`.

    Raises ParameterError for another `strength` or `unranked`.

    Source: Schulze 2011, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent
    single-winner election method".

    >>> Schulze().order(Votes.of([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]])).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "schulze"
    work = "paths"
    meaning: ClassVar[str] = "how many others an item beats by the strongest chains of majorities, ties as halves"
    strength: str = STRENGTHS[0]
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_strength(self.strength)
        check_unranked(self.unranked)

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        scores = np.empty((len(weights), len(votes.items)))
        for draws, matrices in in_chunks(votes, weights, self.unranked, AT_ONCE):
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


def schulze(
    rankings: Any, *, weights: VoterWeights = None, strength: str = STRENGTHS[0], unranked: str = UNRANKED[0]
) -> Order:
    """The items by Schulze's method: how many others each beats by the strongest chain of majorities.

    rankings: what `Votes.of` takes. weights: how much each voter counts. strength: of a majority, "winning" (votes for
    it) or "margins" (less those against). unranked: what becomes of items that a voter left out. Scores are from 0 to
    items - 1, higher is better, and always defined.

    Raises InputError for votes as `Votes` does; ParameterError for other options.

    Source: Schulze 2011.

    >>> found = schulze([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]])
    >>> found.order, found.scores.tolist()
    (('A', 'B', 'C'), [2.0, 1.0, 0.0])
    """
    return Schulze(strength=strength, unranked=unranked).order(Votes.of(rankings, weights=weights))

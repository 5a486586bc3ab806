"""Copeland's method: against how many items one wins by majority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Order, VoterWeights
from rankscope.consensus.pairwise import half_ties, in_chunks, majority_wins
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.typing import Floats

__all__ = [
    "Copeland",
    "copeland",
]


@dataclass(frozen=True, kw_only=True)
class Copeland(Method):
    """Copeland: against how many items one wins by majority, ties count half; 0 to items - 1, higher is better.

    unranked: by "ignore" only voters who ranked both count in a pair; by the others unranked items stand behind ranked
    ones, tied among themselves, whatever their place. A pair that nobody compares is tied. Always defined; few values
    are possible, so many items may be tied.

    Raises ParameterError for another `unranked`.

    Source: Copeland 1951, with ties as halves; Fishburn 1977, "Condorcet social choice functions", C2.

    >>> Copeland().order(Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])).scores.tolist()
    [2.0, 1.0, 0.0]
    """

    name: ClassVar[str] = "copeland"
    meaning: ClassVar[str] = "against how many others an item wins by majority, ties as halves"
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_unranked(self.unranked)

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        scores = np.empty((len(weights), len(votes.items)))
        for draws, matrices in in_chunks(votes, weights, self.unranked):
            scores[draws] = half_ties(majority_wins(matrices))
        return scores


def copeland(rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0]) -> Order:
    """The items by the number of others against which each wins by majority; ties count half.

    rankings: what `Votes.of` takes. weights: how much each voter counts. unranked: what becomes of items that a voter
    left out: behind the ranked ones, or, by "ignore", without a say. Scores are from 0 to items - 1, higher is better,
    and always defined.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    Source: Copeland 1951.

    >>> copeland([["A", "B", "C"], ["B", "C", "A"], ["A", "C", "B"]]).scores.tolist()
    [2.0, 1.0, 0.0]
    """
    return Copeland(unranked=unranked).order(Votes.of(rankings, weights=weights))

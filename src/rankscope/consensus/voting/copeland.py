"""Copeland's method: against how many items one wins by majority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.consensus.base import Method
from rankscope.consensus.pairwise import half_ties, majority_wins, preference_matrix_chunks
from rankscope.consensus.parameters import unranked_field
from rankscope.data.votes import Votes
from rankscope.typing import Floats

__all__ = [
    "Copeland",
]


@dataclass(frozen=True, kw_only=True)
class Copeland(Method):
    """Copeland's method: the number of items that an item beats by majority, plus half the number of ties.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'average'.

    Raises
    ------
    ParameterError
        `unranked` is unknown.

    Notes
    -----
    Scores are from 0 to items - 1, higher is better, always defined. Few values are possible, so that many items may be
    tied. With "ignore" only voters who ranked both items of a pair count, and a pair that nobody compares is tied;
    otherwise unranked items are tied behind the ranked ones.

    References
    ----------
    Copeland (1951), with ties as halves; Fishburn (1977), Condorcet social choice functions, C2.

    Examples
    --------
    >>> Copeland().order([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).scores.tolist()
    [2.0, 1.0, 0.0]
    """

    name: ClassVar[str] = "copeland"
    meaning: ClassVar[str] = "number of other items that an item beats by majority; a tie counts half"
    FUNCTIONS = ("rankscope.consensus:Copeland",)

    unranked: str = unranked_field("average")

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        scores = np.empty((len(weights), len(votes.items)))
        for draws, matrices in preference_matrix_chunks(votes, weights, self.unranked):
            scores[draws] = half_ties(majority_wins(matrices))
        return scores

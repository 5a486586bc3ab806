"""Ranked pairs (Tideman): majorities are locked, the strongest first, unless they would close a cycle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note, Solution
from rankscope.consensus.pairwise import half_ties, preference_matrices, preference_matrix_chunks, strength_levels
from rankscope.consensus.parameters import strength_field, unranked_field
from rankscope.data.text import join_names
from rankscope.data.votes import Votes
from rankscope.typing import Bools, Floats

__all__ = [
    "RankedPairs",
    "lock_pairs",
]


Pairs = list[tuple[int, int]]
#: Numbers in the matrices of strengths of a chunk of draws.
AT_ONCE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class RankedPairs(Method):
    """Ranked pairs: majorities are locked, the strongest first, unless they contradict those already locked.

    Parameters
    ----------
    strength
        Strength of a majority: the weight of its supporters (winning), or that minus the weight of its opponents
        (margins). One of 'winning', 'margins'. Default: 'margins'.
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
    A score is the number of items below an item by locked majorities and chains of them, plus half the number of items
    without an order to it: from 0 to items - 1, higher is better, always defined.

    Majorities of equal strength are considered together, so that neither names nor their order matter: those that
    close a cycle with others of their strength are not locked, none of them, and a note names them. Items may then be
    tied, where Tideman would draw lots. Tideman uses the strength "margins". Unranked items count as in `Schulze`.

    References
    ----------
    Tideman (1987), Independence of clones as a criterion for voting rules.

    Examples
    --------
    >>> RankedPairs().order([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]]).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "ranked-pairs"
    work = "locking"
    meaning: ClassVar[str] = "number of other items below an item by locked majorities; no order counts half"
    FUNCTIONS = ("rankscope.consensus:RankedPairs",)

    strength: str = strength_field("margins")
    unranked: str = unranked_field("average")

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        scores = np.empty((len(weights), len(votes.items)))
        for draws, matrices in preference_matrix_chunks(votes, weights, self.unranked, AT_ONCE):
            levels = strength_levels(matrices, self.strength)
            # Each locked pair depends on the ones before, so this is a loop over draws.
            scores[draws] = half_ties(np.stack([lock_pairs(draw_levels)[0] for draw_levels in levels]))
        return scores

    def solve(self, votes: Votes) -> Solution:
        matrices = preference_matrices(votes, votes.weights[None], self.unranked)
        above, unlocked = lock_pairs(strength_levels(matrices, self.strength)[0])
        scores = half_ties(above[None])[0]
        if not unlocked:
            return Solution(scores)
        pairs = join_names([f"{votes.items[winner]!r} over {votes.items[loser]!r}" for winner, loser in unlocked])
        text = "majorities of equal strength contradict each other and were not locked, so that items may be tied"
        return Solution(scores, notes=(Note(f"{len(unlocked)} {text}: {pairs}", text),))


def lock_pairs(levels: npt.NDArray[np.int64]) -> tuple[Bools, Pairs]:
    """(items, items) whether the row is above the column after locking, and the majorities that were not locked.

    levels: (items, items) the strength of each majority, 0 where there is none.
    """
    n = len(levels)
    winners, losers = np.nonzero(levels)
    order = np.argsort(-levels[winners, losers], kind="stable")
    winners, losers = winners[order], losers[order]
    sorted_pairs = zip(levels[winners, losers].tolist(), winners.tolist(), losers.tolist(), strict=True)
    # Bit j of the number i: i stands above j. One operation on a Python integer serves all items.
    above = [0] * n
    unlocked: Pairs = []
    for _, group in groupby(sorted_pairs, key=lambda pair: pair[0]):
        consistent = [(i, j) for _, i, j in group if not (above[i] >> j | above[j] >> i) & 1]
        if not consistent:
            continue
        trial = above if len(consistent) == 1 else lock(above.copy(), consistent)
        circular = [(i, j) for i, j in consistent if trial[j] >> i & 1]
        if circular:
            unlocked += circular
            lockable = set(consistent) - set(circular)
            above = lock(above, [pair for pair in consistent if pair in lockable])
        else:
            above = lock(above, consistent) if len(consistent) == 1 else trial
    n_bytes = -(-n // 8)
    rows = np.frombuffer(b"".join(row.to_bytes(n_bytes, "little") for row in above), np.uint8).reshape(n, n_bytes)
    return np.unpackbits(rows, axis=1, count=n, bitorder="little").astype(np.bool_), unlocked


def lock(above: list[int], pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Lock pairs: the first item and all above it come above the second item and all below it."""
    for i, j in pairs:
        if not above[i] >> j & 1:
            new_below = above[j] | 1 << j
            above = [row | new_below if row >> i & 1 or item == i else row for item, row in enumerate(above)]
    return above

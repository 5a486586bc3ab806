"""Ranked pairs: majorities are locked, the strongest first, unless they would close a circle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note, Order, Solution, VoterWeights
from rankscope.consensus.pairwise import (
    STRENGTHS,
    check_strength,
    half_ties,
    in_chunks,
    preference_matrices,
    strength_levels,
)
from rankscope.data.text import join_names
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.typing import Bools, Floats

__all__ = [
    "RankedPairs",
    "lock_pairs",
    "ranked_pairs",
]


Pairs = list[tuple[int, int]]
#: Numbers in the matrices of strengths that are held at once.
AT_ONCE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class RankedPairs(Method):
    """Ranked pairs: majorities are locked from the strongest to the weakest, but none that contradicts locked ones.

    Scores are how many items each stands above by locked majorities and chains of them, items without an order between
    them as halves: from 0 to items - 1, higher is better. Always defined.

    Majorities of one strength are taken together, so that neither names nor their order decide: those that close a
    circle with others of their strength are not locked, all of them, and a note of `solve` names them. Items may be
    tied then, where Tideman would draw a lot.

    strength: of a majority: "margins", the weight of those for it less that of those against, as Tideman has it;
    "winning", of those for it. unranked: as for `Copeland`.

    Raises ParameterError for another `strength` or `unranked`.

    Source: Tideman 1987, "Independence of clones as a criterion for voting rules".

    >>> RankedPairs().order(Votes.of([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]])).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "ranked-pairs"
    work = "locking"
    meaning: ClassVar[str] = "how many others an item stands above by locked majorities, no order as half"
    strength: str = STRENGTHS[1]
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_strength(self.strength)
        check_unranked(self.unranked)

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        found = np.empty((len(weights), len(votes.items)))
        for draws, matrices in in_chunks(votes, weights, self.unranked, AT_ONCE):
            levels = strength_levels(matrices, self.strength)
            # What is locked depends on what was before: one draw after the other.
            found[draws] = half_ties(np.stack([lock_pairs(one)[0] for one in levels]))
        return found

    def solve(self, votes: Votes) -> Solution:
        matrices = preference_matrices(votes, votes.weights[None], self.unranked)
        above, left_out = lock_pairs(strength_levels(matrices, self.strength)[0])
        scores = half_ties(above[None])[0]
        if not left_out:
            return Solution(scores)
        pairs = join_names([f"{votes.items[a]!r} over {votes.items[b]!r}" for a, b in left_out])
        said = "majorities of equal strength contradict each other and were not locked, so items may be tied"
        return Solution(scores, notes=(Note(f"{len(left_out)} {said}: {pairs}", said),))


def lock_pairs(levels: npt.NDArray[np.int64]) -> tuple[Bools, Pairs]:
    """(items, items) who stands above whom when all is locked, and the majorities left out for want of an order.

    levels: (items, items) the strength of each majority, 0 where there is none.
    """
    n = len(levels)
    winners, losers = np.nonzero(levels)
    order = np.argsort(-levels[winners, losers], kind="stable")
    winners, losers = winners[order], losers[order]
    ranked = zip(levels[winners, losers].tolist(), winners.tolist(), losers.tolist(), strict=True)
    # Bit j of the number i: i stands above j. One operation on a number of Python serves all items.
    above = [0] * n
    left_out: Pairs = []
    for _, group in groupby(ranked, key=lambda pair: pair[0]):
        free = [(i, j) for _, i, j in group if not (above[i] >> j | above[j] >> i) & 1]
        if not free:
            continue
        tried = above if len(free) == 1 else lock(above.copy(), free)
        circular = [(i, j) for i, j in free if tried[j] >> i & 1]
        if circular:
            left_out += circular
            kept = set(free) - set(circular)
            above = lock(above, [pair for pair in free if pair in kept])
        else:
            above = lock(above, free) if len(free) == 1 else tried
    size = -(-n // 8)
    rows = np.frombuffer(b"".join(row.to_bytes(size, "little") for row in above), np.uint8).reshape(n, size)
    return np.unpackbits(rows, axis=1, count=n, bitorder="little").astype(np.bool_), left_out


def lock(above: list[int], pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The same with each pair: its first, and who is above that, come above its second and all that this is above."""
    for i, j in pairs:
        if not above[i] >> j & 1:
            gained = above[j] | 1 << j
            above = [row | gained if row >> i & 1 or place == i else row for place, row in enumerate(above)]
    return above


def ranked_pairs(
    rankings: Any, *, weights: VoterWeights = None, strength: str = STRENGTHS[1], unranked: str = UNRANKED[0]
) -> Order:
    """The items by ranked pairs (Tideman): majorities are locked from the strongest on, unless they contradict.

    rankings: what `Votes.of` takes. weights: how much each voter counts. strength: of a majority, "margins" (votes for
    it less those against) or "winning" (those for it). unranked: what becomes of items that a voter left out. Scores
    are from 0 to items - 1, higher is better, and always defined; where majorities of one strength contradict each
    other none of them is locked, items may be tied, and a note says so.

    Raises InputError for votes as `Votes` does; ParameterError for other options.

    Source: Tideman 1987.

    >>> found = ranked_pairs([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]])
    >>> found.order, found.scores.tolist()
    (('A', 'B', 'C'), [2.0, 1.0, 0.0])
    """
    return RankedPairs(strength=strength, unranked=unranked).order(Votes.of(rankings, weights=weights))

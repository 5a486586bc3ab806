"""Who wins against whom: Copeland's method, Condorcet winner and loser, the Smith set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Order
from rankscope.consensus.pairwise import in_chunks, preference_matrices
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.errors import ParameterError
from rankscope.kernels.ties import SOLVED
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "STRENGTHS",
    "Copeland",
    "condorcet_loser",
    "condorcet_losers",
    "condorcet_winner",
    "condorcet_winners",
    "copeland",
    "half_ties",
    "majority_wins",
    "smith_set",
    "smith_sets",
    "strength_levels",
]

VoterWeights = Sequence[float] | Mapping[str, float] | None

#: How strong a majority is: by the weight of those who are for it, or by that less the weight of those against.
STRENGTHS = ("winning", "margins")


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
        found = np.empty((len(weights), len(votes.items)))
        for draws, matrices in in_chunks(votes, weights, self.unranked):
            found[draws] = half_ties(majority_wins(matrices))
        return found


def majority_wins(matrices: Floats) -> Bools:
    """(draws, items, items) whether more weight is for the item of the row than for that of the column.

    Weights that differ by less than a billionth of the greatest are equal: sums of 0.1 and 0.2 are not quite 0.3.
    """
    room = SOLVED * matrices.max(axis=(1, 2), keepdims=True, initial=0)
    return np.asarray(matrices > matrices.swapaxes(1, 2) + room)


def half_ties(wins: Bools) -> Floats:
    """(draws, items) how many others each wins against, half of those counted with which it is tied."""
    n = wins.shape[1]
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    return np.asarray(won + (n - 1 - won - lost) / 2)


def strength_levels(matrices: Floats, strength: str) -> Ints:
    """(draws, items, items) the strength of each majority as a whole number from 1, the weakest; 0 where there is none.

    Only the order of strengths counts for who calls this. Those that differ by less than a billionth of the greatest
    are equal.
    """
    wins = majority_wins(matrices)
    values = matrices if strength == "winning" else matrices - matrices.swapaxes(1, 2)
    flat = np.where(wins, values, 0.0).reshape(len(matrices), -1)
    order = np.argsort(flat, axis=1)
    rising = np.take_along_axis(flat, order, axis=1)
    levels = np.zeros(flat.shape, np.int64)
    # Each begins with a 0 of the diagonal, so that level 0 is no majority.
    room = SOLVED * matrices.max(axis=(1, 2), initial=0)[:, None]
    levels[:, 1:] = np.cumsum(np.diff(rising, axis=1) > room, axis=1)
    found = np.empty_like(levels)
    np.put_along_axis(found, order, levels, axis=1)
    return found.reshape(matrices.shape)


def check_strength(strength: object) -> None:
    if strength not in STRENGTHS:
        raise ParameterError(f"strength is {strength!r}, expected one of {', '.join(map(repr, STRENGTHS))}")


def condorcet_winners(wins: Bools) -> Ints:
    """(draws) the item that wins against all others, -1 where there is none."""
    every = wins.sum(axis=2) == wins.shape[1] - 1
    return np.where(every.any(axis=1), every.argmax(axis=1), -1)


def condorcet_losers(wins: Bools) -> Ints:
    """(draws) the item that loses against all others, -1 where there is none."""
    return condorcet_winners(wins.swapaxes(1, 2))


def smith_sets(wins: Bools) -> Bools:
    """(draws, items) who is in the smallest set of which each wins against everybody outside it.

    Members have more of Copeland's points than others, so it is a beginning of that order: the shortest within which
    lies, for each of its items, the last that the item does not win against.
    """
    n = wins.shape[1]
    order = np.argsort(-half_ties(wins), axis=1, kind="stable")
    lines = np.take_along_axis(wins, order[:, :, None], axis=1)
    lines = np.take_along_axis(lines, order[:, None, :], axis=2)
    last = n - 1 - (~lines[:, :, ::-1]).argmax(axis=2)  # nobody wins against himself
    furthest = np.maximum.accumulate(last, axis=1)
    size = (furthest <= np.arange(n)).argmax(axis=1) + 1
    found = np.empty(order.shape, np.bool_)
    np.put_along_axis(found, order, np.arange(n) < size[:, None], axis=1)
    return found


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


def wins_of_votes(rankings: Any, weights: VoterWeights, unranked: str) -> tuple[Votes, Bools]:
    check_unranked(unranked)
    votes = Votes.of(rankings, weights=weights)
    return votes, majority_wins(preference_matrices(votes, votes.weights[None], unranked))


def condorcet_winner(rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0]) -> str | None:
    """The item that wins against each other one by majority; None where there is none.

    rankings, weights, unranked: as for `copeland`.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    Source: Condorcet 1785.

    >>> condorcet_winner([["A", "B", "C"], ["B", "C", "A"], ["A", "C", "B"]])
    'A'
    >>> condorcet_winner([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]])  # in a circle
    """
    votes, wins = wins_of_votes(rankings, weights, unranked)
    place = int(condorcet_winners(wins)[0])
    return None if place < 0 else votes.items[place]


def condorcet_loser(rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0]) -> str | None:
    """The item that loses against each other one by majority; None where there is none.

    rankings, weights, unranked: as for `copeland`.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    >>> condorcet_loser([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"]])
    'C'
    """
    votes, wins = wins_of_votes(rankings, weights, unranked)
    place = int(condorcet_losers(wins)[0])
    return None if place < 0 else votes.items[place]


def smith_set(rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0]) -> tuple[str, ...]:
    """The smallest set of items of which each wins by majority against every item outside it.

    rankings, weights, unranked: as for `copeland`. In the order of the votes; it has one item where there is a
    Condorcet winner, and never none.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    Source: Smith 1973, "Aggregation of preferences with variable electorate".

    >>> smith_set([["A", "B", "C", "D"], ["B", "C", "A", "D"], ["C", "A", "B", "D"]])
    ('A', 'B', 'C')
    """
    votes, wins = wins_of_votes(rankings, weights, unranked)
    return tuple(votes.items[i] for i in np.flatnonzero(smith_sets(wins)[0]))

"""The Condorcet winner and loser, and the Smith set."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.consensus.base import VoterWeights
from rankscope.consensus.pairwise import half_ties, majority_wins, preference_matrices
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.typing import Bools, Ints

__all__ = [
    "condorcet_loser",
    "condorcet_losers",
    "condorcet_winner",
    "condorcet_winners",
    "smith_set",
    "smith_sets",
]


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

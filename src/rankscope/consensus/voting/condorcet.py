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
    beats_all = wins.sum(axis=2) == wins.shape[1] - 1
    return np.where(beats_all.any(axis=1), beats_all.argmax(axis=1), -1)


def condorcet_losers(wins: Bools) -> Ints:
    """(draws) the item that loses against all others, -1 where there is none."""
    return condorcet_winners(wins.swapaxes(1, 2))


def smith_sets(wins: Bools) -> Bools:
    """(draws, items) whether each is in the smallest set of which each item wins against all items outside.

    Members have more Copeland points than others, so the set is a beginning of Copeland's order: the shortest that
    holds, for each of its items, the last one in the order that the item does not beat.
    """
    n = wins.shape[1]
    order = np.argsort(-half_ties(wins), axis=1, kind="stable")
    ordered_wins = np.take_along_axis(wins, order[:, :, None], axis=1)
    ordered_wins = np.take_along_axis(ordered_wins, order[:, None, :], axis=2)
    last_unbeaten = n - 1 - (~ordered_wins[:, :, ::-1]).argmax(axis=2)  # no item wins against itself
    furthest = np.maximum.accumulate(last_unbeaten, axis=1)
    size = (furthest <= np.arange(n)).argmax(axis=1) + 1
    is_member = np.empty(order.shape, np.bool_)
    np.put_along_axis(is_member, order, np.arange(n) < size[:, None], axis=1)
    return is_member


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
    item_index = int(condorcet_winners(wins)[0])
    return None if item_index < 0 else votes.items[item_index]


def condorcet_loser(rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0]) -> str | None:
    """The item that loses against each other one by majority; None where there is none.

    rankings, weights, unranked: as for `copeland`.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    >>> condorcet_loser([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"]])
    'C'
    """
    votes, wins = wins_of_votes(rankings, weights, unranked)
    item_index = int(condorcet_losers(wins)[0])
    return None if item_index < 0 else votes.items[item_index]


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

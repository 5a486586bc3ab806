"""The Condorcet winner and loser, and the Smith set."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankscope.consensus.base import VoterWeights
from rankscope.consensus.pairwise import half_ties, majority_wins, preference_matrices
from rankscope.data.votes import Votes, check_unranked
from rankscope.typing import Bools, Ints

__all__ = [
    "condorcet_loser",
    "condorcet_winner",
    "condorcet_winners",
    "majority_winners",
    "smith_set",
    "smith_sets",
]


def condorcet_winners(wins: Bools) -> Ints:
    """(resamples) the item that wins against all others, or -1."""
    beats_all = wins.sum(axis=2) == wins.shape[1] - 1
    return np.where(beats_all.any(axis=1), beats_all.argmax(axis=1), -1)


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


class MajorityWinners(NamedTuple):
    """The Condorcet winner, None without one, and the Smith set."""

    condorcet_winner: str | None
    smith_set: tuple[str, ...]


def majority_winners(votes: Votes, unranked: str) -> MajorityWinners:
    """The Condorcet winner and the Smith set, from one table of majorities."""
    _, wins = wins_of_votes(votes, None, unranked)
    return MajorityWinners(winner_of(votes, wins), set_of(votes, wins))


def winner_of(votes: Votes, wins: Bools) -> str | None:
    """The item that wins against all others, None without one. wins: (1, items, items)."""
    item_index = int(condorcet_winners(wins)[0])
    return None if item_index < 0 else votes.items[item_index]


def set_of(votes: Votes, wins: Bools) -> tuple[str, ...]:
    """The Smith set. wins: (1, items, items)."""
    return tuple(votes.items[i] for i in np.flatnonzero(smith_sets(wins)[0]))


def wins_of_votes(rankings: Any, weights: VoterWeights, unranked: str) -> tuple[Votes, Bools]:
    """The votes, and (1, items, items) which item wins against which other one by majority."""
    check_unranked(unranked)
    votes = Votes.of(rankings, weights=weights)
    return votes, majority_wins(preference_matrices(votes, votes.weights[None], unranked))


def condorcet_winner(rankings: Any, *, weights: VoterWeights = None, unranked: str = "average") -> str | None:
    """Find the item that wins against every other item by majority.

    Parameters
    ----------
    rankings
        Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
        voter; a mapping of voters' names to these; or `Votes`.
    weights
        Weight of each voter, as a list or by name. By default each voter counts 1.
    unranked
        With "ignore" only voters who ranked both items of a pair count; otherwise unranked items are tied after the
        ranked ones.

    Returns
    -------
    str or None
        The Condorcet winner; None if there is none.

    Raises
    ------
    InputError
        The rankings are not valid; see `Votes`.
    ParameterError
        `unranked` is unknown.

    References
    ----------
    Condorcet (1785).

    Examples
    --------
    >>> condorcet_winner([["A", "B", "C"], ["B", "C", "A"], ["A", "C", "B"]])
    'A'
    >>> condorcet_winner([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]])  # a cycle
    """
    return winner_of(*wins_of_votes(rankings, weights, unranked))


def condorcet_loser(rankings: Any, *, weights: VoterWeights = None, unranked: str = "average") -> str | None:
    """Find the item that loses against every other item by majority.

    Parameters
    ----------
    rankings
        Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
        voter; a mapping of voters' names to these; or `Votes`.
    weights
        Weight of each voter, as a list or by name. By default each voter counts 1.
    unranked
        With "ignore" only voters who ranked both items of a pair count; otherwise unranked items are tied after the
        ranked ones.

    Returns
    -------
    str or None
        The Condorcet loser; None if there is none.

    Raises
    ------
    InputError
        The rankings are not valid; see `Votes`.
    ParameterError
        `unranked` is unknown.

    Examples
    --------
    >>> condorcet_loser([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"]])
    'C'
    """
    votes, wins = wins_of_votes(rankings, weights, unranked)
    return winner_of(votes, wins.swapaxes(1, 2))


def smith_set(rankings: Any, *, weights: VoterWeights = None, unranked: str = "average") -> tuple[str, ...]:
    """Find the smallest set of items that each win by majority against every item outside the set.

    Parameters
    ----------
    rankings
        Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
        voter; a mapping of voters' names to these; or `Votes`.
    weights
        Weight of each voter, as a list or by name. By default each voter counts 1.
    unranked
        With "ignore" only voters who ranked both items of a pair count; otherwise unranked items are tied after the
        ranked ones.

    Returns
    -------
    tuple
        The items of the set, in the order of the votes: at least one, and only the Condorcet winner if there is one.

    Raises
    ------
    InputError
        The rankings are not valid; see `Votes`.
    ParameterError
        `unranked` is unknown.

    References
    ----------
    Smith (1973), Aggregation of preferences with variable electorate.

    Examples
    --------
    >>> smith_set([["A", "B", "C", "D"], ["B", "C", "A", "D"], ["C", "A", "B", "D"]])
    ('A', 'B', 'C')
    """
    return set_of(*wins_of_votes(rankings, weights, unranked))

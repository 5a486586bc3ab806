"""The Markov chains MC1 to MC4: items by the share of time that a random walk to better items spends at each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.consensus.base import Method
from rankscope.consensus.pairwise import (
    MATRIX_NUMBERS,
    comparison_sums,
    majority_wins,
    place_codes,
    preference_matrices,
)
from rankscope.consensus.parameters import teleport_field, unranked_field
from rankscope.data.ranking import normalise_ranks
from rankscope.data.votes import Votes
from rankscope.typing import Floats

__all__ = [
    "MC1",
    "MC2",
    "MC3",
    "MC4",
    "stationary_distribution",
]


#: The meaning of a score.
SCORE_MEANING = "share of time that a random walk to better items spends at this one"


@dataclass(frozen=True, kw_only=True)
class MarkovChain(Method):
    """The parameters of the four chains.

    Without jumps the walk could be caught among a few items, and its share of time at an item would depend on where it
    began. With "ignore", as in the paper, only the lists that contain an item count for it; otherwise the items that a
    voter did not rank are tied behind the ranked ones. From an item that no voter of a resample ranked, the walk goes
    to any item.
    """

    work = "chains"
    #: Small, since it reduces differences, but not so small that rounding errors matter.
    teleport: float = teleport_field(0.05)
    unranked: str = unranked_field("ignore")

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        scores = np.empty((len(weights), len(votes.items)))
        draws_at_once = max(1, MATRIX_NUMBERS // len(votes.items) ** 2)
        places = votes.fill_unranked(self.unranked)
        for start in range(0, len(weights), draws_at_once):
            draws = slice(start, start + draws_at_once)
            scores[draws] = stationary_distribution(self.steps(votes, places, weights[draws]), self.teleport)
        return scores

    @abstractmethod
    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        """The chances of the steps of the walk, without jumps.

        Parameters
        ----------
        votes
            The rankings.
        places
            (voters, items) the places of the items, filled in by `unranked`; NaN for unranked items with "ignore".
        weights
            (draws, voters) the weight of each voter, as for `scores`.

        Returns
        -------
        array of shape (draws, items, items)
            The chance of a step from the item of the row to that of the column; each row sums to 1.
        """


class MC1(MarkovChain):
    """MC1: from an item to any item that a voter ranked above it or tied with it, itself included.

    Parameters
    ----------
    teleport
        Share of steps that go to an item chosen at random, above 0 and below 1. Default: 0.05.
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'ignore'.

    Raises
    ------
    ParameterError
        `teleport` is out of range, or `unranked` is unknown.

    Notes
    -----
    All lists form one multiset, so that a voter who ranks the item low offers many items. Scores are shares of the
    steps of the walk, which sum to 1; higher is better. They are always defined.

    References
    ----------
    Dwork, Kumar, Naor and Sivakumar (2001), Rank aggregation methods for the Web, section 5, MC1; there for voters of
    equal weight.

    Examples
    --------
    >>> MC1().order([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc1"
    meaning: ClassVar[str] = SCORE_MEANING
    FUNCTIONS = ("rankscope.consensus:MC1",)

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        return normalise_rows(comparison_sums(weights, *place_codes(places, 1)).swapaxes(1, 2))


class MC2(MarkovChain):
    """MC2: from an item to a voter who ranked it, then to any item that the voter ranked above it or tied with it.

    Parameters
    ----------
    teleport
        Share of steps that go to an item chosen at random, above 0 and below 1. Default: 0.05.
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'ignore'.

    Raises
    ------
    ParameterError
        `teleport` is out of range, or `unranked` is unknown.

    Notes
    -----
    The item itself is among these. Scores are shares of the steps of the walk, which sum to 1; higher is better. They
    are always defined.

    References
    ----------
    Dwork et al. (2001), section 5, MC2.

    Examples
    --------
    >>> MC2().order([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc2"
    meaning: ClassVar[str] = SCORE_MEANING
    FUNCTIONS = ("rankscope.consensus:MC2",)

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        # Each item is one of this many that the voter offers.
        offer_shares = 1 / np.where(np.isnan(places), 1.0, normalise_ranks(places, "ceiling"))
        return normalise_rows(comparison_sums(weights, *place_codes(places, 1), offer_shares).swapaxes(1, 2))


class MC3(MarkovChain):
    """MC3: from an item to a voter who ranked it, then to any better item of that list, or it stays.

    Parameters
    ----------
    teleport
        Share of steps that go to an item chosen at random, above 0 and below 1. Default: 0.05.
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'ignore'.

    Raises
    ------
    ParameterError
        `teleport` is out of range, or `unranked` is unknown.

    Notes
    -----
    Scores are shares of the steps of the walk, which sum to 1; higher is better. They are
    always defined.

    References
    ----------
    Dwork et al. (2001), section 5, MC3.

    Examples
    --------
    >>> MC3().order([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc3"
    meaning: ClassVar[str] = SCORE_MEANING
    FUNCTIONS = ("rankscope.consensus:MC3",)

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        ranked = (~np.isnan(places)).astype(np.float64)
        total = (weights @ ranked)[:, :, None]
        better_sums = comparison_sums(weights / ranked.sum(axis=1), *place_codes(places)).swapaxes(1, 2)
        steps = better_sums / np.where(total > 0, total, 1.0)
        return with_stays(np.where(total > 0, steps, 1 / places.shape[1]))


class MC4(MarkovChain):
    """MC4: from an item to any other item that more voters rank above it than below it, or it stays.

    Parameters
    ----------
    teleport
        Share of steps that go to an item chosen at random, above 0 and below 1. Default: 0.05.
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'ignore'.

    Raises
    ------
    ParameterError
        `teleport` is out of range, or `unranked` is unknown.

    Notes
    -----
    Only voters who ranked both items count; those who tied them, which the paper does not treat, speak for neither. A
    Condorcet winner always comes first. Scores are shares of the steps of the walk, which sum to 1; higher is better.
    They are always defined.

    References
    ----------
    Dwork et al. (2001), section 5, MC4.

    Examples
    --------
    >>> MC4().order([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc4"
    meaning: ClassVar[str] = SCORE_MEANING
    FUNCTIONS = ("rankscope.consensus:MC4",)

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        wins = majority_wins(preference_matrices(votes, weights, self.unranked))
        steps = wins.swapaxes(1, 2) / places.shape[1]
        is_unranked = weights @ (~np.isnan(places)).astype(np.float64) == 0
        return with_stays(np.where(is_unranked[:, :, None], 1 / places.shape[1], steps))


def normalise_rows(sums: Floats) -> Floats:
    """Rows that sum to 1; rows of 0 become equal shares of all items."""
    total = sums.sum(axis=2, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1 / sums.shape[2])


def with_stays(steps: Floats) -> Floats:
    """Steps whose diagonal makes each row sum to 1, changed in place."""
    diagonal = np.arange(steps.shape[1])
    steps[:, diagonal, diagonal] = 0.0
    steps[:, diagonal, diagonal] = 1 - steps.sum(axis=2)
    return steps


def stationary_distribution(steps: Floats, teleport: float) -> Floats:
    """(draws, items) how often a walk is at each item in the long run, of which a share of steps goes to any item.

    steps: (draws, items, items) rows that sum to 1. The solution of p (I - (1 - t) steps) = t / items, which is unique.
    """
    n = steps.shape[1]
    system = np.eye(n) - (1 - teleport) * steps.swapaxes(1, 2)
    solution = np.linalg.solve(system, np.full((len(steps), n, 1), teleport / n))[:, :, 0]
    return np.asarray(solution / solution.sum(axis=1, keepdims=True))

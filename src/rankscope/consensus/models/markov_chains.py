"""The Markov chains MC1 to MC4: items by the share of time that a random walk to better items spends at each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Order, VoterWeights
from rankscope.consensus.pairwise import (
    MATRIX_NUMBERS,
    comparison_sums,
    majority_wins,
    place_codes,
    preference_matrices,
)
from rankscope.data.ranking import normalise_ranks
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.errors import ParameterError
from rankscope.typing import Floats

__all__ = [
    "MC1",
    "MC2",
    "MC3",
    "MC4",
    "mc1",
    "mc2",
    "mc3",
    "mc4",
    "stationary_distribution",
]


#: The share of jumps to any item. Small, since it reduces differences, but not so small that rounding errors matter.
TELEPORT = 0.05
#: The meaning of a score.
SCORE_MEANING = "the share of its time that a walk from item to better item spends at this one"


@dataclass(frozen=True, kw_only=True)
class MarkovChain(Method):
    """What the four chains share: the share of jumps, and what becomes of unranked items.

    teleport: the share of steps that go to any item, all alike; without them the walk could be caught among a few, and
    how often it is at an item would depend on where it began. Above 0, below 1. unranked: "ignore", as in the paper,
    takes lists as they are: about an item only those say something that hold it; by the others the items that a voter
    left out are tied behind the ranked ones. An item that nobody in a resample of the voters ranked is left for any
    item.
    """

    work = "chains"
    teleport: float = TELEPORT
    unranked: str = UNRANKED[-1]

    def __post_init__(self) -> None:
        valid = isinstance(self.teleport, (int, float)) and 0 < self.teleport < 1
        if not valid:
            raise ParameterError(f"teleport is {self.teleport!r}, expected a number between 0 and 1, as 0.05")
        check_unranked(self.unranked)

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
        """(draws, items, items) how often the walk goes from the item of the row to that of the column."""


class MC1(MarkovChain):
    """MC1: from an item to any that a voter put above it or beside it, itself included; in proportion to the voters.

    All voters' lists are one multiset: a voter by whom the item stands low offers many items. Scores are shares of
    the walk's steps, which sum to 1; higher is better. Always defined.

    Raises ParameterError for a `teleport` that is not between 0 and 1, another `unranked`.

    Source: Dwork, Kumar, Naor and Sivakumar 2001, "Rank aggregation methods for the Web", section 5, MC1; there with
    voters of equal weight.

    >>> MC1().order(Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc1"
    meaning: ClassVar[str] = SCORE_MEANING

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        return normalise_rows(comparison_sums(weights, *place_codes(places, 1)).swapaxes(1, 2))


class MC2(MarkovChain):
    """MC2: from an item to a voter who ranked it, and to any that he put above it or beside it, itself included.

    Scores are shares of the walk's steps, which sum to 1; higher is better. Always defined.

    Raises ParameterError for a `teleport` that is not between 0 and 1, another `unranked`.

    Source: Dwork et al. 2001, section 5, MC2.

    >>> MC2().order(Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc2"
    meaning: ClassVar[str] = SCORE_MEANING

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        # Each item is one of this many that the voter offers.
        offer_shares = 1 / np.where(np.isnan(places), 1.0, normalise_ranks(places, "ceiling"))
        return normalise_rows(comparison_sums(weights, *place_codes(places, 1), offer_shares).swapaxes(1, 2))


class MC3(MarkovChain):
    """MC3: from an item to a voter who ranked it, and to any that he ranked, if it is better; else the walk stays.

    Scores are shares of the walk's steps, which sum to 1; higher is better. Always defined.

    Raises ParameterError for a `teleport` that is not between 0 and 1, another `unranked`.

    Source: Dwork et al. 2001, section 5, MC3.

    >>> MC3().order(Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc3"
    meaning: ClassVar[str] = SCORE_MEANING

    def steps(self, votes: Votes, places: Floats, weights: Floats) -> Floats:
        ranked = (~np.isnan(places)).astype(np.float64)
        total = (weights @ ranked)[:, :, None]
        better_sums = comparison_sums(weights / ranked.sum(axis=1), *place_codes(places)).swapaxes(1, 2)
        steps = better_sums / np.where(total > 0, total, 1.0)
        return with_stays(np.where(total > 0, steps, 1 / places.shape[1]))


class MC4(MarkovChain):
    """MC4: from an item to any other, if more voters put that above it than below it; else the walk stays.

    Of voters only those count who ranked both. A Condorcet winner is always first. Scores are shares of the walk's
    steps, which sum to 1; higher is better. Always defined.

    Raises ParameterError for a `teleport` that is not between 0 and 1, another `unranked`.

    Source: Dwork et al. 2001, section 5, MC4; tied items, which the paper has not, speak for neither.

    >>> MC4().order(Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])).order
    ('A', 'B', 'C')
    """

    name: ClassVar[str] = "mc4"
    meaning: ClassVar[str] = SCORE_MEANING

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


def mc1(
    rankings: Any, *, weights: VoterWeights = None, teleport: float = TELEPORT, unranked: str = UNRANKED[-1]
) -> Order:
    """The items by the chain MC1: from an item to any that some voter did not put below it.

    rankings: what `Votes.of` takes. weights: how much each voter counts. teleport: the share of steps that go to any
    item. unranked: by "ignore" only those voters say something about an item who ranked it. Scores are shares of the
    walk's steps, from 0 to 1, higher is better, and always defined.

    Raises InputError for votes as `Votes` does; ParameterError for other options.

    Source: Dwork et al. 2001, section 5.

    >>> mc1([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).scores.round(3).tolist()
    [0.559, 0.333, 0.108]
    """
    return MC1(teleport=teleport, unranked=unranked).order(Votes.of(rankings, weights=weights))


def mc2(
    rankings: Any, *, weights: VoterWeights = None, teleport: float = TELEPORT, unranked: str = UNRANKED[-1]
) -> Order:
    """The items by the chain MC2: from an item to a voter, and to any item that he did not put below it.

    Options, scores and what is refused (what raises an error) are those of `mc1`.

    Source: Dwork et al. 2001, section 5.

    >>> mc2([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).scores.round(3).tolist()
    [0.612, 0.31, 0.078]
    """
    return MC2(teleport=teleport, unranked=unranked).order(Votes.of(rankings, weights=weights))


def mc3(
    rankings: Any, *, weights: VoterWeights = None, teleport: float = TELEPORT, unranked: str = UNRANKED[-1]
) -> Order:
    """The items by the chain MC3: from an item to a voter, and to any item of his list that is better.

    Options, scores and what is refused (what raises an error) are those of `mc1`.

    Source: Dwork et al. 2001, section 5.

    >>> mc3([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).scores.round(3).tolist()
    [0.644, 0.277, 0.079]
    """
    return MC3(teleport=teleport, unranked=unranked).order(Votes.of(rankings, weights=weights))


def mc4(
    rankings: Any, *, weights: VoterWeights = None, teleport: float = TELEPORT, unranked: str = UNRANKED[-1]
) -> Order:
    """The items by the chain MC4: from an item to any other that wins against it by majority.

    Options, scores and what is refused (what raises an error) are those of `mc1`. A Condorcet winner is first.

    Source: Dwork et al. 2001, section 5.

    >>> mc4([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]).scores.round(3).tolist()
    [0.909, 0.067, 0.024]
    """
    return MC4(teleport=teleport, unranked=unranked).order(Votes.of(rankings, weights=weights))

"""The base class of consensus methods, which take votes and weights to scores of items; orders, notes, ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankscope.data.votes import Votes
from rankscope.kernels.rounding_ties import NOISE, SOLVED, tied_with_previous
from rankscope.settings import Settings
from rankscope.typing import Floats, Indices

__all__ = [
    "Method",
    "Note",
    "Order",
    "ResampledScores",
    "Solution",
    "VoterWeights",
    "items_behind",
    "ranks_of",
]


#: Weights of voters: a list, or by name.
VoterWeights = Sequence[float] | Mapping[str, float] | None


class Note(str):
    """A note on one order.

    Attributes
    ----------
    general
        The same note for many orders, without numbers; empty if there is none.
    """

    general: str

    def __new__(cls, text: str, general: str = "") -> Note:
        note = super().__new__(cls, text)
        note.general = general
        return note


class Solution(NamedTuple):
    """The scores of a method for some votes.

    Attributes
    ----------
    scores
        (items) the scores.
    notes
        Notes on them.
    details
        Numbers by name, such as "distance" and "gap".
    ranks
        (items) ranks, if they do not follow from the scores, as for a strict order in which some items could change
        places.
    winner_open
        As in `Order`.
    """

    scores: Floats
    notes: tuple[str, ...] = ()
    details: Mapping[str, float] = {}
    ranks: Floats | None = None
    winner_open: bool = False


class ResampledScores(NamedTuple):
    """Scores of resamples of the voters.

    Attributes
    ----------
    scores
        (resamples, items) the scores.
    n_without_solution
        Number of resamples that `Method.resampling_note` mentions.
    """

    scores: Floats
    n_without_solution: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Order:
    """An order of items by a consensus method; `order["A"]` is the score of an item.

    Attributes
    ----------
    items
        Names, in the order of the votes.
    scores
        (items) the scores of the method.
    ranks
        (items) from 1, the best; tied items share the first of their ranks.
    method
        The name of the method, with the parameters that are not the default.
    higher_is_better
        Whether higher scores are better.
    meaning
        What a score is.
    details
        Other numbers by name, such as the "distance" of Kemeny's order.
    notes
        Warnings about the votes and the method.
    winner_open
        Whether another order is as good and may have another item first.
    """

    items: tuple[str, ...]
    scores: Floats
    ranks: Floats
    method: str
    higher_is_better: bool = True
    meaning: str = ""
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    winner_open: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """The items, the best first; tied items by score, then as in the votes."""
        return tuple(self.items[i] for i in self.places())

    def places(self) -> list[int]:
        """The indices of the items of `order` in the votes."""
        by_score = ranks_of(self.scores[None], higher_is_better=self.higher_is_better, least_range=1.0)[0]
        return [int(i) for i in np.lexsort((by_score, self.ranks))]

    def __getitem__(self, item: str) -> float:
        """The score of an item."""
        return float(self.scores[self.items.index(item)])


class Method(Settings, ABC):
    """A consensus method: a frozen dataclass of its parameters, which are checked when it is made.

    Subclasses define `name`, the meaning of a score (`meaning`), and `scores` for many sets of weights at once: one for
    the votes themselves, and one for each resample of the voters, where the weight of a voter is multiplied by the
    number of times that it was drawn (which may be 0). `METHODS` lists all methods by name.
    """

    name: ClassVar[str]
    meaning: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    #: The kind of work for one draw of the voters: a key of `rankscope.consensus.registry.WORK`.
    work: ClassVar[str] = "pairs"
    #: For `ranks_of`: 1 for logarithms, which are all about 0 where no item is better than another.
    least_range: ClassVar[float] = 0.0

    @abstractmethod
    def scores(self, votes: Votes, weights: Floats) -> Floats:
        """Score the items for many sets of weights at once.

        Parameters
        ----------
        votes
            The rankings. The scores follow `weights`, not the voters' own weights.
        weights
            (resamples, voters) the weight of each voter, a row for each resample. A weight may be 0; in each row at
            least one is above 0.

        Returns
        -------
        array of shape (resamples, items)
            The scores.

        Raises
        ------
        InputError
            There are no scores for these votes, or too many items.
        ParameterError
            A parameter or weight does not suit the method.
        """

    def resampled_scores(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        """Score the items for resamples of the voters; strict orders place equal items at random.

        Parameters
        ----------
        votes
            The rankings.
        weights
            (resamples, voters) a row for each resample: the weight of each voter, times how often the voter was drawn.
        rng
            Random generator for the order of equal items. Methods without strict orders do not use it.

        Returns
        -------
        ResampledScores
            The scores, and the number of resamples without a solution.

        Raises
        ------
        InputError, ParameterError
            As `scores`.
        """
        return ResampledScores(self.scores(votes, weights))

    def resampling_note(self, n_without_solution: int, n_draws: int) -> str:
        """The note on the resamples without a solution.

        Parameters
        ----------
        n_without_solution
            Number of resamples without a solution: the sum of `ResampledScores.n_without_solution`.
        n_draws
            Number of all resamples.

        Returns
        -------
        str
            What the method did instead, in one sentence.

        Raises
        ------
        NotImplementedError
            The method has a solution for every resample.
        """
        raise NotImplementedError  # for methods whose `resampled_scores` count them

    def for_many(self) -> tuple[Method, str]:
        """The method to use if many votes are merged one after the other, and a note if it differs."""
        return self, ""

    def describe_score(self) -> str:
        """The meaning of a score with these parameters."""
        return self.meaning

    def solve(self, votes: Votes) -> Solution:
        """Score the items by the votes themselves.

        Parameters
        ----------
        votes
            The rankings, with the weights of their voters.

        Returns
        -------
        Solution
            The scores, with notes and details.

        Raises
        ------
        InputError, ParameterError
            As `scores`.
        """
        return Solution(self.scores(votes, votes.weights[None])[0])

    def ranks(self, scores: Floats) -> Floats:
        """Rank the items by scores of this method.

        Parameters
        ----------
        scores
            (resamples, items) the scores.

        Returns
        -------
        array of shape (resamples, items)
            Ranks from 1, the best; tied items share the first of their ranks. Scores that differ only by rounding
            errors are tied.
        """
        return ranks_of(scores, higher_is_better=self.higher_is_better, least_range=self.least_range)

    def order(self, rankings: Any, *, weights: VoterWeights = None) -> Order:
        """Order the items by these rankings.

        Parameters
        ----------
        rankings
            Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
            voter; a mapping of voters' names to these; or `Votes`.
        weights
            Weight of each voter, as a list or by name. By default each voter counts 1.

        Returns
        -------
        Order
            Scores and ranks of the items, with notes and details.

        Raises
        ------
        InputError
            The rankings are not valid, see `Votes`; and as `scores`.
        ParameterError
            As `scores`.

        Examples
        --------
        >>> from rankscope.consensus import Borda
        >>> Borda().order([["A", "B", "C"], ["A", ["B", "C"]]]).ranks.tolist()
        [1.0, 2.0, 3.0]
        """
        votes = Votes.of(rankings, weights=weights)
        solution = self.solve(votes)
        ranks = solution.ranks
        if ranks is None:
            ranks = self.ranks(solution.scores[None])[0]
        return Order(
            items=votes.items,
            scores=solution.scores,
            ranks=ranks,
            method=str(self),
            higher_is_better=self.higher_is_better,
            meaning=self.describe_score(),
            details=solution.details,
            notes=solution.notes,
            winner_open=solution.winner_open,
        )

    def __str__(self) -> str:
        """The name, with the parameters that are not the default."""
        changed = [
            f"{parameter.name}={getattr(self, parameter.name)!r}"
            for parameter in fields(self)
            if getattr(self, parameter.name) != parameter.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


def ranks_of(scores: Floats, *, higher_is_better: bool = True, least_range: float = 0.0) -> Floats:
    """Ranks from 1 of each row's scores; tied items share the first of their ranks.

    Parameters
    ----------
    scores
        The scores, (draws, items).
    higher_is_better
        Whether the highest score has rank 1.
    least_range
        The range of a row is taken to be at least this, so that nearly equal scores are tied.

    Returns
    -------
    array of shape (draws, items)
        The ranks.

    Notes
    -----
    Neighbours are tied if they differ by a billionth of the row's range or less, which is the rounding error of
    eigenvectors and maxima. They are also tied if they differ by a trillionth of the row's greatest value or less: then
    the range itself may be a rounding error.

    Examples
    --------
    >>> ranks_of(np.array([[5.0, 1.0, 3.0, 3.0]])).tolist()
    [[1.0, 4.0, 2.0, 2.0]]
    """
    keys = -scores if higher_is_better else scores
    order = np.argsort(keys, axis=1, kind="stable")
    sorted_keys = np.take_along_axis(keys, order, axis=1)
    greatest = np.maximum(np.abs(sorted_keys[:, -1:]), np.abs(sorted_keys[:, :1]))
    spread = np.maximum(sorted_keys[:, -1:] - sorted_keys[:, :1], least_range)
    starts_tie = np.ones(keys.shape, np.bool_)
    starts_tie[:, 1:] = ~tied_with_previous(sorted_keys, np.maximum(SOLVED * spread, NOISE * greatest))
    first_ranks = np.maximum.accumulate(np.where(starts_tie, np.arange(1.0, keys.shape[1] + 1), 0.0), axis=1)
    ranks = np.empty_like(first_ranks)
    np.put_along_axis(ranks, order, first_ranks, axis=1)
    return ranks


def items_behind(orders: Indices) -> Floats:
    """(items), or (draws, items): how many items stand behind each in the orders."""
    counts = np.empty(orders.shape)
    n = orders.shape[-1]
    np.put_along_axis(counts, orders, np.broadcast_to(np.arange(n - 1.0, -1.0, -1.0), orders.shape), axis=-1)
    return counts

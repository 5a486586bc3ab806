"""What a method of consensus is: votes and weights in, a score of every item out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.data.votes import Votes
from rankscope.kernels.ties import NOISE, SOLVED, joins
from rankscope.typing import Floats, Indices

__all__ = [
    "Method",
    "Note",
    "Order",
    "ResampledScores",
    "Solution",
    "items_behind",
    "ranks_of",
]


class Note(str):
    """What there is to say of one order. general: the same of many orders, without their numbers; empty: nothing."""

    general: str

    def __new__(cls, text: str, general: str = "") -> Note:
        found = super().__new__(cls, text)
        found.general = general
        return found


class Solution(NamedTuple):
    """Scores, (items), and what there is to say of them. details: numbers by name, as "distance" and "gap".

    ranks: (items) where scores alone do not say them, as those of a strict order in which some items could change
    places. first_open: as in `Order`.
    """

    scores: Floats
    notes: tuple[str, ...] = ()
    details: Mapping[str, float] = {}
    ranks: Floats | None = None
    first_open: bool = False


class ResampledScores(NamedTuple):
    """Scores of draws of the voters, (draws, items), and of how many draws `Method.said_of_draws` has to say more."""

    scores: Floats
    odd: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Order:
    """An order of items.

    items: names, in the order of the votes. scores: (items) what the method gives each. ranks: (items) from 1, the
    best; tied items share the first of their ranks. method: its name with the parameters that change the result.
    higher_is_better: of the scores. meaning: what a score is. details: other numbers, as the "distance" of a Kemeny
    order. notes: what a reader should know. first_open: another order is as good, and may have another item first.
    """

    items: tuple[str, ...]
    scores: Floats
    ranks: Floats
    method: str
    higher_is_better: bool = True
    meaning: str = ""
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    first_open: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """The items, the best first; tied ones by score where that differs, else in the order of the votes."""
        return tuple(self.items[i] for i in self.places())

    def places(self) -> list[int]:
        """Where the items of `order` stand among the votes."""
        by_score = ranks_of(self.scores[None], higher_is_better=self.higher_is_better, least_range=1.0)[0]
        return [int(i) for i in np.lexsort((by_score, self.ranks))]

    def __getitem__(self, item: str) -> float:
        """The score of an item."""
        return float(self.scores[self.items.index(item)])


class Method(ABC):
    """A frozen dataclass of parameters; METHODS of `rankscope.consensus.registry` lists all by name.

    Subclasses say `name`, what a score is (`meaning`), and give `scores` for many sets of weights at once: one for the
    votes themselves, one a resample of the voters (where a voter's weight is his own times how often he was drawn, 0
    included).
    """

    name: ClassVar[str]
    meaning: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    #: What it works through for one draw of the voters: a kind of work of `rankscope.consensus.registry.WORK`.
    work: ClassVar[str] = "pairs"
    #: Of `ranks_of`: 1 for logarithms, which are all about 0 where no item is better than another.
    least_range: ClassVar[float] = 0.0

    @abstractmethod
    def scores(self, votes: Votes, weights: Floats) -> Floats:
        """(draws, items) from weights, (draws, voters), of which some in each row are above 0."""

    def drawn(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        """Scores for draws of the voters; strict orders take items that nothing tells apart in any order, by rng."""
        return ResampledScores(self.scores(votes, weights))

    def said_of_draws(self, odd: int, draws: int) -> str:
        """A note on the draws that `drawn` counted, where there are any."""
        raise NotImplementedError  # no draws are odd unless `drawn` says so

    def for_many(self) -> tuple[Method, str]:
        """What is done in its stead where many votes are merged, one after the other, and what to say of that."""
        return self, ""

    def means(self) -> str:
        """What a score is, with these parameters."""
        return self.meaning

    def solve(self, votes: Votes) -> Solution:
        """Scores for the votes as they are."""
        return Solution(self.scores(votes, votes.weights[None])[0])

    def ranks(self, scores: Floats) -> Floats:
        """(draws, items) of such scores."""
        return ranks_of(scores, higher_is_better=self.higher_is_better, least_range=self.least_range)

    def order(self, votes: Votes) -> Order:
        """The order of the items."""
        found = self.solve(votes)
        ranks = found.ranks
        if ranks is None:
            ranks = self.ranks(found.scores[None])[0]
        return Order(
            items=votes.items,
            scores=found.scores,
            ranks=ranks,
            method=str(self),
            higher_is_better=self.higher_is_better,
            meaning=self.means(),
            details=found.details,
            notes=found.notes,
            first_open=found.first_open,
        )

    def __str__(self) -> str:
        """The name, with the parameters that are not the default."""
        changed = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)  # type: ignore[arg-type]  # every method is a dataclass
            if getattr(self, one.name) != one.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


def ranks_of(scores: Floats, *, higher_is_better: bool = True, least_range: float = 0.0) -> Floats:
    """(draws, items) ranks from 1 of each row's scores; tied items share the first of their ranks.

    Neighbours that differ by a billionth of the row's range or less are tied, which is what eigenvectors and maxima
    lose to rounding, or by a trillionth of its greatest value: then the range itself may be rounding. least_range: by
    which scores are told apart that are all but one.

    >>> ranks_of(np.array([[5.0, 1.0, 3.0, 3.0]])).tolist()
    [[1.0, 4.0, 2.0, 2.0]]
    """
    keys = -scores if higher_is_better else scores
    order = np.argsort(keys, axis=1, kind="stable")
    rising = np.take_along_axis(keys, order, axis=1)
    greatest = np.maximum(np.abs(rising[:, -1:]), np.abs(rising[:, :1]))
    spread = np.maximum(rising[:, -1:] - rising[:, :1], least_range)
    new = np.ones(keys.shape, np.bool_)
    new[:, 1:] = ~joins(rising, np.maximum(SOLVED * spread, NOISE * greatest))
    first = np.maximum.accumulate(np.where(new, np.arange(1.0, keys.shape[1] + 1), 0.0), axis=1)
    found = np.empty_like(first)
    np.put_along_axis(found, order, first, axis=1)
    return found


VoterWeights = Sequence[float] | Mapping[str, float] | None


def items_behind(orders: Indices) -> Floats:
    """(items), or (draws, items): how many items stand behind each."""
    found = np.empty(orders.shape)
    n = orders.shape[-1]
    np.put_along_axis(found, orders, np.broadcast_to(np.arange(n - 1.0, -1.0, -1.0), orders.shape), axis=-1)
    return found

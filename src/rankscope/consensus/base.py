"""What a method of consensus is: votes and weights in, a score of every item out; and the order that it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.votes import Votes

__all__ = ["Method", "Order", "Solution", "ranks_of"]

Floats = npt.NDArray[np.float64]

#: Scores that differ by less than this share of their range are tied: what sums and eigenvectors lose to rounding.
TOLERANCE = 1e-9
#: So are those that differ by less than this share of the greatest: then the range itself may be rounding.
NOISE = 1e-12


class Solution(NamedTuple):
    """Scores, (items), and what there is to say of them. details: numbers by name, as "distance" and "gap"."""

    scores: Floats
    notes: tuple[str, ...] = ()
    details: Mapping[str, float] = {}


@dataclass(frozen=True, eq=False, kw_only=True)
class Order:
    """An order of items.

    items: names, in the order of the votes. scores: (items) what the method gives each. ranks: (items) from 1, the
    best; tied items share the first of their ranks. method: its name with the parameters that change the result.
    higher_is_better: of the scores. details: other numbers, as the "distance" of a Kemeny order. notes: what a reader
    should know.
    """

    items: tuple[str, ...]
    scores: Floats
    ranks: Floats
    method: str
    higher_is_better: bool = True
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """The items, the best first; tied ones in the order of the votes."""
        return tuple(self.items[i] for i in np.argsort(self.ranks, kind="stable"))

    def __getitem__(self, item: str) -> float:
        """The score of an item."""
        return float(self.scores[self.items.index(item)])


class Method(ABC):
    """A frozen dataclass of parameters; METHODS of `rankscope.consensus.methods` lists all by name.

    Subclasses say `name` and give `scores` for many sets of weights at once: one for the votes themselves, one a
    resample of the voters (where a voter's weight is his own times how often he was drawn, 0 included).
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True

    @abstractmethod
    def scores(self, votes: Votes, weights: Floats) -> Floats:
        """(draws, items) from weights, (draws, voters), of which some in each row are above 0."""

    def solve(self, votes: Votes) -> Solution:
        """Scores for the votes as they are."""
        return Solution(self.scores(votes, votes.weights[None])[0])

    def order(self, votes: Votes) -> Order:
        """The order of the items."""
        found = self.solve(votes)
        return Order(
            items=votes.items,
            scores=found.scores,
            ranks=ranks_of(found.scores[None], higher_is_better=self.higher_is_better)[0],
            method=str(self),
            higher_is_better=self.higher_is_better,
            details=found.details,
            notes=found.notes,
        )

    def __str__(self) -> str:
        """The name, with the parameters that are not the default."""
        changed = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)  # type: ignore[arg-type]  # every method is a dataclass
            if getattr(self, one.name) != one.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


def ranks_of(scores: Floats, *, higher_is_better: bool = True) -> Floats:
    """(draws, items) ranks from 1 of each row's scores; tied items share the first of their ranks.

    Neighbours that differ by less than a billionth of the row's range are tied, or by less than a trillionth of its
    greatest value.

    >>> ranks_of(np.array([[5.0, 1.0, 3.0, 3.0]])).tolist()
    [[1.0, 4.0, 2.0, 2.0]]
    """
    keys = -scores if higher_is_better else scores
    order = np.argsort(keys, axis=1, kind="stable")
    rising = np.take_along_axis(keys, order, axis=1)
    greatest = np.maximum(np.abs(rising[:, -1:]), np.abs(rising[:, :1]))
    room = np.maximum(TOLERANCE * (rising[:, -1:] - rising[:, :1]), NOISE * greatest)
    new = np.ones(keys.shape, np.bool_)
    new[:, 1:] = rising[:, 1:] - rising[:, :-1] > room
    first = np.maximum.accumulate(np.where(new, np.arange(1.0, keys.shape[1] + 1), 0.0), axis=1)
    found = np.empty_like(first)
    np.put_along_axis(found, order, first, axis=1)
    return found

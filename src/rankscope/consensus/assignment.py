"""The footrule order: the one whose places are, in sum, the least away from those of the voters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Order, Solution
from rankscope.consensus.insertion import falling
from rankscope.consensus.units import unit_of
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.data.wording import counted

__all__ = ["Footrule", "footrule"]

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]
Weights = Sequence[float] | Mapping[str, float] | None

#: Numbers (voters, items, places) that are held at once.
HELD = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Footrule(Method):
    """Footrule: the order whose places are, summed with the weights of the voters, the least away from theirs.

    Tied items of a voter have the mean of their places, those that he left out the one of `unranked`, or, by "ignore",
    no say. Items are strictly ordered; scores count the items behind each, from 0 to items - 1, higher is better, and
    are always defined. The order is a best one; among orders of one distance it is the one whose places are, by their
    squared differences, nearest to the order by mean place (of equals, to that of the votes). Where voters rank all
    without ties it disagrees with them over at most twice as many pairs as the Kemeny order.

    details: "distance".

    Raises ParameterError for another `unranked`.

    Source: Dwork et al. 2001, "Rank aggregation methods for the web", section 3; Diaconis and Graham 1977.

    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> found = Footrule().order(votes)
    >>> found.order, found.details["distance"]
    (('A', 'B', 'C'), 4.0)
    """

    name: ClassVar[str] = "footrule"
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_unranked(self.unranked)

    def solve(self, votes: Votes) -> Solution:
        costs = place_costs(votes, votes.weights[None], self.unranked)[0]
        order = cheapest(costs, unit_of(votes.weights, len(votes.items)) / 2)
        distance = float(costs[order, np.arange(order.size)].sum())
        now, changed = costs[order, np.arange(order.size)], costs[order[:-1], np.arange(1, order.size)]
        back = costs[order[1:], np.arange(order.size - 1)]
        free = int((changed + back <= now[:-1] + now[1:] + 1e-9 * costs.max()).sum())
        said = "no order has places that are less away from those of the voters in sum"
        if free:
            pairs = counted(free, "pair of neighbours", "pairs of neighbours")
            return Solution(
                falling(order),
                (said, f"{pairs} could change places at no cost: other orders are as good as this one"),
                {"distance": distance},
            )
        return Solution(falling(order), (said,), {"distance": distance})

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        n = len(votes.items)
        found = np.empty((len(weights), n))
        unit = unit_of(votes.weights, n) / 2
        size = max(1, HELD // n**2)
        for start in range(0, len(weights), size):
            costs = place_costs(votes, weights[start : start + size], self.unranked)
            # The assignment takes one table at a time.
            found[start : start + size] = falling(np.array([cheapest(one, unit) for one in costs]))
        return found


def place_costs(votes: Votes, weights: Floats, unranked: str) -> Floats:
    """(draws, items, places) how far each place is from those of an item, summed with the weights of the voters."""
    given = votes.filled(unranked)
    voters, n = given.shape
    found = np.zeros((len(weights), n, n))
    step = max(1, HELD // (voters * n))
    for start in range(0, n, step):
        items = slice(start, start + step)
        away = np.nan_to_num(np.abs(given[:, items, None] - np.arange(1.0, n + 1)))
        found[:, items] = (weights @ away.reshape(voters, -1)).reshape(len(weights), -1, n)
    return found


def cheapest(costs: Floats, unit: float) -> Index:
    """(places) the item at each place. costs: (items, places), multiples of the unit up to noise."""
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # slow to load

    n = len(costs)
    values = np.rint(costs / unit)
    values /= float(np.gcd.reduce(values.astype(np.int64), axis=None)) or 1.0
    # What the first place costs more than the last rises with the mean place. Squares, because they tell apart what
    # exchanging two items does; together they weigh less than one unit of the distance, which is n cubed now.
    first = np.argsort(values[:, 0] - values[:, -1], kind="stable")
    away = (np.arange(n)[:, None] - np.arange(n)) ** 2
    items, places = linear_sum_assignment(values[first] * n**3 + away)
    order = np.empty(n, np.intp)
    order[places] = first[items]
    return order


def footrule(rankings: Any, *, weights: Weights = None, unranked: str = UNRANKED[0]) -> Order:
    """The order whose places are the least away from those of the voters, in sum.

    rankings: what `Votes.of` takes. weights: how much each voter counts. unranked: the places of items that a voter
    left out; by "ignore" he has no say on them. Scores count the items behind each, from 0 to items - 1, higher is
    better, and are always defined; the details are the "distance", from 0, lower is nearer.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    Source: Dwork et al. 2001, section 3.

    >>> footrule([["A", "B", "C"], ["B", "C", "A"], ["B", "A", "C"]]).order
    ('B', 'A', 'C')
    """
    return Footrule(unranked=unranked).order(Votes.of(rankings, weights=weights))

"""The footrule order: the one whose places are, in sum, the least away from those of the voters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Note, Order, ResampledScores, Solution, items_behind
from rankscope.consensus.optimal.integer_margins import common_unit
from rankscope.consensus.pairwise import refuse_items
from rankscope.data.text import pluralise
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.typing import Floats, Indices

__all__ = [
    "Footrule",
    "footrule",
]


Weights = Sequence[float] | Mapping[str, float] | None
#: Among more items, circles of more than two are not looked for.
CIRCLE_ITEMS = 300
#: Numbers (voters, items, places) that are held at once.
HELD = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Footrule(Method):
    """Footrule: the order whose places are, summed with the weights of the voters, the least away from theirs.

    Tied items of a voter have the mean of their places, those that he left out the one of `unranked`, or, by "ignore",
    no say. Items are strictly ordered; scores count the items behind each, from 0 to items - 1, higher is better, and
    are always defined. The order is a best one; among orders of one distance it is the one whose places are, by their
    squared differences, nearest to the order by mean place (of equals, to that of the votes). Neighbours that could
    stand in any order at no cost share a rank; a note says where other orders are as good. Where voters rank all
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
    work = "assignment"
    meaning: ClassVar[str] = "how many items stand behind in this order; not how sure that is"
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_unranked(self.unranked)

    def solve(self, votes: Votes) -> Solution:
        costs = place_costs(votes, votes.weights[None], self.unranked)[0]
        unit = common_unit(votes.weights, len(votes.items)) / 2
        order = assign_places(costs, unit)
        distance = float(costs[order, np.arange(order.size)].sum())
        said = "no order has places that are less away from those of the voters in sum"
        whole = np.rint(costs / unit)[order]  # (place, place): what it costs to put the item of one at the other
        others = equal_orders_notes(whole)
        return Solution(
            items_behind(order),
            (Note(said, said), *others),
            {"distance": distance},
            ranks=shared_ranks(order, whole),
            first_open=bool(others),
        )

    def drawn(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        return ResampledScores(self.scores_by(votes, weights, rng))

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        return self.scores_by(votes, weights, None)

    def scores_by(self, votes: Votes, weights: Floats, rng: np.random.Generator | None) -> Floats:
        """(draws, items) the scores; items that nothing tells apart in any order by rng, else as in the votes."""
        n = len(votes.items)
        found = np.empty((len(weights), n))
        unit = common_unit(votes.weights, n) / 2
        size = max(1, HELD // n**2)
        for start in range(0, len(weights), size):
            costs = place_costs(votes, weights[start : start + size], self.unranked)
            # The assignment takes one table at a time.
            found[start : start + size] = items_behind(np.array([assign_places(one, unit, rng) for one in costs]))
        return found


def place_costs(votes: Votes, weights: Floats, unranked: str) -> Floats:
    """(draws, items, places) how far each place is from those of an item, summed with the weights of the voters."""
    given = votes.filled(unranked)
    voters, n = given.shape
    refuse_items(n)
    found = np.zeros((len(weights), n, n))
    step = max(1, HELD // (voters * n))
    for start in range(0, n, step):
        items = slice(start, start + step)
        away = np.nan_to_num(np.abs(given[:, items, None] - np.arange(1.0, n + 1)))
        found[:, items] = (weights @ away.reshape(voters, -1)).reshape(len(weights), -1, n)
    return found


def shared_ranks(order: Indices, costs: Floats) -> Floats:
    """(items) ranks from 1, where neighbours that could stand in any order at no cost share the first of theirs.

    costs: (place, place) whole numbers: of the item of the one place at the other. Items of a run of places can be
    permuted at no cost where the costs of any two of them differ by the same amount at each of these places.
    """
    ranks, first = np.empty(len(order)), 0
    for place in range(len(order)):
        run = costs[first : place + 1, first : place + 1]
        if np.ptp(run - run[:1], axis=1).any():
            first = place
        ranks[order[place]] = first + 1
    return ranks


def equal_orders_notes(costs: Floats) -> tuple[str, ...]:
    """A note where two items could change places at no cost, or items go round among some places. costs: as above."""
    now = np.diagonal(costs)
    gain = costs - now[:, None]  # of going from the place of the row to that of the column
    free = int((np.diagonal(gain, 1) + np.diagonal(gain, -1) == 0).sum())
    if free:
        pairs = pluralise(free, "pair of neighbours", "pairs of neighbours")
        said = "could change places at no cost: other orders are as good as this one"
        return (Note(f"{pairs} {said}", f"neighbours {said}"),)
    if has_free_cycle(gain):
        said = "some items could change places at no cost: other orders are as good as this one"
        return (Note(said, said),)
    return ()


def has_free_cycle(gain: Floats) -> bool:
    """Whether some items can go round among their places at no cost. gain: (place, place) of going there, whole.

    No circle costs less than nothing where the order is a best one, so that the cheapest ways are well defined. Of many
    items only two are tried at a time.
    """
    n = len(gain)
    if n > CIRCLE_ITEMS:
        return bool((gain + gain.T == 0).sum() > n)
    ways = gain.copy()
    np.fill_diagonal(ways, np.inf)
    for k in range(n):
        np.minimum(ways, ways[:, k, None] + ways[None, k, :], out=ways)
    return bool((np.diagonal(ways) <= 0).any())


def assign_places(costs: Floats, unit: float, rng: np.random.Generator | None = None) -> Indices:
    """(places) the item at each place. costs: (items, places), multiples of the unit up to noise.

    rng: by which items that nothing tells apart stand; else they stand as in the votes.
    """
    from scipy.optimize import linear_sum_assignment

    n = len(costs)
    values = np.rint(costs / unit)
    values /= float(np.gcd.reduce(values.astype(np.int64), axis=None)) or 1.0
    # What the first place costs more than the last rises with the mean place. Squares, because they tell apart what
    # exchanging two items does; together they weigh less than one unit of the distance, which is n cubed now.
    late = values[:, 0] - values[:, -1]
    first = np.argsort(late, kind="stable") if rng is None else np.lexsort((rng.random(n), late))
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

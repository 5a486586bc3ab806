"""The footrule order: the one whose places have the least total distance from those of the voters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.consensus.base import Method, Note, ResampledScores, Solution, items_behind
from rankscope.consensus.optimal.integer_margins import common_unit
from rankscope.consensus.pairwise import refuse_items
from rankscope.consensus.parameters import unranked_field
from rankscope.data.text import pluralise
from rankscope.data.votes import Votes
from rankscope.typing import Floats, Indices

__all__ = [
    "Footrule",
]


#: Among more items, only swaps of two items are tried, no longer cycles.
CIRCLE_ITEMS = 300
#: Numbers (voters, items, places) in memory at once.
HELD = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Footrule(Method):
    """The footrule order: the one whose places have the smallest weighted total distance from those of the voters.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'average'.

    Raises
    ------
    ParameterError
        `unranked` is unknown.

    Notes
    -----
    Tied items of a voter have the mean of their places. The order is strict; scores count the items behind each, from 0
    to items - 1, higher is better, always defined. Among orders of equal distance it is the one nearest to the order by
    mean place, by squared differences of places (then to the order in the votes). Neighbours that could stand in any
    order at no cost share a rank; a note says whether other orders are as good. If voters rank all items without ties,
    it disagrees with them over at most twice as many pairs as Kemeny's order. The details are "distance".

    References
    ----------
    Dwork et al. (2001), Rank aggregation methods for the web, section 3; Diaconis and Graham (1977).

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> found = Footrule().order(votes)
    >>> found.order, found.details["distance"]
    (('A', 'B', 'C'), 4.0)
    """

    name: ClassVar[str] = "footrule"
    work = "assignment"
    meaning: ClassVar[str] = "number of items after this one; it does not show how certain the order is"
    FUNCTIONS = ("rankscope.consensus:Footrule",)

    unranked: str = unranked_field("average")

    def solve(self, votes: Votes) -> Solution:
        costs = place_costs(votes, votes.weights[None], self.unranked)[0]
        unit = common_unit(votes.weights, len(votes.items)) / 2
        order = assign_places(costs, unit)
        distance = float(costs[order, np.arange(order.size)].sum())
        text = "no order has a smaller total distance to the places of the voters (proved)"
        unit_costs = np.rint(costs / unit)[order]  # (place, place): the cost of the item of the first at the second
        equal_notes = equal_orders_notes(unit_costs)
        return Solution(
            items_behind(order),
            (Note(text, text), *equal_notes),
            {"distance": distance},
            ranks=shared_ranks(order, unit_costs),
            winner_open=bool(equal_notes),
        )

    def resampled_scores(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        return ResampledScores(self._scores(votes, weights, rng))

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        return self._scores(votes, weights, None)

    def _scores(self, votes: Votes, weights: Floats, rng: np.random.Generator | None) -> Floats:
        """(draws, items) how many items stand behind each. rng: orders equal items; None: as in the votes."""
        n = len(votes.items)
        scores = np.empty((len(weights), n))
        unit = common_unit(votes.weights, n) / 2
        draws_at_once = max(1, HELD // n**2)
        for start in range(0, len(weights), draws_at_once):
            costs = place_costs(votes, weights[start : start + draws_at_once], self.unranked)
            # The assignment takes one table at a time.
            scores[start : start + draws_at_once] = items_behind(
                np.array([assign_places(draw_costs, unit, rng) for draw_costs in costs])
            )
        return scores


def place_costs(votes: Votes, weights: Floats, unranked: str) -> Floats:
    """(draws, items, places) the weighted sum, over voters, of the distance from an item's place to each place."""
    places = votes.fill_unranked(unranked)
    n_voters, n = places.shape
    refuse_items(n)
    costs = np.zeros((len(weights), n, n))
    step = max(1, HELD // (n_voters * n))
    for start in range(0, n, step):
        items = slice(start, start + step)
        distances = np.nan_to_num(np.abs(places[:, items, None] - np.arange(1.0, n + 1)))
        costs[:, items] = (weights @ distances.reshape(n_voters, -1)).reshape(len(weights), -1, n)
    return costs


def shared_ranks(order: Indices, costs: Floats) -> Floats:
    """(items) ranks from 1, where neighbours that could stand in any order at no cost share the first of theirs.

    costs: (place, place) whole numbers: of the item of the first place at the second. Items of consecutive places can
    be permuted at no cost where the costs of any two of them differ by the same amount at each of these places.
    """
    ranks, group_start = np.empty(len(order)), 0
    for place in range(len(order)):
        group_costs = costs[group_start : place + 1, group_start : place + 1]
        if np.ptp(group_costs - group_costs[:1], axis=1).any():
            group_start = place
        ranks[order[place]] = group_start + 1
    return ranks


def equal_orders_notes(costs: Floats) -> tuple[str, ...]:
    """A note where items could exchange places at no cost, two or more in a cycle. costs: as for `shared_ranks`."""
    current = np.diagonal(costs)
    gain = costs - current[:, None]  # of moving from the place of the row to that of the column
    n_free = int((np.diagonal(gain, 1) + np.diagonal(gain, -1) == 0).sum())
    if n_free:
        pairs_text = pluralise(n_free, "pair of neighbours", "pairs of neighbours")
        text = "could change places at no cost: other orders are as good as this one"
        return (Note(f"{pairs_text} {text}", f"neighbours {text}"),)
    if has_free_cycle(gain):
        text = "some items could change places at no cost: other orders are as good as this one"
        return (Note(text, text),)
    return ()


def has_free_cycle(gain: Floats) -> bool:
    """Whether some items can move in a cycle among their places at no cost. gain: (place, place) the costs of moves.

    No cycle has a negative cost where the order is a best one, so that the cheapest paths are well defined. Of many
    items only cycles of two are tried.
    """
    n = len(gain)
    if n > CIRCLE_ITEMS:
        return bool((gain + gain.T == 0).sum() > n)
    path_costs = gain.copy()
    np.fill_diagonal(path_costs, np.inf)
    for k in range(n):
        np.minimum(path_costs, path_costs[:, k, None] + path_costs[None, k, :], out=path_costs)
    return bool((np.diagonal(path_costs) <= 0).any())


def assign_places(costs: Floats, unit: float, rng: np.random.Generator | None = None) -> Indices:
    """(places) the item at each place. costs: (items, places), multiples of the unit up to noise.

    rng: for a random order of equal items; without it they stand as in the votes.
    """
    from scipy.optimize import linear_sum_assignment

    n = len(costs)
    values = np.rint(costs / unit)
    values /= float(np.gcd.reduce(values.astype(np.int64), axis=None)) or 1.0
    # The cost of the first place less that of the last rises with the mean place. Squares distinguish exchanges of two
    # items; together they weigh less than one unit of the distance, which is scaled to n cubed.
    lateness = values[:, 0] - values[:, -1]
    tie_order = np.argsort(lateness, kind="stable") if rng is None else np.lexsort((rng.random(n), lateness))
    squared_distances = (np.arange(n)[:, None] - np.arange(n)) ** 2
    items, places = linear_sum_assignment(values[tie_order] * n**3 + squared_distances)
    order = np.empty(n, np.intp)
    order[places] = tie_order[items]
    return order

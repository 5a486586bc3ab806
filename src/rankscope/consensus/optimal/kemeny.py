"""Kemeny's order: the order with the fewest pairwise disagreements with the voters, proved or searched."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.consensus.base import Method, Note, ResampledScores, Solution, items_behind
from rankscope.consensus.optimal.held_karp import HELD_KARP_ITEMS, best_orders, count_best_orders
from rankscope.consensus.optimal.integer_margins import borda_order, common_unit, integer_margins_in, with_tie_break
from rankscope.consensus.optimal.local_search import (
    count_free_moves,
    default_restarts,
    improve_orders,
    order_costs,
    search_order,
)
from rankscope.consensus.pairwise import preference_matrix, preference_matrix_chunks
from rankscope.consensus.parameters import (
    exact_field,
    quick_field,
    restarts_field,
    time_limit_field,
    unranked_field,
)
from rankscope.data.text import pluralise
from rankscope.data.votes import Votes
from rankscope.settings import count
from rankscope.stats.inputs import as_generator
from rankscope.typing import Floats, Indices

__all__ = [
    "Kemeny",
    "majority_blocks",
]


def majority_blocks(margins: Floats) -> list[Indices]:
    """The strongly connected components of the graph of strict majorities, those first that win against others.

    Concatenated best orders of the components are a best order of all: from an earlier to a later one no majority
    points back, so moving all of the earlier before all of the later changes only pairs across, each to its cheaper
    side, ties of a majority included (the extended Condorcet criterion: Truchon 1998; Betzler et al. 2014).

    margins: (items, items). Components without a majority between them stand as their first items do.

    >>> [block.tolist() for block in majority_blocks(np.array([[0, -1, -1], [1, 0, 0], [1, 0, 0]]))]
    [[1], [2], [0]]
    """
    n = len(margins)
    reachable = ((margins > 0) | np.eye(n, dtype=np.bool_)).astype(np.float32)
    for _ in range(int(n - 1).bit_length()):  # each step doubles the length of paths
        reachable = np.minimum(reachable @ reachable, 1)
    mutual = (reachable > 0) & (reachable.T > 0)
    component_start = mutual.argmax(axis=1)  # the first item of each item's component
    # A component that wins against another one reaches all its items, and more.
    heads = np.unique(component_start)
    heads = heads[np.argsort(-reachable[heads].sum(axis=1), kind="stable")]
    return [np.flatnonzero(component_start == head) for head in heads]


#: Blocks of more items are only searched, unless `exact` is true: with random votes, a proof may take hours.
EXACT_ITEMS = 50
#: The same with a time limit.
EXACT_ITEMS_TIMED = 200
#: Starts of a quick search.
STARTS_IF_QUICK = 4
#: Draws of voters are solved exactly up to this many items.
EXACT_DRAW_ITEMS = 8
#: Numbers in the matrices of margins of a chunk of draws.
HELD = 1 << 21


@dataclass(frozen=True, kw_only=True)
class Kemeny(Method):
    """Kemeny's order: the one with the smallest weighted number of pairwise disagreements with the voters.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'average'.
    exact
        Prove that no order is closer to the voters, or only search for a good order. Default: prove it for up to 50
        items in majority cycles, or 200 with a time limit.
    time_limit
        Seconds after which the best order found so far is returned. Default: no limit.
    restarts
        Number of starts of the search. Default: 32, or fewer for many items.
    rng
        Random seed of the search. Default: 0.
    quick
        Prove the order for up to 14 items in majority cycles, and search from 4 starts for more. Default: False.

    Raises
    ------
    ParameterError
        A parameter is out of range.

    Notes
    -----
    A voter disagrees with a pair that it ranked the other way round. A pair that it tied, or with "ignore" did not
    rank, costs nothing. The order is strict; scores count the items behind each, from 0 to items - 1, higher is better,
    always defined. Neighbours that are all tied with each other one against one share a rank: they could stand in any
    order at no cost. Other orders may be as good in other ways, for example if items win in a cycle; a note says so.

    Among orders of equal distance the search prefers the one that agrees with most pairs of the Borda order (by
    margins; then by majorities won; then as in the votes): among all orders for up to 14 items, otherwise as far as
    moves of one item lead.

    By default each block of items that cycles of majorities hold together is proved if it has up to 50 items, or 200
    with a time limit. With `exact=True` it always is, which for more than 50 items may take hours. After the time limit
    the result has the best order found and a bound on its distance, both of which then depend on the machine. The proof
    starts from a search, which has `restarts` starts.

    The details are "distance", "bound" (no order has a smaller distance) and "gap" (their difference as a share of the
    distance; 0 if proved). For resamples of the voters, up to 8 items are solved exactly; for more, the order of all
    voters is improved by moves of one item until none helps.

    References
    ----------
    Kemeny (1959), Mathematics without numbers; Kemeny and Snell (1962). Extended to ties and partial lists as the
    penalty p = 0 of Fagin et al. (2006).

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> found = Kemeny().order(votes)
    >>> found.order, found.details["distance"], found.details["gap"]
    (('A', 'B', 'C'), 2.0, 0.0)
    """

    name: ClassVar[str] = "kemeny"
    work = "search"
    meaning: ClassVar[str] = "number of items after this one; it does not show how certain the order is"
    FUNCTIONS = ("rankscope.consensus:Kemeny",)

    unranked: str = unranked_field("average")
    exact: bool | None = exact_field(None)
    time_limit: float | None = time_limit_field(None)
    restarts: int | None = restarts_field(None)
    rng: int = count(0, minimum=0, maximum=None, help="Random seed of the search.", flag="")
    quick: bool = quick_field()

    def for_many(self) -> tuple[Method, str]:
        if self.exact is not None or self.time_limit is not None:
            return self, ""
        return replace(self, quick=True), (
            f"if more than {HELD_KARP_ITEMS} items win in cycles, the best order is searched but not proved, to save "
            "time; --time-limit (in Python time_limit) tries to prove it for each query"
        )

    def solve(self, votes: Votes) -> Solution:
        preferences = preference_matrix(votes, self.unranked)
        values, unit = integer_margins_in(preferences - preferences.T, common_unit(votes.weights, len(votes.items)))
        best = self._find_order(values)
        unavoidable = np.minimum(preferences, preferences.T).sum() / 2
        distance = float(unavoidable + unit * best.cost)
        bound = distance if best.proved else min(distance, float(unavoidable + unit * best.bound))
        gap = 0.0 if best.proved or not distance else (distance - bound) / distance
        details = {"distance": distance, "bound": bound, "gap": gap}
        equal_notes = equal_orders_notes(best.order, values)
        return Solution(
            items_behind(best.order),
            (self._proof_note(best, gap), *equal_notes),
            details,
            ranks=shared_ranks(best.order, values),
            winner_open=bool(equal_notes) and not (np.delete(values[best.order[0]], best.order[0]) > 0).all(),
        )

    def _find_order(self, margins: Floats) -> KemenyOrder:
        """The best order for a table of margins, proved or searched. margins: (items, items) whole numbers."""
        deadline = None if self.time_limit is None else time.monotonic() + self.time_limit
        # From here on items stand in Borda's order, so that the result does not depend on their order in the votes.
        borda = borda_order(margins)
        margins = margins[np.ix_(borda, borda)]
        rng = as_generator(self.rng)
        block_orders, cost, bound, stopped, largest_block = [], 0.0, 0.0, False, 0
        as_one_block = self.exact is not False and len(margins) <= HELD_KARP_ITEMS
        for block in [np.arange(len(margins))] if as_one_block else majority_blocks(margins):
            solved = self._block_order(margins[np.ix_(block, block)], rng, deadline)
            block_orders.append(block[solved.order])
            cost, bound = cost + solved.cost, bound + solved.bound
            stopped, largest_block = stopped or solved.stopped, max(largest_block, block.size)
        order = np.concatenate(block_orders)
        if len(block_orders) > 1:  # ties between blocks allow other orders
            order = improve_orders(with_tie_break(margins), order[None])[0]
        return KemenyOrder(borda[order], cost, bound, stopped, largest_block)

    def _block_order(self, margins: Floats, rng: np.random.Generator, deadline: float | None) -> KemenyOrder:
        """The best order of the items of one block, proved or searched. deadline: by `time.monotonic`."""
        n = len(margins)
        tie_broken = with_tie_break(margins)
        if n == 1:
            return KemenyOrder(np.zeros(1, np.intp), 0.0, 0.0)
        is_small = n <= HELD_KARP_ITEMS and self.exact is not False
        order = (
            best_orders(tie_broken[None])[0] if is_small else search_order(tie_broken, self._n_starts(n), rng, deadline)
        )
        cost = float(order_costs(margins, order[None])[0])
        if is_small:
            return KemenyOrder(order, cost, cost)
        item_limit = EXACT_ITEMS_TIMED if deadline is not None else HELD_KARP_ITEMS if self.quick else EXACT_ITEMS
        if self.exact is False or (self.exact is None and n > item_limit):
            return KemenyOrder(order, cost, 0.0)
        from rankscope.consensus.optimal.cutting_planes import prove_order

        seconds_left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        proof = prove_order(margins, order, seconds_left)
        if proof.cost < cost:
            order = improve_orders(tie_broken, proof.order[None])[0]
        return KemenyOrder(order, proof.cost, proof.bound, stopped=proof.bound < proof.cost)

    def _n_starts(self, n: int) -> int:
        """The number of starts of a search of n items."""
        if self.restarts is not None:
            return self.restarts
        return STARTS_IF_QUICK if self.quick else default_restarts(n)

    def _proof_note(self, best: KemenyOrder, gap: float) -> Note:
        """The note on the proof of an order, or on what is known without one."""
        if best.proved:
            text = "no order has a smaller distance to the voters (proved)"
            return Note(text, text)
        reason = f"found by a search from {pluralise(self._n_starts(best.largest_block), 'start')}, without proof"
        general = "found by a search, without proof that no order has a smaller distance to the voters"
        if best.stopped:
            limit = f"the time limit of {self.time_limit:g} s was" if self.time_limit else "the solver's limits were"
            reason = general = f"{limit} reached before the proof was found"
        percent = np.ceil(1000 * gap) / 10
        return Note(f"{reason}: the smallest possible distance is at most {percent:g} % smaller", general)

    def resampled_scores(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        return ResampledScores(self._scores(votes, weights, rng))

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        return self._scores(votes, weights, None)

    def _scores(self, votes: Votes, weights: Floats, rng: np.random.Generator | None) -> Floats:
        """(draws, items) how many items stand behind each. rng: orders equal items; None: as in the votes."""
        scores = np.empty((len(weights), len(votes.items)))
        is_original = (weights == votes.weights).all(axis=1) & (rng is None)
        n = len(votes.items)
        solve_exactly = n <= EXACT_DRAW_ITEMS and self.exact is not False
        if is_original.any() or not solve_exactly:
            point_scores = self.solve(votes).scores
            scores[is_original] = point_scores
        unit = common_unit(votes.weights, n)
        resampled = np.flatnonzero(~is_original)
        for draws, matrices in preference_matrix_chunks(votes, weights[resampled], self.unranked, HELD):
            margins = np.rint((matrices - matrices.swapaxes(1, 2)) / unit)
            borda_orders = borda_order(margins, rng)
            draw_index = np.arange(len(margins))[:, None, None]
            tie_broken = with_tie_break(margins[draw_index, borda_orders[:, :, None], borda_orders[:, None, :]])
            if solve_exactly:
                orders = best_orders(tie_broken)
            else:
                start_order = np.argsort(-point_scores, kind="stable")
                orders = improve_orders(tie_broken, np.argsort(borda_orders, axis=1)[:, start_order])
            scores[resampled[draws]] = items_behind(np.take_along_axis(borda_orders, orders, axis=1))
        return scores


def shared_ranks(order: Indices, margins: Floats) -> Floats:
    """(items) ranks from 1, where neighbours that are tied with each other one against one share the first of theirs.

    >>> shared_ranks(np.array([2, 0, 1]), np.array([[0.0, 0.0, -1.0], [0.0, 0.0, -1.0], [1.0, 1.0, 0.0]])).tolist()
    [2.0, 2.0, 1.0]
    """
    tied = margins[np.ix_(order, order)] == 0
    ranks, group_start = np.empty(len(order)), 0
    for place in range(len(order)):
        if not tied[place, group_start:place].all():
            group_start = place
        ranks[order[place]] = group_start + 1
    return ranks


def equal_orders_notes(order: Indices, margins: Floats) -> tuple[str, ...]:
    """A note where other orders are as good: counted for few items, else where neighbours or one item could move."""
    n_free = int((margins[order[:-1], order[1:]] == 0).sum())
    if n_free:
        pairs_text = pluralise(n_free, "pair of neighbours", "pairs of neighbours")
        text = "could change places at no cost: other orders are as good as this one"
        return (Note(f"{pairs_text} {text}", f"neighbours {text}"),)
    if len(order) <= HELD_KARP_ITEMS:
        n_others = int(count_best_orders(margins)) - 1
        verb = "is" if n_others == 1 else "are"
        text = f"{pluralise(n_others, 'other order')} {verb} as good as this one" if n_others else ""
    else:
        text = "some items could stand elsewhere at no cost: other orders are as good as this one"
        text *= count_free_moves(margins, order) > 0
    return (Note(text, "other orders are as good"),) if text else ()


class KemenyOrder(NamedTuple):
    """order: the best item first. cost: the margins that it reverses, in units. bound: no order costs less.

    stopped: whether a limit ended the proof. largest_block: number of items in the largest block.
    """

    order: Indices
    cost: float
    bound: float
    stopped: bool = False
    largest_block: int = 0

    @property
    def proved(self) -> bool:
        return self.bound >= self.cost

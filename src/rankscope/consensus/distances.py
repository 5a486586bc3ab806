"""How far an order is from each vote: disagreements over pairs, or places apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.consensus.base import Order
from rankscope.data.rank_list import normalise_ranks
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.errors import InputError
from rankscope.kernels.pairs import count_pairs_by_row
from rankscope.stats.inputs import check_choice
from rankscope.typing import Floats

__all__ = ["vote_distances"]


#: By pairs, and by places.
DISTANCES = ("kendall", "footrule")


def vote_distances(
    order: Order | Sequence[str | Sequence[str]],
    rankings: Any,
    *,
    distance: str = "kendall",
    unranked: str = UNRANKED[0],
) -> Floats:
    """(voters) how far an order is from each vote: 0 where they agree, higher is further apart.

    order: an `Order`, or names, the best first, of which a list within holds tied ones. rankings: what `Votes.of`
    takes, of the same items. distance: "kendall", the pairs that the voter ranked the other way round; a pair that he
    tied costs nothing, one that the order ties but he does not, half. "footrule": by how many places each item is
    away, summed, tied ones at the mean of their places. unranked: places of items that a voter left out; by "ignore"
    they, and pairs with them, cost nothing. Always defined. The sum with the voters' weights is what `kemeny` and
    `footrule` make smallest.

    Raises InputError for votes as `Votes` does, and where the order is not of the same items; ParameterError for
    another `distance` or `unranked`.

    Source: Kendall 1938; Diaconis and Graham 1977; ties by Fagin et al. 2006, with p = 0 and p = 1/2.

    >>> vote_distances(["A", "B", "C"], [["A", "B", "C"], ["C", "B", "A"], ["B", ["A", "C"]]]).tolist()
    [0.0, 3.0, 1.0]
    >>> vote_distances(["A", "B", "C"], [["A", "B", "C"], ["C", "B", "A"]], distance="footrule").tolist()
    [0.0, 4.0]
    """
    check_choice("distance", distance, DISTANCES)
    check_unranked(unranked)
    votes = Votes.of(rankings)
    places = votes.filled(unranked)
    own = np.broadcast_to(places_in_order(order, votes.items), places.shape)
    if distance == "footrule":
        return np.asarray(np.nansum(np.abs(places - own), axis=1))
    found = count_pairs_by_row(own, places)
    return np.asarray(found.discordant + found.tied_x / 2, np.float64)


def places_in_order(order: Order | Sequence[str | Sequence[str]], items: tuple[str, ...]) -> Floats:
    """(items) the places of an order, tied ones at their mean, in the order of the items."""
    if isinstance(order, Order):
        ranks = dict(zip(order.items, order.ranks.tolist(), strict=True))
    else:
        groups = [[one] if isinstance(one, str) else list(one) for one in order]
        ranks = {name: float(i) for i, group in enumerate(groups) for name in group}
        if len(ranks) < sum(map(len, groups)):
            raise InputError("the order holds an item twice; keep one of the two")
    if set(ranks) != set(items):
        odd = sorted(set(ranks) ^ set(items))[0]
        where = "is not in the order" if odd in items else "is in the order, but nobody ranked it"
        raise InputError(f"{odd!r} {where}; expected an order of the items of the votes")
    return np.asarray(normalise_ranks(np.array([[ranks[name] for name in items]]), "middle")[0])

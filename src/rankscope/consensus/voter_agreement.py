"""Agreement of voters: Kendall's W, mean tau of each voter with the others, and distances from an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Order
from rankscope.data.ranking import normalise_ranks
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.errors import InputError
from rankscope.kernels.pairs import count_pairs_by_row
from rankscope.kernels.rounding_ties import SOLVED
from rankscope.stats.concordance import Concordance, concordance_test, mean_taus
from rankscope.stats.inputs import check_choice
from rankscope.typing import Floats

__all__ = [
    "VoterAgreement",
    "agreement_of_voters",
    "vote_distances",
]


#: The note where voters did not rank all items.
UNRANKED_NOTE = (
    "agreement of the voters: items that a voter did not rank count as tied after the ranked ones, so"
    " two voters who ranked the same items agree to some degree even if they order these differently"
)
#: The note where their weights differ.
WEIGHTS_NOTE = "agreement of the voters: each voter counts once, whatever the weight"


@dataclass(frozen=True, eq=False, kw_only=True)
class VoterAgreement:
    """How much voters agree; every voter counts once, whatever the weight.

    Attributes
    ----------
    concordance
        Kendall's W and its test.
    mean_tau
        Mean Kendall's tau-b over all pairs of voters, in [-1, 1].
    with_others
        (voters) mean tau-b of each voter with the others; NaN for a voter who ties all items.
    with_consensus
        (voters) tau-b of each voter with the consensus; NaN for a voter who ties all items.
    most_deviant
        The voter who agrees least with the others, or several in case of a tie; none of two voters, or if all agree
        equally.
    notes
        How unranked items and weights count.
    """

    concordance: Concordance
    mean_tau: float
    with_others: Floats
    with_consensus: Floats
    most_deviant: tuple[str, ...]
    notes: tuple[str, ...] = ()


def agreement_of_voters(
    votes: Votes, consensus: npt.ArrayLike | None = None, *, n_resamples: int = 9999, rng: Any = None
) -> VoterAgreement:
    """Measure how much voters agree with each other, and with a consensus.

    Parameters
    ----------
    votes
        The votes. Unranked items count as tied after the ranked ones, and a note says so.
    consensus
        (items) ranks of the items, the lowest is the best.
    n_resamples
        Number of permutations for the p-value; with 0 it comes from chi-square if it is not exact.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    VoterAgreement
        Kendall's W and tau-b of the voters; every voter counts once.

    Raises
    ------
    ParameterError
        The ranks do not fit the votes, or a value is out of range.

    References
    ----------
    Kendall and Smith (1939) for W; Kendall (1945) for tau-b.

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> found = agreement_of_voters(votes, [1, 2, 3])
    >>> round(found.concordance.w, 4), found.with_consensus.round(4).tolist()
    (0.4444, [1.0, 0.3333, 0.3333])
    """
    places = votes.fill_unranked("average")
    taus = mean_taus(places, consensus)
    notes = [] if votes.complete else [UNRANKED_NOTE]
    if np.ptp(votes.weights) > 0:
        notes.append(WEIGHTS_NOTE)
    return VoterAgreement(
        concordance=concordance_test(places, n_resamples=n_resamples, rng=rng),
        mean_tau=taus.mean,
        with_others=taus.with_others,
        with_consensus=taus.with_reference,
        most_deviant=least_agreeing(votes.voters, taus.with_others),
        notes=tuple(notes),
    )


def least_agreeing(voters: tuple[str, ...], taus: Floats) -> tuple[str, ...]:
    """The voters with the smallest tau; none if all voters are equal, or for two voters."""
    finite_taus = taus[~np.isnan(taus)]
    if len(voters) < 3 or not finite_taus.size or np.ptp(finite_taus) <= SOLVED:
        return ()
    return tuple(voters[i] for i in np.flatnonzero(taus <= finite_taus.min() + SOLVED))


#: Counted by pairs, or by places.
DISTANCES = ("kendall", "footrule")


def vote_distances(
    order: Order | Sequence[str | Sequence[str]],
    rankings: Any,
    *,
    distance: str = "kendall",
    unranked: str = UNRANKED[0],
) -> Floats:
    """Compute the distance of an order from each vote.

    Parameters
    ----------
    order
        An `Order`, or names, the best first; an inner list holds tied names.
    rankings
        Votes on the same items: `Votes`, or what `Votes.of` takes.
    distance
        "kendall" counts the pairs that a voter ranked the other way round; a pair that the voter tied costs nothing, a
        pair that only the order ties costs half. "footrule" sums the differences of places; tied items are at the mean
        of their places.
    unranked
        Places of items that a voter did not rank: "average", "worst" or "optimistic"; with "ignore" they cost nothing.

    Returns
    -------
    Array
        (voters) distances, from 0 (the vote agrees); always defined. `Kemeny` and `Footrule` minimise their weighted
        sums.

    Raises
    ------
    InputError
        The rankings are not valid, see `Votes`, or the order has other items.
    ParameterError
        `distance` or `unranked` is unknown.

    References
    ----------
    Kendall (1938); Diaconis and Graham (1977); ties by Fagin et al. (2006), with p = 0 and p = 1/2.

    Examples
    --------
    >>> vote_distances(["A", "B", "C"], [["A", "B", "C"], ["C", "B", "A"], ["B", ["A", "C"]]]).tolist()
    [0.0, 3.0, 1.0]
    >>> vote_distances(["A", "B", "C"], [["A", "B", "C"], ["C", "B", "A"]], distance="footrule").tolist()
    [0.0, 4.0]
    """
    check_choice("distance", distance, DISTANCES)
    check_unranked(unranked)
    votes = Votes.of(rankings)
    places = votes.fill_unranked(unranked)
    order_places = np.broadcast_to(places_in_order(order, votes.items), places.shape)
    if distance == "footrule":
        return np.asarray(np.nansum(np.abs(places - order_places), axis=1))
    pair_counts = count_pairs_by_row(order_places, places)
    return np.asarray(pair_counts.discordant + pair_counts.tied_x / 2, np.float64)


def places_in_order(order: Order | Sequence[str | Sequence[str]], items: tuple[str, ...]) -> Floats:
    """(items) the places of an order, tied ones at their mean, in the order of the items."""
    if isinstance(order, Order):
        ranks = dict(zip(order.items, order.ranks.tolist(), strict=True))
    else:
        groups = [[entry] if isinstance(entry, str) else list(entry) for entry in order]
        ranks = {name: float(i) for i, group in enumerate(groups) for name in group}
        if len(ranks) < sum(map(len, groups)):
            raise InputError("the order holds an item twice; keep one of the two")
    if set(ranks) != set(items):
        unmatched = sorted(set(ranks) ^ set(items))[0]
        problem = "is not in the order" if unmatched in items else "is in the order, but nobody ranked it"
        raise InputError(f"{unmatched!r} {problem}; expected an order of the items of the votes")
    return np.asarray(normalise_ranks(np.array([[ranks[name] for name in items]]), "middle")[0])

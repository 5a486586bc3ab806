"""How far voters agree: all together, each with the others, and each with the consensus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.votes import Votes
from rankscope.kernels.ties import SOLVED
from rankscope.stats.concordance import Concordance, concordance_test, mean_taus
from rankscope.typing import Floats

__all__ = ["VoterAgreement", "agreement_of_voters"]


#: What is said where voters left items out.
BEHIND = (
    "for the agreement of the voters, items that a voter left out count as tied behind those that he ranked: voters "
    "who know the same items agree by that alone"
)
#: And where they weigh differently.
ONCE = "the agreement of the voters counts each voter once, whatever the weight"


@dataclass(frozen=True, eq=False, kw_only=True)
class VoterAgreement:
    """How far voters agree; every voter counts once, whatever the weight.

    concordance: Kendall's W and its test. mean_tau: of all pairs of voters, Kendall's tau-b, in [-1, 1]. with_others:
    (voters) the mean of each with the others; with_consensus: that with the consensus. NaN for a voter who ties all.
    most_deviant: who agrees least with the others; several where they agree equally little, none of two voters, where
    all do, or where nobody tells items apart. notes: how items that were left out count.
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
    """How far voters agree with each other, and with a consensus.

    consensus: (items) ranks of which the lowest is the best. n_resamples, rng: of the permutations
    behind the p-value; 0: by chi-square where it is not exact. Items that a
    voter left out count as tied behind those that he ranked, and a note says so. Every voter counts once. What is
    undefined: see `VoterAgreement`. Raises ParameterError for ranks that do not fit, and for values out of range.

    Source: Kendall and Smith (1939) for W; Kendall (1945) for tau-b.

    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> found = agreement_of_voters(votes, [1, 2, 3])
    >>> round(found.concordance.w, 4), found.with_consensus.round(4).tolist()
    (0.4444, [1.0, 0.3333, 0.3333])
    """
    places = votes.filled("average")
    taus = mean_taus(places, consensus)
    notes = [] if votes.complete else [BEHIND]
    if np.ptp(votes.weights) > 0:
        notes.append(ONCE)
    return VoterAgreement(
        concordance=concordance_test(places, n_resamples=n_resamples, rng=rng),
        mean_tau=taus.mean,
        with_others=taus.with_others,
        with_consensus=taus.with_reference,
        most_deviant=least_of(votes.voters, taus.with_others),
        notes=tuple(notes),
    )


def least_of(voters: tuple[str, ...], taus: Floats) -> tuple[str, ...]:
    """Who has the least tau; none where that tells nobody from the rest."""
    there = taus[~np.isnan(taus)]
    if len(voters) < 3 or not there.size or np.ptp(there) <= SOLVED:
        return ()
    return tuple(voters[i] for i in np.flatnonzero(taus <= there.min() + SOLVED))

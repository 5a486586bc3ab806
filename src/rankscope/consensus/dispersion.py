"""Mallows' model: a centre, and how closely the votes lie around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note, Order, ResampledScores, Solution
from rankscope.consensus.optimal import Kemeny
from rankscope.consensus.swaps import law_of_distance, log_normaliser, moments_of_distance, theta_of_mean
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.data.wording import format_p_value
from rankscope.errors import ParameterError
from rankscope.kernels.pairs import count_pairs_by_row
from rankscope.stats.distributions import special
from rankscope.typing import Floats

__all__ = ["Mallows", "mallows"]

Weights = Sequence[float] | Mapping[str, float] | None

#: The least number of votes expected in a cell of the chi-square test, and a p-value that speaks against the model.
EXPECTED, LEVEL = 5.0, 0.05


class MallowsFit(NamedTuple):
    """theta and its standard error; the mean distance observed and expected; the log-likelihood of the votes."""

    theta: float
    error: float
    observed: float
    expected: float
    loglikelihood: float


@dataclass(frozen=True, kw_only=True)
class Mallows(Method):
    """Mallows' model; scores are how many items stand behind in the centre, as `mallows` says."""

    name: ClassVar[str] = "mallows"
    work = "search"
    meaning: ClassVar[str] = "how many items stand behind in the centre; not how sure that is"
    unranked: str = UNRANKED[0]
    center: tuple[str, ...] | None = None
    time_limit: float | None = None
    #: Whether the centre is sought as one of many. Set by `for_many`.
    one_of_many: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        check_unranked(self.unranked, UNRANKED[:3])
        self.kemeny()

    def kemeny(self) -> Method:
        found = Kemeny(unranked=self.unranked, time_limit=self.time_limit)
        return found.for_many()[0] if self.one_of_many else found

    def for_many(self) -> tuple[Method, str]:
        if self.center is not None or self.time_limit is not None:
            return self, ""
        found = replace(self)
        found.__dict__["one_of_many"] = True
        return found, Kemeny().for_many()[1]

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        if self.center is None:
            return self.kemeny().scores(votes, weights)
        return np.repeat(len(votes.items) - places_in(self.center, votes)[None], len(weights), axis=0)

    def drawn(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        return super().drawn(votes, weights, rng) if self.center else self.kemeny().drawn(votes, weights, rng)

    def solve(self, votes: Votes) -> Solution:
        if self.center is None:
            found = self.kemeny().solve(votes)
        else:
            found = Solution(self.scores(votes, votes.weights[None])[0])
        places = votes.ranks.shape[1] - found.scores  # Kemeny's orders are strict
        distances = distances_from(places, votes.filled(self.unranked))
        fit = fit_theta(distances, votes.weights, places.size)
        details = {
            **found.details,
            "theta": fit.theta,
            "standard error of theta": fit.error,
            "mean distance": fit.observed,
            "expected distance": fit.expected,
            "distance of random orders": places.size * (places.size - 1) / 4,
            "log-likelihood": fit.loglikelihood,
        }
        notes = [*found.notes, *fit_notes(fit, self.center is None)]
        if np.isfinite(fit.theta):
            more, said = chi_square_test(distances, votes.weights, places.size, fit.theta)
            details |= more
            notes += said
        return found._replace(notes=tuple(notes), details=details)


def mallows(
    rankings: Any,
    *,
    weights: Weights = None,
    center: Sequence[str] | None = None,
    unranked: str = UNRANKED[0],
    time_limit: float | None = None,
) -> Order:
    """The centre of the votes by Mallows' model, and theta: how closely they lie around it.

    A vote is exp(-theta) times as likely for each pair of items that it orders against the centre: at theta 0 all
    orders are equally likely, and the larger theta, the more alike are the votes. The most likely centre is Kemeny's
    order; theta is the value whose mean distance is that of the votes. Scores are how many items stand behind in the
    centre, from 0 to items - 1, higher is better.

    rankings: what `Votes.of` takes. weights: how much each voter counts. center: the items, the best first, where it is
    known beforehand. Ties: each tied pair is half against the centre, which is the mean over the orders of tied items,
    so that theta is that of the mean log-likelihood. unranked: such items are tied behind the ranked ones, whichever of
    "average", "worst" and "optimistic" is given; "ignore" is refused, since distances would be of different lists.
    time_limit: seconds, as `Kemeny` takes them.

    details: those of Kemeny's order, where no centre is given; theta, in [0, infinity]; its standard error by the
    information, for a known centre (NaN where theta is 0 or infinite); the mean distance of the votes, the one expected
    at theta (the same, unless theta is 0) and that of random orders; the log-likelihood; where all votes are full and
    strict and count 1, and there are enough of them, "chi-square", "degrees of freedom" and "p-value of fit": the
    distances against their exact distribution, in cells of at least 5 expected votes. The centre counts as known: where
    it was found from few votes they lie closer to it than to the true one, and theta is too large.

    Raises InputError as `Votes.of`, ParameterError for a centre that does not hold every item once, and what Kemeny's
    method raises. Source: Mallows (1957); Fligner and Verducci (1986), Distance based ranking models, section 2.

    >>> found = mallows([["A", "B", "C"], ["A", "B", "C"], ["B", "A", "C"]], center=["A", "B", "C"])
    >>> round(found.details["theta"], 4), round(found.details["mean distance"], 4)
    (1.778, 0.3333)
    """
    votes = Votes.of(rankings, weights=weights)
    method = Mallows(unranked=unranked, center=None if center is None else tuple(center), time_limit=time_limit)
    return method.order(votes)


def places_in(center: tuple[str, ...], votes: Votes) -> Floats:
    if len(center) != len(votes.items) or set(center) != set(votes.items):
        raise ParameterError(f"a centre of {len(center)} items, expected each of the {len(votes.items)} items once")
    place = {item: i + 1.0 for i, item in enumerate(center)}
    return np.array([place[item] for item in votes.items])


def distances_from(center: Floats, places: Floats) -> Floats:
    """(voters) how many pairs each has against the centre; tied ones half."""
    pairs = count_pairs_by_row(np.broadcast_to(center, places.shape), places)
    return np.asarray(pairs.discordant + pairs.tied_y / 2)


def fit_theta(distances: Floats, weights: Floats, items: int) -> MallowsFit:
    """Theta by maximum likelihood: an exponential family, whose mean distance is that of the votes."""
    total, shares = float(weights.sum()), weights / weights.max()
    observed = float(shares @ distances) / float(shares.sum())
    theta = theta_of_mean(items, observed)
    if theta == np.inf:
        return MallowsFit(theta, np.nan, observed, 0.0, 0.0)
    expected, variance = moments_of_distance(items, theta)
    voters = float(shares.sum()) ** 2 / float(shares @ shares)  # as many of equal weight say as much
    error = 1 / float(np.sqrt(voters * variance)) if theta > 0 else np.nan
    return MallowsFit(theta, error, observed, expected, -total * (theta * observed + log_normaliser(items, theta)))


def fit_notes(fit: MallowsFit, found: bool) -> tuple[str, ...]:
    if fit.theta == np.inf:
        return (general_note("all votes are the centre: theta is infinite"),)
    if fit.theta == 0:
        return (general_note("the votes lie no closer to the centre than random orders would: theta is 0"),)
    if not found:
        return ()
    return (general_note("the standard error of theta takes the centre for known; it was found from the same votes"),)


def general_note(said: str) -> Note:
    return Note(said, said)


def chi_square_test(
    distances: Floats, weights: Floats, items: int, theta: float
) -> tuple[dict[str, float], tuple[str, ...]]:
    """The chi-square test of the distances, where there is one."""
    if (weights != 1).any() or (distances % 1 != 0).any():
        return {}, (general_note("no test of fit: it needs votes without ties that rank all items and count 1 each"),)
    law = law_of_distance(items, theta)
    expected, observed = pool_cells(law * distances.size, np.bincount(distances.astype(np.int64), minlength=law.size))
    freedom = expected.size - 1 - (theta > 0)
    if freedom < 1:
        return {}, (Note(f"no test of fit: {distances.size} votes are too few", "no test of fit: votes are too few"),)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    pvalue = float(special().chdtrc(freedom, statistic))
    said = f"(chi-square {statistic:.2f} with {freedom}, p {format_p_value(pvalue)})"
    note = (
        f"Mallows' model does not describe the distances of these votes well {said}"
        if pvalue < LEVEL
        else f"the distances of the votes depart from Mallows' model no more than by chance {said}"
    )
    return {"chi-square": statistic, "degrees of freedom": float(freedom), "p-value of fit": pvalue}, (Note(note),)


def pool_cells(expected: Floats, observed: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Neighbouring cells together until each expects enough; what is left at the end joins the last."""
    cells: list[list[float]] = [[0.0, 0.0]]
    for one in zip(expected.tolist(), observed.tolist(), strict=True):
        if cells[-1][0] >= EXPECTED:
            cells.append([0.0, 0.0])
        cells[-1] = [a + b for a, b in zip(cells[-1], one, strict=True)]
    if len(cells) > 1 and cells[-1][0] < EXPECTED:
        rest = cells.pop()
        cells[-1] = [a + b for a, b in zip(cells[-1], rest, strict=True)]
    table = np.array(cells)
    return table[:, 0], table[:, 1]

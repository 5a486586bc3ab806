"""Plackett and Luce's model as a method of consensus: the order by worth, and whether the model describes the votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Note, Order, ResampledScores, Solution
from rankscope.consensus.luce import SLIGHT_PRIOR, fit_plackett_luce
from rankscope.consensus.misfit import plackett_luce_misfit
from rankscope.consensus.mixing import TINY, connected
from rankscope.consensus.stages import slope, stages_of
from rankscope.consensus.weight_unit import check_prior, floored
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.data.wording import format_p_value, pluralise
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_count, check_positive
from rankscope.typing import Floats

__all__ = ["PlackettLuce", "plackett_luce"]

Weights = Sequence[float] | Mapping[str, float] | None


@dataclass(frozen=True, kw_only=True)
class PlackettLuce(Method):
    """Plackett-Luce; scores are log-worths of mean 0, as `plackett_luce` says."""

    name: ClassVar[str] = "plackett-luce"
    work = "fit"
    meaning: ClassVar[str] = "log-worths of mean 0; one more by 0.69 (log 2): twice as likely to be chosen"
    least_range: ClassVar[float] = 1.0
    unranked: str = UNRANKED[0]
    prior: float = 0.0

    def __post_init__(self) -> None:
        check_unranked(self.unranked)
        check_positive("prior", self.prior, zero=True)

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        check_prior(votes.weights, self.prior)
        unit = float(votes.weights.max())  # only proportions count, and squares of weights are to stay numbers
        proportions = floored(weights / unit, weights)
        return fit_plackett_luce(votes, proportions, unranked=self.unranked, prior=self.prior / unit)

    def drawn(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        found = self.scores(votes, weights)
        good = self.prior > TINY * weights.sum(axis=1)
        if not good.all():
            good |= connected(votes, weights, self.unranked == "ignore")
        return ResampledScores(found, int(np.count_nonzero(~good)))

    def said_of_draws(self, odd: int, draws: int) -> str:
        return (
            f"in {odd:,} of {pluralise(draws, 'draw')} of the voters an item is always, or never, above others, so that "
            f"no worths are most likely; there a prior of {SLIGHT_PRIOR:g} orders the items"
        )

    def solve(self, votes: Votes) -> Solution:
        found = self.scores(votes, votes.weights[None])
        stages = stages_of(votes.places, subsets=self.unranked == "ignore")
        none = np.zeros(1)
        of_fit = float(slope(stages, found, votes.weights[None], none)[0][0])
        of_chance = float(slope(stages, np.zeros_like(found), votes.weights[None], none)[0][0])
        gain, freedom = 2 * (of_fit - of_chance), len(votes.items) - 1
        details = {
            "log-likelihood": of_fit,
            "log-likelihood of random orders": of_chance,
            "pseudo R2": 1 - of_fit / of_chance if of_chance else 0.0,
            "likelihood ratio": gain,
            "degrees of freedom": float(freedom),
        }
        notes: tuple[str, ...] = ()
        if not np.ptp(votes.weights) and votes.weights[0] == 1 and not self.prior:
            pvalue = float(special().chdtrc(freedom, max(gain, 0.0)))
            details["p-value of equal worths"] = pvalue
            notes = (
                Note(
                    f"were all votes in random order, worths would differ as much or more with p {format_p_value(pvalue)}"
                ),
            )
        return Solution(found[0], notes, details)


def plackett_luce(
    rankings: Any,
    *,
    weights: Weights = None,
    unranked: str = UNRANKED[0],
    prior: float = 0.0,
    n_resamples: int = 0,
    rng: Any = None,
) -> Order:
    """The order of the items by worth in Plackett and Luce's model; scores are log-worths of mean 0, higher is better.

    A voter takes the first item with a chance that is its worth over the sum of all worths, the next so of those left,
    and so on; the worths are those under which the votes are most likely. A difference of two scores is the log of the
    odds that one stands above the other.

    rankings: what `Votes.of` takes. weights: how much each voter counts. unranked: by "ignore" a voter chose among
    the items that he ranked; by any other word among all, and stopped where his list ends (a top list), so that what he
    left out is behind, not ordered. prior: so many wins and losses of each item against an imagined average one; where
    an item always (or never) stands above others there are no worths without it. Ties are averages over the orders of
    the tied items, by Efron's approximation; two tied items have half a win each.
    n_resamples: above 0, rankings are drawn so often from the fitted model, with rng, to see whether it describes the
    votes (`plackett_luce_misfit`).

    details: log-likelihood, that of random orders, 1 less their quotient (pseudo R2, in [0, 1) without a prior), twice
    their difference (likelihood ratio) with its degrees of freedom and, where each vote counts 1 and there is no prior,
    its chi-square p-value; "misfit" and "p-value of fit" where resamples are asked for.
    Raises InputError as `Votes.of`, and where there is no maximum, naming the parts of the items that no votes mix;
    ParameterError for a prior below 0.
    Source: Plackett (1975); Luce (1959); Hunter (2004); Efron (1977) on ties. Agrees with choix 0.4.1 without ties.

    >>> found = plackett_luce([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"], ["C", "A", "B"]])
    >>> found.order, round(found["A"] - found["C"], 4)  # log(1 + sqrt(5))
    (('A', 'B', 'C'), 1.1744)
    """
    check_count("n_resamples", n_resamples, 0)
    votes = Votes.of(rankings, weights=weights)
    found = PlackettLuce(unranked=unranked, prior=prior).order(votes)
    if not n_resamples:
        return found
    misfit = plackett_luce_misfit(votes, found.scores, unranked=unranked, prior=prior, n_resamples=n_resamples, rng=rng)
    details = {**found.details, "misfit": misfit.statistic, "p-value of fit": misfit.pvalue}
    return replace(found, details=details, notes=(*found.notes, misfit.note))

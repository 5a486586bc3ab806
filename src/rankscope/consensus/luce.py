"""Worths of items from rankings: the fit of Plackett and Luce's model, for one set of weights or many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.consensus.ascent import maximise
from rankscope.consensus.choices import ChoiceSets, choice_sets_of
from rankscope.consensus.mixing import TINY, connected, pairs_above, refuse_unconnected
from rankscope.consensus.stages import NUMBERS, ChoiceStages, curvature, prior_curvature, slope, stages_of
from rankscope.data.votes import Votes, check_unranked
from rankscope.errors import InputError
from rankscope.stats.inputs import check_positive
from rankscope.typing import Bools, Floats, Ints

__all__ = ["SLIGHT_PRIOR", "LuceModel", "fit_plackett_luce", "fit_stages", "plackett_luce_covariance"]


#: The prior of resamples that have no maximum without one.
SLIGHT_PRIOR = 1e-3
#: Fits go on until slopes are below this share of the weight of all voters, and are done below the other.
CLOSE, FLAT = 1e-11, 1e-8
#: Log-worths are all one that differ by less.
NOISE = 1e-8
#: To a fit, a prior is at most so many times as great as the weight of all voters.
HUGE = 1e9
#: Fits that start again from where they came to, with the curvature there.
ROUNDS = 6


def fit_plackett_luce(votes: Votes, weights: Floats, *, unranked: str = "average", prior: float = 0.0) -> Floats:
    """(draws, items) log-worths of mean 0 in each row, higher is better, for each row of weights, (draws, voters).

    The chance that a voter puts an item first among those left is its worth over the sum of theirs. unranked: by
    "ignore" a voter chose among those that he ranked; by any other word among all, and stopped where his list ends.
    Ties: as averages over the orders of tied items (Efron's approximation; half a win for each of two). prior: so many
    wins and as many losses of each item against an imagined one of average log-worth; with it a maximum always exists,
    unless it is below 1e-9 of the weight of all voters: it is then too weak to be told from none, as is such a voter.

    A row in which some item was never (or always) above others has no maximum; where the votes as a whole have one,
    such a row takes the prior 0.001: its worths lie far apart and are in the right order.
    Raises InputError where the votes of a positive weight in any row have no maximum and prior is 0, naming the parts
    that were never mixed; ParameterError for a prior below 0.
    Source: Plackett (1975); Luce (1959); existence: Ford (1957), Hunter (2004), MM algorithms for generalized
    Bradley-Terry models, assumption 1; ties: Efron (1977). Agrees with choix 0.4.1 (`opt_rankings`) without ties.

    >>> votes = Votes.of([["A", "B"], ["A", "B"], ["B", "A"]])
    >>> worths = np.exp(fit_plackett_luce(votes, votes.weights[None])[0])
    >>> round(float(worths[0] / worths[1]), 6)  # A won two of three
    2.0
    """
    check_unranked(unranked)
    check_positive("prior", prior, zero=True)
    weights = np.atleast_2d(np.asarray(weights, np.float64))
    model = LuceModel.of(votes, unranked, prior)
    model.refuse_unsolvable(weights.max(axis=0))
    middle = np.asarray(weights.mean(axis=0))
    best = model.best(middle)
    if len(weights) == 1:
        return best[None]
    priors = np.where(model.solvable(weights), float(prior), SLIGHT_PRIOR)
    return model.fits(weights, best, middle, priors)


@dataclass(frozen=True, eq=False)
class LuceModel:
    """Votes made ready for many fits to resamples of them. terms: what the likelihood is computed from. above: sparse,
    which voter put which item above which, None where that would be too much to hold.
    """

    votes: Votes
    subsets: bool
    prior: float
    terms: ChoiceStages | ChoiceSets
    above: Any

    @classmethod
    def of(cls, votes: Votes, unranked: str, prior: float) -> LuceModel:
        """Parameters as `fit_plackett_luce`."""
        subsets = unranked == "ignore"
        stages = stages_of(votes.places, subsets=subsets)
        return cls(votes, subsets, float(prior), choice_sets_of(stages) or stages, pairs_above(votes, subsets))

    @property
    def quick(self) -> bool:
        """Whether equal choices are brought together; else each fit takes sums over all votes."""
        return isinstance(self.terms, ChoiceSets)

    def solvable(self, weights: Floats) -> Bools:
        """(draws) whether worths exist that are most likely. weights: (draws, voters)."""
        held: Bools = np.asarray(self.prior > TINY * weights.sum(axis=1))
        if not held.all():
            held |= connected(self.votes, weights, self.subsets, self.above)
        return held

    def refuse_unsolvable(self, weights: Floats) -> None:
        """Raises InputError where no worths are most likely. weights: (voters)."""
        if not self.prior > TINY * weights.sum():
            refuse_unconnected(self.votes, weights, self.subsets)

    def best(self, weights: Floats) -> Floats:
        """(items) log-worths for one row of weights, (voters), which has a maximum."""
        start = np.zeros((1, len(self.votes.items)))
        return np.asarray(without_rounding(fit_stages(self.terms, weights[None], np.array([self.prior]), start))[0])

    def fits(self, weights: Floats, near: Floats, typical: Floats, priors: Floats | None = None) -> Floats:
        """(draws, items) the same of many rows, each with a maximum: near (items), the fit to the weights `typical`."""
        priors = np.full(len(weights), self.prior) if priors is None else priors
        start = np.repeat(near[None], len(weights), axis=0)
        # A power of two, 1 where voters weigh about alike: by it, all rows are about as steep as the typical one.
        size = np.exp2(np.clip(np.rint(np.log2(weights.sum(axis=1)) - np.log2(typical.sum())), -900, 900))
        priors = np.minimum(priors / size, HUGE * typical.sum())
        return without_rounding(fit_stages(self.terms, weights / size[:, None], priors, start, typical))


def without_rounding(found: Floats) -> Floats:
    """Where all are alike, what rounding leaves would be an order."""
    found[np.ptp(found, axis=1) < NOISE] = 0.0
    found[np.abs(found) < NOISE] = 0.0
    return found


def fit_stages(
    stages: ChoiceStages | ChoiceSets, weights: Floats, priors: Floats, start: Floats, typical: Floats | None = None
) -> Floats:
    """The fits of `fit_plackett_luce`, once it is known that there are any.

    start: (draws, items), the first of which says, with the weights `typical`, how curved the likelihoods are. Where a
    fit does not end, it goes on alone with its own curvature.
    """
    found = np.asarray(start - start.mean(axis=1, keepdims=True), np.float64)
    typical = weights[0] if typical is None else typical
    at_once = max(4 * NUMBERS // start.shape[1] ** 2, 1)
    if isinstance(stages, ChoiceSets):
        at_once = min(at_once, max(NUMBERS // stages.width, 1))
    open_ = np.arange(len(start))
    for round_ in range(ROUNDS):
        step = 1 if round_ else at_once
        left = [
            raise_likelihoods(stages, found, weights, priors, rows, weights[rows[0]] if round_ else typical)
            for rows in (open_[first : first + step] for first in range(0, open_.size, step))
        ]
        open_ = np.concatenate(left)
        if not open_.size:
            return found
    raise InputError(
        f"the worths of {open_.size} of {len(start)} fits did not settle; pass a prior above 0, as 0.5, which keeps "
        "them from running away"
    )


def raise_likelihoods(
    stages: ChoiceStages | ChoiceSets, found: Floats, weights: Floats, priors: Floats, rows: Ints, by: Floats
) -> Ints:
    """The rows that are not at their maximum yet, once all were led on; found: changed in place."""
    first = rows[0]
    if isinstance(stages, ChoiceSets):
        height, curved = stages.height(weights[rows], priors[rows]), stages.curvature(found[first], by)
    else:
        height = likelihood_function(stages.part(rows), weights[rows], priors[rows])
        curved = curvature(stages.part(rows[:1]), found[first], by)
    known = curved + prior_curvature(found[first], priors[first])
    inverse = np.asarray(np.linalg.pinv(known, rcond=1e-12, hermitian=True))
    total = weights[rows].sum(axis=1)
    at, steep = maximise(height, found[rows], inverse, CLOSE * total)
    found[rows] = at - at.mean(axis=1, keepdims=True)
    return np.asarray(rows[steep > FLAT * total])


def likelihood_function(
    stages: ChoiceStages, weights: Floats, priors: Floats
) -> Callable[[Ints, Floats], tuple[Floats, Floats]]:
    """What `maximise` climbs, by running sums over the votes."""

    def found(some: Ints, at: Floats) -> tuple[Floats, Floats]:
        return slope(stages.part(some), at, weights[some], priors[some])

    return found


def plackett_luce_covariance(
    votes: Votes,
    weights: Floats | None = None,
    *,
    log_worths: Floats | None = None,
    unranked: str = "average",
    prior: float = 0.0,
) -> Floats:
    """(items, items) the covariance of the log-worths by the information matrix; each row adds up to 0.

    weights: (voters), those of the votes where none are given. log_worths: (items) the fit, where it is at hand. The
    inverse is taken of minus the second derivatives of the log-likelihood, prior included, among log-worths of mean 0.
    It takes voters as independent, each counting as often as his weight says; it says little of few voters.
    The variance of a difference is cov[i, i] + cov[j, j] - 2 cov[i, j]. Raises as `fit_plackett_luce`.

    >>> votes = Votes.of([["A", "B"], ["A", "B"], ["B", "A"]])
    >>> cov = plackett_luce_covariance(votes)
    >>> round(float(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]), 6)  # 1 / (3 * 2/3 * 1/3), as of a log-odds
    1.5
    """
    by = votes.weights if weights is None else np.asarray(weights, np.float64)
    if log_worths is None:
        log_worths = fit_plackett_luce(votes, by[None], unranked=unranked, prior=prior)[0]
    stages = stages_of(votes.places, subsets=unranked == "ignore")
    found = curvature(stages, log_worths, by) + prior_curvature(log_worths, prior)
    return np.asarray(np.linalg.pinv(found, rcond=1e-13, hermitian=True))

"""Worths of items from rankings: the fit of Plackett and Luce's model, for one set of weights or many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.consensus.ascent import climb
from rankscope.consensus.stages import NUMBERS, Stages, curvature, prior_curvature, slope, stages_of
from rankscope.data.votes import Votes, check_unranked
from rankscope.data.wording import listed
from rankscope.errors import InputError
from rankscope.stats.inputs import check_positive

__all__ = ["SLIGHT", "beaten_by", "fit_plackett_luce", "fit_stages", "plackett_luce_covariance", "refuse_unconnected"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: The prior of resamples that have no maximum without one.
SLIGHT = 1e-3
#: Fits go on until slopes are below this share of the weight of all voters, and are done below the other.
CLOSE, FLAT = 1e-11, 1e-8
#: Log-worths are all one that differ by less.
NOISE = 1e-8
#: Fits that start again from where they came to, with the curvature there.
ROUNDS = 6
#: Parts of the items that a message names.
NAMED = 4


def fit_plackett_luce(votes: Votes, weights: Floats, *, unranked: str = "average", prior: float = 0.0) -> Floats:
    """(draws, items) log-worths of mean 0 in each row, higher is better, for each row of weights, (draws, voters).

    The chance that a voter puts an item first among those left is its worth over the sum of theirs. unranked: by
    "ignore" a voter chose among those that he ranked; by any other word among all, and stopped where his list ends.
    Ties: as averages over the orders of tied items (Efron's approximation; half a win for each of two). prior: so many
    wins and as many losses of each item against an imagined one of average log-worth; above 0, a maximum always exists.

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
    subsets = unranked == "ignore"
    weights = np.atleast_2d(np.asarray(weights, np.float64))
    priors = np.full(len(weights), float(prior))
    if not prior:
        refuse_unconnected(votes, weights.max(axis=0), subsets)
        priors[~connected(votes, weights, subsets)] = SLIGHT
    stages = stages_of(votes.places, subsets=subsets)
    middle = np.asarray(weights.mean(axis=0))[None]
    best = fit_stages(stages, middle, np.array([float(prior)]), np.zeros((1, len(votes.items))))
    found = best
    if len(weights) > 1:
        found = fit_stages(stages, weights, priors, np.repeat(best, len(weights), axis=0), middle[0])
    found[np.ptp(found, axis=1) < NOISE] = 0.0  # all alike: what rounding leaves would be an order
    return found


def fit_stages(stages: Stages, weights: Floats, priors: Floats, start: Floats, typical: Floats | None = None) -> Floats:
    """The fits of `fit_plackett_luce`, once it is known that there are any.

    start: (draws, items), the first of which says, with the weights `typical`, how curved the likelihoods are. Where a
    fit does not end, it goes on alone with its own curvature.
    """
    found = np.asarray(start - start.mean(axis=1, keepdims=True), np.float64)
    typical = weights[0] if typical is None else typical
    at_once = max(4 * NUMBERS // start.shape[1] ** 2, 1)
    open_ = np.arange(len(start))
    for round_ in range(ROUNDS):
        step = 1 if round_ else at_once
        left = [
            raised(stages, found, weights, priors, rows, weights[rows[0]] if round_ else typical)
            for rows in (open_[first : first + step] for first in range(0, open_.size, step))
        ]
        open_ = np.concatenate(left)
        if not open_.size:
            return found
    raise InputError(
        f"the worths of {open_.size} of {len(start)} fits did not settle; pass a prior above 0, as 0.5, which keeps "
        "them from running away"
    )


def raised(stages: Stages, found: Floats, weights: Floats, priors: Floats, rows: Ints, by: Floats) -> Ints:
    """The rows that are not at their maximum yet, once all were led on; found: changed in place."""
    first, mine = rows[0], stages.part(rows)

    def height(some: Ints, at: Floats) -> tuple[Floats, Floats]:
        return slope(mine.part(some), at, weights[rows[some]], priors[rows[some]])

    known = curvature(stages.part(rows[:1]), found[first], by) + prior_curvature(found[first], priors[first])
    inverse = np.asarray(np.linalg.pinv(known, rcond=1e-12, hermitian=True))
    total = weights[rows].sum(axis=1)
    at, steep = climb(height, found[rows], inverse, CLOSE * total)
    found[rows] = at - at.mean(axis=1, keepdims=True)
    return np.asarray(rows[steep > FLAT * total])


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


def beaten_by(votes: Votes, weights: Floats, subsets: bool) -> npt.NDArray[np.float32]:
    """(draws, items, items) above 0 where some voter put the item of the row above that of the column, or level."""
    places = np.where(np.isnan(votes.places), np.nan if subsets else np.inf, votes.places)
    n = places.shape[1]
    found = np.zeros((len(weights), n * n), np.float32)
    step = max(NUMBERS // (n * n), 1)
    for start in range(0, len(places), step):
        some = places[start : start + step]
        above = (some[:, :, None] <= some[:, None, :]) & np.isfinite(some[:, :, None])
        found += (weights[:, start : start + step] > 0).astype(np.float32) @ above.reshape(len(some), -1)
    return found.reshape(-1, n, n)


def connected(votes: Votes, weights: Floats, subsets: bool) -> Bools:
    """(draws) whether each item was above each other one, directly or through others."""
    n = len(votes.items)
    found = np.empty(len(weights), np.bool_)
    step = max(4 * NUMBERS // (n * n), 1)
    for start in range(0, len(weights), step):
        above = beaten_by(votes, weights[start : start + step], subsets)
        good = np.ones(len(above), np.bool_)
        for matrix in (above, above.transpose(0, 2, 1)):
            reached = np.zeros((len(above), 1, n), np.float32)
            reached[:, :, 0] = 1
            for _ in range(n):
                more = np.minimum(reached + reached @ matrix, 1)
                if (more > 0).sum() == (reached > 0).sum():
                    break
                reached = more
            good &= (reached > 0).all(axis=(1, 2))
        found[start : start + step] = good
    return found


def refuse_unconnected(votes: Votes, weights: Floats, subsets: bool) -> None:
    """Raises InputError with the parts of the items of which one was never above the other."""
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]  # slow to load

    above = beaten_by(votes, weights[None], subsets)[0] > 0
    n_parts, part = connected_components(above, directed=True, connection="strong")
    if n_parts == 1:
        return
    strength = [float(above[part == one].sum(axis=1).mean()) for one in range(n_parts)]
    by_strength = sorted(range(n_parts), key=lambda one: -strength[one])
    names = ["{" + listed([votes.items[i] for i in np.flatnonzero(part == one)]) + "}" for one in by_strength]
    raise InputError(
        f"the items fall into {n_parts} parts that no voter mixes ({listed(names, NAMED)}): of any two parts one "
        "is never above the other, so that no worths are most likely; pass a prior above 0, as 0.5, or leave items out"
    )

"""Plackett and Luce's model of rankings: worths of items, whether they exist, a test of fit, random rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note, ResampledScores, Solution, VoterWeights
from rankscope.consensus.models.bfgs import maximise
from rankscope.consensus.models.plackett_luce_likelihood import (
    NUMBERS,
    ChoiceSets,
    ChoiceStages,
    choice_sets_of,
    curvature,
    prior_curvature,
    slope,
    stages_of,
)
from rankscope.consensus.models.weight_unit import check_prior, in_weight_units, keep_positive, weight_unit
from rankscope.consensus.pairwise import refuse_items
from rankscope.consensus.parameters import prior_field, unranked_field
from rankscope.data.text import format_p_value, join_names, pluralise
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.rounding_ties import SOLVED
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator, check_count, is_real
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "SLIGHT_PRIOR",
    "TINY",
    "LuceModel",
    "Misfit",
    "PlackettLuce",
    "connected",
    "fit_plackett_luce",
    "fit_stages",
    "luce_places",
    "pairs_above",
    "refuse_unconnected",
    "sample_plackett_luce",
    "scale_votes",
    "summed_wins",
]


#: The most pairs of all voters in memory.
MAX_PAIRS = 1 << 23
#: A voter or a prior of at most this share of the total weight does not connect items: it is below the tolerance of
#: slopes.
TINY = 1e-9
#: The most parts of the items that a message names.
PARTS_LISTED = 4


def pairs_above(votes: Votes, subsets: bool) -> Any:
    """Sparse (items * items, voters) 1 where the voter ranked the item of the row above that of the column, or tied.

    None where this would have more than MOST entries.
    """
    from scipy.sparse import csc_array

    n_voters, n = votes.ranks.shape
    n_ranked = (~np.isnan(votes.ranks)).sum(axis=1)
    if int((n_ranked * (n_ranked if subsets else n)).sum()) > MAX_PAIRS:
        return None
    codes, lengths = [], []
    for start in range(0, n_voters, max(NUMBERS // (n * n), 1)):
        above = is_above(votes, slice(start, start + max(NUMBERS // (n * n), 1)), subsets)
        voter, code = np.nonzero(above)
        codes.append(code)
        lengths.append(np.bincount(voter, minlength=len(above)))
    code = np.concatenate(codes)
    offsets = np.append(0, np.cumsum(np.concatenate(lengths)))
    return csc_array((np.ones(code.size, np.float32), code, offsets), shape=(n * n, n_voters)).tocsr()


def is_above(votes: Votes, voters: slice, subsets: bool) -> Bools:
    """(voters, items * items) whether the voter ranks the item of the row above that of the column, or ties them."""
    places = votes.places[voters]
    places = np.where(np.isnan(places), np.nan if subsets else np.inf, places)
    above = (places[:, :, None] <= places[:, None, :]) & np.isfinite(places[:, :, None])
    return np.asarray(above.reshape(len(places), -1))


def counted_voters(weights: Floats) -> Bools:
    """(draws, voters) whether the voter's weight is more than negligible."""
    return np.asarray(weights > TINY * weights.sum(axis=1, keepdims=True))


def summed_wins(votes: Votes, weights: Floats, subsets: bool) -> npt.NDArray[np.float32]:
    """(draws, items, items) above 0 where a counted voter ranks the row's item above the column's, or ties them."""
    n_voters, n = votes.ranks.shape
    refuse_items(n)
    above = np.zeros((len(weights), n * n), np.float32)
    step, counts = max(NUMBERS // (n * n), 1), counted_voters(weights).astype(np.float32)
    for start in range(0, n_voters, step):
        block = slice(start, start + step)
        above += counts[:, block] @ is_above(votes, block, subsets)
    return above.reshape(-1, n, n)


def connected(votes: Votes, weights: Floats, subsets: bool, pairs: Any = None) -> Bools:
    """(draws) whether each item was above each other one, directly or through others. pairs: of `pairs_above`."""
    n = len(votes.items)
    is_connected = np.empty(len(weights), np.bool_)
    step = max(4 * NUMBERS // (n * n), 1)
    for start in range(0, len(weights), step):
        draw_weights = weights[start : start + step]
        if pairs is None:
            above = summed_wins(votes, draw_weights, subsets)
        else:
            above = np.asarray(pairs @ counted_voters(draw_weights).T.astype(np.float32)).T.reshape(-1, n, n)
        all_reached = np.ones(len(above), np.bool_)
        for matrix in (above, above.transpose(0, 2, 1)):
            reached = np.zeros((len(above), 1, n), np.float32)
            reached[:, :, 0] = 1
            for _ in range(n):
                extended = np.minimum(reached + reached @ matrix, 1)
                if (extended > 0).sum() == (reached > 0).sum():
                    break
                reached = extended
            all_reached &= (reached > 0).all(axis=(1, 2))
        is_connected[start : start + step] = all_reached
    return is_connected


def refuse_unconnected(votes: Votes, weights: Floats, subsets: bool) -> None:
    """Raises InputError that names the parts of the items of which one was never above the other."""
    from scipy.sparse.csgraph import connected_components

    above = summed_wins(votes, weights[None], subsets)[0] > 0
    n_parts, part_of_item = connected_components(above, directed=True, connection="strong")
    if n_parts == 1:
        return
    strength = [float(above[part_of_item == part_id].sum(axis=1).mean()) for part_id in range(n_parts)]
    by_strength = sorted(range(n_parts), key=lambda part_id: -strength[part_id])
    names = [
        "{" + join_names([votes.items[i] for i in np.flatnonzero(part_of_item == part_id)]) + "}"
        for part_id in by_strength
    ]
    raise InputError(
        f"the items fall into {n_parts} groups that no voter mixes ({join_names(names, PARTS_LISTED)}): of any two "
        "groups one is never above the other, so that the model has no solution; use a prior above 0, as 0.5, or leave "
        "items out"
    )


#: The prior of resamples that have no maximum without one.
SLIGHT_PRIOR = 1e-3
#: Fits aim at slopes below the first share of the total weight, and have converged below the second one.
CLOSE, FLAT = 1e-11, 1e-8
#: Log-worths that differ by less are equal.
EQUAL_WORTHS = 1e-8
#: In a fit, a prior is at most this many times the total weight of the voters.
HUGE = 1e9
#: The most restarts of a fit from its last point, with the curvature there.
ROUNDS = 6


def fit_plackett_luce(votes: Votes, weights: Floats, *, unranked: str = "average", prior: float = 0.0) -> Floats:
    """Fit the model of Plackett and Luce: an item is chosen first with the probability of its share of the worths.

    Parameters
    ----------
    votes
        The rankings. Ties count as averages over the orders of tied items (Efron's approximation).
    weights
        (draws, voters) the weights of the voters, one row for each fit.
    unranked
        "ignore": a voter chose among the items of his list. Any other value: among all items, up to the end of his
        list.
    prior
        Number of wins and of losses that are added to each item against an imagined item of mean log-worth. Above 0, a
        solution always exists, unless the prior is below 1e-9 of the weight of all voters, which counts as no prior.

    Returns
    -------
    numpy.ndarray
        (draws, items) the log-worths, higher is better, with mean 0 in each row.

    Raises
    ------
    InputError
        The votes with a positive weight in any row have no solution, and prior is 0; the message names the groups.

    Notes
    -----
    A row in which some item was never (or always) above others has no solution. If the votes as a whole have one, such
    a row is fitted with the prior 0.001: its worths are far apart and in the right order.

    References
    ----------
    Plackett (1975); Luce (1959); existence: Ford (1957), Hunter (2004), MM algorithms for generalized Bradley-Terry
    models, assumption 1; ties: Efron (1977). Agrees with choix 0.4.1 (`opt_rankings`) without ties.

    Examples
    --------
    >>> votes = Votes.of([["A", "B"], ["A", "B"], ["B", "A"]])
    >>> worths = np.exp(fit_plackett_luce(votes, votes.weights[None])[0])
    >>> round(float(worths[0] / worths[1]), 6)  # A won two of three
    2.0
    """
    model = LuceModel.of(votes, unranked, prior)
    model.refuse_unsolvable(weights.max(axis=0))
    mean_weights = np.asarray(weights.mean(axis=0))
    best = model.fit(mean_weights)
    if len(weights) == 1:
        return best[None]
    priors = np.where(model.solvable(weights), float(prior), SLIGHT_PRIOR)
    return model.fit_resamples(weights, best, mean_weights, priors)


class ScaledVotes(NamedTuple):
    """Votes whose weights are of the size of 1.

    Attributes
    ----------
    votes
        The votes with the new weights.
    prior
        The prior in the same unit.
    unit
        The original weights are the new ones times this.
    """

    votes: Votes
    prior: float
    unit: float


def scale_votes(votes: Votes, prior: float) -> ScaledVotes:
    """Scale weights before a fit: only proportions count, and squares must not overflow or vanish.

    Raises ParameterError for a prior far above all weights.
    """
    check_prior(votes.weights, prior)
    unit = weight_unit(votes.weights)
    return ScaledVotes(replace(votes, weights=in_weight_units(votes.weights)), prior / unit, unit)


@dataclass(frozen=True, eq=False)
class LuceModel:
    """Votes prepared for many fits to resamples of them.

    Attributes
    ----------
    votes
        The votes.
    subsets
        Whether a voter chose among the items of his own list only.
    prior
        Number of wins and of losses that are added to each item.
    terms
        The terms of the likelihood.
    above
        Which voter ranked which item above which, as a sparse matrix; None if it needs too much memory.
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
    def merges_choices(self) -> bool:
        """Whether equal choices are merged; else each fit takes sums over all votes."""
        return isinstance(self.terms, ChoiceSets)

    def solvable(self, weights: Floats) -> Bools:
        """(draws) whether worths exist that are most likely. weights: (draws, voters)."""
        has_maximum: Bools = np.asarray(self.prior > TINY * weights.sum(axis=1))
        if not has_maximum.all():
            has_maximum |= connected(self.votes, weights, self.subsets, self.above)
        return has_maximum

    def refuse_unsolvable(self, weights: Floats) -> None:
        """Raises InputError where no worths are most likely. weights: (voters)."""
        if not self.prior > TINY * weights.sum():
            refuse_unconnected(self.votes, weights, self.subsets)

    def fit(self, weights: Floats) -> Floats:
        """(items) log-worths for one row of weights, (voters), which has a maximum."""
        start = np.zeros((1, len(self.votes.items)))
        return np.asarray(without_rounding(fit_stages(self.terms, weights[None], np.array([self.prior]), start))[0])

    def fit_resamples(self, weights: Floats, near: Floats, typical: Floats, priors: Floats | None = None) -> Floats:
        """(draws, items) log-worths for many rows, each with a maximum. near: (items) the fit to weights `typical`."""
        priors = np.full(len(weights), self.prior) if priors is None else priors
        start = np.repeat(near[None], len(weights), axis=0)
        # A power of two, 1 where voters have about equal weights, which makes all rows about as steep as the typical
        # one.
        scale = np.exp2(np.clip(np.rint(np.log2(weights.sum(axis=1)) - np.log2(typical.sum())), -900, 900))
        priors = np.minimum(priors / scale, HUGE * typical.sum())
        return without_rounding(fit_stages(self.terms, weights / scale[:, None], priors, start, typical))

    def covariance(self, log_worths: Floats) -> Floats:
        """(items, items) the covariance of a fit to the votes' own weights; each row adds up to 0.

        It is the inverse of minus the second derivatives of the log-likelihood, with the prior, among log-worths of
        mean 0. It treats voters as independent and weights as counts, and is unreliable for few voters.

        >>> model = LuceModel.of(Votes.of([["A", "B"], ["A", "B"], ["B", "A"]]), "average", 0.0)
        >>> cov = model.covariance(model.fit(model.votes.weights))
        >>> round(float(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]), 6)  # 1 / (3 * 2/3 * 1/3), as of a log-odds
        1.5
        """
        stages = stages_of(self.votes.places, subsets=self.subsets)
        information = curvature(stages, log_worths, self.votes.weights) + prior_curvature(log_worths, self.prior)
        return np.asarray(np.linalg.pinv(information, rcond=1e-13, hermitian=True))


def without_rounding(log_worths: Floats) -> Floats:
    """Log-worths with rounding errors set to 0, so that they do not order equal items; changed in place."""
    log_worths[np.ptp(log_worths, axis=1) < EQUAL_WORTHS] = 0.0
    log_worths[np.abs(log_worths) < EQUAL_WORTHS] = 0.0
    return log_worths


def fit_stages(
    stages: ChoiceStages | ChoiceSets, weights: Floats, priors: Floats, start: Floats, typical: Floats | None = None
) -> Floats:
    """The fits of `fit_plackett_luce`, each of which exists.

    start: (draws, items), the first of which gives, with the weights `typical`, the curvature of the likelihoods. A fit
    that does not converge continues alone with its own curvature.
    """
    log_worths = np.asarray(start - start.mean(axis=1, keepdims=True), np.float64)
    typical = weights[0] if typical is None else typical
    rows_at_once = max(4 * NUMBERS // start.shape[1] ** 2, 1)
    if isinstance(stages, ChoiceSets):
        rows_at_once = min(rows_at_once, max(NUMBERS // stages.width, 1))
    unfinished = np.arange(len(start))
    for round_index in range(ROUNDS):
        step = 1 if round_index else rows_at_once
        still_unfinished = [
            raise_likelihoods(stages, log_worths, weights, priors, rows, weights[rows[0]] if round_index else typical)
            for rows in (unfinished[row_start : row_start + step] for row_start in range(0, unfinished.size, step))
        ]
        unfinished = np.concatenate(still_unfinished)
        if not unfinished.size:
            return log_worths
    raise InputError(
        f"{unfinished.size} of {pluralise(len(start), 'fit')} did not converge; use a prior above 0, as 0.5, which "
        "keeps worths finite"
    )


def raise_likelihoods(
    stages: ChoiceStages | ChoiceSets, log_worths: Floats, weights: Floats, priors: Floats, rows: Ints, typical: Floats
) -> Ints:
    """Improve the rows of log_worths, in place; the rows that have not converged yet."""
    first_row = rows[0]
    if isinstance(stages, ChoiceSets):
        objective, curvatures = (
            stages.objective(weights[rows], priors[rows]),
            stages.curvature(log_worths[first_row], typical),
        )
    else:
        objective = likelihood_function(stages.select(rows), weights[rows], priors[rows])
        curvatures = curvature(stages.select(rows[:1]), log_worths[first_row], typical)
    total_curvature = curvatures + prior_curvature(log_worths[first_row], priors[first_row])
    inverse = np.asarray(np.linalg.pinv(total_curvature, rcond=1e-12, hermitian=True))
    total = weights[rows].sum(axis=1)
    points, steepness = maximise(objective, log_worths[rows], inverse, CLOSE * total)
    log_worths[rows] = points - points.mean(axis=1, keepdims=True)
    return np.asarray(rows[steepness > FLAT * total])


def likelihood_function(
    stages: ChoiceStages, weights: Floats, priors: Floats
) -> Callable[[Ints, Floats], tuple[Floats, Floats]]:
    """The function for `maximise`: log-likelihoods and slopes, by running sums over the votes."""

    def value_and_slope(draws: Ints, log_worths: Floats) -> tuple[Floats, Floats]:
        return slope(stages.select(draws), log_worths, weights[draws], priors[draws])

    return value_and_slope


def sample_plackett_luce(worths: Mapping[str, float], n: int, rng: Any = None) -> Votes:
    """Draw votes from Plackett and Luce's model: each next item by its worth over the sum of the remaining worths.

    Parameters
    ----------
    worths
        Worth of each item, above 0; only their quotients matter.
    n
        Number of votes, at least 2.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    Votes
        Full rankings without ties, each of weight 1.

    Raises
    ------
    InputError
        There are fewer than two items.
    ParameterError
        A worth or `n` is out of range.

    References
    ----------
    Luce (1959); drawn as log-worths with Gumbel noise (Yellott 1977).

    Examples
    --------
    >>> sample_plackett_luce({"A": 1e9, "B": 1.0}, 2, rng=1).places.tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    check_count("n", n, 2)
    for item, worth in worths.items():
        if not is_real(worth) or not 0 < worth < np.inf:
            raise ParameterError(f"the worth of {item!r} is {worth!r}, expected a number above 0")
    logs = np.log(np.array(list(worths.values()), np.float64))
    return Votes(ranks=luce_places(np.broadcast_to(logs, (n, logs.size)), as_generator(rng)), items=tuple(worths))


def luce_places(log_worths: Floats, rng: np.random.Generator) -> Floats:
    """(..., items) places from 1; an item of log-worth minus infinity comes last."""
    noisy = log_worths + rng.gumbel(size=log_worths.shape)
    return np.asarray(np.argsort(np.argsort(-noisy, axis=-1), axis=-1) + 1.0)


#: A p-value below this says that the model does not fit.
LEVEL = 0.05


class Misfit(NamedTuple):
    """A test of fit: how far the voters for each pair of items are from what the model expects.

    Attributes
    ----------
    statistic
        The distance.
    pvalue
        How often votes drawn from the model are as far.
    n_resamples
        Number of sets of votes drawn.
    """

    statistic: float
    pvalue: float
    n_resamples: int

    @property
    def note(self) -> str:
        """The sentence on the fit for views."""
        pvalue_text = f"(p {format_p_value(self.pvalue)} from {self.n_resamples:,} samples)"
        if self.pvalue < LEVEL:
            return (
                "one worth per item does not describe these votes well: pairs of items depart from it by more than "
                f"chance {pvalue_text}"
            )
        return f"no significant departure of pairs of items from one worth per item was found {pvalue_text}"


def sample_places(votes: Votes, log_worths: Floats, n_draws: int, subsets: bool, rng: np.random.Generator) -> Floats:
    """(draws, voters, items) rankings drawn from the model: of the same items, or cut to the same length."""
    missing = np.isnan(votes.places)
    logs = np.where(missing, -np.inf, log_worths) if subsets else np.broadcast_to(log_worths, missing.shape)
    places = luce_places(np.broadcast_to(logs, (n_draws, *missing.shape)), rng)
    n_ranked = (~missing).sum(axis=1, keepdims=True)
    return np.where(places > n_ranked, np.nan, places)


def pair_statistic(places: Floats, weights: Floats, log_worths: Floats, subsets: bool) -> Floats:
    """(draws) the statistic; places: (draws, voters, items), log_worths: (draws, items)."""
    filled_places = np.where(np.isnan(places), np.nan if subsets else np.inf, places)
    n_draws, n_voters, n = filled_places.shape
    above, tied = np.zeros((n_draws, n, n)), np.zeros((n_draws, n, n))
    step = max(4 * NUMBERS // (n_draws * n * n), 1)
    for start in range(0, n_voters, step):
        block, block_weights = filled_places[:, start : start + step], weights[start : start + step]
        row_places, column_places = block[:, :, :, None], block[:, :, None, :]
        above += np.einsum("v,dvij->dij", block_weights, (row_places < column_places).astype(np.float64))
        tied += np.einsum(
            "v,dvij->dij", block_weights, ((row_places == column_places) & np.isfinite(row_places)).astype(np.float64)
        )
    n_comparisons = above + above.transpose(0, 2, 1) + tied
    chance = 1 / (1 + np.exp(log_worths[:, None, :] - log_worths[:, :, None]))
    variance = n_comparisons * chance * (1 - chance)
    squared_errors = (above + tied / 2 - n_comparisons * chance) ** 2
    upper = np.triu(np.ones((n, n), np.bool_), 1)
    return np.asarray(
        np.where((variance > 0) & upper, squared_errors / np.where(variance > 0, variance, 1.0), 0.0).sum(axis=(1, 2))
    )


@dataclass(frozen=True, kw_only=True)
class PlackettLuce(Method):
    """Plackett and Luce's model; scores are log-worths of mean 0, higher is better.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'average'.
    prior
        Number of wins and of losses against an average item that are added to each item. Default: 0.0.

    Raises
    ------
    ParameterError
        The prior is negative, or `unranked` is unknown.

    Notes
    -----
    A voter chooses the first item with a probability of its worth divided by the sum of all worths, the next one in the
    same way among the remaining items, and so on; the worths are those under which the votes are most likely. The
    difference of two scores is the log-odds that one item ranks above the other.

    With "ignore" a voter chose among the items that it ranked; otherwise among all items, and stopped at the end of its
    list (a top list), so that the other items come after it, in no order. The wins and losses of the prior are against
    an imaginary average item; without a prior there are no worths if an item always (or never) ranks above others: an
    InputError names the groups of items that no vote mixes. Ties are averages over the orders of the tied items, by
    Efron's approximation; two tied items have half a win each.

    The details are the log-likelihood, that of random orders, 1 minus their quotient (pseudo R2, in [0, 1) without a
    prior), twice their difference (likelihood ratio) with its degrees of freedom and, if each vote counts 1 and there
    is no prior, its chi-square p-value. `misfit` tests whether the model describes the votes.

    References
    ----------
    Plackett (1975); Luce (1959); Hunter (2004); Efron (1977) on ties. Agrees with choix 0.4.1 without ties.

    Examples
    --------
    >>> order = PlackettLuce().order([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"], ["C", "A", "B"]])
    >>> order.order, round(order["A"] - order["C"], 4)  # log(1 + sqrt(5))
    (('A', 'B', 'C'), 1.1744)
    """

    name: ClassVar[str] = "plackett-luce"
    work = "fit"
    meaning: ClassVar[str] = "log-worth, with mean 0; 0.69 (log 2) more means twice as likely to be chosen"
    least_range: ClassVar[float] = 1.0
    FUNCTIONS = ("rankscope.consensus:PlackettLuce",)

    unranked: str = unranked_field("average")
    prior: float = prior_field(0.0)

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        check_prior(votes.weights, self.prior)
        unit = float(votes.weights.max())  # only proportions count, and squares of weights must not overflow
        proportions = keep_positive(weights / unit, weights)
        return fit_plackett_luce(votes, proportions, unranked=self.unranked, prior=self.prior / unit)

    def resampled_scores(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        scores = self.scores(votes, weights)
        has_maximum = self.prior > TINY * weights.sum(axis=1)
        if not has_maximum.all():
            has_maximum |= connected(votes, weights, self.unranked == "ignore")
        return ResampledScores(scores, int(np.count_nonzero(~has_maximum)))

    def resampling_note(self, n_without_solution: int, n_draws: int) -> str:
        return (
            f"in {n_without_solution:,} of {pluralise(n_draws, 'resample')} of the voters an item is always or never "
            f"above others, so that the model has no solution; there a prior of {SLIGHT_PRIOR:g} is used"
        )

    def solve(self, votes: Votes) -> Solution:
        log_worths = self.scores(votes, votes.weights[None])
        stages = stages_of(votes.places, subsets=self.unranked == "ignore")
        no_prior = np.zeros(1)
        fit_loglikelihood = float(slope(stages, log_worths, votes.weights[None], no_prior)[0][0])
        chance_loglikelihood = float(slope(stages, np.zeros_like(log_worths), votes.weights[None], no_prior)[0][0])
        likelihood_ratio, df = 2 * (fit_loglikelihood - chance_loglikelihood), len(votes.items) - 1
        details = {
            "log-likelihood": fit_loglikelihood,
            "log-likelihood of random orders": chance_loglikelihood,
            "pseudo R2": 1 - fit_loglikelihood / chance_loglikelihood if chance_loglikelihood else 0.0,
            "likelihood ratio": likelihood_ratio,
            "degrees of freedom": float(df),
        }
        notes: tuple[str, ...] = ()
        if not np.ptp(votes.weights) and votes.weights[0] == 1 and not self.prior:
            pvalue = float(special().chdtrc(df, max(likelihood_ratio, 0.0)))
            details["p-value of equal worths"] = pvalue
            notes = (
                Note(
                    "if all votes were in random order, worths would differ at least this much with p "
                    f"{format_p_value(pvalue)}"
                ),
            )
        return Solution(log_worths[0], notes, details)

    def misfit(
        self,
        rankings: Any,
        *,
        weights: VoterWeights = None,
        log_worths: Floats | None = None,
        n_resamples: int = 199,
        rng: Any = None,
    ) -> Misfit:
        """Test whether the model describes the votes.

        Parameters
        ----------
        rankings
            Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
            voter; a mapping of voters' names to these; or `Votes`.
        weights
            Weight of each voter, as a list or by name. By default each voter counts 1.
        log_worths
            (items) the scores of the order, if they are known. Default: they are computed.
        n_resamples
            Number of samples from the fitted model.
        rng
            Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

        Returns
        -------
        Misfit
            `statistic`, from 0 (all pairs are as expected), and `pvalue`, in (0, 1]; a small one speaks against the
            model.

        Raises
        ------
        InputError, ParameterError
            As `order`, or `n_resamples` is out of range.

        Notes
        -----
        By the model i ranks above j with the probability w_i / (w_i + w_j), whatever other items there are. The
        statistic sums the squared differences between the number of voters for i over j and its expectation, each
        divided by its variance. Votes on the same items, with lists of the same length, are sampled from the fitted
        model, fitted and compared in the same way; the p-value is the share of samples, the votes themselves among
        them, that are at least as far off. Pairs of which a voter ranked neither item do not count. Tied pairs count
        half each way, which makes the statistic smaller, and sampled votes have no ties: with many ties the p-value is
        too large.

        References
        ----------
        Parametric bootstrap (Davison and Hinkley 1997, chapter 4) of Pearson's statistic on pairs.

        Examples
        --------
        >>> round_table = [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]] * 20  # nobody is better than anybody
        >>> PlackettLuce().misfit(round_table, n_resamples=99, rng=1).pvalue
        0.01
        """
        check_count("n_resamples", n_resamples)
        rng = as_generator(rng)
        votes, prior, unit = scale_votes(Votes.of(rankings, weights=weights), self.prior)
        if log_worths is None:
            log_worths = fit_plackett_luce(votes, votes.weights[None], unranked=self.unranked, prior=prior)[0]
        subsets = self.unranked == "ignore"
        observed = float(pair_statistic(votes.places[None], votes.weights, log_worths[None], subsets)[0])
        sampled_statistics = []
        step = max(NUMBERS // max(votes.ranks.size, len(votes.items) ** 2), 1)
        for start in range(0, n_resamples, step):
            n_draws = min(step, n_resamples - start)
            places = sample_places(votes, log_worths, n_draws, subsets, rng)
            draw_weights = np.repeat(votes.weights[None], n_draws, axis=0)
            initial = np.repeat(log_worths[None], n_draws, axis=0)
            fitted = fit_stages(
                stages_of(places, subsets=subsets), draw_weights, np.full(n_draws, prior or SLIGHT_PRIOR), initial
            )
            sampled_statistics.append(pair_statistic(places, votes.weights, fitted, subsets))
        at_least_as_far = np.concatenate(sampled_statistics) >= observed * (1 - SOLVED)
        return Misfit(observed * unit, (1 + int(at_least_as_far.sum())) / (n_resamples + 1), n_resamples)

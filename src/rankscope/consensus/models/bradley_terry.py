"""Bradley and Terry's model of comparisons: strengths of systems, whether they exist, and how well the model fits.

Ford (1957): strengths are finite and unique where the systems cannot be split into two groups of which one never won
against the other. A tie counts in both directions. With ties as an outcome of their own (Davidson) there is one more
case without a maximum: wins and ties that allow systems to drift apart without making any tie less likely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.consensus.models.bradley_terry_likelihood import (
    FAINT,
    POSITION,
    Contexts,
    Likelihood,
    Point,
    Sums,
    contexts_of,
    determined,
    incidence,
    maximum,
    maximum_nearby,
    select_sums,
)
from rankscope.consensus.models.weight_unit import check_least, check_prior, in_weight_units, weight_unit
from rankscope.data.preferences import Preferences
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator, check_choice, check_count, check_positive
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "PAIR_MODELS",
    "BradleyTerryFit",
    "Deviance",
    "check_connected",
    "components",
    "connected",
    "davidson_has_maximum",
    "deviance_from_pairs",
    "draws_from_covariance",
    "fit_preferences",
    "likelihood_at_estimate",
    "lost_resamples_note",
]


#: The most groups, and the most systems of each, that a message names.
GROUPS, NAMES = 6, 4
CURE = "add comparisons between them, or use a prior, such as prior=0.5 (--prior 0.5)"


def arcs(contexts: Contexts) -> tuple[Ints, Ints, Ints]:
    """The arcs of the graph of wins, from winner to loser, a tie in both directions: start, end and cell of each."""
    first, second = contexts.first[contexts.context], contexts.second[contexts.context]
    down, up = np.flatnonzero(contexts.outcome >= 0), np.flatnonzero(contexts.outcome <= 0)
    return np.concatenate((first[down], second[up])), np.concatenate((second[down], first[up])), np.append(down, up)


def connected(contexts: Contexts, sums: Sums) -> Bools:
    """(draws) whether wins and ties lead from each system to each."""
    start, end, cell = arcs(contexts)
    present = sums.cells[cell] > 0
    return all_reachable(contexts.n, start, end, present) & all_reachable(contexts.n, end, start, present)


def all_reachable(n: int, start: Ints, end: Ints, present: Bools) -> Bools:
    """(draws) whether all systems can be reached from system 0."""
    gather = incidence(end, n)
    is_reached = np.zeros((n, present.shape[1]), np.bool_)
    is_reached[0] = True
    while True:
        extended = is_reached | (gather @ (present & is_reached[start]).astype(np.float32) > 0)
        if (extended == is_reached).all():
            return np.asarray(is_reached.all(axis=0))
        is_reached = extended


def davidson_has_maximum(contexts: Contexts, sums: Sums) -> Bools:
    """(draws) whether Davidson's model has a maximum, where wins lead from each system to each.

    There is none where places d exist with d_i - d_j >= 1 for every win of i over j and |d_i - d_j| <= 1 for every tie:
    going on along d, wins and ties become certain. So there is one where some cycle has more wins, each passed from
    winner to loser, than ties; two systems that beat each other are one.
    """
    exists = has_mutual_wins(contexts, sums)
    if exists.all():
        return exists
    unresolved = np.flatnonzero(~exists)
    start, end, cell = arcs(contexts)
    cost = np.where(contexts.outcome[cell] == 0, 1.0, -1.0)[:, None]
    order = np.argsort(end, kind="stable")
    start, end, cell, cost = start[order], end[order], cell[order], cost[order]
    present = sums.cells[np.ix_(cell, unresolved)] > 0
    group_starts = np.flatnonzero(np.diff(end, prepend=-1))
    potentials = np.zeros((contexts.n, unresolved.size))
    for _ in range(contexts.n + 1):  # after as many steps as systems, only cycles still lower potentials
        lowest = np.minimum.reduceat(np.where(present, potentials[start] + cost, np.inf), group_starts, axis=0)
        is_lowered = lowest < potentials[end[group_starts]]
        potentials[end[group_starts]] = np.minimum(lowest, potentials[end[group_starts]])
        if not is_lowered.any():
            break
    exists[unresolved] = is_lowered.any(axis=0)
    return exists


def has_mutual_wins(contexts: Contexts, sums: Sums) -> Bools:
    """(draws) whether any two systems beat each other."""
    codes, pair_index = np.unique(contexts.first * contexts.n + contexts.second, return_inverse=True)
    pair = pair_index.reshape(-1)[contexts.context]
    wins = [
        incidence(pair[cells], codes.size) @ sums.cells[cells]
        for cells in (contexts.outcome == 1, contexts.outcome == -1)
    ]
    return np.asarray(((wins[0] > 0) & (wins[1] > 0)).any(axis=0))


def components(contexts: Contexts) -> tuple[int, Ints]:
    """How many groups of systems there are within which wins and ties lead from each to each; (systems) the groups."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    start, end, _ = arcs(contexts)
    graph = coo_array((np.ones(start.size), (start, end)), shape=(contexts.n, contexts.n)).tocsr()
    n, group = connected_components(graph, directed=True, connection="strong")
    return int(n), np.asarray(group, np.int64)


def check_connected(systems: tuple[str, ...], contexts: Contexts) -> None:
    """Raises InputError with the groups that no win leads out of or into."""
    n, group = components(contexts)
    if n == 1:
        return
    start, end, _ = arcs(contexts)
    crosses = group[start] != group[end]
    net_wins = np.bincount(group[start[crosses]], minlength=n) - np.bincount(group[end[crosses]], minlength=n)
    best_first = np.argsort(-net_wins, kind="stable")
    group_texts = "; ".join(
        format_names([systems[i] for i in np.flatnonzero(group == group_id)]) for group_id in best_first[:GROUPS]
    )
    more_text = f"; and {n - GROUPS} more" if n > GROUPS else ""
    raise InputError(
        "the ratings have no solution (Ford 1957): wins do not connect each system to every other one. There are "
        f"{n} groups; of any two groups, one never won against the other or tied with it: "
        f"{group_texts}{more_text}; {CURE}"
    )


def format_names(names: list[str]) -> str:
    """The first names of a list, and how many more there are."""
    more_text = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more_text


#: A tie is half a win of each, or an outcome of its own.
PAIR_MODELS = ("bradley-terry", "davidson")
#: Numbers in a table of several resamples: 16 MB of float64.
TABLE = 1 << 21
#: Eigenvalues below this share of the greatest are 0.
NOISE = 1e-13


@dataclass(frozen=True, eq=False, kw_only=True)
class BradleyTerryFit:
    """The fitted strengths of systems, with their uncertainty.

    Attributes
    ----------
    systems
        Names of the systems.
    ratings
        (1 + resamples, systems) natural logarithms of strengths, with mean 0 in each row. The difference of two is the
        log-odds of one against the other. Row 0 is the estimate, each other row that of a resample.
    tie_parameter
        (1 + resamples) log nu of Davidson's model, minus infinity without ties; NaN if ties are half wins.
    effects
        By name, (1 + resamples) the change of the log-odds of the left system for one unit of the covariate; "position"
        is the advantage of the left system.
    covariance
        (systems, systems) covariance of the estimate: the inverse of the observed information in directions that keep
        the mean; each row adds up to 0.
    joint_covariance
        (parameters, parameters) the same for ratings, effects in their order and log nu together; 0 if log nu is
        infinite.
    loglikelihood
        Natural logarithm of the likelihood at the estimate, without the prior.
    n_iterations
        Number of steps of Newton's method.
    n_lost
        Number of skipped resamples, which have no solution and no row in `ratings`.
    errors
        Standard errors of the effects, and of "ties" (log nu).
    prior
        The prior of the fit.
    notes
        Warnings for readers.
    """

    systems: tuple[str, ...]
    ratings: Floats
    tie_parameter: Floats
    effects: Mapping[str, Floats]
    covariance: Floats
    joint_covariance: Floats
    loglikelihood: float
    n_iterations: int
    n_lost: int
    errors: Mapping[str, float] = field(default_factory=dict)
    prior: float = 0.0
    notes: tuple[str, ...] = ()


def fit_preferences(
    preferences: Preferences,
    *,
    model: str = "bradley-terry",
    covariates: Sequence[str] = (),
    position: bool = False,
    prior: float = 0.0,
    n_resamples: int = 0,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
) -> BradleyTerryFit:
    """Fit the model of Bradley and Terry: P(left wins) = 1 / (1 + exp(right - left)).

    Parameters
    ----------
    preferences
        The comparisons. Weights multiply the log-likelihood: a comparison with weight 2 counts as two.
    model
        "bradley-terry" counts a tie as half a win for each side; "davidson" gives it a probability of its own, nu times
        the geometric mean of the probabilities of the two wins.
    covariates
        Names of covariates of the preferences; each is a term of the log-odds of the left system.
    position
        Whether to estimate the effect of standing on the left side. The preferences must have sides.
    prior
        Number of wins and of losses that are added to each system against an imagined system of mean strength. Above 0,
        a solution always exists, and strengths move towards the mean.
    n_resamples
        Number of bootstrap resamples, of single comparisons or, where the preferences have clusters, of whole clusters.
        Resamples without a solution are skipped and counted.
    rng
        Seed or `numpy.random.Generator`.
    progress
        Called with the share of the resamples just done.

    Returns
    -------
    BradleyTerryFit
        The strengths, of the data and of each resample; higher is better, with mean 0.

    Raises
    ------
    InputError
        There is no solution: a group of systems never won against another group (Ford 1957) and there is no prior; a
        covariate follows from the systems or decides every comparison; or, with "davidson", all outcomes are ties.
    ParameterError
        An unknown model or covariate, position without sides, a negative prior or number of resamples, or a prior that
        is more than 1e100 times the largest weight.

    Notes
    -----
    Standard errors and `covariance` treat comparisons as independent and weights as counts. With ties as half wins they
    are too wide, since a tie varies less than a win or a loss.

    A solution also counts as missing if it is so far away that, in some direction, the information there is less than
    1e-9 of the maximum for this number of comparisons: rounding would decide where it is. The same rule applies to each
    resample, so that all processors skip the same resamples.

    References
    ----------
    Bradley and Terry (1952), maximised by Newton's method (Hunter 2004 discusses both); Davidson (1970) for ties.
    Agrees with `opt_pairwise` and `mm_pairwise` of choix.

    Examples
    --------
    >>> found = fit_preferences(Preferences.of([("A", "B", "A")] * 3 + [("A", "B", "B")]))
    >>> found.ratings.round(4).tolist()  # half of log(3 / 1) to each side
    [[0.5493, -0.5493]]
    """
    check_choice("model", model, PAIR_MODELS)
    check_positive("prior", prior, zero=True)
    check_count("n_resamples", n_resamples, minimum=0)
    covariates = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    names = effect_names(preferences, covariates, position)
    check_least(preferences.weight)
    check_prior(preferences.weight, prior)
    unit = weight_unit(preferences.weight)
    scaled_preferences = preferences if unit == 1 else replace(preferences, weight=in_weight_units(preferences.weight))
    contexts = contexts_of(scaled_preferences, covariates, position)
    likelihood = Likelihood(contexts, model == "davidson", float(prior) / unit)
    estimate, covariance, loglikelihood, steps = fit_estimate(preferences.systems, likelihood, names)
    resampled, n_disconnected = resample(likelihood, estimate, covariance, n_resamples, as_generator(rng), progress)
    parameters = np.hstack([estimate, resampled])
    n = contexts.n
    estimated_names = [*names, "ties"] if np.isfinite(estimate[-1, 0]) and likelihood.davidson else names
    n_estimated = n + len(estimated_names)
    covariance[n_estimated:] = covariance[:, n_estimated:] = 0.0  # of log nu that stays at minus infinity
    restore_covariate_units(contexts, parameters, covariance)
    covariance /= unit
    errors = np.sqrt(np.diagonal(covariance)[n:])
    n_lost = n_resamples - resampled.shape[1]
    return BradleyTerryFit(
        systems=preferences.systems,
        ratings=parameters[:n].T.copy(),
        tie_parameter=parameters[-1].copy() if likelihood.davidson else np.full(parameters.shape[1], np.nan),
        effects={name: parameters[n + j].copy() for j, name in enumerate(names)},
        covariance=covariance[:n, :n],
        joint_covariance=covariance,
        loglikelihood=loglikelihood * unit,
        n_iterations=steps,
        n_lost=n_lost,
        errors={name: float(errors[j]) for j, name in enumerate(estimated_names)},
        prior=float(prior),
        notes=(
            *fit_notes(likelihood, estimate),
            *lost_resamples_note(n_lost, n_resamples, n_lost - n_disconnected, names),
        ),
    )


def restore_covariate_units(contexts: Contexts, parameters: Floats, covariance: Floats) -> None:
    """Scale effects to the units of the user's covariates; parameters and covariance are changed in place."""
    for parameter_index, power in enumerate(contexts.powers, contexts.n):
        for array in (parameters, covariance, covariance.T):
            array[parameter_index] = np.ldexp(array[parameter_index], -power)


def draws_from_covariance(ratings: Floats, covariance: Floats, n: int, rng: Any = None) -> Floats:
    """Draw ratings from the normal distribution that the information matrix gives, without resampling.

    Parameters
    ----------
    ratings
        (systems) the fitted ratings.
    covariance
        (systems, systems) their covariance, as in `BradleyTerryFit`.
    n
        Number of draws.
    rng
        Seed or `numpy.random.Generator`.

    Returns
    -------
    numpy.ndarray
        (n, systems) the draws; each has the mean of the ratings.

    Raises
    ------
    ParameterError
        The shapes do not fit, the covariance is not one, or n is below 1.

    Examples
    --------
    >>> draws_from_covariance(np.array([0.5, -0.5]), np.zeros((2, 2)), 1, 1).tolist()
    [[0.5, -0.5]]
    """
    check_count("n", n)
    ratings, covariance = np.asarray(ratings, np.float64), np.asarray(covariance, np.float64)
    if ratings.ndim != 1 or covariance.shape != (ratings.size, ratings.size):
        raise ParameterError(
            f"a covariance of shape {covariance.shape} for ratings of shape {ratings.shape}, expected (systems, "
            "systems) and (systems)"
        )
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    if not values[0] >= -1e-9 * max(abs(float(values[-1])), 1e-300):
        raise ParameterError(f"the covariance has the eigenvalue {values[0]:g}, expected none below 0")
    # The symmetric root does not depend on the signs that a library gives to eigenvectors. Eigenvalues that are
    # rounding errors of 0 are set to 0: their roots would be much larger than rounding errors.
    matrix_root = (vectors * np.sqrt(np.where(values > NOISE * values[-1], values, 0.0))) @ vectors.T
    return np.asarray(ratings + as_generator(rng).standard_normal((n, ratings.size)) @ matrix_root)


def effect_names(preferences: Preferences, covariates: Sequence[str], position: bool) -> list[str]:
    """The names of covariates and of the effect of the position. Raises ParameterError for one without data."""
    names = list(covariates)
    for name in names:
        if name not in preferences.covariates:
            available = ", ".join(map(repr, preferences.covariates)) or "none"
            raise ParameterError(f"the preferences have no covariate {name!r}; there are: {available}")
    if position and not preferences.sides:
        raise ParameterError(
            "position is for comparisons of a left and a right side, and these have none: rankings, scores and tables "
            "of better and worse do not say who was on which side; leave it out"
        )
    if position and POSITION in preferences.covariates:
        raise ParameterError("position=True, and a covariate is named 'position', too; give it another name")
    names += [POSITION] * position
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ParameterError(f"{sorted(repeated)[0]!r} is given twice, expected each covariate once; leave out one")
    return names


def fit_estimate(
    systems: tuple[str, ...], likelihood: Likelihood, names: list[str]
) -> tuple[Floats, Floats, float, int]:
    """(parameters, 1), their covariance, the log-likelihood without the prior, and how many steps were taken."""
    contexts = likelihood.contexts
    sums = contexts.observed()
    if not likelihood.prior:
        check_connected(systems, contexts)
    if likelihood.davidson:
        if not contexts.outcome.any():
            raise InputError(
                "all comparisons are ties, so that Davidson's model has no solution; use model='bradley-terry' "
                "(--model bradley-terry), which counts ties as half wins"
            )
        if not likelihood.prior and not davidson_has_maximum(contexts, sums)[0]:
            raise InputError(
                "Davidson's model has no solution for these wins and ties: no cycle of systems has more wins than "
                "ties; use model='bradley-terry' (--model bradley-terry), which counts ties as half wins, or a prior, "
                "such as prior=0.5 (--prior 0.5)"
            )
    check_identified(likelihood, names)
    fitted = maximum(likelihood, sums)
    if not fitted.exists[0]:
        raise InputError(out_of_reach(likelihood, names))
    point = likelihood.point(fitted.parameters, sums)
    covariance = likelihood.covariance(likelihood.information(point, sums))[0]
    without_prior = Likelihood(contexts, likelihood.davidson, 0.0).point(fitted.parameters, sums)
    return fitted.parameters, covariance, float(without_prior.value[0]), fitted.n_steps


def out_of_reach(likelihood: Likelihood, names: list[str]) -> str:
    """The message where there is no maximum although the wins connect all systems or there is a prior."""
    if names:
        return (
            f"{join_names(map(repr, names))} may decide every comparison that the strengths do not, or nearly, so that "
            "its effect has no most likely value; leave it out"
        )
    cure = f"a prior above {likelihood.prior:g}" if likelihood.prior else "a prior, such as prior=0.5 (--prior 0.5)"
    return (
        "the most likely strengths are so far apart that the comparisons have almost no information on their distance "
        f"(less than {FAINT:g} of that on equal systems); use {cure}"
    )


def check_identified(likelihood: Likelihood, names: list[str]) -> None:
    """Raises InputError where a covariate is a difference of numbers that the systems have, or of other covariates."""
    if not names:
        return
    sums = likelihood.contexts.observed()
    information = likelihood.information(likelihood.point(likelihood.starting_point(sums), sums), sums)
    if determined(information, likelihood.greatest_information(sums))[0]:
        return
    scale = np.sqrt(np.diagonal(information[0]))
    scale = np.where(scale > 0, scale, 1.0)
    vectors = np.linalg.eigh(information[0] / scale / scale[:, None])[1]
    loadings = np.abs(vectors[likelihood.contexts.n : likelihood.contexts.n + len(names), 0])
    unidentified = [name for name, share in zip(names, loadings, strict=True) if share > 1e-3 * loadings.max()]
    raise InputError(
        f"the effect of {' and '.join(map(repr, unidentified))} cannot be separated from the strengths of the systems "
        "or from other effects: it never differs where they do not; leave it out"
    )


def resample(
    likelihood: Likelihood,
    estimate: Floats,
    covariance: Floats,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Callable[[float], Any] | None,
) -> tuple[Floats, int]:
    """(parameters, resamples) the maximum of each resample that has one; how many have none by the graph of wins."""
    contexts, samples, n_disconnected = likelihood.contexts, [np.empty((likelihood.size, 0))], 0
    resamples_at_once = max(1, TABLE // contexts.width)
    for resample_start in range(0, n_resamples, resamples_at_once):
        n_drawn = min(resamples_at_once, n_resamples - resample_start)
        sums = contexts.resampled(n_drawn, rng)
        solvable = has_maximum(likelihood, sums)
        n_disconnected += int((~solvable).sum())
        if likelihood.davidson:
            # With ties alone, log nu grows without bound.
            solvable &= (sums.cells[contexts.outcome != 0] > 0).any(axis=0)
        sums = select_sums(sums, solvable)
        start = np.repeat(estimate, sums.tied.size, axis=1)
        if likelihood.davidson:
            start[-1] = np.where(sums.tied > 0, start[-1], -np.inf)
        if sums.tied.size:
            fitted = maximum_nearby(likelihood, sums, start, covariance)
            samples.append(fitted.parameters[:, fitted.exists])
        if progress is not None:
            progress(n_drawn / n_resamples)
    return np.hstack(samples), n_disconnected


def has_maximum(likelihood: Likelihood, sums: Sums) -> Bools:
    """(draws) whether wins and ties allow a maximum; with covariates there may still be none."""
    if likelihood.prior:
        return np.ones(sums.tied.size, np.bool_)
    is_connected = connected(likelihood.contexts, sums)
    return is_connected & davidson_has_maximum(likelihood.contexts, sums) if likelihood.davidson else is_connected


def fit_notes(likelihood: Likelihood, estimate: Floats) -> list[str]:
    """Notes on the fit of all comparisons: ties and prior."""
    notes = []
    if likelihood.davidson and not np.isfinite(estimate[-1, 0]):
        notes.append("no comparison is a tie, so that Davidson's model equals that of Bradley and Terry")
    if likelihood.prior:
        wins = "1 win" if likelihood.prior == 1 else f"{likelihood.prior:g} wins"
        notes.append(f"prior: {wins}, and as many losses, are added to each system against one of mean strength")
    return notes


def lost_resamples_note(
    n_lost: int, n_resamples: int, n_separated: int = 0, names: Sequence[str] = ()
) -> tuple[str, ...]:
    """The note on resamples that have no solution; none if there are no such resamples.

    Parameters
    ----------
    n_lost
        Number of resamples without a solution.
    n_resamples
        Number of all resamples.
    n_separated
        Number of resamples without a solution in which wins connect all systems, so that the cause is something else,
        such as a covariate.
    names
        Names of the covariates.

    Returns
    -------
    tuple of str
        The notes.
    """
    notes = []
    if n_lost > n_separated:
        notes.append(
            f"{skipped_resamples(n_lost - n_separated, n_resamples)}: in them some systems won or lost everything, "
            "so that there is no solution; intervals may be too narrow, and a prior would keep all resamples"
        )
    if n_separated:
        reason = "almost no comparisons are decided"
        if names:
            verb = "decides" if len(names) == 1 else "decide"
            reason = f"{join_names(map(repr, names))} {verb} every comparison that the strengths do not"
        notes.append(
            f"{skipped_resamples(n_separated, n_resamples)}: in them {reason}, so that there is no solution; "
            "intervals may be too narrow"
            + (", and without such covariates all resamples would be kept" if names else "")
        )
    return tuple(notes)


def skipped_resamples(n: int, n_resamples: int) -> str:
    """The end of a note: how many resamples are skipped."""
    return f"{n} of {n_resamples} resamples {'is' if n == 1 else 'are'} skipped"


def likelihood_at_estimate(preferences: Preferences, fitted: BradleyTerryFit) -> tuple[Contexts, Likelihood, Point]:
    """The contexts of the estimate, and the likelihood there."""
    if preferences.systems != fitted.systems:
        raise ParameterError("the estimate is of other systems than the preferences; give those that it was made of")
    names = [name for name in fitted.effects if name != POSITION or POSITION in preferences.covariates]
    contexts = contexts_of(preferences, names, len(names) < len(fitted.effects))
    davidson = bool(not np.isnan(fitted.tie_parameter[0]))
    likelihood = Likelihood(contexts, davidson, fitted.prior)
    effects = zip(fitted.effects.values(), contexts.powers, strict=True)
    rows = [fitted.ratings[0], *([np.ldexp(values[0], power)] for values, power in effects)]
    parameters = np.concatenate([*rows, fitted.tie_parameter[:1]] if davidson else rows)[:, None]
    return contexts, likelihood, likelihood.point(parameters, contexts.observed())


#: The chi-square distribution needs this many expected of each outcome (Cochran 1954), in all but a fifth of the cells.
EXPECTED, SPARSE = 5.0, 0.2


class Deviance(NamedTuple):
    """A test of fit: how much better a probability for each two systems fits than one strength for each system.

    Attributes
    ----------
    deviance
        Twice the gain in log-likelihood, at least 0.
    df
        Degrees of freedom: how many more parameters that takes.
    pvalue
        Probability of so large a deviance if the model is right; NaN without degrees of freedom.
    notes
        Warnings about the p-value.
    """

    deviance: float
    df: int
    pvalue: float
    notes: tuple[str, ...] = ()


def deviance_from_pairs(preferences: Preferences, fitted: BradleyTerryFit) -> Deviance:
    """Test the fit against a model in which each pair of systems has probabilities of its own.

    Parameters
    ----------
    preferences
        The comparisons of the fit. Weights count as numbers of comparisons, and comparisons as independent.
    fitted
        The fit.

    Returns
    -------
    Deviance
        The deviance, its degrees of freedom and p-value. A small p-value means that strengths on one scale do not
        explain who wins against whom; for example, A beats B, B beats C and C beats A more often than by chance. It is
        NaN if the fit has as many parameters as there are probabilities.

    Raises
    ------
    ParameterError
        The preferences are not those of the fit.

    Notes
    -----
    With covariates, a pair of systems has a probability of its own for each value of them. The notes of the result say
    if the p-value is unreliable: few comparisons of a pair, ties as half wins (it is then too large), weights, a prior.

    References
    ----------
    The likelihood-ratio statistic, chi-square by Wilks (1938); Bradley and Terry (1952, section 5) for pairs.

    Examples
    --------
    >>> from rankscope.consensus.models.bradley_terry import fit_preferences
    >>> seen = Preferences.of([("A", "B", "A"), ("B", "C", "B"), ("C", "A", "C")] * 9)
    >>> found = deviance_from_pairs(seen, fit_preferences(seen))  # all strengths are the same: 27 times log 2, doubled
    >>> round(found.deviance, 4), found.df, found.pvalue < 1e-8
    (37.4299, 1, True)
    """
    contexts, likelihood, point = likelihood_at_estimate(preferences, fitted)
    sums = contexts.observed()
    games, lead = sums.games[:, 0], sums.lead[:, 0]
    cells, outcome = sums.cells[:, 0], contexts.outcome
    mean, decided = point.mean[:, 0], point.decided[:, 0]
    if likelihood.davidson:
        outcomes = (-1, 0, 1) if sums.tied[0] > 0 else (-1, 1)
        observed = np.column_stack(
            [np.bincount(contexts.context, cells * (outcome == value), games.size) for value in outcomes]
        )
        probability = np.column_stack([1 - decided if value == 0 else decided / 2 + value * mean for value in outcomes])
    else:
        observed = np.column_stack([games / 2 - lead, games / 2 + lead])
        probability = np.column_stack([0.5 - mean, 0.5 + mean])
    expected = games[:, None] * probability
    deviance = float(2 * (special().xlogy(observed, observed) - special().xlogy(observed, expected)).sum())
    n_parameters = contexts.n - 1 + len(fitted.effects) + (observed.shape[1] == 3)
    df = max(games.size * (observed.shape[1] - 1) - n_parameters, 0)
    pvalue = float(special().chdtrc(df, max(deviance, 0.0))) if df else float("nan")
    return Deviance(max(deviance, 0.0), df, pvalue, tuple(pvalue_notes(preferences, fitted, expected)))


def pvalue_notes(preferences: Preferences, fitted: BradleyTerryFit, expected: Floats) -> list[str]:
    """What makes the p-value of the deviance rough or wrong."""
    notes, n_few = [], int((expected < EXPECTED).sum())
    if n_few > SPARSE * expected.size:
        outcomes = pluralise(expected.size, "outcome")
        notes.append(f"the p-value is rough: {n_few} of {outcomes} have an expected number below {EXPECTED:g}")
    if np.isnan(fitted.tie_parameter[0]) and not preferences.outcome.all():
        notes.append(
            "ties count as half wins, which makes the p-value too large; with Davidson's model (--model "
            "davidson) they do not"
        )
    if (preferences.weight != 1).any():
        notes.append("comparisons count as often as their weights say, also for the p-value")
    if preferences.cluster is not None:
        notes.append(
            "the p-value treats comparisons as independent, including those of one cluster, and may be too small"
        )
    if fitted.prior:
        notes.append("the prior pulls strengths together, so that the deviance is larger and the p-value smaller")
    return notes

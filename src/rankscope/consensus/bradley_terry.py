"""The strengths of systems from comparisons of two: Bradley and Terry's model, with ties, covariates and resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankscope.consensus.contexts import POSITION, Contexts, Sums, contexts_of
from rankscope.consensus.likelihood import Likelihood
from rankscope.consensus.newton import FAINT, determined, maximum, maximum_nearby, some_sums
from rankscope.consensus.weight_unit import check_least, check_prior, in_weight_units, weight_unit
from rankscope.consensus.win_graph import check_connected, connected, davidson_has_maximum
from rankscope.data.preferences import Preferences
from rankscope.data.wording import join_names
from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import as_generator, check_choice, check_count, check_positive
from rankscope.typing import Bools, Floats

__all__ = ["TIES", "BradleyTerryFit", "draws_from_covariance", "fit_preferences", "lost_resamples_note"]


#: What a tie is: half a win of each, or an outcome of its own.
TIES = ("half", "davidson")
#: Numbers in a table of several resamples: 16 MB of float64.
TABLE = 1 << 21
#: Eigenvalues below this share of the greatest are 0.
NOISE = 1e-13


@dataclass(frozen=True, eq=False, kw_only=True)
class BradleyTerryFit:
    """Strengths of systems, and how far they may be trusted.

    systems: names. ratings: (1 + resamples, systems) natural logarithms of strengths, of mean 0 in each row; the
    difference of two is the log-odds of one against the other; row 0 is the estimate, each other one that of a
    resample. tie_parameter: (1 + resamples) log nu of Davidson's model, minus infinity where nothing was tied; NaN
    where ties are half wins. effects: by name, (1 + resamples) the change of the log-odds for the left system with a
    unit of the covariate; "position" is the advantage of the left one. covariance: (systems, systems) of the estimate,
    the inverse of the observed information along directions that keep the mean; each row adds up to 0. joint:
    (parameters, parameters) the same of ratings, effects in their order and log nu of Davidson's model together, 0
    where log nu is infinite. errors: standard errors of the effects, and of "ties" (log nu), from it. loglikelihood: at
    the estimate, natural logarithm, without the prior. n_iterations: steps of Newton's method to the estimate. lost:
    resamples without a maximum; they are left out, and `ratings` has so many fewer rows. prior: as given. notes: what a
    reader should know.
    """

    systems: tuple[str, ...]
    ratings: Floats
    tie_parameter: Floats
    effects: Mapping[str, Floats]
    covariance: Floats
    joint: Floats
    loglikelihood: float
    n_iterations: int
    lost: int
    errors: Mapping[str, float] = field(default_factory=dict)
    prior: float = 0.0
    notes: tuple[str, ...] = ()


def fit_preferences(
    preferences: Preferences,
    *,
    ties: str = "half",
    covariates: Sequence[str] = (),
    position: bool = False,
    prior: float = 0.0,
    n_resamples: int = 0,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
) -> BradleyTerryFit:
    """The most likely strengths of systems after Bradley and Terry: P(left wins) = 1 / (1 + exp(right - left)).

    ties: "half" counts a tie as half a win of each; by "davidson" it is an outcome with a probability of its own, nu
    times the geometric mean of those of the two wins. covariates: names among those of the preferences; each enters the
    log-odds of the left system. position: whether standing on the left may help, where there are sides. prior: so many
    wins, and as many losses, of each system against an imagined one as strong as the mean of all; above 0 there is a
    maximum whatever the outcomes, and strengths are drawn together. Weights multiply the log-likelihood: a comparison
    of weight 2 is two. n_resamples: bootstrap samples of as many comparisons, or of whole units where the preferences
    have them; those without a maximum are counted as lost. rng: seed. progress: called with the share of the resamples
    that is done.

    Errors and `covariance` take comparisons as independent, and weights as counts; half wins of ties make them too
    wide, since a tie varies less than a win or a loss.

    Raises InputError where no strengths are most likely: groups of systems that no win leads out of or into (Ford 1957)
    and no prior, a covariate that the systems themselves tell or that decides every comparison, ties alone with
    "davidson". What is most likely counts as out of reach, too, if it lies so far away that in some direction the
    information there is less than 1e-9 of the most that so many comparisons can give: rounding would decide where it
    is. The same is asked of each resample, so that all processors leave the same ones out. Raises ParameterError for
    unknown ties or covariates, position without sides, a negative prior or number of resamples, a prior more than 1e100
    times the greatest weight.

    Source: Bradley and Terry (1952), maximised by Newton's method (Hunter 2004 discusses both); Davidson (1970) for
    ties. Agrees with choix's `opt_pairwise` and `mm_pairwise`.

    >>> found = fit_preferences(Preferences.of([("A", "B", "A")] * 3 + [("A", "B", "B")]))
    >>> found.ratings.round(4).tolist()  # half of log(3 / 1) to each side
    [[0.5493, -0.5493]]
    """
    check_choice("ties", ties, TIES)
    check_positive("prior", prior, zero=True)
    check_count("n_resamples", n_resamples, least=0)
    covariates = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    names = effect_names(preferences, covariates, position)
    check_least(preferences.weight)
    check_prior(preferences.weight, prior)
    unit = weight_unit(preferences.weight)
    light = preferences if unit == 1 else replace(preferences, weight=in_weight_units(preferences.weight))
    contexts = contexts_of(light, covariates, position)
    likelihood = Likelihood(contexts, ties == "davidson", float(prior) / unit)
    estimate, covariance, loglikelihood, steps = fit_estimate(preferences.systems, likelihood, names)
    resampled, torn = resample(likelihood, estimate, covariance, n_resamples, as_generator(rng), progress)
    parameters = np.hstack([estimate, resampled])
    n = contexts.n
    known = [*names, "ties"] if np.isfinite(estimate[-1, 0]) and likelihood.davidson else names
    covariance[n + len(known) :] = covariance[:, n + len(known) :] = 0.0  # of log nu that stays at minus infinity
    restore_covariate_units(contexts, parameters, covariance)
    covariance /= unit
    errors = np.sqrt(np.diagonal(covariance)[n:])
    lost = n_resamples - resampled.shape[1]
    return BradleyTerryFit(
        systems=preferences.systems,
        ratings=parameters[:n].T.copy(),
        tie_parameter=parameters[-1].copy() if likelihood.davidson else np.full(parameters.shape[1], np.nan),
        effects={name: parameters[n + j].copy() for j, name in enumerate(names)},
        covariance=covariance[:n, :n],
        joint=covariance,
        loglikelihood=loglikelihood * unit,
        n_iterations=steps,
        lost=lost,
        errors={name: float(errors[j]) for j, name in enumerate(known)},
        prior=float(prior),
        notes=(*fit_notes(likelihood, estimate), *lost_resamples_note(lost, n_resamples, lost - torn, names)),
    )


def restore_covariate_units(contexts: Contexts, parameters: Floats, covariance: Floats) -> None:
    """Makes effects those of the covariates as the user has them; parameters and covariance are changed in place."""
    for place, power in enumerate(contexts.powers, contexts.n):
        for rows in (parameters, covariance, covariance.T):
            rows[place] = np.ldexp(rows[place], -power)


def draws_from_covariance(ratings: Floats, covariance: Floats, n: int, rng: Any = None) -> Floats:
    """(n, systems) normal draws about ratings: what the information matrix says of them, without resamples.

    ratings: (systems). covariance: (systems, systems) as `BradleyTerryFit` has it; a draw has the mean of the ratings.

    Raises ParameterError for arrays that do not fit, a covariance that is none, n below 1.

    Source: the normal limit of the most likely values.

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
    # The symmetric root does not depend on the signs that a library gives to eigenvectors. What rounding leaves of an
    # eigenvalue of 0 is left out: its root would be no last digit any more.
    root = (vectors * np.sqrt(np.where(values > NOISE * values[-1], values, 0.0))) @ vectors.T
    return np.asarray(ratings + as_generator(rng).standard_normal((n, ratings.size)) @ root)


def effect_names(preferences: Preferences, covariates: Sequence[str], position: bool) -> list[str]:
    names = list(covariates)
    for name in names:
        if name not in preferences.covariates:
            there = ", ".join(map(repr, preferences.covariates)) or "none"
            raise ParameterError(f"the preferences have no covariate {name!r}; there are: {there}")
    if position and not preferences.sides:
        raise ParameterError(
            "position is for comparisons of a left and a right side, and these have none: rankings, scores and tables "
            "of better and worse do not say who stood where; leave it out"
        )
    if position and POSITION in preferences.covariates:
        raise ParameterError("position=True, and a covariate is named 'position', too; give it another name")
    names += [POSITION] * position
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ParameterError(f"{sorted(twice)[0]!r} is there twice, expected each covariate once; leave one out")
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
            raise InputError("all comparisons are ties, so how often there is one has no most likely value; use 'half'")
        if not likelihood.prior and not davidson_has_maximum(contexts, sums)[0]:
            raise InputError(
                "wins and ties lie so that the strengths of Davidson's model grow without bound: no cycle of systems "
                "has more wins than ties; count ties as half wins ('half'), or give a prior, as prior=0.5 (--prior 0.5)"
            )
    check_identified(likelihood, names)
    found = maximum(likelihood, sums)
    if not found.found[0]:
        raise InputError(out_of_reach(likelihood, names))
    at = likelihood.point(found.parameters, sums)
    covariance = likelihood.covariance(likelihood.information(at, sums))[0]
    bare = Likelihood(contexts, likelihood.davidson, 0.0).point(found.parameters, sums)
    return found.parameters, covariance, float(bare.value[0]), found.steps


def out_of_reach(likelihood: Likelihood, names: list[str]) -> str:
    """What is said where the wins lead from each system to each, or there is a prior, and there is no maximum yet."""
    if names:
        return (
            f"{join_names(map(repr, names))} may decide every comparison as far as the strengths do not, or all but decide "
            "it, so that no effect is most likely; leave it out"
        )
    cure = f"a prior above {likelihood.prior:g}" if likelihood.prior else "a prior, as prior=0.5 (--prior 0.5)"
    return (
        "the most likely strengths lie so far apart that the comparisons say next to nothing of how far (less than "
        f"{FAINT:g} of what they say of equal systems); give {cure}"
    )


def check_identified(likelihood: Likelihood, names: list[str]) -> None:
    """Raises InputError where a covariate is a difference of numbers that the systems have, or of other covariates."""
    if not names:
        return
    sums = likelihood.contexts.observed()
    information = likelihood.information(likelihood.point(likelihood.even(sums), sums), sums)
    if determined(information, likelihood.greatest_information(sums))[0]:
        return
    scale = np.sqrt(np.diagonal(information[0]))
    scale = np.where(scale > 0, scale, 1.0)
    vectors = np.linalg.eigh(information[0] / scale / scale[:, None])[1]
    part = np.abs(vectors[likelihood.contexts.n : likelihood.contexts.n + len(names), 0])
    guilty = [name for name, share in zip(names, part, strict=True) if share > 1e-3 * part.max()]
    raise InputError(
        f"the effect of {' and '.join(map(repr, guilty))} cannot be told from the strengths of the systems or from "
        "other effects: it never differs where they do not; leave it out"
    )


def resample(
    likelihood: Likelihood,
    estimate: Floats,
    covariance: Floats,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Callable[[float], Any] | None,
) -> tuple[Floats, int]:
    """(parameters, resamples) the maximum of each resample that has one; how many have none for who won and tied."""
    contexts, found, torn = likelihood.contexts, [np.empty((likelihood.size, 0))], 0
    at_once = max(1, TABLE // contexts.width)
    for begin in range(0, n_resamples, at_once):
        sums = contexts.drawn(min(at_once, n_resamples - begin), rng)
        whole = has_maximum(likelihood, sums)
        torn += int((~whole).sum())
        if likelihood.davidson:
            whole &= (sums.cells[contexts.outcome != 0] > 0).any(axis=0)  # of ties alone, log nu grows without bound
        sums = some_sums(sums, whole)
        start = np.repeat(estimate, sums.tied.size, axis=1)
        if likelihood.davidson:
            start[-1] = np.where(sums.tied > 0, start[-1], -np.inf)
        if sums.tied.size:
            reached = maximum_nearby(likelihood, sums, start, covariance)
            found.append(reached.parameters[:, reached.found])
        if progress is not None:
            progress(min(begin + at_once, n_resamples) / n_resamples)
    return np.hstack(found), torn


def has_maximum(likelihood: Likelihood, sums: Sums) -> Bools:
    """(draws) as far as wins and ties can tell; with covariates there may still be none."""
    if likelihood.prior:
        return np.ones(sums.tied.size, np.bool_)
    there = connected(likelihood.contexts, sums)
    return there & davidson_has_maximum(likelihood.contexts, sums) if likelihood.davidson else there


def fit_notes(likelihood: Likelihood, estimate: Floats) -> list[str]:
    notes = []
    if likelihood.davidson and not np.isfinite(estimate[-1, 0]):
        notes.append("no comparison is a tie, so Davidson's model is that of Bradley and Terry")
    if likelihood.prior:
        wins = "1 win" if likelihood.prior == 1 else f"{likelihood.prior:g} wins"
        notes.append(f"each system has {wins} and as many losses added against one of mean strength (prior)")
    return notes


def lost_resamples_note(lost: int, n_resamples: int, driven: int = 0, names: Sequence[str] = ()) -> tuple[str, ...]:
    """What is said of resamples without most likely strengths; nothing where there are none.

    driven: those among them in which wins lead from each system to each other one, so that something else, as one of
    the covariates `names`, drives the strengths away.
    """
    said = []
    if lost > driven:
        said.append(
            f"{skipped_resamples(lost - driven, n_resamples)}: in them some systems won or lost everything, so that no "
            "strengths are most likely; intervals may be too narrow, and a prior would keep all"
        )
    if driven:
        why = "there are next to no decided comparisons"
        if names:
            decide = "decides" if len(names) == 1 else "decide"
            why = f"{join_names(map(repr, names))} {decide} every comparison as far as the strengths do not"
        said.append(
            f"{skipped_resamples(driven, n_resamples)}: in them {why}, so that nothing is most likely; intervals may be too "
            "narrow" + (", and leaving out what decides would keep all" if names else "")
        )
    return tuple(said)


def skipped_resamples(n: int, of: int) -> str:
    return f"{n} of {of} resamples {'is' if n == 1 else 'are'} left out"

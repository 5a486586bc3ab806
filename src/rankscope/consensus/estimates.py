"""The models behind a leaderboard, each as an estimate of log-abilities and draws of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.consensus.bradley_terry import (
    BradleyTerryFit,
    draws_from_covariance,
    fit_preferences,
    lost_resamples_note,
)
from rankscope.consensus.luce import LuceModel, plackett_luce_covariance
from rankscope.consensus.misfit import plackett_luce_misfit
from rankscope.consensus.pairwise import preference_matrix
from rankscope.consensus.transitivity import deviance_from_pairs
from rankscope.consensus.weight_unit import check_least, check_prior, in_weight_units, weight_unit
from rankscope.data.preferences import Preferences
from rankscope.data.votes import Votes
from rankscope.data.wording import format_p_value, pluralise
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.stats.inputs import as_generator
from rankscope.typing import Floats, Ints

__all__ = ["LeaderboardSettings", "Estimate", "estimate_from_preferences", "estimate_from_votes"]


#: A p-value below says that the model does not fit.
LEVEL = 0.05
#: Votes drawn to see whether the model fits, and comparisons that this may take.
DRAWS, LONG = 199, 300_000_000
#: Draws of logarithms are cut here, where the information says next to nothing.
LARGEST = 700.0
#: Numbers that a resample is taken to have at least: few resamples at once, so that the bar moves.
NARROW = 1 << 15


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings:
    """Which model, and which draws of it: by the bootstrap, or from the information matrix."""

    model: str
    covariates: tuple[str, ...]
    position: bool
    prior: float
    unranked: str
    interval: str
    n_resamples: int
    seed: int
    progress: Callable[[float], Any] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """What a model says of the data: row 0 of each array is the estimate, the others are draws.

    abilities: (1 + draws, systems), logarithms of odds, mean 0. tie: (1 + draws), 0 where ties are half wins. effects:
    (1 + draws) each. seen: (systems, systems) how much the row won against the column, by weight, a tie half. fit: how
    well the model fits, in words. lost: draws without a solution, which are not among these.
    """

    systems: tuple[str, ...]
    abilities: Floats
    tie: Floats
    effects: Mapping[str, Floats]
    seen: Floats
    fit: tuple[str, ...]
    lost: int
    notes: tuple[str, ...]


def estimate_from_preferences(preferences: Preferences, asked: LeaderboardSettings) -> Estimate:
    """Bradley and Terry's model, or Davidson's. Raises as `fit_preferences`."""
    resampled = asked.interval == "bootstrap"
    fitted = fit_preferences(
        preferences,
        ties="davidson" if asked.model == "davidson" else "half",
        covariates=asked.covariates,
        position=asked.position,
        prior=asked.prior,
        n_resamples=asked.n_resamples if resampled else 0,
        rng=asked.seed,
        progress=progress_in_steps(asked.progress),
    )
    abilities, log_tie, effects = fitted.ratings, fitted.tie_parameter, dict(fitted.effects)
    if not resampled:
        abilities, effects, log_tie = joint_draws(fitted, asked)
    tie = np.zeros(len(abilities)) if asked.model != "davidson" else np.exp(np.minimum(log_tie, LARGEST))
    return Estimate(
        systems=preferences.systems,
        abilities=abilities,
        tie=tie,
        effects=effects,
        seen=observed_wins(preferences),
        fit=() if effects else fit_of_pairs(preferences, fitted),
        lost=fitted.lost,
        notes=fitted.notes,
    )


def joint_draws(fitted: BradleyTerryFit, asked: LeaderboardSettings) -> tuple[Floats, dict[str, Floats], Floats]:
    """Ratings, effects and log nu, each with draws below the estimate, that vary together as the information says."""
    estimate = np.concatenate([fitted.ratings[0], *fitted.effects.values(), fitted.tie_parameter[:1]])
    n, size = fitted.ratings.shape[1], len(fitted.joint)
    scale = np.ones(size)  # effects of numbers as great as lengths are small: rounding must not be as great as they
    errors = np.sqrt(np.diagonal(fitted.joint)[n:])
    scale[n:] = np.where(errors > 0, errors, 1.0)
    joint = fitted.joint / scale / scale[:, None]
    noise = draws_from_covariance(np.zeros(size), joint, asked.n_resamples, as_generator(asked.seed)) * scale
    noise = np.vstack([np.zeros(size), noise])
    noise = np.hstack([noise, np.zeros((len(noise), estimate.size - size))])  # without ties of their own
    values = (estimate + noise).T
    return values[:n].T, dict(zip(fitted.effects, values[n:], strict=False)), values[-1]


def fit_of_pairs(preferences: Preferences, fitted: BradleyTerryFit) -> tuple[str, ...]:
    """Whether one rating a system explains who wins against whom."""
    found = deviance_from_pairs(preferences, fitted)
    if np.isnan(found.pvalue):
        return ()
    what = (
        f"(deviance {found.deviance:.1f}, {pluralise(found.df, 'degree')} of freedom, p {format_p_value(found.pvalue)})"
    )
    if found.pvalue < LEVEL:
        text = "one rating a system does not explain all of who wins against whom: pairs differ by more than chance"
    else:
        text = "who wins against whom is not further from one rating a system than chance makes it"
    return (f"{text} {what}", *found.notes)


def fit_of_votes(votes: Votes, abilities: Floats, asked: LeaderboardSettings) -> tuple[str, ...]:
    """The same of votes, by votes drawn from the model; nothing where that would take long."""
    if votes.ranks.size * len(votes.items) * DRAWS > LONG:
        return ()
    rng = as_generator([asked.seed, 1])
    found = plackett_luce_misfit(
        votes, abilities, unranked=asked.unranked, prior=asked.prior, n_resamples=DRAWS, rng=rng
    )
    return (found.note,)


def progress_in_steps(progress: Callable[[float], Any] | None) -> Callable[[float], Any] | None:
    """Told the share that is done in all, it tells what was just done."""
    if progress is None:
        return None
    done = 0.0

    def tell(share: float) -> None:
        nonlocal done
        progress(share - done)
        done = share

    return tell


def observed_wins(preferences: Preferences) -> Floats:
    """(systems, systems) by weight, how much the row won against the column, a tie half."""
    n = len(preferences.systems)
    share = preferences.weight * (1 + preferences.outcome) / 2
    forth = np.bincount(preferences.left * n + preferences.right, share, n * n)
    back = np.bincount(preferences.right * n + preferences.left, preferences.weight - share, n * n)
    return np.asarray((forth + back).reshape(n, n))


def estimate_from_votes(votes: Votes, asked: LeaderboardSettings, unit: Ints | None = None) -> Estimate:
    """Plackett and Luce's model. unit: (voters) which votes hang together. Raises as `fit_plackett_luce`."""
    check_least(votes.weights)
    check_prior(votes.weights, asked.prior)
    size = weight_unit(votes.weights)
    light, prior = replace(votes, weights=in_weight_units(votes.weights)), asked.prior / size
    model = LuceModel.of(light, asked.unranked, prior)
    model.refuse_unsolvable(light.weights)
    best = model.best(light.weights)
    rng, lost = as_generator(asked.seed), 0
    if asked.interval == "bootstrap":
        unit = np.arange(len(votes.voters)) if unit is None else unit
        drawn, lost = resample_votes(model, best, asked, unit, rng)
    else:
        covariance = plackett_luce_covariance(light, log_worths=best, unranked=asked.unranked, prior=prior) / size
        drawn = draws_from_covariance(best, covariance, asked.n_resamples, rng)
    abilities = np.vstack([best, drawn])
    return Estimate(
        systems=votes.items,
        abilities=abilities,
        tie=np.zeros(len(abilities)),
        effects={},
        seen=observed_above(votes, asked.unranked),
        fit=fit_of_votes(votes, best, asked),
        lost=lost,
        notes=lost_resamples_note(lost, asked.n_resamples),
    )


def observed_above(votes: Votes, unranked: str) -> Floats:
    """(systems, systems) by weight, how often the row was above the column, half where they are level."""
    above = preference_matrix(votes, unranked)
    there = ~np.isnan(votes.ranks)
    if unranked == "ignore":
        met = (votes.weights[:, None] * there).T @ there
    else:  # of two that a voter left out nobody knows
        met = votes.weights.sum() - (votes.weights[:, None] * ~there).T @ ~there
    found = above + np.maximum(met - above - above.T, 0.0) / 2
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def resample_votes(
    model: LuceModel, best: Floats, asked: LeaderboardSettings, unit: Ints, rng: np.random.Generator
) -> tuple[Floats, int]:
    """(draws, systems) fits to units drawn with replacement, and how many draws have none."""
    votes = model.votes
    units, place = np.unique(unit, return_inverse=True)
    found, lost = [np.empty((0, len(votes.items)))], 0
    width = max(len(votes.voters) if model.quick else votes.ranks.size, NARROW)
    for counts in bootstrap_counts(draw(rng, asked.n_resamples), units.size, width):
        weights = counts[:, place] * votes.weights
        good = model.solvable(weights)
        lost += int((~good).sum())
        if good.any():
            found.append(model.fits(weights[good], best, votes.weights))
        if asked.progress is not None:
            asked.progress(len(counts) / asked.n_resamples)
    return np.vstack(found), lost

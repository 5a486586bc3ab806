"""The models behind a leaderboard, each as an estimate of log-abilities and draws of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.consensus.bradley_terry import Fitted, draws_from_covariance, fit_preferences
from rankscope.consensus.luce import connected, fit_plackett_luce, plackett_luce_covariance
from rankscope.consensus.misfit import plackett_luce_misfit
from rankscope.consensus.pairwise import preference_matrix
from rankscope.consensus.transitivity import deviance_from_pairs
from rankscope.data.preferences import Preferences
from rankscope.data.votes import Votes
from rankscope.data.wording import counted, said_p
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.stats.inputs import as_generator

__all__ = ["Asked", "Estimate", "from_preferences", "from_votes"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: A p-value below says that the model does not fit.
LEVEL = 0.05
#: Votes drawn to see whether the model fits, and comparisons that this may take.
DRAWS, LONG = 199, 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Asked:
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


def from_preferences(preferences: Preferences, asked: Asked) -> Estimate:
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
        progress=steps_of(asked.progress),
    )
    abilities, log_tie, effects = fitted.ratings, fitted.tie_parameter, dict(fitted.effects)
    if not resampled:
        rng = as_generator(asked.seed)
        abilities = np.vstack(
            [abilities, draws_from_covariance(abilities[0], fitted.covariance, asked.n_resamples, rng)]
        )
        noise = {name: error * rng.standard_normal(asked.n_resamples) for name, error in fitted.errors.items()}
        effects = {name: np.append(found, found + noise[name]) for name, found in effects.items()}
        log_tie = np.append(log_tie, log_tie + noise.get("ties", np.zeros(asked.n_resamples)))
    tie = np.zeros(len(abilities)) if asked.model != "davidson" else np.exp(log_tie)
    return Estimate(
        systems=preferences.systems,
        abilities=abilities,
        tie=tie,
        effects=effects,
        seen=seen_wins(preferences),
        fit=() if effects else fit_of_pairs(preferences, fitted),
        lost=fitted.lost,
        notes=fitted.notes,
    )


def fit_of_pairs(preferences: Preferences, fitted: Fitted) -> tuple[str, ...]:
    """Whether one rating a system explains who wins against whom."""
    found = deviance_from_pairs(preferences, fitted)
    if np.isnan(found.pvalue):
        return ()
    what = f"(deviance {found.deviance:.1f}, {counted(found.df, 'degree')} of freedom, p {said_p(found.pvalue)})"
    if found.pvalue < LEVEL:
        text = "one rating a system does not explain all of who wins against whom: pairs differ by more than chance"
    else:
        text = "who wins against whom is not further from one rating a system than chance makes it"
    return (f"{text} {what}", *found.notes)


def fit_of_votes(votes: Votes, abilities: Floats, asked: Asked) -> tuple[str, ...]:
    """The same of votes, by votes drawn from the model; nothing where that would take long."""
    if votes.ranks.size * len(votes.items) * DRAWS > LONG:
        return ()
    rng = as_generator([asked.seed, 1])
    found = plackett_luce_misfit(
        votes, abilities, unranked=asked.unranked, prior=asked.prior, n_resamples=DRAWS, rng=rng
    )
    return (found.note,)


def steps_of(progress: Callable[[float], Any] | None) -> Callable[[float], Any] | None:
    """Told the share that is done in all, it tells what was just done."""
    if progress is None:
        return None
    done = 0.0

    def tell(share: float) -> None:
        nonlocal done
        progress(share - done)
        done = share

    return tell


def seen_wins(preferences: Preferences) -> Floats:
    """(systems, systems) by weight, how much the row won against the column, a tie half."""
    n = len(preferences.systems)
    share = preferences.weight * (1 + preferences.outcome) / 2
    forth = np.bincount(preferences.left * n + preferences.right, share, n * n)
    back = np.bincount(preferences.right * n + preferences.left, preferences.weight - share, n * n)
    return np.asarray((forth + back).reshape(n, n))


def from_votes(votes: Votes, asked: Asked, unit: Ints | None = None) -> Estimate:
    """Plackett and Luce's model. unit: (voters) which votes hang together. Raises as `fit_plackett_luce`."""
    best = fit_plackett_luce(votes, votes.weights[None], unranked=asked.unranked, prior=asked.prior)
    rng, lost = as_generator(asked.seed), 0
    if asked.interval == "bootstrap":
        drawn, lost = resampled_votes(votes, asked, np.arange(len(votes.voters)) if unit is None else unit, rng)
    else:
        covariance = plackett_luce_covariance(votes, log_worths=best[0], unranked=asked.unranked, prior=asked.prior)
        drawn = draws_from_covariance(best[0], covariance, asked.n_resamples, rng)
    notes = []
    if lost:
        notes.append(
            f"{lost} of {asked.n_resamples} resamples are left out: in them some systems won or lost everything, so "
            "that no strengths are most likely; intervals may be too narrow, and a prior would keep all"
        )
    abilities = np.vstack([best, drawn])
    return Estimate(
        systems=votes.items,
        abilities=abilities,
        tie=np.zeros(len(abilities)),
        effects={},
        seen=seen_above(votes, asked.unranked),
        fit=fit_of_votes(votes, best[0], asked),
        lost=lost,
        notes=tuple(notes),
    )


def seen_above(votes: Votes, unranked: str) -> Floats:
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


def resampled_votes(votes: Votes, asked: Asked, unit: Ints, rng: np.random.Generator) -> tuple[Floats, int]:
    """(draws, systems) fits to units drawn with replacement, and how many draws have none."""
    units, place = np.unique(unit, return_inverse=True)
    found, lost = [], 0
    for counts in bootstrap_counts(draw(rng, asked.n_resamples), units.size, max(votes.ranks.size // 8, 1)):
        weights = counts[:, place] * votes.weights
        if not asked.prior:
            good = connected(votes, weights, asked.unranked == "ignore")
            lost += int((~good).sum())
            weights = weights[good]
        if len(weights):
            found.append(fit_plackett_luce(votes, weights, unranked=asked.unranked, prior=asked.prior))
        if asked.progress is not None:
            asked.progress(len(counts) / asked.n_resamples)
    return (np.vstack(found) if found else np.empty((0, len(votes.items)))), lost

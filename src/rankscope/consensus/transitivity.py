"""Whether one strength a system explains who wins against whom, or whether each two systems have their own rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.consensus.bradley_terry import BradleyTerryFit
from rankscope.consensus.first_order import likelihood_at_estimate
from rankscope.data.preferences import Preferences
from rankscope.data.wording import pluralise
from rankscope.stats.distributions import special
from rankscope.typing import Floats

__all__ = ["Deviance", "deviance_from_pairs"]


#: The chi-square distribution needs so many expected of each outcome (Cochran 1954), in all but a fifth of the cells.
EXPECTED, SPARSE = 5.0, 0.2


class Deviance(NamedTuple):
    """deviance: twice the log-likelihood that a probability for each two systems gains, at least 0. df: how many more
    parameters that takes. pvalue: of so large a deviance were the model right; NaN without degrees of freedom.
    """

    deviance: float
    df: int
    pvalue: float
    notes: tuple[str, ...] = ()


def deviance_from_pairs(preferences: Preferences, fitted: BradleyTerryFit) -> Deviance:
    """The estimate against a model in which each two systems have probabilities of their own.

    A small p-value: strengths on one scale do not explain who wins against whom, as where A beats B, B beats C and C
    beats A more often than by chance. Where there are covariates, two systems have a probability of their own for each
    value of them. Weights count as so many comparisons, and comparisons as independent.

    The p-value is NaN where the estimate has as many parameters as there are probabilities. Notes say where it is not
    to be trusted: few comparisons of a pair, ties as half wins (it is then too large), weights, a prior.

    Raises ParameterError where the preferences are not those of the estimate.

    Source: the likelihood-ratio statistic, chi-square by Wilks (1938); Bradley and Terry (1952, section 5) for pairs.

    >>> from rankscope.consensus.bradley_terry import fit_preferences
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
        three = (-1, 0, 1) if sums.tied[0] > 0 else (-1, 1)
        seen = np.column_stack([np.bincount(contexts.context, cells * (outcome == o), games.size) for o in three])
        share = np.column_stack([1 - decided if o == 0 else decided / 2 + o * mean for o in three])
    else:
        seen = np.column_stack([games / 2 - lead, games / 2 + lead])
        share = np.column_stack([0.5 - mean, 0.5 + mean])
    expected = games[:, None] * share
    whole = float(2 * (special().xlogy(seen, seen) - special().xlogy(seen, expected)).sum())
    estimated = contexts.n - 1 + len(fitted.effects) + (seen.shape[1] == 3)
    df = max(games.size * (seen.shape[1] - 1) - estimated, 0)
    pvalue = float(special().chdtrc(df, max(whole, 0.0))) if df else float("nan")
    return Deviance(max(whole, 0.0), df, pvalue, tuple(pvalue_notes(preferences, fitted, expected)))


def pvalue_notes(preferences: Preferences, fitted: BradleyTerryFit, expected: Floats) -> list[str]:
    notes, few = [], int((expected < EXPECTED).sum())
    if few > SPARSE * expected.size:
        outcomes = pluralise(expected.size, "outcome")
        notes.append(f"the p-value is rough: fewer than {EXPECTED:g} are expected of {few} of {outcomes}")
    if np.isnan(fitted.tie_parameter[0]) and not preferences.outcome.all():
        notes.append("ties are half wins, so the p-value is too large; Davidson's model has one that fits")
    if (preferences.weight != 1).any():
        notes.append("a comparison counts as many times as it weighs, also for the p-value")
    if preferences.unit is not None:
        notes.append("the p-value takes comparisons as independent, also those of one unit, and may be too small")
    if fitted.prior:
        notes.append("the prior draws strengths together, so the deviance is larger and the p-value smaller")
    return notes

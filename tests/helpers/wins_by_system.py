"""Wins of each system, as observed and as a fit of Bradley and Terry's model expects them, one comparison at a time."""

from typing import NamedTuple

import numpy as np

from rankscope import Preferences
from rankscope.consensus.models import BradleyTerryFit
from rankscope.typing import Floats

__all__ = ["SystemWins", "wins_by_system"]


class SystemWins(NamedTuple):
    """(systems) by weight, a tie half a win; those of a prior are among them."""

    observed: Floats
    expected: Floats


def wins_by_system(preferences: Preferences, fitted: BradleyTerryFit) -> SystemWins:
    """They are equal at the solution (Ford 1957; with ties Davidson 1970, equation 3.2).

    With a prior, both include its wins, and differ by the same number for all systems, since the mean is held at 0.
    """
    strengths, n = fitted.ratings[0], len(preferences.systems)
    tie = 0.0 if np.isnan(fitted.tie_parameter[0]) else float(np.exp(fitted.tie_parameter[0]))
    observed = np.full(n, fitted.prior)
    expected = fitted.prior * 2 / (1 + np.exp(-strengths))
    for row in range(len(preferences)):
        left, right, weight = int(preferences.left[row]), int(preferences.right[row]), float(preferences.weight[row])
        log_odds = strengths[left] - strengths[right]
        for name, effect in fitted.effects.items():
            log_odds += effect[0] * (preferences.covariates[name][row] if name in preferences.covariates else 1)
        win, loss = np.exp(log_odds / 2), np.exp(-log_odds / 2)
        left_share = (win + tie / 2) / (win + loss + tie)
        expected[left] += weight * left_share
        expected[right] += weight * (1 - left_share)
        observed[left] += weight * (1 + preferences.outcome[row]) / 2
        observed[right] += weight * (1 - preferences.outcome[row]) / 2
    return SystemWins(observed, expected)

"""Whether strengths are those of a maximum: then each system is expected to win as often as it did."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.consensus.bradley_terry import BradleyTerryFit
from rankscope.consensus.contexts import POSITION, Contexts, contexts_of
from rankscope.consensus.likelihood import Likelihood, Point
from rankscope.data.preferences import Preferences
from rankscope.errors import ParameterError
from rankscope.typing import Floats

__all__ = ["SystemWins", "likelihood_at_estimate", "wins_by_system"]


class SystemWins(NamedTuple):
    """(systems) by weight, a tie half a win; those of a prior are among them."""

    observed: Floats
    expected: Floats


def wins_by_system(preferences: Preferences, fitted: BradleyTerryFit) -> SystemWins:
    """How often each system won, and how often it should have by the estimate, in the games that it played.

    Both are the same for the most likely strengths. With a prior both hold its wins, too, and the two differ by one
    number for all systems, since their mean strength is held at 0.

    Raises ParameterError where the preferences are not those of the estimate.

    Source: Bradley and Terry (1952), Ford (1957); Davidson (1970, equation 3.2) with ties.

    >>> from rankscope.consensus.bradley_terry import fit_preferences
    >>> seen = Preferences.of([("A", "B", "A")] * 3 + [("A", "B", "B")])
    >>> wins = wins_by_system(seen, fit_preferences(seen))
    >>> wins.observed.tolist(), wins.expected.round(9).tolist()
    ([3.0, 1.0], [3.0, 1.0])
    """
    contexts, likelihood, point = likelihood_at_estimate(preferences, fitted)
    sums, n = contexts.observed(), contexts.n
    played = (abs(likelihood.signs) @ sums.games)[:, 0]
    observed = played / 2 + (likelihood.signs @ sums.lead)[:, 0]
    expected = played / 2 + (likelihood.signs @ (sums.games * point.mean))[:, 0]
    more = fitted.prior * (1 + np.tanh(point.parameters[:n, 0] / 2))
    return SystemWins(np.asarray(observed + fitted.prior), np.asarray(expected + more))


def likelihood_at_estimate(preferences: Preferences, fitted: BradleyTerryFit) -> tuple[Contexts, Likelihood, Point]:
    """The contexts that the estimate is of, and what the likelihood says there."""
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

"""The size of weights, taken out before a model is fitted: only proportions count, and squares must stay numbers."""

from __future__ import annotations

import numpy as np

from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats

__all__ = ["check_least", "check_prior", "floored", "in_weight_units", "weight_unit"]


#: Where variances are asked for, the greatest weight is not below this; a prior is at most so many times as great.
LEAST, MOST = 1e-100, 1e100
#: What becomes of weights that next to the greatest are nothing.
NOTHING = 1e-100


def weight_unit(weights: Floats) -> float:
    """A power of two at most as great as the greatest weight, so that division by it changes no digit.

    >>> weight_unit(np.array([1.0, 5.0]))
    4.0
    """
    return float(2.0 ** (int(np.frexp(weights.max())[1]) - 1))


def in_weight_units(weights: Floats) -> Floats:
    """Weights divided by their `weight_unit`, and above 0."""
    return floored(weights / weight_unit(weights), weights)


def floored(quotients: Floats, weights: Floats) -> Floats:
    """Quotients of weights, above 0 where the weights are."""
    return np.where(weights > 0, np.maximum(quotients, NOTHING), 0.0)


def check_least(weights: Floats) -> None:
    """Raises InputError for weights that are all next to 0: variances would be beyond all numbers."""
    if weights.max() < LEAST:
        raise InputError(
            f"the weights, up to {weights.max():g}, are less than can be computed with ({LEAST:g}); multiply all of "
            "them by the same number"
        )


def check_prior(weights: Floats, prior: float) -> None:
    """Raises ParameterError for a prior that no weight comes near to."""
    if prior > MOST * float(weights.max()):
        raise ParameterError(
            f"prior is {prior:g}, more than {MOST:g} times the greatest weight, {weights.max():g}; expected about as "
            "much as a comparison or a vote weighs, as 0.5 where these weigh 1"
        )

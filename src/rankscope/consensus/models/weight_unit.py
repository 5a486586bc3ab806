"""Scaling weights before a model is fitted: only proportions count, and squares must not overflow or vanish."""

from __future__ import annotations

import numpy as np

from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats

__all__ = ["check_least", "check_prior", "in_weight_units", "keep_positive", "weight_unit"]


#: For variances, the greatest weight is at least the first; a prior is at most the second times as great.
LEAST, MOST = 1e-100, 1e100
#: Weights below this share of the greatest are raised to it.
NOTHING = 1e-100


def weight_unit(weights: Floats) -> float:
    """The greatest power of two that is at most the greatest weight; division by it is exact.

    >>> weight_unit(np.array([1.0, 5.0]))
    4.0
    """
    return float(2.0 ** (int(np.frexp(weights.max())[1]) - 1))


def in_weight_units(weights: Floats) -> Floats:
    """Weights divided by their `weight_unit`, and above 0."""
    return keep_positive(weights / weight_unit(weights), weights)


def keep_positive(quotients: Floats, weights: Floats) -> Floats:
    """Quotients of weights, kept above 0 where the weights are."""
    return np.where(weights > 0, np.maximum(quotients, NOTHING), 0.0)


def check_least(weights: Floats) -> None:
    """Raises InputError for weights that are all nearly 0: variances would overflow."""
    if weights.max() < LEAST:
        raise InputError(
            f"the weights, up to {weights.max():g}, are less than can be computed with ({LEAST:g}); multiply all of "
            "them by the same number"
        )


def check_prior(weights: Floats, prior: float) -> None:
    """Raises ParameterError for a prior far above all weights."""
    if prior > MOST * float(weights.max()):
        raise ParameterError(
            f"prior is {prior:g}, more than {MOST:g} times the greatest weight, {weights.max():g}; expected about as "
            "much as a comparison or a vote weighs, as 0.5 where these weigh 1"
        )

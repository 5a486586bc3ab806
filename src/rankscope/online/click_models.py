"""Click models: users who examine a list from the top, and click on what attracts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.inputs import as_generator, check_choice, check_positive
from rankscope.typing import Bools, Floats

__all__ = [
    "CLICK_MODELS",
    "examination",
    "simulate_clicks",
]


POSITION_BASED, CASCADE, DYNAMIC_BAYESIAN = "position-based", "cascade", "dynamic-bayesian"
CLICK_MODELS = (POSITION_BASED, CASCADE, DYNAMIC_BAYESIAN)


def examination(length: int, eta: float = 1.0) -> Floats:
    """(length) the probability that a user of the position-based model examines each rank: 1 / rank^eta.

    >>> examination(3).round(2).tolist()
    [1.0, 0.5, 0.33]
    """
    return np.asarray(np.arange(1, length + 1, dtype=np.float64) ** -eta)


def simulate_clicks(
    attraction: npt.ArrayLike,
    model: str = "position-based",
    *,
    eta: float = 1.0,
    satisfaction: npt.ArrayLike = 0.5,
    continuation: float = 0.9,
    rng: Any = None,
) -> Bools:
    """Simulate the clicks of users on lists.

    Parameters
    ----------
    attraction
        The probability that a user clicks on a document that is examined, (impressions, length).
    model
        "position-based": a rank is examined with probability 1 / rank^eta, whatever else happens. "cascade": from the
        top, until the first click. "dynamic-bayesian": from the top; after a click the user is satisfied and stops with
        a probability, and else goes on to the next rank with another one.
    eta
        Exponent of the position-based model, at least 0.
    satisfaction
        For the dynamic Bayesian model the probability of being satisfied by a clicked document, of the shape of
        `attraction` or one number.
    continuation
        For the dynamic Bayesian model the probability of going on, in [0, 1].
    rng
        Seed or `numpy.random.Generator`.

    Returns
    -------
    array
        Whether each document was clicked, (impressions, length).

    Raises
    ------
    ParameterError
        The model is unknown, or a probability is outside [0, 1].

    References
    ----------
    Richardson, Dominowska and Ragno (2007) for the position-based, Craswell, Zoeter, Taylor and Ramsey (2008) for the
    cascade, Chapelle and Zhang (2009) for the dynamic Bayesian model; Chuklin, Markov and de Rijke (2015), "Click
    models for web search", chapter 3.

    Examples
    --------
    >>> simulate_clicks([[1.0, 1.0, 0.0]] * 2, "cascade", rng=1).tolist()
    [[True, False, False], [True, False, False]]
    """
    check_choice("model", model, CLICK_MODELS)
    check_positive("eta", eta, zero=True)
    chance = np.atleast_2d(np.asarray(attraction, np.float64))
    satisfied_chance = np.broadcast_to(np.asarray(satisfaction, np.float64), chance.shape)
    for name, values in (("attraction", chance), ("satisfaction", satisfied_chance), ("continuation", continuation)):
        if not ((np.asarray(values) >= 0) & (np.asarray(values) <= 1)).all():
            raise ParameterError(f"{name} has a number outside [0, 1], expected probabilities")
    generator = as_generator(rng)
    attracts = generator.random(chance.shape) < chance
    if model == POSITION_BASED:
        return np.asarray(attracts & (generator.random(chance.shape) < examination(chance.shape[1], eta)))
    if model == CASCADE:
        return np.asarray(attracts & (np.cumsum(attracts, axis=1) == 1))
    stops = generator.random(chance.shape) < np.where(
        attracts, satisfied_chance + (1 - satisfied_chance) * (1 - continuation), 1 - continuation
    )
    has_stopped = np.cumsum(stops, axis=1) - stops > 0
    return np.asarray(attracts & ~has_stopped)

"""Group-sequential tests: bounds for several looks at growing data that together keep one significance level.

A spending function says how much of the level is used up by the time a share of the planned queries is there. The bound
of a look is such that under no difference the chance to cross it, and none before, is what is newly spent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_choice, check_share
from rankscope.typing import Floats

__all__ = [
    "SPENDING",
    "SequentialBounds",
    "sequential_bounds",
    "spent_level",
]


#: Spending functions by name, and what they are like.
SPENDING = {
    "obrien-fleming": "little at early looks, nearly all of the level at the last one",
    "pocock": "about alike at all looks",
}
#: Standard deviations beyond which nothing of a normal distribution is left; sums so far down cross no later bound.
FAR, FAR_DOWN = 9.0, 7.0
#: Nodes in each piece of the integration over one look, pieces at most, and nodes for a standard deviation of the step.
NODES, MAX_PIECES, NODES_PER_STEP = 32, 40, 2.5
#: Most steps of Newton's method, and the relative error of a chance at which it ends.
STEPS, CLOSE = 60, 1e-10
#: The least share of the level that a look may spend; less is nothing.
NOTHING = 1e-15


@dataclass(frozen=True, eq=False, kw_only=True)
class SequentialBounds:
    """The bounds of all looks.

    Attributes
    ----------
    times
        The share of the planned queries at each look, in (0, 1], (looks).
    spent
        How much of the level is used up after each look, (looks).
    bound
        The standard normal value that a one-sided test must reach at each look, (looks); infinite where nothing is
        spent.
    level
        The p-value that a one-sided test must not exceed at each look, (looks): 1 - Phi(bound).
    """

    times: Floats
    spent: Floats
    bound: Floats
    level: Floats


def spent_level(times: npt.ArrayLike, *, alpha: float = 0.05, spending: str = "obrien-fleming") -> Floats:
    """How much of a one-sided level is used up when a share of the planned queries is there.

    Parameters
    ----------
    times
        Shares of the planned queries, in (0, 1], of any shape.
    alpha
        One-sided level in all, in (0, 1).
    spending
        "obrien-fleming": 2 (1 - Phi(z / sqrt(t))), z the quantile of 1 - alpha / 2; "pocock": alpha ln(1 + (e - 1) t).

    Returns
    -------
    array
        The shape of `times`; alpha at time 1.

    Raises
    ------
    ParameterError
        A time is outside (0, 1], the level is outside (0, 1), or the name is unknown.

    References
    ----------
    Lan and DeMets (1983), "Discrete sequential boundaries for clinical trials".

    Examples
    --------
    >>> spent_level([0.2, 1.0], alpha=0.025, spending="pocock").round(6).tolist()
    [0.007385, 0.025]
    """
    check_share("alpha", alpha)
    check_choice("spending", spending, tuple(SPENDING))
    t = np.asarray(times, np.float64)
    if not ((t > 0) & (t <= 1)).all():
        raise ParameterError(f"times are {t.tolist()}, expected shares of the planned queries, above 0 and at most 1")
    if spending == "pocock":
        return np.asarray(alpha * np.log1p((np.e - 1) * t))
    functions = special()
    return np.asarray(2 * functions.ndtr(functions.ndtri(alpha / 2) / np.sqrt(t)))


def sequential_bounds(
    times: npt.ArrayLike, *, alpha: float = 0.05, spending: str = "obrien-fleming"
) -> SequentialBounds:
    """The bounds of a one-sided test at each of several looks, so that all together err with probability alpha.

    Parameters
    ----------
    times
        The share of the planned queries at each look, rising, in (0, 1], (looks).
    alpha
        One-sided level of all looks together, in (0, 1).
    spending
        How the level is spread over the looks, "obrien-fleming" or "pocock"; see `spent_level`.

    Returns
    -------
    SequentialBounds
        The bounds. What is planned after a look changes none of the bounds up to it.

    Raises
    ------
    ParameterError
        Times do not rise or are outside (0, 1], the level is outside (0, 1), or the name is unknown.

    Notes
    -----
    The sum of the values seen up to time t is normal with variance t. Its density among those that have not crossed a
    bound is integrated from look to look.

    References
    ----------
    Armitage, McPherson and Rowe (1969), "Repeated significance tests on accumulating data"; Lan and DeMets (1983). The
    bounds agree with R's gsDesign and with PyPI's gsdesign.

    Examples
    --------
    >>> sequential_bounds([0.2, 0.4, 0.6, 0.8, 1.0], alpha=0.025).bound.round(3).tolist()
    [4.877, 3.357, 2.68, 2.29, 2.031]
    """
    t = np.atleast_1d(np.asarray(times, np.float64))
    spent = spent_level(t, alpha=alpha, spending=spending)
    if t.ndim != 1 or (np.diff(t) <= 0).any():
        raise ParameterError(f"times are {t.tolist()}, expected shares that rise from look to look")
    increments = np.diff(spent, prepend=0.0)
    steps = np.sqrt(np.diff(t, prepend=0.0))
    functions = special()
    bound = np.full(t.size, np.inf)
    # The sums that have crossed no bound: nodes of an integration, and their weights times the density.
    nodes, mass = np.zeros(1), np.ones(1)
    for look, (increment, step) in enumerate(zip(increments.tolist(), steps.tolist(), strict=True)):
        if increment > NOTHING:
            bound[look] = crossing_bound(nodes, mass, step, increment) / np.sqrt(t[look])
        if look + 1 < t.size:
            limit = bound[look] * np.sqrt(t[look])
            nodes, mass = next_masses(nodes, mass, step, min(limit, FAR * np.sqrt(t[look])), t[look], steps[look + 1])
    return SequentialBounds(times=t, spent=spent, bound=bound, level=np.asarray(functions.ndtr(-bound)))


def crossing_bound(nodes: Floats, mass: Floats, step: float, chance: float) -> float:
    """The sum that the next look exceeds with this chance.

    Parameters
    ----------
    nodes, mass
        Sums so far, and their chances.
    step
        Standard deviation of what the look adds.
    chance
        The chance.

    Notes
    -----
    Newton's method on the logarithm of the chance, which is concave in the bound, so that steps from above stay above;
    a bracket holds the first one.
    """
    functions = special()
    low = float(nodes.min()) - FAR * step
    high = float(nodes.max()) + 5 * FAR * step
    bound = float(nodes @ mass / mass.sum())
    for _ in range(STEPS):
        z = (bound - nodes) / step
        beyond = float(mass @ functions.ndtr(-z))
        low, high = (bound, high) if beyond > chance else (low, bound)
        if abs(beyond - chance) <= CLOSE * chance:
            break
        density = float(mass @ np.exp(-z * z / 2)) / (step * np.sqrt(2 * np.pi))
        newton = bound + np.log(beyond / chance) * beyond / density if beyond > 0 and density > 0 else np.inf
        bound = newton if low < newton < high else (low + high) / 2
    return bound


def next_masses(
    nodes: Floats, mass: Floats, step: float, limit: float, time: float, next_step: float
) -> tuple[Floats, Floats]:
    """Nodes and masses of the sums after a look that has crossed nothing: below the limit.

    Parameters
    ----------
    nodes, mass
        Those before the look.
    step
        Standard deviation of what the look adds.
    limit
        The bound of the look, as a sum.
    time
        Share of the queries at the look.
    next_step
        Standard deviation of the next step: the nodes must be near beside it.
    """
    low = -FAR_DOWN * np.sqrt(time)
    n_pieces = int(np.clip(np.ceil(NODES_PER_STEP * (limit - low) / next_step / NODES), 1, MAX_PIECES))
    x, weights = composite_nodes(n_pieces)
    new_nodes = low + (x + 1) * (limit - low) / 2
    z = (new_nodes[:, None] - nodes) * (1 / step)
    z *= z
    z *= -0.5
    density = np.exp(z, out=z) @ mass / (step * np.sqrt(2 * np.pi))
    return new_nodes, weights * (limit - low) / 2 * density


@cache
def composite_nodes(n_pieces: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre in pieces of [-1, 1]."""
    x, weights = np.polynomial.legendre.leggauss(NODES)
    edges = np.linspace(-1, 1, n_pieces + 1)
    middles, half = (edges[1:] + edges[:-1]) / 2, 1 / n_pieces
    return (middles[:, None] + half * x).ravel(), np.tile(weights * half, n_pieces)

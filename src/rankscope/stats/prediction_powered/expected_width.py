"""How wide intervals will be: how human values vary, and how much of that the machine predicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_differences
from rankscope.stats.prediction_powered.single_queries import FEWEST, quantile
from rankscope.typing import Bools, Floats

__all__ = [
    "HumanSpread",
    "combined_half",
    "fewest_enough",
    "spread_of",
]


#: A mean over a distribution is taken over this many equally likely cases.
NODES = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanSpread:
    """How human values vary, and how much of that the machine predicts; arrays of shape (lists).

    Attributes
    ----------
    sd
        Standard deviation of the human values.
    explained
        Share of their variance that a linear regression on the machine's values explains, in [0, 1], adjusted for the
        fit.
    """

    sd: Floats
    explained: Floats

    @property
    def constant(self) -> Bools:
        return np.asarray(~(self.sd > 0), np.bool_)


def spread_of(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> HumanSpread:
    """How well the machine predicts human values.

    Parameters
    ----------
    human, machine
        Values, (lists, queries), at least 5 queries.
    clusters
        The cluster of each query, (queries), at least 5. None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    HumanSpread
        Standard deviation and explained share. With clusters or weights those of clusters: the standard error of the
        mean times the root of the effective number of clusters, and the share that the machine explains of the
        variation between them.

    Raises
    ------
    ParameterError
        Shapes do not fit, a value is NaN, or there are fewer queries.

    Examples
    --------
    >>> result = spread_of([[0.0, 1.0, 2.0, 3.0, 5.0]], [[0.0, 1.0, 2.0, 3.0, 5.0]])
    >>> round(float(result.sd[0]), 4), round(float(result.explained[0]), 4)
    (1.9235, 1.0)
    """
    h, m = as_differences(human, "values of people")[0], as_differences(machine, "values of the machine")[0]
    if h.shape != m.shape or h.shape[1] < FEWEST:
        raise ParameterError(
            f"values of people have shape {h.shape}, of the machine {m.shape}, expected values of the same queries, at "
            f"least {FEWEST}"
        )
    n = h.shape[1]
    x, y = m - m.mean(axis=1, keepdims=True), h - h.mean(axis=1, keepdims=True)
    sd = h.std(axis=1, ddof=1)
    if clusters is not None or weights is not None:
        human_sums, machine_sums = (cluster_sums(z, clusters, weights) for z in (y, x))
        n = human_sums.n
        sd = human_sums.standard_errors * np.sqrt(effective_number(human_sums.weights))
        x, y = (z.sums - z.means[:, None] * z.weights for z in (machine_sums, human_sums))
    xy, xx, yy = (x * y).sum(axis=1), (x * x).sum(axis=1), (y * y).sum(axis=1)
    product = xx * yy
    squared_correlation = np.divide(xy**2, product, out=np.zeros_like(xy), where=(product > 0) & (xy > 0))
    explained = np.clip(1 - (1 - squared_correlation) * (n - 1) / (n - 2), 0.0, 1.0)
    return HumanSpread(sd=sd, explained=explained)


def combined_half(n: int, n_all: int, sd: float, explained: float, *, confidence_level: float = 0.95) -> float:
    """Half the expected width of the combined interval, if people judge n of n_all queries.

    Parameters
    ----------
    n, n_all
        Numbers of queries that people judge, and of all.
    sd, explained
        As of `spread_of`.
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    float
        That of human values alone, t sd / sqrt(n), if it is narrower, as below 6 queries.

    Notes
    -----
    Otherwise, with r = explained, the mean of t sd sqrt(c (1 - r) / n + r v). c is how much greater leave-one-out
    residuals are than plain ones on average, (n / (n - 1))^2 (n - 3) / (n - 4) for normal values; v is what the machine
    leaves, see `left_by_machine`. t has n - 1 degrees of freedom, or n - 2.

    Examples
    --------
    >>> round(combined_half(50, 1000, 0.25, 0.0), 4), round(combined_half(50, 1000, 0.25, 0.8), 4)
    (0.071, 0.0366)
    """
    human_half_width = quantile(n - 1, confidence_level) * sd / np.sqrt(n)
    if n <= FEWEST or n >= n_all:
        return float(human_half_width)
    c = (n / (n - 1)) ** 2 * (n - 3) / (n - 4)
    relative_error = np.sqrt(c * (1 - explained) / n + explained * left_by_machine(n, n_all)).mean()
    return float(min(human_half_width, quantile(n - 2, confidence_level) * sd * relative_error))


@lru_cache(maxsize=1 << 12)
def left_by_machine(n: int, n_all: int) -> Floats:
    """(NODES) the variance that is left of what the machine foretells, in units of it, for as many equally likely
    samples of n of its n_all values, these being normal.

    1 / n_all, were the weight right. In a sample whose values of the machine vary less than all of them, by the factor
    x, the weight is too small by as much; it is the smaller still without a query, by how far that query is out: of the
    sum of squares its share is a Beta variable.
    """
    probabilities = (np.arange(NODES) + 0.5) / NODES
    x = special().gammaincinv((n - 1) / 2, probabilities) * 2 / (n - 1)
    query_share = special().betaincinv(0.5, (n - 2) / 2, probabilities)
    query_share /= query_share.mean() * (n - 1)  # the mean is known
    unjudged_share = 1 - n / n_all
    weight_without = np.minimum(1, (n - 1) / (n - 2) * x[:, None] * (1 - query_share))
    judged_variance = (n - 1) * x * (query_share * (1 - unjudged_share * weight_without) ** 2).mean(axis=1)
    return np.asarray(judged_variance / n + (unjudged_share * np.minimum(1, x)) ** 2 / (n_all - n))


def fewest_enough(is_enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """The smallest number from least to most that is enough, where more are then enough, too; None if none is."""
    if not is_enough(most):
        return None
    low, high = least - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high

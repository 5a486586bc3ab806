"""Importance weighting: the mean reward of a policy from what another one did, weighted by how much likelier it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.cluster_sums import ClusterSums, cluster_codes, effective_number
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_choice, check_positive, check_share, numbers
from rankscope.typing import Floats

__all__ = [
    "ESTIMATORS",
    "ImportanceWeighting",
    "importance_weighting",
    "jackknife_interval",
    "ratio_sums",
]


#: The estimators by name, and what they do.
ESTIMATORS = {
    "ips": "mean of weights times rewards; unbiased",
    "snips": "the same over the mean weight; less variance",
    "clipped": "the same with weights up to a limit; too low, and less variance",
    "dr": "predicted rewards, and the weighted errors of the predictions; unbiased, and less variance",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ImportanceWeighting:
    """An estimate of a mean reward.

    Attributes
    ----------
    estimator
        Its name.
    value
        The estimate.
    low, high
        Its confidence interval; NaN for a single cluster.
    standard_error
        Its standard error, by the jackknife over clusters.
    n
        Number of decisions.
    n_effective
        How many decisions of one weight carry as much: (sum of weights)^2 / sum of their squares.
    confidence_level
        Level of the interval.
    """

    estimator: str
    value: float
    low: float
    high: float
    standard_error: float
    n: int
    n_effective: float
    confidence_level: float


def importance_weighting(
    rewards: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    estimator: str = "snips",
    clip: float | None = None,
    predicted: npt.ArrayLike | None = None,
    predicted_target: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> ImportanceWeighting:
    """Estimate the mean reward of a policy from logged decisions of another one.

    Parameters
    ----------
    rewards
        The reward of each decision, (decisions).
    weights
        The probability of the decision by the policy in question, over its probability by the logging policy; at least
        0, (decisions).
    estimator
        "ips" (inverse propensity scoring), "snips" (self-normalised), "clipped", or "dr" (doubly robust).
    clip
        For "clipped": the largest weight, above 0.
    predicted
        For "dr": the predicted reward of the logged decision, (decisions).
    predicted_target
        For "dr": the predicted mean reward of the policy in question, (decisions).
    clusters
        The cluster of each decision, such as its user, (decisions). None: all are independent.
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    ImportanceWeighting
        The estimate with its interval, by t and the jackknife over clusters.

    Raises
    ------
    ParameterError
        Lengths differ, a weight is below 0, all are 0, or an argument is missing or out of range.

    References
    ----------
    Horvitz and Thompson (1952); Swaminathan and Joachims (2015) for "snips"; Dudik, Langford and Li (2011) for "dr".
    Agrees with open bandit pipeline (obp 0.4.1).

    Examples
    --------
    >>> result = importance_weighting([1.0, 0.0, 1.0, 1.0], [2.0, 0.5, 0.5, 1.0], estimator="ips")
    >>> result.value, round(result.n_effective, 2)
    (0.875, 2.91)
    """
    check_choice("estimator", estimator, tuple(ESTIMATORS))
    check_share("confidence_level", confidence_level)
    reward, weight = numbers(rewards, "rewards"), numbers(weights, "weights")
    refuse_other_shapes(reward, weights=weight)
    if (weight < 0).any() or not weight.any():
        raise ParameterError("a weight is below 0, or all are 0, expected quotients of probabilities")
    if (clip is None) == (estimator == "clipped"):
        raise ParameterError(f"clip is {clip!r} for the estimator {estimator!r}, expected it for 'clipped' only")
    values, masses = weight * reward, np.ones(reward.size)
    if estimator == "snips":
        masses = weight
    elif clip is not None:
        check_positive("clip", clip)
        values = np.minimum(weight, clip) * reward
    elif estimator == "dr":
        if predicted is None or predicted_target is None:
            raise ParameterError("predicted and predicted_target are missing, which the estimator 'dr' needs; add them")
        own, target = numbers(predicted, "predicted"), numbers(predicted_target, "predicted_target")
        refuse_other_shapes(reward, predicted=own, predicted_target=target)
        values = target + weight * (reward - own)
    units = ratio_sums(values, masses, None if clusters is None else cluster_codes(clusters, reward.size))
    error, low, high = jackknife_interval(units.means[0], units.gaps[0], units.df, confidence_level)
    return ImportanceWeighting(
        estimator=estimator,
        value=float(units.means[0]),
        low=low,
        high=high,
        standard_error=error,
        n=reward.size,
        n_effective=effective_number(np.minimum(weight, clip) if clip is not None else weight),
        confidence_level=confidence_level,
    )


def refuse_other_shapes(rewards: Floats, **arrays: Floats) -> None:
    """Raise ParameterError where an array has not one number for each reward."""
    if rewards.ndim != 1 or not rewards.size:
        raise ParameterError(f"rewards have the shape {rewards.shape}, expected one number for each decision")
    for name, array in arrays.items():
        if array.shape != rewards.shape:
            raise ParameterError(f"{name} have the shape {array.shape}, expected {rewards.shape}, as the rewards")


def ratio_sums(values: Floats, masses: Floats, codes: npt.NDArray[np.int64] | None) -> ClusterSums:
    """Sums by cluster, whose quotient is the mean. codes: (decisions) the cluster of each; None for one each."""
    if codes is None:
        return ClusterSums(sums=values[None], weights=masses)
    n = int(codes.max()) + 1
    sums: Floats = np.bincount(codes, values, n).astype(np.float64)
    return ClusterSums(sums=sums[None], weights=np.bincount(codes, masses, n).astype(np.float64))


def jackknife_interval(value: float, gaps: Floats, df: float, confidence_level: float) -> tuple[float, float, float]:
    """Standard error and ends of the interval of an estimate; NaN for a single cluster.

    Parameters
    ----------
    value
        The estimate.
    gaps
        (clusters) the estimate less that without each cluster.
    df
        Degrees of freedom.
    confidence_level
        Level of the interval.
    """
    if gaps.size < 2:
        return np.nan, np.nan, np.nan
    error = float(np.sqrt((gaps.size - 1) / gaps.size * (gaps**2).sum()))
    half_width = float(special().stdtrit(df, (1 + confidence_level) / 2)) * error
    return error, float(value) - half_width, float(value) + half_width

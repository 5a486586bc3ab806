"""RankNet and RankSVM: the logistic and the hinge loss of pairs of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.learning.losses.pairwise.pairs import mean_over_pairs
from rankscope.stats.inputs import check_positive
from rankscope.typing import Floats, Ints, Reals

__all__ = [
    "logistic",
    "logistic_curvature",
    "ranknet",
    "ranksvm",
]


def ranknet(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    sigma: float = 1.0,
    weights: str = "equal",
    curvature: Floats | None = None,
) -> tuple[float, Reals]:
    """RankNet: log(1 + exp(-sigma * (s_i - s_j))) over pairs in which i has the higher grade, the mean of each list.

    Above 0, lower is better; log 2 if all scores are equal.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    sigma
        Steepness of the logistic function.
    weights
        Weight of each pair in the mean of its list: "equal", the difference of "grades", or of "gains" (2 ** grade).
    curvature
        (documents) The second derivatives by each score are added to it.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        weights is another text, or sigma is not above 0.

    Notes
    -----
    A list without pairs has the value 0.

    References
    ----------
    Burges et al. (2005), "Learning to rank using gradient descent", equations 2 and 3 with certain targets; there pairs
    are summed over all lists, here all lists have the same weight.

    Examples
    --------
    >>> value, gradient = ranknet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.tolist()
    (0.693147, [-0.5, 0.5])
    """
    check_positive("sigma", sigma)
    second_derivative = None if curvature is None else (lambda slope: logistic_curvature(slope, sigma))
    return mean_over_pairs(
        lambda x: logistic(x, sigma), scores, relevance, offsets, weights, second_derivative, curvature
    )


def ranksvm(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, margin: float = 1.0, weights: str = "equal"
) -> tuple[float, Reals]:
    """RankSVM's hinge: max(0, margin - (s_i - s_j)) over pairs in which i has the higher grade, the mean of each list.

    At least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    margin
        Difference of scores from which a pair adds nothing.
    weights
        Weight of each pair in the mean of its list: "equal", the difference of "grades", or of "gains" (2 ** grade).

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        weights is another text, or the margin is not above 0.

    Notes
    -----
    A list without pairs has the value 0.

    References
    ----------
    Joachims (2002), "Optimizing search engines using clickthrough data", without the norm of the weights.

    Examples
    --------
    >>> ranksvm(np.array([0.5, 0.0]), np.array([1, 0]), np.array([0, 2]))
    (0.5, array([-1.,  1.]))
    """
    check_positive("margin", margin)
    return mean_over_pairs(lambda x: hinge(x, margin), scores, relevance, offsets, weights)


def logistic(differences: Reals, sigma: float) -> tuple[Reals, Reals]:
    """log(1 + exp(-sigma x)) without overflow, and its derivative."""
    scaled = sigma * differences
    exp_minus_abs = np.exp(-np.abs(scaled))
    value = np.log1p(exp_minus_abs) + np.maximum(-scaled, 0)
    return value, np.asarray(-sigma * np.where(scaled >= 0, exp_minus_abs, 1) / (1 + exp_minus_abs), differences.dtype)


def logistic_curvature(slopes: Reals, sigma: float) -> Reals:
    """The second derivative of `logistic` from its first: sigma^2 p (1 - p) from -sigma p."""
    return np.asarray(-slopes * (sigma + slopes))


def hinge(differences: Reals, margin: float) -> tuple[Reals, Reals]:
    value = np.maximum(margin - differences, 0)
    return value, np.asarray(-(value > 0).astype(differences.dtype))

"""ListNet and softmax cross-entropy: two distributions over which document comes first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.gain import gain_exponential, gain_linear
from rankscope.kernels.segments import group_of, place_in_group
from rankscope.kernels.softmax import log_softmax, softmax
from rankscope.learning.losses.gains import finite_gains
from rankscope.learning.losses.listwise.listmle import likelihood
from rankscope.typing import Ints, Reals

__all__ = [
    "listnet",
    "softmax_cross_entropy",
]


GAINS = {"linear": gain_linear, "exp": gain_exponential}


def listnet(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    k: int = 1,
    rng: np.random.Generator | int | None = None,
    curvature: npt.NDArray[np.float64] | None = None,
) -> tuple[float, Reals]:
    """ListNet: the cross-entropy of the distributions that grades and scores give to the first k of each list.

    Lower is better; at least the entropy of the grades' distribution, reached if scores are the grades plus a constant.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    k
        Number of top ranks. With 1 the distributions are softmax(relevance) and softmax(scores).
    rng
        Seed or generator of the draws, which k above 1 needs.
    curvature
        (documents) The second derivatives by each score are added to it, with k = 1 only.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        k is below 1.

    Notes
    -----
    With k = 1 the gradient of a list is softmax(scores) - softmax(relevance). With k above 1 the distributions are
    those of Plackett and Luce over the ordered k documents, of which there are n (n - 1) ...: one draw for each list
    from the grades' distribution stands for all of them, so value and gradient are right on average.

    References
    ----------
    Cao et al. (2007), "Learning to rank: from pairwise approach to listwise approach", section 4; draws: Luo et al.
    (2015), "Stochastic top-k ListNet".

    Examples
    --------
    >>> value, gradient = listnet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.round(6).tolist()  # log 2; 1/2 - e / (1 + e)
    (0.693147, [-0.231059, 0.231059])
    """
    if k != 1:
        return sampled_top_k(scores, relevance, offsets, k, np.random.default_rng(rng))
    n_lists = offsets.size - 1
    log_shares = log_softmax(scores, offsets)
    target_shares = softmax(relevance.astype(scores.dtype), offsets)
    if curvature is not None:
        curvature += softmax_curvature(log_shares) / n_lists
    return float(-(target_shares * log_shares).sum(dtype=np.float64) / n_lists), np.asarray(
        (np.exp(log_shares) - target_shares) / scores.dtype.type(n_lists)
    )


def sampled_top_k(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, k: int, rng: np.random.Generator
) -> tuple[float, Reals]:
    """Minus the log-likelihood of the first k of an order that is drawn from the grades."""
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k is {k!r}, expected a whole number of at least 1")
    keys = relevance + rng.gumbel(size=relevance.size)  # their falling order is a sample of Plackett and Luce
    order = np.lexsort((-keys, group_of(offsets)))
    stage_weights = (place_in_group(offsets) < k) / (offsets.size - 1)
    sorted_scores = scores[order].astype(np.float64)
    sorted_scores -= np.repeat(np.maximum.reduceat(sorted_scores, offsets[:-1]), np.diff(offsets))
    value, gradient = likelihood(sorted_scores, stage_weights, -np.arange(scores.size), offsets, "random")
    document_gradient = np.empty(scores.size, scores.dtype)
    document_gradient[order] = gradient
    return value, document_gradient


def softmax_cross_entropy(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    gain: str = "linear",
    curvature: npt.NDArray[np.float64] | None = None,
) -> tuple[float, Reals]:
    """The cross-entropy of the shares of gain and softmax(scores) of each list; at least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    gain
        The gain of a document, whose share of its list counts: its grade ("linear") or 2 ** grade - 1 ("exp").
    curvature
        (documents) The second derivatives by each score are added to it.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        gain is another text.

    Notes
    -----
    A list without a grade above 0 has the value 0.

    References
    ----------
    Bruch et al. (2019), "An analysis of the softmax cross entropy loss for learning-to-rank with binary relevance",
    equation 2; exp: XE-NDCG of Bruch (2021) without its draws.

    Examples
    --------
    >>> value, gradient = softmax_cross_entropy(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.tolist()  # log 2
    (0.693147, [-0.5, 0.5])
    """
    if gain not in tuple(GAINS):  # so that unhashable values are refused as well
        raise ParameterError(f"gain is {gain!r}, expected one of {', '.join(map(repr, GAINS))}")
    n_lists, lengths = offsets.size - 1, np.diff(offsets)
    gains = finite_gains(relevance, GAINS[gain])
    gain_totals = np.repeat(np.add.reduceat(gains, offsets[:-1]), lengths)
    target_shares = np.divide(gains, gain_totals, out=np.zeros(gains.size), where=gain_totals > 0).astype(scores.dtype)
    log_shares = log_softmax(scores, offsets)
    if curvature is not None:
        curvature += softmax_curvature(log_shares) * (gain_totals > 0) / n_lists
    gradient = (np.exp(log_shares) * (gain_totals > 0) - target_shares) / scores.dtype.type(n_lists)
    return float(-(target_shares * log_shares).sum(dtype=np.float64) / n_lists), np.asarray(gradient, scores.dtype)


def softmax_curvature(log_shares: Reals) -> Reals:
    """Second derivatives of the logarithm of the sum of exp(scores), from the logarithms of softmax(scores)."""
    shares = np.exp(log_shares)
    return np.asarray(shares * (1 - shares))

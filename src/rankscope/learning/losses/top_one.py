"""Listwise losses that compare two distributions of who comes first: ListNet and softmax cross-entropy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.softmax import log_softmax, softmax

__all__ = ["listnet"]

Ints = npt.NDArray[np.int64]
Reals = npt.NDArray[np.floating[Any]]


def listnet(scores: Reals, relevance: npt.NDArray[Any], offsets: Ints) -> tuple[float, Reals]:
    """ListNet with top-one probabilities: the cross-entropy of softmax(relevance) and softmax(scores) of each list.

    At least the entropy of softmax(relevance), reached where scores are the grades plus a constant; lower is better.
    The gradient of a list is softmax(scores) - softmax(relevance).

    Source: Cao et al. (2007), "Learning to rank: from pairwise approach to listwise approach", section 4 with k = 1.

    >>> value, gradient = listnet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6), gradient.round(6).tolist()  # log 2; 1/2 - e / (1 + e)
    (0.693147, [-0.231059, 0.231059])
    """
    lists = offsets.size - 1
    logs = log_softmax(scores, offsets)
    wanted = softmax(relevance.astype(scores.dtype), offsets)
    return float(-(wanted * logs).sum(dtype=np.float64) / lists), np.asarray(
        (np.exp(logs) - wanted) / scores.dtype.type(lists)
    )

"""The weights of a stacked blend: a linear listwise fit on the parts' scores, no weight below 0."""

from __future__ import annotations

import numpy as np

from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.learning.losses.named import Loss
from rankscope.typing import Floats, Ints

__all__ = ["stacked_weights"]


#: Steps of the search; it is over a few weights, and ends long before.
MAX_STEPS = 200


def stacked_weights(
    scores: Floats, relevance: Ints, offsets: Ints, *, loss: Loss, l2: float = 0.0, max_grade: int | None = None
) -> Floats:
    """(rankers) weights of at least 0 with sum 1, of scores on one scale, (rankers, documents).

    They minimise the mean loss of the lists and l2 / 2 times the squares of their differences from the mean weight,
    which draws them together; their size, which the loss needs, is then left out. Where every weight is best 0, which
    is so where all rankers put documents in a wrong order, they are all the same.
    Raises InputError where all documents of each list have one grade.
    """
    from scipy.optimize import minimize  # only those who stack need it

    starts, lengths = offsets[:-1], np.diff(offsets)
    apart = np.maximum.reduceat(relevance, starts) > np.minimum.reduceat(relevance, starts)
    if not apart.any():
        raise InputError(
            "the validation lists have documents of one grade each, and weights cannot be learned from them; expected "
            "two grades in some, or how='average'"
        )
    rows = ranges(starts[apart], lengths[apart])
    table, grades, cuts = np.ascontiguousarray(scores[:, rows].T), relevance[rows], bounds(lengths[apart])
    n = len(scores)

    def objective(weights: Floats) -> tuple[float, Floats]:
        draws = np.random.default_rng(0)
        value, slope = loss(table @ weights, grades, cuts, rng=draws, max_grade=max_grade)
        away = weights - weights.mean()
        return float(value) + l2 / 2 * float(away @ away), np.asarray(slope @ table + l2 * away)

    found = minimize(
        objective,
        np.full(n, 1 / n),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * n,
        options={"maxiter": MAX_STEPS},
    ).x
    total = float(found.sum())
    return np.asarray(found / total if total > 0 else np.full(n, 1 / n))

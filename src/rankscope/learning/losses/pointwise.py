"""Pointwise losses: the grade of each document by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import refuse_fractions
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.gain import HIGHEST_EXACT_GRADE
from rankscope.learning.losses.finite import finite_loss
from rankscope.typing import Ints, Reals

__all__ = [
    "ordinal",
    "squared",
]


@finite_loss
def squared(scores: Reals, relevance: npt.NDArray[Any], offsets: Ints) -> tuple[float, Reals]:
    """The squared difference of score and grade, the mean of each list; at least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    References
    ----------
    Cossock and Zhang (2006), "Subset ranking using regression", without weights.

    Examples
    --------
    >>> squared(np.array([1.0, 0.0]), np.array([2, 0]), np.array([0, 2]))
    (0.5, array([-1.,  0.]))
    """
    document_weight = 1.0 / (np.repeat(np.diff(offsets), np.diff(offsets)) * (offsets.size - 1))
    errors = scores - relevance
    return float((errors * errors * document_weight).sum()), np.asarray(2.0 * errors * document_weight, scores.dtype)


@finite_loss
def ordinal(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, max_grade: float | None = None
) -> tuple[float, Reals]:
    """Ordinal logistic regression: log(1 + exp(-z)) over all thresholds between grades, the mean of each list.

    At least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    max_grade
        The highest grade. Default: that of these lists.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        A grade is above max_grade.
    InputError
        A grade is above 900, or a fraction.

    Notes
    -----
    The thresholds are .5, 1.5, ... up to max_grade - .5, so that a score is on the scale of the grades; z is the score
    less the threshold for a grade above it, the opposite for one below. Grades below 0 count as 0.

    References
    ----------
    Rennie and Srebro (2005), "Loss functions for preference levels", all thresholds, logistic, with fixed ones.

    Examples
    --------
    >>> value, _ = ordinal(np.array([0.5]), np.array([1]), np.array([0, 1]))
    >>> round(value, 6)  # log 2
    0.693147
    """
    known_grades = relevance if max_grade is None else np.append(relevance, max_grade)  # of a batch and of all
    refuse_fractions(known_grades, "relevance", "ordinal", "choose squared or a listwise loss, or round the grades")
    highest = int(relevance.max()) if max_grade is None else int(max_grade)
    if relevance.max() > highest:
        raise ParameterError(f"a document has grade {relevance.max()}, and max_grade is {highest}")
    if highest > HIGHEST_EXACT_GRADE:
        raise InputError(
            f"a document is judged {highest}, and ordinal has a threshold a grade; expected grades up to "
            f"{HIGHEST_EXACT_GRADE}; "
            "map the grades to lower ones"
        )
    thresholds = np.arange(1, max(highest, 1) + 1) - 0.5
    sign = np.where(relevance[:, None] > thresholds, 1.0, -1.0)
    z = sign * (scores[:, None].astype(np.float64) - thresholds)
    exp_minus_abs = np.exp(-np.abs(z))
    value = (np.log1p(exp_minus_abs) + np.maximum(-z, 0.0)).sum(axis=1)
    slope = -(sign * np.where(z >= 0, exp_minus_abs, 1.0) / (1.0 + exp_minus_abs)).sum(axis=1)
    document_weight = 1.0 / (np.repeat(np.diff(offsets), np.diff(offsets)) * (offsets.size - 1))
    return float(value @ document_weight), np.asarray(slope * document_weight, scores.dtype)

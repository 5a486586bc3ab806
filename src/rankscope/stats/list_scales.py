"""Scores of each list on one scale: for fused runs and for blended rankers."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.exact import exact_group_sums
from rankscope.stats.inputs import check_choice, scale_rows
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "LIST_SCALES",
    "scale_lists",
]


#: From 0, the least score, to 1, the greatest; shares of the sum of what is above the least; mean 0 and deviation 1.
LIST_SCALES = ("min-max", "sum", "z-score")


def scale_lists(scores: Floats, offsets: Ints, scale: str) -> tuple[Floats, Bools]:
    """Scores on a scale within their list, and which lists have equal scores, which become 0.

    Parameters
    ----------
    scores
        (documents) the scores.
    offsets
        (lists + 1) where each list begins; no list is empty.
    scale
        One of `LIST_SCALES`.

    Returns
    -------
    tuple
        (documents) the scaled scores, and (lists) whether all scores of a list are equal.

    Raises
    ------
    ParameterError
        There is no such scale.

    Examples
    --------
    >>> scaled, is_constant = scale_lists(np.array([1.0, 3.0, 2.0, 7.0]), np.array([0, 3, 4]), "min-max")
    >>> scaled.tolist(), is_constant.tolist()
    ([0.0, 1.0, 0.5, 0.0], [False, True])
    """
    check_choice("scale", scale, LIST_SCALES)
    starts, counts = offsets[:-1], np.diff(offsets)
    greatest, least = np.maximum.reduceat(scores, starts), np.minimum.reduceat(scores, starts)
    _, exponents = scale_rows(np.stack([greatest, least], axis=1))
    if exponents.any():  # squares and sums of such scores overflow or vanish
        scores = np.ldexp(scores, -np.repeat(exponents, counts))
        greatest, least = np.ldexp(greatest, -exponents), np.ldexp(least, -exponents)
    is_constant = greatest == least
    # Relative to the least score, so that equal scores have a deviation of exactly 0, whatever the rounding.
    shifted = scores - np.repeat(least, counts)
    if scale == "min-max":
        divisor = greatest - least
    elif scale == "sum":
        divisor = exact_group_sums(shifted, offsets)
    else:
        # Exact sums do not depend on the order of the documents.
        shifted -= np.repeat(exact_group_sums(shifted, offsets) / counts, counts)
        divisor = np.sqrt(exact_group_sums(shifted**2, offsets) / counts)
    scaled = shifted / np.repeat(np.where(is_constant, 1.0, divisor), counts)
    return np.where(np.repeat(is_constant, counts), 0.0, scaled), is_constant

"""Gains of grades, and the ideal DCG of each list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import as_grades
from rankscope.errors import InputError
from rankscope.evaluation.judged_lists import order_in_lists
from rankscope.kernels.gain import HIGHEST_EXACT_GRADE, gain_exponential, gain_linear
from rankscope.kernels.segments import place_in_group
from rankscope.typing import Floats, Grades, Ints

__all__ = [
    "finite_gains",
    "ideal_gains",
    "ideal_shares",
]


def finite_gains(grades: npt.NDArray[Any], gain: Callable[[Grades], Floats] = gain_exponential) -> Floats:
    """The gains of grades, as finite numbers.

    Parameters
    ----------
    grades
        (documents) the grades.
    gain
        The function from grades to gains. Default: 2^grade - 1.

    Returns
    -------
    numpy.ndarray
        (documents) the gains; 0 for grades below 0.

    Raises
    ------
    InputError
        A grade is so high that its gain is not a 64-bit number.

    Examples
    --------
    >>> finite_gains(np.array([2, 1, -1])).tolist()
    [3.0, 1.0, 0.0]
    """
    as_given = as_grades(np.asarray(grades))
    highest = as_given.max(initial=0)
    if highest > HIGHEST_EXACT_GRADE and gain is not gain_linear:
        raise InputError(
            f"a document is judged {highest}, and 2^{highest} is beyond float64; expected grades up to "
            f"{HIGHEST_EXACT_GRADE}; map "
            "the grades to lower ones"
        )
    return gain(as_given)


def ideal_gains(gain: Floats, offsets: Ints, depth: float = np.inf) -> Floats:
    """(lists) the DCG of the first `depth` of each list in falling order of gain."""
    position = place_in_group(offsets)
    discounted_gain = gain[order_in_lists(gain, offsets)] / np.log2(position + 2.0)
    discounted_gain[position >= depth] = 0.0
    return np.asarray(np.add.reduceat(discounted_gain, offsets[:-1]))


def ideal_shares(relevance: npt.NDArray[Any], offsets: Ints) -> Floats:
    """(documents) each document's gain divided by the ideal DCG of its list; 0 where no document has a gain."""
    gain = finite_gains(relevance)
    ideal_dcg = np.repeat(ideal_gains(gain, offsets), np.diff(offsets))
    return np.divide(gain, ideal_dcg, out=np.zeros(gain.size), where=gain > 0)

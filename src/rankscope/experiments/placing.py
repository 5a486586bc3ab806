"""Where a ranker puts documents of each grade: a rank confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.evaluation.lists import JudgedLists
from rankscope.typing import Ints

__all__ = ["RANGES", "count_places"]


#: The last rank of each range but the last, which has no end; and what they are called.
LAST = (1, 3, 5, 10, 20)
RANGES = ("1", "2-3", "4-5", "6-10", "11-20", "21+")


def count_places(lists: JudgedLists, scores: npt.NDArray[np.floating[Any]], grades: Ints) -> Ints:
    """(grades, ranges) how many documents of each grade are ranked within each of `RANGES`.

    grades: in rising order, all that there are.

    >>> lists = JudgedLists(np.array([0, 2, 0, 1]), np.array([0, 4]))
    >>> count_places(lists, np.array([0.1, 0.9, 0.5, 0.3]), np.arange(3)).tolist()
    [[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    """
    row = np.searchsorted(grades, lists.relevance[lists.ranked(scores)])
    column = np.searchsorted(LAST, lists.rank)
    counts = np.bincount(row * len(RANGES) + column, minlength=len(grades) * len(RANGES))
    return counts.reshape(len(grades), len(RANGES)).astype(np.int64)

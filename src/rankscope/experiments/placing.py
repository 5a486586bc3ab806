"""Where a ranker puts documents of each grade: a rank confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.evaluation.lists import FullyJudgedLists
from rankscope.typing import Ints

__all__ = ["RANK_RANGES", "count_ranks"]


#: The last rank of each range but the last, which has no end; and what they are called.
LAST_RANKS = (1, 3, 5, 10, 20)
RANK_RANGES = ("1", "2-3", "4-5", "6-10", "11-20", "21+")


def count_ranks(lists: FullyJudgedLists, scores: npt.NDArray[np.floating[Any]], grades: Ints) -> Ints:
    """(grades, ranges) how many documents of each grade are ranked within each of `RANK_RANGES`.

    grades: in rising order, all that there are.

    >>> lists = FullyJudgedLists(np.array([0, 2, 0, 1]), np.array([0, 4]))
    >>> count_ranks(lists, np.array([0.1, 0.9, 0.5, 0.3]), np.arange(3)).tolist()
    [[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    """
    row = np.searchsorted(grades, lists.relevance[lists.ranked(scores)])
    column = np.searchsorted(LAST_RANKS, lists.rank)
    counts = np.bincount(row * len(RANK_RANGES) + column, minlength=len(grades) * len(RANK_RANGES))
    return counts.reshape(len(grades), len(RANK_RANGES)).astype(np.int64)

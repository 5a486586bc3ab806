"""Fully judged lists that are ranked many times, as in training: flat scores in, hits out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import as_grades, highest_grade
from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.order import order_falling, order_in_groups
from rankscope.kernels.segments import group_of, place_in_group
from rankscope.measures.base import Measure
from rankscope.typing import Grades, Ints, Reals

__all__ = [
    "FullyJudgedLists",
    "check_measure",
    "order_in_lists",
]


#: The seed of the random order of ties.
TIE_SEED = 20_070


class FullyJudgedLists:
    """Lists whose documents are all judged. Whatever depends only on the judgments is computed once.

    Parameters
    ----------
    relevance
        Grades, (documents).
    offsets
        Where each list begins, (lists + 1). No list is empty.
    max_grade
        The highest possible grade. Default: the highest in these lists.
    by_lot
        Put documents with equal scores in a random order instead of the order of the documents. The random order is
        drawn once and depends only on the lengths of the lists, so it is the same for all rankers and measures, and the
        order of the documents in a file (perhaps by grade) has no influence.

    Examples
    --------
    >>> lists = FullyJudgedLists(np.array([0, 2, 1]), np.array([0, 3]))
    >>> lists.hits(np.array([0.5, 0.1, 0.5])).relevance.tolist()
    [0, 1, 2]
    """

    def __init__(
        self, relevance: Grades, offsets: Ints, *, max_grade: float | None = None, rel: float = 1, by_lot: bool = False
    ) -> None:
        self.relevance = as_grades(np.array(relevance))
        self.offsets = np.array(offsets, np.int64)
        self.list_index = group_of(self.offsets)
        self.rank = (place_in_group(self.offsets) + 1).astype(np.float64)
        self.grades = self.relevance[order_in_lists(self.relevance, self.offsets)]
        self.max_grade = highest_grade(self.relevance) if max_grade is None else max_grade
        self.rel = rel
        random_keys = np.random.default_rng(TIE_SEED).random(self.relevance.size) if by_lot else None
        self.tie_order = None if random_keys is None else order_in_lists(random_keys, self.offsets)
        n = self.offsets.size - 1
        self.query_ids = tuple(map(str, range(n)))
        self.missing = np.zeros(n, np.bool_)
        self.memory: dict[Any, Any] = {}

    def order(self, scores: Reals) -> Ints:
        """(documents) their indices, by list and falling score."""
        if self.tie_order is None:
            return order_in_lists(scores, self.offsets)
        return np.asarray(self.tie_order[order_in_lists(scores[self.tie_order], self.offsets)])

    def hits(self, scores: Reals) -> Hits:
        """Every document of every list, ranked by its score."""
        order = self.order(scores)
        return Hits(
            query_ids=self.query_ids,
            offsets=self.offsets,
            rank=self.rank,
            first=self.rank,
            last=self.rank,
            relevance=self.relevance[order],
            judged=order - self.offsets[self.list_index],
            retrieved=np.diff(self.offsets),
            missing=self.missing,
            grades=self.grades,
            grade_offsets=self.offsets,
            max_grade=self.max_grade,
            rel=self.rel,
            ties="file",
            _qrels_memory=self.memory,
        )


def check_measure(measure: Measure, prefix: str = "") -> None:
    """Raise ParameterError for a measure that needs subtopics, or that has no direction.

    prefix: the beginning of the message, as "stop_on: ".
    """
    if measure.needs_subtopics:
        raise ParameterError(f"{prefix}{measure} needs judgments by subtopic, which files of features do not hold")
    if measure.higher_is_better is None or measure.summary == "none":
        raise ParameterError(
            f"{prefix}of {measure} neither higher nor lower is better, so that no ranker can be; choose another"
        )


def order_in_lists(values: npt.NDArray[Any], offsets: Ints) -> Ints:
    """(documents) indices by list and falling value; equal values keep their order.

    >>> order_in_lists(np.array([1, 2, 2, 5]), np.array([0, 3, 4])).tolist()
    [1, 2, 0, 3]
    """
    as_floats = np.asarray(values, np.float64)
    if np.isfinite(as_floats).all():
        return np.asarray(order_falling(as_floats, np.diff(offsets)))
    # In order_falling NaN, which is last, would sort behind the padding.
    return np.asarray(order_in_groups(group_of(offsets), as_floats))

"""Precision interpolated at levels of recall, and its mean over eleven of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures.base import Binary, is_number, require
from rankscope.typing import Floats

__all__ = ["AvgIPrec", "IPrec"]

#: How many relevant documents a level of recall asks for: trec_eval 10 rounds half up, 9 cuts off after adding .9.
ROUNDED = {"half_up": 0.5, "plus_point_nine": 0.9}
Rounding = Literal["half_up", "plus_point_nine"]


def precision_from_recall(hits: Hits, rel: int | None, recall: float, rounding: str) -> Floats:
    """The highest precision at any rank from the one where recall * R relevant documents are seen."""
    needed = np.floor(recall * hits.n_relevant(rel) + ROUNDED[rounding])
    seen = hits.relevant_above(rel) + 1.0
    rows = np.flatnonzero(hits.relevant(rel) & (seen >= needed[hits.query]))
    highest = np.zeros(len(hits))
    np.maximum.at(highest, hits.query[rows], seen[rows] / hits.rank[rows])
    return highest


@dataclass(frozen=True, kw_only=True)
class InterpolatedPrecision(Binary):
    """What both share. rounding: how many relevant documents a recall of x asks for: floor(x R + .5) or (x R + .9)."""

    rounding: Rounding = "half_up"

    def check(self) -> None:
        good = isinstance(self.rounding, str) and self.rounding in ROUNDED
        require(good, self, "rounding", self.rounding, f"one of {', '.join(ROUNDED)}")


@dataclass(frozen=True, kw_only=True)
class IPrec(InterpolatedPrecision):
    """Interpolated precision: the highest precision from the rank where the given recall is reached; in [0, 1].

    Higher is better. 0 where that recall is never reached, or nothing is relevant.
    """

    name: ClassVar[str] = "IPrec"
    source: ClassVar[str] = "trec_eval iprec_at_recall"
    after_at: ClassVar[str] = "recall"
    recall: float

    def check(self) -> None:
        super().check()
        good = is_number(self.recall) and 0 <= self.recall <= 1
        require(good, self, "recall", self.recall, "a recall from 0 to 1, as in IPrec@0.1")

    def values(self, hits: Hits) -> Floats:
        return precision_from_recall(hits, self.rel, self.recall, self.rounding)


@dataclass(frozen=True, kw_only=True)
class AvgIPrec(InterpolatedPrecision):
    """Eleven-point average: the mean of interpolated precision at recall 0, .1, ..., 1; in [0, 1], higher is better.

    Without relevant documents: 0.
    """

    name: ClassVar[str] = "AvgIPrec"
    source: ClassVar[str] = "trec_eval 11pt_avg"

    def values(self, hits: Hits) -> Floats:
        # The levels as decimals, not as multiples of .1: .3 and 3 * .1 ask for different numbers of documents.
        levels = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
        total = np.zeros(len(hits))
        for level in levels:
            total += precision_from_recall(hits, self.rel, level, self.rounding)
        return total / len(levels)

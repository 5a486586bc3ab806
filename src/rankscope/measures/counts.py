"""Counts: how much was retrieved, relevant, both. Summed over queries, not averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures.base import Binary, Measure, Summary
from rankscope.typing import Floats

__all__ = ["NumNonrelRet", "NumRel", "NumRelRet", "NumRet"]


@dataclass(frozen=True, kw_only=True)
class NumRet(Measure):
    """How many documents were retrieved; a count."""

    name: ClassVar[str] = "NumRet"
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_ret"
    averaged: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.retrieved.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class NumRel(Binary):
    """How many judged documents are relevant, retrieved or not; a count."""

    name: ClassVar[str] = "NumRel"
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_rel"
    averaged: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.n_relevant(self.rel)


@dataclass(frozen=True, kw_only=True)
class NumRelRet(Binary):
    """How many relevant documents were retrieved; a count."""

    name: ClassVar[str] = "NumRelRet"
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_rel_ret"
    averaged: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel))

    def best_grade(self, hits: Hits) -> int:
        return max(self.level(hits), hits.max_grade)


@dataclass(frozen=True, kw_only=True)
class NumNonrelRet(Binary):
    """How many documents judged not relevant were retrieved; a count. Unjudged ones do not count."""

    name: ClassVar[str] = "NumNonrelRet"
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_nonrel_judged_ret"
    averaged: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.sum((hits.relevance >= 0) & ~hits.relevant(self.rel))

"""The Q-measure: average precision for graded relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.segments import bounds, cumulative_sum, sum_by_group
from rankscope.measures.base import is_number, ratio, require
from rankscope.measures.graded import Gained
from rankscope.typing import Floats, Ints

__all__ = ["Q"]


@dataclass(frozen=True, kw_only=True)
class Q(Gained):
    """Q-measure: the mean blended ratio over the ranks of all documents with gain; in [0, 1], higher is better.

    The blended ratio at rank r is (n + beta cg) / (r + beta cg*): n documents with gain in the first r, cg their
    gains, cg* the gains of the ideal ranking's first r (all judged documents by falling gain; constant behind its
    end). Those not retrieved add 0. beta=0: average precision; the larger it is, the more the gains count. A negative
    gain counts as 0. Nothing retrieved, or nothing with gain: 0.

    >>> import rankscope as rs
    >>> qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> rs.evaluate(qrels, run, "Q").overall("Q")
    0.6785714285714286
    >>> ((1 + 1) / (1 + 3) + (2 + 4) / (3 + 4)) / 2
    0.6785714285714286
    """

    name: ClassVar[str] = "Q"
    source: ClassVar[str] = "Sakai (2004); with beta: Sakai (2007)"
    beta: float = 1.0

    def check(self) -> None:
        super().check()
        require(is_number(self.beta) and self.beta >= 0, self, "beta", self.beta, "a number of at least 0")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        return {name: value for name, value in super().settings(hits).items() if name != "discount"}  # it has none

    def values(self, hits: Hits) -> Floats:
        self.check_grades(hits)
        gains = np.maximum(self.gain_of(hits.relevance), 0.0)
        gained = gains > 0
        rows = np.flatnonzero(gained)
        query, rank = hits.query[rows], hits.rank[rows]
        count = hits.before(gained)[rows] + 1
        own = cumulative_sum(gains, hits.offsets)[rows]
        ideal, offsets = self.cumulated_ideal(hits)
        last = np.diff(offsets)
        best = ideal[offsets[query] + np.minimum(rank, last[query]).astype(np.int64) - 1]
        blended = (count + self.beta * own) / (rank + self.beta * best)
        return ratio(sum_by_group(blended, query, len(hits)), last.astype(np.float64))

    def cumulated_ideal(self, hits: Hits) -> tuple[Floats, Ints]:
        """Gains of the ideal ranking, cumulated, one entry a judged document with gain; and the queries' offsets."""
        gains, query = self.gain_of(hits.grades), hits.grade_query
        order = np.lexsort((-gains, query))  # given gains need not rise with the grade
        order = order[gains[order] > 0]
        offsets = bounds(np.bincount(query[order], minlength=len(hits)))
        return cumulative_sum(gains[order], offsets), offsets

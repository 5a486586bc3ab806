"""Measures of cumulated gain: DCG and its normalised form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import discount_log2, gain_exponential, gain_linear
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, place_in_group, sum_by_group
from rankscope.measures.base import Floats, Ints, Measure, is_int, is_number, ratio, require

__all__ = ["DCG", "nDCG"]

#: The highest grade whose exponential gains can be added up in float64, whatever their number.
HIGHEST = 900

GAINS = {"linear": gain_linear, "exp": gain_exponential}


class GainTable(dict[int, float]):
    """Gains by grade, never changed once made, so that a measure with them can be a key."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none because it may change
        return hash(tuple(self.items()))


@dataclass(frozen=True, kw_only=True)
class Gained(Measure):
    """What measures of gain share.

    gain: "linear" (the grade) or "exp" (2^grade - 1); negative grades gain nothing. gains: what certain grades
    gain instead, as {1: 1, 2: 5}. The rank r is discounted by log2(r + 1).
    """

    gain: Literal["linear", "exp"] = "linear"
    gains: Mapping[int, float] | None = None

    def check(self) -> None:
        require(isinstance(self.gain, str) and self.gain in GAINS, self, "gain", self.gain, "'linear' or 'exp'")
        if self.gains is not None:
            good = (
                isinstance(self.gains, Mapping)
                and all(map(is_int, self.gains))
                and all(map(is_number, self.gains.values()))
            )
            require(good, self, "gains", self.gains, "a number for each grade, as {1: 1, 2: 5}")
            object.__setattr__(self, "gains", GainTable(sorted(self.gains.items())))

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        return {**super().settings(hits), "discount": "log2"}

    def gain_of(self, grades: Ints) -> Floats:
        """What each grade gains."""
        gained = GAINS[self.gain](grades)
        for grade, gain in (self.gains or {}).items():
            gained[grades == grade] = gain
        return gained

    def check_grades(self, hits: Hits) -> None:
        """Raise ParameterError for a grade whose gain is no float64."""
        if self.gain == "exp" and hits.max_grade > HIGHEST:
            raise ParameterError(
                f"{self.name}: a document is judged {hits.max_grade}, and 2^{hits.max_grade} is beyond float64; "
                f"expected grades up to {HIGHEST} with gain='exp'; use gain='linear' or map the grades to lower ones"
            )


@dataclass(frozen=True, kw_only=True)
class CutGained(Gained):
    """Those that may be taken of the first k only."""

    cutoff: int | None = None

    def dcg(self, hits: Hits) -> Floats:
        self.check_grades(hits)
        gained = self.gain_of(hits.relevance) * discount_log2(hits.rank)
        if self.cutoff is not None:
            gained *= hits.rank <= self.cutoff
        return hits.sum(gained)

    def ideal(self, hits: Hits) -> Floats:
        """DCG of all judged documents in falling order of grade."""
        self.check_grades(hits)
        key = ("ideal", self.gain, self.gains, self.cutoff)
        return hits.once_for_pool(key, lambda: self.compute_ideal(hits))

    def compute_ideal(self, hits: Hits) -> Floats:
        self.check_grades(hits)
        grades, lengths = hits.grades, np.diff(hits.grade_offsets)
        if self.gains is not None:  # given gains need not rise with the grade, and may be negative
            gained = self.gain_of(grades)
            gained = np.maximum(gained[np.lexsort((-gained, hits.grade_query))], 0.0)
        if self.cutoff is not None:
            lengths = np.minimum(lengths, self.cutoff)
        offsets = bounds(lengths)
        best = ranges(hits.grade_offsets[:-1], lengths)  # the first of each query's grades, which fall
        gained = self.gain_of(grades[best]) if self.gains is None else gained[best]
        rank = (place_in_group(offsets) + 1).astype(np.float64)
        return sum_by_group(gained * discount_log2(rank), group_of(offsets), len(hits))


@dataclass(frozen=True, kw_only=True)
class DCG(CutGained):
    """Discounted cumulated gain: the sum of gain / log2(rank + 1); at least 0, higher is better.

    Nothing retrieved, or nothing with gain: 0.
    """

    name: ClassVar[str] = "DCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = "Järvelin and Kekäläinen (2002); exp: Burges et al. (2005); trec_eval 10 dcg"

    def values(self, hits: Hits) -> Floats:
        return self.dcg(hits)


@dataclass(frozen=True, kw_only=True)
class nDCG(CutGained):
    """DCG over the DCG of the ideal ranking of all judged documents; in [0, 1], higher is better.

    With a cutoff, both are taken of the first k. Without a judged document that gains something: 0.
    """

    name: ClassVar[str] = "nDCG"
    source: ClassVar[str] = "trec_eval ndcg, ndcg_cut_k; Järvelin and Kekäläinen (2002); exp: Burges et al. (2005)"

    def values(self, hits: Hits) -> Floats:
        return ratio(self.dcg(hits), self.ideal(hits))

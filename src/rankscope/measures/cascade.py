"""Measures of a user who reads from the top and stops: ERR, RBP and RBP's residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import gain_linear, stopping_probability
from rankscope.kernels.segments import cumulative_product
from rankscope.measures.base import LARGEST, Floats, Measure, is_int, require

__all__ = ["ERR", "RBP", "RBPResidual"]


def inside(hits: Hits, cutoff: int | None) -> Floats | float:
    """(hits) 1 within the cutoff, else 0."""
    return 1.0 if cutoff is None else (hits.rank <= cutoff).astype(np.float64)


def max_grade_of(gmax: int | None, measure: Measure, hits: Hits) -> int:
    """The highest grade there is: the parameter, or that of the whole qrels."""
    if gmax is None:
        return hits.max_grade
    if hits.max_grade > gmax:
        raise ParameterError(
            f"{measure.name}: gmax is {gmax}, but a document is judged {hits.max_grade}; "
            f"expected at least {hits.max_grade}"
        )
    return gmax


@dataclass(frozen=True, kw_only=True)
class ERR(Measure):
    """Expected reciprocal rank: the expectation of 1 / rank where the reader stops; in [0, 1], higher is better.

    sum over r of (1/r) S_r prod over i < r of (1 - S_i), with S = (2^grade - 1) / 2^gmax; negative grades and unjudged
    documents never stop anybody. gmax: the highest grade there can be; None: the highest in the whole
    qrels. Without relevant documents: 0. Raises ParameterError for a grade above gmax.
    """

    name: ClassVar[str] = "ERR"
    source: ClassVar[str] = "Chapelle et al. (2009), eq. 4 and algorithm 2; gdeval with gmax=4"
    gmax: int | None = None
    cutoff: int | None = None

    def check(self) -> None:
        good = self.gmax is None or (is_int(self.gmax) and 1 <= self.gmax <= 1000)
        require(good, self, "gmax", self.gmax, "a whole number from 1 to 1000")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        found = super().settings(hits)
        return {"gmax": str(max(hits.max_grade, 0)), **found} if hits is not None else found

    def values(self, hits: Hits) -> Floats:
        stop = stopping_probability(hits.relevance, max_grade_of(self.gmax, self, hits))
        go_on = cumulative_product(1.0 - stop, hits.offsets)
        reached = np.ones(go_on.size)  # the probability to come as far as each hit
        reached[1:] = go_on[:-1]
        firsts = hits.offsets[:-1]
        reached[firsts[firsts < reached.size]] = 1.0
        return hits.sum(stop * reached / hits.rank * inside(hits, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class RBP(Measure):
    """Rank-biased precision: what a reader gains who goes on with probability p; in [0, 1], higher is better.

    (1 - p) sum of g p^(rank - 1), with g = grade / gmax (gmax: None for the highest grade in the whole
    qrels, "query" for that of each query), or g = 1 from relevance `rel` on if that is given.
    Nothing retrieved: 0. Raises ParameterError for a grade above gmax.
    """

    name: ClassVar[str] = "RBP"
    source: ClassVar[str] = "Moffat and Zobel (2008), eq. 4"
    always_shown: ClassVar[tuple[str, ...]] = ("p",)
    p: float = 0.8
    rel: int | None = None
    gmax: int | Literal["query"] | None = None
    cutoff: int | None = None

    def check(self) -> None:
        require(isinstance(self.p, float) and 0 < self.p < 1, self, "p", self.p, "a persistence between 0 and 1")
        good = self.gmax in (None, "query") or (is_int(self.gmax) and 1 <= int(self.gmax) < LARGEST)
        require(good, self, "gmax", self.gmax, "a whole number of at least 1, or 'query'")
        require(self.rel is None or self.gmax is None, self, "gmax", self.gmax, "no gmax beside rel (binary gain)")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        found = {name: str(v) for name in ("p", "rel", "gmax") if (v := getattr(self, name)) is not None}
        if self.rel is None and hits is not None:
            found.setdefault("gmax", str(max(hits.max_grade, 0)))
        return found

    def level(self, hits: Hits) -> int:
        return self.rel or 1

    def highest(self, hits: Hits) -> Floats | float:
        """(hits) the highest grade there can be."""
        if self.gmax != "query":
            return max(max_grade_of(self.gmax, self, hits), 1)
        top = np.ones(len(hits))
        judged = np.flatnonzero(np.diff(hits.grade_offsets))
        top[judged] = np.maximum(hits.grades[hits.grade_offsets[judged]], 1)  # grades fall
        return np.asarray(top[hits.query])

    def values(self, hits: Hits) -> Floats:
        if self.rel is not None:
            gain = hits.relevant(self.rel).astype(np.float64)
        else:
            gain = gain_linear(hits.relevance) / self.highest(hits)
        weight = self.p ** (hits.rank - 1.0)
        return (1.0 - self.p) * hits.sum(gain * weight * inside(hits, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class RBPResidual(Measure):
    """What RBP would rise by, were all that is not judged as relevant as can be; in [0, 1], lower is better.

    p^n for what follows the n documents read, and (1 - p) sum of p^(rank - 1) over the unjudged among them
    (negative grades are unjudged). With a cutoff, n is at most k. Nothing retrieved: 1.
    """

    name: ClassVar[str] = "RBPResidual"
    needs_relevant: ClassVar[bool] = False
    higher_is_better: ClassVar[bool | None] = False
    source: ClassVar[str] = "Moffat and Zobel (2008), section 4.2"
    always_shown: ClassVar[tuple[str, ...]] = ("p",)
    p: float = 0.8
    cutoff: int | None = None

    def check(self) -> None:
        require(isinstance(self.p, float) and 0 < self.p < 1, self, "p", self.p, "a persistence between 0 and 1")

    def values(self, hits: Hits) -> Floats:
        # All shares sum to 1, so what is not judged is 1 less the judged documents' shares.
        judged = (hits.relevance >= 0) * inside(hits, self.cutoff)
        return 1.0 - (1.0 - self.p) * hits.sum(judged * self.p ** (hits.rank - 1.0))

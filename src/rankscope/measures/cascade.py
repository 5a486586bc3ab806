"""Measures of a user who reads from the top and stops: ERR, nERR, RBP and RBP's residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import gain_linear, stopping_probability
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, cumulative_product, group_of, place_in_group, sum_by_group
from rankscope.measures.average_ties import mean_stops, mean_weight
from rankscope.measures.base import Measure, is_number, ratio, require
from rankscope.measures.cutoffs import reciprocal_ranks
from rankscope.measures.shapley_values import stopping_shapley
from rankscope.measures.swap_deltas import stopping_changes, sum_changes
from rankscope.typing import Floats, Ints

__all__ = [
    "ERR",
    "RBP",
    "RBPResidual",
    "max_grade_of",
    "nERR",
]


def max_grade_of(gmax: float | None, measure: Measure, hits: Hits) -> float:
    """The highest grade there is: the parameter, or that of the whole qrels."""
    if gmax is None:
        return hits.max_grade
    if hits.max_grade > gmax:
        raise ParameterError(
            f"{measure.name}: gmax is {gmax}, but a document is judged {hits.max_grade}; "
            f"expected at least {hits.max_grade}"
        )
    return gmax


def highest_possible(hits: Hits) -> float:
    """The highest grade there is, or 1 where the highest is a fraction below it; 0 where nothing is relevant."""
    return max(hits.max_grade, 1 if hits.max_grade > 0 else 0)


def stop_distribution(stop_probability: Floats, offsets: Ints) -> Floats:
    """The probability that a reader stops at each document. stop_probability: that of a reader who gets so far."""
    pass_probability = cumulative_product(1.0 - stop_probability, offsets)
    reach_probability = np.ones(pass_probability.size)
    reach_probability[1:] = pass_probability[:-1]
    first_entries = offsets[:-1]
    reach_probability[first_entries[first_entries < reach_probability.size]] = 1.0
    return stop_probability * reach_probability


@dataclass(frozen=True, kw_only=True)
class Cascade(Measure):
    """Base of ERR and nERR: a reader whom a document stops with probability (2^grade - 1) / 2^gmax.

    Parameters
    ----------
    gmax
        Highest possible grade. Default: the highest in the whole qrels.
    cutoff
        Number k of documents that are read. Default: all.
    """

    gmax: float | None = None
    cutoff: int | None = None

    def check(self) -> None:
        valid = self.gmax is None or (is_number(self.gmax) and 1 <= self.gmax <= 1000)
        require(valid, self, "gmax", self.gmax, "a number from 1 to 1000")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = super().settings(hits)
        return {"gmax": str(highest_possible(hits)), **settings} if hits is not None else settings

    def err(self, hits: Hits) -> Floats:
        stop_probability = stopping_probability(hits.relevance, max(max_grade_of(self.gmax, self, hits), 1))
        if hits.ties == "average":
            return mean_stops(hits, stop_probability, self.cutoff)
        rank_weights = mean_weight(hits, np.reciprocal, self.cutoff)
        return hits.sum(stop_distribution(stop_probability, hits.offsets) * rank_weights)

    def err_shapley(self, pairs: HitPairs) -> Floats | None:
        """(documents) Shapley values of ERR."""
        if pairs.a.ties == "average":
            return None
        stop_probability = stopping_probability(pairs.relevance, max(max_grade_of(self.gmax, self, pairs.a), 1))
        weights = (reciprocal_ranks(rank, self.cutoff) for rank in (pairs.rank_a, pairs.rank_b))
        return stopping_shapley(pairs, stop_probability, *weights)

    def ideal_err(self, hits: Hits) -> Floats:
        """ERR of all judged documents in falling order of grade."""
        gmax = max(max_grade_of(self.gmax, self, hits), 1)
        return hits.cached_on_qrels(("ideal ERR", gmax, self.cutoff), lambda: self.best_err(hits, gmax))

    def best_err(self, hits: Hits, gmax: float) -> Floats:
        lengths = np.diff(hits.grade_offsets)
        if self.cutoff is not None:
            lengths = np.minimum(lengths, self.cutoff)
        offsets = bounds(lengths)
        stop_probability = stopping_probability(hits.grades[ranges(hits.grade_offsets[:-1], lengths)], gmax)
        contributions = stop_distribution(stop_probability, offsets) / (place_in_group(offsets) + 1)
        return sum_by_group(contributions, group_of(offsets), len(hits))


@dataclass(frozen=True, kw_only=True)
class ERR(Cascade):
    """Expected reciprocal rank: the expectation of 1 / rank where the reader stops; in [0, 1], higher is better.

    Parameters
    ----------
    gmax
        Highest possible grade. Default: the highest in the whole qrels.
    cutoff
        Number k of documents that are read. Default: all.

    Raises
    ------
    ParameterError
        A grade is above gmax.

    Notes
    -----
    sum over r of (1/r) S_r prod over i < r of (1 - S_i), with S = (2^grade - 1) / 2^gmax. Negative grades and unjudged
    documents never stop the reader. 0 without relevant documents.

    References
    ----------
    Chapelle et al. (2009), eq. 4 and algorithm 2; gdeval with gmax=4.
    """

    name: ClassVar[str] = "ERR"
    source: ClassVar[str] = "Chapelle et al. (2009), eq. 4 and algorithm 2; gdeval with gmax=4"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("gmax",)

    def values(self, hits: Hits) -> Floats:
        return self.err(hits)

    def shapley_values(self, pairs: HitPairs) -> Floats | None:
        return self.err_shapley(pairs)

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        stop_probability = stopping_probability(hits.relevance, max(max_grade_of(self.gmax, self, hits), 1))
        return stopping_changes(hits, stop_probability, mean_weight(hits, np.reciprocal, self.cutoff), first, second)

    def best_grade(self, hits: Hits) -> float:
        return max(max_grade_of(self.gmax, self, hits), 1)


@dataclass(frozen=True, kw_only=True)
class nERR(Cascade):
    """ERR divided by that of the ideal ranking, all documents by falling grade; in [0, 1], higher is better.

    Parameters
    ----------
    gmax
        Highest possible grade. Default: the highest in the whole qrels.
    cutoff
        Number k of documents that are read. Default: all.

    Raises
    ------
    ParameterError
        A grade is above gmax.

    Notes
    -----
    With a cutoff, both are taken of the first k. 0 without relevant documents.

    References
    ----------
    ERR of Chapelle et al. (2009), normalised by its ideal as in Sakai (2014).
    """

    name: ClassVar[str] = "nERR"
    source: ClassVar[str] = "ERR of Chapelle et al. (2009), normalised by its ideal as in Sakai (2014)"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("gmax",)

    def values(self, hits: Hits) -> Floats:
        return ratio(self.err(hits), self.ideal_err(hits))

    def shapley_values(self, pairs: HitPairs) -> Floats | None:
        values = self.err_shapley(pairs)
        return None if values is None else ratio(values, self.ideal_err(pairs.a)[pairs.query])


@dataclass(frozen=True, kw_only=True)
class RBP(Measure):
    """Rank-biased precision: what a reader gains who continues with probability p; in [0, 1], higher is better.

    Parameters
    ----------
    p
        Probability of reading the next document.
    rel
        If given, g = 1 from this grade on.
    gmax
        Highest possible grade, or "query" for the highest of each query. Default: the highest in the whole qrels.
    cutoff
        Number k of documents that are read. Default: all.

    Raises
    ------
    ParameterError
        A grade is above gmax.

    Notes
    -----
    (1 - p) sum of g p^(rank - 1), with g = grade / gmax, or g = 1 from grade `rel` on. 0 if nothing is retrieved.

    References
    ----------
    Moffat and Zobel (2008), eq. 4.
    """

    name: ClassVar[str] = "RBP"
    source: ClassVar[str] = "Moffat and Zobel (2008), eq. 4"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("p", "rel", "gmax")
    always_shown: ClassVar[tuple[str, ...]] = ("p",)
    p: float = 0.8
    rel: float | None = None
    gmax: float | Literal["query"] | None = None
    cutoff: int | None = None

    def check(self) -> None:
        require(isinstance(self.p, float) and 0 < self.p < 1, self, "p", self.p, "a persistence between 0 and 1")
        is_grade = isinstance(self.gmax, (int, float)) and is_number(self.gmax) and self.gmax >= 1
        valid = self.gmax in (None, "query") or is_grade
        require(valid, self, "gmax", self.gmax, "a number of at least 1, or 'query'")
        require(self.rel is None or self.gmax is None, self, "gmax", self.gmax, "no gmax beside rel (binary gain)")

    def settings(self, hits: Hits | None = None) -> dict[str, str]:
        settings = {name: str(value) for name in ("p", "rel", "gmax") if (value := getattr(self, name)) is not None}
        if self.rel is None and hits is not None:
            settings.setdefault("gmax", str(highest_possible(hits)))
        return settings

    def level(self, hits: Hits) -> float:
        return self.rel or hits.least_gain

    def highest(self, hits: Hits) -> Floats | float:
        """(hits) the highest grade there can be."""
        if self.gmax != "query":
            return max(max_grade_of(self.gmax, self, hits), 1)
        highest_grade = np.ones(len(hits))
        judged_queries = np.flatnonzero(np.diff(hits.grade_offsets))
        highest_grade[judged_queries] = np.maximum(hits.grades[hits.grade_offsets[judged_queries]], 1)  # grades fall
        return np.asarray(highest_grade[hits.query])

    def values(self, hits: Hits) -> Floats:
        return (1.0 - self.p) * hits.sum(self.gains_of(hits) * self.rank_weights(hits))

    def contributions(self, hits: Hits) -> Floats:
        return (1.0 - self.p) * self.gains_of(hits) * self.rank_weights(hits)

    def swap_deltas(self, hits: Hits, first: Ints, second: Ints) -> Floats:
        return (1.0 - self.p) * sum_changes(self.gains_of(hits), self.rank_weights(hits), first, second)

    def gains_of(self, hits: Hits) -> Floats:
        """(hits) what each document gains."""
        if self.rel is not None:
            return hits.relevant(self.rel).astype(np.float64)
        return gain_linear(hits.relevance) / self.highest(hits)

    def rank_weights(self, hits: Hits) -> Floats:
        """(hits) the weight of its rank."""
        return mean_weight(hits, lambda rank: self.p ** (rank - 1.0), self.cutoff)

    def best_grade(self, hits: Hits) -> float | None:
        if self.rel is not None:
            return max(self.rel, hits.max_grade)
        return max(max_grade_of(self.gmax, self, hits), 1) if self.gmax != "query" else None


@dataclass(frozen=True, kw_only=True)
class RBPResidual(Measure):
    """By how much RBP would rise if all unjudged documents were fully relevant; in [0, 1], lower is better.

    Parameters
    ----------
    p
        Probability of reading the next document.
    cutoff
        Number k of documents that are read. Default: all.

    Notes
    -----
    p^n for what follows the n documents read, and (1 - p) sum of p^(rank - 1) over the unjudged among them (negative
    grades are unjudged). With a cutoff, n is at most k. 1 if nothing is retrieved.

    References
    ----------
    Moffat and Zobel (2008), section 4.2.
    """

    name: ClassVar[str] = "RBPResidual"
    needs_relevant: ClassVar[bool] = False
    higher_is_better: ClassVar[bool | None] = False
    source: ClassVar[str] = "Moffat and Zobel (2008), section 4.2"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ("p",)
    always_shown: ClassVar[tuple[str, ...]] = ("p",)
    p: float = 0.8
    cutoff: int | None = None

    def check(self) -> None:
        require(isinstance(self.p, float) and 0 < self.p < 1, self, "p", self.p, "a persistence between 0 and 1")

    def values(self, hits: Hits) -> Floats:
        # All shares sum to 1, so what is not judged is 1 less the judged documents' shares.
        rank_weights = mean_weight(hits, lambda rank: self.p ** (rank - 1.0), self.cutoff)
        return 1.0 - (1.0 - self.p) * hits.sum((hits.relevance >= 0) * rank_weights)

    def contributions(self, hits: Hits) -> Floats:
        rank_weights = mean_weight(hits, lambda rank: self.p ** (rank - 1.0), self.cutoff)
        return np.asarray((self.p - 1.0) * (hits.relevance >= 0) * rank_weights)

"""Precision-recall curves: interpolated precision, interpolated AP, areas, and means over several cutoffs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.kernels.segments import scan
from rankscope.measures.base import Binary, Measure, is_int, is_number, ratio, require
from rankscope.measures.binary import AP
from rankscope.measures.rank_scale import ScaledRanks
from rankscope.typing import Bools, Floats

__all__ = [
    "IAP",
    "PRAUC",
    "APIntervals",
    "AUCIntervals",
    "AvgIPrec",
    "IPrec",
    "highest_from",
    "in_blocks",
    "sums_up_to",
    "trapezoid_heights",
]


#: Added to recall * R before rounding down: trec_eval 10 rounds half up, trec_eval 9 adds .9.
ROUNDING_OFFSETS = {"half_up": 0.5, "plus_point_nine": 0.9}
Rounding = Literal["half_up", "plus_point_nine"]


def precision_from_recall(hits: Hits, rel: float | None, recall: float, rounding: str) -> Floats:
    """The highest precision at any rank from the one where recall * R relevant documents are seen."""
    n_needed = np.floor(recall * hits.n_relevant(rel) + ROUNDING_OFFSETS[rounding])
    n_seen = hits.relevant_above(rel) + 1.0
    rows = np.flatnonzero(hits.relevant(rel) & (n_seen >= n_needed[hits.query]))
    highest = np.zeros(len(hits))
    np.maximum.at(highest, hits.query[rows], n_seen[rows] / hits.rank[rows])
    return highest


@dataclass(frozen=True, kw_only=True)
class InterpolatedPrecision(Binary):
    """Base of IPrec and AvgIPrec.

    Parameters
    ----------
    rounding
        How many documents a recall of x requires: floor(x R + .5) ("half_up") or floor(x R + .9).
    """

    rounding: Rounding = "half_up"

    def check(self) -> None:
        valid = isinstance(self.rounding, str) and self.rounding in ROUNDING_OFFSETS
        require(valid, self, "rounding", self.rounding, f"one of {', '.join(ROUNDING_OFFSETS)}")


@dataclass(frozen=True, kw_only=True)
class IPrec(InterpolatedPrecision):
    """Interpolated precision: the highest precision from the rank that reaches a recall; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    rounding
        How many documents a recall of x requires: floor(x R + .5) ("half_up") or floor(x R + .9).
    recall
        Recall to be reached.

    Notes
    -----
    0 if that recall is never reached, or nothing is relevant.

    References
    ----------
    trec_eval iprec_at_recall.
    """

    name: ClassVar[str] = "IPrec"
    source: ClassVar[str] = "trec_eval iprec_at_recall"
    at_parameter: ClassVar[str] = "recall"
    recall: float

    def check(self) -> None:
        super().check()
        valid = is_number(self.recall) and 0 <= self.recall <= 1
        require(valid, self, "recall", self.recall, "a recall from 0 to 1, as in IPrec@0.1")

    def values(self, hits: Hits) -> Floats:
        return precision_from_recall(hits, self.rel, self.recall, self.rounding)


@dataclass(frozen=True, kw_only=True)
class AvgIPrec(InterpolatedPrecision):
    """Eleven-point average: the mean of interpolated precision at recall 0, .1, ..., 1; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    rounding
        How many documents a recall of x requires: floor(x R + .5) ("half_up") or floor(x R + .9).

    Notes
    -----
    0 without relevant documents.

    References
    ----------
    trec_eval 11pt_avg.
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


#: Most cells (query, cutoff) of a table held in memory at once.
MAX_CELLS = 1 << 22


def highest_from(values: Floats, hits: Hits) -> Floats:
    """(hits) the highest of each value and those below it in its list."""
    reversed_offsets = np.asarray(hits.offsets[-1] - hits.offsets[::-1])  # lists read from the end
    return scan(np.maximum, values[::-1], reversed_offsets)[::-1]


def precisions_of(hits: Hits, rel: float | None) -> Floats:
    """(hits) the precision at the rank of each relevant document, at most 1; 0 for others."""
    precision = np.minimum((hits.relevant_above(rel) + 1.0) / hits.rank, 1.0)
    return np.where(hits.relevant(rel), precision, 0.0)


def trapezoid_heights(values: Floats, counted: Bools, hits: Hits) -> Floats:
    """(hits) the mean of a counted value and the one counted before it in its list; 0 for the first and for others."""
    rows = np.flatnonzero(counted)
    same_query = np.diff(hits.query[rows]) == 0
    heights = np.zeros(values.size)
    heights[rows[1:][same_query]] = ((values[rows[1:]] + values[rows[:-1]]) / 2)[same_query]
    return heights


@dataclass(frozen=True, kw_only=True)
class IAP(AP):
    """Interpolated average precision: AP with the highest precision from each rank on; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    norm
        As for AP.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    The sum over the relevant documents retrieved (in the first k) of the highest precision at its rank or at that of a
    later one, divided by what `norm` says. Never below AP. Empty lists count as in AP. The eleven levels of trec_eval's
    11pt_avg are AvgIPrec.

    References
    ----------
    Dunaiski (2018), AP interpolated.
    """

    name: ClassVar[str] = "IAP"
    source: ClassVar[str] = "Dunaiski (2018), AP interpolated"

    def can_average_ties(self) -> bool:
        return False  # the highest precision from a rank on depends on the whole order

    def shapley_values(self, pairs: HitPairs) -> None:
        return None  # no closed form, for the same reason

    def precisions(self, hits: Hits) -> Floats:
        precision = super().precisions(hits)
        return np.where(precision > 0, highest_from(precision, hits), 0.0)


@dataclass(frozen=True, kw_only=True)
class PRAUC(ScaledRanks, Binary):
    """Area under the precision-recall curve; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    interpolated
        Take for each precision the highest from there on.

    Notes
    -----
    The curve joins the points (i/R, precision at the i-th relevant document) by straight lines, and begins at recall 0
    with the precision of the first, so that a perfect list gives 1; after the last retrieved one nothing is added. 0
    without relevant documents, or if none is retrieved. (Scikit-learn's curve, which begins at precision 1, is another
    one.)

    References
    ----------
    Dunaiski (2018), PR AUC, with the step from recall 0; Davis and Goadrich (2006).
    """

    name: ClassVar[str] = "PRAUC"
    source: ClassVar[str] = "Dunaiski (2018), PR AUC, with the step from recall 0; Davis and Goadrich (2006)"
    interpolated: bool = False

    def check(self) -> None:
        require(isinstance(self.interpolated, bool), self, "interpolated", self.interpolated, "True or False")

    def values(self, hits: Hits) -> Floats:
        relevant, precision = hits.relevant(self.rel), precisions_of(hits, self.rel)
        if self.interpolated:
            precision = highest_from(precision, hits)
        first = relevant & (hits.relevant_above(self.rel) == 0)
        area = hits.sum(np.where(first, precision, trapezoid_heights(precision, relevant, hits)))
        return np.minimum(ratio(area, hits.n_relevant(self.rel)), 1.0)


@dataclass(frozen=True, kw_only=True)
class CutoffIntervals(Binary):
    """Base of means over several cutoffs: step, 2 step, ..., up to depth.

    Parameters
    ----------
    step
        Distance of the cutoffs.
    depth
        The last cutoff.
    """

    step: int = 100
    depth: int = 10_000

    def check(self) -> None:
        check_steps(self, self.step, self.depth)

    def resolve_cutoff(self, hits: Hits) -> int:
        return self.depth - self.depth % self.step

    def values(self, hits: Hits) -> Floats:
        return in_blocks(self.values_at_once, hits, self.depth // self.step)

    @abstractmethod
    def values_at_once(self, hits: Hits) -> Floats:
        """(queries) the values, with a table of queries and cutoffs in memory."""

    def up_to(self, weights: Floats | None, hits: Hits) -> Floats:
        """(queries, cutoffs) the sum of the weights (None: 1) of the relevant documents within each cutoff."""
        return sums_up_to(hits, self.rel, weights, self.step, self.depth)

    def cutoffs(self) -> Floats:
        """The cutoffs, in rising order."""
        return np.arange(self.step, self.depth + 1, self.step, dtype=np.float64)


def in_blocks(compute: Callable[[Hits], Floats], hits: Hits, width: int) -> Floats:
    """(..., queries) what `compute` gives, for so many queries at once that a table `width` wide fits in memory."""
    block_size = max(1, MAX_CELLS // width)
    if len(hits) <= block_size:
        return compute(hits)
    blocks = [np.arange(start, min(start + block_size, len(hits))) for start in range(0, len(hits), block_size)]
    return np.concatenate([compute(hits.select(block)) for block in blocks], axis=-1)


def check_steps(measure: Measure, step: int, depth: int) -> None:
    """Raise ParameterError for an invalid step or depth."""
    for name, value in (("step", step), ("depth", depth)):
        require(is_int(value) and 1 <= value < 10**9, measure, name, value, "a whole number of at least 1")
    require(step <= depth, measure, "depth", depth, f"at least the step, {step}")
    deepest = step * 100_001 - 1
    require(depth <= deepest, measure, "depth", depth, f"at most 100,000 cutoffs, so at most {deepest}")


def sums_up_to(hits: Hits, rel: float | None, weights: Floats | None, step: int, depth: int) -> Floats:
    """(queries, cutoffs) the sum of the weights (None: 1) of the relevant documents within each cutoff."""
    n_cutoffs = depth // step
    cutoff_index = np.ceil(hits.rank / step) - 1
    rows = np.flatnonzero(hits.relevant(rel) & (cutoff_index < n_cutoffs))
    flat_index = hits.query[rows] * n_cutoffs + np.maximum(cutoff_index[rows], 0).astype(np.int64)
    sums = np.bincount(flat_index, None if weights is None else weights[rows], len(hits) * n_cutoffs)
    return np.cumsum(sums.reshape(len(hits), n_cutoffs), axis=1, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class APIntervals(CutoffIntervals):
    """Mean of average precision over cutoffs 100, 200, ..., 10000; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    step
        Distance of the cutoffs, which are step, 2 step, ... up to `depth`.
    depth
        The last cutoff.
    average
        "arithmetic" or "geometric" mean, which is 0 if nothing relevant is within the first cutoff.

    Notes
    -----
    At each cutoff k the sum of precisions is divided by the lesser of R and k (AP(norm='min')@k), so that a perfect
    list gives 1. 0 without relevant documents, or without any within `depth`.

    References
    ----------
    Dunaiski (2018), MAP over intervals, each cutoff's sum over min(R, k).
    """

    name: ClassVar[str] = "APIntervals"
    source: ClassVar[str] = "Dunaiski (2018), MAP over intervals, each cutoff's sum over min(R, k)"
    average: Literal["arithmetic", "geometric"] = "arithmetic"

    def check(self) -> None:
        super().check()
        valid = self.average in ("arithmetic", "geometric")
        require(valid, self, "average", self.average, "'arithmetic' or 'geometric'")

    def values_at_once(self, hits: Hits) -> Floats:
        divisors = np.minimum(hits.n_relevant(self.rel)[:, None], self.cutoffs())
        values = np.minimum(ratio(self.up_to(precisions_of(hits, self.rel), hits), divisors), 1.0)
        if self.average == "arithmetic":
            return np.asarray(values.mean(axis=1))
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(np.log(values).mean(axis=1)))


@dataclass(frozen=True, kw_only=True)
class AUCIntervals(CutoffIntervals):
    """Mean of the partial area under the ROC curve over cutoffs 100, 200, ..., 10000; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    step
        Distance of the cutoffs, which are step, 2 step, ... up to `depth`.
    depth
        The last cutoff.

    Notes
    -----
    At each cutoff k: the share of pairs of a relevant document (any of them, also one after k or not retrieved) and one
    of the others in the first k that are in the right order, which is the area left of where the curve is at k divided
    by the largest possible. A perfect list gives 1. 1 if the first k hold relevant documents only. A list shorter than
    k counts as filled up with documents that are not relevant. 0 without relevant documents, or without any within
    `depth`.

    References
    ----------
    McClish (1989), partial area under the ROC curve; Dunaiski (2018), ROC AUC over intervals.
    """

    name: ClassVar[str] = "AUCIntervals"
    source: ClassVar[str] = "McClish (1989), partial area under the ROC curve; Dunaiski (2018), ROC AUC over intervals"

    def values_at_once(self, hits: Hits) -> Floats:
        n_relevant_within, n_relevant = self.up_to(None, hits), hits.n_relevant(self.rel)[:, None]
        n_others = np.maximum(self.cutoffs() - n_relevant_within, 0.0)
        others_above = hits.rank - 1.0 - hits.relevant_above(self.rel)
        n_right_pairs = n_relevant_within * n_others - self.up_to(others_above, hits)
        values = np.where(n_others > 0, ratio(n_right_pairs, n_relevant * n_others), 1.0)
        return np.asarray(np.clip(values, 0.0, 1.0).mean(axis=1))

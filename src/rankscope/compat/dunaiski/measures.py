"""Measures as Dunaiski's tool for ranks of entities computes them, its defects included.

The preset `dunaiski` uses them for P, R, AP, ...; rankscope's own definitions are in `binary`, `graded`, `entity` and
`curves`, and docs/differences.md lists the differences. In all of them r_1 <= r_2 <= ... are the ranks of
the relevant documents (entities), R is how many there are, and p_i = min(1, i / r_i).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.compat.dunaiski import buckets
from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import discount_log2
from rankscope.measures.base import Binary, ratio, require
from rankscope.measures.curves import (
    IAP,
    APIntervals,
    AUCIntervals,
    highest_from,
    in_blocks,
    precisions_of,
    trapezoid_heights,
)
from rankscope.measures.cutoffs import needed_for, query_cutoff
from rankscope.typing import Bools, Floats

__all__ = [
    "DunaiskiAP",
    "DunaiskiAPIntervals",
    "DunaiskiAUC",
    "DunaiskiAUCIntervals",
    "DunaiskiIAP",
    "DunaiskiMeasure",
    "DunaiskiNDCG",
    "DunaiskiP",
    "DunaiskiPRAUC",
    "DunaiskiR",
]


SOURCE = "Dunaiski (2018), as the tool's commit 616db4e computes it: "
#: The deepest cutoff whose ideal is computed.
DEEPEST = 10_000_000


@dataclass(frozen=True, kw_only=True)
class DunaiskiMeasure(Binary):
    """The base of all measures here. scale="permille": the tool's "buckets" form, where ranks are permilles already."""

    allows_query_cutoffs: ClassVar[bool] = True
    ranks_below_1: ClassVar[bool] = True
    scale: Literal["permille"] | None = None

    def check(self) -> None:
        require(self.scale in (None, "permille"), self, "scale", self.scale, "'permille', or none")

    def values(self, hits: Hits) -> Floats:
        values: Floats = self.values_and_counts(hits)[0]
        return values

    def used(self, hits: Hits) -> Floats:
        used: Floats = self.values_and_counts(hits)[1]
        return used

    def values_and_counts(self, hits: Hits) -> Floats:
        """(2, queries) the values, and the number of entities that each rests on as the tool counts."""
        if self.scale is None:
            return self.from_ranks(hits)
        if hits.collection_size is None:
            raise ParameterError(
                f"{self}: the permille form needs the number of all ranked items; pass it (--total-ranks N, "
                "total_ranks=N)"
            )
        return in_blocks(lambda block: self.from_buckets(buckets.make(block, self.level(hits))), hits, buckets.COUNT)

    @abstractmethod
    def from_ranks(self, hits: Hits) -> Floats:
        """(2, queries) computed from ranks."""

    @abstractmethod
    def from_buckets(self, table: buckets.Buckets) -> Floats:
        """(2, queries) computed from counts by permille."""

    def within_cutoff(self, hits: Hits) -> Bools:
        """(hits) whether each is relevant and within the cutoff."""
        depth = self.depth(hits)[hits.query]
        return np.asarray(hits.relevant(self.rel) & (hits.rank <= depth), np.bool_)

    def depth(self, hits: Hits) -> Floats:
        """(queries) the cutoff; infinite without one."""
        reach = self.resolve_cutoff(hits)
        return np.broadcast_to(np.asarray(np.inf if reach is None else reach, np.float64), (len(hits),))


@dataclass(frozen=True, kw_only=True)
class DunaiskiP(DunaiskiMeasure):
    """P of the tool: it also counts the first entity at rank k or deeper, however deep; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".

    Notes
    -----
    With n entities above rank k, min(1, (n + 1) / k), where n + 1 is at most R. @recall=x: m / r_m for m = ceil(x R).
    scale="permille": entities within the first k of N ranked items divided by k, interpolated in the bucket of k; 0 if
    k reaches N; @recall=x is recall at rank ceil(x R). 0 without relevant documents retrieved.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: P_at_k, P_at_avg, P_at_testsize, P_at_recall,
    P_at_k_buckets.
    """

    name: ClassVar[str] = "DunaiskiP"
    source: ClassVar[str] = SOURCE + "P_at_k, P_at_avg, P_at_testsize, P_at_recall, P_at_k_buckets"
    cutoff: int | str

    def from_ranks(self, hits: Hits) -> Floats:
        relevant, depth = hits.relevant(self.rel), self.depth(hits)
        if isinstance(self.cutoff, str) and self.cutoff.startswith("recall"):
            n = np.where(np.isfinite(depth), needed_for(self.cutoff, hits.n_relevant(self.rel)), 0.0)
        else:
            n_above = hits.sum(relevant & (hits.rank < depth[hits.query]))
            n = np.minimum(hits.sum(relevant), n_above + 1)
        return np.stack([np.minimum(1.0, ratio(n, depth)), n])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        if isinstance(self.cutoff, str) and self.cutoff.startswith("recall"):
            return buckets.recall(table, needed_for(self.cutoff, table.n).astype(np.float64))
        return buckets.precision(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiR(DunaiskiMeasure):
    """Recall of the tool: entities up to rank k, no more than k of them, divided by R; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".

    Notes
    -----
    scale="permille": entities within the first k of N ranked items, interpolated in the bucket of k; 0 if k reaches N.
    0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: Recall_at_k, Recall_at_avg, Recall_at_k_buckets.
    """

    name: ClassVar[str] = "DunaiskiR"
    source: ClassVar[str] = SOURCE + "Recall_at_k, Recall_at_avg, Recall_at_k_buckets"
    cutoff: int | str

    def from_ranks(self, hits: Hits) -> Floats:
        n = np.minimum(hits.sum(self.within_cutoff(hits)), self.depth(hits))
        return np.stack([ratio(n, hits.n_relevant(self.rel)), n])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        return buckets.recall(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiAP(DunaiskiMeasure):
    """Average precision of the tool; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    The sum of p_i over entities up to rank n (and of them the first n), divided by min(R, n). scale="permille": the
    mean of the precisions of permille buckets (at most 1 each), not of entities; with a cutoff divided by max(1,
    buckets in it), to which the broken bucket adds one whole precision. 0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: AP, AP_at_n, AP_at_avg, AP_at_recall, AP_buckets,
    AP_at_n_buckets.
    """

    name: ClassVar[str] = "DunaiskiAP"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "AP, AP_at_n, AP_at_avg, AP_at_recall, AP_buckets, AP_at_n_buckets"
    cutoff: int | str | None = None

    def from_ranks(self, hits: Hits) -> Floats:
        depth = self.depth(hits)
        is_counted = self.within_cutoff(hits) & (hits.relevant_above(self.rel) < depth[hits.query])
        total = hits.sum(np.where(is_counted, precisions_of(hits, self.rel), 0.0))
        return np.stack([ratio(total, np.minimum(hits.n_relevant(self.rel), depth)), hits.sum(is_counted)])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        return buckets.average_precision(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiNDCG(DunaiskiMeasure):
    """nDCG of the tool: within a cutoff n, divided by an ideal of n relevant documents; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Raises
    ------
    ParameterError
        The cutoff is above 10,000,000.

    Notes
    -----
    The ideal has n relevant documents, however few there are. scale="permille": entities gain in their permille bucket,
    discounted by log2(bucket + 1), divided by an ideal that fills the first buckets; the broken bucket at the cutoff
    counts in part. 0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: NDCG, NDCG_at_n, NDCG_at_avg, NDCG_at_recall,
    NDCG_buckets, NDCG_at_n_buckets.
    """

    name: ClassVar[str] = "DunaiskiNDCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "NDCG, NDCG_at_n, NDCG_at_avg, NDCG_at_recall, NDCG_buckets, NDCG_at_n_buckets"
    cutoff: int | str | None = None

    def depth(self, hits: Hits) -> Floats:
        if self.cutoff == "median":  # not rounded
            return query_cutoff(hits, "median", self.level(hits), rounded=False)
        return super().depth(hits)

    def from_ranks(self, hits: Hits) -> Floats:
        is_counted = self.within_cutoff(hits)
        depth = hits.n_relevant(self.rel) if self.cutoff is None else np.floor(self.depth(hits))
        has_cutoff = np.isfinite(depth)
        depths = np.where(has_cutoff, depth, 0.0).astype(np.int64)
        if depths.max(initial=0) > DEEPEST:
            raise ParameterError(
                f"{self}: an ideal of {depths.max()} documents, expected a cutoff of at most {DEEPEST}"
            )
        ideal = np.append(0.0, np.cumsum(discount_log2(np.arange(1.0, depths.max(initial=0) + 1))))[depths]
        gains = hits.sum(np.where(is_counted, discount_log2(hits.rank), 0.0))
        return np.stack([np.where(has_cutoff, ratio(gains, ideal), 0.0), hits.sum(is_counted)])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        return buckets.ndcg(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiIAP(DunaiskiMeasure):
    """Interpolated average precision of the tool: the mean of max over j >= i of p_j; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks: "percentile" or "permille" of all ranked documents. Default: the rank itself.

    Notes
    -----
    scale="permille": the mean over permille buckets of the highest precision from each on, which may exceed 1, and
    which counts as resting on 1,000 entities. 0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: AP_interpolated, AP_interpolated_buckets.
    """

    name: ClassVar[str] = "DunaiskiIAP"
    allows_query_cutoffs: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "AP_interpolated, AP_interpolated_buckets"

    def from_ranks(self, hits: Hits) -> Floats:
        return np.stack([IAP(rel=self.rel)(hits), hits.sum(hits.relevant(self.rel))])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        return buckets.interpolated_precision(table)


@dataclass(frozen=True, kw_only=True)
class DunaiskiPRAUC(DunaiskiMeasure):
    """Area under the precision-recall curve of the tool, from the first entity on; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    interpolated
        Take the highest precision from each point on.

    Notes
    -----
    The area left of recall 1/R is missing, so that a perfect list of 5 gives 4/5. scale="permille": the curve over
    permille buckets. 0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: PR_AUC, PR_AUC_interpolated, PR_AUC_buckets,
    PR_AUC_interpolated_buckets.
    """

    name: ClassVar[str] = "DunaiskiPRAUC"
    allows_query_cutoffs: ClassVar[bool] = False
    source: ClassVar[str] = SOURCE + "PR_AUC, PR_AUC_interpolated, PR_AUC_buckets, PR_AUC_interpolated_buckets"
    interpolated: bool = False

    def check(self) -> None:
        super().check()
        require(isinstance(self.interpolated, bool), self, "interpolated", self.interpolated, "True or False")

    def from_ranks(self, hits: Hits) -> Floats:
        relevant, precision = hits.relevant(self.rel), precisions_of(hits, self.rel)
        if self.interpolated:
            precision = highest_from(precision, hits)
        area = ratio(hits.sum(trapezoid_heights(precision, relevant, hits)), hits.n_relevant(self.rel))
        return np.stack([area, hits.sum(relevant)])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        return buckets.precision_recall_area(table, self.interpolated)


@dataclass(frozen=True, kw_only=True)
class DunaiskiAUC(DunaiskiMeasure):
    """Area under the tool's ROC curve, from the first to the last entity up to rank k; in [-1, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query. Default: 10000.

    Notes
    -----
    The share of false positives at the i-th entity is (r - i) / (r + k - 2 i), 0 if i > r; the curve never continues to
    1, so that a perfect list gives 0, and impossible ranks may give less than 0. scale="permille": the curve over
    permille buckets, from the first; no cutoff. 0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: ROC_at_k_auc, ROC_at_avg_auc, ROC_AUC_buckets.
    """

    name: ClassVar[str] = "DunaiskiAUC"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    source: ClassVar[str] = SOURCE + "ROC_at_k_auc, ROC_at_avg_auc, ROC_AUC_buckets"
    cutoff: int | str | None = None

    def check(self) -> None:
        super().check()
        is_valid = self.scale is None or self.cutoff is None
        require(is_valid, self, "cutoff", self.cutoff, "none with scale='permille', as in AUC(scale='permille')")

    def depth(self, hits: Hits) -> Floats:
        return np.full(len(hits), 10_000.0) if self.cutoff is None else super().depth(hits)

    def from_ranks(self, hits: Hits) -> Floats:
        is_counted, depth = self.within_cutoff(hits), self.depth(hits)[hits.query]
        ordinal = hits.relevant_above(self.rel) + 1.0
        denominator = hits.rank + depth - 2 * ordinal
        # The tool divides 0 by 0 at r = k = i.
        false_rates = np.where(ordinal > hits.rank, 0.0, ratio(hits.rank - ordinal, denominator))
        rows = np.flatnonzero(is_counted)
        same_query = np.diff(hits.query[rows]) == 0
        widths = np.zeros(is_counted.size)
        widths[rows[1:][same_query]] = np.diff(false_rates[rows])[same_query]
        area = ratio(hits.sum(widths * (ordinal - 0.5)), hits.n_relevant(self.rel))
        return np.stack([area, hits.sum(is_counted)])

    def from_buckets(self, table: buckets.Buckets) -> Floats:
        return buckets.roc_area(table)


@dataclass(frozen=True, kw_only=True)
class DunaiskiAPIntervals(APIntervals):
    """AP over intervals of the tool: mean over cutoffs c of (the sum of p_i up to c) / c; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    step
        Distance of the cutoffs, which are step, 2 step, ... up to `depth`.
    depth
        The last cutoff.
    average
        "arithmetic" or "geometric": the square root of the product, however many cutoffs there are.

    Notes
    -----
    Divided by c and not by min(R, c), so that a perfect list gives next to nothing. 0 without relevant documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: MAP_std_intervals, MAP_geom_intervals.
    """

    name: ClassVar[str] = "DunaiskiAPIntervals"
    ranks_below_1: ClassVar[bool] = True
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "MAP_std_intervals, MAP_geom_intervals"

    def values_at_once(self, hits: Hits) -> Floats:
        values = self.up_to(precisions_of(hits, self.rel), hits) / self.cutoffs()
        means: Floats = values.mean(axis=1) if self.average == "arithmetic" else np.sqrt(values.prod(axis=1))
        return means

    def used(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class DunaiskiAUCIntervals(AUCIntervals):
    """Area under the ROC curve over intervals of the tool; in [-1, 1], higher is better.

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
    The trapezoid through the cutoffs c, with n entities up to each: n / R over (c - n) / depth; the area left of the
    first cutoff is missing. Below 0 only if more entities than there are ranks lie within a cutoff. 0 without relevant
    documents.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it: ROC_AUC_std_intervals.
    """

    name: ClassVar[str] = "DunaiskiAUCIntervals"
    ranks_below_1: ClassVar[bool] = True
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    source: ClassVar[str] = SOURCE + "ROC_AUC_std_intervals"

    def values_at_once(self, hits: Hits) -> Floats:
        counts = self.up_to(None, hits)
        false_rates = (self.cutoffs() - counts) / self.depth
        total = ((counts[:, 1:] + counts[:, :-1]) / 2 * np.diff(false_rates, axis=1)).sum(axis=1)
        return ratio(total, hits.n_relevant(self.rel))

    def used(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel))

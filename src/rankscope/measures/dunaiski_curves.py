"""Areas under curves and means over intervals as the reference tool for ranks of known entities computes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures import dunaiski_buckets as buckets
from rankscope.measures.base import ratio, require
from rankscope.measures.dunaiski import SOURCE, DunaiskiMeasure
from rankscope.measures.entity_curves import (
    IAP,
    APIntervals,
    AUCIntervals,
    highest_from,
    precisions_of,
    trapezoid_heights,
)
from rankscope.typing import Floats

__all__ = ["DunaiskiAPIntervals", "DunaiskiAUC", "DunaiskiAUCIntervals", "DunaiskiIAP", "DunaiskiPRAUC"]


@dataclass(frozen=True, kw_only=True)
class DunaiskiIAP(DunaiskiMeasure):
    """Interpolated average precision of the tool: the mean of max over j >= i of p_j; at least 0, higher is better.

    scale="permille": the mean over permille buckets of the highest precision from each on, which may exceed 1, and
    which is said to rest on 1,000 entities. Without relevant documents: 0.
    """

    name: ClassVar[str] = "DunaiskiIAP"
    own_cutoffs: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "AP_interpolated, AP_interpolated_buckets"

    def plain(self, hits: Hits) -> Floats:
        return np.stack([IAP(rel=self.rel)(hits), hits.sum(hits.relevant(self.rel))])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        return buckets.interpolated_precision(table)


@dataclass(frozen=True, kw_only=True)
class DunaiskiPRAUC(DunaiskiMeasure):
    """Area under the precision-recall curve of the tool, from the first entity on; in [0, 1], higher is better.

    What lies left of recall 1/R is missing, so that a perfect list of 5 gives 4/5. interpolated: with the highest
    precision from each point on. scale="permille": the curve over permille buckets. Without relevant documents: 0.
    """

    name: ClassVar[str] = "DunaiskiPRAUC"
    own_cutoffs: ClassVar[bool] = False
    source: ClassVar[str] = SOURCE + "PR_AUC, PR_AUC_interpolated, PR_AUC_buckets, PR_AUC_interpolated_buckets"
    interpolated: bool = False

    def check(self) -> None:
        super().check()
        require(isinstance(self.interpolated, bool), self, "interpolated", self.interpolated, "True or False")

    def plain(self, hits: Hits) -> Floats:
        relevant, precision = hits.relevant(self.rel), precisions_of(hits, self.rel)
        if self.interpolated:
            precision = highest_from(precision, hits)
        area = ratio(hits.sum(trapezoid_heights(precision, relevant, hits)), hits.n_relevant(self.rel))
        return np.stack([area, hits.sum(relevant)])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        return buckets.precision_recall_area(table, self.interpolated)


@dataclass(frozen=True, kw_only=True)
class DunaiskiAUC(DunaiskiMeasure):
    """Area under the ROC curve of the tool, from the first to the last entity up to rank k; in [-1, 1].

    Higher is better. The share of false positives at the i-th entity is (r - i) / (r + k - 2 i), 0 where i > r; the
    curve never goes on to 1, so that a perfect list gives 0, and ranks that no list has may give less than 0. cutoff:
    10000 without one. scale="permille": the curve over permille buckets, from the first; no cutoff. Without relevant
    documents: 0.
    """

    name: ClassVar[str] = "DunaiskiAUC"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    source: ClassVar[str] = SOURCE + "ROC_at_k_auc, ROC_at_avg_auc, ROC_AUC_buckets"
    cutoff: int | str | None = None

    def check(self) -> None:
        super().check()
        good = self.scale is None or self.cutoff is None
        require(good, self, "cutoff", self.cutoff, "none with scale='permille', as in AUC(scale='permille')")

    def depth(self, hits: Hits) -> Floats:
        return np.full(len(hits), 10_000.0) if self.cutoff is None else super().depth(hits)

    def plain(self, hits: Hits) -> Floats:
        counted, depth = self.found(hits), self.depth(hits)[hits.query]
        place = hits.relevant_above(self.rel) + 1.0
        below = hits.rank + depth - 2 * place
        false = np.where(
            place > hits.rank, 0.0, ratio(hits.rank - place, below)
        )  # the tool divides 0 by 0 at r = k = i
        rows = np.flatnonzero(counted)
        follows = np.diff(hits.query[rows]) == 0
        widths = np.zeros(counted.size)
        widths[rows[1:][follows]] = np.diff(false[rows])[follows]
        area = ratio(hits.sum(widths * (place - 0.5)), hits.n_relevant(self.rel))
        return np.stack([area, hits.sum(counted)])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        return buckets.roc_area(table)


@dataclass(frozen=True, kw_only=True)
class DunaiskiAPIntervals(APIntervals):
    """AP over intervals of the tool: the mean over cutoffs c of (the sum of p_i up to c) / c; at least 0.

    Higher is better. Over c and not over min(R, c), so that a perfect list gives next to nothing. average="geometric":
    the square root of the product, however many cutoffs there are. step, depth: as APIntervals. Without relevant
    documents: 0.
    """

    name: ClassVar[str] = "DunaiskiAPIntervals"
    ranks_below_1: ClassVar[bool] = True
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "MAP_std_intervals, MAP_geom_intervals"

    def values_at_once(self, hits: Hits) -> Floats:
        values = self.up_to(precisions_of(hits, self.rel), hits) / self.cutoffs()
        found: Floats = values.mean(axis=1) if self.average == "arithmetic" else np.sqrt(values.prod(axis=1))
        return found

    def used(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class DunaiskiAUCIntervals(AUCIntervals):
    """Area under the ROC curve over intervals of the tool; in [-1, 1], higher is better.

    The trapezoid through the cutoffs c, with n entities up to each: n / R over (c - n) / depth; what lies left of the
    first cutoff is missing. Below 0 only where more entities than there are ranks lie within a cutoff. step, depth: as
    AUCIntervals. Without relevant documents: 0.
    """

    name: ClassVar[str] = "DunaiskiAUCIntervals"
    ranks_below_1: ClassVar[bool] = True
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    source: ClassVar[str] = SOURCE + "ROC_AUC_std_intervals"

    def values_at_once(self, hits: Hits) -> Floats:
        found = self.up_to(None, hits)
        false = (self.cutoffs() - found) / self.depth
        total = ((found[:, 1:] + found[:, :-1]) / 2 * np.diff(false, axis=1)).sum(axis=1)
        return ratio(total, hits.n_relevant(self.rel))

    def used(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel))

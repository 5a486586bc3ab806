"""Measures as the reference tool for ranks of known entities computes them, its defects included.

The preset `dunaiski` takes them for P, R, AP, ...; the definitions that rankscope takes else are in `binary`, `graded`,
`entity` and `entity_curves`, and what differs in docs/differences.md. In all of them r_1 <= r_2 <= ... are the ranks of
the relevant documents (entities), R is how many there are, and p_i = min(1, i / r_i).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import discount_log2
from rankscope.measures import dunaiski_buckets as buckets
from rankscope.measures.base import Binary, ratio, require
from rankscope.measures.cutoffs import needed_for, query_cutoff
from rankscope.measures.entity_curves import in_blocks, precisions_of
from rankscope.typing import Bools, Floats

__all__ = ["DunaiskiMeasure", "DunaiskiAP", "DunaiskiNDCG", "DunaiskiP", "DunaiskiR"]

SOURCE = "Dunaiski (2018), as the tool's commit 616db4e computes it: "
#: The deepest cutoff whose ideal is added up.
DEEPEST = 10_000_000


@dataclass(frozen=True, kw_only=True)
class DunaiskiMeasure(Binary):
    """What they share. scale="permille": the tool's "buckets" form, which takes ranks for permilles already."""

    own_cutoffs: ClassVar[bool] = True
    ranks_below_1: ClassVar[bool] = True
    scale: Literal["permille"] | None = None

    def check(self) -> None:
        require(self.scale in (None, "permille"), self, "scale", self.scale, "'permille', or none")

    def values(self, hits: Hits) -> Floats:
        values: Floats = self.both(hits)[0]
        return values

    def used(self, hits: Hits) -> Floats:
        used: Floats = self.both(hits)[1]
        return used

    def both(self, hits: Hits) -> Floats:
        """(2, queries) the values, and on how many entities each rests as the tool counts."""
        if self.scale is None:
            return self.plain(hits)
        if hits.collection_size is None:
            raise ParameterError(
                f"{self}: the permille form needs the number of all ranked items; pass it (--total-ranks N, "
                "total_ranks=N)"
            )
        return in_blocks(lambda part: self.bucketed(buckets.make(part, self.level(hits))), hits, buckets.COUNT)

    @abstractmethod
    def plain(self, hits: Hits) -> Floats:
        """(2, queries) of the ranks themselves."""

    @abstractmethod
    def bucketed(self, table: buckets.Buckets) -> Floats:
        """(2, queries) of counts by permille."""

    def found(self, hits: Hits) -> Bools:
        """(hits) the relevant ones up to the cutoff."""
        depth = self.depth(hits)[hits.query]
        return np.asarray(hits.relevant(self.rel) & (hits.rank <= depth), np.bool_)

    def depth(self, hits: Hits) -> Floats:
        """(queries) the cutoff; infinite without one."""
        reach = self.reach(hits)
        return np.broadcast_to(np.asarray(np.inf if reach is None else reach, np.float64), (len(hits),))


@dataclass(frozen=True, kw_only=True)
class DunaiskiP(DunaiskiMeasure):
    """P of the tool: it counts the first entity at rank k or deeper as well, however deep; in [0, 1], higher is better.

    With n entities above rank k, min(1, (n + 1) / k), where n + 1 is at most R. @recall=x: m / r_m for m = ceil(x R).
    scale="permille": entities within the first k of N ranked items over k, interpolated in the bucket of k; 0 where k
    reaches N; @recall=x is recall at rank ceil(x R). Without relevant documents retrieved: 0.
    """

    name: ClassVar[str] = "DunaiskiP"
    source: ClassVar[str] = SOURCE + "P_at_k, P_at_avg, P_at_testsize, P_at_recall, P_at_k_buckets"
    cutoff: int | str

    def plain(self, hits: Hits) -> Floats:
        relevant, depth = hits.relevant(self.rel), self.depth(hits)
        if isinstance(self.cutoff, str) and self.cutoff.startswith("recall"):
            n = np.where(np.isfinite(depth), needed_for(self.cutoff, hits.n_relevant(self.rel)), 0.0)
        else:
            above = hits.sum(relevant & (hits.rank < depth[hits.query]))
            n = np.minimum(hits.sum(relevant), above + 1)
        return np.stack([np.minimum(1.0, ratio(n, depth)), n])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        if isinstance(self.cutoff, str) and self.cutoff.startswith("recall"):
            return buckets.recall(table, needed_for(self.cutoff, table.n).astype(np.float64))
        return buckets.precision(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiR(DunaiskiMeasure):
    """Recall of the tool: entities up to rank k, no more than k of them, over R; in [0, 1], higher is better.

    scale="permille": entities within the first k of N ranked items, interpolated in the bucket of k; 0 where k reaches
    N. Without relevant documents: 0.
    """

    name: ClassVar[str] = "DunaiskiR"
    source: ClassVar[str] = SOURCE + "Recall_at_k, Recall_at_avg, Recall_at_k_buckets"
    cutoff: int | str

    def plain(self, hits: Hits) -> Floats:
        n = np.minimum(hits.sum(self.found(hits)), self.depth(hits))
        return np.stack([ratio(n, hits.n_relevant(self.rel)), n])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        return buckets.recall(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiAP(DunaiskiMeasure):
    """Average precision of the tool; at least 0, higher is better.

    The sum of p_i over entities up to rank n (and of them the first n) over min(R, n). scale="permille": the mean of
    the precisions of permille buckets (at most 1 each), not of entities; with a cutoff over max(1, buckets in it), to
    which the broken bucket adds one whole precision. Without relevant documents: 0.
    """

    name: ClassVar[str] = "DunaiskiAP"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "AP, AP_at_n, AP_at_avg, AP_at_recall, AP_buckets, AP_at_n_buckets"
    cutoff: int | str | None = None

    def plain(self, hits: Hits) -> Floats:
        depth = self.depth(hits)
        counted = self.found(hits) & (hits.relevant_above(self.rel) < depth[hits.query])
        total = hits.sum(np.where(counted, precisions_of(hits, self.rel), 0.0))
        return np.stack([ratio(total, np.minimum(hits.n_relevant(self.rel), depth)), hits.sum(counted)])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        return buckets.average_precision(table, buckets.depth_of(table, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class DunaiskiNDCG(DunaiskiMeasure):
    """nDCG of the tool: within a cutoff n over an ideal of n relevant documents, however few there are; at least 0.

    Higher is better. scale="permille": entities gain in their permille bucket, discounted by log2(bucket + 1), over an
    ideal that fills the first buckets; the broken bucket at the cutoff counts in part. Without relevant documents: 0.
    Raises ParameterError for a cutoff above 10,000,000.
    """

    name: ClassVar[str] = "DunaiskiNDCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = SOURCE + "NDCG, NDCG_at_n, NDCG_at_avg, NDCG_at_recall, NDCG_buckets, NDCG_at_n_buckets"
    cutoff: int | str | None = None

    def depth(self, hits: Hits) -> Floats:
        if self.cutoff == "median":  # not rounded
            return query_cutoff(hits, "median", self.level(hits), rounded=False)
        return super().depth(hits)

    def plain(self, hits: Hits) -> Floats:
        counted = self.found(hits)
        depth = hits.n_relevant(self.rel) if self.cutoff is None else np.floor(self.depth(hits))
        reached = np.isfinite(depth)
        deepest = np.where(reached, depth, 0.0).astype(np.int64)
        if deepest.max(initial=0) > DEEPEST:
            raise ParameterError(
                f"{self}: an ideal of {deepest.max()} documents, expected a cutoff of at most {DEEPEST}"
            )
        best = np.append(0.0, np.cumsum(discount_log2(np.arange(1.0, deepest.max(initial=0) + 1))))[deepest]
        gained = hits.sum(np.where(counted, discount_log2(hits.rank), 0.0))
        return np.stack([np.where(reached, ratio(gained, best), 0.0), hits.sum(counted)])

    def bucketed(self, table: buckets.Buckets) -> Floats:
        return buckets.ndcg(table, buckets.depth_of(table, self.cutoff))

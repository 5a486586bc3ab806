"""Measures of relevant or not: precision, recall, success, average precision, reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures.base import Binary, Floats, Summary, is_number, ratio, require, within

__all__ = ["AP", "GMAP", "RR", "P", "R", "Rprec", "Success"]


@dataclass(frozen=True, kw_only=True)
class P(Binary):
    """Precision: the share of relevant documents in the first k; in [0, 1], higher is better.

    A list shorter than k counts as filled up with documents that are not relevant.
    Without documents or relevant documents: 0.
    """

    name: ClassVar[str] = "P"
    source: ClassVar[str] = "trec_eval P_k"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        return hits.sum(within(hits, self.cutoff, hits.relevant(self.rel))) / self.cutoff


@dataclass(frozen=True, kw_only=True)
class R(Binary):
    """Recall: the share of all relevant documents that the first k hold; in [0, 1], higher is better.

    Without documents or relevant documents: 0.
    """

    name: ClassVar[str] = "R"
    source: ClassVar[str] = "trec_eval recall_k"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        found = hits.sum(within(hits, self.cutoff, hits.relevant(self.rel)))
        return ratio(found, hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class Success(Binary):
    """1 where the first k hold a relevant document, else 0; in [0, 1], higher is better."""

    name: ClassVar[str] = "Success"
    source: ClassVar[str] = "trec_eval success_k"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        return (hits.sum(within(hits, self.cutoff, hits.relevant(self.rel))) > 0).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class AP(Binary):
    """Average precision: the mean of the precision at the rank of each relevant document; in [0, 1], higher is better.

    sum over relevant retrieved of i / r_i, over R, where r_i is the rank of the i-th of them and R the number of all
    relevant. With a cutoff only ranks up to k count, still over R. Without relevant documents: 0.
    """

    name: ClassVar[str] = "AP"
    source: ClassVar[str] = "trec_eval map, map_cut_k; Buckley and Voorhees (2000)"
    cutoff: int | None = None

    def values(self, hits: Hits) -> Floats:
        counted = hits.relevant(self.rel)
        precision = (hits.relevant_above(self.rel) + 1.0) / hits.rank
        counted = within(hits, self.cutoff, counted)
        return ratio(hits.sum(np.where(counted, precision, 0.0)), hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class RR(Binary):
    """Reciprocal rank: 1 / rank of the first relevant document; in [0, 1], higher is better.

    0 where none is retrieved, or none within the cutoff.
    """

    name: ClassVar[str] = "RR"
    source: ClassVar[str] = "trec_eval recip_rank; Kantor and Voorhees (2000)"
    cutoff: int | None = None

    def values(self, hits: Hits) -> Floats:
        rows = within(hits, self.cutoff, hits.relevant(self.rel)).nonzero()[0][::-1]
        values = np.zeros(len(hits))
        values[hits.query[rows]] = 1.0 / hits.rank[rows]  # from the last to the first, which stays
        return values


@dataclass(frozen=True, kw_only=True)
class GMAP(AP):
    """Average precision, put together over queries by the geometric mean; in [0, 1], higher is better.

    Values below 0.00001 enter the mean as 0.00001: hard queries count more than in AP.
    """

    name: ClassVar[str] = "GMAP"
    summary: ClassVar[Summary] = "geometric"
    source: ClassVar[str] = "trec_eval gm_map; Robertson (2006)"


@dataclass(frozen=True, kw_only=True)
class Rprec(Binary):
    """R-precision: the share of relevant documents in the first R; in [0, 1], higher is better.

    R is the number of all relevant documents. mult: how many times R the list is read, rounded as trec_eval does:
    floor(mult R + .9). Without relevant documents: 0.
    """

    name: ClassVar[str] = "Rprec"
    source: ClassVar[str] = "trec_eval Rprec, Rprec_mult"
    mult: float = 1.0

    def check(self) -> None:
        require(is_number(self.mult) and self.mult > 0, self, "mult", self.mult, "a number above 0")

    def values(self, hits: Hits) -> Floats:
        depth = np.floor(self.mult * hits.n_relevant(self.rel) + 0.9)
        return ratio(hits.sum(hits.relevant(self.rel) & (hits.rank <= depth[hits.query])), depth)

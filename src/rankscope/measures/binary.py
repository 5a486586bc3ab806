"""Measures of relevant or not: precision, recall, success, average precision, reciprocal rank, set measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures.base import Binary, Floats, ratio, require, within

__all__ = ["AP", "RR", "P", "R", "Rprec", "SetF", "SetP", "SetR", "Success"]


@dataclass(frozen=True, kw_only=True)
class P(Binary):
    """Precision: the share of relevant documents in the first k; in [0, 1], higher is better.

    A list shorter than k counts as filled up with documents that are not relevant.
    Without documents or relevant documents: 0.
    """

    name: ClassVar[str] = "P"
    source: ClassVar[str] = "trec_eval P_k"
    cutoff: int

    def __call__(self, hits: Hits) -> Floats:
        return hits.sum(within(hits, self.cutoff, hits.relevant(self.rel))) / self.cutoff


@dataclass(frozen=True, kw_only=True)
class R(Binary):
    """Recall: the share of all relevant documents that the first k hold; in [0, 1], higher is better.

    Without documents or relevant documents: 0.
    """

    name: ClassVar[str] = "R"
    source: ClassVar[str] = "trec_eval recall_k"
    cutoff: int

    def __call__(self, hits: Hits) -> Floats:
        found = hits.sum(within(hits, self.cutoff, hits.relevant(self.rel)))
        return ratio(found, hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class Success(Binary):
    """1 where the first k hold a relevant document, else 0; in [0, 1], higher is better."""

    name: ClassVar[str] = "Success"
    source: ClassVar[str] = "trec_eval success_k"
    cutoff: int

    def __call__(self, hits: Hits) -> Floats:
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

    def __call__(self, hits: Hits) -> Floats:
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

    def __call__(self, hits: Hits) -> Floats:
        rows = within(hits, self.cutoff, hits.relevant(self.rel)).nonzero()[0][::-1]
        values = np.zeros(len(hits))
        values[hits.query[rows]] = 1.0 / hits.rank[rows]  # from the last to the first, which stays
        return values


@dataclass(frozen=True, kw_only=True)
class Rprec(Binary):
    """R-precision: the share of relevant documents in the first R; in [0, 1], higher is better.

    R is the number of all relevant documents. Without relevant documents: 0.
    """

    name: ClassVar[str] = "Rprec"
    source: ClassVar[str] = "trec_eval Rprec"

    def __call__(self, hits: Hits) -> Floats:
        n = hits.n_relevant(self.rel)
        return ratio(hits.sum(hits.relevant(self.rel) & (hits.rank <= n[hits.query])), n)


@dataclass(frozen=True, kw_only=True)
class SetP(Binary):
    """Set precision: the share of relevant documents among all retrieved; in [0, 1], higher is better.

    Nothing retrieved: 0.
    """

    name: ClassVar[str] = "SetP"
    source: ClassVar[str] = "trec_eval set_P"

    def __call__(self, hits: Hits) -> Floats:
        return ratio(hits.sum(hits.relevant(self.rel)), hits.retrieved.astype(np.float64))


@dataclass(frozen=True, kw_only=True)
class SetR(Binary):
    """Set recall: the share of all relevant documents that was retrieved; in [0, 1], higher is better.

    Without relevant documents: 0.
    """

    name: ClassVar[str] = "SetR"
    source: ClassVar[str] = "trec_eval set_recall"

    def __call__(self, hits: Hits) -> Floats:
        return ratio(hits.sum(hits.relevant(self.rel)), hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class SetF(Binary):
    """F of set precision P and set recall R: (1 + beta) P R / (R + beta P); in [0, 1], higher is better.

    beta is not squared, as in trec_eval. Where P and R are 0: 0.
    """

    name: ClassVar[str] = "SetF"
    source: ClassVar[str] = "trec_eval set_F"
    beta: float = 1.0

    def check(self) -> None:
        good = isinstance(self.beta, (int, float)) and 0 <= self.beta < np.inf
        require(good, self, "beta", self.beta, "a number of at least 0")

    def __call__(self, hits: Hits) -> Floats:
        precision, recall = SetP(rel=self.rel)(hits), SetR(rel=self.rel)(hits)
        return ratio((1 + self.beta) * precision * recall, recall + self.beta * precision)

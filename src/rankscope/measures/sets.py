"""Measures of the retrieved set, whatever its order: counts, set precision and recall, utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.measures.base import Binary, Measure, Summary, is_number, ratio, require
from rankscope.typing import Floats

__all__ = [
    "NumNonrelRet",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "Utility",
    "Yaap",
]


@dataclass(frozen=True, kw_only=True)
class SetP(Binary):
    """Set precision: the share of relevant documents among all retrieved; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    0 if nothing is retrieved.

    References
    ----------
    trec_eval set_P.
    """

    name: ClassVar[str] = "SetP"
    source: ClassVar[str] = "trec_eval set_P"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return ratio(hits.sum(hits.relevant(self.rel)), hits.retrieved.astype(np.float64))

    def best_grade(self, hits: Hits) -> float:
        return max(self.level(hits), hits.max_grade)


@dataclass(frozen=True, kw_only=True)
class SetR(Binary):
    """Set recall: the share of all relevant documents that was retrieved; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    0 without relevant documents.

    References
    ----------
    trec_eval set_recall.
    """

    name: ClassVar[str] = "SetR"
    source: ClassVar[str] = "trec_eval set_recall"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return ratio(hits.sum(hits.relevant(self.rel)), hits.n_relevant(self.rel))

    def contributions(self, hits: Hits) -> Floats:
        return ratio(hits.relevant(self.rel).astype(np.float64), hits.n_relevant(self.rel)[hits.query])


@dataclass(frozen=True, kw_only=True)
class SetF(Binary):
    """F of set precision P and set recall R: (1 + beta) P R / (R + beta P); in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    beta
        Weight of recall; it is not squared, as in trec_eval.

    Notes
    -----
    0 if P and R are 0.

    References
    ----------
    trec_eval set_F.
    """

    name: ClassVar[str] = "SetF"
    source: ClassVar[str] = "trec_eval set_F"
    has_tie_average: ClassVar[bool] = True
    beta: float = 1.0

    def check(self) -> None:
        valid = is_number(self.beta) and self.beta >= 0
        require(valid, self, "beta", self.beta, "a number of at least 0")

    def values(self, hits: Hits) -> Floats:
        precision, recall = SetP(rel=self.rel)(hits), SetR(rel=self.rel)(hits)
        return ratio((1 + self.beta) * precision * recall, recall + self.beta * precision)


@dataclass(frozen=True, kw_only=True)
class SetRelP(Binary):
    """Relative precision of all retrieved: relevant retrieved / min(R, retrieved); in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    0 if nothing is retrieved or relevant.

    References
    ----------
    trec_eval set_relative_P.
    """

    name: ClassVar[str] = "SetRelP"
    source: ClassVar[str] = "trec_eval set_relative_P"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        best = np.minimum(hits.n_relevant(self.rel), hits.retrieved)
        return ratio(hits.sum(hits.relevant(self.rel)), best)


@dataclass(frozen=True, kw_only=True)
class SetAP(Binary):
    """Set precision times set recall: relevant retrieved^2 / (retrieved R); in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    0 if nothing is retrieved or relevant.

    References
    ----------
    trec_eval set_map.
    """

    name: ClassVar[str] = "SetAP"
    source: ClassVar[str] = "trec_eval set_map"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        n_relevant_retrieved = hits.sum(hits.relevant(self.rel))
        return ratio(n_relevant_retrieved * n_relevant_retrieved, hits.retrieved * hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class Yaap(Binary):
    """ln((1 + s) / (1 + R - s)), s = sum of i / r_i over the relevant retrieved; unbounded, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    0 without relevant documents, -ln(1 + R) if nothing is retrieved.

    References
    ----------
    trec_eval yaap.
    """

    name: ClassVar[str] = "Yaap"
    range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    source: ClassVar[str] = "trec_eval yaap"

    def values(self, hits: Hits) -> Floats:
        precision = (hits.relevant_above(self.rel) + 1.0) / hits.rank
        s = hits.sum(np.where(hits.relevant(self.rel), precision, 0.0))
        return np.log((1.0 + s) / (1.0 + hits.n_relevant(self.rel) - s))


@dataclass(frozen=True, kw_only=True)
class Utility(Binary):
    """A weighted sum of documents retrieved and missed; unbounded, higher is better with the default weights.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    a, b, c, d
        Weights of relevant documents retrieved, others retrieved, relevant ones missed, and others missed.

    Raises
    ------
    ParameterError
        d is not 0, and the size of the collection (`collection_size`) is missing.

    References
    ----------
    trec_eval utility.
    """

    name: ClassVar[str] = "Utility"
    range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    needs_relevant: ClassVar[bool] = False
    source: ClassVar[str] = "trec_eval utility"
    has_tie_average: ClassVar[bool] = True
    a: float = 1.0
    b: float = -1.0
    c: float = 0.0
    d: float = 0.0

    def check(self) -> None:
        for weight in ("a", "b", "c", "d"):
            require(is_number(getattr(self, weight)), self, weight, getattr(self, weight), "a number")

    def values(self, hits: Hits) -> Floats:
        n_relevant_retrieved, n_relevant = hits.sum(hits.relevant(self.rel)), hits.n_relevant(self.rel)
        utility = (
            self.a * n_relevant_retrieved
            + self.b * (hits.retrieved - n_relevant_retrieved)
            + self.c * (n_relevant - n_relevant_retrieved)
        )
        if self.d:
            if hits.collection_size is None:
                raise ParameterError("Utility: d needs the number of documents in the collection; pass it (-N)")
            utility = utility + self.d * (hits.collection_size + n_relevant_retrieved - n_relevant - hits.retrieved)
        return utility


@dataclass(frozen=True, kw_only=True)
class NumRet(Measure):
    """How many documents were retrieved; a count.

    References
    ----------
    trec_eval num_ret.
    """

    name: ClassVar[str] = "NumRet"
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_ret"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.retrieved.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class NumRel(Binary):
    """How many judged documents are relevant, retrieved or not; a count.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    References
    ----------
    trec_eval num_rel.
    """

    name: ClassVar[str] = "NumRel"
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_rel"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.n_relevant(self.rel)


@dataclass(frozen=True, kw_only=True)
class NumRelRet(Binary):
    """How many relevant documents were retrieved; a count.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    References
    ----------
    trec_eval num_rel_ret.
    """

    name: ClassVar[str] = "NumRelRet"
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_rel_ret"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel))

    def contributions(self, hits: Hits) -> Floats:
        return hits.relevant(self.rel).astype(np.float64)

    def best_grade(self, hits: Hits) -> float:
        return max(self.level(hits), hits.max_grade)


@dataclass(frozen=True, kw_only=True)
class NumNonrelRet(Binary):
    """How many documents judged not relevant were retrieved; a count.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    Unjudged documents do not count.

    References
    ----------
    trec_eval num_nonrel_judged_ret.
    """

    name: ClassVar[str] = "NumNonrelRet"
    higher_is_better: ClassVar[bool | None] = None
    needs_relevant: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    summary: ClassVar[Summary] = "sum"
    source: ClassVar[str] = "trec_eval num_nonrel_judged_ret"
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return hits.sum((hits.relevance >= 0) & ~hits.relevant(self.rel))

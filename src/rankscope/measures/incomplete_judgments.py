"""Measures for incomplete judgments: bpref, infAP, Judged, Unj."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures.base import Binary, Measure, Summary, ratio
from rankscope.measures.cutoffs import within
from rankscope.typing import Floats

__all__ = [
    "Bpref",
    "GMBpref",
    "Judged",
    "Unj",
    "infAP",
]


#: trec_eval's smoothing of infAP.
EPSILON = 0.00001


@dataclass(frozen=True, kw_only=True)
class Bpref(Binary):
    """How few documents judged not relevant rank above the relevant ones; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    The sum over relevant documents retrieved of 1 - min(n, R) / min(N, R), divided by R: n = judged not relevant above
    it, N = judged not relevant in all. Unjudged documents are ignored. 0 without relevant documents.

    References
    ----------
    trec_eval bpref; Buckley and Voorhees (2004).
    """

    name: ClassVar[str] = "Bpref"
    source: ClassVar[str] = "trec_eval bpref; Buckley and Voorhees (2004)"

    def values(self, hits: Hits) -> Floats:
        relevant = hits.relevant(self.rel)
        n_relevant, n_nonrelevant = hits.n_relevant(self.rel), hits.n_nonrelevant(self.rel)
        nonrelevant_above = hits.count_above((hits.relevance >= 0) & ~relevant)
        n_relevant_of_query = n_relevant[hits.query]
        divisor = np.minimum(n_relevant_of_query, n_nonrelevant[hits.query])
        preference = 1.0 - ratio(np.minimum(nonrelevant_above, n_relevant_of_query), divisor)
        return ratio(hits.sum(np.where(relevant, preference, 0.0)), n_relevant)


@dataclass(frozen=True, kw_only=True)
class GMBpref(Bpref):
    """Bpref, combined over queries by the geometric mean; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    Values below 0.00001 enter the mean as 0.00001.

    References
    ----------
    trec_eval gm_bpref.
    """

    name: ClassVar[str] = "GMBpref"
    summary: ClassVar[Summary] = "geometric"
    source: ClassVar[str] = "trec_eval gm_bpref"


@dataclass(frozen=True, kw_only=True)
class infAP(Binary):
    """Average precision inferred from a sample of judgments; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    For a relevant document at rank j + 1 the expected precision is 1/(j+1) + j/(j+1) * share of the pool above it *
    share of relevant among the judged there; divided by R. Negative grades are pooled and not judged. 0 without
    relevant documents.

    References
    ----------
    trec_eval infAP; Yilmaz and Aslam (2006).
    """

    name: ClassVar[str] = "infAP"
    source: ClassVar[str] = "trec_eval infAP; Yilmaz and Aslam (2006)"

    def values(self, hits: Hits) -> Floats:
        relevant = hits.relevant(self.rel)
        unjudged = hits.relevance < 0
        r = hits.relevant_above(self.rel)
        u = hits.count_above(unjudged)
        n = hits.count_above(~relevant & ~unjudged)
        j = hits.rank - 1.0
        pooled = ratio((r + n + u).astype(np.float64), j)
        relevant_share = (r + EPSILON) / (r + n + 2 * EPSILON)
        precision = 1.0 / hits.rank + j / hits.rank * pooled * relevant_share
        return ratio(hits.sum(np.where(relevant, precision, 0.0)), hits.n_relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class Judged(Measure):
    """The share of judged documents in the first k, or in the whole list; in [0, 1], higher is better.

    Parameters
    ----------
    cutoff
        Number k of documents that are read. Default: all.

    Notes
    -----
    For a list shorter than k, the share of its documents. Negative grades are not judged. 0 if nothing is retrieved.

    References
    ----------
    ir_measures Judged.
    """

    name: ClassVar[str] = "Judged"
    needs_relevant: ClassVar[bool] = False
    source: ClassVar[str] = "ir_measures Judged"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ()
    cutoff: int | None = None

    def values(self, hits: Hits) -> Floats:
        n_read = hits.retrieved.astype(np.float64)
        if self.cutoff is not None:
            n_read = np.minimum(n_read, self.cutoff)
        return ratio(hits.sum(within(hits, self.cutoff, hits.relevance >= 0)), n_read)


@dataclass(frozen=True, kw_only=True)
class Unj(Measure):
    """The number of unjudged documents in the first k, divided by k; in [0, 1], lower is better.

    Parameters
    ----------
    cutoff
        Number k of documents that are read.

    Notes
    -----
    A list shorter than k is not filled up. Negative grades are not judged.

    References
    ----------
    trec_eval 10 unj.
    """

    name: ClassVar[str] = "Unj"
    higher_is_better: ClassVar[bool | None] = False
    needs_relevant: ClassVar[bool] = False
    source: ClassVar[str] = "trec_eval 10 unj"
    has_tie_average: ClassVar[bool] = True
    first_k_parameters: ClassVar[tuple[str, ...]] = ()
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        n_judged = hits.sum(within(hits, self.cutoff, hits.relevance >= 0))
        return (np.minimum(hits.retrieved, self.cutoff) - n_judged) / self.cutoff

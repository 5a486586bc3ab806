"""Compatibility: how near a list comes to the ideal one, by rank-biased overlap."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import place_in_group
from rankscope.measures.base import Measure, ratio, require
from rankscope.typing import Floats, Ints

__all__ = [
    "Compat",
]


#: The logarithm of 2^54: what is as many times smaller than 1 changes no sum of 1 or more.
LOG_PRECISION = 54 * log(2.0)
#: So many weights are held in a table: 80 MB.
MAX_TERMS = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Compat(Measure):
    """Compatibility: the rank-biased overlap of the list with the ideal one; in [0, 1], higher is better.

    Parameters
    ----------
    p
        Persistence of the overlap: the weight of depth d is proportional to p^(d - 1).
    normalize
        Divide by the overlap of the ideal with itself, which is below 1 if the list is longer.

    Raises
    ------
    ParameterError
        Lists hold more than 10,000,000 documents, and p is so near 1 that all of them count.

    Notes
    -----
    The ideal: all documents of grades above 0 in falling order of grade, those of one grade in the order of the list
    and those not retrieved last. The overlap: sum over d of p^(d - 1) |both hold it in their first d| / d, divided by
    the sum of p^(d - 1), down to the end of the longer one. 0 if nothing is retrieved or relevant. Agrees with
    ir_measures 0.4.3 if scores are positive and no two are equal.

    References
    ----------
    Clarke, Vtyurina and Smucker (2021); overlap: Webber, Moffat and Zobel (2010), eq. 4.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}  # the ideal: b, a
    >>> round(rs.evaluate(qrels, run, "Compat(p=0.5)").values.item(), 6)
    0.25
    >>> round((0.5 * 1 / 2 + 0.5**2 * 2 / 3) / (1 + 0.5 * 2 / 2 + 0.5**2 * 2 / 3), 6)
    0.25
    """

    name: ClassVar[str] = "Compat"
    source: ClassVar[str] = "Clarke, Vtyurina and Smucker (2021); overlap: Webber, Moffat and Zobel (2010), eq. 4"
    p: float = 0.95
    normalize: bool = True

    def check(self) -> None:
        require(isinstance(self.p, float) and 0 < self.p < 1, self, "p", self.p, "a persistence between 0 and 1")
        require(isinstance(self.normalize, bool), self, "normalize", self.normalize, "True or False")

    def values(self, hits: Hits) -> Floats:
        n_ideal = hits.n_relevant(hits.least_gain).astype(np.int64)
        # Beyond these terms, which are below half of the last bit of 1, no sum changes.
        n_terms = ceil(-LOG_PRECISION / log(self.p)) + 1
        depth = np.minimum(np.maximum(hits.retrieved, n_ideal), n_terms)
        n_ideal = np.minimum(n_ideal, n_terms)
        longest = int(depth.max(initial=0))
        if longest > MAX_TERMS:
            raise ParameterError(
                f"{self}: a list of {longest:,} documents or more, expected at most {MAX_TERMS:,} with such a p; take "
                "a smaller one, or cut the lists"
            )
        weights = self.p ** np.arange(longest)
        # What a document adds that both lists hold in their first m is a difference: from depth m down to the last.
        overlap_sums = np.concatenate((np.zeros(1), np.cumsum(weights / np.arange(1.0, weights.size + 1))))
        weight_sums = np.concatenate((np.zeros(1), np.cumsum(weights)))
        relevant_hits = np.flatnonzero(hits.relevant(hits.least_gain))
        depth_of_both = np.minimum(np.maximum(hits.rank, ideal_rank(hits))[relevant_hits].astype(np.int64), n_terms + 1)
        contributions = np.zeros(hits.rank.size)
        contributions[relevant_hits] = overlap_sums[depth[hits.query[relevant_hits]]] - overlap_sums[depth_of_both - 1]
        # The first d of the ideal hold d documents, and all of them from the last one on.
        best_overlap = weight_sums[depth]
        if self.normalize:
            best_overlap = weight_sums[n_ideal] + n_ideal * (overlap_sums[depth] - overlap_sums[n_ideal])
        return ratio(hits.sum(contributions), best_overlap)


def ideal_rank(hits: Hits) -> Ints:
    """(hits) the rank of each in the ideal list: behind all higher grades, and those of its grade retrieved above."""
    grade_levels, level_index = np.unique(hits.grades, return_inverse=True)
    # By query, then falling grade: as the grades lie already.
    judged_keys = hits.grade_query * grade_levels.size + (grade_levels.size - 1 - level_index)
    hit_keys = hits.query * grade_levels.size + (grade_levels.size - 1 - np.searchsorted(grade_levels, hits.relevance))
    n_higher = np.searchsorted(judged_keys, hit_keys) - hits.grade_offsets[hits.query]
    order = stable_order(hit_keys)  # hits of one query and grade together, by rank
    group_starts = np.flatnonzero(np.diff(hit_keys[order], prepend=-1))
    n_above = np.empty(hit_keys.size, np.int64)
    n_above[order] = place_in_group(np.append(group_starts, hit_keys.size))
    return np.asarray(n_higher + n_above + 1, np.int64)

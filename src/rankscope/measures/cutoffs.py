"""Cutoffs: what is within one, and those that depend on the query: @mean, @median, @size, @recall=0.5."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from rankscope.data.hits import Hits
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "QUERY_CUTOFF",
    "QUERY_CUTOFF_FORMS",
    "mean_by_query",
    "median_by_query",
    "needed_for",
    "query_cutoff",
    "within",
]


#: A cutoff that depends on the query, see `query_cutoff`.
QUERY_CUTOFF = re.compile(r"mean|median|size|recall=(0?\.[0-9]{1,15}|1(\.0{1,15})?)")
QUERY_CUTOFF_FORMS = ", or @mean, @median, @size, @recall=0.5"


def within(hits: Hits, cutoff: int | Floats | None, marked: Bools) -> Bools | Floats:
    """(hits) which of the marked are within the cutoff. ties="average": the share of the orders in which they are.

    cutoff: one for all, or (queries).
    """
    if cutoff is None:
        return marked
    if isinstance(cutoff, np.ndarray):
        cutoff = cutoff[hits.query]
    if hits.ties != "average":
        return marked & (hits.rank <= cutoff)
    size = hits.last - hits.first + 1
    return marked * (np.clip(cutoff - hits.first + 1, 0, size) / size)


def query_cutoff(hits: Hits, cutoff: str, rel: int, *, rounded: bool = True) -> Floats:
    """(queries) a cutoff that depends on the query.

    "size": the number of its relevant documents. "mean", "median": of the ranks of those retrieved, rounded down
    unless told not to. "recall=x": the rank at which the share x of all relevant documents is reached; infinite where
    it is not. Without any: 0.
    """
    n = hits.n_relevant(rel)
    if cutoff == "size":
        return n
    relevant = hits.relevant(rel)
    if cutoff in ("mean", "median"):
        at = median_by_query if cutoff == "median" else mean_by_query
        depth = np.nan_to_num(at(hits.rank, relevant, hits))
        return np.floor(depth) if rounded else depth
    wanted = needed_for(cutoff, n)
    depth = np.where(wanted > 0, np.inf, 0.0)
    reached = relevant & (hits.relevant_above(rel) + 1 == wanted[hits.query])
    depth[hits.query[reached]] = hits.rank[reached]
    return depth


def needed_for(cutoff: str, n: Floats) -> Ints:
    """(queries) how many of n relevant documents are the share x of them, rounded up. cutoff: "recall=x"."""
    share = Fraction(cutoff.partition("=")[2])  # .1 of 30 documents are 3, whatever float64 makes of it
    return -(-n.astype(np.int64) * share.numerator // share.denominator)


def mean_by_query(values: Floats, marked: Bools, hits: Hits) -> Floats:
    """(queries) the mean of the marked values of each query; NaN where none is marked."""
    total, n = hits.sum(np.where(marked, values, 0.0)), hits.sum(marked)
    found: Floats = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return found


def median_by_query(values: Floats, marked: Bools, hits: Hits) -> Floats:
    """(queries) the median of the marked values of each query, which must rise; NaN where none is marked."""
    rows, n = np.flatnonzero(marked), hits.sum(marked).astype(np.int64)
    there = n > 0
    first, n = (np.cumsum(n) - n)[there], n[there]
    found = np.full(there.shape, np.nan)
    found[there] = (values[rows[first + (n - 1) // 2]] + values[rows[first + n // 2]]) / 2
    return found

"""Cutoffs: which hits are within one, and cutoffs that depend on the query: @mean, @median, @size, @recall=0.5."""

from __future__ import annotations

import re

import numpy as np

from rankscope.data.hits import Hits
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "QUERY_CUTOFF",
    "QUERY_CUTOFF_FORMS",
    "depends_on_list",
    "mean_by_query",
    "median_by_query",
    "needed_for",
    "query_cutoff",
    "reciprocal_ranks",
    "within",
]


#: A cutoff that depends on the query, see `query_cutoff`.
QUERY_CUTOFF = re.compile(r"mean|median|size|recall=(0?\.[0-9]{1,15}|1(\.0{1,15})?)")
QUERY_CUTOFF_FORMS = ", or @mean, @median, @size, @recall=0.5"


def depends_on_list(cutoff: object) -> bool:
    """Whether the cutoff is one that depends on the ranks in the list: @mean, @median, @recall=0.5."""
    return isinstance(cutoff, str) and cutoff != "size"


def reciprocal_ranks(rank: Floats, cutoff: int | Floats | None) -> Floats:
    """1 / rank within the cutoff, which is one for all or one for each rank; 0 beyond, and for infinite ranks."""
    return np.asarray(1.0 / rank if cutoff is None else np.where(rank <= cutoff, 1.0 / rank, 0.0))


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
    group_size = hits.last - hits.first + 1
    return marked * (np.clip(cutoff - hits.first + 1, 0, group_size) / group_size)


def query_cutoff(hits: Hits, cutoff: str, rel: float, *, rounded: bool = True) -> Floats:
    """(queries) a cutoff that depends on the query.

    Parameters
    ----------
    hits
        Hits of all queries.
    cutoff
        "size": the number of relevant documents of the query. "mean", "median": of the ranks of those retrieved.
        "recall=x": the rank at which the share x of all relevant documents is reached; infinite where it is not. 0
        without relevant documents.
    rel
        Lowest grade that counts as relevant.
    rounded
        Whether "mean" and "median" are rounded down.
    """
    n_relevant = hits.n_relevant(rel)
    if cutoff == "size":
        return n_relevant
    relevant = hits.relevant(rel)
    if cutoff in ("mean", "median"):
        rank_statistic = median_by_query if cutoff == "median" else mean_by_query
        depth = np.nan_to_num(rank_statistic(hits.rank, relevant, hits))
        return np.floor(depth) if rounded else depth
    n_needed = needed_for(cutoff, n_relevant)
    depth = np.where(n_needed > 0, np.inf, 0.0)
    at_recall = relevant & (hits.relevant_above(rel) + 1 == n_needed[hits.query])
    depth[hits.query[at_recall]] = hits.rank[at_recall]
    return depth


def needed_for(cutoff: str, n_relevant: Floats) -> Ints:
    """(queries) the share x of the relevant documents as a number of documents, rounded up. cutoff: "recall=x"."""
    from fractions import Fraction

    share = Fraction(cutoff.partition("=")[2])  # .1 of 30 documents are 3, which float64 may miss
    return -(-n_relevant.astype(np.int64) * share.numerator // share.denominator)


def mean_by_query(values: Floats, marked: Bools, hits: Hits) -> Floats:
    """(queries) the mean of the marked values of each query; NaN where none is marked."""
    sums, n_marked = hits.sum(np.where(marked, values, 0.0)), hits.sum(marked)
    means: Floats = np.divide(sums, n_marked, out=np.full(n_marked.shape, np.nan), where=n_marked > 0)
    return means


def median_by_query(values: Floats, marked: Bools, hits: Hits) -> Floats:
    """(queries) the median of the marked values of each query, which must rise; NaN where none is marked."""
    rows, n_marked = np.flatnonzero(marked), hits.sum(marked).astype(np.int64)
    has_marked = n_marked > 0
    first_rows, n_marked = (np.cumsum(n_marked) - n_marked)[has_marked], n_marked[has_marked]
    medians = np.full(has_marked.shape, np.nan)
    lower_middle, upper_middle = rows[first_rows + (n_marked - 1) // 2], rows[first_rows + n_marked // 2]
    medians[has_marked] = (values[lower_middle] + values[upper_middle]) / 2
    return medians

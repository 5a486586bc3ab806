"""Measures of the items that a machine ranks first: hits among the best, and the person's rank of its best item.

A list is a query and its items are documents, all retrieved and all judged: the machine ranks them, and the person's
ranks give their relevance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.rankeval.paired_ranks import PairedRanks, apply_in_chunks
from rankscope.data.hits import Hits
from rankscope.kernels.segments import bounds
from rankscope.measures.base import Measure
from rankscope.measures.binary import RR
from rankscope.measures.cascade import ERR
from rankscope.measures.graded import DCG, nDCG
from rankscope.typing import Floats, Ints

__all__ = [
    "RankCounts",
    "count_ranks",
    "dcg",
    "err",
    "farr",
    "gold_of_best",
    "hits_of_ranks",
    "ndcg",
    "relevance_of_ranks",
]


def relevance_of_ranks(table: PairedRanks) -> npt.NDArray[np.int64]:
    """(lists, items) n - gold rank + 1, of n items and ceiling ranks: n for a single best item; 0 without an item."""
    relevance = table.lengths[:, None] - table.gold_ranks() + 1
    return np.where(table.present, relevance, 0.0).astype(np.int64)


def best_relevance(table: PairedRanks) -> npt.NDArray[np.int64]:
    """(lists, items) 1 for the items that the person ranks best, all of them, else 0."""
    best = np.where(table.present, table.gold, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    return np.asarray(table.present & (table.gold == best), np.int64)


def hits_of_ranks(
    table: PairedRanks,
    relevance: npt.NDArray[np.int64],
    *,
    ranks: Floats | None = None,
    ranked_items: npt.NDArray[np.bool_] | None = None,
) -> Hits:
    """The lists as hits; items that the machine ties are averaged over their orders.

    Parameters
    ----------
    table
        Ranks of people and of the machine.
    relevance
        Relevance of each item, (lists, items).
    ranks
        Ranks to use unchanged instead of the machine's, ties included, (lists, items).
    ranked_items
        The items that are ranked, (lists, items); the others are only judged.
    """
    low, high = (table.predicted_ranks("floor"), table.predicted_ranks("ceiling")) if ranks is None else (ranks, ranks)
    judged_items = np.nonzero(table.present)
    grades = relevance[judged_items]
    rows, columns = np.nonzero(table.present if ranked_items is None else ranked_items)
    order = np.lexsort(
        (-relevance[rows, columns], low[rows, columns], rows)
    )  # tied items by falling grade, as in the join
    rows, columns = rows[order], columns[order]
    first, last = low[rows, columns], high[rows, columns]
    n_ranked = np.bincount(rows, minlength=len(table))
    return Hits(
        query_ids=tuple(map(str, range(1, len(table) + 1))),
        offsets=bounds(n_ranked),
        rank=(first + last) / 2,
        first=first,
        last=last,
        relevance=relevance[rows, columns],
        judged=columns.astype(np.int64),
        retrieved=n_ranked,
        missing=np.zeros(len(table), np.bool_),
        grades=grades[np.lexsort((-grades, judged_items[0]))],
        grade_offsets=bounds(table.lengths),
        max_grade=int(grades.max(initial=0)),
        ties="average" if ranks is None else "given",
    )


def measure_or_nan(measure: Measure, hits: Hits, lengths: Ints) -> Floats:
    """(lists) the measure's values; NaN for a list without items."""
    return np.where(lengths > 0, measure(hits), np.nan)


def measure_gains(measure: Measure, table: PairedRanks) -> Floats:
    """(lists) the values of a measure with the relevance of `relevance_of_ranks`."""
    return apply_in_chunks(
        lambda chunk: measure_or_nan(measure, hits_of_ranks(chunk, relevance_of_ranks(chunk)), chunk.lengths), table
    )


def ndcg(table: PairedRanks, cutoff: int | None = None) -> Floats:
    """(lists) nDCG with gains 2^relevance - 1, averaged over the orders of items that the machine ties."""
    return measure_gains(nDCG(gain="exp", cutoff=cutoff), table)


def dcg(table: PairedRanks, cutoff: int | None = None) -> Floats:
    """(lists) DCG, as `ndcg` but not divided by the ideal."""
    return measure_gains(DCG(gain="exp", cutoff=cutoff), table)


def err(table: PairedRanks, cutoff: int | None = None) -> Floats:
    """(lists) ERR; the highest relevance of a list of n items is n, so lists of one length are measured together."""
    values = np.full(len(table), np.nan)
    lengths = np.unique(table.lengths).tolist()
    if len(lengths) == 1 and lengths[0]:  # most files: no copy
        return measure_gains(ERR(gmax=lengths[0], cutoff=cutoff), table)
    for n in filter(None, lengths):
        rows = np.flatnonzero(table.lengths == n)
        values[rows] = measure_gains(ERR(gmax=n, cutoff=cutoff), table.rows(rows))
    return values


def farr(table: PairedRanks, ties: str = "ceiling") -> Floats:
    """(lists) 1 / the machine's rank of the person's best; of several best, of the one it ranks highest.

    ties: how the machine's ranks are normalised.
    """

    def values(chunk: PairedRanks) -> Floats:
        hits = hits_of_ranks(chunk, best_relevance(chunk), ranks=chunk.predicted_ranks(ties))
        return measure_or_nan(RR(), hits, chunk.lengths)

    return apply_in_chunks(values, table)


class RankCounts(NamedTuple):
    """How often ranks occur.

    Attributes
    ----------
    ranks
        The ranks that occur, in rising order.
    counts
        In how many lists each occurs.
    share
        The percentage of all lists.
    """

    ranks: Floats
    counts: Ints
    share: Floats


def gold_of_best(table: PairedRanks, ties: str = "ceiling") -> Floats:
    """(lists) the person's rank of the item that the machine ranks best; of several, the worst; NaN without items.

    ties: how the person's ranks are normalised.
    """
    if not table.gold.size:
        return np.full(len(table), np.nan)

    def worst(chunk: PairedRanks) -> Floats:
        best = np.where(chunk.present, chunk.predicted, np.inf).min(axis=1, keepdims=True)
        ranks = np.where(chunk.present & (chunk.predicted == best), chunk.gold_ranks(ties), -np.inf)
        return np.where(chunk.lengths > 0, ranks.max(axis=1), np.nan)

    return apply_in_chunks(worst, table)


def count_ranks(ranks: Floats) -> RankCounts:
    """How often each rank occurs."""
    distinct, counts = np.unique(ranks[~np.isnan(ranks)], return_counts=True)
    return RankCounts(distinct, counts.astype(np.int64), 100.0 * counts / max(int(counts.sum()), 1))

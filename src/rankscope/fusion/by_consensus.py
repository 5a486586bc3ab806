"""Fusion by methods of consensus: for each query the runs vote on the documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rankscope.consensus.base import Method, Order
from rankscope.consensus.optimal import HELD_KARP_ITEMS
from rankscope.consensus.registry import WORK_WITHOUT_PAIRS
from rankscope.data.rows import decode_id, decode_ids
from rankscope.data.votes import Votes
from rankscope.errors import InputError
from rankscope.fusion.comb import summing_order
from rankscope.fusion.methods import CONSENSUS_PREFIX, FusionSettings
from rankscope.fusion.pool import RunPool
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import decode, order_descending
from rankscope.stats.inputs import MOST_PAIRED
from rankscope.typing import Floats, Ints

__all__ = [
    "consensus_scores",
]


def practical_method(settings: FusionSettings) -> tuple[Method, str]:
    """The method as it is used for many queries, and a note if it proves less for them, else ""."""
    requested_method = settings.consensus_method
    method, note = requested_method.for_many()
    if note:  # worded for fusion
        note = (
            f"orders of more than {HELD_KARP_ITEMS} documents that win in circles are searched, not proved to be best; "
            f"rs.fusion.fuse(runs, rs.consensus.{type(requested_method).__name__}(time_limit=2)) tries to prove each"
        )
    return method, note


def consensus_scores(pool: RunPool, settings: FusionSettings, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """Scores of documents by the consensus of the runs, and notes.

    Parameters
    ----------
    pool
        The documents of all runs. The list of a single run for a query keeps its order.
    settings
        The settings of the fusion, with the method.
    names
        Names of the runs.

    Returns
    -------
    tuple
        For each document, how many documents of the query rank at or below it in the consensus, itself included; tied
        documents have the same score. And the notes, each once with the queries it applies to.

    Raises
    ------
    InputError
        The method finds no order, or would compare too many pairs.

    Notes
    -----
    The method gets documents and runs in an order that does not depend on that of the runs.
    """
    method, search_note = practical_method(settings)
    weights = settings.weights_of(len(pool.entries))
    order = summing_order(pool.entries, weights)
    by_id = order_descending(group_of(pool.offsets), pool.docs)
    tables = votes_tables(pool, order)
    refuse_large(pool, method)
    scores = np.empty(pool.size)
    voted_queries: list[str] = []
    orders: list[Order] = []
    for query in pool.order.tolist():
        documents = by_id[pool.offsets[query] : pool.offsets[query + 1]]
        ranks = tables(query, documents)
        voting_runs = np.flatnonzero(~np.isnan(ranks).all(axis=1))
        if voting_runs.size < 2 or documents.size < 2:
            scores[documents] = documents.size - ranks[voting_runs[0]] + 1 if voting_runs.size else 0.0
            continue
        votes = Votes(
            ranks=ranks[voting_runs],
            items=tuple(decode_ids(decode(pool.docs.take(documents)))),
            voters=tuple(names[order[i]] for i in voting_runs.tolist()),
            weights=weights[order][voting_runs],
        )
        voted_queries.append(decode_id(pool.query_ids[query]))
        try:
            orders.append(method.order(votes))
        except InputError as error:
            raise InputError(f"query {voted_queries[-1]!r}: {error}") from None
        scores[documents] = documents.size - orders[-1].ranks + 1
    return scores, order_notes(search_note, voted_queries, orders)


def votes_tables(pool: RunPool, order: Sequence[int]) -> Callable[[int, Ints], Floats]:
    """A function of a query and its documents: the ranks (runs in this order, documents), NaN for missing ones."""
    ranks = np.full((len(order), pool.size), np.nan, np.float32)  # integers below 2^24: exact
    for run_ranks, i in zip(ranks, order, strict=True):
        run_ranks[pool.entries[i].document] = pool.entries[i].rank
    return lambda query, documents: ranks[:, documents].astype(np.float64)


def order_notes(search_note: str, ids: Sequence[str], orders: Sequence[Order]) -> list[str]:
    """The notes of the orders of all queries, each once."""
    if not orders:
        return []
    from rankscope.consensus.by_query import notes_by_query

    return [*([search_note] if search_note else []), *notes_by_query(tuple(ids), orders)]


def refuse_large(pool: RunPool, method: Method) -> None:
    """Raise InputError if the method would need tables of pairs of too many documents."""
    longest = int(np.diff(pool.offsets).max(initial=0))
    if method.work not in WORK_WITHOUT_PAIRS and longest > MOST_PAIRED:
        raise InputError(
            f"a query has {longest:,} documents, and {method.name} compares all pairs of at most {MOST_PAIRED:,}; cut "
            f"the runs to fewer documents, or take {CONSENSUS_PREFIX}borda"
        )

"""What a method of interleaving makes: a list for each query, and the credit that a click at each rank gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "Draft",
    "first_free",
    "have_documents",
    "next_with_documents",
    "one_hot",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft:
    """Interleaved lists.

    Attributes
    ----------
    documents
        (queries, length) numbers of documents; `NO_DOCUMENT` behind the end.
    credit
        (queries, length, runs) credit of each run for a click at each rank. All runs have the same where a click
        says nothing.
    ranks
        (queries, length, runs) rank of each document in each run, from 1, and 0 where the run does not hold it; None
        for methods that do not need it.
    """

    documents: Ints
    credit: Floats
    ranks: Ints | None = None


def have_documents(free: Bools) -> Bools:
    """(runs, queries) whether a list has a document that is not placed yet. free: (runs, queries, depth)."""
    return np.asarray(free.any(axis=2))


def next_with_documents(order: Ints, turn: int, has: Bools) -> Ints:
    """(queries) the run whose turn it is, or the next in order that has a document; -1 where none has.

    Parameters
    ----------
    order
        (queries, runs) the order of the runs.
    turn
        Whose turn it is, as a place in the order.
    has
        (runs, queries) whether a run has a document.
    """
    n_queries, n_runs = order.shape
    query = np.arange(n_queries)
    picker = np.full(n_queries, -1)
    for step in range(n_runs):
        candidate = order[:, (turn + step) % n_runs]
        picker = np.where((picker < 0) & has[candidate, query], candidate, picker)
    return picker


def first_free(lists: Ints, free: Bools, picker: Ints) -> Ints:
    """(queries) the first document of each run's list that is not placed yet; `NO_DOCUMENT` where no run picks."""
    query = np.arange(picker.size)
    place = free[picker, query].argmax(axis=1)
    return np.where(picker < 0, NO_DOCUMENT, lists[picker, query, place])


def one_hot(teams: Ints, n_runs: int) -> Floats:
    """(queries, length, runs) 1 for the team of each document; 0 for all runs where it is in no team, -1."""
    return np.asarray(teams[:, :, None] == np.arange(n_runs), np.float64)

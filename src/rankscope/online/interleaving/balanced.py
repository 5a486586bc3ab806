"""Balanced interleaving: the list holds as many of one run's first documents as of the other's, down to every rank."""

from __future__ import annotations

import numpy as np

from rankscope.online.interleaving.draft import Draft
from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT, ranks_in
from rankscope.typing import Ints

__all__ = [
    "balanced",
]


def balanced(lists: Ints, length: int, rng: np.random.Generator) -> Draft:
    """Interleave two runs in turns, each query beginning with a run drawn at random.

    Parameters
    ----------
    lists
        (2, queries, depth) documents.
    length
        Length of the interleaved lists.
    rng
        Draws which run begins.

    Returns
    -------
    Draft
        With the ranks of the documents in both runs, by which clicks are credited; the credit of single ranks is 0.

    References
    ----------
    Joachims (2003), "Evaluating retrieval performance using clickthrough data"; Radlinski, Kurup and Joachims (2008),
    algorithm 1.
    """
    _, n_queries, depth = lists.shape
    first_run = rng.integers(2, size=n_queries)
    query = np.arange(n_queries)
    begins, follows = lists[first_run, query], lists[1 - first_run, query]
    # As long as both lists go on, they are read in turns, and what is placed already is skipped.
    merged = np.stack((begins, follows), axis=2).reshape(n_queries, 2 * depth)
    is_new = merged != NO_DOCUMENT
    for column in range(1, 2 * depth):
        is_new[:, column] &= (merged[:, :column] != merged[:, column, None]).all(axis=1)
    places = np.cumsum(is_new, axis=1) - 1
    documents = np.full((n_queries, length), NO_DOCUMENT)
    rows, columns = np.nonzero(is_new & (places < length))
    documents[rows, places[rows, columns]] = merged[rows, columns]
    return Draft(documents=documents, credit=np.zeros((*documents.shape, 2)), ranks=ranks_in(lists, documents))

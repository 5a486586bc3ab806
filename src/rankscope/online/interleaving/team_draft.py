"""Team-draft interleaving and multileaving: in every round each run picks its best document that is not placed yet."""

from __future__ import annotations

import numpy as np

from rankscope.online.interleaving.draft import Draft, first_free, have_documents, next_with_documents, one_hot
from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT
from rankscope.typing import Ints

__all__ = [
    "team_draft",
]


def team_draft(lists: Ints, length: int, rng: np.random.Generator) -> Draft:
    """Interleave by team draft.

    Parameters
    ----------
    lists
        (runs, queries, depth) documents.
    length
        Length of the interleaved lists.
    rng
        Draws the order of the runs in each round.

    Returns
    -------
    Draft
        The credit is 1 for the run that picked the document. When a run has nothing left to pick, the draft ends, as
        in the paper; the list is filled up with documents that belong to no team, whose credit is 0 for all.

    References
    ----------
    Radlinski, Kurup and Joachims (2008), "How does clickthrough data reflect retrieval quality?", algorithm 2; for more
    than two runs Schuth, Sietsma, Whiteson, Lefortier and de Rijke (2014), "Multileaved comparisons for fast online
    evaluation", algorithm 1.
    """
    n_runs, n_queries, _ = lists.shape
    free = lists != NO_DOCUMENT
    documents = np.full((n_queries, length), NO_DOCUMENT)
    teams = np.full((n_queries, length), -1)
    order = np.tile(np.arange(n_runs), (n_queries, 1))
    for place in range(length):
        turn = place % n_runs
        if turn == 0:
            order = rng.permuted(order, axis=1)
        has = have_documents(free)
        picker = next_with_documents(order, turn, has)
        documents[:, place] = first_free(lists, free, picker)
        teams[:, place] = np.where(has.all(axis=0), picker, -1)
        free &= lists != documents[:, place][:, None]
    return Draft(documents=documents, credit=one_hot(teams, n_runs))

"""Probabilistic interleaving and multileaving: each document is drawn from a softmax over the ranks of a random run."""

from __future__ import annotations

import numpy as np

from rankscope.online.interleaving.draft import Draft, have_documents
from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT
from rankscope.typing import Floats, Ints

__all__ = [
    "TAU",
    "probabilistic",
]


#: The exponent of the ranks in the papers.
TAU = 3.0


def probabilistic(lists: Ints, length: int, rng: np.random.Generator, *, tau: float = TAU) -> Draft:
    """Interleave by draws.

    Parameters
    ----------
    lists
        (runs, queries, depth) documents.
    length
        Length of the interleaved lists.
    rng
        Draws the run and the document at every rank.
    tau
        A run draws a document at rank r with a probability proportional to 1 / r^tau, among those not placed yet.

    Returns
    -------
    Draft
        The credit of a run is the probability that it drew the document, with the list as it is: the assignments of
        documents to runs are summed over, so that the expected credit is that of the draw, with less variance. When a
        run has nothing left, the other documents get no credit.

    References
    ----------
    Hofmann, Whiteson and de Rijke (2011), "A probabilistic method for inferring preferences from clicks", section 4;
    for more than two runs Schuth, Bruintjes, Büttner, van Doorn, Groenland, Oosterhuis, Tran, Veeling, van der Velde,
    Wechsler, Woudenberg and de Rijke (2015), "Probabilistic multileave for online retrieval evaluation".
    """
    n_runs, n_queries, depth = lists.shape
    query = np.arange(n_queries)
    weight: Floats = np.where(lists != NO_DOCUMENT, np.arange(1, depth + 1, dtype=np.float64) ** -tau, 0.0)
    documents = np.full((n_queries, length), NO_DOCUMENT)
    credit = np.zeros((n_queries, length, n_runs))
    for place in range(length):
        has = have_documents(weight > 0)
        n_having = has.sum(axis=0)
        # The k-th of the runs that still have documents.
        k = np.minimum((rng.random(n_queries) * n_having).astype(np.int64), np.maximum(n_having - 1, 0))
        picker = (np.cumsum(has, axis=0) > k).argmax(axis=0)
        cumulative = np.cumsum(weight[picker, query], axis=1)
        threshold = rng.random(n_queries) * cumulative[:, -1]
        column = np.minimum((cumulative <= threshold[:, None]).sum(axis=1), depth - 1)
        document = np.where(n_having > 0, lists[picker, query, column], NO_DOCUMENT)
        documents[:, place] = document
        is_document = (lists == document[:, None]) & (document[:, None] != NO_DOCUMENT)
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = (weight * is_document).sum(axis=2) / weight.sum(axis=2)
            share = chance / chance.sum(axis=0)
        credit[:, place] = np.where(has.all(axis=0), share, 0.0).T
        weight = np.where(is_document, 0.0, weight)
    return Draft(documents=documents, credit=credit)

"""Optimised interleaving and multileaving: lists drawn with probabilities that make credit fair and sensitive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.online.interleaving.draft import Draft
from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT, ranks_in
from rankscope.typing import Floats, Ints

__all__ = [
    "ListDistribution",
    "allowed_lists",
    "list_distribution",
    "optimised",
]


#: The most lists of a query among which one is drawn; of more, that many are drawn first.
MOST_LISTS = 128
#: What one unit of unfairness costs, beside a variance of at most about 1.
UNFAIRNESS_COST = 1e3


def optimised(lists: Ints, length: int, rng: np.random.Generator) -> Draft:
    """Interleave by the best distribution over the lists that the runs allow.

    Parameters
    ----------
    lists
        (runs, queries, depth) documents.
    length
        Length of the interleaved lists.
    rng
        Draws the lists.

    Returns
    -------
    Draft
        The credit of a run is 1 / rank of the document in its list, 0 if it does not hold it, less what makes the
        expected credit of all runs the same at every rank.

    References
    ----------
    Radlinski and Craswell (2013), "Optimized interleaving for online retrieval evaluation": allowed lists, fairness at
    every cutoff, inverse ranks as credit. For more than two runs, and for the variance as what is minimised: Schuth,
    Sietsma, Whiteson, Lefortier and de Rijke (2014), section 3.2.
    """
    n_runs, n_queries, _ = lists.shape
    documents = np.full((n_queries, length), NO_DOCUMENT)
    credit = np.zeros((n_queries, length, n_runs))
    draws: Floats = np.asarray(rng.random(n_queries))
    streams = rng.spawn(n_queries)
    for query in range(n_queries):  # each has a linear program of its own
        distribution = list_distribution(lists[:, query], length, streams[query])
        cumulative = np.cumsum(distribution.probabilities)
        threshold = float(draws[query] * cumulative[-1])
        place = min(int((cumulative <= threshold).sum()), cumulative.size - 1)
        documents[query] = distribution.documents[place]
        credit[query] = distribution.credit[place]
    return Draft(documents=documents, credit=credit)


class ListDistribution(NamedTuple):
    """The lists of a query and how likely each is.

    Attributes
    ----------
    documents
        (lists, length)
    credit
        (lists, length, runs)
    probabilities
        (lists)
    """

    documents: Ints
    credit: Floats
    probabilities: Floats


def list_distribution(lists: Ints, length: int, rng: np.random.Generator) -> ListDistribution:
    """The distribution over the allowed lists of one query. lists: (runs, depth)."""
    documents = allowed_lists(lists, length, rng)
    n_lists = len(documents)
    ranks = ranks_in(np.repeat(lists[:, None], n_lists, axis=1), documents)
    credit = np.divide(1.0, ranks, out=np.zeros(ranks.shape), where=ranks > 0)
    # Where a run has no documents at all, no click says anything.
    credit *= (lists != NO_DOCUMENT).any(axis=1).all()
    probabilities = fair_probabilities(credit)
    expected = np.tensordot(probabilities, credit, 1)
    fair_credit = credit - (expected - expected.mean(axis=1, keepdims=True))
    return ListDistribution(documents, fair_credit, probabilities)


def allowed_lists(lists: Ints, length: int, rng: np.random.Generator) -> Ints:
    """(allowed, length) lists at whose every rank stands the next document of some run.

    Parameters
    ----------
    lists
        (runs, depth) documents of one query.
    length
        Length of the interleaved lists.
    rng
        Draws among the lists where there are more than `MOST_LISTS`.
    """
    partial = np.empty((1, 0), np.int64)
    for _ in range(length):
        longer = []
        for ranking in lists:
            is_free = (ranking != NO_DOCUMENT) & (partial[:, :, None] != ranking).all(axis=1)
            document = np.where(is_free.any(axis=1), ranking[is_free.argmax(axis=1)], NO_DOCUMENT)
            longer.append(np.column_stack((partial, document)))
        extended = np.concatenate(longer)
        has_next = extended[:, -1] != NO_DOCUMENT
        if not has_next.any():  # no run has more
            ended = np.full((len(partial), length - partial.shape[1]), NO_DOCUMENT)
            return np.column_stack((partial, ended))
        partial = np.unique(extended[has_next], axis=0)
        if len(partial) > MOST_LISTS:
            partial = partial[np.sort(rng.choice(len(partial), MOST_LISTS, replace=False))]
    return partial


def fair_probabilities(credit: Floats) -> Floats:
    """(lists) probabilities that make the expected credit of all runs equal at every cutoff.

    Parameters
    ----------
    credit
        (lists, length, runs)

    Notes
    -----
    Among the fair ones those with the least variance of the credit that a user gives who clicks at rank i with
    probability 1 / i. Where none is fair, the least unfair.
    """
    from scipy.optimize import linprog

    n_lists, length, _ = credit.shape
    totals = np.cumsum(credit, axis=1)
    gaps = (totals[:, :, 1:] - totals[:, :, :1]).reshape(n_lists, -1).T
    click_credit = (credit / np.arange(1, length + 1)[:, None]).sum(axis=1)
    variance = ((click_credit - click_credit.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    n_gaps = len(gaps)
    # The gaps may be closed from both sides, at a price.
    slack = np.hstack((np.eye(n_gaps), -np.eye(n_gaps)))
    equations = np.vstack((np.hstack((gaps, slack)), np.r_[np.ones(n_lists), np.zeros(2 * n_gaps)]))
    costs = np.r_[variance, np.full(2 * n_gaps, UNFAIRNESS_COST)]
    solution = linprog(costs, A_eq=equations, b_eq=np.r_[np.zeros(n_gaps), 1.0], method="highs")
    probabilities = np.maximum(solution.x[:n_lists], 0.0)
    return np.asarray(probabilities / probabilities.sum())

"""Adjudication: which run's next document to judge, by move-to-front, bandits and Hedge.

Each step takes one document of each query. The run with the highest value is chosen; ties go to the run whose next
document has the best rank, then to the first document by id, then to the first run by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from rankscope.kernels.rounding_ties import NOISE
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "AdjudicationRule",
    "MaxMean",
    "MoveToFront",
    "Thompson",
    "adjudicate",
    "hedge_order",
    "rank_losses",
]


class AdjudicationRule(ABC):
    """The current value of each run of each query. Arrays are (queries, runs); finished queries are dropped."""

    @abstractmethod
    def values(self) -> Floats:
        """(queries, runs) the run with the highest value is chosen."""

    @abstractmethod
    def learn(self, chosen_runs: Ints, relevant: Bools) -> None:
        """Learn from one judgment a query: the chosen runs, and whether their documents are relevant."""

    @abstractmethod
    def keep(self, queries: Bools) -> None:
        """Keep these queries, drop the others."""


class MoveToFront(AdjudicationRule):
    """A run goes on as long as its documents are relevant; a document that is not lowers its priority by 1, and a run
    of the highest priority is next. All runs start with the same priority (Cormack, Palmer and Clarke 1998).
    """

    def __init__(self, queries: int, runs: int) -> None:
        self.priority = np.zeros((queries, runs))
        self.bonus = np.zeros((queries, runs))

    def values(self) -> Floats:
        return self.priority + self.bonus

    def learn(self, chosen_runs: Ints, relevant: Bools) -> None:
        query_index = np.arange(chosen_runs.size)
        self.priority[query_index, chosen_runs] -= ~relevant
        self.bonus[:] = 0
        self.bonus[query_index, chosen_runs] = 0.5 * relevant  # ahead of other runs of its priority

    def keep(self, queries: Bools) -> None:
        self.priority, self.bonus = self.priority[queries], self.bonus[queries]


class MaxMean(AdjudicationRule):
    """The run with the highest probability of relevance, by the mean of a Beta distribution: (h + 1) / (n + 2) where h
    of n judged documents of a run are relevant. rate: the weight of a judgment after the next one of its run; at 1 all
    have the same weight (MM), below 1 later ones have more (MM-NS; Losada, Parapar and Barreiro 2016, 2017).
    """

    def __init__(self, queries: int, runs: int, rate: float) -> None:
        self.rate = rate
        self.n_relevant = np.zeros((queries, runs))
        self.n_judged = np.zeros((queries, runs))

    def values(self) -> Floats:
        return (self.n_relevant + 1.0) / (self.n_judged + 2.0)

    def learn(self, chosen_runs: Ints, relevant: Bools) -> None:
        query_index = np.arange(chosen_runs.size)
        self.n_relevant[query_index, chosen_runs] = self.rate * self.n_relevant[query_index, chosen_runs] + relevant
        self.n_judged[query_index, chosen_runs] = self.rate * self.n_judged[query_index, chosen_runs] + 1.0

    def keep(self, queries: Bools) -> None:
        self.n_relevant, self.n_judged = self.n_relevant[queries], self.n_judged[queries]


class Thompson(MaxMean):
    """As `MaxMean`, with a sample from each run's Beta distribution instead of its mean. Each query has its own random
    stream, so that its samples do not depend on the other queries.
    """

    def __init__(self, queries: int, runs: int, rate: float, rng: np.random.Generator) -> None:
        super().__init__(queries, runs, rate)
        self.streams: list[np.random.Generator] = rng.spawn(queries)

    def values(self) -> Floats:
        a, b = self.n_relevant + 1.0, self.n_judged - self.n_relevant + 1.0
        return np.array([stream.beta(x, y) for stream, x, y in zip(self.streams, a, b, strict=True)])

    def keep(self, queries: Bools) -> None:
        super().keep(queries)
        self.streams = [stream for stream, is_kept in zip(self.streams, queries.tolist(), strict=True) if is_kept]


def adjudicate(
    table: Ints, relevant: Bools, is_judged: Bools, shares: Ints, rule: AdjudicationRule
) -> tuple[Ints, Ints]:
    """The documents to judge, step by step.

    Parameters
    ----------
    table
        The documents of each list, by their numbers within the query, -1 after the last, (queries, runs, ranks + 1).
    relevant
        The judgments, (queries, documents).
    is_judged
        Whether a document was judged before, (queries, documents). The rule learns from such a document in its turn,
        but it is neither counted nor returned.
    shares
        How many documents to take, (queries).
    rule
        Which run's next document is judged.

    Returns
    -------
    tuple
        The query and the document of each step.
    """
    state = ListPositions(table, is_judged.shape[1])
    remaining = shares.copy()
    active = np.arange(shares.size)
    taken_query, taken_doc = [], []
    while True:
        is_active = (remaining[active] > 0) & (state.next >= 0).any(axis=1)
        if not is_active.all():
            active = active[is_active]
            state.keep(is_active)
            rule.keep(is_active)
        if not active.size:
            break
        chosen_runs, doc = state.choose(rule.values())
        rule.learn(chosen_runs, relevant[active, doc])
        state.take(doc)
        is_new = ~is_judged[active, doc]
        remaining[active] -= is_new
        taken_query.append(active[is_new])
        taken_doc.append(doc[is_new])
    if not taken_doc:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(taken_query), np.concatenate(taken_doc)


class ListPositions:
    """The position of each run in its list: its next document that is not taken yet, or -1 at the end."""

    def __init__(self, table: Ints, documents: int) -> None:
        queries, runs, list_length = table.shape
        self.documents_flat = table.ravel()
        self.list_length, self.n_documents = list_length, documents
        self.position = (np.arange(queries * runs) * list_length).reshape(queries, runs)
        self.next = self.documents_flat[self.position]
        self.rank = np.zeros((queries, runs), np.int64)
        self.taken = np.zeros(queries * documents, np.bool_)
        self.query_offsets = np.arange(queries) * documents  # offset of the query's documents in `taken`

    def keep(self, queries: Bools) -> None:
        """Keep these queries, drop the others."""
        self.position, self.next, self.rank = self.position[queries], self.next[queries], self.rank[queries]
        self.query_offsets = self.query_offsets[queries]

    def choose(self, values: Floats) -> tuple[Ints, Ints]:
        """(queries) the chosen run and its next document; the module describes how ties are broken."""
        values = np.where(self.next >= 0, values, -np.inf)
        top = values.max(axis=1, keepdims=True)
        is_best = values >= top - NOISE * np.abs(top)
        tie_order = np.where(is_best, self.rank * self.n_documents + self.next, np.iinfo(np.int64).max)
        chosen_runs = tie_order.argmin(axis=1)
        return chosen_runs, self.next[np.arange(chosen_runs.size), chosen_runs]

    def take(self, doc: Ints) -> None:
        """Take a document of each query; runs at this document move on to their next one."""
        self.taken[self.query_offsets + doc] = True
        query, run = np.nonzero(self.next == doc[:, None])
        while query.size:
            self.position[query, run] += 1
            self.rank[query, run] += 1
            next_docs: Any = self.documents_flat[self.position[query, run]]
            self.next[query, run] = next_docs
            is_taken = (next_docs >= 0) & self.taken[self.query_offsets[query] + next_docs]
            query, run = query[is_taken], run[is_taken]


def rank_losses(rank: Ints) -> Floats:
    """(documents, runs) the loss of a run for a document at this rank that is not relevant; the gain if it is relevant.
    rank: from 1; 0 where the run lacks the document.

    ln(N / rank) / 2 with N the number of documents; for a missing document the mean over the ranks after the list.
    """
    n, runs = rank.shape
    losses = np.log(n / np.maximum(rank, 1)) / 2
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))  # logarithms of factorials
    n_retrieved = (rank > 0).sum(axis=0)
    n_missing = np.maximum(n - n_retrieved, 1)
    missing_loss = (np.log(n) - (logs[n] - logs[n_retrieved]) / n_missing) / 2
    return np.where(rank > 0, losses, np.broadcast_to(missing_loss, (n, runs)))


def hedge_order(rank: Ints, relevant: Bools, is_judged: Bools, share: int, beta: float) -> Ints:
    """The documents of a query to judge, in order.

    Parameters
    ----------
    rank
        Ranks from 1, 0 if a run lacks the document; documents in the order of the tie rule, (documents, runs).
    relevant
        The judgments, (documents).
    is_judged
        Whether a document was judged before, (documents); these judgments are learned from at the start.
    share
        How many documents to take.
    beta
        A run's weight is beta to the power of its total loss; the next document is that with the greatest weighted
        loss.

    Returns
    -------
    array
        Indices of the documents.
    """
    losses = rank_losses(rank)
    signs = np.where(relevant, -1.0, 1.0)
    total_losses = signs[is_judged] @ losses[is_judged]
    is_unjudged = ~is_judged
    docs = np.empty(min(share, int(is_unjudged.sum())), np.int64)
    penalty = np.where(is_unjudged, 0.0, -np.inf)
    log_beta = np.log(beta)
    for i in range(docs.size):
        weights = np.exp(log_beta * (total_losses - total_losses.min()))
        mixed_losses = losses @ weights
        mixed_losses += penalty
        highest = mixed_losses.max()
        doc = int((mixed_losses >= highest - NOISE * abs(highest)).argmax())
        docs[i] = doc
        penalty[doc] = -np.inf
        total_losses += signs[doc] * losses[doc]
    return docs

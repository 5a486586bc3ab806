"""Adjudication by runs: move-to-front, the bandits and Hedge.

Each step takes one document of each query. The chosen run is that of the highest value; among equal ones that whose
next document stands highest, then that of which it comes first by id, then the first run by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from rankscope.kernels.ties import NOISE
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
    """What each run of each query is worth now. Arrays are (queries, runs); queries that end are dropped."""

    @abstractmethod
    def values(self) -> Floats:
        """The higher, the sooner the run is chosen."""

    @abstractmethod
    def learn(self, chosen: Ints, relevant: Bools) -> None:
        """(queries) the runs whose documents were judged, and what was found."""

    @abstractmethod
    def keep(self, queries: Bools) -> None:
        """Drop the other queries."""


class MoveToFront(AdjudicationRule):
    """A run goes on as long as its documents are relevant; one that is not takes 1 off its priority, which is the same
    for all runs at first, and a run of the highest priority is next (Cormack, Palmer and Clarke 1998).
    """

    def __init__(self, queries: int, runs: int) -> None:
        self.priority = np.zeros((queries, runs))
        self.on = np.zeros((queries, runs))

    def values(self) -> Floats:
        return self.priority + self.on

    def learn(self, chosen: Ints, relevant: Bools) -> None:
        each = np.arange(chosen.size)
        self.priority[each, chosen] -= ~relevant
        self.on[:] = 0
        self.on[each, chosen] = 0.5 * relevant  # ahead of those of its priority

    def keep(self, queries: Bools) -> None:
        self.priority, self.on = self.priority[queries], self.on[queries]


class MaxMean(AdjudicationRule):
    """The run whose documents are likeliest relevant, by the mean of a Beta distribution: of n documents of a run that
    were judged h are relevant, (h + 1) / (n + 2). rate: what a judgment still counts after the next one of its run; at
    1 all count alike (MM), below 1 later ones count more (MM-NS; Losada, Parapar and Barreiro 2016, 2017).
    """

    def __init__(self, queries: int, runs: int, rate: float) -> None:
        self.rate = rate
        self.found = np.zeros((queries, runs))
        self.seen = np.zeros((queries, runs))

    def values(self) -> Floats:
        return (self.found + 1.0) / (self.seen + 2.0)

    def learn(self, chosen: Ints, relevant: Bools) -> None:
        each = np.arange(chosen.size)
        self.found[each, chosen] = self.rate * self.found[each, chosen] + relevant
        self.seen[each, chosen] = self.rate * self.seen[each, chosen] + 1.0

    def keep(self, queries: Bools) -> None:
        self.found, self.seen = self.found[queries], self.seen[queries]


class Thompson(MaxMean):
    """The same, by a draw of each run's Beta distribution instead of its mean. Each query has a stream of its own, so
    that what is drawn for it does not depend on the others.
    """

    def __init__(self, queries: int, runs: int, rate: float, rng: np.random.Generator) -> None:
        super().__init__(queries, runs, rate)
        self.streams: list[np.random.Generator] = rng.spawn(queries)

    def values(self) -> Floats:
        a, b = self.found + 1.0, self.seen - self.found + 1.0
        return np.array([stream.beta(x, y) for stream, x, y in zip(self.streams, a, b, strict=True)])

    def keep(self, queries: Bools) -> None:
        super().keep(queries)
        self.streams = [stream for stream, kept in zip(self.streams, queries.tolist(), strict=True) if kept]


def adjudicate(table: Ints, relevant: Bools, free: Bools, shares: Ints, rule: AdjudicationRule) -> tuple[Ints, Ints]:
    """The documents that are to be judged, step by step: (taken) the query and the document of each.

    table: (queries, runs, ranks + 1) each list's documents, by their numbers among the query's, -1 behind the last.
    relevant: (queries, documents) what the judges say. free: (queries, documents) judged already: such a document is
    learned from when its turn comes, and neither counted nor returned. shares: (queries) how many to take.
    """
    state = ListPositions(table, free.shape[1])
    left = shares.copy()
    active = np.arange(shares.size)
    taken_query, taken_doc = [], []
    while True:
        kept = (left[active] > 0) & (state.next >= 0).any(axis=1)
        if not kept.all():
            active = active[kept]
            state.keep(kept)
            rule.keep(kept)
        if not active.size:
            break
        chosen, doc = state.choose(rule.values())
        rule.learn(chosen, relevant[active, doc])
        state.take(doc)
        costs = ~free[active, doc]
        left[active] -= costs
        taken_query.append(active[costs])
        taken_doc.append(doc[costs])
    if not taken_doc:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(taken_query), np.concatenate(taken_doc)


class ListPositions:
    """Where each run stands in its list: at its next document that was not taken yet, or behind the last (-1)."""

    def __init__(self, table: Ints, documents: int) -> None:
        queries, runs, width = table.shape
        self.flat = table.ravel()
        self.width, self.documents = width, documents
        self.place = (np.arange(queries * runs) * width).reshape(queries, runs)
        self.next = self.flat[self.place]
        self.rank = np.zeros((queries, runs), np.int64)
        self.taken = np.zeros(queries * documents, np.bool_)
        self.base = np.arange(queries) * documents  # where the query's documents are in `taken`

    def keep(self, queries: Bools) -> None:
        """Drop the other queries."""
        self.place, self.next, self.rank = self.place[queries], self.next[queries], self.rank[queries]
        self.base = self.base[queries]

    def choose(self, values: Floats) -> tuple[Ints, Ints]:
        """(queries) the run and its next document, by the order that the module describes."""
        values = np.where(self.next >= 0, values, -np.inf)
        top = values.max(axis=1, keepdims=True)
        best = values >= top - NOISE * np.abs(top)
        order = np.where(best, self.rank * self.documents + self.next, np.iinfo(np.int64).max)
        chosen = order.argmin(axis=1)
        return chosen, self.next[np.arange(chosen.size), chosen]

    def take(self, doc: Ints) -> None:
        """Take a document of each query; runs that stood at it go on to their next one."""
        self.taken[self.base + doc] = True
        query, run = np.nonzero(self.next == doc[:, None])
        while query.size:
            self.place[query, run] += 1
            self.rank[query, run] += 1
            found: Any = self.flat[self.place[query, run]]
            self.next[query, run] = found
            again = (found >= 0) & self.taken[self.base[query] + found]
            query, run = query[again], run[again]


def rank_losses(rank: Ints) -> Floats:
    """(documents, runs) what a run loses by having put a document at this rank, should it not be relevant; the same is
    won should it be. rank: from 1; 0 where the run does not have it.

    ln(N / rank) / 2, N being the number of documents; of one that the run does not have the mean over the ranks behind
    its list.
    """
    n, runs = rank.shape
    losses = np.log(n / np.maximum(rank, 1)) / 2
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))  # logarithms of factorials
    had = (rank > 0).sum(axis=0)
    behind = np.maximum(n - had, 1)
    lacking = (np.log(n) - (logs[n] - logs[had]) / behind) / 2
    return np.where(rank > 0, losses, np.broadcast_to(lacking, (n, runs)))


def hedge_order(rank: Ints, relevant: Bools, free: Bools, share: int, beta: float) -> Ints:
    """The documents of a query that are to be judged, in order.

    rank: (documents, runs) from 1, 0 where a run lacks one; documents in the order of the tie rule. relevant, free: as
    in `turns`; what was judged already is learned from at once. A run's weight is beta to the power of all that it lost
    so far; next is the document of the greatest loss, mixed by the weights.
    """
    losses = rank_losses(rank)
    signs = np.where(relevant, -1.0, 1.0)
    lost = signs[free] @ losses[free]
    open_ = ~free
    found = np.empty(min(share, int(open_.sum())), np.int64)
    barred = np.where(open_, 0.0, -np.inf)
    power = np.log(beta)
    for i in range(found.size):
        weights = np.exp(power * (lost - lost.min()))
        mixed = losses @ weights
        mixed += barred
        top = mixed.max()
        doc = int((mixed >= top - NOISE * abs(top)).argmax())
        found[i] = doc
        barred[doc] = -np.inf
        lost += signs[doc] * losses[doc]
    return found

"""Hedge: runs are weighed by how well they ranked what was judged, and all together say what is next."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.ties import NOISE
from rankscope.typing import Bools, Floats, Ints

__all__ = ["hedge_order", "rank_losses"]


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

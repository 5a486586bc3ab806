"""What the person thinks of the item that the machine ranks best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.agreement.rank_table import PairedRanks, in_pieces
from rankscope.typing import Floats, Ints

__all__ = ["RankCounts", "count_ranks", "gold_of_best"]


class RankCounts(NamedTuple):
    """ranks: in rising order, those that occur. counts: in how many lists each. share: of all lists, in percent."""

    ranks: Floats
    counts: Ints
    share: Floats


def gold_of_best(table: PairedRanks, ties: str = "ceiling") -> Floats:
    """(lists) the person's rank of the item that the machine ranks best; of several, the worst; NaN without items.

    ties: how the person's ranks are normalised.
    """
    if not table.gold.size:
        return np.full(len(table), np.nan)

    def worst(part: PairedRanks) -> Floats:
        best = np.where(part.there, part.predicted, np.inf).min(axis=1, keepdims=True)
        ranks = np.where(part.there & (part.predicted == best), part.gold_ranks(ties), -np.inf)
        return np.where(part.lengths > 0, ranks.max(axis=1), np.nan)

    return in_pieces(worst, table)


def count_ranks(ranks: Floats) -> RankCounts:
    """How often each rank occurs."""
    found, counts = np.unique(ranks[~np.isnan(ranks)], return_counts=True)
    return RankCounts(found, counts.astype(np.int64), 100.0 * counts / max(int(counts.sum()), 1))

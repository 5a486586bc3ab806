"""Measures on the ranks of relevant entities: mean, median, lowest and highest rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.data.hits import Hits
from rankscope.measures.base import Binary
from rankscope.measures.cutoffs import mean_by_query, median_by_query, within
from rankscope.measures.rank_scale import ScaledRanks
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "MaxRank",
    "MeanRank",
    "MedianRank",
    "MinRank",
]


@dataclass(frozen=True, kw_only=True)
class RankStatistic(ScaledRanks, Binary):
    """Base of statistics of ranks.

    Parameters
    ----------
    cutoff
        Number k of documents that are read, or one that depends on the query. Default: all.
    """

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    higher_is_better: ClassVar[bool | None] = False
    allows_query_cutoffs: ClassVar[bool] = True
    ranks_below_1: ClassVar[bool] = True
    cutoff: int | str | None = None

    def counted(self, hits: Hits) -> Bools:
        """(hits) the relevant ones within the cutoff."""
        return np.asarray(within(hits, self.resolve_cutoff(hits), hits.relevant(self.rel)), np.bool_)


@dataclass(frozen=True, kw_only=True)
class MeanRank(RankStatistic):
    """Mean rank of the relevant documents retrieved within the cutoff; at least 0, lower is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    Relevant documents that were not retrieved have no rank and are skipped. If no relevant document is retrieved there
    is no mean: NaN, which means over queries skip; `used` says how many documents a value rests on. Mind that a cutoff
    keeps the best ranks only: a list that has fewer within it may well get the better mean. With ties="average", and
    without a cutoff, a tied document has the mean rank of its group.

    References
    ----------
    Dunaiski (2018), average rank.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> run = {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "c": 1.0}}
    >>> rs.evaluate(qrels, run, "MeanRank").overall("MeanRank") == (1 + 3 + 4) / 3
    True
    """

    name: ClassVar[str] = "MeanRank"
    source: ClassVar[str] = "Dunaiski (2018), average rank"
    has_tie_average: ClassVar[bool] = True

    def can_average_ties(self) -> bool:
        """With a cutoff, the number of ranks that the mean is of depends on the order."""
        return self.cutoff is None and super().can_average_ties()

    def values(self, hits: Hits) -> Floats:
        rank = (hits.first + hits.last) / 2 if hits.ties == "average" else hits.rank
        return mean_by_query(rank, self.counted(hits), hits)


@dataclass(frozen=True, kw_only=True)
class MedianRank(RankStatistic):
    """Median rank of the relevant documents retrieved within the cutoff; at least 0, lower is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    Of an even number of them the mean of the middle two. Documents that were not retrieved, and lists without a
    relevant one (NaN, skipped in means): as for MeanRank.

    References
    ----------
    Dunaiski (2018), median rank.
    """

    name: ClassVar[str] = "MedianRank"
    source: ClassVar[str] = "Dunaiski (2018), median rank"

    def values(self, hits: Hits) -> Floats:
        return median_by_query(hits.rank, self.counted(hits), hits)


@dataclass(frozen=True, kw_only=True)
class SingleRank(RankStatistic):
    """Base of MinRank and MaxRank: the value rests on one document."""

    def used(self, hits: Hits) -> Floats:
        return np.minimum(super().used(hits), 1.0)

    def ranks_at(self, hits: Hits, rows: Ints) -> Floats:
        """(queries) the rank at the last of these rows that a query has; NaN without any."""
        ranks = np.full(len(hits), np.nan)
        ranks[hits.query[rows]] = hits.rank[rows]
        return ranks


@dataclass(frozen=True, kw_only=True)
class MinRank(SingleRank):
    """Rank of the first relevant document within the cutoff; at least 0, lower is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    It rests on one document. NaN, skipped in means, if there is none, as for MeanRank.

    References
    ----------
    Dunaiski (2018), minimum rank.
    """

    name: ClassVar[str] = "MinRank"
    source: ClassVar[str] = "Dunaiski (2018), minimum rank"

    def values(self, hits: Hits) -> Floats:
        return self.ranks_at(hits, np.flatnonzero(self.counted(hits))[::-1])


@dataclass(frozen=True, kw_only=True)
class MaxRank(SingleRank):
    """Rank of the last relevant document within the cutoff; at least 0, lower is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    scale
        Unit of ranks and cutoff: "percentile" or "permille" of all ranked documents. Default: the rank itself.
    cutoff
        Number k of documents that are read, or one that depends on the query: "mean", "median", "size", "recall=0.5".
        Default: all.

    Notes
    -----
    It rests on one document; documents that were not retrieved have no rank. NaN, skipped in means, if there is none,
    as for MeanRank.

    References
    ----------
    Dunaiski (2018), maximum rank.
    """

    name: ClassVar[str] = "MaxRank"
    source: ClassVar[str] = "Dunaiski (2018), maximum rank"

    def values(self, hits: Hits) -> Floats:
        return self.ranks_at(hits, np.flatnonzero(self.counted(hits)))

"""Borda's count, points for places, and the mean of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.consensus.base import Method
from rankscope.consensus.parameters import as_points, points_field, unranked_field
from rankscope.data.ranking import normalise_ranks
from rankscope.data.votes import UNRANKED, Votes
from rankscope.typing import Floats

__all__ = [
    "Borda",
    "MeanRankAggregation",
]


@dataclass(frozen=True, kw_only=True)
class Borda(Method):
    """Borda's count: the number of items minus the rank, summed over voters; from 0, higher is better.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic'. Default:
        'average'.
    points
        Points for each place, starting with the first; later places get 0. Default: the number of items minus the rank.

    Raises
    ------
    ParameterError
        The points rise or are not finite numbers, or `unranked` is unknown.

    Notes
    -----
    Scores are always defined. Tied items share the mean of the points of their places.

    References
    ----------
    Borda (1781). For partial lists, "average" is the modified count of Dwork et al. (2001), section 3.

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> Borda().order(votes).scores.tolist(), Borda(points=(3, 1)).order(votes).scores.tolist()
    ([5.0, 3.0, 1.0], [7.0, 4.0, 1.0])
    """

    name: ClassVar[str] = "borda"
    work = "ranks"
    meaning: ClassVar[str] = "points (number of items minus rank), summed over voters"
    FUNCTIONS = ("rankscope.consensus:Borda",)

    unranked: str = unranked_field("average", UNRANKED[:3])
    points: tuple[float, ...] | None = points_field(None)

    def __post_init__(self) -> None:
        if self.points is not None:
            self.__dict__["points"] = as_points(self.points)
        super().__post_init__()

    def describe_score(self) -> str:
        return self.meaning if self.points is None else "points of the places, summed over voters"

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        if self.points is None:
            return np.asarray(weights @ (len(votes.items) - votes.fill_unranked(self.unranked)))
        return np.asarray(weights @ points_of(votes, self.unranked, self.points))


@dataclass(frozen=True, kw_only=True)
class MeanRankAggregation(Method):
    """The weighted mean of the ranks of an item, from 1 to the number of items; lower is better.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic', 'ignore'.
        Default: 'average'.

    Raises
    ------
    ParameterError
        `unranked` is unknown.

    Notes
    -----
    With "ignore" the mean is over the voters who ranked the item, and an item that no voter of a resample ranked comes
    last. Otherwise the order is that of Borda's count.

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", "C"], ["B", "A"]])
    >>> MeanRankAggregation().order(votes).scores.tolist()
    [1.3333333333333333, 2.0, 2.6666666666666665]
    >>> MeanRankAggregation(unranked="ignore").order(votes).scores.tolist()
    [1.3333333333333333, 1.5, 2.5]
    """

    name: ClassVar[str] = "mean-rank"
    work = "ranks"
    meaning: ClassVar[str] = "the mean of an item's ranks"
    higher_is_better: ClassVar[bool] = False
    FUNCTIONS = ("rankscope.consensus:MeanRankAggregation",)

    unranked: str = unranked_field("average")

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        places = votes.fill_unranked(self.unranked)
        ranked = ~np.isnan(places)
        total = weights @ ranked.astype(np.float64)
        mean_ranks = (weights @ np.where(ranked, places, 0.0)) / np.where(total > 0, total, 1.0)
        return np.where(total > 0, mean_ranks, float(len(votes.items)))


def points_of(votes: Votes, unranked: str, points: tuple[float, ...]) -> Floats:
    """(voters, items) the points of each item."""
    n = len(votes.items)
    place_points = np.zeros(n)
    place_points[: len(points)] = points[:n]
    cumulative = np.concatenate(([0.0], np.cumsum(place_points)))
    ranks = np.where(np.isnan(votes.ranks), np.inf, votes.ranks)  # unranked items share the last places
    first_place, last_place = (
        normalise_ranks(ranks, "floor").astype(np.int64),
        normalise_ranks(ranks, "ceiling").astype(np.int64),
    )
    if unranked != "average":
        is_unranked = np.isnan(votes.ranks)
        first_place = np.where(is_unranked, n if unranked == "worst" else first_place, first_place)
        last_place = np.where(is_unranked, first_place, last_place)
    return np.asarray((cumulative[last_place] - cumulative[first_place - 1]) / (last_place - first_place + 1))

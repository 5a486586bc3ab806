"""Borda's count, points for places, and the mean of ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.consensus.base import Method, Order, VoterWeights
from rankscope.data.ranking import normalise_ranks
from rankscope.data.votes import UNRANKED, Votes, check_unranked
from rankscope.errors import ParameterError
from rankscope.typing import Floats

__all__ = [
    "Borda",
    "MeanRankAggregation",
    "borda",
    "mean_rank",
]


@dataclass(frozen=True, kw_only=True)
class Borda(Method):
    """Borda: the number of items less the rank, summed over voters with their weights; from 0, higher is better.

    points: what the places are worth in its stead, from the first on, as (3, 1, 0); what follows is worth 0. They may
    not rise. Tied items share the mean of the points of their places, and so do, by `unranked` "average", those that a
    voter left out; by "worst" they get those of the last place, by "optimistic" of the first after the ranked ones.
    Always defined.

    Raises ParameterError for another `unranked`, for points that rise or are no finite numbers.

    Source: Borda 1781; partial lists: "average" is the modified count of Dwork et al. 2001, section 3.

    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> Borda().order(votes).scores.tolist(), Borda(points=(3, 1)).order(votes).scores.tolist()
    ([5.0, 3.0, 1.0], [7.0, 4.0, 1.0])
    """

    name: ClassVar[str] = "borda"
    work = "ranks"
    meaning: ClassVar[str] = "points, the number of items less the rank, summed over voters"
    unranked: str = UNRANKED[0]
    points: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_unranked(self.unranked, UNRANKED[:3])
        if self.points is not None:
            self.__dict__["points"] = parse_points(self.points)

    def describe_score(self) -> str:
        return self.meaning if self.points is None else "points, what the places are worth, summed over voters"

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        if self.points is None:
            return np.asarray(weights @ (len(votes.items) - votes.fill_unranked(self.unranked)))
        return np.asarray(weights @ points_of(votes, self.unranked, self.points))


@dataclass(frozen=True, kw_only=True)
class MeanRankAggregation(Method):
    """The mean of an item's ranks, weighted; from 1 to the number of items, lower is better.

    unranked: "ignore" takes the mean over those who ranked the item; an item that nobody in a resample of the voters
    ranked is then last. Otherwise the order is Borda's.

    Raises ParameterError for another `unranked`.

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
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_unranked(self.unranked)

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        places = votes.fill_unranked(self.unranked)
        ranked = ~np.isnan(places)
        total = weights @ ranked.astype(np.float64)
        mean_ranks = (weights @ np.where(ranked, places, 0.0)) / np.where(total > 0, total, 1.0)
        return np.where(total > 0, mean_ranks, float(len(votes.items)))


def parse_points(points: Any) -> tuple[float, ...]:
    try:
        values = np.array(tuple(points), np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"points is {points!r}, expected numbers from the first place on, as (3, 1, 0)") from None
    if not values.size or not np.isfinite(values).all() or (np.diff(values) > 0).any() or values[-1] < 0:
        raise ParameterError(f"points is {points!r}, expected numbers of at least 0 that do not rise, as (3, 1, 0)")
    return tuple(values.tolist())


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


def borda(
    rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0], points: Iterable[float] | None = None
) -> Order:
    """The items by their points: a place is worth the number of items less the rank, summed over voters.

    rankings: what `Votes.of` takes. weights: how much each voter counts. unranked: what becomes of items that a voter
    left out, "average", "worst" or "optimistic". points: what places are worth instead, as (3, 1, 0). Scores are from
    0, higher is better, and always defined.

    Raises InputError for votes as `Votes` does; ParameterError for other options.

    Source: Borda 1781.

    >>> found = borda([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> found.order, found.scores.tolist()
    (('A', 'B', 'C'), [5.0, 3.0, 1.0])
    """
    method = Borda(unranked=unranked, points=None if points is None else parse_points(points))
    return method.order(Votes.of(rankings, weights=weights))


def mean_rank(rankings: Any, *, weights: VoterWeights = None, unranked: str = UNRANKED[0]) -> Order:
    """The items by the weighted mean of their ranks, from 1 to the number of items, lower is better.

    rankings, weights: as for `borda`. unranked: "ignore", too: the mean over those who ranked the item. Always defined,
    since an item that nobody ranked is refused.

    Raises InputError for votes as `Votes` does; ParameterError for another `unranked`.

    >>> mean_rank([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])["A"]  # (1 + 1 + 2) / 3
    1.3333333333333333
    """
    return MeanRankAggregation(unranked=unranked).order(Votes.of(rankings, weights=weights))

"""Median rank aggregation: items by the weighted median of their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.consensus.base import Method
from rankscope.consensus.parameters import unranked_field
from rankscope.data.votes import Votes
from rankscope.kernels.rounding_ties import SOLVED
from rankscope.typing import Floats

__all__ = [
    "MedianRankAggregation",
]


#: Numbers (draws, voters, items) in memory at once.
AT_ONCE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class MedianRankAggregation(Method):
    """The weighted median of the ranks of an item, from 1 to the number of items; lower is better.

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
    Half of the weight is on either side of the median. If half is reached between two ranks, it is their mean, as if
    each voter were repeated as often as its weight says. Few values are possible, so that many items may be tied.

    References
    ----------
    Fagin, Kumar and Sivakumar (2003), Efficient similarity search and classification via rank aggregation.

    Examples
    --------
    >>> votes = Votes.of([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
    >>> MedianRankAggregation().order(votes).scores.tolist()
    [1.0, 2.0, 3.0]
    """

    name: ClassVar[str] = "median-rank"
    work = "medians"
    meaning: ClassVar[str] = "the median of an item's ranks"
    higher_is_better: ClassVar[bool] = False
    FUNCTIONS = ("rankscope.consensus:MedianRankAggregation",)

    unranked: str = unranked_field("average")

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        places = votes.fill_unranked(self.unranked)
        scores = np.empty((len(weights), len(votes.items)))
        draws_at_once = max(1, AT_ONCE // places.size)
        items_at_once = max(1, AT_ONCE // (draws_at_once * len(places)))
        for start in range(0, len(weights), draws_at_once):
            for item in range(0, places.shape[1], items_at_once):
                block = slice(start, start + draws_at_once), slice(item, item + items_at_once)
                scores[block] = weighted_medians(places[:, block[1]], weights[block[0]], float(len(votes.items)))
        return scores


def weighted_medians(values: Floats, weights: Floats, default: float) -> Floats:
    """(draws, items) the median of each column of (voters, items); NaN is skipped; `default` where all are NaN."""
    order = np.argsort(values, axis=0)  # NaN last
    sorted_values = np.take_along_axis(values, order, axis=0)
    sorted_weights = weights[:, order] * ~np.isnan(sorted_values)  # (draws, voters, items)
    cumulative = np.cumsum(sorted_weights, axis=1)
    total = cumulative[:, -1:]
    tolerance = SOLVED * total
    lower_place = (cumulative >= total / 2 - tolerance).argmax(axis=1)[:, None]
    # Another place than the lower one where half of the weight is reached exactly.
    upper_place = (cumulative > total / 2 + tolerance).argmax(axis=1)[:, None]
    middle_values = [
        np.take_along_axis(sorted_values[None], place, axis=1)[:, 0] for place in (lower_place, upper_place)
    ]
    return np.where(total[:, 0] > 0, (middle_values[0] + middle_values[1]) / 2, default)

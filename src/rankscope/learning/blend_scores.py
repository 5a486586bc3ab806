"""Scores of several rankers into one: put on one scale, weighed, added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.exact import exact_group_sums
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import group_of
from rankscope.learning.blend_weights import stacked_weights
from rankscope.learning.losses.named import Loss
from rankscope.typing import Floats, Ints

__all__ = ["COMBINATIONS", "NORMALISATIONS", "WITHIN_LISTS", "Combination", "learn_combination"]


#: "average": all weights alike. "stacked": weights of at least 0 that minimise a loss on validation lists.
COMBINATIONS = ("average", "stacked")


@dataclass(frozen=True, eq=False, kw_only=True)
class Combination:
    """normalise: one of `NORMALISATIONS`. centre, spread: (rankers) what "fixed" takes away and divides by. weights:
    (rankers) at least 0, with sum 1.
    """

    normalise: str
    centre: Floats
    spread: Floats
    weights: Floats

    def __call__(self, scores: npt.ArrayLike, offsets: Ints) -> Floats:
        """(documents) the blend of (rankers, documents) scores, of lists that begin at `offsets`."""
        rows = self.normalised(np.asarray(scores, np.float64), offsets)
        blend = np.zeros(rows.shape[1])
        for weight, row in zip(self.weights, rows, strict=True):  # a product of matrices adds in orders of its own
            blend += weight * row
        return blend

    def normalised(self, scores: Floats, offsets: Ints) -> Floats:
        """(rankers, documents) on one scale."""
        if self.normalise == "fixed":
            return np.asarray((scores - self.centre[:, None]) / self.spread[:, None])
        return np.array([WITHIN_LISTS[self.normalise](row, offsets) for row in scores])


def learn_combination(
    scores: npt.ArrayLike,
    offsets: Ints,
    relevance: Ints | None = None,
    *,
    how: str = "average",
    normalise: str = "fixed",
    loss: Loss | None = None,
    l2: float = 0.0,
    max_grade: int | None = None,
) -> Combination:
    """How the rankers that gave these scores, (rankers, documents), are blended; learned on lists held out.

    relevance, loss, l2: for how="stacked", see `stacked_weights`. A ranker whose scores are all alike adds nothing.
    Raises InputError for scores that are no finite numbers.
    """
    table = np.asarray(scores, np.float64)
    if not np.isfinite(table).all():
        place = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise InputError(f"part {place + 1} of the blend scores documents by what is no finite number; leave it out")
    spread = np.array([within_deviation(row, offsets) for row in table])
    found = Combination(
        normalise=normalise,
        centre=table.mean(axis=1),
        spread=np.where(spread > 0, spread, 1.0),
        weights=np.full(len(table), 1 / len(table)),
    )
    if how == "average":
        return found
    if relevance is None or loss is None:
        raise ParameterError("a blend is stacked on the grades of validation lists; give them, or how='average'")
    weights = stacked_weights(
        found.normalised(table, offsets), relevance, offsets, loss=loss, l2=l2, max_grade=max_grade
    )
    return Combination(normalise=normalise, centre=found.centre, spread=found.spread, weights=weights)


def within_deviation(scores: Floats, offsets: Ints) -> float:
    """The standard deviation of scores from the mean of their list: what is the same for a whole list orders nothing.

    0 where it is no more than rounding.
    """
    apart = from_mean(scores, offsets)
    found = float(np.sqrt(np.mean(apart**2)))
    return found if found > 1e-12 * float(np.abs(scores).max()) else 0.0


def list_means(scores: Floats, offsets: Ints) -> Floats:
    """Of each list; the same whatever the order of its documents."""
    return exact_group_sums(scores, offsets) / np.diff(offsets)


def from_mean(scores: Floats, offsets: Ints) -> Floats:
    """Less the mean of the list; exactly 0 in a list of equal scores."""
    lists = group_of(offsets)
    apart = scores - np.maximum.reduceat(scores, offsets[:-1])[lists]
    return np.asarray(apart - list_means(apart, offsets)[lists])


def zscore(scores: Floats, offsets: Ints) -> Floats:
    """Less the mean of the list, by its standard deviation; 0 in a list of equal scores."""
    lists = group_of(offsets)
    apart = from_mean(scores, offsets)
    deviation = np.sqrt(list_means(apart**2, offsets))
    least = 1e-12 * np.maximum.reduceat(np.abs(scores), offsets[:-1])  # what rounding makes of equal scores
    return np.asarray(np.where(deviation > least, 1 / np.where(deviation > least, deviation, 1.0), 0.0)[lists] * apart)


def minmax(scores: Floats, offsets: Ints) -> Floats:
    """From 0, the lowest of the list, to 1; 0 in a list of equal scores."""
    lists, starts = group_of(offsets), offsets[:-1]
    low, high = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
    return np.asarray((scores - low[lists]) / np.where(high > low, high - low, 1.0)[lists])


def fractional_rank(scores: Floats, offsets: Ints) -> Floats:
    """The share of the list's other documents that stand below, ties as halves; 0 of a document alone."""
    lists, n = group_of(offsets), scores.size
    order = order_falling(scores, np.diff(offsets))
    found = scores[order]
    new = np.ones(n, np.bool_)  # where another list or a lower score begins
    new[1:] = (found[1:] != found[:-1]) | (lists[1:] != lists[:-1])
    firsts = np.flatnonzero(new)
    lasts = np.append(firsts[1:], n) - 1
    middle = ((firsts + lasts) / 2)[np.cumsum(new) - 1]
    below = (offsets[1:] - 1)[lists] - middle
    shares = np.empty(n)
    shares[order] = below / np.maximum(np.diff(offsets) - 1, 1)[lists]
    return shares


#: Scales that a list makes of its own scores, so that a document's score depends on those beside it.
WITHIN_LISTS: dict[str, Callable[[Floats, Ints], Floats]] = {
    "zscore": zscore,
    "minmax": minmax,
    "rank": fractional_rank,
}
#: "fixed": by mean and deviation of validation scores, so that a document's score is its own.
NORMALISATIONS: tuple[Any, ...] = ("fixed", *WITHIN_LISTS)

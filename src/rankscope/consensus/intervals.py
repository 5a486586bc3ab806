"""Intervals of ranks by the bootstrap over voters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError
from rankscope.kernels.resample import NUMBERS, bootstrap_counts, draw
from rankscope.kernels.ties import NOISE
from rankscope.stats.inputs import as_generator, check_count
from rankscope.typing import Floats

__all__ = [
    "DRAWS",
    "LEAST",
    "RankIntervals",
    "affordable_draws",
    "check_draws",
    "no_intervals",
    "places_in_draws",
    "rank_intervals",
]


#: Draws unless somebody says how many, the fewest that are made then, and the fewest that one may ask for.
DRAWS, FEWEST, LEAST = 1000, 200, 20
#: Steps of all draws together, some seconds of work; and ranks that are held, 200 MB.
STEPS, HELD = 4_000_000_000, 50_000_000
#: Of fewer voters, what an interval comes with.
FEW = 10


def check_draws(n_resamples: object) -> None:
    """Raise ParameterError for a number of draws that says nothing."""
    check_count("n_resamples", n_resamples, 0)
    if n_resamples in range(1, LEAST):
        raise ParameterError(
            f"n_resamples is {n_resamples}, expected at least {LEAST}, or 0 for no intervals; fewer draws say nothing"
        )


class RankIntervals(NamedTuple):
    """low, high: (items) ends of each rank's interval, NaN where none was made. n_resamples: draws that were made."""

    low: Floats
    high: Floats
    n_resamples: int
    notes: tuple[str, ...] = ()


def no_intervals(items: int, notes: tuple[str, ...] = ()) -> RankIntervals:
    """Where none is wanted, or there would be too much to do."""
    return RankIntervals(np.full(items, np.nan), np.full(items, np.nan), 0, notes)


def affordable_draws(steps: float, items: int) -> tuple[int, tuple[str, ...]]:
    """How many draws are made where nobody said how many, and a note where that is fewer than usual.

    steps: of one draw. As many as take 4 billion steps, of which a draw takes one more for each two items that are
    compared in it, and hold 50 million ranks, at most 1,000; none where that leaves fewer than 200.

    >>> affordable_draws(1e3, 10)
    (1000, ())
    >>> affordable_draws(1e9, 1000)[0]
    0
    """
    most = int(min(DRAWS, STEPS // max(steps + items**2 / 2, 1), HELD // max(items, 1)))
    if most >= DRAWS:
        return DRAWS, ()
    how = "--resamples (in Python n_resamples) says how many to make all the same"
    if most < FEWEST:
        return 0, (f"no intervals: this method would take long for {DRAWS:,} draws of these voters; {how}",)
    return most, (f"intervals rest on {most:,} draws, since {DRAWS:,} would take long; {how}",)


def rank_intervals(
    method: Method, votes: Votes, ranks: Floats, *, n_resamples: int, confidence_level: float, width: int, rng: Any
) -> RankIntervals:
    """The ranks that items could have, by draws of as many voters with replacement, each with his weight.

    ranks: (items) those of the votes themselves, which an interval never leaves out. width: numbers that the method
    holds for one draw, which bounds how many are made at once.
    """
    voters, items = votes.ranks.shape
    found = np.empty((n_resamples, items), np.int32)
    done = odd = 0
    generator = as_generator(rng)
    draws = draw(generator, n_resamples)
    for counts in bootstrap_counts(draws, voters, min(width, NUMBERS)):
        some = method.drawn(votes, counts * votes.weights, generator)
        scores = without_nan(some.scores, method.higher_is_better)
        found[done : done + len(counts)] = method.ranks(scores)
        done, odd = done + len(counts), odd + some.odd
    low, high = places_in_draws(found, confidence_level)
    notes = []
    if voters < FEW:
        rough = "intervals of the ranks are rough, and rather too narrow"
        notes.append(Note(f"{voters} voters are few: {rough}", f"fewer than {FEW} voters: {rough}"))
    if odd:
        notes.append(Note(method.said_of_draws(odd, n_resamples), "some draws of the voters have no maximum"))
    return RankIntervals(np.minimum(low, ranks), np.maximum(high, ranks), n_resamples, tuple(notes))


def places_in_draws(ranks: npt.NDArray[np.int32], level: float) -> tuple[Floats, Floats]:
    """(items) the best and the worst place of each that its order with each other item leaves it.

    ranks: (draws, items). One item is above another where its rank is the better in all draws but (1 - level) / 2 of
    them, a tie counting as half; an item's best place is behind all that are above it, its worst before all that are
    below it. Percentiles of an item's own ranks would be too narrow where many items are close: an item that is high by
    luck is so in the draws as well, while those that it passed by luck are each within reach.

    >>> places_in_draws(np.array([[1, 2, 3], [2, 1, 3]], np.int32), 0.95)
    (array([1., 1., 3.]), array([2., 2., 3.]))
    """
    draws, n = ranks.shape
    by_item = np.ascontiguousarray(ranks.T)
    above, below = np.zeros(n, np.int64), np.zeros(n, np.int64)
    needed = (1 - NOISE) * 2 * draws * (1 - (1 - level) / 2)  # the share is no number of its own in float64
    for i in range(n - 1):  # one against all that follow at a time, so that memory stays small
        rest = by_item[i + 1 :]
        wins = np.count_nonzero(rest > by_item[i], axis=1)
        losses = np.count_nonzero(rest < by_item[i], axis=1)
        first, second = draws + wins - losses >= needed, draws + losses - wins >= needed
        below[i] += first.sum()
        above[i + 1 :] += first
        above[i] += second.sum()
        below[i + 1 :] += second
    return (1 + above).astype(np.float64), (n - below).astype(np.float64)


def without_nan(scores: Floats, higher_is_better: bool) -> Floats:
    """An item that nobody drawn has ranked may have no score: it comes last."""
    lost = np.isnan(scores)
    if not lost.any():
        return scores
    worst = np.nanmin(scores, axis=1) if higher_is_better else np.nanmax(scores, axis=1)
    beyond = 1.0 + np.abs(worst)
    return np.where(lost, (worst - beyond if higher_is_better else worst + beyond)[:, None], scores)

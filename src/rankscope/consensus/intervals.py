"""Intervals of ranks by the bootstrap over voters, and the number of draws that is affordable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note
from rankscope.data.votes import Votes
from rankscope.kernels.resample import NUMBERS, bootstrap_counts, draw
from rankscope.kernels.rounding_ties import NOISE
from rankscope.settings import Count, Settings, confidence_field, declare, seed_field
from rankscope.stats.inputs import as_generator
from rankscope.typing import Floats

__all__ = [
    "DEFAULT_DRAWS",
    "ConsensusSettings",
    "RankIntervals",
    "affordable_draws",
    "best_and_worst_places",
    "no_intervals",
    "rank_intervals",
]


#: The default number of draws (a draw is a resample of the voters), and the least number to which it is reduced.
DEFAULT_DRAWS, FEWEST_AFFORDABLE = 1000, 200
#: The least number of draws that a caller may choose, except 0.
LEAST_DRAWS = 20
#: The most steps of all draws together, some seconds of work, and the most ranks in memory, 200 MB.
MAX_STEPS, MAX_RANKS = 4_000_000_000, 50_000_000
#: Intervals from fewer voters have a note.
FEW_VOTERS = 10


class ResampleCount(Count):
    """0, or enough resamples for an interval."""

    def __init__(self) -> None:
        super().__init__(0)
        self.expected = f"a whole number of at least {LEAST_DRAWS}, or 0 for no intervals"

    def accepts(self, value: object) -> bool:
        return super().accepts(value) and value not in range(1, LEAST_DRAWS)


@dataclass(frozen=True, kw_only=True)
class ConsensusSettings(Settings):
    """The intervals and random numbers of a consensus, whatever its method."""

    FUNCTIONS = (
        "rankscope.consensus:merge_rankings",
        "rankscope.consensus:merge_queries",
        "rankscope.consensus:merge_runs",
    )
    COMMANDS = ("consensus",)

    n_resamples: int | None = declare(
        ResampleCount(),
        None,
        f"Number of resamples of the voters for the intervals of ranks, at least {LEAST_DRAWS}; 0 for no intervals.",
        flag="--resamples",
        metavar="N",
        unset=f"{DEFAULT_DRAWS:,}, or fewer if they take long; 0 for runs",
    )
    confidence_level: float = confidence_field()
    seed: int = seed_field()


class RankIntervals(NamedTuple):
    """Intervals of the ranks of all items.

    Attributes
    ----------
    low, high
        (items) ends of each rank's interval, NaN without intervals.
    n_resamples
        Number of draws made.
    notes
        Warnings about the intervals.
    """

    low: Floats
    high: Floats
    n_resamples: int
    notes: tuple[str, ...] = ()


def no_intervals(n_items: int, notes: tuple[str, ...] = ()) -> RankIntervals:
    """The intervals where the caller wants none, or they would take too long."""
    return RankIntervals(np.full(n_items, np.nan), np.full(n_items, np.nan), 0, notes)


def affordable_draws(steps: float, n_items: int) -> tuple[int, tuple[str, ...]]:
    """The default number of draws, and a note where that is fewer than usual.

    steps: of one draw, to which comparing its ranks adds one for each two items. At most 1,000 draws, which together
    take 4 billion steps and hold 50 million ranks; none where that leaves fewer than 200.

    >>> affordable_draws(1e3, 10)
    (1000, ())
    >>> affordable_draws(1e9, 1000)[0]
    0
    """
    n_draws = int(min(DEFAULT_DRAWS, MAX_STEPS // max(steps + n_items**2 / 2, 1), MAX_RANKS // max(n_items, 1)))
    if n_draws >= DEFAULT_DRAWS:
        return DEFAULT_DRAWS, ()
    hint = "set their number with --resamples (in Python n_resamples)"
    if n_draws < FEWEST_AFFORDABLE:
        return 0, (
            f"no intervals: {DEFAULT_DRAWS:,} resamples of these voters would take long with this method; {hint}",
        )
    return n_draws, (f"intervals are based on {n_draws:,} resamples, since {DEFAULT_DRAWS:,} would take long; {hint}",)


def rank_intervals(
    method: Method, votes: Votes, ranks: Floats, *, n_resamples: int, confidence_level: float, width: int, rng: Any
) -> RankIntervals:
    """The ranks that items could have, by draws of as many voters with replacement, each with their weight.

    Parameters
    ----------
    method
        The method.
    votes
        The rankings.
    ranks
        (items) ranks by the votes themselves, which an interval always contains.
    n_resamples
        Number of draws.
    confidence_level
        Confidence level.
    width
        Numbers that the method holds for one draw, which bounds how many are made at once.
    rng
        Seed or Generator.
    """
    n_voters, n_items = votes.ranks.shape
    resampled_ranks = np.empty((n_resamples, n_items), np.int32)
    n_done = n_without_solution = 0
    generator = as_generator(rng)
    draws = draw(generator, n_resamples)
    for counts in bootstrap_counts(draws, n_voters, min(width, NUMBERS)):
        resampled = method.resampled_scores(votes, counts * votes.weights, generator)
        scores = without_nan(resampled.scores, method.higher_is_better)
        resampled_ranks[n_done : n_done + len(counts)] = method.ranks(scores)
        n_done, n_without_solution = n_done + len(counts), n_without_solution + resampled.n_without_solution
    low, high = best_and_worst_places(resampled_ranks, confidence_level)
    notes = []
    if n_voters < FEW_VOTERS:
        warning = "the intervals of ranks are rough and probably too narrow"
        notes.append(Note(f"only {n_voters} voters: {warning}", f"fewer than {FEW_VOTERS} voters: {warning}"))
    if n_without_solution:
        notes.append(
            Note(
                method.resampling_note(n_without_solution, n_resamples),
                "the model has no solution for some resamples of the voters",
            )
        )
    return RankIntervals(np.minimum(low, ranks), np.maximum(high, ranks), n_resamples, tuple(notes))


def best_and_worst_places(ranks: npt.NDArray[np.int32], level: float) -> tuple[Floats, Floats]:
    """(items) the best and the worst place of each that its order with each other item leaves it.

    ranks: (draws, items). One item is above another where its rank is the better in all draws but (1 - level) / 2 of
    them, a tie counting as half; an item's best place is behind all that are above it, its worst before all that are
    below it. Percentiles of an item's own ranks would be too narrow where many items are close: an item that is high by
    luck is so in the draws as well, while those that it passed by luck are each within reach.

    >>> best_and_worst_places(np.array([[1, 2, 3], [2, 1, 3]], np.int32), 0.95)
    (array([1., 1., 3.]), array([2., 2., 3.]))
    """
    n_draws, n = ranks.shape
    item_ranks = np.ascontiguousarray(ranks.T)
    above, below = np.zeros(n, np.int64), np.zeros(n, np.int64)
    threshold = (1 - NOISE) * 2 * n_draws * (1 - (1 - level) / 2)  # NOISE, since the share is not exact in float64
    for i in range(n - 1):  # one item against all later ones at a time, so that memory stays small
        later_ranks = item_ranks[i + 1 :]
        wins = np.count_nonzero(later_ranks > item_ranks[i], axis=1)
        losses = np.count_nonzero(later_ranks < item_ranks[i], axis=1)
        is_above, is_below = n_draws + wins - losses >= threshold, n_draws + losses - wins >= threshold
        below[i] += is_above.sum()
        above[i + 1 :] += is_above
        above[i] += is_below.sum()
        below[i + 1 :] += is_below
    return (1 + above).astype(np.float64), (n - below).astype(np.float64)


def without_nan(scores: Floats, higher_is_better: bool) -> Floats:
    """Scores in which an item without one, since no sampled voter ranked it, comes last."""
    missing = np.isnan(scores)
    if not missing.any():
        return scores
    worst = np.nanmin(scores, axis=1) if higher_is_better else np.nanmax(scores, axis=1)
    margin = 1.0 + np.abs(worst)
    return np.where(missing, (worst - margin if higher_is_better else worst + margin)[:, None], scores)

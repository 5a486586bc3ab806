"""Between which ranks an item lies if other voters of the same kind had voted: the bootstrap over voters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, ranks_of
from rankscope.data.votes import Votes
from rankscope.kernels.resample import NUMBERS, bootstrap_counts, draw
from rankscope.stats.inputs import as_generator

__all__ = ["DRAWS", "RankIntervals", "affordable", "no_intervals", "rank_intervals"]

Floats = npt.NDArray[np.float64]

#: Draws unless somebody says how many, and the fewest of which percentiles are taken.
DRAWS, FEWEST = 1000, 200
#: Steps of all draws together, some seconds of work; and ranks that are held, 200 MB.
STEPS, HELD = 4_000_000_000, 50_000_000
#: Of fewer voters, what an interval comes with.
FEW = 10


class RankIntervals(NamedTuple):
    """low, high: (items) ends of each rank's interval, NaN where none was made. n_resamples: draws that were made."""

    low: Floats
    high: Floats
    n_resamples: int
    notes: tuple[str, ...] = ()


def no_intervals(items: int, notes: tuple[str, ...] = ()) -> RankIntervals:
    """Where none is wanted, or there would be too much to do."""
    return RankIntervals(np.full(items, np.nan), np.full(items, np.nan), 0, notes)


def affordable(steps: float, items: int) -> tuple[int, tuple[str, ...]]:
    """How many draws are made where nobody said how many, and a note where that is fewer than usual.

    steps: of one draw. As many as take 4 billion steps and hold 50 million ranks, at most 1,000; none where that leaves
    fewer than 200.

    >>> affordable(1e3, 10)
    (1000, ())
    >>> affordable(1e9, 1000)[0]
    0
    """
    most = int(min(DRAWS, STEPS // max(steps, 1), HELD // max(items, 1)))
    if most >= DRAWS:
        return DRAWS, ()
    how = "--resamples (in Python n_resamples) says how many to make all the same"
    if most < FEWEST:
        return 0, (f"no intervals: this method would take long for {DRAWS:,} draws of these voters; {how}",)
    return most, (f"intervals rest on {most:,} draws, since {DRAWS:,} would take long; {how}",)


def rank_intervals(
    method: Method, votes: Votes, ranks: Floats, *, n_resamples: int, confidence_level: float, width: int, rng: Any
) -> RankIntervals:
    """Percentiles of each item's ranks over draws of as many voters with replacement, each with his weight.

    ranks: (items) those of the votes themselves, which an interval never leaves out. width: numbers that the method
    holds for one draw, which bounds how many are made at once.
    """
    voters, items = votes.ranks.shape
    found = np.empty((n_resamples, items), np.int32)
    done = 0
    draws = draw(as_generator(rng), n_resamples)
    for counts in bootstrap_counts(draws, voters, min(width, NUMBERS)):
        scores = without_nan(method.scores(votes, counts * votes.weights), method.higher_is_better)
        found[done : done + len(counts)] = ranks_of(scores, higher_is_better=method.higher_is_better)
        done += len(counts)
    found.sort(axis=0)
    tail = (1 - confidence_level) / 2 * (n_resamples - 1)
    low = found[int(np.floor(tail + 1e-9))].astype(np.float64)
    high = found[int(np.ceil(n_resamples - 1 - tail - 1e-9))].astype(np.float64)
    notes = [f"{voters} voters are few: intervals of the ranks are rough, and rather too narrow"] * (voters < FEW)
    return RankIntervals(np.minimum(low, ranks), np.maximum(high, ranks), n_resamples, tuple(notes))


def without_nan(scores: Floats, higher_is_better: bool) -> Floats:
    """An item that nobody drawn has ranked may have no score: it comes last."""
    lost = np.isnan(scores)
    if not lost.any():
        return scores
    worst = np.nanmin(scores, axis=1) if higher_is_better else np.nanmax(scores, axis=1)
    beyond = 1.0 + np.abs(worst)
    return np.where(lost, (worst - beyond if higher_is_better else worst + beyond)[:, None], scores)

"""SlideFuse: fusion by how often documents at ranks around a document's rank were relevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.fusion.judgments import PoolJudgments
from rankscope.fusion.normalisation import NormalisedPool
from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.fusion.supervised.probfuse import learn_pos, longest_list, pad_with_zeros, row_values, sum_row_gains
from rankscope.stats.inputs import check_count
from rankscope.typing import Floats

__all__ = [
    "SLIDE_SETTINGS",
    "learn_slide",
    "slide_fuse",
    "slide_grid",
]


Setting = Mapping[str, Any]
#: How many ranks the window reaches to either side.
SLIDE_SETTINGS: Setting = {"window": 5}
WINDOWS = (5, 1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50)


def slide_grid(n_runs: int) -> list[dict[str, Any]]:
    """Windows to choose among."""
    return [{"window": n} for n in WINDOWS]


def learn_slide(pool: RunPool, judgments: PoolJudgments, setting: Setting) -> dict[str, Any]:
    """The shares of PosFuse, and the window. Raises ParameterError."""
    window = setting.get("window", SLIDE_SETTINGS["window"])
    check_count("window", window, minimum=0)
    return {**learn_pos(pool, judgments, setting), "window": int(window)}


def slide_fuse(pool: RunPool, parameters: Setting, normalised: NormalisedPool) -> Floats:
    """(documents) sum of the mean share of the ranks from rank - window to rank + window, of those that the list has.

    Source: Lillis et al. 2008 (SlideFuse); as ranx's slidefuse.
    """
    window = int(parameters["window"])
    return sum_row_gains(pool, lambda i, entry: window_means(entry, parameters["shares"][i], window))


def window_means(entry: PooledRun, learned_shares: Any, window: int) -> Floats:
    """(rows) mean shares, added rank by rank, so that windows of equal shares have equal sums to the last bit."""
    window = min(window, longest_list(entry))
    longest = longest_list(entry)
    shares = np.zeros(longest + 2 * window)  # the index of rank r is r - 1 + window
    shares[window : window + longest] = pad_with_zeros(learned_shares, longest)
    rank = np.arange(1, longest + 1)
    sums = np.zeros(longest)
    for k in range(2 * window + 1):
        sums += shares[k : k + longest]
    means = row_values(entry, sums / (rank + window - np.maximum(rank - window, 1) + 1))

    # Where the list ends within the window, ranks behind do not count.
    list_lengths = np.repeat(entry.lengths, entry.lengths)
    rows = np.flatnonzero(entry.rank + window > list_lengths)
    ranks, last_ranks = entry.rank[rows], list_lengths[rows]
    tail_sums = np.zeros(rows.size)
    for k in range(2 * window + 1):
        tail_sums += np.where(ranks - window + k <= last_ranks, shares[np.minimum(ranks - 1 + k, shares.size - 1)], 0.0)
    means[rows] = tail_sums / (last_ranks - np.maximum(ranks - window, 1) + 1)
    return means

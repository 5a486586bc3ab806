"""The Comb methods, RRF, ISR, RBC and Borda fuse: what each run adds to a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.segments import bounds
from rankscope.kernels.ties import join_ties_of_lists
from rankscope.typing import Floats

__all__ = [
    "Gains",
    "borda_points",
    "combine_gains",
    "rank_gains",
    "round_noise",
]


#: What a run adds to each document that it has, (rows), and to each one that it lacks, by query, None for nothing.
Gains = tuple[Floats, Floats | None]
#: Bits of a sum that are taken for noise: sums of the same terms in another order are then nearly always equal, and
#: else neighbours, which `join_ties_of_lists` makes equal.
NOISE_BITS = 12


def rank_gains(method: str, k: float, p: float, entry: PooledRun) -> Floats:
    """(rows) what a rank is worth: RRF, ISR or RBC."""
    most = int(entry.rank.max(initial=0))
    rank = np.arange(1, most + 1, dtype=np.float64)  # each once: they repeat in every list
    if method == "rrf":
        worth = 1 / (k + rank)
    elif method == "rbc":
        worth = (1 - p) * p ** (rank - 1)
    else:
        worth = 1 / rank**2
    return np.asarray(worth[entry.rank - 1], np.float64)


def borda_points(pool: RunPool, entry: PooledRun) -> Gains:
    """Points of a run: as many for its first as there are documents for the query, one less for each further; those
    that it lacks share what is left.
    """
    every = np.diff(pool.offsets)
    points = np.repeat(every[entry.query], entry.lengths) - (entry.rank - 1.0)
    return points, gains_of_lacking(pool, entry, 1.0)


def borda_shares(pool: RunPool, entry: PooledRun, scores: Floats) -> Gains:
    """The same as shares of the first's points: the normalisation "borda", which gives a score to what a run lacks."""
    return scores, gains_of_lacking(pool, entry, 1.0 / np.maximum(np.diff(pool.offsets), 1)[entry.query])


def gains_of_lacking(pool: RunPool, entry: PooledRun, unit: float | Floats) -> Floats:
    """(queries) what a document gets that the run lacks; 0 where the run has no list."""
    every = np.diff(pool.offsets)[entry.query]
    lacking = np.zeros(len(pool.query_ids))
    lacking[entry.query] = np.where(entry.lengths > 0, (every - entry.lengths + 1) / 2 * unit, 0.0)
    return lacking


def spread_gains(pool: RunPool, entry: PooledRun, gains: Gains) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """(documents) of gains that all documents get, and which of them get any; None: all."""
    scores, lacking = gains
    assert lacking is not None
    found = pool.of_query(lacking)
    found[entry.place] = scores
    answered = np.zeros(len(pool.query_ids))
    answered[entry.query[entry.lengths > 0]] = 1
    return found, None if answered.all() else pool.of_query(answered) > 0


def combine_gains(
    pool: RunPool,
    gains: Callable[[int], Gains],
    method: str,
    weights: Floats,
    factor: Callable[[Floats], Floats] | None,
) -> Floats:
    """(documents) the fused scores. gains: what the i-th run adds. method: "sum", "min", "max", "med" or "anz".
    factor: of the number of runs that have a document, by which its sum is multiplied.

    Documents of a query whose scores differ by rounding only have one score, so that neither the order of the runs nor
    the processor ranks them; what a single run says stays as it is.
    """
    scale: Floats | None = None

    def watched(i: int) -> Gains:
        nonlocal scale
        added = gains(i)
        if any(part is not None and part.min(initial=0.0) < 0 for part in added):
            scale = np.maximum(0.0 if scale is None else scale, weights[i] * greatest_of(pool, pool.entries[i], added))
        return added

    found = merged(pool, watched, method, weights, factor)
    if len(pool.entries) < 2:
        return found
    return join_ties_of_lists(found, pool.offsets, None if scale is None else scale * len(pool.entries))


def greatest_of(pool: RunPool, entry: PooledRun, gains: Gains) -> Floats:
    """(queries) the greatest size of what a run adds, of which some is below 0: sums can then be small because great
    numbers cancel, and are no more exact than these. Sums of numbers above 0 are as exact as they are small.
    """
    scores, lacking = gains
    found = np.zeros(len(pool.query_ids)) if lacking is None else np.abs(lacking)
    filled = np.flatnonzero(entry.lengths)
    if filled.size:
        query = entry.query[filled]
        found[query] = np.maximum(found[query], np.maximum.reduceat(np.abs(scores), bounds(entry.lengths)[filled]))
    return found


def merged(
    pool: RunPool,
    gains: Callable[[int], Gains],
    method: str,
    weights: Floats,
    factor: Callable[[Floats], Floats] | None,
) -> Floats:
    """As `combine_gains`, with ties as rounding left them."""
    if method == "med":
        return medians(pool, gains)
    start = {"min": np.inf, "max": -np.inf}.get(method, 0.0)
    found, count = np.full(pool.size, start), np.zeros(pool.size, np.uint32)
    counting = factor is not None or method == "anz"
    for i in summing_order(pool.entries, weights):
        for place, scores in gains_by_document(pool, i, gains(i)):
            if method in ("min", "max"):
                lower = np.minimum if method == "min" else np.maximum
                found[place] = lower(found[place], scores)
            else:
                found[place] += scores if weights[i] == 1 else weights[i] * scores
                if counting:
                    count[place] += 1
    if method == "anz":
        found /= count
    elif factor is not None:
        found *= factor(count.astype(np.float64))
    exact = method in ("min", "max") or len(pool.entries) <= 2  # a sum of two is the same in either order
    return found if exact else round_noise(found)


def gains_by_document(pool: RunPool, i: int, gains: Gains) -> Iterator[tuple[npt.NDArray[np.int64] | slice, Floats]]:
    """Which documents get what of the i-th run; no document twice."""
    entry = pool.entries[i]
    if gains[1] is None:
        yield entry.place, gains[0]
        return
    values, which = spread_gains(pool, entry, gains)
    if which is None:
        yield slice(None), values
    else:
        some = np.flatnonzero(which)
        yield some, values[some]


def medians(pool: RunPool, gains: Callable[[int], Gains]) -> Floats:
    """(documents) the median of what the runs give each that they have."""
    table = np.full((pool.size, len(pool.entries)), np.inf)
    for i in range(len(pool.entries)):
        for place, scores in gains_by_document(pool, i, gains(i)):
            table[place, i] = scores
    table.sort(axis=1)
    count = (table < np.inf).sum(axis=1)
    rows = np.arange(pool.size)
    low, high = table[rows, (count - 1) // 2], table[rows, count // 2]
    return np.asarray(np.where(low == high, low, (low + high) / 2), np.float64)


def summing_order(entries: Sequence[PooledRun], weights: Floats) -> list[int]:
    """One order of the runs, however they are given, so that sums round alike."""
    return sorted(range(len(entries)), key=lambda i: (entries[i].mark, float(weights[i])))


def round_noise(values: Floats) -> Floats:
    """Without the bits that the order of a sum decides: a relative change below 1e-12."""
    half, keep = np.int64(1 << (NOISE_BITS - 1)), np.int64(-(1 << NOISE_BITS))
    bits = values.view(np.int64)
    bits += half
    bits &= keep
    return values

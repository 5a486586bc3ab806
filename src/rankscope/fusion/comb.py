"""The Comb methods, RRF, ISR, RBC and Borda fuse: sums of the gains that runs give to documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.rounding_ties import join_ties_of_lists
from rankscope.kernels.segments import bounds
from rankscope.typing import Floats

__all__ = [
    "Gains",
    "borda_points",
    "combine_gains",
    "rank_gains",
    "round_noise",
]


#: The gains of a run for documents that it has, (rows), and for documents that it lacks, (queries) or None for 0.
Gains = tuple[Floats, Floats | None]
#: Last bits of a sum that are rounded off: sums of the same terms in another order are then nearly always equal, or
#: else neighbours, which `join_ties_of_lists` makes equal.
NOISE_BITS = 12


def rank_gains(method: str, k: float, p: float, entry: PooledRun) -> Floats:
    """(rows) the weight of a rank by RRF, ISR or RBC."""
    max_rank = int(entry.rank.max(initial=0))
    rank = np.arange(1, max_rank + 1, dtype=np.float64)  # computed once for all lists
    if method == "rrf":
        rank_weights = 1 / (k + rank)
    elif method == "rbc":
        rank_weights = (1 - p) * p ** (rank - 1)
    else:
        rank_weights = 1 / rank**2
    return np.asarray(rank_weights[entry.rank - 1], np.float64)


def borda_points(pool: RunPool, entry: PooledRun) -> Gains:
    """Borda points of a run: its first document gets as many as the query has documents, each further one less;
    documents that it lacks share the remaining points.
    """
    n_documents = np.diff(pool.offsets)
    points = np.repeat(n_documents[entry.query], entry.lengths) - (entry.rank - 1.0)
    return points, gains_of_lacking(pool, entry, 1.0)


def borda_shares(pool: RunPool, entry: PooledRun, scores: Floats) -> Gains:
    """Borda points as shares of the highest: the normalisation "borda", which also scores documents a run lacks."""
    return scores, gains_of_lacking(pool, entry, 1.0 / np.maximum(np.diff(pool.offsets), 1)[entry.query])


def gains_of_lacking(pool: RunPool, entry: PooledRun, unit: float | Floats) -> Floats:
    """(queries) the gain of a document that the run lacks; 0 where the run has no list."""
    n_documents = np.diff(pool.offsets)[entry.query]
    gains = np.zeros(len(pool.query_ids))
    gains[entry.query] = np.where(entry.lengths > 0, (n_documents - entry.lengths + 1) / 2 * unit, 0.0)
    return gains


def spread_gains(pool: RunPool, entry: PooledRun, gains: Gains) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """(documents) the gains of a run for all documents, and which of them have one; None: all."""
    scores, lacking = gains
    assert lacking is not None
    values = pool.of_query(lacking)
    values[entry.document] = scores
    answered = np.zeros(len(pool.query_ids))
    answered[entry.query[entry.lengths > 0]] = 1
    return values, None if answered.all() else pool.of_query(answered) > 0


def combine_gains(
    pool: RunPool,
    gains: Callable[[int], Gains],
    method: str,
    weights: Floats,
    factor: Callable[[Floats], Floats] | None,
) -> Floats:
    """The fused scores of all documents.

    Parameters
    ----------
    pool
        The documents of all runs.
    gains
        Gives the gains of the i-th run.
    method
        "sum", "min", "max", "med" or "anz".
    weights
        Weight of each run, (runs).
    factor
        Of the number of runs that have a document, by which its sum is multiplied. None for 1.

    Returns
    -------
    array of shape (documents)
        The scores.

    Notes
    -----
    Documents of a query get the same score if theirs differ by rounding only, so that their ranks depend neither on the
    order of the runs nor on the processor. Scores of a single run stay as they are.
    """
    scale: Floats | None = None

    def gains_with_scale(i: int) -> Gains:
        nonlocal scale
        run_gains = gains(i)
        if any(values is not None and values.min(initial=0.0) < 0 for values in run_gains):
            run_scale = weights[i] * greatest_gains(pool, pool.entries[i], run_gains)
            scale = np.maximum(0.0 if scale is None else scale, run_scale)
        return run_gains

    scores = sum_gains(pool, gains_with_scale, method, weights, factor)
    if len(pool.entries) < 2:
        return scores
    return join_ties_of_lists(scores, pool.offsets, None if scale is None else scale * len(pool.entries))


def greatest_gains(pool: RunPool, entry: PooledRun, gains: Gains) -> Floats:
    """(queries) the greatest absolute gain of a run with gains below 0: sums can then be small because great numbers
    cancel, with errors of the size of theirs. Sums of positive numbers have errors relative to the sum.
    """
    scores, lacking = gains
    greatest = np.zeros(len(pool.query_ids)) if lacking is None else np.abs(lacking)
    nonempty_lists = np.flatnonzero(entry.lengths)
    if nonempty_lists.size:
        query = entry.query[nonempty_lists]
        greatest_scores = np.maximum.reduceat(np.abs(scores), bounds(entry.lengths)[nonempty_lists])
        greatest[query] = np.maximum(greatest[query], greatest_scores)
    return greatest


def sum_gains(
    pool: RunPool,
    gains: Callable[[int], Gains],
    method: str,
    weights: Floats,
    factor: Callable[[Floats], Floats] | None,
) -> Floats:
    """As `combine_gains`, but scores that differ by rounding stay different."""
    if method == "med":
        return medians(pool, gains)
    initial_score = {"min": np.inf, "max": -np.inf}.get(method, 0.0)
    fused, n_runs = np.full(pool.size, initial_score), np.zeros(pool.size, np.uint32)
    needs_counts = factor is not None or method == "anz"
    for i in summing_order(pool.entries, weights):
        for documents, scores in gains_by_document(pool, i, gains(i)):
            if method in ("min", "max"):
                extreme = np.minimum if method == "min" else np.maximum
                fused[documents] = extreme(fused[documents], scores)
            else:
                fused[documents] += scores if weights[i] == 1 else weights[i] * scores
                if needs_counts:
                    n_runs[documents] += 1
    if method == "anz":
        fused /= n_runs
    elif factor is not None:
        fused *= factor(n_runs.astype(np.float64))
    is_exact = method in ("min", "max") or len(pool.entries) <= 2  # a sum of two is the same in either order
    return fused if is_exact else round_noise(fused)


def gains_by_document(pool: RunPool, i: int, gains: Gains) -> Iterator[tuple[npt.NDArray[np.int64] | slice, Floats]]:
    """Documents and their gains of the i-th run; no document twice."""
    entry = pool.entries[i]
    if gains[1] is None:
        yield entry.document, gains[0]
        return
    values, has_gain = spread_gains(pool, entry, gains)
    if has_gain is None:
        yield slice(None), values
    else:
        documents = np.flatnonzero(has_gain)
        yield documents, values[documents]


def medians(pool: RunPool, gains: Callable[[int], Gains]) -> Floats:
    """(documents) the median of the gains of each."""
    table = np.full((pool.size, len(pool.entries)), np.inf)
    for i in range(len(pool.entries)):
        for documents, scores in gains_by_document(pool, i, gains(i)):
            table[documents, i] = scores
    table.sort(axis=1)
    n_scores = (table < np.inf).sum(axis=1)
    all_documents = np.arange(pool.size)
    low, high = table[all_documents, (n_scores - 1) // 2], table[all_documents, n_scores // 2]
    return np.asarray(np.where(low == high, low, (low + high) / 2), np.float64)


def summing_order(entries: Sequence[PooledRun], weights: Floats) -> list[int]:
    """An order of the runs that does not depend on that of the arguments, so that sums round alike."""
    return sorted(range(len(entries)), key=lambda i: (entries[i].checksum, float(weights[i])))


def round_noise(values: Floats) -> Floats:
    """Round off the last bits, which depend on the order of a sum: a relative change below 1e-12."""
    half_step, kept_bits = np.int64(1 << (NOISE_BITS - 1)), np.int64(-(1 << NOISE_BITS))
    bits = values.view(np.int64)
    bits += half_step
    bits &= kept_bits
    return values

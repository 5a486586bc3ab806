"""Scores of runs made comparable, list by list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.data.rows import decode_id
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError
from rankscope.fusion.comb import Gains, borda_shares
from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.exact import exact_group_sums
from rankscope.kernels.segments import bounds
from rankscope.stats.inputs import levelled
from rankscope.typing import Floats, Ints

__all__ = [
    "NORMALISATIONS",
    "NormalisedPool",
    "normalise_pool",
    "normalise_run",
]


#: How the scores of a list are made comparable, and what that means.
NORMALISATIONS = {
    "min-max": "(score - least) / (greatest - least)",
    "min-max-inverted": "(greatest - score) / (greatest - least), where lower scores are better",
    "max": "score / greatest",
    "sum": "(score - least) / sum of (score - least)",
    "z-score": "(score - mean) / deviation",
    "rank": "1 - (rank - 1) / documents of the list",
    "borda": "1 - (rank - 1) / documents of all runs for the query; those that the run lacks share the places behind",
    "none": "scores as they are",
}


def normalise_run(pool: RunPool, entry: PooledRun, how: str, name: str) -> tuple[Floats, tuple[str, ...]]:
    """(rows) the scores of a run, normalised, and notes. A pool for "min-max-inverted" holds them with the other sign.

    Raises InputError where "max" would divide by what is not above 0.
    """
    if how == "none":
        return entry.scores, ()
    lengths, scores = entry.lengths, entry.scores
    if how == "rank":
        return 1 - (entry.rank - 1) / np.repeat(lengths, lengths), ()
    if how == "borda":
        every = np.diff(pool.offsets)[entry.query]
        return 1 - (entry.rank - 1) / np.repeat(every, lengths), ()
    filled = np.flatnonzero(lengths)
    starts = bounds(lengths)[filled]
    counts = lengths[filled]
    if not filled.size:
        return scores, ()
    greatest = np.maximum.reduceat(scores, starts)
    if how == "max":
        refuse_no_greatest(pool, entry, filled, greatest, name)
        return scores / np.repeat(greatest, counts), ()
    least = np.minimum.reduceat(scores, starts)
    _, power = levelled(np.stack([greatest, least], axis=1))
    if power.any():  # squares and sums of such scores are no numbers
        scores = np.ldexp(scores, -np.repeat(power, counts))
        greatest, least = np.ldexp(greatest, -power), np.ldexp(least, -power)
    level = greatest == least
    if how == "z-score":
        # About the least score, so that equal scores have a deviation of exactly 0 whatever the sum rounds to.
        moved = scores - np.repeat(least, counts)
        # Sums that the order of the lines of a run does not change.
        moved -= np.repeat(exact_group_sums(moved, bounds(counts)) / counts, counts)
        width = np.sqrt(exact_group_sums(moved**2, bounds(counts)) / counts)
    else:
        moved = scores - np.repeat(least, counts)
        width = exact_group_sums(moved, bounds(counts)) if how == "sum" else greatest - least
    found = np.where(np.repeat(level, counts), 0.0, moved / np.repeat(np.where(level, 1.0, width), counts))
    return found, equal_scores_note(int(level.sum()), how, name)


def equal_scores_note(lists: int, how: str, name: str) -> tuple[str, ...]:
    if not lists:
        return ()
    return (f"{name}: all scores of {pluralise_queries(lists)} are equal, and {how} makes them 0",)


def refuse_no_greatest(pool: RunPool, entry: PooledRun, filled: Ints, greatest: Floats, name: str) -> None:
    bad = np.flatnonzero(~(greatest > 0))
    if bad.size:
        query = decode_id(pool.query_ids[int(entry.query[filled[bad[0]]])])
        raise InputError(
            f"run {name!r}: the greatest score of query {query!r} is {greatest[bad[0]]:g}, and max divides by it; "
            "expected above 0; take min-max"
        )


@dataclass(frozen=True, slots=True, eq=False)
class NormalisedPool:
    """how: the normalisation; gains: for each run, what it gives to documents that it has and, under "borda", to those
    that it lacks; notes: on lists of equal scores.
    """

    how: str
    gains: tuple[Gains, ...]
    notes: tuple[str, ...]


def normalise_pool(
    pool: RunPool, normalise: str | NormalisedPool, names: Sequence[str] | None = None
) -> NormalisedPool:
    """A pool's scores normalised. A Scaled is given back as it is. names: of the runs, for messages.

    Raises InputError where "max" would divide by what is not above 0.
    """
    if isinstance(normalise, NormalisedPool):
        return normalise
    gains: list[Gains] = []
    notes: list[str] = []
    for i, entry in enumerate(pool.entries):
        values, said = normalise_run(pool, entry, normalise, names[i] if names else f"run {i + 1}")
        gains.append(borda_shares(pool, entry, values) if normalise == "borda" else (values, None))
        notes.extend(said)
    return NormalisedPool(normalise, tuple(gains), tuple(notes))

"""Normalisation of the scores of runs, list by list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.data.rows import decode_id
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError
from rankscope.fusion.comb import Gains, borda_shares
from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.segments import bounds
from rankscope.stats.list_scales import scale_lists
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


def normalise_run(pool: RunPool, entry: PooledRun, normalisation: str, name: str) -> tuple[Floats, tuple[str, ...]]:
    """(rows) the scores of a run, normalised, and notes. A pool for "min-max-inverted" holds them with the other sign.

    Raises InputError where "max" would divide by 0 or less.
    """
    if normalisation == "none":
        return entry.scores, ()
    lengths, scores = entry.lengths, entry.scores
    if normalisation == "rank":
        return 1 - (entry.rank - 1) / np.repeat(lengths, lengths), ()
    if normalisation == "borda":
        n_documents = np.diff(pool.offsets)[entry.query]
        return 1 - (entry.rank - 1) / np.repeat(n_documents, lengths), ()
    nonempty_lists = np.flatnonzero(lengths)
    starts = bounds(lengths)[nonempty_lists]
    counts = lengths[nonempty_lists]
    if not nonempty_lists.size:
        return scores, ()
    if normalisation == "max":
        greatest = np.maximum.reduceat(scores, starts)
        check_greatest(pool, entry, nonempty_lists, greatest, name)
        return scores / np.repeat(greatest, counts), ()
    # "min-max-inverted": the pool holds the scores with the other sign.
    normalised, is_constant = scale_lists(scores, bounds(counts), normalisation.removesuffix("-inverted"))
    return normalised, equal_scores_note(int(is_constant.sum()), normalisation, name)


def equal_scores_note(n_lists: int, normalisation: str, name: str) -> tuple[str, ...]:
    """A note on lists whose equal scores become 0."""
    if not n_lists:
        return ()
    return (f"{name}: all scores of {pluralise_queries(n_lists)} are equal, and {normalisation} makes them 0",)


def check_greatest(pool: RunPool, entry: PooledRun, nonempty_lists: Ints, greatest: Floats, name: str) -> None:
    """Raise InputError for a list without a score above 0."""
    invalid = np.flatnonzero(~(greatest > 0))
    if invalid.size:
        query = decode_id(pool.query_ids[int(entry.query[nonempty_lists[invalid[0]]])])
        raise InputError(
            f"run {name!r}: the greatest score of query {query!r} is {greatest[invalid[0]]:g}, and max divides by it; "
            "expected above 0; take min-max"
        )


@dataclass(frozen=True, slots=True, eq=False)
class NormalisedPool:
    """Normalised scores of a pool.

    normalisation: its name. gains: of each run, for documents that it has and, under "borda", for those that it lacks.
    notes: on lists of equal scores.
    """

    normalisation: str
    gains: tuple[Gains, ...]
    notes: tuple[str, ...]


def normalise_pool(pool: RunPool, normalisation: str, names: Sequence[str] | None = None) -> NormalisedPool:
    """A pool's scores normalised. names: of the runs, for messages.

    Raises InputError where "max" would divide by 0 or less.
    """
    gains: list[Gains] = []
    notes: list[str] = []
    for i, entry in enumerate(pool.entries):
        values, run_notes = normalise_run(pool, entry, normalisation, names[i] if names else f"run {i + 1}")
        gains.append(borda_shares(pool, entry, values) if normalisation == "borda" else (values, None))
        notes.extend(run_notes)
    return NormalisedPool(normalisation, tuple(gains), tuple(notes))

"""The scores of all runs made comparable, once for many fusions of the same pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.fusion.pool import RunPool
from rankscope.fusion.scaling import normalise_run
from rankscope.fusion.sums import Gains, borda_shares

__all__ = ["NormalisedPool", "normalise_pool"]


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

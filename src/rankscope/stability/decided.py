"""Which pairs of systems a study decides: those that differ by more than what it found to be needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.ties import NOISE, at_most
from rankscope.stability.outcome import Outcome
from rankscope.typing import Floats

__all__ = ["STARS", "compared_values", "decision_rate", "marks_of", "needed_of", "lowest_level_reached"]


#: What stands where a system is better than another at the first level, the second, ...
STARS = ("***", "**", "*", ".", ",", "_", "_1", "_2", "_3", "_4", "_5")


def needed_of(outcome: Outcome, *, swap: bool, sets: int) -> Floats:
    """(measures, levels) the difference needed: by the bootstrap, or by the swap method of these sets."""
    return np.asarray(outcome.swap_diff[0, sets] if swap else outcome.est_diff)


def compared_values(outcome: Outcome, actual: Floats, signs: tuple[int, ...], *, coded: bool) -> Floats:
    """(measures, systems) what is compared, better is greater: the mean over all sets, on the scale of what is needed.

    coded: as Dunaiski's tool does, values of all entities together, whatever their scale.
    """
    return actual * np.array(signs)[:, None] if coded else outcome.means


def exceeds_needed(differences: Floats, needed: Floats, *, zero: bool) -> npt.NDArray[np.bool_]:
    """Whether differences are larger than is needed; never where nobody knows what is.

    zero: whether 0 is an answer, so that any difference will do that is more than rounding (the swap method gives it
    where no set ever turns two systems round); Dunaiski's tool takes it for none.
    """
    with np.errstate(invalid="ignore"):
        if not zero:
            return np.asarray(differences > np.where(needed > 0, needed, np.inf))
        there = differences[~np.isnan(differences)]
        noise = NOISE * np.abs(there).max() if there.size else 0.0
        least = np.where(needed >= 0, np.maximum(needed, noise), np.inf)
        return np.asarray((differences > least) & ~at_most(differences, least))  # what is needed, but for rounding


def decision_rate(values: Floats, needed: Floats, *, zero: bool = False) -> Floats:
    """(measures, levels) percent of pairs that differ by more; NaN where nobody knows by how much they must.

    values: (measures, systems); needed: (measures, levels). zero: see `exceeds_needed`.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    differences = np.abs(values[:, first] - values[:, second])
    rates = [
        100.0 * exceeds_needed(d[None], n[:, None], zero=zero).mean(axis=1)
        for d, n in zip(differences, needed, strict=True)
    ]
    return np.where(np.isnan(needed), np.nan, np.array(rates).reshape(needed.shape))


def lowest_level_reached(
    differences: Floats, needed: Floats, levels: tuple[float, ...], *, zero: bool = False
) -> Floats:
    """(systems, systems) the lowest level at which a difference is larger than is needed; 1 where it is at none."""
    larger = exceeds_needed(np.abs(differences)[..., None], needed, zero=zero)
    return np.asarray(np.where(larger, np.array(levels), 1.0).min(axis=2))


def marks_of(values: Floats, needed: Floats, *, zero: bool = False) -> list[list[str]]:
    """(systems, systems) where the row is better than the column: the mark of the first level at which it is.

    values: (systems); needed: (levels), in the order of the levels. zero: see `exceeds_needed`.
    """
    n = len(values)
    found = [["--" if i == j else " " for j in range(n)] for i in range(n)]
    better = exceeds_needed((values[:, None] - values[None])[..., None], needed, zero=zero)
    for i, j in np.argwhere(better.any(axis=2)).tolist():
        found[i][j] = STARS[min(int(np.argmax(better[i, j])), len(STARS) - 1)]
    return found

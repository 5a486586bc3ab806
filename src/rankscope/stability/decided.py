"""Which pairs of systems a study decides: those that differ by more than what it found to be needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.stability.outcome import Outcome

__all__ = ["STARS", "compared", "decision_rate", "marks_of", "needed_of", "reached"]

Floats = npt.NDArray[np.float64]

#: What stands where a system is better than another at the first level, the second, ...
STARS = ("***", "**", "*", ".", ",", "_", "_1", "_2", "_3", "_4", "_5")


def needed_of(outcome: Outcome, *, swap: bool, sets: int) -> Floats:
    """(measures, levels) the difference needed: by the bootstrap, or by the swap method of these sets."""
    return np.asarray(outcome.swap_diff[0, sets] if swap else outcome.est_diff)


def compared(outcome: Outcome, actual: Floats, signs: tuple[int, ...], *, coded: bool) -> Floats:
    """(measures, systems) what is compared, better is greater: the mean over all sets, on the scale of what is needed.

    coded: as Dunaiski's tool does, values of all entities together, whatever their scale.
    """
    return actual * np.array(signs)[:, None] if coded else outcome.means


def decision_rate(values: Floats, needed: Floats) -> Floats:
    """(measures, levels) percent of pairs that differ by more; NaN where nobody knows by how much they must.

    values: (measures, systems); needed: (measures, levels). What is needed must be above 0, or finite.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    differences = np.abs(values[:, first] - values[:, second])
    with np.errstate(invalid="ignore"):
        more = (differences[:, None] > needed[..., None]) & (needed > 0)[..., None]
    return np.where(np.isnan(needed), np.nan, 100.0 * more.mean(axis=2))


def reached(differences: Floats, needed: Floats, levels: tuple[float, ...]) -> Floats:
    """(systems, systems) the lowest level at which a difference is larger than is needed; 1 where it is at none."""
    with np.errstate(invalid="ignore"):
        larger = np.abs(differences)[..., None] > np.where(needed > 0, needed, np.inf)
    return np.asarray(np.where(larger, np.array(levels), 1.0).min(axis=2))


def marks_of(values: Floats, needed: Floats) -> list[list[str]]:
    """(systems, systems) where the row is better than the column: the mark of the first level at which it is.

    values: (systems); needed: (levels), in the order of the levels.
    """
    n = len(values)
    found = [["--" if i == j else " " for j in range(n)] for i in range(n)]
    with np.errstate(invalid="ignore"):
        better = (values[:, None] - values[None])[..., None] > np.where(needed > 0, needed, np.inf)
    for i, j in np.argwhere(better.any(axis=2)).tolist():
        found[i][j] = STARS[min(int(np.argmax(better[i, j])), len(STARS) - 1)]
    return found

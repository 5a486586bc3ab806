"""What every statistic checks of its arrays and parameters."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.ties import NOISE
from rankscope.typing import Bools, Floats

__all__ = [
    "ALTERNATIVES",
    "MOST_PAIRED",
    "all_zero",
    "as_differences",
    "as_generator",
    "as_scores",
    "check_alternative",
    "check_choice",
    "check_count",
    "check_positive",
    "check_share",
    "constant",
    "counted",
    "levelled",
    "levelled_table",
    "outcomes",
    "refuse_pairs",
    "seed_of",
]


ALTERNATIVES = ("two-sided", "greater", "less")
#: No number of queries or resamples reaches this.
LARGEST = 10**9
#: Sums of some numbers up to here are within float64.
GREATEST = 1e300
#: Powers of 2 from which on cubes of numbers come near the ends of float64.
FAR = 250
#: Items of which all pairs are held in tables; those of more do not fit in memory.
MOST_PAIRED = 6_000


def numbers(values: npt.ArrayLike, what: str) -> Floats:
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"the {what} are no table of numbers; expected an array of float64") from None
    bad = np.flatnonzero(~np.isfinite(found.ravel()))
    if bad.size:
        place = tuple(int(i) for i in np.unravel_index(bad[0], found.shape))
        raise ParameterError(
            f"{bad.size} of {found.size} {what} are NaN or infinite (the first at {place}), expected finite numbers; "
            "leave out the queries that have no value"
        )
    if np.abs(found).max(initial=0) > GREATEST:
        raise ParameterError(
            f"some {what} are beyond {GREATEST:g}, and sums of such numbers are none; divide all by one number"
        )
    return found


def as_differences(values: npt.ArrayLike, what: str = "differences") -> tuple[Floats, tuple[int, ...]]:
    """(pairs, queries), and the shape of what is found for them: () where one list was given.

    Raises ParameterError for other shapes, for no query, for NaN or infinite values.
    """
    found = numbers(values, what)
    if found.ndim not in (1, 2):
        raise ParameterError(f"the {what} have shape {found.shape}, expected (queries) or (pairs, queries)")
    if not found.shape[-1]:
        raise ParameterError(f"the {what} have shape {found.shape}, expected at least 1 query")
    return np.atleast_2d(found), found.shape[:-1]


def as_scores(values: npt.ArrayLike, systems: int = 2, queries: int = 2) -> Floats:
    """(systems, queries). Raises ParameterError for other shapes, fewer systems or queries, NaN or infinite values."""
    found = numbers(values, "scores")
    if found.ndim != 2 or found.shape[0] < systems or found.shape[1] < queries:
        raise ParameterError(
            f"the scores have shape {found.shape}, expected (systems, queries) with at least {systems} systems and "
            f"{queries} {'query' if queries == 1 else 'queries'}"
        )
    return found


def as_generator(rng: Any) -> np.random.Generator:
    """`numpy.random.default_rng(rng)`; raises ParameterError for what is no seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"rng is {rng!r}, expected None, a whole number of at least 0 or a numpy Generator"
        ) from error


def seed_of(rng: Any) -> int:
    """A seed for all that is to share its draws: `rng` itself where it is one."""
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        as_generator(rng)  # refuses negative ones
        return int(rng)
    return int(as_generator(rng).integers(1 << 32))


def check_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(f"{name} is {value!r}, expected one of {', '.join(map(repr, known))}")


def check_alternative(alternative: str) -> None:
    check_choice("alternative", alternative, ALTERNATIVES)


def check_count(name: str, value: object, least: int = 1) -> None:
    good = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and least <= value <= LARGEST
    if not good:
        raise ParameterError(f"{name} is {value!r}, expected a whole number from {least} to {LARGEST}")


def check_flag(name: str, value: object) -> None:
    """Raise ParameterError for what is neither True nor False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} is {value!r}, expected True or False")


def check_share(name: str, value: object) -> None:
    """A level, a power: between 0 and 1, both excluded."""
    if not is_real(value) or not 0 < float(value) < 1:
        raise ParameterError(f"{name} is {value!r}, expected a number between 0 and 1, as 0.95 or 0.05")


def check_level(level: object) -> None:
    """A level of significance: above 0, and below one half, from where on a test would find more often than not."""
    if not is_real(level) or not 0 < float(level) < 0.5:
        raise ParameterError(
            f"level is {level!r}, expected a number above 0 and below 0.5, as 0.05 (intervals then hold in 95 % of "
            "cases)"
        )


def check_positive(name: str, value: object, zero: bool = False) -> None:
    good = is_real(value) and bool(np.isfinite(value)) and (value > 0 or (zero and value == 0))
    if not good:
        raise ParameterError(f"{name} is {value!r}, expected a number {'of at least' if zero else 'above'} 0")


def is_real(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def all_zero(values: Floats) -> Bools:
    """(lists) where all values are 0."""
    return np.asarray((values == 0).all(axis=1), np.bool_)


def constant(values: Floats) -> Bools:
    """(lists) where all values are one, up to the noise that a subtraction leaves."""
    return np.asarray(np.ptp(values, axis=1) <= 100 * NOISE * np.abs(values).max(axis=1), np.bool_)


def outcomes(values: Floats, zone: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(lists) how many values are above the zone about 0, and how many below; beyond it by noise only is in it."""
    reach = zone + NOISE * np.abs(values).max(axis=1, keepdims=True)
    return (values > reach).sum(axis=1), (values < -reach).sum(axis=1)


def levelled(values: Floats) -> tuple[Floats, npt.NDArray[np.int32]]:
    """The lists, those that are all but 0 or immense by the power of 2 that brings them near 1; and (lists) the powers.

    Without it the squares of 1e-170 and of 1e170 would be 0 and infinite. What comes of a list times 2**power is what
    would come of the values as they were; other lists stay as they are, bit for bit, with power 0.

    >>> rows, power = levelled(np.array([[0.5, 0.25], [2.0**-600, 2.0**-601]]))
    >>> rows.tolist(), power.tolist()
    ([[0.5, 0.25], [0.5, 0.25]], [0, -599])
    """
    power = np.frexp(np.abs(values).max(axis=1))[1].astype(np.int32)
    power[np.abs(power) <= FAR] = 0
    return (np.ldexp(values, -power[:, None]) if power.any() else values), power


def levelled_table(scores: Floats) -> tuple[Floats, int]:
    """A table, brought near 1 as a whole where it is far from it, and the power of 2; see `levelled`.

    A usual table comes back as it is, its order in memory with it, on which the last digits of sums depend.
    """
    power = int(np.frexp(np.abs(scores).max())[1])
    return (np.ldexp(scores, -power), power) if abs(power) > FAR else (scores, 0)


def refuse_pairs(items: int, what: str, instead: str) -> None:
    """Raise InputError before tables of all pairs of so many items. what: as "systems"; instead: what to do."""
    if items > MOST_PAIRED:
        raise InputError(
            f"{items:,} {what}, and tables of all their pairs are made of at most {MOST_PAIRED:,}; {instead}"
        )


def counted(which: Bools, one: str, many: str) -> tuple[str, ...]:
    """A note on how many of the pairs something is so of; none where it is so of none.

    one: where a single pair was given. many: after "2 of 190 pairs ".
    """
    if not which.any():
        return ()
    return (one if which.size == 1 else f"{int(which.sum())} of {which.size} pairs {many}",)

"""Checks of arrays and parameters that all statistics share."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.rounding_ties import NOISE
from rankscope.settings import NONNEGATIVE, POSITIVE, SHARE, Choice, Count, Switch
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
    "count_note",
    "count_outcomes",
    "is_constant",
    "refuse_pairs",
    "scale_rows",
    "scale_table",
    "seed_of",
]


ALTERNATIVES = ("two-sided", "greater", "less")
#: Largest absolute value: sums of such numbers stay within float64.
GREATEST = 1e300
#: Largest power of 2 whose cube is well within float64.
FAR = 250
#: Most items of which all pairs are held in tables; tables of more do not fit in memory.
MOST_PAIRED = 6_000


def numbers(values: npt.ArrayLike, description: str) -> Floats:
    """The values as float64. Raises ParameterError for what is no number, not finite or too large for sums."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"the {description} are not a table of numbers; expected an array of float64") from None
    invalid = np.flatnonzero(~np.isfinite(array.ravel()))
    if invalid.size:
        index = tuple(int(i) for i in np.unravel_index(invalid[0], array.shape))
        raise ParameterError(
            f"{invalid.size} of {array.size} {description} are NaN or infinite (the first at {index}), expected finite "
            "numbers; remove the queries that have no value"
        )
    if np.abs(array).max(initial=0) > GREATEST:
        raise ParameterError(
            f"some {description} are beyond {GREATEST:g}, and sums of such numbers are none; divide all by one number"
        )
    return array


def as_differences(values: npt.ArrayLike, description: str = "differences") -> tuple[Floats, tuple[int, ...]]:
    """(pairs, queries), and the shape of results for them: () if one list was given.

    Raises ParameterError for other shapes, for no query, for NaN or infinite values.
    """
    array = numbers(values, description)
    if array.ndim not in (1, 2):
        raise ParameterError(f"the {description} have shape {array.shape}, expected (queries) or (pairs, queries)")
    if not array.shape[-1]:
        raise ParameterError(f"the {description} have shape {array.shape}, expected at least 1 query")
    return np.atleast_2d(array), array.shape[:-1]


def as_scores(values: npt.ArrayLike, min_systems: int = 2, min_queries: int = 2) -> Floats:
    """(systems, queries). Raises ParameterError for other shapes, fewer systems or queries, NaN or infinite values."""
    array = numbers(values, "scores")
    if array.ndim != 2 or array.shape[0] < min_systems or array.shape[1] < min_queries:
        raise ParameterError(
            f"the scores have shape {array.shape}, expected (systems, queries) with at least {min_systems} systems and "
            f"{min_queries} {'query' if min_queries == 1 else 'queries'}"
        )
    return array


def as_generator(rng: Any) -> np.random.Generator:
    """`numpy.random.default_rng(rng)`; raises ParameterError for what is no seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"rng is {rng!r}, expected None, a whole number of at least 0 or a numpy Generator"
        ) from error


def seed_of(rng: Any) -> int:
    """A seed for several computations that share random draws: `rng` itself if it is a seed."""
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        as_generator(rng)  # refuses negative ones
        return int(rng)
    return int(as_generator(rng).integers(1 << 32))


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise ParameterError for none of the choices."""
    Choice(choices).check(name, value)


def check_alternative(alternative: str) -> None:
    """Raise ParameterError for an unknown alternative hypothesis."""
    check_choice("alternative", alternative, ALTERNATIVES)


def check_count(name: str, value: object, minimum: int = 1) -> None:
    """Raise ParameterError for anything but a whole number of at least the minimum."""
    Count(minimum).check(name, value)


def check_flag(name: str, value: object) -> None:
    """Raise ParameterError for what is neither True nor False."""
    Switch().check(name, value)


def check_share(name: str, value: object) -> None:
    """Raise ParameterError for a level or power that is not between 0 and 1, both excluded."""
    SHARE.check(name, value)


def check_positive(name: str, value: object, zero: bool = False) -> None:
    """Raise ParameterError for anything but a number above 0. zero: 0 is valid, too."""
    (NONNEGATIVE if zero else POSITIVE).check(name, value)


def is_real(value: object) -> TypeGuard[float]:
    """Whether it is a number of Python or NumPy, and not True or False."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def all_zero(values: Floats) -> Bools:
    """(lists) where all values are 0."""
    return np.asarray((values == 0).all(axis=1), np.bool_)


def is_constant(values: Floats) -> Bools:
    """(lists) where all values are equal, up to the rounding of a subtraction."""
    return np.asarray(np.ptp(values, axis=1) <= 100 * NOISE * np.abs(values).max(axis=1), np.bool_)


def count_outcomes(values: Floats, zone: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(lists) how many values are above the zone about 0, and how many below; beyond it by rounding only is within."""
    bound = zone + NOISE * np.abs(values).max(axis=1, keepdims=True)
    return (values > bound).sum(axis=1), (values < -bound).sum(axis=1)


def scale_rows(values: Floats) -> tuple[Floats, npt.NDArray[np.int32]]:
    """The lists, tiny and huge ones divided by the power of 2 that brings them near 1; and (lists) the exponents.

    Otherwise the squares of 1e-170 and of 1e170 would be 0 and infinite. Results of a list times 2**exponent are those
    of its original values; other lists stay as they are, bit for bit, with exponent 0.

    >>> rows, power = scale_rows(np.array([[0.5, 0.25], [2.0**-600, 2.0**-601]]))
    >>> rows.tolist(), power.tolist()
    ([[0.5, 0.25], [0.5, 0.25]], [0, -599])
    """
    exponents = np.frexp(np.abs(values).max(axis=1))[1].astype(np.int32)
    exponents[np.abs(exponents) <= FAR] = 0
    return (np.ldexp(values, -exponents[:, None]) if exponents.any() else values), exponents


def scale_table(scores: Floats) -> tuple[Floats, int]:
    """A table, scaled as a whole to near 1 if it is far from it, and the exponent of 2; see `scale_rows`.

    A usual table is returned itself, with its memory order, on which the last digits of sums depend.
    """
    exponent = int(np.frexp(np.abs(scores).max())[1])
    return (np.ldexp(scores, -exponent), exponent) if abs(exponent) > FAR else (scores, 0)


def refuse_pairs(n_items: int, description: str, advice: str) -> None:
    """Raise InputError if tables of all pairs of so many items are too large. advice: what to do instead."""
    if n_items > MOST_PAIRED:
        raise InputError(
            f"{n_items:,} {description}, and tables of all their pairs are made of at most {MOST_PAIRED:,}; {advice}"
        )


def count_note(mask: Bools, single: str, plural: str) -> tuple[str, ...]:
    """A note on how many of the pairs the mask marks; no note if it marks none.

    single: the note if only one pair was given. plural: its end after "2 of 190 pairs ".
    """
    if not mask.any():
        return ()
    return (single if mask.size == 1 else f"{int(mask.sum())} of {mask.size} pairs {plural}",)

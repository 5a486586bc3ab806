"""Grades: whole numbers stay whole (int64); where any grade is a fraction, all are float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.settings import plain_number
from rankscope.typing import Bools, Grades

__all__ = [
    "EXPECTED_GRADE",
    "LEAST_FRACTION",
    "all_valid",
    "as_grades",
    "format_grade",
    "has_fractions",
    "highest_grade",
    "invalid_grades",
    "level_above_grades",
    "refuse_fractions",
]


#: From here on not every whole number is a float64.
LIMIT = 2.0**53
#: The least grade above 0 where grades are float64; smaller ones become 0.
LEAST_FRACTION = float(np.finfo(np.float64).tiny)
#: What a grade must be, for messages.
EXPECTED_GRADE = "a finite number below 2^53"


def invalid_grades(numbers: npt.NDArray[Any]) -> Bools:
    """Whether each number is no grade: not finite, or too large."""
    wide = numbers.astype(np.float64) if numbers.dtype.kind == "f" else numbers  # float16 does not hold the limit
    return np.asarray(~((wide > -LIMIT) & (wide < LIMIT)))


def all_valid(numbers: npt.NDArray[Any]) -> bool:
    """Whether all of at least one number can be grades."""
    return bool(float(numbers.min()) > -LIMIT and float(numbers.max()) < LIMIT)  # of NaN both are False


def as_grades(numbers: npt.NDArray[Any]) -> Grades:
    """Numbers, all of them valid, as grades: int64 where all are whole, else float64.

    >>> as_grades(np.array([1.0, 2.0])), as_grades(np.array([1.0, 0.5]))
    (array([1, 2]), array([1. , 0.5]))
    """
    if numbers.dtype.kind != "f":
        return numbers.astype(np.int64, copy=False)
    wide = numbers.astype(np.float64, copy=False)
    as_integers = wide.astype(np.int64)
    if (as_integers == wide).all():
        return as_integers
    return np.where(np.abs(wide) < LEAST_FRACTION, 0.0, wide)  # no -0.0 either


def highest_grade(grades: Grades) -> float:
    """The highest of at least one grade, as an int where it is whole."""
    highest: float = plain_number(grades.max())
    return highest


def has_fractions(grades: npt.NDArray[Any]) -> bool:
    """Whether any of the grades is a fraction, as their type says."""
    return grades.dtype.kind == "f"


def format_grade(grade: float) -> str:
    """A grade for a message: 1, 0.5."""
    return repr(plain_number(grade))


def level_above_grades(level: float, highest: float) -> str:
    """What is wrong where a level is above all grades, of which one is above 0; "" where it is not."""
    if not level > highest > 0:
        return ""
    return f"no document is judged {format_grade(level)} or higher (grades go up to {format_grade(highest)})"


def refuse_fractions(grades: npt.NDArray[Any], name: str, reader: str, advice: str) -> None:
    """Raise InputError where a grade is a fraction.

    Parameters
    ----------
    grades
        Grades.
    name
        What messages call the input.
    reader
        What takes whole numbers only, as "trec_eval".
    advice
        What to do instead.
    """
    if not has_fractions(grades):
        return
    fractions = grades[grades != np.floor(grades)]
    if fractions.size:
        judged = f"a document is judged {format_grade(fractions[0])}"
        raise InputError(f"{name}: {judged}, and {reader} takes whole numbers only; {advice}")

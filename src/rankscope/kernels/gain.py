"""Gains of grades, discounts of ranks, and the probability that a grade ends the search."""

from __future__ import annotations

import numpy as np

from rankscope.typing import Floats, Grades

__all__ = [
    "HIGHEST_EXACT_GRADE",
    "discount_jk",
    "discount_log2",
    "discount_natural",
    "gain_binary",
    "gain_exponential",
    "gain_linear",
    "stopping_probability",
]


#: The highest grade whose exponential gains can be added up in float64, whatever their number.
HIGHEST_EXACT_GRADE = 900


def gain_linear(grades: Grades) -> Floats:
    """The grade itself; 0 for negative grades."""
    return np.maximum(grades, 0).astype(np.float64)


def gain_exponential(grades: Grades) -> Floats:
    """2^grade - 1 (Burges et al. 2005); 0 for negative grades, infinite above 1023."""
    with np.errstate(over="ignore"):
        return power_of_two(np.maximum(grades, 0)) - 1.0


def gain_binary(grades: Grades) -> Floats:
    """1 for grades above 0, else 0."""
    return (grades > 0).astype(np.float64)


def power_of_two(exponents: Grades) -> Floats:
    """2^x, exact for whole numbers."""
    return np.asarray(np.exp2(exponents) if exponents.dtype.kind == "f" else np.ldexp(1.0, exponents))


def discount_log2(ranks: Floats) -> Floats:
    """1 / log2(rank + 1)."""
    return np.asarray(1.0 / np.log2(ranks + 1.0))


def discount_natural(ranks: Floats) -> Floats:
    """1 / ln(rank + 1)."""
    return np.asarray(1.0 / np.log(ranks + 1.0))


def discount_jk(ranks: Floats, base: float) -> Floats:
    """1 / log_base(rank) from rank `base` on, none before (Järvelin and Kekäläinen 2002)."""
    return np.asarray(np.log(base) / np.log(np.maximum(ranks, base)))


def stopping_probability(grades: Grades, max_grade: float) -> Floats:
    """(2^grade - 1) / 2^max_grade (Chapelle et al. 2009, eq. 4); 0 for negative grades."""
    highest = max(max_grade, 0)
    exponents = np.maximum(grades, 0) - highest
    # A difference of powers does not overflow for any grade.
    return np.asarray(power_of_two(exponents) - power_of_two(np.array(-highest)))

"""What modified Kneser-Ney smoothing takes off counts of one, of two, and of three and more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError

__all__ = ["FALLBACK", "Discounts", "check_fallback", "closed_form", "discounts_of_order"]

Discounts = tuple[float, float, float]

#: For text that is too small to find its own.
FALLBACK: Discounts = (0.5, 1.0, 1.5)


def check_fallback(fallback: Sequence[float] | None) -> Discounts | None:
    """Three discounts, each above 0 and at most the count that it is taken off. Raises ParameterError."""
    if fallback is None:
        return None
    try:
        one, two, more = (float(value) for value in fallback)
    except (TypeError, ValueError):
        one = two = more = float("nan")
    if not (0 < one <= 1 and 0 < two <= 2 and 0 < more <= 3):
        raise ParameterError(
            f"fallback is {fallback!r}, expected None or three discounts above 0, at most 1, 2 and 3, as (0.5, 1, 1.5)"
        )
    return one, two, more


def closed_form(seen: Sequence[int]) -> Discounts | None:
    """D1, D2, D3+ from how many n-grams have the counts 1, 2, 3, 4; None where these give none.

    Y = n1/(n1 + 2 n2), Di = i - (i + 1) Y n(i+1)/n(i) (Chen and Goodman 1998, equation 26).
    """
    if min(seen[:3]) == 0:
        return None
    y = seen[0] / (seen[0] + 2 * seen[1])
    one, two, more = (i - (i + 1) * y * seen[i] / seen[i - 1] for i in (1, 2, 3))
    return (one, two, more) if min(one, two, more) > 0 else None


def discounts_of_order(
    counts: npt.NDArray[np.int64], order: int, fallback: Discounts | None
) -> tuple[Discounts, str | None]:
    """The discounts of the n-grams of one order, and a note where they are the fallback.

    counts: of each n-gram. Raises InputError where they are degenerate and there is no fallback.
    """
    seen = [int(n) for n in np.bincount(np.minimum(counts, 5), minlength=5)[1:5]]
    found = closed_form(seen)
    if found is not None:
        return found, None
    each = ", ".join(map(str, seen))
    told = f"the discounts of order {order} cannot be found: of its n-grams {each} have the counts 1, 2, 3, 4"
    if fallback is None:
        raise InputError(f"{told}, too little or too repetitive text; take more, a lower order, or a fallback")
    return fallback, f"{told}; {', '.join(f'{value:g}' for value in fallback)} were taken (fallback)"

"""Williams' test of two dependent correlations: of two lists, which themselves correlate, with the same third list."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.distributions import t_pvalue
from rankscope.stats.inputs import check_alternative, numbers
from rankscope.stats.paired_tests import PairedTest
from rankscope.typing import Floats

__all__ = [
    "MIN_ITEMS",
    "williams_test",
]


#: t has n - 3 degrees of freedom.
MIN_ITEMS = 4
#: A determinant below this is 0 up to rounding.
NOISE = 1e-12


def williams_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    between: npt.ArrayLike,
    *,
    n: int,
    alternative: str = "two-sided",
) -> PairedTest:
    """Williams' test: whether two lists correlate unequally with a third, all three over the same n items.

    Parameters
    ----------
    first, second
        Correlations of each of the two lists with the third, in [-1, 1]; numbers or arrays of one shape.
    between
        Their correlation with each other, in the same shape.
    n
        Number of items, at least 4.
    alternative
        "two-sided", "greater" (the first is higher) or "less".

    Returns
    -------
    PairedTest
        The statistic is above 0 if the first correlation is higher. For equal correlations it is 0, and p = 1
        (one-sided 1/2). If any of the three is NaN, or nothing is left to chance (a correlation of 1 or -1, or K = 0:
        one list follows from the others), statistic and p are NaN, flagged as degenerate.

    Raises
    ------
    ParameterError
        There are fewer than four items, a correlation is beyond 1, or no lists can have these three together.

    Notes
    -----
    t = (r1 - r2) sqrt((n - 1)(1 + b)) / sqrt(2 K (n - 1) / (n - 3) + (r1 + r2)^2 / 4 (1 - b)^3), with K = 1 - r1^2 -
    r2^2 - b^2 + 2 r1 r2 b, and n - 3 degrees of freedom. Derived for Pearson's correlation of normal values; for ranks
    p is not reliable.

    References
    ----------
    Williams (1959); Steiger (1980), equation 7; Graham and Baldwin (2014) for metrics.

    Examples
    --------
    >>> result = williams_test(0.9, 0.7, 0.6, n=12)
    >>> round(float(result.statistic), 4), round(float(result.pvalue), 4)
    (1.5982, 0.1445)
    """
    check_alternative(alternative)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < MIN_ITEMS:
        raise ParameterError(
            f"n is {n!r}, expected at least {MIN_ITEMS} items: Williams' test has n - 3 degrees of freedom"
        )
    r1, r2, b = (correlations(values) for values in (first, second, between))
    if not r1.shape == r2.shape == b.shape:
        raise ParameterError(f"the correlations have shapes {r1.shape}, {r2.shape} and {b.shape}, expected one shape")
    determinant = 1 - r1 * r1 - r2 * r2 - b * b + 2 * r1 * r2 * b
    if (determinant < -1e-9).any():
        raise ParameterError(
            "no three lists correlate like that (the determinant of their correlations is below 0); check that all "
            "three are of the same items, without gaps"
        )
    denominator = 2 * np.maximum(determinant, 0.0) * (n - 1) / (n - 3) + ((r1 + r2) / 2) ** 2 * (1 - b) ** 3
    perfect = np.max(np.abs([r1, r2, b]), axis=0) >= 1 - NOISE
    degenerate = perfect | ~(np.minimum(denominator, determinant) > NOISE)
    numerator = (r1 - r2) * np.sqrt((n - 1) * np.maximum(1 + b, 0.0))
    statistic = np.divide(
        numerator, np.sqrt(np.maximum(denominator, 0.0)), out=np.full(r1.shape, np.nan), where=~degenerate
    )
    return PairedTest(
        test="williams",
        statistic=statistic,
        pvalue=np.where(degenerate, np.nan, t_pvalue(np.where(degenerate, 0.0, statistic), n - 3, alternative)),
        alternative=alternative,
        n=int(n),
        n_resamples=0,
        exact=False,
        error=np.zeros(r1.shape),
        degenerate=np.asarray(degenerate),
        notes=(),
    )


def correlations(values: npt.ArrayLike) -> Floats:
    """An array of correlations, checked; NaN is a missing one."""
    array = np.asarray(values, np.float64)
    numbers(np.nan_to_num(array, nan=0.0, posinf=np.inf, neginf=-np.inf), "correlations")
    out_of_range = np.abs(array) > 1 + 1e-9
    if out_of_range.any():
        raise ParameterError(f"a correlation is {float(array[out_of_range].flat[0])!r}, expected numbers in [-1, 1]")
    return array

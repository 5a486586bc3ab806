"""Sums and products of matrices without rounding, so that a row's result depends on that row alone.

A product of float32 matrices is rounded at every addition, and a library adds in an order of its own: other kernels for
the last rows of a block, other blocks for other numbers of rows or of threads, other registers on other processors. So
two equal rows may get different results. No caller can fix the order, since the library chooses it.

Here no addition rounds. Each row is first rounded to whole multiples of a unit u, a power of two `bits` binary digits
below its greatest number, and each column of weights to multiples of a unit v. Then every product of the two is a whole
multiple of u v, and so is every sum of such products. A float64 holds whole multiples of a power of two exactly up to
2^53 of them, and the units are chosen so that the sum of the absolute products, which no partial sum exceeds, stays
below that. Every sum, fused or not, in any order, is therefore exact: it is the mathematical result for the rounded row
and the rounded weights. Rounding looks at one row, by operations on single elements that IEEE 754 defines to the last
bit, and at a maximum, which is exact in every order.

This is the first slice of the splitting of Ozaki, Ogita, Oishi and Rump (2012), Numerical Algorithms 59, 95-118.
"""

from __future__ import annotations

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = [
    "MANTISSA",
    "NON_FINITE_EXPONENT",
    "ROW_BITS",
    "TINY",
    "exact_group_sums",
    "exact_units",
    "round_columns",
    "round_rows",
    "rounding_term",
    "sum_bits",
]


#: Binary digits of a float64, the first one included: whole numbers up to 2^53 are exact.
MANTISSA = 53
#: Digits of a row; digits of the sum of a column's absolute values, with 1 more for what rounding them may add.
ROW_BITS, COLUMN_BITS = 25, 27
#: The smallest greatest number of a row or column, so that no product of two units is too small for a float64.
TINY = 2.0**-400
#: The exponent field of NaN and infinity in a float64.
NON_FINITE_EXPONENT = 2047


def rounding_term(greatest: Floats, bits: int | Ints) -> Floats:
    """The term that rounds numbers of at most `greatest` when it is added and then subtracted.

    They become multiples of a unit, which is 2^-bits times the next power of two above `greatest`: the sum of both has
    this unit as its last binary digit. bits: at most 51. NaN where `greatest` is not a number or is near the largest
    float64.
    """
    exponent = (greatest.view(np.int64) >> 52) + (MANTISSA - np.asarray(bits))
    return np.asarray((np.minimum(exponent, NON_FINITE_EXPONENT) << 52) | (1 << 51)).view(np.float64)


def round_rows(values: Floats, buffer: Floats | None = None) -> None:
    """Round each row, (rows, features), to multiples of its unit, in place, so that it can be multiplied exactly.

    buffer: of the same shape, for absolute values; None: no value is below 0.
    """
    magnitudes = values if buffer is None else np.abs(values, out=buffer)
    # The bits of numbers of at least 0, read as integers, have the same order; their maximum is faster.
    greatest = magnitudes.view(np.int64).max(axis=1, initial=0).view(np.float64)
    term = rounding_term(np.maximum(greatest, TINY), ROW_BITS)[:, None]
    values += term
    values -= term


def round_columns(matrix: Floats) -> Floats:
    """(features, columns) weights, rounded so that a product of rounded rows with them is exact."""
    term = rounding_term(np.maximum(np.abs(matrix).sum(axis=0), TINY), COLUMN_BITS)
    return np.asarray((matrix + term) - term)


def sum_bits(n: int) -> int:
    """How many binary digits numbers may have for sums of any `n` of them to be exact."""
    return min(MANTISSA - n.bit_length(), 51)


def exact_units(values: Floats, n: int) -> Floats:
    """Numbers rounded to multiples of one unit, so that sums of any `n` of them are exact in every order."""
    greatest = np.abs(values).max(initial=0.0, keepdims=True)
    term = rounding_term(greatest, sum_bits(n))
    return np.asarray((values + term) - term)


def exact_group_sums(values: Floats, offsets: Ints) -> Floats:
    """The sums of groups, which begin at `offsets` and are not empty; the same whatever the order within a group.

    Each group's numbers are rounded to multiples of a unit, small enough that the sum of the group is exact.
    """
    starts, lengths = offsets[:-1], np.diff(offsets)
    if not lengths.size:
        return np.zeros(0)
    greatest = np.maximum.reduceat(np.abs(values), starts)
    length_bits = np.frexp(lengths)[1].astype(np.int64)
    rounding_terms = np.repeat(rounding_term(greatest, np.minimum(MANTISSA - length_bits, 51)), lengths)
    return np.asarray(np.add.reduceat((values + rounding_terms) - rounding_terms, starts))

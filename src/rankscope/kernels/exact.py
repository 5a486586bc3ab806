"""Sums and products of matrices without rounding, so that a row's result depends on that row alone.

A product of float32 matrices is rounded at every addition, and a library adds in an order of its own: other kernels for
the last rows of a block, other blocks for other numbers of rows or of threads, other registers on other processors. So
two equal rows get two results. Nothing that is said of the order helps, since the library chooses it.

Here nothing is left to round. Each row is first rounded to whole multiples of a unit u, a power of two `bits` binary
digits below its greatest number, and each column of weights to multiples of a unit v. Then every product of the two is
a whole multiple of u v, and so is every sum of such products. A float64 holds whole multiples of a power of two exactly
up to 2^53 of them, and the units are chosen so that the sum of the absolute products, which no partial sum exceeds,
stays below that. Whatever is added to what, fused or not, in whichever order, is therefore exact: the result is the one
that mathematics has for the rounded row and the rounded weights. Rounding looks at one row, by operations on single
elements that IEEE 754 defines to the last bit, and at a maximum, which is exact in every order.

This is the first slice of the splitting of Ozaki, Ogita, Oishi and Rump (2012), Numerical Algorithms 59, 95-118.
"""

from __future__ import annotations

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = [
    "MANTISSA",
    "NONE",
    "ROW",
    "TINY",
    "exact_group_sums",
    "exact_units",
    "round_columns",
    "round_rows",
    "rounder",
    "sum_bits",
]


#: Binary digits of a float64, the first one included: whole numbers up to 2^53 are exact.
MANTISSA = 53
#: Digits of a row; those of the sum of a column's absolute values, with 1 more for what rounding them may add.
ROW, COLUMN = 25, 27
#: The least that is told apart where numbers are multiplied: no product of two units is then too small for a float64.
TINY = 2.0**-400
#: The exponent of what is no number, as a float64 has it.
NONE = 2047


def rounder(greatest: Floats, bits: int | Ints) -> Floats:
    """What rounds numbers that are at most `greatest`, when added to them and then taken away again.

    They become multiples of a unit, which is 2^-bits times the next power of two above `greatest`: the sum of both has
    this unit as its last binary digit. bits: at most 51. Not a number where `greatest` is none, or where there is
    hardly a greater one.
    """
    exponent = (greatest.view(np.int64) >> 52) + (MANTISSA - np.asarray(bits))
    return np.asarray((np.minimum(exponent, NONE) << 52) | (1 << 51)).view(np.float64)


def round_rows(values: Floats, work: Floats | None = None) -> None:
    """Round each row, (rows, features), to multiples of its unit, in place, so that it can be multiplied exactly.

    work: of the same shape, for absolute values; None: no value is below 0.
    """
    size = values if work is None else np.abs(values, out=work)
    # As whole numbers, bits of numbers of at least 0 have the order of these: the maximum is found sooner.
    greatest = size.view(np.int64).max(axis=1, initial=0).view(np.float64)
    by = rounder(np.maximum(greatest, TINY), ROW)[:, None]
    values += by
    values -= by


def round_columns(matrix: Floats) -> Floats:
    """(features, columns) weights, rounded so that a product of rounded rows with them is exact."""
    by = rounder(np.maximum(np.abs(matrix).sum(axis=0), TINY), COLUMN)
    return np.asarray((matrix + by) - by)


def sum_bits(n: int) -> int:
    """How many digits numbers may have for sums of any `n` of them to be exact."""
    return min(MANTISSA - n.bit_length(), 51)


def exact_units(values: Floats, n: int) -> Floats:
    """Numbers rounded to multiples of one unit, so that sums of any `n` of them are exact in every order."""
    greatest = np.abs(values).max(initial=0.0, keepdims=True)
    by = rounder(greatest, sum_bits(n))
    return np.asarray((values + by) - by)


def exact_group_sums(values: Floats, offsets: Ints) -> Floats:
    """The sums of groups, which begin at `offsets` and are not empty; the same whatever the order within a group.

    Each group's numbers are rounded to multiples of a unit, of which as many fit into a float64 as the sum may need.
    """
    starts, lengths = offsets[:-1], np.diff(offsets)
    if not lengths.size:
        return np.zeros(0)
    greatest = np.maximum.reduceat(np.abs(values), starts)
    needed = np.frexp(lengths)[1].astype(np.int64)
    by = np.repeat(rounder(greatest, np.minimum(MANTISSA - needed, 51)), lengths)
    return np.asarray(np.add.reduceat((values + by) - by, starts))

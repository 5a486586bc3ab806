"""Short decimal numbers of many forms in a byte buffer to float64, exactly, in a third of the steps of any number.

Columns of features mix whole numbers with fractions of few digits. Such a number has its last eight bytes in one word:
the digits before the point are shifted over the point, and three multiplications make the eight digits an integer. What
is longer has its digits before the point in a second word, which is read only there. One division then rounds once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.numbers import (
    COVER,
    EXACT_POWERS,
    HIGH_NIBBLES,
    ONES,
    POINT_TO_ZERO,
    POWERS,
    SEVENS,
    SIXES,
    ZEROS,
    eight_digits,
    parse_floats,
)
from rankscope.kernels.text import Fields, view_words
from rankscope.typing import Bools, Floats, Words

__all__ = [
    "parse_decimals",
    "short_decimals",
]


#: What is left of a point where a digit has its value.
POINTS = ONES * POINT_TO_ZERO
BYTE, TOP_BIT, EIGHT = np.uint64(255), np.uint64(7), np.uint64(3)


def parse_decimals(fields: Fields) -> tuple[Floats, npt.NDArray[np.intp]]:
    """As `parse_floats`, the same bits, for numbers that are mostly short.

    >>> from rankscope.kernels.text import as_fields
    >>> parse_decimals(as_fields([b"3", b"-27.512349", b"1e3", b"1.2.3"]))[0].tolist()[:3]
    [3.0, -27.512349, 1000.0]
    """
    values, good = short_decimals(fields)
    other = np.flatnonzero(~good)
    if not other.size:
        return values, other
    numbers, bad = parse_floats(fields.take(other))
    values[other] = numbers
    return values, other[bad]


def short_decimals(fields: Fields) -> tuple[Floats, Bools]:
    """The numbers, and which were read: up to eight characters, or seven decimals and eight digits before them.

    The value where `good` is false means nothing. Below 10^15 both parts of the quotient are exact (Clinger 1990).
    """
    buffer, starts, lengths = fields
    windows = view_words(buffer)
    negative = buffer[starts] == ord("-")
    signed = bool(negative.any())
    size = lengths - negative if signed else lengths
    ends = starts + lengths
    x = windows[ends - 8] ^ ZEROS
    if int(size.min(initial=8)) < 8:
        x &= COVER[np.clip(size, 0, 8)]
    y = x ^ POINTS
    flags = ~(((y & SEVENS) + SEVENS) | y | SEVENS)  # the high bit of each byte that is a point
    long = np.flatnonzero(size > 8)
    if flags.size and not long.size and (flags == flags[0]).all():
        flags = flags[:1]  # the point is in one place, as in files of one precision: what follows is for one number
    lowest = flags >> TOP_BIT
    below = lowest - np.uint64(1)  # the bits before the point; all where there is none
    # As many bytes as stand behind the point; -1 where there is none.
    decimals = 7 - (np.bitwise_count(below) >> np.uint8(3)).astype(np.int64)
    pointed = flags != 0
    behind = x & ~(below | lowest * BYTE)
    word = behind | ((x & below) << (pointed.astype(np.uint64) << EIGHT))
    mantissa = eight_digits(word)
    wrong = not_digits(word) | (lowest & below)  # the latter: a second point
    np.maximum(decimals, 0, out=decimals)
    if long.size:
        d = decimals[long]
        point = pointed[long]
        whole = size[long] - d - point
        front = (windows[ends[long] - d - point - 8] ^ ZEROS) & COVER[np.minimum(whole, 8)]
        mantissa[long] = eight_digits(front) * POWERS[d] + eight_digits(behind[long])
        wrong[long] = not_digits(front) | not_digits(behind[long]) | (lowest[long] & below[long]) | (whole > 8)
    values = mantissa.astype(np.float64) / EXACT_POWERS[decimals]
    if signed:
        np.negative(values, out=values, where=negative)
    return values, (wrong == 0) & (size > pointed)


def not_digits(word: Words) -> Words:
    """Something in each word where a byte of it is above 9."""
    return ((word + SIXES) | word) & HIGH_NIBBLES

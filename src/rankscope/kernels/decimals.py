"""Short decimal numbers of many forms in a byte buffer to float64, exactly, in a third of the general reader's steps.

Columns of features mix whole numbers with fractions of few digits. Such a number has its last eight bytes in one word:
the digits before the point are shifted over the point, and three multiplications make the eight digits an integer.
Longer numbers have their digits before the point in a second word, which is read only for them. One division then
rounds once.
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


#: Eight points after the XOR with "00000000", by which digits become their values.
POINTS = ONES * POINT_TO_ZERO
BYTE, TOP_BIT, EIGHT = np.uint64(255), np.uint64(7), np.uint64(3)


def parse_decimals(fields: Fields) -> tuple[Floats, npt.NDArray[np.intp]]:
    """As `parse_floats`, the same bits, for numbers that are mostly short.

    >>> from rankscope.kernels.text import as_fields
    >>> parse_decimals(as_fields([b"3", b"-27.512349", b"1e3", b"1.2.3"]))[0].tolist()[:3]
    [3.0, -27.512349, 1000.0]
    """
    values, valid = short_decimals(fields)
    unread = np.flatnonzero(~valid)
    if not unread.size:
        return values, unread
    numbers, invalid = parse_floats(fields.take(unread))
    values[unread] = numbers
    return values, unread[invalid]


def short_decimals(fields: Fields) -> tuple[Floats, Bools]:
    """The numbers, and which of them are valid: up to eight characters, or seven decimals and eight digits before them.

    The value of an invalid number means nothing. Below 10^15 both parts of the quotient are exact (Clinger 1990).
    """
    buffer, starts, lengths = fields
    windows = view_words(buffer)
    negative = buffer[starts] == ord("-")
    signed = bool(negative.any())
    n_chars = lengths - negative if signed else lengths
    ends = starts + lengths
    digits_word = windows[ends - 8] ^ ZEROS
    if int(n_chars.min(initial=8)) < 8:
        digits_word &= COVER[np.clip(n_chars, 0, 8)]
    points_word = digits_word ^ POINTS
    flags = ~(((points_word & SEVENS) + SEVENS) | points_word | SEVENS)  # the high bit of each byte that is a point
    long_rows = np.flatnonzero(n_chars > 8)
    if flags.size and not long_rows.size and (flags == flags[0]).all():
        flags = flags[:1]  # the point is at one place, as in files of one precision: one flag stands for all
    point_bit = flags >> TOP_BIT
    before_point = point_bit - np.uint64(1)  # the bits before the point; all where there is none
    # As many bytes as stand behind the point; -1 where there is none.
    decimals = 7 - (np.bitwise_count(before_point) >> np.uint8(3)).astype(np.int64)
    has_point = flags != 0
    after_point = digits_word & ~(before_point | point_bit * BYTE)
    all_digits = after_point | ((digits_word & before_point) << (has_point.astype(np.uint64) << EIGHT))
    mantissa = eight_digits(all_digits)
    invalid = not_digits(all_digits) | (point_bit & before_point)  # the last term: a second point
    np.maximum(decimals, 0, out=decimals)
    if long_rows.size:
        n_decimals = decimals[long_rows]
        n_points = has_point[long_rows]
        n_whole = n_chars[long_rows] - n_decimals - n_points
        whole_digits = (windows[ends[long_rows] - n_decimals - n_points - 8] ^ ZEROS) & COVER[np.minimum(n_whole, 8)]
        mantissa[long_rows] = eight_digits(whole_digits) * POWERS[n_decimals] + eight_digits(after_point[long_rows])
        invalid[long_rows] = (
            not_digits(whole_digits)
            | not_digits(after_point[long_rows])
            | (point_bit[long_rows] & before_point[long_rows])
            | (n_whole > 8)
        )
    values = mantissa.astype(np.float64) / EXACT_POWERS[decimals]
    if signed:
        np.negative(values, out=values, where=negative)
    return values, (invalid == 0) & (n_chars > has_point)


def not_digits(word: Words) -> Words:
    """Nonzero for each word that has a byte above 9."""
    return ((word + SIXES) | word) & HIGH_NIBBLES

"""Short decimal numbers of many forms in a byte buffer to float64, exactly, in a third of the general reader's steps.

Columns of features mix whole numbers with fractions of few digits. Such a number has its last eight bytes in one word:
the digits before the point are shifted over the point, and three multiplications make the eight digits an integer.
Longer numbers have their first digits in a second word, which is read only for them. One division then rounds once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.numbers import (
    EXACT_POWERS,
    HIGH_NIBBLES,
    ONES,
    POINT_TO_ZERO,
    POWERS,
    SIXES,
    ZEROS,
    eight_digits,
    parse_floats,
)
from rankscope.kernels.text import Fields, words_at
from rankscope.typing import Bools, Floats, Ints, Words

__all__ = [
    "parse_decimals",
    "short_decimals",
]


#: After the XOR with "00000000" digits are at most 9; this bit tells the point, and some other characters, from them.
MARKS = ONES * np.uint64(16)
#: From that bit to the first one of its byte.
TO_FIRST = np.uint64(4)
#: A word plus 255 times the same word is the word, shifted by a byte.
SHIFT_BYTE = np.uint64(255)
#: Characters of the longest number that is read here, and by how much its first digits count more: with a point among
#: the last eight characters, and without.
LONGEST = 16
HIGH_POWERS = POWERS[[7, 8]]
#: 10^decimals by the number of bits before the point; 64 bits where there is no point.
DIVISORS = np.ones(65)
DIVISORS[: 8 * 8 : 8] = EXACT_POWERS[7::-1]


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
    """The numbers, and which of them are valid: up to sixteen characters, a point only among the last eight.

    The value of an invalid number means nothing. Up to fifteen digits with a point, both parts of the quotient are
    exact (Clinger 1990); without a point, the whole number is rounded once.
    """
    buffer, starts, lengths = fields
    negative = np.flatnonzero(buffer.take(starts) == ord("-"))
    n_chars = lengths
    if negative.size:
        n_chars = lengths.copy()
        n_chars[negative] -= 1
    shortest, longest = int(n_chars.min(initial=8)), int(n_chars.max(initial=0))
    last_words = starts + lengths - 8
    digits = digit_words(buffer, last_words, n_chars, shortest, longest)

    marks = digits & MARKS
    if marks.size and longest <= 8 and (marks == marks[0]).all():
        marks = marks[:1]  # the point is at one place, as in files of one precision: one mark stands for all
    points = marks >> TO_FIRST
    digits ^= points * POINT_TO_ZERO
    before_point = points - np.uint64(1)  # the bits before the point; all where there is none
    invalid = not_digits(digits)
    invalid |= digits & (marks - points)  # a character with the mark that is no point, but became a digit
    invalid |= points & before_point  # a second point
    if shortest < 2:
        invalid |= n_chars <= (marks != 0)  # nothing, or a point alone
    # An arithmetic shift by 63 bits: all bits where there is no point, else none.
    has_none = (before_point.view(np.int64) >> 63).view(np.uint64)
    digits += (digits & (before_point ^ has_none)) * SHIFT_BYTE
    mantissa = eight_digits(digits)

    if longest > 8:
        rows = np.flatnonzero(n_chars > 8)
        n_high = n_chars[rows] - 8
        high_digits = digit_words(buffer, last_words[rows] - 8, n_high, 1, longest - 8)
        mantissa[rows] += eight_digits(high_digits) * HIGH_POWERS.take(marks[rows] == 0)
        invalid[rows] |= not_digits(high_digits) | (n_high > LONGEST - 8)
    values = mantissa.astype(np.float64)
    values /= DIVISORS.take(np.bitwise_count(before_point))
    values[negative] *= -1
    return values, invalid == 0


def digit_words(buffer: npt.NDArray[np.uint8], positions: Ints, n_chars: Ints, shortest: int, longest: int) -> Words:
    """Eight bytes from each position on, less "00000000": digits are their values, and 0 before the last `n_chars`."""
    digits = words_at(buffer, positions)
    digits ^= ZEROS
    if shortest < 8:
        if shortest < 1:
            digits[n_chars < 1] = 0
        n_other = 8 - n_chars
        if longest > 8:
            np.maximum(n_other, 0, out=n_other)
        bits = (n_other << 3).view(np.uint64)
        digits >>= bits
        digits <<= bits
    return digits


def not_digits(word: Words) -> Words:
    """Nonzero for each word that has a byte above 9."""
    beyond = word + SIXES
    beyond |= word
    beyond &= HIGH_NIBBLES
    return beyond

"""Short decimal numbers of many forms in a byte buffer to float64, exactly, in a third of the general reader's steps.

Columns of features mix whole numbers with fractions of few digits. The first eight bytes of such a number are one word:
the digits before the point are shifted over the point, and three multiplications make the eight digits an integer.
Longer numbers have their other digits in a second word, which is read only for them. One division then rounds once.
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
    join_digits,
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
LAST_MARK = 16 << 56
#: From that bit to the first one of its byte.
TO_FIRST = np.uint64(4)
#: A word plus 255 times the same word is the word, shifted by a byte.
SHIFT_BYTE = np.uint64(255)
#: Characters of the longest number that is read here, without its sign.
LONGEST = 16
#: So many characters behind the first eight are read one by one.
FEW = 2
ZERO = np.uint8(ord("0"))
NINE, TEN = np.uint64(9), np.uint64(10)
#: 10^decimals by 16 times the number of bytes before the point in the first word, 8 where it has no point, and the
#: number of characters behind that word.
DIVISORS = np.ones((9, 16))
DIVISORS[:8, :9] = EXACT_POWERS[np.arange(7, -1, -1)[:, None] + np.arange(9)]
DIVISORS = DIVISORS.ravel()


def parse_decimals(fields: Fields, first_words: Words | None = None) -> tuple[Floats, npt.NDArray[np.intp]]:
    """As `parse_floats`, the same bits, for numbers that are mostly short.

    first_words: the first eight bytes of each field and what follows it, if known; overwritten.

    >>> from rankscope.kernels.text import as_fields
    >>> parse_decimals(as_fields([b"3", b"-27.512349", b"1e3", b"1.2.3"]))[0].tolist()[:3]
    [3.0, -27.512349, 1000.0]
    """
    values, valid = short_decimals(fields, first_words)
    if valid.all():
        return values, np.empty(0, np.intp)
    unread = np.flatnonzero(~valid)
    numbers, invalid = parse_floats(fields.take(unread))
    values[unread] = numbers
    return values, unread[invalid]


def short_decimals(fields: Fields, first_words: Words | None = None) -> tuple[Floats, Bools]:
    """The numbers, and which of them are valid: up to sixteen characters, a point only among the first eight.

    The value of an invalid number means nothing. Up to fifteen digits with a point, both parts of the quotient are
    exact (Clinger 1990); without a point, the whole number is rounded once.
    """
    buffer, starts, n_chars = fields
    digits = words_at(buffer, starts) if first_words is None else first_words
    negative = np.flatnonzero(digits.astype(np.uint8) == ord("-"))
    if negative.size:
        starts, n_chars = starts.copy(), n_chars.copy()
        starts[negative] += 1
        n_chars[negative] -= 1
        without_sign = buffer.take(starts.take(negative) + 7).astype(np.uint64)
        without_sign <<= np.uint64(56)
        without_sign |= digits.take(negative) >> np.uint64(8)
        digits[negative] = without_sign
    shortest, longest = int(n_chars.min(initial=8)), int(n_chars.max(initial=0))
    align_digits(digits, n_chars, shortest, longest)

    marks = digits & MARKS
    if marks.size and longest <= 8 and (marks == marks[0]).all():
        marks = marks[:1]  # the point is at one place, as in files of one precision: one mark stands for all
    points = marks >> TO_FIRST
    digits ^= points * POINT_TO_ZERO
    before_point = points - np.uint64(1)  # the bits before the point; all where there is none
    # What is no digit, or is marked and not 0 now, as a point is; a second point.
    errors = not_digits(digits, SIXES + points * NINE)
    errors |= points & before_point
    valid = errors == 0 if any_bits(errors) else np.ones(n_chars.size, np.bool_)
    if shortest < 1 or (shortest == 1 and any_bits(marks) & LAST_MARK):  # nothing, or a point alone
        valid &= n_chars > (marks != 0)
    # An arithmetic shift by 63 bits: all bits where there is no point, else none.
    has_none = (before_point.view(np.int64) >> 63).view(np.uint64)
    digits += (digits & (before_point ^ has_none)) * SHIFT_BYTE
    mantissa = join_digits(digits)
    divisor_index = np.bitwise_count(before_point) << 1

    if longest > 8:
        rows = np.flatnonzero(n_chars > 8)
        if longest <= 8 + FEW:
            for n_read in range(8, longest):
                if n_read > 8:
                    rows = rows[n_chars.take(rows) > n_read]
                digit = buffer.take(starts.take(rows) + n_read) ^ ZERO
                if digit.max() > 9:
                    valid[rows] &= digit <= 9
                mantissa[rows] = mantissa.take(rows) * TEN + digit
                divisor_index[rows] += np.uint8(1)
        else:
            n_more = n_chars.take(rows) - 8
            more_digits = words_at(buffer, starts.take(rows) + 8)
            align_digits(more_digits, n_more, 1, longest - 8)
            errors = not_digits(more_digits, SIXES)
            if longest > LONGEST or any_bits(errors):
                valid[rows] &= (errors == 0) & (n_more <= LONGEST - 8)
                np.minimum(n_more, LONGEST - 8, out=n_more)
            mantissa[rows] = mantissa.take(rows) * POWERS.take(n_more) + join_digits(more_digits)
            divisor_index[rows] += n_more.astype(np.uint8)
    values = mantissa.view(np.int64).astype(np.float64)
    values /= DIVISORS.take(divisor_index)
    values[negative] *= -1
    return values, valid


def any_bits(words: Words) -> int:
    """The bits that any of the words has."""
    return int(np.bitwise_or.reduce(words))


def align_digits(digits: Words, n_chars: Ints, shortest: int, longest: int) -> None:
    """Make words that begin with digits the values of these, with zeros before them; 0 where there are none."""
    digits ^= ZEROS
    if shortest < 8:
        if shortest < 1:
            digits[n_chars < 1] = 0
        n_missing = 8 - n_chars
        if longest > 8:
            np.maximum(n_missing, 0, out=n_missing)
        n_missing <<= 3
        digits <<= n_missing.view(np.uint64)


def not_digits(word: Words, to_beyond: Words | np.uint64) -> Words:
    """Nonzero for each word that has a byte above 9; to_beyond: what makes a byte that is no digit 16 or more."""
    beyond = word + to_beyond
    beyond |= word
    beyond &= HIGH_NIBBLES
    return beyond

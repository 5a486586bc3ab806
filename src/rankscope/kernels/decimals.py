"""Decimal numbers of many forms in a byte buffer to float64, exactly, in a third of the general reader's steps.

Columns of features mix whole numbers with fractions. The first eight bytes of such a number are one word: the digits
before the point are shifted over the point, and three multiplications make the eight digits an integer. Longer numbers
have their other digits in a second and a third word, which are read only for them. One division then rounds once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.numbers import (
    EXACT_INTEGER,
    EXACT_POWERS,
    HIGH_NIBBLES,
    ONES,
    POINT_TO_ZERO,
    POWERS,
    SIXES,
    ZEROS,
    divide,
    join_digits,
    parse_floats,
    parse_integers,
)
from rankscope.kernels.text import Fields, words_at
from rankscope.typing import Bools, Bytes, Floats, Ints, Words

__all__ = [
    "parse_decimals",
    "parse_unusual",
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
LONGEST = 23
#: Characters up to which the digits are below 2^53, the point being one of them.
LONGEST_EXACT = 16
#: So many characters behind the first eight are read one by one.
FEW = 2
ZERO, CASE = np.uint8(ord("0")), np.uint8(ord("a") - ord("A"))
NINE, TEN = np.uint64(9), np.uint64(10)
#: Digits that may be followed by so many more without reaching 2^64.
MOST_DIGITS = np.array([(2**64 - 1) // 10**k - 1 for k in range(9)], np.uint64)
#: Decimals by 16 times the number of bytes before the point in the first word, 8 where it has no point, and the number
#: of characters behind that word.
DECIMALS = np.concatenate((*(np.arange(7 - n_before, 23 - n_before) for n_before in range(8)), np.zeros(16, np.int64)))
DIVISORS = EXACT_POWERS[DECIMALS]
#: Characters of an exponent with its letter: as in 1e5, 1e-5 and 1e-05.
EXPONENT_SIZES = (2, 3, 4)


class ShortNumbers(NamedTuple):
    """Numbers before the division.

    Attributes
    ----------
    mantissa
        The digits as whole numbers.
    divisor_index
        Index of each number in `DIVISORS` and `DECIMALS`; one for all where they are the same.
    negative
        Indices of the negative numbers.
    valid
        Whether the text is such a number; else the others mean nothing.
    longest
        Characters of the longest number, at most `LONGEST`.
    """

    mantissa: Words
    divisor_index: npt.NDArray[np.uint8]
    negative: npt.NDArray[np.intp]
    valid: Bools
    longest: int


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
    numbers, invalid = parse_unusual(fields.take(unread))
    values[unread] = numbers
    return values, unread[invalid]


def parse_unusual(fields: Fields) -> tuple[Floats, npt.NDArray[np.intp]]:
    """As `parse_floats`, the same bits, for numbers that `short_decimals` does not read: many have exponents."""
    buffer, starts, lengths = fields
    ends, sizes = starts + lengths, np.zeros(starts.size, np.int64)
    for size in EXPONENT_SIZES:
        sizes[((buffer.take(ends - size) | CASE) == ord("e")) & (lengths > size)] = size
    values, is_read = np.zeros(starts.size), np.zeros(starts.size, np.bool_)
    rows = np.flatnonzero(sizes)
    if rows.size:
        sizes = sizes[rows]
        exponents, invalid = parse_integers(Fields(buffer, ends[rows] - sizes + 1, sizes - 1))
        numbers = read_short(Fields(buffer, starts[rows], lengths[rows] - sizes))
        powers = exponents - DECIMALS.take(numbers.divisor_index)
        is_exact = numbers.valid & (np.abs(powers) < EXACT_POWERS.size) & (numbers.mantissa < EXACT_INTEGER)
        is_exact[invalid] = False
        powers[~is_exact] = 0
        # Both parts are exact, and one product or quotient rounds once (Clinger 1990).
        products = numbers.mantissa.astype(np.float64)
        products *= EXACT_POWERS[np.maximum(powers, 0)]
        products /= EXACT_POWERS[np.maximum(-powers, 0)]
        products[numbers.negative] *= -1
        values[rows], is_read[rows] = products, is_exact
    unread = np.flatnonzero(~is_read)
    if not unread.size:
        return values, unread
    floats, invalid = parse_floats(fields.take(unread))
    values[unread] = floats
    return values, unread[invalid]


def short_decimals(fields: Fields, first_words: Words | None = None) -> tuple[Floats, Bools]:
    """The numbers, and which of them are valid: up to 23 characters, a point only among the first eight.

    The value of an invalid number means nothing, but is finite. Where the digits are below 2^53, both parts of the
    quotient are exact (Clinger 1990).
    """
    mantissa, divisor_index, negative, valid, longest = read_short(fields, first_words)
    # As signed numbers they are converted faster.
    values = (mantissa.view(np.int64) if longest <= LONGEST_EXACT else mantissa).astype(np.float64)
    values /= DIVISORS.take(divisor_index)
    if longest >= LONGEST_EXACT:
        large = np.flatnonzero(mantissa >= EXACT_INTEGER)
        decimals = DECIMALS.take(divisor_index.take(large))
        large, decimals = large[decimals > 0], decimals[decimals > 0]  # a whole number was rounded once
        if large.size:
            values[large], doubtful = divide(mantissa.take(large), decimals)
            valid[large[doubtful]] = False
    values[negative] *= -1
    return values, valid


def read_short(fields: Fields, first_words: Words | None = None) -> ShortNumbers:
    """As `short_decimals`, before the division."""
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
    numbers = ShortNumbers(
        join_digits(digits), np.bitwise_count(before_point) << 1, negative, valid, min(longest, LONGEST)
    )
    if longest > LONGEST:
        valid &= n_chars <= LONGEST
    if 8 < longest <= 8 + FEW:
        append_characters(numbers, buffer, starts, n_chars)
    elif longest > 8:
        append_words(numbers, buffer, starts, n_chars)
    return numbers


def append_characters(numbers: ShortNumbers, buffer: Bytes, starts: Ints, n_chars: Ints) -> None:
    """Add the few digits behind the first eight characters, one after the other."""
    mantissa, divisor_index, _, valid, longest = numbers
    rows = np.flatnonzero(n_chars > 8)
    for n_read in range(8, longest):
        if n_read > 8:
            rows = rows[n_chars.take(rows) > n_read]
        digit = buffer.take(starts.take(rows) + n_read) ^ ZERO
        if digit.max() > 9:
            valid[rows] &= digit <= 9
        mantissa[rows] = mantissa.take(rows) * TEN + digit
        divisor_index[rows] += np.uint8(1)


def append_words(numbers: ShortNumbers, buffer: Bytes, starts: Ints, n_chars: Ints) -> None:
    """Add the digits behind the first eight characters, eight at once."""
    mantissa, divisor_index, _, valid, longest = numbers
    rows = np.flatnonzero((n_chars > 8) & (n_chars <= LONGEST))
    for n_read in range(8, longest, 8):
        if n_read > 8:
            rows = rows[n_chars.take(rows) > n_read]
        n_more = n_chars.take(rows) - n_read
        digits = words_at(buffer, starts.take(rows) + n_read)
        align_digits(digits, n_more, 1, longest - n_read)
        np.minimum(n_more, 8, out=n_more)
        errors = not_digits(digits, SIXES)
        if any_bits(errors):
            valid[rows] &= errors == 0
        before = mantissa.take(rows)
        if n_read > 8:
            valid[rows] &= before <= MOST_DIGITS.take(n_more)
        mantissa[rows] = before * POWERS.take(n_more) + join_digits(digits)
        divisor_index[rows] += n_more.astype(np.uint8)


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

"""Decimal numbers in a byte buffer to arrays, rounded as C's `strtod` rounds them, without a loop.

A number is read from its end in words of eight bytes. Eight ASCII digits become an integer by three multiplications;
the decimal point counts as a digit 0 and is removed afterwards. Numbers of at most 24 characters without an exponent
are read this way; Python's `float` reads the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.text import Fields, words_at
from rankscope.typing import Words

__all__ = [
    "parse_floats",
    "parse_integers",
]


ONES = np.uint64(0x0101010101010101)
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
ZEROS = np.uint64(0x3030303030303030)  # "00000000"
POINT = ord(".")
POINTS = ONES * np.uint64(POINT)
POINT_TO_ZERO = np.uint64(POINT ^ ord("0"))
HIGH_NIBBLES = np.uint64(0xF0F0F0F0F0F0F0F0)
SIXES = ONES * np.uint64(6)
#: Characters, without the sign, of the longest number that is read here.
LONGEST = 24
# LAST[b][k] covers what a number of k characters has in the b-th word from its end.
COVER = np.array([(1 << 64) - (1 << (64 - 8 * k)) for k in range(9)], dtype=np.uint64)  # the last k bytes of a word
LAST = np.array([[COVER[min(max(k - 8 * b, 0), 8)] for k in range(LONGEST + 2)] for b in range(3)])
POWERS = np.array([10**k for k in range(20)], dtype=np.uint64)
EXACT_POWERS = np.array([10.0**k for k in range(23)])  # all exact in float64
MOST_HIGH = np.uint64(1843)  # 1843 * 10^16 + 10^16 - 1 is below 2^64
EXACT_INTEGER = np.uint64(1 << 53)
CHARACTERS = np.zeros(256, np.bool_)
CHARACTERS[np.frombuffer(b"0123456789+-.eE", np.uint8)] = True


class Digits(NamedTuple):
    """mantissa / 10^decimals, with its sign. decimals: -1 where there is no point; one number for all where they are
    the same. valid: whether the text is such a number.
    """

    mantissa: Words
    decimals: npt.NDArray[np.int64]
    negative: npt.NDArray[np.bool_]
    valid: npt.NDArray[np.bool_]


def eight_digits(word: Words) -> Words:
    """The number that eight ASCII digits spell, most significant first in memory."""
    return join_digits(word & np.uint64(0x0F0F0F0F0F0F0F0F))


def join_digits(word: Words) -> Words:
    """The number whose eight digits are the bytes of a word, most significant first in memory; overwritten."""
    word *= np.uint64(2561)
    word >>= np.uint64(8)
    word &= np.uint64(0x00FF00FF00FF00FF)
    word *= np.uint64(6553601)
    word >>= np.uint64(16)
    word &= np.uint64(0x0000FFFF0000FFFF)
    word *= np.uint64(42949672960001)
    word >>= np.uint64(32)
    return word


def read_digits(fields: Fields) -> Digits:
    return read_alike(fields) or read_any(fields)


def read_alike(fields: Fields) -> Digits | None:
    """As `read_any`, where all numbers have as many decimals as the first, no sign and up to 19 digits; else None.

    The point is skipped: the digits before it are read one byte further to the front.
    """
    buffer, starts, lengths = fields
    if not starts.size:
        return None
    _, point_text, fraction = buffer[starts[0] : starts[0] + lengths[0]].tobytes().partition(b".")
    decimals = len(fraction) if point_text else -1
    n_digits = lengths - len(point_text)
    shortest, longest = int(n_digits.min()), int(n_digits.max())
    ends = starts + lengths
    if not max(decimals, 1) <= shortest <= longest <= 19 or (
        point_text and (buffer[ends - 1 - decimals] != POINT).any()
    ):
        return None
    total = np.zeros(1, np.uint64)
    for block in range((longest + 7) // 8):
        word_starts = ends - 8 * (block + 1)
        n_fraction = min(max(decimals - 8 * block, 0), 8)  # digits of this word behind the point
        word = words_at(buffer, word_starts - 1 if point_text and not n_fraction else word_starts)
        if point_text and 0 < n_fraction < 8:
            word = (word & COVER[n_fraction]) | (words_at(buffer, word_starts - 1) & ~COVER[n_fraction])
        word ^= ZEROS
        if shortest < 8 * (block + 1):  # zeros before the number
            word &= LAST[block][n_digits]
        if ((word | (word + SIXES)) & HIGH_NIBBLES).any():
            return None
        total = total + join_digits(word) * POWERS[8 * block]
    return Digits(total, np.array([decimals]), np.zeros(starts.size, np.bool_), np.ones(starts.size, np.bool_))


def read_any(fields: Fields) -> Digits:
    buffer, starts, lengths = fields
    first_char = buffer[starts]
    negative = first_char == ord("-")
    signed = negative | (first_char == ord("+"))
    n_chars = lengths - signed
    ends = starts + lengths

    valid = (n_chars > 0) & (n_chars <= LONGEST)
    table_index = np.minimum(n_chars, LONGEST + 1)
    points = np.zeros(starts.size, np.uint8)
    decimals = np.full(starts.size, -1, np.int64)
    digit_groups: list[Words] = []
    for block in range(max(1, (min(int(n_chars.max(initial=0)), LONGEST) + 7) // 8)):
        number_mask = LAST[block][table_index]
        # The word has zeros before the field. The buffer's padding reaches as far back as the words do.
        word = (words_at(buffer, ends - 8 * (block + 1)) & number_mask) | (ZEROS & ~number_mask)
        x = word ^ POINTS
        flags = ~(((x & SEVENS) + SEVENS) | x | SEVENS)  # the high bit of each byte that is a point
        word_points = np.bitwise_count(flags)
        if word_points.any():
            # In a word with one flag, the number of bits below it gives the byte.
            point_byte = np.bitwise_count(flags - np.uint64(1)).astype(np.int64) >> 3
            np.copyto(decimals, 7 - point_byte + 8 * block, where=word_points == 1)
            points += word_points
            word ^= (flags >> np.uint64(7)) * POINT_TO_ZERO
        digits_only = ((word & HIGH_NIBBLES) == ZEROS) & (((word + SIXES) & HIGH_NIBBLES) == ZEROS)
        valid &= digits_only
        digit_groups.append(eight_digits(word))
    valid &= (points <= 1) & (n_chars > points)
    total = digit_groups[0]
    if len(digit_groups) > 1:
        total = total + digit_groups[1] * POWERS[8]
    if len(digit_groups) > 2:
        valid &= digit_groups[2] <= MOST_HIGH
        total = total + digit_groups[2] * POWERS[16]
    if points.any():
        total = take_out_point(total, same_or_each(decimals))
        # 19 and more decimals are too many for the division that removes the point.
        valid &= decimals <= 18
    return Digits(total, decimals, negative, valid)


def same_or_each(decimals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """One number where all are the same, as in most files: dividing by one number is several times faster."""
    return decimals[:1] if bool((decimals == decimals[0]).all()) else decimals


def take_out_point(total: Words, decimals: npt.NDArray[np.int64]) -> Words:
    """Whole * 10^(d+1) + fraction, with the point as a 0 between them, becomes whole * 10^d + fraction."""
    d = np.clip(decimals, 0, 18)
    scale = POWERS[d]
    whole_part = total // POWERS[d + 1]
    # Where there was no point, everything is whole and stays.
    return np.where(decimals >= 0, total - whole_part * (POWERS[d + 1] - scale), total)


def divide(mantissa: Words, decimals: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Mantissa / 10^decimals, correctly rounded, and where the rounding is in doubt.

    Up to 2^53 both numbers are exact and one division rounds once (Clinger 1990). Above, the quotient is computed to
    twice the precision and rounded; where its error bound reaches a rounding boundary (about one in 10^14), the caller
    uses `float`.
    """
    divisor = EXACT_POWERS[same_or_each(np.clip(decimals, 0, 22))]
    high = mantissa.astype(np.float64)
    quotient = high / divisor
    doubtful = np.zeros(mantissa.size, np.bool_)
    large = np.flatnonzero(mantissa >= EXACT_INTEGER)
    if large.size:
        m, h, d, q = mantissa[large], high[large], np.broadcast_to(divisor, high.shape)[large], quotient[large]
        # h may round up to 2^64, which no uint64 holds; such mantissas are doubtful.
        fits = h < 18446744073709549568.0
        low = (m - np.where(fits, h, 0.0).astype(np.uint64)).view(np.int64)
        product, error = two_product(q, d)
        correction = ((h - product) - error + low) / d
        slack = np.abs(correction) * 2.0**-40 + np.abs(q) * 2.0**-100
        below, above = q + (correction - slack), q + (correction + slack)
        quotient[large] = below
        doubtful[large] = (below != above) | ~fits
    return quotient, doubtful


def two_product(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
    """The product a * b as an unevaluated sum of two float64 (Dekker 1971)."""
    product = a * b
    splitter = 134217729.0  # 2^27 + 1
    ca, cb = splitter * a, splitter * b
    ah, bh = ca - (ca - a), cb - (cb - b)
    al, bl = a - ah, b - bh
    error = ((ah * bh - product) + ah * bl + al * bh) + al * bl
    return product, error


def parse_floats(fields: Fields) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """The numbers, and the rows whose text is not a number (digits with at most one point, a sign, an exponent).

    "nan", "inf", hexadecimal and digits with underscores are not numbers; a number beyond the largest float64 becomes
    infinite, which the caller refuses.
    """
    digits = read_digits(fields)
    if not digits.valid.size:
        return np.empty(0), np.empty(0, np.intp)
    values, doubtful = divide(digits.mantissa, digits.decimals)
    np.negative(values, out=values, where=digits.negative)
    unread = np.flatnonzero(~digits.valid | doubtful)
    if not unread.size:
        return values, unread
    numbers, invalid = slow_floats(fields.take(unread))
    values[unread] = numbers
    return values, unread[invalid]


def slow_floats(fields: Fields) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """As `parse_floats`, for the few numbers of an unusual form."""
    longest = 1024
    lengths = np.minimum(fields.lengths, longest)
    width = max(int(lengths.max()), 1)
    columns = np.arange(width)
    inside = columns < lengths[:, None]
    positions = np.minimum(fields.starts[:, None] + columns, fields.buffer.size - 1)
    characters = np.where(inside, fields.buffer[positions], 0).astype(np.uint8)
    allowed = (CHARACTERS[characters] | ~inside).all(axis=1) & (fields.lengths > 0) & (fields.lengths <= longest)
    texts = np.ascontiguousarray(characters).view(f"S{width}").ravel()
    values = np.full(fields.starts.size, np.nan)
    rows = np.flatnonzero(allowed)
    try:
        values[rows] = texts[rows].astype(np.float64)
        invalid_rows = np.flatnonzero(~allowed)
    except ValueError:  # some are not numbers: try them one by one
        bad_rows = []
        for row, text in enumerate(texts.tolist()):
            try:
                if allowed[row]:
                    values[row] = float(text)
                else:
                    bad_rows.append(row)
            except ValueError:
                bad_rows.append(row)
        invalid_rows = np.array(bad_rows, np.intp)
    return values, invalid_rows


def parse_integers(fields: Fields) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """The whole numbers, and the rows whose text is not one or has more than 18 digits."""
    digits = read_digits(fields)
    valid = digits.valid & (digits.decimals < 0) & (digits.mantissa < POWERS[18])
    values = digits.mantissa.view(np.int64)
    return np.where(digits.negative, -values, values), np.flatnonzero(~valid)

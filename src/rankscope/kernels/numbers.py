"""Decimal numbers in a byte buffer to arrays, exactly as `strtod` and `strtol` read them, without a loop.

A number is read from its end in words of eight bytes. Eight ASCII digits become an integer by
three multiplications; the decimal point counts as a digit 0 and is taken out afterwards. What has
no more than 24 characters and no exponent takes this way; the rest goes through Python's `float`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.text import Fields, view_words
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
    """mantissa / 10^decimals, with its sign; decimals is -1 where there is no point, and one number for all where they
    are alike. `valid`: it is such a number.
    """

    mantissa: Words
    decimals: npt.NDArray[np.int64]
    negative: npt.NDArray[np.bool_]
    valid: npt.NDArray[np.bool_]


def eight_digits(word: Words) -> Words:
    """The number that eight ASCII digits spell, most significant first in memory."""
    v = (word & np.uint64(0x0F0F0F0F0F0F0F0F)) * np.uint64(2561) >> np.uint64(8)
    v = (v & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
    return (v & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> np.uint64(32)


def read_digits(fields: Fields) -> Digits:
    return read_alike(fields) or read_any(fields)


def read_alike(fields: Fields) -> Digits | None:
    """As `read_any`, where all numbers have as many decimals as the first, no sign and up to 19 digits; else None.

    The point is left out while reading: the digits before it are read one byte further to the front.
    """
    buffer, starts, lengths = fields
    if not starts.size:
        return None
    _, point, fraction = buffer[starts[0] : starts[0] + lengths[0]].tobytes().partition(b".")
    decimals = len(fraction) if point else -1
    size = lengths - len(point)
    shortest, longest = int(size.min()), int(size.max())
    ends = starts + lengths
    if not max(decimals, 1) <= shortest <= longest <= 19 or (point and (buffer[ends - 1 - decimals] != POINT).any()):
        return None
    windows = view_words(buffer)
    total = np.zeros(1, np.uint64)
    for block in range((longest + 7) // 8):
        at = ends - 8 * (block + 1)
        behind = min(max(decimals - 8 * block, 0), 8)  # so many digits of this word stand behind the point
        word = windows[at - 1] if point and not behind else windows[at]
        if point and 0 < behind < 8:
            word = (word & COVER[behind]) | (windows[at - 1] & ~COVER[behind])
        word ^= ZEROS
        if shortest < 8 * (block + 1):  # before the number stand zeros
            word &= LAST[block][size]
        if ((word | (word + SIXES)) & HIGH_NIBBLES).any():
            return None
        total = total + eight_digits(word) * POWERS[8 * block]
    return Digits(total, np.array([decimals]), np.zeros(starts.size, np.bool_), np.ones(starts.size, np.bool_))


def read_any(fields: Fields) -> Digits:
    buffer, starts, lengths = fields
    first = buffer[starts]
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    size = lengths - signed
    windows = view_words(buffer)
    ends = starts + lengths

    valid = (size > 0) & (size <= LONGEST)
    shown = np.minimum(size, LONGEST + 1)
    points = np.zeros(starts.size, np.uint8)
    decimals = np.full(starts.size, -1, np.int64)
    parts: list[Words] = []
    for block in range(max(1, (min(int(size.max(initial=0)), LONGEST) + 7) // 8)):
        kept = LAST[block][shown]
        # Before the field stand zeros. The buffer's padding reaches as far back as the words do.
        word = (windows[ends - 8 * (block + 1)] & kept) | (ZEROS & ~kept)
        x = word ^ POINTS
        flags = ~(((x & SEVENS) + SEVENS) | x | SEVENS)  # the high bit of each byte that is a point
        seen = np.bitwise_count(flags)
        if seen.any():
            # In a word with one flag, the number of bits below it tells the byte.
            place = np.bitwise_count(flags - np.uint64(1)).astype(np.int64) >> 3
            np.copyto(decimals, 7 - place + 8 * block, where=seen == 1)
            points += seen
            word ^= (flags >> np.uint64(7)) * POINT_TO_ZERO
        digits_only = ((word & HIGH_NIBBLES) == ZEROS) & (((word + SIXES) & HIGH_NIBBLES) == ZEROS)
        valid &= digits_only
        parts.append(eight_digits(word))
    valid &= (points <= 1) & (size > points)
    total = parts[0]
    if len(parts) > 1:
        total = total + parts[1] * POWERS[8]
    if len(parts) > 2:
        valid &= parts[2] <= MOST_HIGH
        total = total + parts[2] * POWERS[16]
    if points.any():
        total = take_out_point(total, same_or_each(decimals))
        # 19 and more decimals: too many for the division that takes the point out.
        valid &= decimals <= 18
    return Digits(total, decimals, negative, valid)


def same_or_each(decimals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """One number where all are the same, as in most files: dividing by one number is several times faster."""
    return decimals[:1] if bool((decimals == decimals[0]).all()) else decimals


def take_out_point(total: Words, decimals: npt.NDArray[np.int64]) -> Words:
    """Whole * 10^(d+1) + fraction, with the point as a 0 between them, becomes whole * 10^d + fraction."""
    d = np.clip(decimals, 0, 18)
    scale = POWERS[d]
    whole = total // POWERS[d + 1]
    # Where there was no point, everything is whole and stays.
    return np.where(decimals >= 0, total - whole * (POWERS[d + 1] - scale), total)


def divide(mantissa: Words, decimals: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Mantissa / 10^decimals, correctly rounded, and where that could not be made sure of.

    Up to 2^53 both numbers are exact and one division rounds once (Clinger 1990). Above, the
    quotient is computed to twice the precision and rounded; where the doubt of that reaches a
    rounding boundary (about one in 10^14), the caller asks `float`.
    """
    divisor = EXACT_POWERS[same_or_each(np.clip(decimals, 0, 22))]
    high = mantissa.astype(np.float64)
    quotient = high / divisor
    doubtful = np.zeros(mantissa.size, np.bool_)
    big = np.flatnonzero(mantissa >= EXACT_INTEGER)
    if big.size:
        m, h, d, q = mantissa[big], high[big], np.broadcast_to(divisor, high.shape)[big], quotient[big]
        # h may round up to 2^64, which no uint64 holds; such mantissas stay in doubt.
        fits = h < 18446744073709549568.0
        low = (m - np.where(fits, h, 0.0).astype(np.uint64)).view(np.int64)
        product, error = two_product(q, d)
        correction = ((h - product) - error + low) / d
        slack = np.abs(correction) * 2.0**-40 + np.abs(q) * 2.0**-100
        below, above = q + (correction - slack), q + (correction + slack)
        quotient[big] = below
        doubtful[big] = (below != above) | ~fits
    return quotient, doubtful


def two_product(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
    """A * b as an unevaluated sum of two float64 (Dekker 1971)."""
    product = a * b
    splitter = 134217729.0  # 2^27 + 1
    ca, cb = splitter * a, splitter * b
    ah, bh = ca - (ca - a), cb - (cb - b)
    al, bl = a - ah, b - bh
    error = ((ah * bh - product) + ah * bl + al * bh) + al * bl
    return product, error


def parse_floats(fields: Fields) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """The numbers, and the rows whose text is none (digits with at most one point, a sign, an exponent).

    "nan", "inf", hexadecimal and digits with underscores are none; a number beyond the largest
    float64 becomes infinite, for the caller to refuse.
    """
    digits = read_digits(fields)
    if not digits.valid.size:
        return np.empty(0), np.empty(0, np.intp)
    values, doubtful = divide(digits.mantissa, digits.decimals)
    np.negative(values, out=values, where=digits.negative)
    other = np.flatnonzero(~digits.valid | doubtful)
    if not other.size:
        return values, other
    numbers, bad = slow_floats(fields.take(other))
    values[other] = numbers
    return values, other[bad]


def slow_floats(fields: Fields) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """As `parse_floats`, for the few numbers of an unusual form."""
    longest = 1024
    lengths = np.minimum(fields.lengths, longest)
    width = max(int(lengths.max()), 1)
    columns = np.arange(width)
    inside = columns < lengths[:, None]
    place = np.minimum(fields.starts[:, None] + columns, fields.buffer.size - 1)
    letters = np.where(inside, fields.buffer[place], 0).astype(np.uint8)
    plain = (CHARACTERS[letters] | ~inside).all(axis=1) & (fields.lengths > 0) & (fields.lengths <= longest)
    texts = np.ascontiguousarray(letters).view(f"S{width}").ravel()
    values = np.full(fields.starts.size, np.nan)
    rows = np.flatnonzero(plain)
    try:
        values[rows] = texts[rows].astype(np.float64)
        bad = np.flatnonzero(~plain)
    except ValueError:  # some are no numbers: find out which, one by one
        wrong = []
        for row, text in enumerate(texts.tolist()):
            try:
                if plain[row]:
                    values[row] = float(text)
                else:
                    wrong.append(row)
            except ValueError:
                wrong.append(row)
        bad = np.array(wrong, np.intp)
    return values, bad


def parse_integers(fields: Fields) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """The whole numbers, and the rows whose text is none or has more than 18 digits."""
    digits = read_digits(fields)
    good = digits.valid & (digits.decimals < 0) & (digits.mantissa < POWERS[18])
    values = digits.mantissa.view(np.int64)
    return np.where(digits.negative, -values, values), np.flatnonzero(~good)

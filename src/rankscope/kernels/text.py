"""Many short strings as slices of one byte buffer: compared, hashed and ordered eight bytes at a time.

A column of a million ids as Python strings costs seconds and 60 MB; as `Fields` it costs two integer arrays over the
bytes that were read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.order import stable_order
from rankscope.typing import Bytes, Ints, Words

__all__ = [
    "PADDING",
    "Fields",
    "as_fields",
    "changes",
    "decode",
    "encode",
    "equal",
    "hashes",
    "order_descending",
    "words",
    "words_around",
    "words_at",
]


#: Bytes that every buffer has before its first and after its last field, so that
#: whole words can be read at any place without leaving the buffer.
PADDING = 32
# KEEP[k] keeps the first k bytes of a little-endian word.
KEEP = np.array([(1 << (8 * k)) - 1 for k in range(9)], dtype=np.uint64)
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(32)
WORD_BITS = np.uint64(64)
#: So many words are put together from aligned ones.
MANY_WORDS = 500
#: Strings that are hashed at a time, so that all arrays stay in the processor's cache.
PIECE = 32_768


class Fields(NamedTuple):
    """Strings inside one padded buffer: starts and lengths in bytes, one pair a string."""

    buffer: Bytes
    starts: Ints
    lengths: Ints

    def take(self, index: npt.NDArray[np.intp]) -> Fields:
        return Fields(self.buffer, self.starts[index], self.lengths[index])

    def slice(self, rows: slice) -> Fields:
        """Consecutive strings, as views without copies."""
        return Fields(self.buffer, self.starts[rows], self.lengths[rows])


def as_fields(strings: list[bytes]) -> Fields:
    """Put Python byte strings into one buffer."""
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    joined = b"".join([bytes(PADDING), *strings, bytes(PADDING)])
    starts = np.cumsum(lengths) - lengths + PADDING
    return Fields(np.frombuffer(joined, np.uint8), starts, lengths)


def encode(strings: list[str]) -> Fields:
    """Put Python strings into one buffer, as UTF-8.

    Raises UnicodeEncodeError for a lone surrogate that stands for no byte.
    """
    joined = "".join(strings)
    if not joined.isascii():
        return as_fields([string.encode("utf-8", "surrogateescape") for string in strings])
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))  # a character a byte
    buffer = b"".join((bytes(PADDING), joined.encode("ascii"), bytes(PADDING)))
    return Fields(np.frombuffer(buffer, np.uint8), np.cumsum(lengths) - lengths + PADDING, lengths)


def decode(fields: Fields) -> list[bytes]:
    """The strings as Python bytes."""
    longest = int(fields.lengths.max(initial=0))
    if 0 < longest <= 64 and not ends_in_nul(fields):
        # As NumPy's fixed-width strings, which drop the zeros behind.
        columns = [words(fields, j) for j in range((longest + 7) // 8)]
        table = np.stack(columns, axis=1).astype("<u8", copy=False)
        strings: list[bytes] = table.view(f"S{8 * len(columns)}").ravel().tolist()
        return strings
    view = fields.buffer.data
    starts = fields.starts.tolist()
    return [bytes(view[start : start + length]) for start, length in zip(starts, fields.lengths.tolist(), strict=True)]


def ends_in_nul(fields: Fields) -> bool:
    return bool((fields.buffer[fields.starts + np.maximum(fields.lengths, 1) - 1] == 0)[fields.lengths > 0].any())


def words_at(buffer: Bytes, positions: Ints) -> Words:
    """The eight bytes from each position on, as little-endian numbers."""
    aligned = aligned_words(buffer, positions)
    if aligned is None:
        return unaligned_words(buffer, positions)
    return join_words(aligned.take(1), aligned.take(2), aligned.bits)


def words_around(buffer: Bytes, positions: Ints) -> tuple[Words, Words]:
    """The eight bytes before each position, and the eight from it on; in less time than by two calls of `words_at`."""
    aligned = aligned_words(buffer, positions)
    if aligned is None:
        return unaligned_words(buffer, positions - 8), unaligned_words(buffer, positions)
    bits, rest_bits = aligned.bits, WORD_BITS - aligned.bits
    before, from_position, behind = aligned.take(0), aligned.take(1), aligned.take(2)
    before >>= bits
    before |= from_position << rest_bits
    from_position >>= bits
    behind <<= rest_bits
    from_position |= behind
    return before, from_position


class AlignedWords(NamedTuple):
    """Where words begin that are put together from two aligned ones.

    NumPy takes aligned words several times faster than others, so that two of them, shifted and joined, are read in
    half of the time.

    Attributes
    ----------
    words
        All aligned words of a buffer.
    places
        Index of the word before the one in which each of the others begins.
    bits
        Bits before the beginning in the word in which it is.
    """

    words: Words
    places: Ints
    bits: Words

    def take(self, offset: int) -> Words:
        """The aligned words so many words behind `places`."""
        return np.asarray(self.words[offset:].take(self.places))


def aligned_words(buffer: Bytes, positions: Ints) -> AlignedWords | None:
    """The aligned words for many positions; None where they are few, or so close to an end of the buffer that a word
    beside theirs is not in it.
    """
    if positions.size < MANY_WORDS:
        return None
    misaligned = -buffer.ctypes.data % 8
    n_words = (buffer.size - misaligned) // 8
    if positions.min() < misaligned + 8 or positions.max() >= misaligned + 8 * (n_words - 1):
        return None
    from_second = positions - (misaligned + 8)
    bits = from_second << 3
    bits &= 56
    from_second >>= 3
    return AlignedWords(
        buffer[misaligned : misaligned + 8 * n_words].view("<u8"),
        from_second,
        bits.astype(np.int64, copy=False).view(np.uint64),
    )


def unaligned_words(buffer: Bytes, positions: Ints) -> Words:
    windows: Words = np.ndarray((buffer.size - 7,), "<u8", buffer, 0, (1,))
    return windows[positions]


def join_words(first: Words, second: Words, bits: Words) -> Words:
    """The words that begin so many bits within the first ones; both arrays are overwritten."""
    first >>= bits
    second <<= WORD_BITS - bits  # a shift by all bits of a word gives 0 in NumPy
    first |= second
    return first


def words(fields: Fields, j: int) -> Words:
    """The j-th eight bytes of each string as little-endian numbers, zeros past its end."""
    n_left = fields.lengths - 8 * j if j else fields.lengths
    positions = fields.starts + 8 * j if j else fields.starts
    shortest, longest = int(n_left.min(initial=8)), int(n_left.max(initial=0))
    if shortest < 0:  # a string that ended before this word has nothing to read; stay inside the buffer
        n_left, positions = np.maximum(n_left, 0), np.minimum(positions, fields.buffer.size - 8)
    values = words_at(fields.buffer, positions)
    if shortest < 8:
        values &= KEEP[shortest] if 0 <= shortest == longest else KEEP[np.minimum(n_left, 8)]
    return values


def hashes(fields: Fields, seed: int = 0) -> Words:
    """A 64-bit number for each string; equal strings have equal numbers, and hardly any others do.

    Where two numbers are equal, the caller compares the strings with `equal`.
    """
    n = fields.starts.size
    if n > 2 * PIECE:
        h = np.empty(n, np.uint64)
        for start in range(0, n, PIECE):
            piece = Fields(fields.buffer, fields.starts[start : start + PIECE], fields.lengths[start : start + PIECE])
            h[start : start + PIECE] = hashes(piece, seed)
        return h
    h = fields.lengths.astype(np.uint64) + np.uint64(seed)
    longest = int(fields.lengths.max(initial=0))
    shortest = int(fields.lengths.min(initial=longest))
    # At least one round, so that an empty string has the same hash beside any others.
    rounds = max((longest + 7) // 8, min(n, 1))
    for j in range(rounds):
        if j == 0 or shortest > 8 * j:
            h ^= words(fields, j)
            h *= MULTIPLIER
            h ^= h >> SHIFT
        else:
            rows = np.flatnonzero(fields.lengths > 8 * j)  # the strings that reach into this word
            mixed = (h[rows] ^ words(fields.take(rows), j)) * MULTIPLIER
            h[rows] = mixed ^ (mixed >> SHIFT)
    return h


def changes(fields: Fields) -> npt.NDArray[np.bool_]:
    """Whether each string but the first differs from the one before it."""
    lengths = fields.lengths
    first_words = words(fields, 0)
    different: npt.NDArray[np.bool_] = (first_words[1:] != first_words[:-1]) | (lengths[1:] != lengths[:-1])
    if int(lengths.max(initial=0)) > 8:
        undecided = np.flatnonzero(~different & (lengths[1:] > 8))
        different[undecided] = ~equal(fields.take(undecided + 1), fields.take(undecided))
    return different


def equal(a: Fields, b: Fields) -> npt.NDArray[np.bool_]:
    """Whether the i-th string of a is the i-th of b, byte for byte."""
    same: npt.NDArray[np.bool_] = a.lengths == b.lengths
    longest = int(a.lengths.max(initial=0))
    for j in range((longest + 7) // 8):
        if j == 0:
            same &= words(a, 0) == words(b, 0)
            continue
        undecided = np.flatnonzero(same & (a.lengths > 8 * j))
        if not undecided.size:
            break
        if undecided.size == same.size:
            same &= words(a, j) == words(b, j)
            continue
        same[undecided] = words(a.take(undecided), j) == words(b.take(undecided), j)
    return same


def order_descending(groups: npt.NDArray[np.intp], fields: Fields) -> npt.NDArray[np.intp]:
    """The order that sorts by group rising and, within a group, by the strings' bytes falling.

    groups: numbers that do not fall. Sorted eight bytes at a time; only strings that are still tied with another of
    their group go on to the next eight.
    """
    n = fields.starts.size
    order = np.arange(n)
    block = np.asarray(groups)
    active = np.arange(n)  # places of `order` that are still tied
    j = 0
    longest = int(fields.lengths.max(initial=0))
    while active.size:
        rows = order[active]
        tied_fields = fields.take(rows)
        # Past the longest string only the lengths can differ (ids that end in NUL bytes).
        key = words(tied_fields, j).byteswap() if 8 * j < longest else tied_fields.lengths.astype(np.uint64)
        by_key = np.argsort(~key, kind="stable")
        sorted_order = by_key[stable_order(block[active][by_key])]
        order[active] = rows[sorted_order]
        if 8 * j >= longest:
            break
        key = key[sorted_order]
        active_block = block[active]  # blocks occupy the same places before and after
        starts_block = np.ones(active.size, np.bool_)
        starts_block[1:] = (key[1:] != key[:-1]) | (active_block[1:] != active_block[:-1])
        new_block = np.cumsum(starts_block) - 1
        if new_block[-1] + 1 == active.size:
            break
        is_tied = np.bincount(new_block)[new_block] > 1
        active, tied_block = active[is_tied], new_block[is_tied]
        block = np.zeros(n, np.intp)
        block[active] = tied_block
        j += 1
    return order

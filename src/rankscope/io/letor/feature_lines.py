"""Features from lines: `number:value` fields to one table that grows block by block, without a loop over lines.

Where all lines have the same number of fields, single blanks and the same features in the same order, the positions
of the blanks, reshaped to a table, are the fields, and one comparison of words per field confirms its number. This is
checked, never assumed: any other block (missing features, several blanks, other white space) is read field by field,
more slowly and with the same result; errors are found only there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from rankscope.data.rows import decode_id
from rankscope.data.sparse import refuse_sparse
from rankscope.errors import InputError
from rankscope.io.core import LineBlock
from rankscope.io.letor.fields import is_space
from rankscope.io.letor.label_lines import BlockDocuments
from rankscope.kernels.decimals import parse_decimals, parse_unusual, short_decimals
from rankscope.kernels.numbers import parse_integers
from rankscope.kernels.order import ranges
from rankscope.kernels.text import KEEP, Fields, decode, words_around
from rankscope.typing import Bytes, Ints, Reals, Words

__all__ = [
    "MAX_FEATURES",
    "FeatureGrid",
    "FlatFeatures",
    "GrowingTable",
    "LineReader",
    "trim_ends",
    "trim_starts",
]


Dtype = type[np.float32] | type[np.float64]
COLON = ord(":")
#: Larger numbers of features are refused as mistakes: each number takes a column.
MAX_FEATURES = 100_000
#: The largest number that is finite in each type: from halfway to the next power of two on, it becomes infinite.
LARGEST = {np.float32: float(np.nextafter((2 - 2.0**-24) * 2.0**127, 0)), np.float64: float(np.finfo(np.float64).max)}
BEYOND = (
    "beyond 3.4e38, the largest number of float32; scale the feature or correct this line, or in Python read with "
    "dtype='float64'"
)
#: Bytes, less than the 32 MB from which on memory is always returned to the system.
KEPT_MEMORY = 31 << 20
#: The maximum number of white-space bytes at the end of lines in a regular block.
MAX_TRAILING_SPACE = 4
EXPECTED = "number:value, as 3:0.25"
#: Fields that are read at once: their arrays stay in the processor's cache.
STEP = 1 << 14


class FeatureGrid(NamedTuple):
    """The same features on every line.

    Attributes
    ----------
    numbers
        Numbers of the features, rising, (features).
    values
        (documents, features).
    """

    numbers: Ints
    values: Reals


class FlatFeatures(NamedTuple):
    """Features line by line, flat.

    Attributes
    ----------
    rows
        Document of each, counted in the block.
    numbers
        Numbers of the features.
    values
        Their values.
    """

    rows: Ints
    numbers: Ints
    values: Reals


class Prefixes(NamedTuple):
    """The prefixes of a line's fields.

    Attributes
    ----------
    numbers
        Numbers of the features.
    words
        "3:" and so on, as the last bytes of words of 64 bits.
    masks
        Masks of these bytes.
    sizes
        Numbers of bytes.
    """

    numbers: Ints
    words: Words
    masks: Words
    sizes: Ints


class LineReader:
    """Reads the features of blocks. dtype: of the values."""

    def __init__(self, dtype: Dtype) -> None:
        self.dtype = dtype
        keep_freed_memory()
        #: Of the last regular block: the next one is probably the same.
        self.last_prefixes: Prefixes | None = None

    def read(self, block: LineBlock, documents: BlockDocuments) -> FeatureGrid | FlatFeatures:
        """The features of a block. Raises InputError, naming file and line, for an invalid field."""
        return self.read_regular(block, documents) or self.read_irregular(block, documents)

    def read_regular(self, block: LineBlock, documents: BlockDocuments) -> FeatureGrid | None:
        """The features of a block where all lines have the same form; else None."""
        assert documents.spans is not None
        bytes_, begins = block.array, documents.spans.begins
        stops = trim_ends(bytes_, begins, documents.spans.stops, MAX_TRAILING_SPACE)
        blanks = np.flatnonzero(is_space(bytes_[block.begin : block.end]))
        blanks += block.begin
        first_blanks = np.searchsorted(blanks, begins)
        counts = np.searchsorted(blanks, stops) - first_blanks
        n_fields = int(counts[0])
        if n_fields == 0 or (counts != n_fields).any():
            return None
        blanks_before = blank_table(blanks, first_blanks, n_fields)
        line = bytes_[int(blanks_before[0, 0]) : int(stops[0])].tobytes()
        for prefixes in self.candidate_prefixes(line, n_fields):
            table = self.read_table(bytes_, blanks_before, stops, prefixes)
            if table is not None:
                self.last_prefixes = prefixes
                return FeatureGrid(prefixes.numbers, table)
        return None

    def read_table(self, bytes_: Bytes, blanks_before: Ints, stops: Ints, prefixes: Prefixes) -> Reals | None:
        """(documents, fields) the values behind these prefixes; None where there are others, or no short numbers."""
        n_documents, n_fields = blanks_before.shape
        table = np.empty((n_documents, n_fields), self.dtype)
        step = max(1, STEP // n_fields)
        unread: list[tuple[Ints, Ints, Ints]] = []  # starts, lengths, places in the table
        for row in range(0, n_documents, step):
            rows = slice(row, row + step)
            starts = blanks_before[rows] + (prefixes.sizes + 1)
            words_before, first_words = words_around(bytes_, starts.ravel())
            if not end_with_prefixes(words_before.reshape(starts.shape), prefixes):
                return None
            lengths = np.empty_like(starts)
            np.subtract(blanks_before[rows, 1:], starts[:, :-1], out=lengths[:, :-1])
            np.subtract(stops[rows], starts[:, -1], out=lengths[:, -1])
            values, valid = short_decimals(Fields(bytes_, starts.ravel(), lengths.ravel()), first_words)
            table[rows] = values.reshape(starts.shape)
            if not valid.all():
                places = np.flatnonzero(~valid)
                unread.append((starts.ravel()[places], lengths.ravel()[places], places + row * n_fields))
        if unread:  # few in each step, so those of many are read together
            all_starts, all_lengths, all_places = map(np.concatenate, zip(*unread, strict=True))
            for start in range(0, all_places.size, STEP):
                part = slice(start, start + STEP)
                values, invalid = parse_unusual(Fields(bytes_, all_starts[part], all_lengths[part]))
                if invalid.size or not self.all_finite(values):
                    return None
                table.reshape(-1)[all_places[part]] = values
        return table

    def all_finite(self, values: Reals) -> bool:
        """Whether all values are certainly finite as `dtype`; if not, they are checked one by one."""
        largest = LARGEST[self.dtype]
        return bool(-largest <= values.min() and values.max() <= largest)

    def candidate_prefixes(self, line: bytes, n_fields: int) -> Iterator[Prefixes]:
        """The prefixes that all lines may share: those of the last block, and those of the first line."""
        if self.last_prefixes is not None and self.last_prefixes.numbers.size == n_fields:
            yield self.last_prefixes
        prefixes = prefixes_in(line)
        if prefixes is not None and prefixes.numbers.size == n_fields:
            yield prefixes

    def read_irregular(self, block: LineBlock, documents: BlockDocuments) -> FlatFeatures:
        """The features of a block with lines of any form."""
        assert documents.spans is not None
        bytes_, (begins, stops, _) = block.array, documents.spans
        is_blank = is_space(bytes_[block.begin : block.end])
        edges = np.flatnonzero(np.diff(is_blank, prepend=True, append=True)) + block.begin
        starts, ends = edges[::2], edges[1::2]
        first_fields = np.searchsorted(starts, begins)
        counts = np.searchsorted(starts, stops) - first_fields
        field_index = ranges(first_fields, counts)
        rows = np.repeat(np.arange(begins.size), counts)
        starts, ends = starts[field_index], np.minimum(ends[field_index], stops[rows])
        colons = np.append(np.flatnonzero(bytes_[block.begin : block.end] == COLON) + block.begin, bytes_.size)
        number_ends = np.minimum(colons[np.searchsorted(colons, starts)], ends)
        numbers, invalid_numbers = parse_integers(Fields(bytes_, starts, number_ends - starts))
        no_pair = number_ends == ends
        no_pair[invalid_numbers] = True
        value_starts = np.minimum(number_ends + 1, ends)
        values, invalid_values = parse_decimals(Fields(bytes_, value_starts, ends - value_starts))
        no_value = ~(np.abs(values) <= LARGEST[self.dtype])
        no_value[invalid_values] = True
        no_number = (numbers < 0) | (numbers > MAX_FEATURES)
        not_rising = np.zeros(rows.size, np.bool_)
        not_rising[1:] = (rows[1:] == rows[:-1]) & (numbers[1:] <= numbers[:-1])
        invalid = no_pair | no_value | no_number | not_rising
        if invalid.any():
            i = int(np.argmax(invalid))
            text = decode_id(decode(Fields(bytes_, starts[i : i + 1], ends[i : i + 1] - starts[i]))[0])
            location = f"{block.name}:{documents.lines[rows[i]]}"
            previous = int(numbers[i - 1]) if not_rising[i] else None
            value = float(values[i]) if no_value[i] and not (invalid_values == i).any() else np.inf
            refuse_field(location, text, None if no_pair[i] else int(numbers[i]), previous, value)
        return FlatFeatures(rows, numbers, values)


def keep_freed_memory() -> None:
    """Keep memory that a block has freed for the next one.

    The C library of Linux returns large allocations to the system, and getting them again costs a fault per page: half
    of the reading time. Freeing a larger allocation raises the size from which on it does so.
    """
    np.empty(KEPT_MEMORY, np.uint8)


def blank_table(blanks: Ints, first_blanks: Ints, n_blanks: int) -> Ints:
    """(lines, n_blanks) the blanks from each first blank on: a view where all lines have the same number."""
    blanks_per_line, remainder = divmod(blanks.size, first_blanks.size)
    if (
        not remainder
        and (
            first_blanks
            == np.arange(first_blanks[0], first_blanks[0] + blanks_per_line * first_blanks.size, blanks_per_line)
        ).all()
    ):
        return np.asarray(
            blanks.reshape(first_blanks.size, blanks_per_line)[:, first_blanks[0] : first_blanks[0] + n_blanks]
        )
    return np.asarray(blanks[first_blanks[:, None] + np.arange(n_blanks)])


def trim_starts(bytes_: Bytes, starts: Ints, ends: Ints) -> Ints:
    """The starts moved behind white space, at most to the ends."""
    starts = starts.copy()
    rows = np.arange(starts.size)
    while rows.size:
        rows = rows[is_space(bytes_[starts[rows]]) & (starts[rows] < ends[rows])]
        starts[rows] += 1
    return starts


def end_with_prefixes(words_before: Words, prefixes: Prefixes) -> bool:
    """Whether the bytes before each value end with its prefix."""
    return bool(((words_before & prefixes.masks) == prefixes.words).all())


def prefixes_in(line: bytes) -> Prefixes | None:
    """The prefixes of the fields of one line; None where they are not rising numbers."""
    number_texts = [field.partition(b":")[0] for field in line.split()]
    if not all(text.isdigit() and len(text) < 8 for text in number_texts):
        return None
    numbers = np.array([int(text) for text in number_texts], np.int64)
    if not numbers.size or (np.diff(numbers) <= 0).any() or numbers[-1] > MAX_FEATURES:
        return None
    sizes = np.array([len(text) + 1 for text in number_texts], np.int64)
    words = np.array([int.from_bytes((text + b":").rjust(8, b"\0"), "little") for text in number_texts], np.uint64)
    return Prefixes(numbers, words, ~KEEP[8 - sizes], sizes)


def trim_ends(bytes_: Bytes, begins: Ints, ends: Ints, rounds: int | None = None) -> Ints:
    """The ends moved before white space. rounds: the maximum number of bytes to move; None for no limit."""
    ends = ends.copy()
    rows = np.arange(ends.size)
    while rounds is None or rounds > 0:
        rows = rows[is_space(bytes_[ends[rows] - 1]) & (ends[rows] > begins[rows])]
        if not rows.size:
            break
        ends[rows] -= 1
        rounds = None if rounds is None else rounds - 1
    return ends


def refuse_field(location: str, text: str, number: int | None, previous: int | None, value: float) -> NoReturn:
    """Raise for an invalid field. number: of its feature, if any; previous: the number of the field before it, if that
    is not lower; value: its value, finite if it is only too large.
    """
    if number is None:
        raise InputError(f"{location}: field {text!r}, expected {EXPECTED}; correct this line")
    if not 0 <= number <= MAX_FEATURES:
        raise InputError(f"{location}: feature {number}, expected numbers from 1 to {MAX_FEATURES}; correct this line")
    if previous is not None:
        problem = f"feature {number} twice" if number == previous else f"feature {number} after feature {previous}"
        raise InputError(f"{location}: {problem}, expected each once, in rising order; correct this line")
    if np.isfinite(value):
        raise InputError(f"{location}: field {text!r}, {BEYOND}")
    raise InputError(
        f"{location}: field {text!r}, expected a finite number after the colon; correct this line, or leave out a "
        "feature that is missing"
    )


#: The factor by which the table grows where the estimate from the file's size was too low.
GROWTH = 1.3
#: The factor of spare rows beyond the expected height.
SPARE = 1.02


class GrowingTable:
    """The features of all blocks so far, with zeros for features that a line does not name.

    The table is allocated for the whole file, by the size of the first block's lines: memory is the table and a block,
    since the system provides pages only when they are written.
    """

    def __init__(self, dtype: Dtype, n_features: int | None = None, size: int = 0) -> None:
        self.reader = LineReader(dtype)
        self.dtype, self.n_features, self.size = dtype, n_features, size
        self.values: Reals = np.zeros((0, n_features or 0), dtype)
        self.n_rows = 0
        #: The number of the first column: 1, or 1, or 0 once a line has a feature 0.
        self.first_number = 1
        #: The number of values in the lines.
        self.n_values = 0
        #: The highest number of a feature so far.
        self.last_number = -1

    def add(self, block: LineBlock, documents: BlockDocuments) -> None:
        """Read the features of a block. Raises InputError."""
        features = self.reader.read(block, documents)
        n_rows = documents.lines.size
        self.n_values += features.values.size
        if features.numbers.size:
            self.widen(features, block, documents)
        self.heighten(n_rows, block.end - block.begin)
        table = self.values[self.n_rows : self.n_rows + n_rows]
        if isinstance(features, FeatureGrid):
            n_columns = features.numbers.size
            first_column = int(features.numbers[0]) - self.first_number
            contiguous = int(features.numbers[-1]) - self.first_number - first_column == n_columns - 1
            table[
                :, slice(first_column, first_column + n_columns) if contiguous else features.numbers - self.first_number
            ] = features.values
        elif features.numbers.size:
            table[features.rows, features.numbers - self.first_number] = features.values
        self.n_rows += n_rows

    def widen(self, features: FeatureGrid | FlatFeatures, block: LineBlock, documents: BlockDocuments) -> None:
        """Add columns for all features of a block."""
        highest, base = (
            max(self.last_number, int(features.numbers.max())),
            min(self.first_number, int(features.numbers.min())),
        )
        width = highest - base + 1
        n_rows = self.n_rows + documents.lines.size
        refuse_sparse((n_rows, width), self.n_values, block.name, "documents and features")
        if self.n_features is not None:
            if width > self.n_features:
                refuse_beyond(features, block, documents, base, self.n_features)
            width = self.n_features
        if width > self.values.shape[1] or base < self.first_number:
            previous, shift = self.values, self.first_number - base
            self.values = self.zeros(previous.shape[0], width)
            n_columns = min(previous.shape[1], width - shift)
            self.values[: self.n_rows, shift : shift + n_columns] = previous[: self.n_rows, :n_columns]
        self.last_number, self.first_number = highest, base

    def heighten(self, n_rows: int, n_bytes: int) -> None:
        """Add room for more rows. n_bytes: of their lines."""
        height, width = self.values.shape
        if self.n_rows + n_rows <= height:
            return
        if not self.n_rows:
            self.values = self.zeros(max(int(n_rows / n_bytes * self.size * SPARE), n_rows), width)
            return
        try:  # in place: for large tables the system moves pages and copies nothing
            self.values.resize((max(int(height * GROWTH), self.n_rows + n_rows), width), refcheck=False)
        except MemoryError:
            refuse_size(self.n_rows + n_rows, width)

    def zeros(self, height: int, width: int) -> Reals:
        try:
            return np.zeros((height, width), self.dtype)
        except MemoryError:
            refuse_size(height, width)

    def finish(self, name: str) -> Reals:
        """The table, cut in place to its rows. Raises InputError for a table that is nearly empty."""
        refuse_sparse((self.n_rows, self.values.shape[1]), self.n_values, name, "documents and features")
        self.values.resize((self.n_rows, self.values.shape[1]), refcheck=False)
        return self.values

    def names(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(self.first_number, self.first_number + self.values.shape[1]))


def refuse_beyond(
    features: FeatureGrid | FlatFeatures, block: LineBlock, documents: BlockDocuments, base: int, n_features: int
) -> NoReturn:
    """Raise for the first feature beyond `n_features`."""
    beyond: Ints = np.flatnonzero(features.numbers > base + n_features - 1)
    if not beyond.size:  # it is in an earlier block, which had no feature 0
        index = int(np.argmax(features.numbers == 0))
        number, detail = 0, f"and a feature {n_features} before it, "
        row = 0 if isinstance(features, FeatureGrid) else int(features.rows[index])
    else:
        number, detail = int(features.numbers[beyond[0]]), ""
        row = 0 if isinstance(features, FeatureGrid) else int(features.rows[beyond[0]])
    raise InputError(
        f"{block.name}:{documents.lines[row]}: feature {number}, {detail}expected {n_features} features, numbered from "
        f"{base} to {base + n_features - 1} (n_features); give the number that the file has, or leave it out"
    )


def refuse_size(height: int, width: int) -> NoReturn:
    raise InputError(
        f"a table of {height} documents and {width} features does not fit in memory; read a part of the file, or "
        "correct the numbers of the features"
    )

"""ARPA: the common text format of n-gram models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import first_duplicate
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import as_fields
from rankscope.translation.language_model.backoff_model import (
    LOG_ZERO,
    LanguageModel,
    NgramLevel,
    context_and_word,
)
from rankscope.translation.language_model.vocabulary import END, RESERVED, START, UNKNOWN, Numbers
from rankscope.typing import Floats

__all__ = [
    "ArpaLines",
    "arpa_chunks",
    "read_arpa",
]


#: Lines that are read at a time.
LINES_AT_ONCE = 50_000
COUNT_LINE = re.compile(rb"ngram\s+(\d{1,9})\s*=\s*(\d{1,15})")


class ArpaLines:
    """A file that is read line by line. number: of the line that was read last."""

    def __init__(self, lines: Iterable[bytes], name: str) -> None:
        self.lines, self.name, self.number = iter(lines), name, 0
        self.pending_line: bytes | None = None

    def fail(self, why: str, line: int | None = None) -> NoReturn:
        raise InputError(f"{self.name}:{self.number if line is None else line}: {why}") from None

    def next(self) -> bytes | None:
        """The next line that is not empty, without blanks around it; None at the end."""
        if self.pending_line is not None:
            line, self.pending_line = self.pending_line, None
            return line
        for line in self.lines:
            self.number += 1
            if stripped := line.strip():
                return stripped
        return None

    def read_counts(self) -> list[int]:
        r"""The number of n-grams of each order, from `\data\` on; lines before it are skipped."""
        while (line := self.next()) != b"\\data\\":
            if line is None:
                raise InputError(
                    f"{self.name}: no line \\data\\, expected a language model as ARPA, or one that rankscope wrote"
                )
        counts: list[int] = []
        while (line := self.next()) is not None and (match := COUNT_LINE.fullmatch(line)):
            order, n = map(int, match.groups())
            if order != len(counts) + 1:
                self.fail(f"the number of n-grams of order {order}, expected that of order {len(counts) + 1}")
            if not n and order == 1:
                self.fail("0 n-grams of order 1, expected words")
            counts.append(n)
        self.pending_line = line
        if not counts:
            self.fail("no number of n-grams, expected lines as 'ngram 1=565'")
        return counts

    def read_title(self, expected: bytes, preceding: str) -> None:
        """Read the title of a section. preceding: the section above it, for messages."""
        line = self.next()
        if line is None:
            self.fail(f"the file ends after {preceding}, expected the line {expected.decode()}; it is cut short")
        if line != expected:
            excerpt = line[:60].decode("utf-8", "replace")
            self.fail(
                f"{excerpt!r} after {preceding}, expected the line {expected.decode()}; numbers or lines are wrong"
            )

    def read_fields(self, order: int, n_ngrams: int) -> Iterable[tuple[int, list[list[bytes]]]]:
        """Blocks of lines as fields, with the number of the first line; a missing back-off becomes 0.

        Parameters
        ----------
        order
            Order of the n-grams.
        n_ngrams
            Number of lines.

        Raises
        ------
        InputError
            There are fewer lines, or a line has another number of fields.
        """
        n_read = 0
        while n_read < n_ngrams:
            lines = list(islice(self.lines, min(n_ngrams - n_read, LINES_AT_ONCE)))
            first_number = self.number + 1
            fields = [line.split() for line in lines]
            field_counts = set(map(len, fields))
            if not field_counts <= {order + 1, order + 2}:
                i = next(i for i, line_fields in enumerate(fields) if not order + 1 <= len(line_fields) <= order + 2)
                self.refuse_line(order, n_ngrams, n_read + i, fields[i], first_number + i)
            self.number += len(lines)
            n_read += len(lines)
            if order + 1 in field_counts:
                for line_fields in fields:
                    if len(line_fields) == order + 1:
                        line_fields.append(b"0")
            if lines:
                yield first_number, fields
            elif n_read < n_ngrams:
                ngrams_text = pluralise(n_ngrams, "n-gram")
                self.fail(
                    f"the file ends after {n_read:,} of {ngrams_text} of order {order}; it is cut short, fetch it again"
                )

    def refuse_line(self, order: int, n_ngrams: int, n_read: int, fields: list[bytes], line_number: int) -> NoReturn:
        """Raise InputError for a line that is no n-gram."""
        if not fields or fields[0].startswith(b"\\"):
            ngrams_text = pluralise(n_read, "n-gram")
            self.fail(
                f"{ngrams_text} of order {order}, expected {n_ngrams:,} as the head of the file says; it is damaged",
                line_number,
            )
        self.fail(
            f"{pluralise(len(fields), 'field')}, expected {order + 1} or {order + 2} (log10 of a probability, "
            f"{pluralise(order, 'word')}, a back-off)",
            line_number,
        )


#: log10 of the probability of an unknown word in a model without <unk>, as in KenLM.
LOG_UNKNOWN = -100.0
UPPER_UNKNOWN = b"<UNK>"


class ArpaColumns(NamedTuple):
    """The lines of one order, or some of them.

    Attributes
    ----------
    log10
        log10 of the probabilities.
    backoff
        log10 of the back-offs.
    """

    log10: Floats
    backoff: Floats


def read_arpa(lines: Iterable[bytes], name: str) -> LanguageModel:
    """The model of the lines of a file. Raises InputError with the number of a damaged line."""
    reader = ArpaLines(lines, name)
    counts = reader.read_counts()
    reader.read_title(b"\\1-grams:", "the numbers of n-grams")
    words, level, notes = read_words(reader, counts[0])
    numbers = {word: i for i, word in enumerate(words)}
    numbers.setdefault(UPPER_UNKNOWN, UNKNOWN)
    levels = [level]
    for order, n in enumerate(counts[1:], 2):
        reader.read_title(b"\\%d-grams:" % order, f"{counts[order - 2]:,} n-grams of order {order - 1}")
        levels.append(read_longer(reader, n, levels, numbers, len(words)))
    reader.read_title(b"\\end\\", f"{counts[-1]:,} n-grams of order {len(counts)}")
    return LanguageModel(tuple(words), tuple(levels), notes=tuple(notes))


def read_words(reader: ArpaLines, n_ngrams: int) -> tuple[list[bytes], NgramLevel, list[str]]:
    """The words, reserved ones first, with their probabilities and back-offs; and notes."""
    words, column_blocks, notes = [], [], []
    first_line = reader.number + 1
    for block_start, fields in reader.read_fields(1, n_ngrams):
        column_blocks.append(parse_columns(reader, block_start, fields))
        words += [line_fields[1] for line_fields in fields]
    rows = {word: i for i, word in enumerate(words)}
    duplicate = first_duplicate(words) if len(rows) < n_ngrams else None
    if duplicate is not None:
        reader.fail(
            f"the word {describe_words([words[duplicate]])} a second time, expected each once", first_line + duplicate
        )
    if RESERVED[UNKNOWN] not in rows and UPPER_UNKNOWN in rows:
        rows[RESERVED[UNKNOWN]] = rows.pop(UPPER_UNKNOWN)
    for mark in (START, END):
        if RESERVED[mark] not in rows:
            reader.fail(
                f"no word {RESERVED[mark].decode()} among {n_ngrams:,}, expected <s> and </s>; the model cannot be used"
            )
    rows_in_order = [rows.pop(word, -1) for word in RESERVED]
    rows_in_order += rows.values()
    log10 = np.concatenate([columns.log10 for columns in column_blocks])[rows_in_order]
    backoff = np.concatenate([columns.backoff for columns in column_blocks])[rows_in_order]
    if rows_in_order[UNKNOWN] < 0:
        log10[UNKNOWN], backoff[UNKNOWN] = LOG_UNKNOWN, 0.0
        notes.append(f"the model has no <unk>; unknown words count with log10 {LOG_UNKNOWN:g}")
    log10[START] = LOG_ZERO  # <s> is never predicted; lmplz writes 0
    return [*RESERVED, *rows], NgramLevel(np.arange(len(rows_in_order)), log10, backoff), notes


def read_longer(
    reader: ArpaLines, n_ngrams: int, levels: list[NgramLevel], numbers: Numbers, n_words: int
) -> NgramLevel:
    """The n-grams of the next order. Each context must be an n-gram of the order below."""
    order, first_line = len(levels) + 1, reader.number + 1
    key_blocks, column_blocks = [np.empty(0, np.int64)], [ArpaColumns(np.empty(0), np.empty(0))]
    for block_start, fields in reader.read_fields(order, n_ngrams):
        column_blocks.append(parse_columns(reader, block_start, fields))
        columns = [
            np.fromiter(map(numbers.get, (line_fields[k] for line_fields in fields), repeat(-1)), np.int64, len(fields))
            for k in range(1, order + 1)
        ]
        for k, column in enumerate(columns, 1):
            if column.min() < 0:
                i = int(np.argmin(column))
                reader.fail(
                    f"the word {describe_words(fields[i][k : k + 1])} is none of those of order 1", block_start + i
                )
        rows = columns[0]
        for k, (level, column) in enumerate(zip(levels[1:], columns[1:-1], strict=True), 2):
            rows = level.index.find(rows * n_words + column)
            if rows.min() < 0:
                i = int(np.argmin(rows))
                reader.fail(
                    f"its context {describe_words(fields[i][1 : k + 1])} is no n-gram of order {k}", block_start + i
                )
        key_blocks.append(rows * n_words + columns[-1])
    all_keys = np.concatenate(key_blocks)
    key_order = np.argsort(all_keys, kind="stable")
    sorted_keys = all_keys[key_order]
    repeats = np.flatnonzero(sorted_keys[1:] == sorted_keys[:-1])
    if repeats.size:
        i = int(key_order[repeats + 1].min())
        reader.fail(f"an n-gram of order {order} a second time, expected each once", first_line + i)
    log10, backoff = (np.concatenate(column)[key_order] for column in zip(*column_blocks, strict=True))
    return NgramLevel(sorted_keys, log10, backoff)


def parse_columns(reader: ArpaLines, first_line: int, fields: list[list[bytes]]) -> ArpaColumns:
    """The first and the last field of each line as numbers."""
    columns = []
    for field_index, quantity in ((0, "log10 of a probability"), (-1, "log10 of a back-off")):
        texts = [line_fields[field_index] for line_fields in fields]
        values, unparsed = parse_floats(as_fields(texts))
        for i in unparsed.tolist():
            if texts[i].lower() not in (b"-inf", b"-infinity"):
                reader.fail(f"{describe_words([texts[i]])} is no number, expected {quantity}", first_line + i)
            values[i] = LOG_ZERO
        columns.append(values)
    log10, backoff = columns
    invalid = np.flatnonzero(~((log10 <= 0) & np.isfinite(log10) & np.isfinite(backoff)))
    if invalid.size:
        i = int(invalid[0])
        reader.fail(
            f"log10 {log10[i]:g} of a probability and {backoff[i]:g} of a back-off, expected at most 0 and a number",
            first_line + i,
        )
    return ArpaColumns(log10, backoff)


def describe_words(words: list[bytes]) -> str:
    return repr(b" ".join(words)[:80].decode("utf-8", "replace"))


#: N-grams that are written at a time.
NGRAMS_AT_ONCE = 50_000


def arpa_chunks(model: LanguageModel) -> Iterator[bytes]:
    """The text, piece by piece: log10 with nine digits, back-offs of all orders but the highest."""
    counts = "".join(f"ngram {k}={level.keys.size}\n" for k, level in enumerate(model.levels, 1))
    yield f"\\data\\\n{counts}".encode()
    for order, level in enumerate(model.levels, 1):
        yield b"\n\\%d-grams:\n" % order
        line = b"%.9g\t" + b" ".join([b"%b"] * order) + (b"\t%.9g\n" if order < model.order else b"\n")
        for start in range(0, level.keys.size, NGRAMS_AT_ONCE):
            row_slice = slice(start, start + NGRAMS_AT_ONCE)
            columns = [
                map(model.words.__getitem__, word_numbers.tolist())
                for word_numbers in word_columns(model, order, row_slice)
            ]
            backoff = [level.backoff[row_slice].tolist()] if order < model.order else []
            rows = zip(level.log10[row_slice].tolist(), *columns, *backoff, strict=True)
            yield line * level.keys[row_slice].size % tuple(chain.from_iterable(rows))
    yield b"\n\\end\\\n"


def word_columns(model: LanguageModel, order: int, row_slice: slice) -> list[npt.NDArray[np.int64]]:
    """The first, second, ... words of n-grams of an order, found from the last word back through the contexts."""
    columns, rows = [], np.arange(model.levels[order - 1].keys.size)[row_slice]
    for level in model.levels[order - 1 : 0 : -1]:
        rows, words = context_and_word(level.keys[rows], len(model.words))
        columns.append(words)
    return [rows, *reversed(columns)]

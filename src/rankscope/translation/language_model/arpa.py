"""ARPA, the text format that all tools for n-gram models read and write."""

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
    find_rows,
)
from rankscope.translation.language_model.vocabulary import END, RESERVED, START, UNKNOWN, Numbers
from rankscope.typing import Floats

__all__ = [
    "ArpaLines",
    "arpa_chunks",
    "read_arpa",
]


#: Lines that are held at a time.
LINES_AT_ONCE = 50_000
COUNT_LINE = re.compile(rb"ngram\s+(\d{1,9})\s*=\s*(\d{1,15})")


class ArpaLines:
    """A file that is read from its begin to its end. number: of the line that was read last."""

    def __init__(self, lines: Iterable[bytes], name: str) -> None:
        self.rest, self.name, self.number = iter(lines), name, 0
        self.held: bytes | None = None

    def refuse(self, why: str, line: int | None = None) -> NoReturn:
        raise InputError(f"{self.name}:{self.number if line is None else line}: {why}") from None

    def next(self) -> bytes | None:
        """The next line that is not empty, without blanks around it; None at the end."""
        if self.held is not None:
            line, self.held = self.held, None
            return line
        for line in self.rest:
            self.number += 1
            if stripped := line.strip():
                return stripped
        return None

    def head(self) -> list[int]:
        r"""How many n-grams of each order there are, from `\data\` on; what stands before it is passed over."""
        while (line := self.next()) != b"\\data\\":
            if line is None:
                raise InputError(
                    f"{self.name}: no line \\data\\, expected a language model as ARPA, or one that rankscope wrote"
                )
        counts: list[int] = []
        while (line := self.next()) is not None and (found := COUNT_LINE.fullmatch(line)):
            order, n = map(int, found.groups())
            if order != len(counts) + 1:
                self.refuse(f"the number of n-grams of order {order}, expected that of order {len(counts) + 1}")
            if not n and order == 1:
                self.refuse("0 n-grams of order 1, expected words")
            counts.append(n)
        self.held = line
        if not counts:
            self.refuse("no number of n-grams, expected lines as 'ngram 1=565'")
        return counts

    def title(self, expected: bytes, before: str) -> None:
        """Read the title of a part. before: what stands above it."""
        line = self.next()
        if line is None:
            self.refuse(f"the file ends after {before}, expected the line {expected.decode()}; it is cut short")
        if line != expected:
            shown = line[:60].decode("utf-8", "replace")
            self.refuse(f"{shown!r} after {before}, expected the line {expected.decode()}; numbers or lines are wrong")

    def part(self, order: int, n: int) -> Iterable[tuple[int, list[list[bytes]]]]:
        """The fields of n lines, some at a time, with the number of the first; each has its back-off, 0 where none is.

        Raises InputError where there are fewer, and for a line with another number of fields.
        """
        read = 0
        while read < n:
            lines = list(islice(self.rest, min(n - read, LINES_AT_ONCE)))
            first = self.number + 1
            fields = [line.split() for line in lines]
            sizes = set(map(len, fields))
            if not sizes <= {order + 1, order + 2}:
                i = next(i for i, one in enumerate(fields) if not order + 1 <= len(one) <= order + 2)
                self.refuse_line(order, n, read + i, fields[i], first + i)
            self.number += len(lines)
            read += len(lines)
            if order + 1 in sizes:
                for one in fields:
                    if len(one) == order + 1:
                        one.append(b"0")
            if lines:
                yield first, fields
            elif read < n:
                grams = pluralise(n, "n-gram")
                self.refuse(
                    f"the file ends after {read:,} of {grams} of order {order}; it is cut short, fetch it again"
                )

    def refuse_line(self, order: int, n: int, read: int, fields: list[bytes], number: int) -> NoReturn:
        """A line that is no n-gram."""
        if not fields or fields[0].startswith(b"\\"):
            grams = pluralise(read, "n-gram")
            self.refuse(f"{grams} of order {order}, expected {n:,} as the head of the file says; it is damaged", number)
        self.refuse(
            f"{pluralise(len(fields), 'field')}, expected {order + 1} or {order + 2} (log10 of a probability, "
            f"{pluralise(order, 'word')}, a back-off)",
            number,
        )


#: Of an unknown word in a model without <unk>, as KenLM has it.
LOG_UNKNOWN = -100.0
UPPER_UNKNOWN = b"<UNK>"


class ArpaColumns(NamedTuple):
    """The lines of one order, or some of them."""

    log10: Floats
    backoff: Floats


def read_arpa(lines: Iterable[bytes], name: str) -> LanguageModel:
    """The model of the lines of a file. Raises InputError with the line for what is damaged."""
    reader = ArpaLines(lines, name)
    counts = reader.head()
    reader.title(b"\\1-grams:", "the numbers of n-grams")
    words, level, notes = read_words(reader, counts[0])
    numbers = {word: i for i, word in enumerate(words)}
    numbers.setdefault(UPPER_UNKNOWN, UNKNOWN)
    levels = [level]
    for order, n in enumerate(counts[1:], 2):
        reader.title(b"\\%d-grams:" % order, f"{counts[order - 2]:,} n-grams of order {order - 1}")
        levels.append(read_longer(reader, n, levels, numbers, len(words)))
    reader.title(b"\\end\\", f"{counts[-1]:,} n-grams of order {len(counts)}")
    return LanguageModel(tuple(words), tuple(levels), notes=tuple(notes))


def read_words(reader: ArpaLines, n: int) -> tuple[list[bytes], NgramLevel, list[str]]:
    """The words, those that are reserved first, with their probabilities and back-offs; and what is to be said."""
    found, parts, notes = [], [], []
    first = reader.number + 1
    for start, fields in reader.part(1, n):
        parts.append(parse_columns(reader, start, fields))
        found += [one[1] for one in fields]
    rows = {word: i for i, word in enumerate(found)}
    again = first_duplicate(found) if len(rows) < n else None
    if again is not None:
        reader.refuse(f"the word {describe_words([found[again]])} a second time, expected each once", first + again)
    if RESERVED[UNKNOWN] not in rows and UPPER_UNKNOWN in rows:
        rows[RESERVED[UNKNOWN]] = rows.pop(UPPER_UNKNOWN)
    for mark in (START, END):
        if RESERVED[mark] not in rows:
            reader.refuse(
                f"no word {RESERVED[mark].decode()} among {n:,}, expected <s> and </s>; the model cannot be used"
            )
    order = [rows.pop(word, -1) for word in RESERVED]
    order += rows.values()
    log10 = np.concatenate([part.log10 for part in parts])[order]
    backoff = np.concatenate([part.backoff for part in parts])[order]
    if order[UNKNOWN] < 0:
        log10[UNKNOWN], backoff[UNKNOWN] = LOG_UNKNOWN, 0.0
        notes.append(f"the model has no <unk>; unknown words count with log10 {LOG_UNKNOWN:g}")
    log10[START] = LOG_ZERO  # lmplz writes 0 for what is never asked
    return [*RESERVED, *rows], NgramLevel(np.arange(len(order)), log10, backoff), notes


def read_longer(reader: ArpaLines, n: int, levels: list[NgramLevel], numbers: Numbers, words: int) -> NgramLevel:
    """The n-grams of the next order. Each context has to be one of the order below."""
    order, first = len(levels) + 1, reader.number + 1
    keys, parts = [np.empty(0, np.int64)], [ArpaColumns(np.empty(0), np.empty(0))]
    for start, fields in reader.part(order, n):
        parts.append(parse_columns(reader, start, fields))
        columns = [
            np.fromiter(map(numbers.get, (one[k] for one in fields), repeat(-1)), np.int64, len(fields))
            for k in range(1, order + 1)
        ]
        for k, column in enumerate(columns, 1):
            if column.min() < 0:
                i = int(np.argmin(column))
                reader.refuse(f"the word {describe_words(fields[i][k : k + 1])} is none of those of order 1", start + i)
        rows = columns[0]
        for k, (level, column) in enumerate(zip(levels[1:], columns[1:-1], strict=True), 2):
            rows = find_rows(level.keys, rows * words + column)
            if rows.min() < 0:
                i = int(np.argmin(rows))
                reader.refuse(
                    f"its context {describe_words(fields[i][1 : k + 1])} is no n-gram of order {k}", start + i
                )
        keys.append(rows * words + columns[-1])
    every = np.concatenate(keys)
    by_key = np.argsort(every, kind="stable")
    in_order = every[by_key]
    twice = np.flatnonzero(in_order[1:] == in_order[:-1])
    if twice.size:
        i = int(by_key[twice + 1].min())
        reader.refuse(f"an n-gram of order {order} a second time, expected each once", first + i)
    log10, backoff = (np.concatenate(column)[by_key] for column in zip(*parts, strict=True))
    return NgramLevel(in_order, log10, backoff)


def parse_columns(reader: ArpaLines, start: int, fields: list[list[bytes]]) -> ArpaColumns:
    """The first and the last field of each line as numbers."""
    columns = []
    for place, what in ((0, "log10 of a probability"), (-1, "log10 of a back-off")):
        texts = [one[place] for one in fields]
        values, bad = parse_floats(as_fields(texts))
        for i in bad.tolist():
            if texts[i].lower() not in (b"-inf", b"-infinity"):
                reader.refuse(f"{describe_words([texts[i]])} is no number, expected {what}", start + i)
            values[i] = LOG_ZERO
        columns.append(values)
    log10, backoff = columns
    wrong = np.flatnonzero(~((log10 <= 0) & np.isfinite(log10) & np.isfinite(backoff)))
    if wrong.size:
        i = int(wrong[0])
        reader.refuse(
            f"log10 {log10[i]:g} of a probability and {backoff[i]:g} of a back-off, expected at most 0 and a number",
            start + i,
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
        for begin in range(0, level.keys.size, NGRAMS_AT_ONCE):
            part = slice(begin, begin + NGRAMS_AT_ONCE)
            columns = [map(model.words.__getitem__, column.tolist()) for column in word_columns(model, order, part)]
            backoff = [level.backoff[part].tolist()] if order < model.order else []
            rows = zip(level.log10[part].tolist(), *columns, *backoff, strict=True)
            yield line * level.keys[part].size % tuple(chain.from_iterable(rows))
    yield b"\n\\end\\\n"


def word_columns(model: LanguageModel, order: int, part: slice) -> list[npt.NDArray[np.int64]]:
    """The first, second, ... words of n-grams of an order: from the last one back, through the contexts."""
    columns, rows = [], np.arange(model.levels[order - 1].keys.size)[part]
    for level in model.levels[order - 1 : 0 : -1]:
        rows, words = context_and_word(level.keys[rows], len(model.words))
        columns.append(words)
    return [rows, *reversed(columns)]

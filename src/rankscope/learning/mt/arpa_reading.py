"""A language model from ARPA, the text that KenLM, SRILM, IRSTLM and rankscope write."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple

import numpy as np

from rankscope.data.rows import first_duplicate
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import as_fields
from rankscope.learning.mt.arpa_lines import ArpaLines
from rankscope.learning.mt.language_model import LOG_ZERO, LanguageModel, NgramLevel
from rankscope.learning.mt.ngram_counts import find_rows
from rankscope.learning.mt.vocabulary import END, RESERVED, START, UNKNOWN, Numbers
from rankscope.typing import Floats

__all__ = ["read_arpa"]


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

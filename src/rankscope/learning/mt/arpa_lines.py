"""The lines of an ARPA file with their numbers, and its parts: what each error needs to say where it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import NoReturn

from rankscope.data.wording import pluralise
from rankscope.errors import InputError

__all__ = ["ArpaLines"]

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

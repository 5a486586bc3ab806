"""Ids that differ in their spelling only: case of letters, blanks around them, zeros before a number, .0 behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = [
    "by_plain_spelling",
    "same_but_for_spelling",
    "spelling_advice",
]


#: Zeros before a number, and the end of a whole number that was read as a fraction.
ZEROS, FRACTION = re.compile(r"(?<![0-9.])0+(?=[0-9])"), re.compile(r"(?<=[0-9])\.0+$")


def plain_spelling(name: str) -> str:
    """The name without what its spelling adds.

    >>> plain_spelling(" Q007 "), plain_spelling("12.0"), plain_spelling("1.05")
    ('q7', '12', '1.05')
    """
    return ZEROS.sub("", FRACTION.sub("", name.strip().casefold()))


def by_plain_spelling(names: Iterable[str]) -> dict[str, str]:
    """The names by their plain spellings."""
    return {plain_spelling(name): name for name in names}


def same_but_for_spelling(names: Iterable[str], others: Mapping[str, str]) -> tuple[str, str] | None:
    """The first of the names that is one of the others in another spelling, and that one; None without one.

    others: by their plain spellings.

    >>> same_but_for_spelling(["q9", "Q1"], by_plain_spelling(["q1", "q2"]))
    ('Q1', 'q1')
    """
    pairs = ((name, others.get(plain_spelling(name), name)) for name in names)
    return next(((name, other) for name, other in pairs if name != other), None)


def spelling_advice(names: Iterable[str], others: Iterable[str], otherwise: str = "") -> str:
    """What to do about the first name that is another one in another spelling; `otherwise` without one."""
    pair = same_but_for_spelling(names, by_plain_spelling(others))
    if pair is None:
        return otherwise
    return f"{pair[0]!r} and {pair[1]!r} differ in their spelling only: write ids in one way"

"""Numbers as Perl takes them from texts and prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "perl_digits",
    "perl_number",
]


#: The part of a text that perl uses as a number.
PERL_NUMBER = re.compile(
    rb"[ \t-\r]*([+-]?)(?:(inf|[qs]?nan)|1\.?#(inf|ind|[qs]?nan)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))", re.IGNORECASE
)


def perl_number(text: bytes) -> float:
    """The number at the beginning of a text by Perl's rules; 0 if there is none.

    >>> perl_number(b" 1.5e3x"), perl_number(b"abc"), perl_number(b"-Infinity"), perl_number(b"0x10")
    (1500.0, 0.0, -inf, 0.0)
    """
    match = PERL_NUMBER.match(text)
    if match is None:
        return 0.0
    sign, name, windows_name, digits = match.groups()
    if digits is not None:
        return float(sign + digits)
    return float(sign + b"inf") if (name or windows_name).lower() == b"inf" else float("nan")


def perl_digits(numbers: Sequence[float]) -> str:
    """Numbers in the form in which perl prints them."""
    return "\t".join([f"{number:.15g}" for number in numbers])

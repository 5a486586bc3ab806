"""The day of a time in a log: ISO 8601, or seconds or milliseconds since 1970."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta

import numpy as np

from rankscope.errors import InputError
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import Fields, decode, hashes
from rankscope.online.logs import Texts
from rankscope.typing import Ints

__all__ = [
    "day_of_time",
    "day_text",
]


EPOCH = date(1970, 1, 1)
#: Characters of the date in a time, as 2026-03-01.
DATE = 10
#: From this number on a time is in milliseconds: as seconds it would be in the year 5138.
MILLISECONDS = 100_000_000_000
SECONDS_OF_A_DAY = 86_400


def day_of_time(times: Texts, where: Callable[[int], str]) -> Ints:
    """(n) days since 1970-01-01, in the time zone in which the times are written.

    Raises InputError for a time that is missing or cannot be read. where: gives file and line of an impression.
    """
    fields = times.fields
    dates = Fields(fields.buffer, fields.starts, np.minimum(fields.lengths, DATE))
    _, first, inverse = np.unique(hashes(dates), return_index=True, return_inverse=True)
    days = np.array([days_since_epoch(text) for text in decode(dates.take(first))])[inverse]
    others = np.flatnonzero(np.isnan(days))
    if others.size:
        seconds, unread = parse_floats(fields.take(others))
        seconds = np.where(seconds >= MILLISECONDS, seconds / 1000, seconds)
        seconds[unread] = np.nan
        days[others] = np.floor(seconds / SECONDS_OF_A_DAY)
    if np.isnan(days).any():
        row = int(np.isnan(days).argmax())
        raise InputError(
            f"{where(row)}: the time is {times.text(row)!r}, expected ISO 8601 as 2026-03-01T12:00:00Z, or seconds "
            "since 1970; correct it"
        )
    return days.astype(np.int64)


def days_since_epoch(text: bytes) -> float:
    """The day of a date; NaN for anything else."""
    if len(text) == DATE and text[4:5] == b"-":
        with suppress(ValueError):
            return (date.fromisoformat(text.decode("ascii", "replace")) - EPOCH).days
    return np.nan


def day_text(day: int) -> str:
    """A day as text.

    >>> day_text(20_454)
    '2026-01-01'
    """
    return str(EPOCH + timedelta(days=day))

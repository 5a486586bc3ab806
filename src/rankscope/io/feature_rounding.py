"""What float32 makes of large numbers: those that lie close together become one, and a note says of which features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.typing import Reals

__all__ = ["rounding_notes"]

#: From here on float32 has no longer all whole numbers.
EXACT = 2.0**24
#: A feature with fewer steps than so many from its least to its greatest number is noted.
STEPS = 1 << 16


def rounding_notes(values: Reals, names: Sequence[str], name: str) -> list[str]:
    """A note for each feature of float32 that is large and varies little, as times in seconds since 1970 do.

    Zeros are passed over: they may stand for what is missing.

    >>> times = np.float32([[1_700_000_000], [1_700_010_000]])
    >>> rounding_notes(times, ["time"], "test")[0].partition(";")[0]
    "test: the numbers of feature 'time', 1700000000 to 1700009984, are kept in steps of 128 only (float32)"
    """
    if values.dtype != np.float32:
        return []
    notes = []
    largest = np.maximum(values.max(axis=0), -values.min(axis=0))
    for column in np.flatnonzero(largest >= EXACT).tolist():
        found = values[:, column]
        found = found[found != 0]
        low, high = float(found.min()), float(found.max())
        step = 2.0 ** (int(np.log2(largest[column])) - 23)
        if 0 < high - low < STEPS * step:
            notes.append(
                f"{name}: the numbers of feature {names[column]!r}, {low:.10g} to {high:.10g}, are kept in steps of "
                f"{step:g} only (float32); if less makes a difference, write them less their lowest, or in Python read "
                "with dtype='float64'"
            )
    return notes

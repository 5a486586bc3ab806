"""Tables that would be nearly empty: a small file can ask for one that fills the memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.errors import InputError

__all__ = [
    "FREE",
    "refuse_sparse",
]


#: So many cells any table may have, and so many more for each cell that is filled.
FREE, EACH = 1 << 23, 50


def refuse_sparse(sizes: Sequence[int], filled: int, where: str, what: str) -> None:
    """Raise InputError for a large table of which nearly all would be empty.

    sizes: how many rows, columns and so on it would have. filled: how many cells are given. what: of what it is.
    """
    cells = math.prod(sizes)
    if cells > FREE + EACH * filled:
        size = " x ".join(f"{size:,}" for size in sizes)
        raise InputError(
            f"{where}: {size} {what}, a table of which 1 cell in {cells // max(filled, 1):,} is filled, expected at "
            f"least 1 in {EACH}; check the names, or cut the file into parts that belong together"
        )

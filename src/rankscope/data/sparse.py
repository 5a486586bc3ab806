"""Refuses tables that would be nearly empty: a small file can name one that fills the memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.errors import InputError

__all__ = [
    "CELLS_PER_VALUE",
    "FREE_CELLS",
    "refuse_sparse",
]


#: Cells that any table may have, and further cells that each value allows.
FREE_CELLS, CELLS_PER_VALUE = 1 << 23, 50


def refuse_sparse(sizes: Sequence[int], n_filled: int, where: str, noun: str) -> None:
    """Raise InputError for a large table that would be nearly empty.

    Parameters
    ----------
    sizes
        Numbers of rows, columns and so on.
    n_filled
        Number of cells with a value.
    where
        What the message begins with.
    noun
        What the table holds, for the message.
    """
    cells = math.prod(sizes)
    if cells > FREE_CELLS + CELLS_PER_VALUE * n_filled:
        shape_text = " x ".join(f"{size:,}" for size in sizes)
        raise InputError(
            f"{where}: {shape_text} {noun}, a table of which 1 cell in {cells // max(n_filled, 1):,} is filled, "
            f"expected at least 1 in {CELLS_PER_VALUE}; check the names, or cut the file into parts that belong "
            "together"
        )

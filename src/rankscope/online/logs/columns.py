"""Columns of lists in frames of a log: flattened, with lengths that agree, and names as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.errors import InputError
from rankscope.kernels.segments import bounds, group_of
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FlatColumn",
    "check_ranks",
    "clicked_ranks",
    "flat_column",
    "name_codes",
    "same_lengths",
]


class FlatColumn(NamedTuple):
    """A column of lists.

    Attributes
    ----------
    offsets
        (rows + 1) where the entries of each row begin.
    values
        All entries.
    """

    offsets: Ints
    values: pl.Series


def flat_column(lists: pl.Series, where: Callable[[int], str], *, nulls: bool = False) -> FlatColumn:
    """The entries of a column of lists. Raises InputError for a row without a list, and unless `nulls` for null in one.

    where: gives file and line of a row.
    """
    if lists.null_count():
        row = int(lists.is_null().arg_true()[0])
        raise InputError(f"{where(row)}: no {lists.name}, expected a list as in the other lines, [] for an empty one")
    lengths = lists.list.len()
    offsets = bounds(lengths.cast(int).to_numpy())
    values = lists.filter(lengths > 0).explode()
    if not nulls and values.null_count():
        row = int(group_of(offsets)[int(values.is_null().arg_true()[0])])
        raise InputError(f"{where(row)}: null among {lists.name}, expected a value; correct it")
    return FlatColumn(offsets, values)


def same_lengths(columns: Sequence[tuple[str, FlatColumn]], where: Callable[[int], str]) -> Ints:
    """The offsets that all columns have. Raises InputError for a row in which two have different lengths."""
    (first_name, first), *others = columns
    for name, column in others:
        differs = np.diff(first.offsets) != np.diff(column.offsets)
        if differs.any():
            row = int(differs.argmax())
            lengths = [int(np.diff(entry.offsets[row : row + 2])[0]) for entry in (first, column)]
            raise InputError(
                f"{where(row)}: {first_name} has the length {lengths[0]}, {name} {lengths[1]}, expected one entry in "
                "each for every document; correct it"
            )
    return first.offsets


def name_codes(names: pl.Series, systems: Sequence[str] = ()) -> tuple[tuple[str, ...], Ints]:
    """The distinct names in their order, or `systems`, and each as a place among them; -1 for null, "" and others."""
    import polars as pl

    distinct = tuple(systems) or tuple(sorted(name for name in names.unique().to_list() if name))
    if not distinct:
        return (), np.full(names.len(), -1)
    codes = names.replace_strict(list(distinct), list(range(len(distinct))), default=-1, return_dtype=pl.Int64)
    return distinct, codes.fill_null(-1).to_numpy()


def check_ranks(ranks: Ints, row_of: Ints, where: Callable[[int], str]) -> None:
    """Raise InputError for a click whose rank is below 1. ranks: (clicks)."""
    if (ranks < 1).any():
        click = int((ranks < 1).argmax())
        raise InputError(
            f"{where(int(row_of[click]))}: a click at rank {ranks[click]}, expected ranks from 1; count from 1"
        )


def clicked_ranks(clicks: FlatColumn, documents: FlatColumn, where: Callable[[int], str]) -> Ints:
    """(clicks) the rank of each clicked document in the list of its row. Raises InputError for one not in it."""
    import polars as pl

    shown = pl.DataFrame({"row": group_of(documents.offsets), "id": documents.values})
    shown = shown.with_columns(rank=pl.int_range(1, pl.len() + 1).over("row")).unique(["row", "id"], keep="first")
    clicked = pl.DataFrame({"row": group_of(clicks.offsets), "id": clicks.values})
    ranks = clicked.join(shown, on=["row", "id"], how="left", maintain_order="left")["rank"]
    if ranks.null_count():
        click = int(ranks.is_null().arg_true()[0])
        row = int(clicked["row"][click])
        raise InputError(f"{where(row)}: a click on {clicked['id'][click]!r}, which is not in its list; correct it")
    return ranks.cast(int).to_numpy()

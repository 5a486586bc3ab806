"""Shares of a Parquet file: so many rows each, moved to where one query ends and the next begins.

Where shares begin is settled by whoever reads them, so that nobody has to look into the file to cut it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import NamedTuple

from rankscope.data.rows import Rows
from rankscope.data.stretches import RowBatch, complete_queries
from rankscope.io.table_stretches import ParquetRows
from rankscope.io.tables import PARQUET
from rankscope.kernels.text import decode

__all__ = ["ParquetSplit", "split_rows"]


class ParquetSplit(NamedTuple):
    """One of so many parts of a file: the queries that begin in it. number: from 0 on."""

    number: int
    of: int


def split_rows(path: str | PathLike[str], share: ParquetSplit) -> Iterator[Rows]:
    """The rows of a share, query by query; a query that no share begins with belongs to one before.

    Raises Ungrouped where a query comes up again within the share; InputError that names the row.
    """
    name = fspath(path)
    table = ParquetRows(name, name)
    begin, end = (table.height * place // share.of for place in (share.number, share.number + 1))
    return complete_queries(batches_begun_within(table, begin, end), lambda row: PARQUET.row_called.format(name, row))


def batches_begun_within(table: ParquetRows, begin: int, end: int) -> Iterator[RowBatch]:
    """The stretches that begin in these rows, whole, wherever they end."""
    row = max(begin - 1, 0)  # which tells whether a query begins behind it
    last = b""
    ours = False  # whether the stretch that may go on is
    while row < table.height and (row < end or ours):
        piece = table.stretches(row)
        n = piece.starts.size
        first, next_last = (decode(piece.queries.slice(slice(at, at + 1)))[0] for at in (0, n - 1))
        goes_on = bool(last) and first == last
        starts = row + piece.starts
        kept = (starts >= begin) & (starts < end)
        if goes_on:
            kept[0] = ours
        found = kept.nonzero()[0]  # they stand together
        if found.size:
            yield piece.part(int(found[0]), int(found[-1]) + 1)
        ours, last = bool(kept[-1]), next_last
        row += piece.values.size

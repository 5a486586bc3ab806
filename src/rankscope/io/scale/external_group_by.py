"""Grouping the rows of a run by query on disk, by way of files in the temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, RowBatch, RowNumbers, Rows, group_rows, pack_strings
from rankscope.io.core import temporary_folder_errors
from rankscope.kernels.order import ranges, stable_order
from rankscope.kernels.text import hashes
from rankscope.typing import Ints

__all__ = [
    "ExternalGroupBy",
]


File = IO[bytes]
#: Files that the rows are spread over, and bytes of one that is held in memory.
FILES, LARGEST = 64, 32 << 20
#: What is written of a row beside its document's id. code: of its query, by first appearance.
RECORD = np.dtype([("code", "<u4"), ("length", "<u4"), ("number", "<i8"), ("value", "<f8")])
HEAD = np.dtype("<i8")


class ExternalGroupBy:
    """The rows of a run, of which only some are in memory. Closes its files at the end of `with`.

    name: of the run, for errors. files, largest: how many files, and bytes of one that is not taken apart.
    """

    def __init__(self, name: str, files: int = FILES, largest: int = LARGEST) -> None:
        self.name, self.files, self.largest = name, files, largest
        self.known = Interner()
        self._stack = ExitStack()
        self._stretches = np.zeros(0, np.int64)  # of each query
        self._last = -1
        self._ids: list[bytes] = []

    def __enter__(self) -> ExternalGroupBy:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # of what could not be written, which has been said
            self._stack.close()

    @property
    def apart(self) -> int:
        """How many queries did not have their rows together."""
        return int((self._stretches > 1).sum())

    def rows(self, pieces: Iterable[RowBatch], say: Callable[[int], str]) -> Iterator[Rows]:
        """All rows, each query once and whole, its rows in their order; queries in any order.

        say: as of `RowNumbers`. Raises OutputError where the temporary folder fails, and what the pieces raise.
        """
        with temporary_folder_errors(self.name):
            buckets = self._new_files()
        for piece in pieces:
            codes = self._count(piece)
            with temporary_folder_errors(self.name):
                self._spread(piece, codes, buckets, 1)
        self._ids = list(self.known.ids)
        yield from self._read(buckets, 1, 0, say)

    def _new_files(self) -> list[File]:
        return [self._stack.enter_context(tempfile.TemporaryFile(buffering=1 << 16)) for _ in range(self.files)]

    def _count(self, piece: RowBatch) -> Ints:
        """(rows) the code of each one's query; counts stretches on the way."""
        codes = self.known.codes(piece.queries)
        begin = 1 if codes.size and codes[0] == self._last else 0
        found = np.bincount(codes[begin:], minlength=len(self.known.ids))
        found[: self._stretches.size] += self._stretches
        self._stretches = found
        self._last = int(codes[-1]) if codes.size else self._last
        return np.repeat(codes, np.diff(np.append(piece.starts, piece.values.size)))

    def _spread(self, piece: RowBatch, codes: Ints, buckets: list[File], step: int) -> None:
        """Append rows to the files of their queries. step: how many codes go to one file before the next one's turn."""
        place = codes // step % self.files
        order = stable_order(place)
        records = np.empty(codes.size, RECORD)
        records["code"], records["length"] = codes[order], piece.docs.lengths[order]
        records["number"], records["value"] = piece.numbers[order], piece.values[order]
        lengths = piece.docs.lengths[order]
        texts = piece.docs.buffer[ranges(piece.docs.starts[order], lengths)]
        ends = np.append(0, np.cumsum(lengths))
        rows = np.searchsorted(place[order], np.arange(self.files + 1))
        for b in np.flatnonzero(np.diff(rows)).tolist():
            a, z = int(rows[b]), int(rows[b + 1])
            head = np.array([z - a, ends[z] - ends[a]], HEAD)
            buckets[b].write(b"".join((head.data, records[a:z].data, texts[ends[a] : ends[z]].data)))

    def _read(self, buckets: list[File], step: int, first: int, say: Callable[[int], str]) -> Iterator[Rows]:
        """first: the lowest code that may be in the first of these files."""
        for b, file in enumerate(buckets):
            code, next_step = first + b * step, step * self.files
            with temporary_folder_errors(self.name):
                size = file.tell()
                file.seek(0)
            if size > self.largest and len(self.known.ids) > code + next_step:  # more than one query
                yield from self._read(self._taken_apart(file, next_step), next_step, code, say)
            elif size:
                yield self._grouped(file, say)

    def _taken_apart(self, file: File, step: int) -> list[File]:
        none = np.empty(0, np.int64)
        with temporary_folder_errors(self.name):
            buckets = self._new_files()
            for records, text in read_frames(file):
                docs = pack_strings([(text, records["length"])])
                piece = RowBatch(docs, none, docs, none.view(np.uint64), records["value"], records["number"])
                self._spread(piece, records["code"].astype(np.int64), buckets, step)
            file.close()
        return buckets

    def _grouped(self, file: File, say: Callable[[int], str]) -> Rows:
        with temporary_folder_errors(self.name):
            frames = list(read_frames(file))
            file.close()
        docs = pack_strings((text, records["length"]) for records, text in frames)
        records = np.concatenate([records for records, _ in frames])
        del frames
        codes, found = np.unique(records["code"], return_inverse=True)
        where = RowNumbers(docs.starts, records["number"].copy(), say)
        values = records["value"].copy()
        ids = [self._ids[code] for code in codes.tolist()]
        return group_rows(ids, found.astype(np.int64), docs, hashes(docs), values, where)[0]


def read_frames(file: File) -> Iterator[tuple[npt.NDArray[Any], bytes]]:
    """Records and ids as they were written, piece by piece."""
    while head := file.read(2 * HEAD.itemsize):
        n, size = np.frombuffer(head, HEAD).tolist()
        yield np.frombuffer(file.read(n * RECORD.itemsize), RECORD), file.read(size)

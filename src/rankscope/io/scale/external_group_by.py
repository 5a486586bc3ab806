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

    def rows(self, batches: Iterable[RowBatch], describe_row: Callable[[int], str]) -> Iterator[Rows]:
        """All rows, each query once and whole, its rows in their order; queries in any order.

        describe_row: as of `RowNumbers`. Raises OutputError where the temporary folder fails, and what the pieces raise.
        """
        with temporary_folder_errors(self.name):
            buckets = self._new_files()
        for batch in batches:
            codes = self._count(batch)
            with temporary_folder_errors(self.name):
                self._spread(batch, codes, buckets, 1)
        self._ids = list(self.known.ids)
        yield from self._read(buckets, 1, 0, describe_row)

    def _new_files(self) -> list[File]:
        return [self._stack.enter_context(tempfile.TemporaryFile(buffering=1 << 16)) for _ in range(self.files)]

    def _count(self, batch: RowBatch) -> Ints:
        """(rows) the code of each one's query; counts stretches on the way."""
        codes = self.known.codes(batch.queries)
        begin = 1 if codes.size and codes[0] == self._last else 0
        counts = np.bincount(codes[begin:], minlength=len(self.known.ids))
        counts[: self._stretches.size] += self._stretches
        self._stretches = counts
        self._last = int(codes[-1]) if codes.size else self._last
        return np.repeat(codes, np.diff(np.append(batch.starts, batch.values.size)))

    def _spread(self, batch: RowBatch, codes: Ints, buckets: list[File], step: int) -> None:
        """Append rows to the files of their queries. step: how many codes go to one file before the next one's turn."""
        file_index = codes // step % self.files
        order = stable_order(file_index)
        records = np.empty(codes.size, RECORD)
        records["code"], records["length"] = codes[order], batch.docs.lengths[order]
        records["number"], records["value"] = batch.numbers[order], batch.values[order]
        lengths = batch.docs.lengths[order]
        texts = batch.docs.buffer[ranges(batch.docs.starts[order], lengths)]
        ends = np.append(0, np.cumsum(lengths))
        row_bounds = np.searchsorted(file_index[order], np.arange(self.files + 1))
        for bucket in np.flatnonzero(np.diff(row_bounds)).tolist():
            start, end = int(row_bounds[bucket]), int(row_bounds[bucket + 1])
            head = np.array([end - start, ends[end] - ends[start]], HEAD)
            buckets[bucket].write(b"".join((head.data, records[start:end].data, texts[ends[start] : ends[end]].data)))

    def _read(self, buckets: list[File], step: int, first_code: int, describe_row: Callable[[int], str]) -> Iterator[Rows]:
        """first: the lowest code that may be in the first of these files."""
        for index, file in enumerate(buckets):
            lowest_code, next_step = first_code + index * step, step * self.files
            with temporary_folder_errors(self.name):
                size = file.tell()
                file.seek(0)
            if size > self.largest and len(self.known.ids) > lowest_code + next_step:  # more than one query
                yield from self._read(self._taken_apart(file, next_step), next_step, lowest_code, describe_row)
            elif size:
                yield self._grouped(file, describe_row)

    def _taken_apart(self, file: File, step: int) -> list[File]:
        no_rows = np.empty(0, np.int64)
        with temporary_folder_errors(self.name):
            buckets = self._new_files()
            for records, id_bytes in read_frames(file):
                docs = pack_strings([(id_bytes, records["length"])])
                batch = RowBatch(docs, no_rows, docs, no_rows.view(np.uint64), records["value"], records["number"])
                self._spread(batch, records["code"].astype(np.int64), buckets, step)
            file.close()
        return buckets

    def _grouped(self, file: File, describe_row: Callable[[int], str]) -> Rows:
        with temporary_folder_errors(self.name):
            frames = list(read_frames(file))
            file.close()
        docs = pack_strings((id_bytes, records["length"]) for records, id_bytes in frames)
        records = np.concatenate([records for records, _ in frames])
        del frames
        codes, code_index = np.unique(records["code"], return_inverse=True)
        row_numbers = RowNumbers(docs.starts, records["number"].copy(), describe_row)
        values = records["value"].copy()
        ids = [self._ids[code] for code in codes.tolist()]
        return group_rows(ids, code_index.astype(np.int64), docs, hashes(docs), values, row_numbers)[0]


def read_frames(file: File) -> Iterator[tuple[npt.NDArray[Any], bytes]]:
    """Records and ids as they were written, piece by piece."""
    while head := file.read(2 * HEAD.itemsize):
        n_records, n_bytes = np.frombuffer(head, HEAD).tolist()
        yield np.frombuffer(file.read(n_records * RECORD.itemsize), RECORD), file.read(n_bytes)

"""Grouping the rows of a large run by query, with files in the temporary folder."""

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
#: The number of files that the rows are spread over, and the largest file in bytes that is read into memory.
FILES, LARGEST = 64, 32 << 20
#: The fixed-size part of a row, written before the document ids. code: of its query, by first appearance.
RECORD = np.dtype([("code", "<u4"), ("length", "<u4"), ("number", "<i8"), ("value", "<f8")])
HEAD = np.dtype("<i8")


class ExternalGroupBy:
    """Groups the rows of a run, with few of them in memory at a time. Closes its files at the end of `with`.

    name: of the run, for errors. files: the number of files. largest: bytes above which a file is split again.
    """

    def __init__(self, name: str, files: int = FILES, largest: int = LARGEST) -> None:
        self.name, self.n_files, self.max_bytes = name, files, largest
        self.query_ids = Interner()
        self._stack = ExitStack()
        self._stretches = np.zeros(0, np.int64)  # (queries) the number of stretches of each
        self._last_code = -1
        self._ids: list[bytes] = []

    def __enter__(self) -> ExternalGroupBy:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # of failed writes, which have been reported
            self._stack.close()

    @property
    def n_ungrouped(self) -> int:
        """The number of queries whose rows were not together."""
        return int((self._stretches > 1).sum())

    def rows(self, batches: Iterable[RowBatch], describe_row: Callable[[int], str]) -> Iterator[Rows]:
        """All rows grouped by query, those of a query in their original order; queries in any order.

        Parameters
        ----------
        batches
            Batches of rows.
        describe_row
            Number of a row -> its name in messages.

        Raises
        ------
        OutputError
            The temporary folder cannot be used.
        """
        with temporary_folder_errors(self.name):
            buckets = self._new_files()
        for batch in batches:
            codes = self._count(batch)
            with temporary_folder_errors(self.name):
                self._spread(batch, codes, buckets, 1)
        self._ids = list(self.query_ids.ids)
        yield from self._read(buckets, 1, 0, describe_row)

    def _new_files(self) -> list[File]:
        return [self._stack.enter_context(tempfile.TemporaryFile(buffering=1 << 16)) for _ in range(self.n_files)]

    def _count(self, batch: RowBatch) -> Ints:
        """(rows) the code of each row's query; also counts the stretches of each query."""
        codes = self.query_ids.codes(batch.queries)
        begin = 1 if codes.size and codes[0] == self._last_code else 0
        counts = np.bincount(codes[begin:], minlength=len(self.query_ids.ids))
        counts[: self._stretches.size] += self._stretches
        self._stretches = counts
        self._last_code = int(codes[-1]) if codes.size else self._last_code
        return np.repeat(codes, np.diff(np.append(batch.starts, batch.values.size)))

    def _spread(self, batch: RowBatch, codes: Ints, buckets: list[File], step: int) -> None:
        """Append rows to the files of their queries. step: the number of consecutive codes that share a file."""
        file_index = codes // step % self.n_files
        order = stable_order(file_index)
        records = np.empty(codes.size, RECORD)
        records["code"], records["length"] = codes[order], batch.docs.lengths[order]
        records["number"], records["value"] = batch.numbers[order], batch.values[order]
        lengths = batch.docs.lengths[order]
        texts = batch.docs.buffer[ranges(batch.docs.starts[order], lengths)]
        ends = np.append(0, np.cumsum(lengths))
        row_bounds = np.searchsorted(file_index[order], np.arange(self.n_files + 1))
        for bucket in np.flatnonzero(np.diff(row_bounds)).tolist():
            start, end = int(row_bounds[bucket]), int(row_bounds[bucket + 1])
            head = np.array([end - start, ends[end] - ends[start]], HEAD)
            buckets[bucket].write(b"".join((head.data, records[start:end].data, texts[ends[start] : ends[end]].data)))

    def _read(
        self, buckets: list[File], step: int, first_code: int, describe_row: Callable[[int], str]
    ) -> Iterator[Rows]:
        """The rows in these files, grouped. first_code: the lowest code that may be in the first of the files."""
        for index, file in enumerate(buckets):
            lowest_code, next_step = first_code + index * step, step * self.n_files
            with temporary_folder_errors(self.name):
                size = file.tell()
                file.seek(0)
            if size > self.max_bytes and len(self.query_ids.ids) > lowest_code + next_step:  # more than one query
                yield from self._read(self._split_file(file, next_step), next_step, lowest_code, describe_row)
            elif size:
                yield self._group_file(file, describe_row)

    def _split_file(self, file: File, step: int) -> list[File]:
        no_rows = np.empty(0, np.int64)
        with temporary_folder_errors(self.name):
            buckets = self._new_files()
            for records, id_bytes in read_frames(file):
                docs = pack_strings([(id_bytes, records["length"])])
                batch = RowBatch(docs, no_rows, docs, no_rows.view(np.uint64), records["value"], records["number"])
                self._spread(batch, records["code"].astype(np.int64), buckets, step)
            file.close()
        return buckets

    def _group_file(self, file: File, describe_row: Callable[[int], str]) -> Rows:
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
    """The records and document ids of a file, as they were written."""
    while head := file.read(2 * HEAD.itemsize):
        n_records, n_bytes = np.frombuffer(head, HEAD).tolist()
        yield np.frombuffer(file.read(n_records * RECORD.itemsize), RECORD), file.read(n_bytes)

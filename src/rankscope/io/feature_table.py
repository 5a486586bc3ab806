"""A table of features that grows block by block: its width and height are known only at the end of the file."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from rankscope.data.sparse import refuse_sparse
from rankscope.errors import InputError
from rankscope.io.blocks import LineBlock
from rankscope.io.feature_lines import Dtype, FeatureGrid, FlatFeatures, LineReader
from rankscope.io.letor import BlockDocuments
from rankscope.typing import Ints, Reals

__all__ = ["GrowingTable"]

#: How much taller the table becomes where the file's size did not tell its height.
GROWTH = 1.3
#: What is kept free beyond the expected height, as a share.
SPARE = 1.02


class GrowingTable:
    """Rows of all blocks so far, zeros where a line did not name a feature.

    The table is made for the whole file, by the size of the first block's rows: memory is the table and a block, since
    a system gives pages only when they are written to. n_features: the width that was asked for. size: the file's
    bytes, 0 where nobody knows them.
    """

    def __init__(self, dtype: Dtype, n_features: int | None = None, size: int = 0) -> None:
        self.reader = LineReader(dtype)
        self.dtype, self.n_features, self.size = dtype, n_features, size
        self.values: Reals = np.zeros((0, n_features or 0), dtype)
        self.rows = 0
        #: The number of the first column: 0 once a line has a feature 0.
        self.base = 1
        #: How many values the lines name.
        self.given = 0
        #: The highest number that was seen.
        self.highest = -1

    def add(self, block: LineBlock, part: BlockDocuments) -> None:
        """Read the features of a block. Raises InputError."""
        found = self.reader.read(block, part)
        n = part.lines.size
        self.given += found.values.size
        if found.numbers.size:
            self.widen(found, block, part)
        self.heighten(n, block.end - block.begin)
        table = self.values[self.rows : self.rows + n]
        if isinstance(found, FeatureGrid):
            m = found.numbers.size
            first = int(found.numbers[0]) - self.base
            together = int(found.numbers[-1]) - self.base - first == m - 1
            table[:, slice(first, first + m) if together else found.numbers - self.base] = found.values
        elif found.numbers.size:
            table[found.rows, found.numbers - self.base] = found.values
        self.rows += n

    def widen(self, found: FeatureGrid | FlatFeatures, block: LineBlock, part: BlockDocuments) -> None:
        """Room for all features of a block."""
        highest, base = max(self.highest, int(found.numbers.max())), min(self.base, int(found.numbers.min()))
        width = highest - base + 1
        rows = self.rows + part.lines.size
        refuse_sparse((rows, width), self.given, block.name, "documents and features")
        if self.n_features is not None:
            if width > self.n_features:
                refuse_beyond(found, block, part, base, self.n_features)
            width = self.n_features
        if width > self.values.shape[1] or base < self.base:
            old, shift = self.values, self.base - base
            self.values = self.zeros(old.shape[0], width)
            kept = min(old.shape[1], width - shift)
            self.values[: self.rows, shift : shift + kept] = old[: self.rows, :kept]
        self.highest, self.base = highest, base

    def heighten(self, n: int, size: int) -> None:
        """Room for n more rows. size: the bytes of their lines."""
        height, width = self.values.shape
        if self.rows + n <= height:
            return
        if not self.rows:
            self.values = self.zeros(max(int(n / size * self.size * SPARE), n), width)
            return
        try:  # in place: where it is large, the system moves pages and copies nothing
            self.values.resize((max(int(height * GROWTH), self.rows + n), width), refcheck=False)
        except MemoryError:
            refuse_size(self.rows + n, width)

    def zeros(self, height: int, width: int) -> Reals:
        try:
            return np.zeros((height, width), self.dtype)
        except MemoryError:
            refuse_size(height, width)

    def done(self, name: str) -> Reals:
        """The table, with the rows that it has, in place. Raises InputError for one that is nearly empty."""
        refuse_sparse((self.rows, self.values.shape[1]), self.given, name, "documents and features")
        self.values.resize((self.rows, self.values.shape[1]), refcheck=False)
        return self.values

    def names(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(self.base, self.base + self.values.shape[1]))


def refuse_beyond(
    found: FeatureGrid | FlatFeatures, block: LineBlock, part: BlockDocuments, base: int, n_features: int
) -> NoReturn:
    """Raise for the first feature that is beyond those asked for."""
    beyond: Ints = np.flatnonzero(found.numbers > base + n_features - 1)
    if not beyond.size:  # it was in an earlier block, which had no feature 0
        zero = int(np.argmax(found.numbers == 0))
        number, why = 0, f"and a feature {n_features} before it, "
        row = 0 if isinstance(found, FeatureGrid) else int(found.rows[zero])
    else:
        number, why = int(found.numbers[beyond[0]]), ""
        row = 0 if isinstance(found, FeatureGrid) else int(found.rows[beyond[0]])
    raise InputError(
        f"{block.name}:{part.lines[row]}: feature {number}, {why}expected {n_features} features, numbered from {base} "
        f"to {base + n_features - 1} (n_features); give the number that the file has, or leave it out"
    )


def refuse_size(height: int, width: int) -> NoReturn:
    raise InputError(
        f"a table of {height} documents and {width} features does not fit in memory; read a part of the file, or "
        "correct the numbers of the features"
    )

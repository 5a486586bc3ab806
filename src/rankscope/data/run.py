"""Run: one system's scored documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.frames import frame_rows, is_mapping_of_mappings
from rankscope.data.rows import Rows, names_of
from rankscope.kernels.text import decode

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Run"]


class Run:
    """The documents that one system retrieved for each query, with their scores (higher is better).

    data: `{query_id: {document_id: score}}`; or a data frame (polars, pandas, pyarrow: anything with
    the Arrow PyCapsule interface) or a mapping of columns (lists, NumPy arrays) with `query_id`,
    `doc_id`, `score`. To read a file, use `read_run`. name: the system's name; default "run".

    What it was given is kept as it is; it is validated when it meets the judgments, where a
    document that a query holds twice or a score that is not finite raises InputError.

    >>> import rankscope as rs
    >>> rs.Run({"q1": {"d1": 2.5, "d2": 1.0}}, name="bm25")
    Run('bm25', 1 query)
    """

    def __init__(self, data: Any, *, name: str = "run") -> None:
        self.name = name
        #: What the reader of a file noticed.
        self.notes: tuple[str, ...] = ()
        self._mapping: Mapping[str, Mapping[str, float]] | None = None
        self._rows: Rows | None = None
        if is_mapping_of_mappings(data):
            self._mapping = data
        else:
            self._rows = frame_rows(data, "score")

    @classmethod
    def from_rows(cls, rows: Rows, *, name: str, notes: tuple[str, ...] = ()) -> Run:
        """From what a reader made."""
        self = cls.__new__(cls)
        self.name, self.notes = name, notes
        self._mapping, self._rows = None, rows
        return self

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that it answers, in the order of the input."""
        if self._mapping is not None:
            return tuple(self._mapping)
        assert self._rows is not None
        return tuple(names_of(self._rows.query_ids))

    def frame(self) -> pl.DataFrame:
        """The run as a polars frame: query_id, doc_id, score, grouped by query, in the order of the input."""
        import polars as pl

        if self._mapping is not None:
            rows = [(q, d, float(s)) for q, docs in self._mapping.items() for d, s in docs.items()]
            return pl.DataFrame(rows, {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")
        assert self._rows is not None
        names = names_of(self._rows.query_ids, "replace")
        queries = np.repeat(np.array(names, object), np.diff(self._rows.offsets)).tolist()
        docs = names_of(decode(self._rows.docs), "replace")
        return pl.DataFrame({"query_id": queries, "doc_id": docs, "score": self._rows.values})

    def __repr__(self) -> str:
        n = len(self._mapping) if self._mapping is not None else len(self.query_ids)
        return f"Run({self.name!r}, {n} {'query' if n == 1 else 'queries'})"

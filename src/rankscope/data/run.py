"""Run: one system's scored documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.row_input import (
    DICT_SHAPE,
    detect_pieces,
    is_mapping_of_lists,
    is_mapping_of_mappings,
    refuse_columns,
    rows_from_data,
    rows_from_dicts,
    rows_from_lists,
)
from rankscope.data.rows import RowBatch, Rows, Ungrouped, complete_queries, concatenate_queries, decode_id, decode_ids
from rankscope.errors import InputError
from rankscope.kernels.text import decode

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Run",
]


class Run:
    """The documents that one system retrieved for each query, with their scores (higher is better).

    Parameters
    ----------
    data
        `{query_id: {document_id: score}}`, or `{query_id: [document_id, ...]}` with the best document first; or a data
        frame (polars, pandas, pyarrow: anything with the Arrow PyCapsule interface), a list of records or a mapping of
        columns (lists, NumPy arrays) with `query_id`, `doc_id` and `score` or `rank`, or with `query_id` and a list of
        ids in each row (`retrieved_ids`). Or an iterator, such as a generator, of pieces: (query_id, sequence of
        document ids, array of scores), each query once; or data frames, in which the rows of a query follow each other,
        possibly over several frames. To read a file, use `read_run`.
    name
        Name of the system. Default: "run".
    columns
        What the columns of a table are called: `{"query_id": "topic", "score": "sim"}`. Default: found by their usual
        names.

    Raises
    ------
    InputError
        When the run meets the judgments: a query holds a document twice, a score is not finite, or a query of an
        iterator occurs twice.

    Notes
    -----
    The data are kept as given, and validated when they meet the judgments. `evaluate` consumes an iterator piece by
    piece and holds little of it in memory; it can do so once. Everything else that needs the run holds all of it.

    Examples
    --------
    >>> import rankscope as rs
    >>> rs.Run({"q1": {"d1": 2.5, "d2": 1.0}}, name="bm25")
    Run('bm25', 1 query)
    >>> rs.Run({"q1": ["d1", "d2"]}).frame().rows()
    [('q1', 'd1', -1.0), ('q1', 'd2', -2.0)]
    """

    def __init__(self, data: Any, *, name: str = "run", columns: Mapping[str, str] | None = None) -> None:
        self.name = name
        #: Notes of the reader of the file.
        self.notes: tuple[str, ...] = ()
        #: `{query_id: {document_id: score}}` as it was given; None for other data.
        self.mapping: Mapping[str, Mapping[str, float]] | None = None
        self._loaded_rows: Rows | None = None
        self._pieces: Iterator[RowBatch] | None = None
        pieces = None
        if isinstance(data, Iterator):
            pieces, data = detect_pieces(data)
        if pieces is not None:
            self._pieces = pieces(data, f"run {name!r}", columns or {})
        elif is_mapping_of_mappings(data):
            refuse_columns(columns, DICT_SHAPE)
            self.mapping = data
        elif is_mapping_of_lists(data, columns):
            refuse_columns(columns, "lists by query")
            self._loaded_rows = rows_from_lists(data, f"run {name!r}", "score")
        else:
            self._loaded_rows = rows_from_data(data, "score", columns)

    @classmethod
    def from_rows(cls, rows: Rows, *, name: str, notes: tuple[str, ...] = ()) -> Run:
        """From the rows of a reader."""
        self = cls.__new__(cls)
        self.name, self.notes = name, notes
        self.mapping, self._loaded_rows, self._pieces = None, rows, None
        return self

    def rows(self, *, name: str | None = None) -> Rows:
        """All rows, grouped by query, in the order of the input; those of a mapping are made anew at each call.

        Parameters
        ----------
        name
            What messages call the run. Default: its own name.

        Returns
        -------
        Rows
            The rows.

        Raises
        ------
        InputError
            An id or a score of a mapping is wrong, or pieces are wrong or have been consumed already.
        """
        if self.mapping is not None:
            return rows_from_dicts(self.mapping, f"run {self.name if name is None else name!r}", "score")
        if self._loaded_rows is None:
            self._loaded_rows = concatenate_queries(self.row_portions(), self._describe_row)
        return self._loaded_rows

    def row_portions(self) -> Iterator[Rows]:
        """The rows in portions of whole queries, of a run that is not a mapping; an iterator gives them once only.

        Raises
        ------
        InputError
            As for `rows`.
        """
        if self._loaded_rows is not None:
            yield self._loaded_rows
            return
        pieces, self._pieces = self._pieces, None
        if pieces is None:
            raise InputError(
                f"run {self.name!r}: its pieces have been taken already, as an iterator gives them once; make it again"
            )
        has_rows = False
        try:
            for rows in complete_queries(pieces, self._describe_row):
                has_rows = True
                yield rows
        except Ungrouped as error:
            raise InputError(
                f"run {self.name!r}: query {decode_id(error.args[0])!r} comes twice, with others in between, expected "
                "its documents together; group them, or write a file and pass its path"
            ) from None
        if not has_rows:
            raise InputError(f"run {self.name!r}: its pieces hold no data, expected at least one document")

    def _describe_row(self, number: int) -> str:
        return f"run {self.name!r}: row {number}"

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that it answers, in the order of the input."""
        if self.mapping is not None:
            return tuple(self.mapping)
        return tuple(decode_ids(self.rows().query_ids))

    def frame(self) -> pl.DataFrame:
        """The run as a polars frame: query_id, doc_id, score, grouped by query, in the order of the input."""
        import polars as pl

        if self.mapping is not None:
            triples = [(q, d, float(s)) for q, docs in self.mapping.items() for d, s in docs.items()]
            return pl.DataFrame(
                triples, {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row"
            )
        rows = self.rows()
        query_ids = decode_ids(rows.query_ids, "replace")
        row_query_ids = np.repeat(np.array(query_ids, object), np.diff(rows.offsets)).tolist()
        doc_ids = decode_ids(decode(rows.docs), "replace")
        return pl.DataFrame({"query_id": row_query_ids, "doc_id": doc_ids, "score": rows.values})

    def __repr__(self) -> str:
        if self.mapping is None and self._loaded_rows is None:
            return f"Run({self.name!r}, in pieces)"
        n_queries = len(self.mapping) if self.mapping is not None else len(self.query_ids)
        return f"Run({self.name!r}, {n_queries} {'query' if n_queries == 1 else 'queries'})"

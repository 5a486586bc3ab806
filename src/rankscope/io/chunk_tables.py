"""The document of each chunk: from a table, a mapping or a pattern."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankscope.data.chunks import DocumentMap, DocumentPattern, DocumentTable
from rankscope.data.row_input import list_columns, refuse_bad_ids
from rankscope.errors import InputError, ParameterError
from rankscope.typing import PathLike

if TYPE_CHECKING:
    from rankscope.io.tables import Schema, Table

__all__ = [
    "document_map",
    "read_document_table",
]


#: Names of the two columns.
ALIASES = {
    "chunk": (
        *("chunk_id", "passage", "passage_id", "pid", "segment", "segment_id", "node_id", "node", "point_id", "id"),
        *("from", "retrieved"),
    ),
    "document": (
        *("document_id", "doc", "doc_id", "docid", "docno", "parent", "parent_id", "ref_doc_id", "source", "file"),
        *("to", "judged"),
    ),
}


def document_map(doc_of: Any) -> DocumentMap | None:
    """The document of each chunk, as users give it.

    Parameters
    ----------
    doc_of
        A file that exists, or else a pattern with one group; a mapping {chunk: document}; a data frame.

    Raises
    ------
    InputError
        The table cannot be read, an id is empty, or it has a chunk twice.
    ParameterError
        A text is neither a file nor a pattern with one group.
    """
    if doc_of is None or isinstance(doc_of, DocumentMap):
        return doc_of
    if isinstance(doc_of, str) and not os.path.exists(doc_of):
        return DocumentPattern(doc_of)
    if isinstance(doc_of, (str, os.PathLike)):
        return read_document_table(doc_of)
    if isinstance(doc_of, Mapping) and all(isinstance(document, str) for document in doc_of.values()):
        refuse_bad_ids(list(doc_of), "doc_of", "chunk")
        refuse_bad_ids(list(doc_of.values()), "doc_of", "document")
        if not doc_of:
            raise ParameterError("doc_of is an empty mapping, expected {chunk: document}")
        return DocumentTable.of(list(doc_of), list(doc_of.values()), "doc_of")
    from rankscope.io.tables import table_of_frame

    return table_of_columns(table_of_frame(doc_of, "doc_of", schema(), {}))


def read_document_table(path: PathLike) -> DocumentTable:
    """The table of chunks in a file: CSV, TSV, JSON lines, a JSON list of objects, or Parquet.

    Raises InputError, with file and line, for a missing column, an empty id, and a chunk that stands twice.
    """
    from rankscope.io.tables import parse_table, read_content

    if os.path.isdir(path):
        raise InputError(f"{os.fspath(path)}: a folder, expected a file with the columns chunk and document")
    return table_of_columns(parse_table(read_content(path), os.fspath(path), schema(), {}))


def schema() -> Schema:
    from rankscope.io.tables import Column, Schema

    return Schema(
        columns=(
            Column(name="chunk", aliases=ALIASES["chunk"], unique=True),
            Column(name="document", aliases=ALIASES["document"]),
        ),
        expected="a table of chunks and their documents: a line of names (chunk,document) and a chunk a line",
    )


def table_of_columns(table: Table) -> DocumentTable:
    """Raises InputError as `document_map`."""
    for name, aliases in ALIASES.items():
        if name not in table:
            raise InputError(
                f"{table.where}: no column {name!r} among {list_columns(table.frame.columns)}; rename one of them "
                f"(also understood: {', '.join(aliases)})"
            )
    chunks, documents = table.ids("chunk"), table.ids("document")
    return DocumentTable.of(chunks.to_list(), documents.to_list(), table.name)

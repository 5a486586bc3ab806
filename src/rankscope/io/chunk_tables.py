"""The document of each chunk: from a table, a mapping or a pattern."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.data.chunks import DocumentMap, DocumentTable, Merging, MergingSettings, as_document_map
from rankscope.data.run import Run
from rankscope.data.tables import Column, Schema, Table, table_of_frame
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, columns_of, file_stem, is_path, with_columns
from rankscope.io.read import read_run
from rankscope.typing import PathLike

__all__ = [
    "document_map",
    "merge_inputs",
    "merge_runs",
    "merging_of",
    "read_document_table",
]


SCHEMA = Schema(
    columns=(
        Column(
            name="chunk",
            aliases=(
                *("chunk_id", "passage", "passage_id", "pid", "segment", "segment_id", "node_id", "node", "point_id"),
                *("id", "from", "retrieved"),
            ),
            required=True,
            unique=True,
        ),
        Column(
            name="document",
            aliases=(
                *("document_id", "doc", "doc_id", "docid", "docno", "parent", "parent_id", "ref_doc_id", "source"),
                *("file", "to", "judged"),
            ),
            required=True,
        ),
    ),
    expected="a table of chunks and their documents: a line of names (chunk,document) and a chunk a line",
)


def document_map(doc_of: Any, columns: Mapping[str, str] | None = None) -> DocumentMap | None:
    """The document of each chunk, as users give it.

    Parameters
    ----------
    doc_of
        A file that exists, or else a pattern with one group; a mapping {chunk: document}; a data frame.
    columns
        What the columns of a table are called, as {"chunk": "part"}.

    Raises
    ------
    InputError
        The table cannot be read, an id is empty, or it has a chunk twice.
    ParameterError
        A text is neither a file nor a pattern with one group, or there are names of columns and no table.
    """
    if isinstance(doc_of, os.PathLike) or (isinstance(doc_of, str) and os.path.exists(doc_of)):
        return read_document_table(with_columns(doc_of, columns))
    is_mapping = isinstance(doc_of, Mapping) and all(isinstance(document, str) for document in doc_of.values())
    if doc_of is None or is_mapping or isinstance(doc_of, (str, DocumentMap)):
        if columns:
            raise ParameterError(
                f"columns (--columns) has {next(iter(columns))!r}, which is for a table of chunks, and doc_of "
                "(--doc-of) names none; leave it out"
            )
        return as_document_map(doc_of)

    return table_of_columns(table_of_frame(doc_of, "doc_of", SCHEMA, columns or {}))


def merging_of(settings: MergingSettings) -> Merging:
    """What becomes of documents that a query holds several times. Raises as `document_map`."""
    return Merging.of(settings.duplicates, document_map(settings.doc_of))


def merge_runs(runs: Any, merging: Merging, input: str | None = None) -> Any:
    """The runs with each document once a query; the runs as they are where nothing is to be merged.

    Raises InputError for a run that cannot be read, and as `Merging.merge`.
    """
    if not merging or not isinstance(runs, (list, tuple)):
        return runs
    check_single_stdin(runs)
    loaded = [read_run(run, input=input) if is_path(run) else run if isinstance(run, Run) else Run(run) for run in runs]
    names = [run.name for run in loaded]
    return [
        merge_run(run, merging, file_stem(path) if names.count(run.name) > 1 and is_path(path) else run.name)
        for run, path in zip(loaded, runs, strict=True)
    ]


def merge_inputs(runs: Any, duplicates: str | None, doc_of: Any, input: str | None) -> Any:
    """As `merge_runs`, with the arguments of public functions. Raises ParameterError for wrong ones, too."""
    return merge_runs(runs, merging_of(MergingSettings(duplicates=duplicates, doc_of=document_map(doc_of))), input)


def merge_run(run: Run, merging: Merging, name: str) -> Run:
    """The run with each document once a query; its notes say what was merged."""
    rows = run.rows(name=name)
    merged, _, adds_negative = merging.merge(rows)
    notes = merging.notes(name, np.diff(rows.offsets), np.diff(merged.offsets), adds_negative)
    return Run.from_rows(merged, name=name, notes=(*run.notes, *notes))


def read_document_table(path: PathLike) -> DocumentTable:
    """The table of chunks in a file: CSV, TSV, JSON lines, a JSON list of objects, or Parquet.

    Raises InputError, with file and line, for a missing column, an empty id, and a chunk that stands twice.
    """
    from rankscope.io.tables import read_table

    if os.path.isdir(path):
        raise InputError(f"{os.fspath(path)}: a folder, expected a file with the columns chunk and document")
    return table_of_columns(read_table(path, SCHEMA, columns_of(path)))


def table_of_columns(table: Table) -> DocumentTable:
    chunks, documents = table.ids("chunk"), table.ids("document")
    return DocumentTable.of(chunks.to_list(), documents.to_list(), table.name)

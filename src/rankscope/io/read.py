"""`read_qrels` and `read_run`: judgments and runs from files in any format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.errors import InputError
from rankscope.io.core import (
    FileContent,
    ReadRequest,
    Source,
    file_stem,
    is_folder,
    is_path,
    is_url,
    open_binary,
    open_source,
    source_name,
    ungrouped_note,
    with_columns,
)
from rankscope.io.rank_column import column_note
from rankscope.typing import PathLike

__all__ = [
    "is_dataset",
    "load_run",
    "read_judgments",
    "read_qrels",
    "read_run",
]


#: How the ids of data sets begin.
DATASET = "ir:"


def read_qrels(
    path: PathLike,
    *,
    input: str | None = None,
    subtopics: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    r"""Read judgments from a file.

    Parameters
    ----------
    path
        File; "-" is standard input. gzip and Zstandard are detected from the content. Also the folder of a data set in
        BEIR's form, or the id of a data set of the package ir_datasets whose files are on this machine, as
        "ir:beir/scifact/test".
    input
        Format: TREC (`query 0 document relevance`), CSV, TSV and JSONL with the columns query_id, doc_id, relevance,
        Parquet, JSON `{query: {document: relevance}}`. Default: detected from the content.
    subtopics
        Whether the judgments are by subtopic, or by group of judges: TREC's `query subtopic document relevance`, or
        with five fields preferences, `query group sub-group document level`; a column subtopic, or JSON `{query:
        {subtopic: {document: relevance}}}`, in the others (where it is detected).
    columns
        What the columns of a table are called: `{"query_id": "topic", "relevance": "rating"}`. Default: found by their
        usual names.

    Returns
    -------
    Qrels
        The judgments.

    Raises
    ------
    InputError
        With file and line: something cannot be read, or there are no subtopics.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.qrels")
    ...     _ = path.write_text("q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n")
    ...     read_qrels(path)
    Qrels(2 queries, 3 judgments)
    """
    path = with_columns(path, columns)
    content = read_judgments(path, ReadRequest("qrels", subtopics=subtopics), input)
    if subtopics and content.rows.subtopics is None:
        raise InputError(f"{source_name(path)}: no column 'subtopic', expected judgments by subtopic; add it")
    return Qrels.from_rows(content.rows, content.notes)


def is_dataset(path: object) -> bool:
    """Whether it is the id of a data set of ir_datasets, as "ir:beir/scifact/test", and not a path."""
    return isinstance(path, str) and path.startswith(DATASET)


def read_judgments(path: PathLike, request: ReadRequest, format_name: str | None) -> FileContent:
    """The judgments in a file, in a folder of BEIR's form or of a data set of ir_datasets, and notes on them."""
    notes: tuple[str, ...] = ()
    if is_dataset(path):
        from rankscope.io.other_tools import read_dataset

        return FileContent(read_dataset(str(path)))
    if is_folder(path) and not is_url(path):
        from rankscope.io.other_tools import judgments_in_folder

        path, notes = judgments_in_folder(path)
    with open_binary(path) as stream:
        content = open_source(stream, path, format_name).read(request)
    return content._replace(notes=(*notes, *content.notes))


def load_run(run: Run | PathLike | Any, input_: str | None) -> Run:
    """A run from what a public function takes: a run, a file, or anything that `Run` takes."""
    if is_path(run):
        return read_run(run, input=input_)
    return run if isinstance(run, Run) else Run(run)


def read_run(
    path: PathLike, *, name: str | None = None, input: str | None = None, columns: Mapping[str, str] | None = None
) -> Run:
    r"""Read one system's ranked lists from a file.

    Parameters
    ----------
    path
        File, or a folder, which is one run whose files are read one after the other; "-" is standard input. gzip and
        Zstandard are detected from the content.
    name
        Name of the system. Default: the tag of the first line, else the file's name without suffix.
    input
        Format: TREC (`query Q0 document rank score tag`), CSV, TSV and JSONL with the columns query_id, doc_id, score,
        Parquet, JSON `{query: {document: score}}`, and MS MARCO's `query document rank` (the score is minus the rank).
        Default: detected from the content.
    columns
        What the columns of a table are called: `{"query_id": "topic", "score": "sim"}`. Default: found by their usual
        names.

    Returns
    -------
    Run
        Lines of a query that are not together are merged, with a note.

    Raises
    ------
    InputError
        With file and line: something cannot be read.

    Notes
    -----
    To evaluate a large file, pass the path to `evaluate`: it reads the file in blocks and keeps only judged documents.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.run")
    ...     _ = path.write_text("q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8.25 bm25\n")
    ...     read_run(path).name
    'bm25'
    """
    path = with_columns(path, columns)
    if is_folder(path):
        from rankscope.io.large_runs import read_folder

        return read_folder(path, input, name)[0]
    with open_binary(path) as stream:
        return run_from_source(open_source(stream, path, input), name)


def run_from_source(source: Source, name: str | None = None) -> Run:
    """The run in an open file. name: as in `read_run`."""
    content = source.read(ReadRequest("run"))
    ungrouped_notes = (ungrouped_note(source.name, content.n_ungrouped),) if content.n_ungrouped else ()
    rank_note = column_note(source)
    notes = (*ungrouped_notes, *content.notes, *((rank_note,) if rank_note else ()))
    return Run.from_rows(content.rows, name=name or content.name or file_stem(source.path), notes=notes)

"""`convert`: judgments and runs from any readable format to any writable one, with notes on what the target drops."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.chunks import Merging, MergingSettings
from rankscope.data.entities import EntityRankSettings
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, decode_ids
from rankscope.data.run import Run
from rankscope.data.subtopics import merge_subtopics
from rankscope.data.text import first_names, pluralise_queries
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.chunk_tables import document_map, merging_of
from rankscope.io.core import (
    FORMATS,
    KINDS,
    ReadRequest,
    check_single_stdin,
    check_writable,
    compress,
    file_stem,
    get_format,
    is_folder,
    is_path,
    open_binary,
    open_source,
    refuse_overwriting,
    source_name,
    split_compression_suffix,
    ungrouped_note,
    writable_formats,
    write_chunks,
    write_stdout,
)
from rankscope.io.ideal import ideal_run
from rankscope.io.read import is_dataset, read_judgments
from rankscope.kernels.text import hashes
from rankscope.settings import as_names
from rankscope.typing import PathLike

__all__ = [
    "convert",
]


class Content(NamedTuple):
    """Checked rows: no document twice, all numbers finite.

    Attributes
    ----------
    rows
        The rows.
    input_name
        What messages call the input.
    name
        Name of the run.
    has_own_name
        Whether the input names it.
    notes
        What a reader should know.
    """

    rows: Rows
    input_name: str
    name: str = "run"
    has_own_name: bool = False
    notes: tuple[str, ...] = ()


class Target(NamedTuple):
    """The output file and its format.

    Attributes
    ----------
    path
        The file.
    format_name
        Its format.
    compression
        ".gz", ".zst" or "".
    kind
        "qrels" or "run" if the name says so.
    """

    path: PathLike
    format_name: str
    compression: str
    kind: str | None


def convert(
    source: PathLike | Qrels | Run,
    target: PathLike,
    *,
    to: str | None = None,
    input: str | None = None,
    kind: str | None = None,
    labels: PathLike | None = None,
    duplicates: str | None = None,
    doc_of: Any = None,
    ideal: bool = False,
    relevant: PathLike | None = None,
    systems: Any = (),
) -> tuple[str, ...]:
    """Write judgments or a run in another format; or scores of all items as the ranks of the relevant ones.

    Parameters
    ----------
    source
        A file ("-" is standard input) in any format that `read_qrels` and `read_run` take, or a Qrels or Run.
    target
        A file ("-" is standard output), written atomically. A further suffix `.gz` or `.zst` compresses.
    to
        Format of the target: "trec", "csv", "tsv", "jsonl", "json", "parquet", "lz4" (as ranx saves it; needs lz4 and
        cbor2), or "letor": label lines without features, and of a run its scores line by line, in the order of the run.
        Default: by the suffix of the target.
    input
        Format of the source; "letor" for a label file, or with `labels` for predictions, "letor-ranks" for rank
        positions. Default: detected from the content.
    kind
        "qrels" or "run", needed only if neither content nor suffix tells.
    labels
        Label file that belongs to a file of predictions.
    duplicates
        Documents that a query of a run holds several times: refuse them, or count the first, the highest score, or the
        sum of the scores. One of 'error', 'first', 'max', 'sum'. Default: error, or max for chunks.
    doc_of
        Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as
        '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a data
        frame). The best chunk of a document counts.
    ideal
        Write the best order possible of judgments as a run; see `ideal_run`.
    relevant
        File with the ids of the relevant items, a line each. The source is then a table with a line for each item and a
        column for the scores of each system, and the target a table of the ranks of the relevant items.
    systems
        Systems to read from a table with a column for each system: these columns. Default: all columns but the first.

    Returns
    -------
    tuple of str
        Notes on what the target does not hold.

    Raises
    ------
    InputError
        The source cannot be read, or the format cannot hold an id. Nothing is then written.
    ParameterError
        Arguments do not fit.
    OutputError
        The target cannot be written.

    Notes
    -----
    Kept are ids byte by byte, every bit of a score, the order of a run's lists, its name if the format has one, and
    subtopics. Ranks are written anew, from 1 by falling score, equal scores in the order of the input.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankscope as rs
    >>> with TemporaryDirectory() as folder:
    ...     notes = rs.convert(rs.Run({"q1": {"d1": 2.5, "d2": 0.1}}, name="bm25"), Path(folder, "bm25.run"))
    ...     print(Path(folder, "bm25.run").read_text(), end="")
    q1 Q0 d1 1 2.5 bm25
    q1 Q0 d2 2 0.1 bm25
    """
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    table_settings = EntityRankSettings(table_systems=as_names(systems))
    if relevant is not None:
        others = {"kind": kind, "labels": labels, "duplicates": duplicates, "doc_of": doc_of, "input": input}
        refuse_beside_relevant({**others, "ideal": ideal or None})
        return convert_scores_to_ranks(source, target, relevant, to, table_settings)
    if table_settings.table_systems:
        raise ParameterError(
            "systems (--systems) needs a file of relevant items; add relevant (--relevant), or leave out systems"
        )
    merging = merging_of(MergingSettings(duplicates=duplicates, doc_of=document_map(doc_of)))
    output = parse_target(target, to)
    to_stdout = os.fspath(target) == "-"
    if not to_stdout:
        check_writable(target)
        refuse_overwriting(target, [path for path in (source, labels) if is_path(path)])
    output_format = get_format(output.format_name)
    assert output_format.write is not None  # `parse_target` has refused the others
    output_format.prepare(os.fspath(target))
    hint = "qrels" if ideal else output.kind
    content = load_content(source, input, ReadRequest(kind, keep_all=True, hint=hint, labels=labels))
    if merging:
        content = merge_content(content, merging)
    if ideal:
        content = ideal_content(content)
    content_kind = content.rows.kind
    if output.kind not in (None, content_kind):
        raise ParameterError(
            f"{target}: named as {KINDS[output.kind or '']}, but {content.input_name} holds {KINDS[content_kind]}; "
            f"name it otherwise, or add --to {output.format_name}"
        )
    refuse_repeated_documents(content.rows)
    output_format.refuse(content.rows, content.name, content.input_name)
    chunks = compress(output_format.write(content.rows, content.name), output.compression)
    if to_stdout:
        write_stdout(chunks)
    else:
        write_chunks(target, chunks)
    return (*content.notes, *loss_notes(content, output))


def refuse_beside_relevant(others: dict[str, Any]) -> None:
    """Raise ParameterError for an argument about judgments and runs beside a list of relevant items."""
    for name, value in others.items():
        if value is not None:
            raise ParameterError(
                f"{name} (--{name.replace('_', '-')}) is for judgments and runs, and relevant (--relevant) ranks a "
                "table of scores; leave out one of them"
            )


def convert_scores_to_ranks(
    source: Any, target: PathLike, relevant: PathLike, to: str | None, settings: EntityRankSettings
) -> tuple[str, ...]:
    """Write the ranks of the relevant items among all. As `convert`."""
    from rankscope.io.tables import SEPARATORS, entity_ranks_text, rank_entities

    if not is_path(source):
        raise ParameterError(f"a {type(source).__name__}, expected the path of a table of scores beside relevant")
    check_single_stdin((source, relevant))
    output = parse_target(target, to)
    if output.format_name not in SEPARATORS:
        formats = ", ".join(SEPARATORS)
        raise ParameterError(f"{target}: a table of ranks is written as {formats}; choose such a suffix, or --to")
    to_stdout = os.fspath(target) == "-"
    if not to_stdout:
        check_writable(target)
        refuse_overwriting(target, [source, relevant])
    table = rank_entities(source, relevant, settings)
    chunks = compress(entity_ranks_text(table, output.format_name), output.compression)
    if to_stdout:
        write_stdout(chunks)
    else:
        write_chunks(target, chunks)
    return (
        *table.column_notes,
        f"ranks of {len(table):,} of {table.total_ranks:,} items by falling score, the mean rank for ties: read them "
        f"with --input entity-ranks --total-ranks {table.total_ranks} (in Python read_entity_ranks)",
    )


def load_content(source: PathLike | Qrels | Run, format_name: str | None, request: ReadRequest) -> Content:
    if is_path(source):
        return read_content(source, format_name, request)
    if not isinstance(source, (Qrels, Run)):
        raise ParameterError(f"a {type(source).__name__}, expected a path, a Qrels or a Run; wrap it, as in Run(data)")
    if format_name is not None or request.kind is not None or request.labels is not None:
        raise ParameterError("input, kind and labels belong to a file; leave them out")
    if isinstance(source, Qrels):
        return Content(qrels_rows(source), "the qrels")
    return Content(source.rows(), f"run {source.name!r}", source.name, True, source.notes)


def read_content(path: PathLike, format_name: str | None, request: ReadRequest) -> Content:
    """Read a file in any format. Raises ParameterError where neither its content nor the user tells its kind."""
    check_single_stdin((path, request.labels))
    if request.labels is None and (is_dataset(path) or (is_folder(path) and holds_qrels(path, request.kind))):
        content = read_judgments(path, request._replace(kind="qrels"), format_name)
        return Content(content.rows, source_name(path), file_stem(path), False, content.notes)
    if is_folder(path) and request.kind != "qrels" and request.labels is None:
        from rankscope.io.large_runs import read_folder

        run, has_tag = read_folder(path, format_name)
        return Content(run.rows(), source_name(path), run.name, has_tag, run.notes)
    with open_binary(path) as stream:
        source = open_source(stream, path, format_name)
        if request.labels is not None and not get_format(source.format).takes_labels:
            raise ParameterError("labels belong to a file of predictions; name its format with --input letor")
        content = source.read(request)
    kind = content.rows.kind
    if request.kind not in (None, kind):
        raise ParameterError(f"--kind {request.kind}: {source.name} is read as {kind}; leave --kind out")
    notes = (
        (ungrouped_note(source.name, content.n_ungrouped), *content.notes)
        if content.n_ungrouped and kind == "run"
        else content.notes
    )
    return Content(content.rows, source_name(path), content.name or file_stem(path), content.name is not None, notes)


def holds_qrels(folder: PathLike, kind: str | None) -> bool:
    """Whether a folder is that of a data set with judgments, as BEIR has them, and not a run in several files."""
    return kind == "qrels" or (kind is None and os.path.isdir(os.path.join(folder, "qrels")))


def merge_content(content: Content, merging: Merging) -> Content:
    """A run with each document once a query. Raises ParameterError for judgments."""
    rows = content.rows
    if rows.kind == "qrels":
        raise ParameterError(
            f"{content.input_name}: --duplicates and --doc-of (duplicates=, doc_of=) are for runs, and these are "
            "judgments; leave them out"
        )
    merged, _, adds_negative = merging.merge(rows)
    notes = merging.notes(content.name, np.diff(rows.offsets), np.diff(merged.offsets), adds_negative)
    return content._replace(rows=merged, notes=(*content.notes, *notes))


def ideal_content(content: Content) -> Content:
    """The best order possible of judgments, as a run. Raises ParameterError for a run."""
    if content.rows.kind != "qrels":
        raise ParameterError(
            f"{content.input_name}: --ideal (ideal=) is for judgments, whose best order it writes, and this is a run; "
            "name the judgments"
        )
    run = ideal_run(Qrels.from_rows(content.rows))
    return Content(run.rows(), content.input_name, run.name, False, content.notes)


def qrels_rows(data: Qrels) -> Rows:
    ids, docs = list(data.codes), data.docs
    if data.subtopics is None:
        return Rows(ids, data.offsets, docs, hashes(docs), data.relevance, str, kind="qrels")
    subtopics = data.subtopics
    if subtopics.subgroup is not None:
        raise InputError("the qrels: preferences, which no format can hold, expected judgments; keep the file as it is")
    docs = docs.take(subtopics.judged + data.offsets[subtopics.query])
    return Rows(ids, subtopics.offsets, docs, hashes(docs), subtopics.relevance, str, subtopics.ids, "qrels")


def refuse_repeated_documents(rows: Rows) -> None:
    """Raise InputError for a document that a query (or one of its subtopics) holds twice."""
    if rows.subtopics is None:
        rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
    else:
        merge_subtopics(rows)


def parse_target(path: PathLike, to: str | None) -> Target:
    """The target by its file name and `to`. Raises UnknownName, ParameterError where neither names a format."""
    format_names = writable_formats()
    if to is not None and to not in format_names:
        raise UnknownName("output format", to, format_names)
    name = os.fspath(path)
    if name == "-":
        if to is None:
            raise ParameterError(
                f"standard output has no suffix; name the format with --to ({', '.join(format_names)})"
            )
        return Target(path, to, "", None)
    stem, compression = split_compression_suffix(name)
    suffix = Path(stem).suffix.lower()
    formats = {suffix: format_name for format_name in format_names for suffix in FORMATS[format_name].suffixes}
    format_name = formats.get(suffix)
    if to is not None:
        if format_name == "lz4" and to not in ("lz4", "json"):
            raise ParameterError(f"{name}: .lz4 files hold ranx's dicts and no {to}; name the file otherwise")
        return Target(path, "lz4" if format_name == "lz4" else to, compression, None)
    if format_name is None:
        problem = f"the suffix {suffix!r} names no format" if suffix else "no suffix names a format"
        raise ParameterError(
            f"{name}: {problem}; add --to ({', '.join(format_names)}) or a suffix ({' '.join(formats)})"
        )
    return Target(path, format_name, compression, suffix[1:] if suffix[1:] in KINDS else None)


def loss_notes(content: Content, output: Target) -> list[str]:
    """Notes on what the target drops."""
    rows, output_format = content.rows, get_format(output.format_name)
    notes = []
    empty = decode_ids([rows.query_ids[query] for query in np.flatnonzero(np.diff(rows.offsets) == 0)])
    if empty and not output_format.keeps_empty:
        verb = "has" if len(empty) == 1 else "have"
        notes.append(
            f"{pluralise_queries(len(empty))} {verb} no documents, which {output.format_name} cannot represent; "
            f"skipped ({first_names(empty)})"
        )
    has_own_name = rows.kind == "run" and content.has_own_name and file_stem(output.path) != content.name
    if has_own_name and not output_format.keeps_name:
        notes.append(f"the run's name {content.name!r} is not kept: {output.format_name} has no place for it")
    return [*notes, *output_format.loss_notes(rows)]

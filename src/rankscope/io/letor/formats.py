"""The formats letor and letor-ranks: label files as judgments, and files of predictions or ranks as runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankscope.data.rows import Rows, decode_id
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import (
    FORMAT_ADVICE,
    FileContent,
    Format,
    ReadRequest,
    Source,
    format_numbers,
    interleave,
    pick_texts,
    refuse_blanks,
    refuse_foreign,
    row_pieces,
)
from rankscope.io.letor.labels import labels_from_source, read_labels
from rankscope.io.letor.predictions import predictions_from_source, scored_run

__all__ = [
    "LETOR",
    "LETOR_RANKS",
]


def reader_of(*, ranks: bool) -> Callable[[Source, ReadRequest], FileContent]:
    def read(source: Source, request: ReadRequest) -> FileContent:
        """Read a label file, or with `request.labels` a file of predictions."""
        refuse_foreign(source.head, source.name)
        if request.labels is None:
            if ranks:
                raise ParameterError("letor-ranks is a file of rank positions; name the label file with --labels")
            labels = labels_from_source(source)
            id_note = labels.documents[2]
            return FileContent(labels.rows(labels.relevance, "qrels")[0], notes=() if id_note is None else (id_note,))
        run = scored_run(read_labels(request.labels), predictions_from_source(source), source.path, ranks)
        return FileContent(run.rows(), notes=run.notes)

    return read


def write_rows(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    return score_lines(rows) if rows.kind == "run" else label_lines(rows)


def label_lines(rows: Rows) -> Iterator[bytes]:
    """Judgments as lines of LETOR: grade, query, and the document in the comment."""
    prefixes = [b" qid:" + id_ + b" #docid = " for id_ in rows.query_ids]
    for piece in row_pieces(rows):
        yield interleave(format_numbers(piece.values), pick_texts(prefixes, piece.queries), piece.docs, b"\n")


def score_lines(rows: Rows) -> Iterator[bytes]:
    """A run as a file of predictions: a score per line, in the order of the run."""
    for piece in row_pieces(rows):
        yield interleave(format_numbers(piece.values), b"\n")


def refuse_unwritable(rows: Rows, run_name: str, input_name: str) -> None:
    del run_name
    if rows.subtopics is not None:
        raise InputError(f"{input_name}: judgments by subtopic, which LETOR's lines cannot hold; {FORMAT_ADVICE}")
    invalid_id = next((id_ for id_ in rows.query_ids if b"#" in id_), None)
    if invalid_id is not None:
        raise InputError(
            f"{input_name}: the query id {decode_id(invalid_id)!r} holds a #, which begins a comment there; "
            f"{FORMAT_ADVICE}"
        )
    refuse_blanks(rows, input_name, "LETOR")


def letor_loss_notes(rows: Rows) -> list[str]:
    if rows.kind == "run":
        return ["a line of predictions holds only a score: queries, documents and the run's name are dropped"]
    return []


LETOR = Format(
    read=reader_of(ranks=False),
    write=write_rows,
    refuse=refuse_unwritable,
    loss_notes=letor_loss_notes,
    keeps_name=True,  # `letor_loss_notes` says that it is lost
    takes_labels=True,
    alternative="of two files, labels and predictions; use read_letor(labels, predictions)",
)
LETOR_RANKS = Format(
    read=reader_of(ranks=True),
    takes_labels=True,
    alternative="of two files, labels and rank positions; use read_letor(labels, ranks, ranks=True)",
)

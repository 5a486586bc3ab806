"""The formats letor and letor-ranks: label files as judgments, files of predictions or of ranks as runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankscope.data.rows import Rows, decode_id
from rankscope.errors import InputError, ParameterError
from rankscope.io.formats import FileContent, Format, ReadRequest, kind_of_rows
from rankscope.io.letor import labels_from_source, read_labels, scored_run
from rankscope.io.letor_predictions import predictions_from_source
from rankscope.io.read import Source
from rankscope.io.render import FORMAT_ADVICE, format_numbers, interleave, pick_texts, refuse_blanks, row_pieces
from rankscope.io.sniff import refuse_foreign

__all__ = ["LETOR", "LETOR_RANKS"]


def reader_of(*, ranks: bool) -> Callable[[Source, ReadRequest], FileContent]:
    def read(source: Source, wanted: ReadRequest) -> FileContent:
        """A label file, or with the labels given a file of predictions. The labels tell which."""
        refuse_foreign(source.head, source.name)
        if wanted.labels is None:
            if ranks:
                raise ParameterError("letor-ranks is a file of rank positions; name the label file with --labels")
            labels = labels_from_source(source)
            odd = labels.documents[2]
            return FileContent(labels.rows(labels.relevance)[0], notes=() if odd is None else (odd,))
        run = scored_run(read_labels(wanted.labels), predictions_from_source(source), source.path, ranks)
        assert run._rows is not None
        return FileContent(run._rows, notes=run.notes)

    return read


def write_rows(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    return score_lines(rows) if kind_of_rows(rows) == "run" else label_lines(rows)


def label_lines(rows: Rows) -> Iterator[bytes]:
    """Judgments as LETOR has them: grade, query, and the document in the comment."""
    heads = [b" qid:" + id_ + b" #docid = " for id_ in rows.query_ids]
    for piece in row_pieces(rows):
        yield interleave(format_numbers(piece.values), pick_texts(heads, piece.queries), piece.docs, b"\n")


def score_lines(rows: Rows) -> Iterator[bytes]:
    """A run as a file of predictions: a score a line, in the order of the run."""
    for piece in row_pieces(rows):
        yield interleave(format_numbers(piece.values), b"\n")


def refuse_unwritable(rows: Rows, name: str, shown: str) -> None:
    del name
    if rows.subtopics is not None:
        raise InputError(f"{shown}: judgments by subtopic, which LETOR's lines cannot hold; {FORMAT_ADVICE}")
    bad = next((id_ for id_ in rows.query_ids if b"#" in id_), None)
    if bad is not None:
        raise InputError(
            f"{shown}: the query id {decode_id(bad)!r} holds a #, which begins a comment there; {FORMAT_ADVICE}"
        )
    refuse_blanks(rows, shown, "LETOR")


def letor_loss_notes(rows: Rows) -> list[str]:
    if kind_of_rows(rows) == "run":
        return ["a line of predictions holds a score only: queries, documents and the run's name are not kept"]
    return []


LETOR = Format(
    read=reader_of(ranks=False),
    write=write_rows,
    refuse=refuse_unwritable,
    loses=letor_loss_notes,
    keeps_name=True,  # what it loses is said above
    takes_labels=True,
    instead="of two files, labels and predictions; use read_letor(labels, predictions)",
)
LETOR_RANKS = Format(
    read=reader_of(ranks=True),
    takes_labels=True,
    instead="of two files, labels and rank positions; use read_letor(labels, ranks, ranks=True)",
)

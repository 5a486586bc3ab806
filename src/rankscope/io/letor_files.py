"""The formats letor and letor-ranks: label files as judgments, files of predictions or of ranks as runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankscope.data.rows import Rows, name_of
from rankscope.errors import InputError, ParameterError
from rankscope.io.formats import File, Format, Wanted, kind_of
from rankscope.io.letor import labels_of, read_labels, scored
from rankscope.io.letor_predictions import predictions_of
from rankscope.io.read import Source
from rankscope.io.render import ADVICE, interleaved, numbers, pick, pieces, refuse_blanks
from rankscope.io.sniff import refuse_foreign

__all__ = ["LETOR", "LETOR_RANKS"]


def read_as(*, ranks: bool) -> Callable[[Source, Wanted], File]:
    def read(source: Source, wanted: Wanted) -> File:
        """A label file, or with the labels given a file of predictions. The labels tell which."""
        refuse_foreign(source.head, source.name)
        if wanted.labels is None:
            if ranks:
                raise ParameterError("letor-ranks is a file of rank positions; name the label file with --labels")
            labels = labels_of(source)
            odd = labels.documents[2]
            return File(labels.rows(labels.relevance)[0], notes=() if odd is None else (odd,))
        run = scored(read_labels(wanted.labels), predictions_of(source), source.path, ranks)
        assert run._rows is not None
        return File(run._rows, notes=run.notes)

    return read


def write(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    return score_lines(rows) if kind_of(rows) == "run" else label_lines(rows)


def label_lines(rows: Rows) -> Iterator[bytes]:
    """Judgments as LETOR has them: grade, query, and the document in the comment."""
    heads = [b" qid:" + id_ + b" #docid = " for id_ in rows.query_ids]
    for piece in pieces(rows):
        yield interleaved(numbers(piece.values), pick(heads, piece.queries), piece.docs, b"\n")


def score_lines(rows: Rows) -> Iterator[bytes]:
    """A run as a file of predictions: a score a line, in the order of the run."""
    for piece in pieces(rows):
        yield interleaved(numbers(piece.values), b"\n")


def refuse(rows: Rows, name: str, shown: str) -> None:
    del name
    if rows.subtopics is not None:
        raise InputError(f"{shown}: judgments by subtopic, which LETOR's lines cannot hold; {ADVICE}")
    bad = next((id_ for id_ in rows.query_ids if b"#" in id_), None)
    if bad is not None:
        raise InputError(f"{shown}: the query id {name_of(bad)!r} holds a #, which begins a comment there; {ADVICE}")
    refuse_blanks(rows, shown, "LETOR")


def losses(rows: Rows) -> list[str]:
    if kind_of(rows) == "run":
        return ["a line of predictions holds a score only: queries, documents and the run's name are not kept"]
    return []


LETOR = Format(
    read=read_as(ranks=False),
    write=write,
    refuse=refuse,
    loses=losses,
    keeps_name=True,  # what it loses is said above
    takes_labels=True,
    instead="of two files, labels and predictions; use read_letor(labels, predictions)",
)
LETOR_RANKS = Format(
    read=read_as(ranks=True),
    takes_labels=True,
    instead="of two files, labels and rank positions; use read_letor(labels, ranks, ranks=True)",
)

"""The formats letor and letor-ranks: label files of LETOR and SVMlight, `label qid:query ...`, as judgments, and
files of predictions or of ranks that belong to them as runs.

Accepted: LETOR 3 and 4 (`#docid = X` behind the features), MSLR (no comment), any comment, spaces or tabs, CRLF, blank
lines, lines that begin with `#`, queries in any order or mixed. The features are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Interner, RowKind, Rows, decode_id, decode_ids, group_rows
from rankscope.data.run import Run
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import (
    FORMAT_ADVICE,
    NUMBER,
    BlockReader,
    FileContent,
    Format,
    LineBlock,
    ReadRequest,
    Source,
    file_stem,
    find_lone_returns,
    format_numbers,
    interleave,
    looks_like_trec,
    open_binary,
    open_source,
    pick_texts,
    refuse_blanks,
    refuse_foreign,
    refuse_returns,
    row_pieces,
    source_name,
    ungrouped_note,
)
from rankscope.io.letor.fields import (
    BLOCK_SIZE,
    BlockLines,
    CollectedFields,
    begin_with,
    comment_starts,
    equal_word,
    field_ends,
    find_lines,
    leading_fields,
    single_numbers,
)
from rankscope.kernels.numbers import parse_floats, parse_integers
from rankscope.kernels.text import Fields, as_fields, changes, decode, hashes, words
from rankscope.typing import Bools, Bytes, Floats, Grades, Ints, PathLike

__all__ = [
    "LETOR",
    "LETOR_RANKS",
    "LetorLabels",
    "label_qrels",
    "prediction_run",
    "predictions_from_source",
    "read_labels",
    "read_letor",
    "read_predictions",
]


def read_predictions(path: PathLike) -> Floats:
    """Read a prediction file: one number per line, as float64.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.

    Returns
    -------
    array
        The numbers.

    Raises
    ------
    InputError
        With file and line: a line is not a finite number or is blank (except at the end), or the file is empty.
    """
    with open_binary(path) as stream:
        return predictions_from_source(open_source(stream, path, None))


def predictions_from_source(source: Source) -> Floats:
    values: list[Floats] = []
    first_blank = 0
    reader = BlockReader(source, source.name, BLOCK_SIZE)
    block = reader.next()
    while block is not None:
        lines, fields, has_more = single_numbers(block)
        blank_rows = np.flatnonzero(fields.lengths == 0)
        filled_rows = np.flatnonzero(fields.lengths) if blank_rows.size else np.arange(fields.starts.size)
        if filled_rows.size and (first_blank or (blank_rows.size and blank_rows[0] < filled_rows[-1])):
            number = first_blank or lines.first_line + int(blank_rows[0])
            raise InputError(
                f"{source.name}:{number}: a blank line, expected one number per line; remove it, or "
                "write the prediction of that document"
            )
        if blank_rows.size and not first_blank:
            first_blank = lines.first_line + int(blank_rows[0])
        values.append(finite_numbers(fields.take(filled_rows), has_more[filled_rows], lines, source.name))
        block = reader.next(block.end)
    predictions = np.concatenate(values)
    if not predictions.size:
        raise InputError(f"{source.name}: no data, only blank lines; expected one number per line")
    return predictions


def finite_numbers(fields: Fields, has_more: Bools, lines: BlockLines, name: str) -> Floats:
    """The numbers of consecutive lines. Raises InputError for anything else."""
    values, invalid = parse_floats(fields)
    is_valid = np.isfinite(values) & ~has_more
    is_valid[invalid] = False
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        description = (
            "more than one field" if has_more[row] else repr(decode_id(decode(fields.take(np.array([row])))[0]))
        )
        raise InputError(
            f"{name}:{lines.first_line + row}: {description}, expected one finite number per line; correct this line"
        )
    return values


EXPECTED = "label qid:query feature:value ..."
QID, FOUR_BYTES = np.uint64(int.from_bytes(b"qid:", "little")), np.uint64(0xFFFFFFFF)
DOCID = b"#docid = "


@dataclass(frozen=True, eq=False, kw_only=True)
class LetorLabels:
    """The n documents of a label file, in the order of its lines.

    Attributes
    ----------
    name
        Name of the file.
    relevance
        Grades, (n).
    query_index
        Index into `ids` of each document, (n).
    ids
        The queries (what follows `qid:`) in the order in which they first occur.
    docs
        Ids in the comments `#docid = X`, (n); None if a line has none.
    lines
        Number of each line, (n).
    """

    name: str
    relevance: Grades
    query_index: Ints
    ids: list[bytes]
    docs: Fields | None
    lines: Ints

    @property
    def query_ids(self) -> tuple[str, ...]:
        return tuple(decode_ids(self.ids))

    @property
    def is_grouped(self) -> bool:
        """Whether the lines of each query are together."""
        return 1 + int(np.count_nonzero(np.diff(self.query_index))) == len(self.ids)

    @cached_property
    def documents(self) -> tuple[Fields, npt.NDArray[np.uint64], str | None]:
        """Ids of the documents and their hashes, (n), and a note on repeated ids.

        Documents are named by line numbers if a line has no `#docid`, or a query has the same `#docid` twice.
        """
        note = None
        if self.docs is not None:
            docs_and_hashes = self.docs, hashes(self.docs)
            rows, _ = group_rows(self.ids, self.query_index, *docs_and_hashes, self.relevance, self.locator(self.docs))
            try:
                rows.refuse_duplicates(rows.keys(np.arange(len(self.ids))))
                return *docs_and_hashes, None
            except InputError as error:
                note = f"{str(error).split(';')[0]}; all documents are named by the numbers of their lines"
        numbers = as_fields([b"%d" % line for line in self.lines.tolist()])
        return numbers, hashes(numbers), note

    def locator(self, docs: Fields) -> Callable[[int], str]:
        """A function that gives file:line of a byte in the documents' ids."""
        return lambda position: f"{self.name}:{self.lines[np.searchsorted(docs.starts, position, side='right') - 1]}"

    def rows(self, values: npt.NDArray[Any], kind: RowKind) -> tuple[Rows, int]:
        """Rows of one value per document, grouped by query, and how many queries had lines that were not together."""
        docs, doc_hashes, _ = self.documents
        return group_rows(self.ids, self.query_index, docs, doc_hashes, values, self.locator(docs), kind=kind)

    def __len__(self) -> int:
        """The number of documents."""
        return int(self.relevance.size)

    def __repr__(self) -> str:
        return f"LetorLabels({self.name!r}, {len(self.ids)} queries, {len(self)} documents)"


class FeatureSpans(NamedTuple):
    """The positions of each document's features in the block's buffer, (n).

    Attributes
    ----------
    begins
        The blank after the query.
    stops
        Start of the comment, or end of the line.
    ends
        The newline.
    """

    begins: Ints
    stops: Ints
    ends: Ints


class BlockDocuments(NamedTuple):
    """The documents of one block.

    Attributes
    ----------
    relevance, query, lines
        Grade, query and line of each document.
    docs, spans
        Ids and positions of features; valid as long as the block.
    """

    relevance: Grades
    query: Ints
    lines: Ints
    docs: Fields | None
    spans: FeatureSpans | None


def read_labels(path: PathLike, *, progress: Callable[[int], Any] | None = None) -> LetorLabels:
    r"""Read the labels of a LETOR or SVMlight file.

    Parameters
    ----------
    path
        File; "-" is standard input. gzip and Zstandard are detected from the content.
    progress
        Called with the bytes of each block.

    Returns
    -------
    LetorLabels
        The labels. The file is read in blocks: memory grows with the number of lines, not with their features.

    Raises
    ------
    InputError
        With file and line: a line lacks `qid:`, a label is not a finite number, or the file is empty.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.txt")
    ...     _ = path.write_text("2 qid:10 1:0.5 2:1 #docid = D1\n0 qid:10 1:0.1 2:0 #docid = D2\n")
    ...     labels = read_labels(path)
    >>> labels.query_ids, labels.relevance.tolist()
    (('10',), [2, 0])
    """
    with open_binary(path) as stream:
        source = open_source(stream, path, None)  # refuses files of other programs by their first bytes
        return labels_from_source(source, progress)


def labels_from_source(
    source: Source,
    progress: Callable[[int], Any] | None = None,
    *,
    size: int = BLOCK_SIZE,
    on_block: Callable[[LineBlock, BlockDocuments], None] | None = None,
) -> LetorLabels:
    """As `read_labels`. size: bytes that are read at a time. on_block: called with each block and its documents."""
    blocks: list[BlockDocuments] = []
    interner, docs, all_named = Interner(), CollectedFields(), True
    reader = BlockReader(source, source.name, size, progress)
    block = reader.next()
    while block is not None:
        documents = read_documents(block, interner)
        if documents is not None:
            all_named = all_named and documents.docs is not None
            if all_named and documents.docs is not None:
                docs.add(documents.docs)
            if on_block is not None:
                on_block(block, documents)
            blocks.append(documents._replace(docs=None, spans=None))
        block = reader.next(block.end)
    if not blocks:
        raise InputError(f"{source.name}: no data, only comments and blank lines; expected {EXPECTED}")
    return LetorLabels(
        name=source.name,
        relevance=np.concatenate([documents.relevance for documents in blocks]),
        query_index=np.concatenate([documents.query for documents in blocks]),
        ids=list(interner.ids),
        docs=docs.fields() if all_named else None,
        lines=np.concatenate([documents.lines for documents in blocks]),
    )


def read_documents(block: LineBlock, interner: Interner) -> BlockDocuments | None:
    """The documents of a block; None where it holds none. Raises InputError for an invalid line."""
    lines = find_lines(block, comments=True)
    refuse_returns(block, find_lone_returns(block))
    comments = comment_starts(lines)
    starts, lengths = leading_fields(lines.buffer, lines.starts, comments, 2)
    rows = np.flatnonzero(lengths[:, 0] > 0)  # other lines are blank or comments
    if not rows.size:
        return None
    if rows.size < lengths.shape[0]:
        starts, lengths, comments = starts[rows], lengths[rows], comments[rows]
    labels = Fields(lines.buffer, starts[:, 0], lengths[:, 0])
    query_fields = Fields(lines.buffer, starts[:, 1], lengths[:, 1])
    relevance, is_grade = label_grades(labels)
    has_query = names_query(query_fields)
    if not (is_grade & has_query).all():
        refuse_line(block, lines, rows, labels, query_fields, has_query, int(np.argmin(is_grade & has_query)))
    queries = Fields(lines.buffer, query_fields.starts + 4, query_fields.lengths - 4)
    ends_in_hash = (query_fields.starts + query_fields.lengths == comments) & (comments < lines.ends[rows])
    if ends_in_hash.any():  # part of the id, or a comment? Two queries could become one.
        row = int(np.argmax(ends_in_hash))
        query_id = decode_id(decode(queries.take(np.array([row])))[0])
        raise InputError(
            f"{block.name}:{lines.first_line + int(rows[row])}: a # directly after the query id {query_id!r}, expected "
            "a blank before a comment and no # in an id; rename the query or add the blank"
        )
    ends = lines.ends[rows]
    docs = comment_ids(lines.buffer, comments, ends)
    spans = FeatureSpans(query_fields.starts + query_fields.lengths, comments, ends)
    return BlockDocuments(relevance, line_query_codes(queries, interner), lines.first_line + rows, docs, spans)


def line_query_codes(queries: Fields, interner: Interner) -> Ints:
    """The code of each line's query, looked up once for consecutive lines."""
    first_lines = np.flatnonzero(np.concatenate((np.ones(1, np.bool_), changes(queries))))
    return np.repeat(interner.codes(queries.take(first_lines)), np.diff(np.append(first_lines, queries.starts.size)))


def names_query(query_fields: Fields) -> Bools:
    """Whether each field is `qid:` followed by an id."""
    return np.asarray(((words(query_fields, 0) & FOUR_BYTES) == QID) & (query_fields.lengths > 4))


def label_grades(labels: Fields) -> tuple[Grades, Bools]:
    """The labels, and which are grades; 2.0 is whole, since some tools write all labels as floats."""
    numbers, invalid = parse_integers(labels)
    if not invalid.size:
        return numbers, np.ones(numbers.size, np.bool_)
    values, not_numbers = parse_floats(labels)
    values[not_numbers] = np.nan
    is_grade = ~invalid_grades(values)
    return (as_grades(values) if is_grade.all() else values), is_grade


def comment_ids(bytes_: Bytes, comments: Ints, ends: Ints) -> Fields | None:
    """The ids after `#docid =` in the comments; None where a line has no such comment."""
    if (comments >= ends).any():
        return None
    if begin_with(bytes_, comments, DOCID).all():  # as LETOR writes it
        id_starts = comments + len(DOCID)
        id_ends = field_ends(bytes_, id_starts)
        if (id_ends > id_starts).all():
            return Fields(bytes_, id_starts, id_ends - id_starts)
    starts, lengths = leading_fields(bytes_, comments, ends, 3, 48)
    has_docid = equal_word(bytes_, starts[:, 0], lengths[:, 0], b"#docid") & equal_word(
        bytes_, starts[:, 1], lengths[:, 1], b"="
    )
    if not (has_docid & (lengths[:, 2] > 0)).all():
        return None
    return Fields(bytes_, starts[:, 2], lengths[:, 2])


def refuse_line(
    block: LineBlock, lines: BlockLines, rows: Ints, labels: Fields, query_fields: Fields, has_query: Bools, row: int
) -> NoReturn:
    """Raise for an invalid line."""
    location = f"{block.name}:{lines.first_line + int(rows[row])}"
    row_index = np.array([row])
    if has_query[row]:
        text = decode_id(decode(labels.take(row_index))[0])
        raise InputError(
            f"{location}: label {text!r}, expected {EXPECTED_GRADE} (the line is {EXPECTED}); correct this line"
        )
    text = repr(decode_id(decode(query_fields.take(row_index))[0])) if query_fields.lengths[row] else "nothing"
    raise InputError(
        f"{location}: {text} after the label, expected qid: and the query's id (the line is {EXPECTED}); "
        f"{foreign_line_advice(lines.text(int(rows[row])))}"
    )


def foreign_line_advice(line: bytes) -> str:
    """Advice on a line without a query, by what it may be instead."""
    if looks_like_trec(line):
        return "this looks like judgments or a run; `rankscope features runs` makes feature lines from both"
    if b"qid:" in line:
        return "put qid: directly after the label"
    if NUMBER.fullmatch(line.strip()):
        return "this looks like predictions, or sizes of groups; if a command takes labels as well, name them first"
    if b"," in line:
        return "a table with commas needs a header line: query_id, relevance, and the features"
    return "add the query to every line, or name the format that this file has"


def label_qrels(labels: LetorLabels) -> Qrels:
    """The labels as judgments.

    Parameters
    ----------
    labels
        The labels.

    Returns
    -------
    Qrels
        A document's id is that of its comment (`#docid = X`), or, if a line has none or a query has one twice, the
        number of its line.
    """
    return Qrels.from_rows(labels.rows(labels.relevance, "qrels")[0])


def prediction_run(labels: LetorLabels, path: PathLike, *, ranks: bool = False, name: str | None = None) -> Run:
    """The documents of the labels, scored by a prediction file.

    Parameters
    ----------
    labels
        The labels.
    path
        File of predictions.
    ranks
        Whether the file holds rank positions (1 is best); the score is their negative.
    name
        Name of the system. Default: the file's name without suffix.

    Returns
    -------
    Run
        Documents with one score keep the order of the lines. Lines of a query that are not together are merged, with a
        note.

    Raises
    ------
    InputError
        The file cannot be read, its number of predictions differs, or a rank is below 1.
    """
    return scored_run(labels, read_predictions(path), path, ranks, name)


def scored_run(labels: LetorLabels, values: Floats, path: PathLike, ranks: bool, name: str | None = None) -> Run:
    input_name = source_name(path)
    if values.size != len(labels):
        raise InputError(
            f"{input_name}: {values.size} predictions for the {len(labels)} documents of {labels.name}, expected one "
            "per document in the order of its lines; check that the two files belong together"
        )
    if ranks:
        if (values < 1).any():
            row = int(np.argmax(values < 1))
            raise InputError(
                f"{input_name}:{row + 1}: rank {values[row]:g}, expected ranks from 1, the best; correct this line"
            )
        values = -values
    rows, n_ungrouped = labels.rows(values, "run")
    notes = (ungrouped_note(labels.name, n_ungrouped),) if n_ungrouped else ()
    id_note = labels.documents[2]
    return Run.from_rows(rows, name=name or file_stem(path), notes=(*notes, id_note) if id_note else notes)


def read_letor(labels: PathLike, predictions: PathLike, *, ranks: bool = False) -> tuple[Qrels, Run]:
    r"""Read a label file and its prediction file as judgments and a run. Evaluate them with ties="file".

    Parameters
    ----------
    labels
        Label file.
    predictions
        File of predictions.
    ranks
        Whether it holds rank positions (1 is best).

    Returns
    -------
    qrels, run
        Judgments and run.

    Raises
    ------
    InputError
        With file and line: a file cannot be read, or lengths differ.

    Notes
    -----
    For several prediction files, call `read_labels` and `label_qrels` once, and `prediction_run` for each.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankscope as rs
    >>> with TemporaryDirectory() as folder:
    ...     test, predicted = Path(folder, "test.txt"), Path(folder, "svm.txt")
    ...     _ = test.write_text("2 qid:10 1:0.5\n0 qid:10 1:0.1\n1 qid:10 1:0.2\n")
    ...     _ = predicted.write_text("0.1\n0.3\n0.2\n")
    ...     qrels, run = read_letor(test, predicted)
    >>> rs.evaluate(qrels, run, "AP", ties="file").overall("AP")  # (1/2 + 2/3) / 2
    0.5833333333333333
    """
    letor_labels = read_labels(labels)
    return label_qrels(letor_labels), prediction_run(letor_labels, predictions, ranks=ranks)


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
